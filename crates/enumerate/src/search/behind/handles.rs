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
        consequences: &Consequences,
    ) {
        let known: FxHashSet<Term> = self.asker.known().iter().copied().collect();
        for &(place, handle) in addresses {
            let differs = self.ending.left.addresses.strange(self.asker.pool(), handle);
            let is_known = |condition: &Term| known.contains(condition) || consequences.known.contains(condition);
            let threads = differs.iter().filter(|(_, condition)| !condition.as_ref().is_none_or(is_known));
            let threads: BTreeSet<u32> = threads.map(|&(thread, _)| thread).collect();
            if threads.len() < differs.len() {
                shape.handles.insert(place, threads);
            }
        }
    }
}
