//! How long a query may take, from what was spent on others in vain.

use std::collections::VecDeque;
use std::time::Duration;

use rustc_hash::FxHashMap;

use crate::budgets::BUDGETS;
use crate::terms::node::{BinOp, Node, Term};
use crate::terms::pool::TermPool;

/// The constraints under which the last queries were given up.
///
/// A path goes on with the constraints that made a query hard, so the next queries are as hard; each failure leaves
/// less time for the next one. Only time is saved: no answer comes from here.
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
    /// Remembers the constraints (without the newest condition) of a query that was given up.
    pub(crate) fn add(&mut self, constraints: &[Term]) {
        if !constraints.is_empty() {
            let mut set = constraints.to_vec();
            set.sort_unstable();
            self.0.push_front(set.into());
            self.0.truncate(BUDGETS.patience.sets);
        }
    }

    /// Number of failures under constraints that a query, given as a sorted set, contains.
    pub(crate) fn within(&self, query: &[Term]) -> u32 {
        let count = self.0.iter().filter(|set| set.iter().all(|t| query.binary_search(t).is_ok())).count();
        u32::try_from(count).expect("the list is short")
    }

    /// The work that a query deserves of a long search for a model: half as much for each failure, a 64th at least.
    pub(crate) fn fewer_evaluations(&self, query: &[Term], evaluations: u64) -> u64 {
        (evaluations >> self.within(query).min(63)).max(evaluations / 64)
    }
}

/// What a query deserves that a short attempt did not decide; `own` is the solver's own limit. Always a part of that,
/// so that a user who allows more time gets more.
pub(crate) fn patience(pool: &TermPool, terms: &[Term], failures: u32, own: Option<Duration>) -> Patience {
    let is_hash = is_hash(pool, terms);
    let limit = own.unwrap_or(BUDGETS.patience.own_limit)
        / if is_hash { BUDGETS.patience.hash_part } else { BUDGETS.patience.repeated_part };
    let limit = limit / 2u32.saturating_pow(failures);
    match failures {
        0 if !is_hash => Patience::Own,
        _ if limit < BUDGETS.patience.least_limit => Patience::None,
        _ => Patience::Limit(limit),
    }
}

/// Whether a query counts as a hash.
pub(crate) fn is_hash(pool: &TermPool, terms: &[Term]) -> bool {
    longest_chain(pool, terms) >= BUDGETS.patience.hash_operators
}

/// The greatest number of operators above each other that mix the bits of two unknown operands. A division by a
/// constant counts as several.
fn longest_chain(pool: &TermPool, terms: &[Term]) -> u32 {
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
        _ if pool.width(t) >= 32 && pool.divides_by_constant(node) => BUDGETS.patience.hash_operators / 2,
        _ => 0,
    }
}
