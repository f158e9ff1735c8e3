//! What to spend on a query, from what was spent on others in vain.

use std::collections::VecDeque;
use std::time::Duration;

use rustc_hash::FxHashMap;

use crate::node::{BinOp, Node, Term};
use crate::pool::TermPool;

/// Sets of constraints remembered.
const MAX_SETS: usize = 64;
/// Operators above each other from which a query counts as a hash.
const LONG_MIX: u32 = 8;
/// The solver's own limit where it names none.
const OWN_LIMIT: Duration = Duration::from_millis(2500);
/// Part of the solver's own limit for hashes: what isn't found in this time is rarely found in ten times as much.
const MIXING_PART: u32 = 10;
/// Part of the solver's own limit, to be halved for each failure, for queries that contain what was given up on.
const REPEATED_PART: u32 = 2;
/// Limits below this are not worth an attempt of their own.
const LEAST_LIMIT: Duration = Duration::from_millis(60);

/// The constraints under which the last queries were given up.
///
/// A path goes on with the constraints that made a query hard, so the next queries are as hard; each failure leaves less
/// time for the next one. Only time is saved: no answer comes from here.
#[derive(Debug, Default)]
pub(crate) struct GivenUp(VecDeque<Box<[Term]>>);

/// How long a query may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Patience {
    /// As long as the solver's own limit says.
    Own,
    /// This long.
    Limit(Duration),
    /// No further attempt.
    None,
}

impl GivenUp {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Remembers the constraints (without the newest condition) of a query that was given up.
    pub(crate) fn add(&mut self, constraints: &[Term]) {
        if !constraints.is_empty() {
            let mut set = constraints.to_vec();
            set.sort_unstable();
            self.0.push_front(set.into());
            self.0.truncate(MAX_SETS);
        }
    }

    /// Number of failures under constraints that a query, given as a sorted set, contains.
    pub(crate) fn within(&self, query: &[Term]) -> u32 {
        let count = self.0.iter().filter(|set| set.iter().all(|t| query.binary_search(t).is_ok())).count();
        u32::try_from(count).expect("the list is short")
    }
}

/// What a query deserves that a short attempt did not decide; `own` is the solver's own limit. Always a part of that, so
/// that a user who allows more time gets more.
pub(crate) fn patience(pool: &TermPool, terms: &[Term], failures: u32, own: Option<Duration>) -> Patience {
    let mixes = is_mix(pool, terms);
    let limit = own.unwrap_or(OWN_LIMIT) / if mixes { MIXING_PART } else { REPEATED_PART };
    let limit = limit / 2u32.saturating_pow(failures);
    match failures {
        0 if !mixes => Patience::Own,
        _ if limit < LEAST_LIMIT => Patience::None,
        _ => Patience::Limit(limit),
    }
}

/// Whether a query counts as a hash.
pub(crate) fn is_mix(pool: &TermPool, terms: &[Term]) -> bool {
    longest_mix(pool, terms) >= LONG_MIX
}

/// The greatest number of operators above each other that mix the bits of two operands which are no constants; a division by a constant
/// counts as several of them.
fn longest_mix(pool: &TermPool, terms: &[Term]) -> u32 {
    let mut lengths: FxHashMap<Term, u32> = FxHashMap::default();
    let mut longest = 0;
    for t in pool.postorder(terms, |_| false) {
        let node = *pool.node(t);
        let below = node.children().filter_map(|c| lengths.get(&c).copied()).max().unwrap_or(0);
        let length = below + mixing(pool, t);
        if length > 0 {
            lengths.insert(t, length);
        }
        longest = longest.max(length);
    }
    longest
}

fn mixing(pool: &TermPool, t: Term) -> u32 {
    let node = pool.node(t);
    match *node {
        Node::Binary(BinOp::Xor | BinOp::Mul | BinOp::UDiv | BinOp::URem, a, b)
            if pool.as_const_wide(a).is_none() && pool.as_const_wide(b).is_none() =>
        {
            u32::from(pool.width(t) >= 8)
        }
        // Generators of random numbers divide what was divided.
        _ if pool.width(t) >= 32 && pool.divides_by_constant(node) => LONG_MIX / 2,
        _ => 0,
    }
}
