//! Which threads' handles places may hold at the end of a path.

use std::collections::BTreeSet;

use icsched_smt::Term;
use icsched_symex::shape::{Place, Shape};
use rustc_hash::FxHashSet;

use super::{Behind, Consequences};

impl Behind<'_> {
    /// Which threads' handles places may hold: of others it was known when the epoch began, or decided.
    pub(super) fn handles<'n>(
        &mut self,
        shape: &mut Shape,
        addresses: impl Iterator<Item = &'n (Place, Term)>,
        consequences: &mut Consequences,
    ) {
        let known: FxHashSet<Term> = self.asker.known().iter().copied().collect();
        for &(place, handle) in addresses {
            // Who holds one of a few addresses says all of that.
            if shape.handles_at(place).is_some() {
                continue;
            }
            let differs = self.ending.left.addresses.strange(self.asker.pool(), handle);
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
