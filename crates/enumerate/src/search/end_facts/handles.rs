//! Which threads' handles places may hold at the end of a path.

use std::collections::BTreeSet;

use icsched_facts::{Place, Shape};
use icsched_smt::{CmpOp, Node, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use super::consequences::Consequences;
use super::finder::Finder;
use super::found::Found;

/// Finds handles.
pub(super) fn find(finder: &mut Finder<'_>, end: &mut Found<'_, '_>) {
    finder.handles(&mut end.shape, end.addresses.iter(), &mut end.consequences);
}

impl Finder<'_> {
    /// Which threads' handles places may hold: of others it was known when the epoch began, or decided.
    fn handles<'n>(
        &mut self,
        shape: &mut Shape,
        addresses: impl Iterator<Item = &'n (Place, Term)>,
        consequences: &mut Consequences,
    ) {
        let known: FxHashSet<Term> = self.asker.known().iter().copied().collect();
        // What something is known of that it is not.
        let mut told: FxHashSet<Term> = FxHashSet::default();
        for &condition in known.iter().chain(&consequences.known) {
            if let Node::Not(same) = *self.asker.pool().node(condition)
                && let Node::Cmp(CmpOp::Eq, a, _) = *self.asker.pool().node(same)
                && self.asker.pool().width(a) == 64
            {
                told.extend(self.asker.pool().symbols_of(same).iter());
            }
        }
        let mut of_told = FxHashMap::default();
        for &(place, handle) in addresses {
            // Who holds one of a few addresses says all of that.
            if shape.handles_at(place).is_some() {
                continue;
            }
            let is_told = |pool: &mut TermPool| is_of(pool, handle, &told, &mut of_told);
            let differs = self.ending.left.addresses.strange(self.asker.pool(), handle, is_told);
            let all = differs.len();
            let mut threads: BTreeSet<u32> = BTreeSet::new();
            for (thread, condition, is_likely) in differs {
                let is_known = known.contains(&condition) || consequences.known.contains(&condition);
                let is_asked = is_likely && !self.is_late();
                if !(is_known || is_asked && consequences.contain(&mut self.asker, condition)) {
                    threads.insert(thread);
                }
            }
            if threads.len() < all {
                shape.handles.insert(place, threads);
            }
        }
    }
}

/// Whether there are some of these symbols in a term; remembers it of all its parts.
fn is_of(pool: &TermPool, term: Term, symbols: &FxHashSet<Term>, known: &mut FxHashMap<Term, bool>) -> bool {
    if symbols.is_empty() {
        return false;
    }
    for part in pool.postorder(&[term], |part| known.contains_key(&part)) {
        let is_of = symbols.contains(&part) || pool.node(part).children().any(|child| known.get(&child) == Some(&true));
        known.insert(part, is_of);
    }
    known.get(&term) == Some(&true)
}
