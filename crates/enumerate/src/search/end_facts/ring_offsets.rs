//! How far apart the ends of rings are at the end of a path.

use icsched_facts::{FactMap, Place, RingOffset, Shape};
use icsched_smt::Term;
use rustc_hash::FxHashMap;

use super::consequences::Consequences;
use super::finder::Finder;
use super::found::Found;
use super::reasoning::is_simple;
use crate::budgets::BUDGETS;

/// Finds ring offsets.
pub(super) fn find(finder: &mut Finder<'_>, end: &mut Found<'_, '_>) {
    end.shape.ring_offsets = finder.ring_offsets(&end.shape, &end.numbers, &mut end.consequences);
}

impl Finder<'_> {
    /// How far apart the ends of rings are, as far as that is the same in all executions. As for
    /// [differences](Self::differences), that sums have not overflowed does not count.
    fn ring_offsets(
        &mut self,
        shape: &Shape,
        numbers: &FxHashMap<Place, Term>,
        consequences: &mut Consequences,
    ) -> FactMap<RingOffset, i32> {
        let mut found = FactMap::new();
        let ending = self.ending;
        let permits = self.compared.permits(shape, &self.activations());
        for &offset in &ending.left.ring_offsets {
            let counts =
                permits.iter().copied().map(Some).filter(|_| offset.count.is_none()).take(BUDGETS.semaphores_of_ring);
            for count in [offset.count].into_iter().chain(counts) {
                let offset = RingOffset { count, ..offset };
                let by = self.ring_offset(&offset, shape, numbers, consequences);
                found.extend(by.map(|by| (offset, by)));
            }
        }
        found
    }

    fn ring_offset(
        &mut self,
        offset: &RingOffset,
        shape: &Shape,
        numbers: &FxHashMap<Place, Term>,
        consequences: &mut Consequences,
    ) -> Option<i32> {
        let terms = offset.places().map(|place| self.number(shape, numbers, place, consequences));
        let terms: Vec<Term> = terms.collect::<Option<_>>()?;
        let (sum, length) = offset.sum(self.asker.pool(), &terms)?;
        if self.is_late() || !is_simple(self.asker.pool(), sum) || !is_simple(self.asker.pool(), length) {
            return None;
        }
        let nearest_first = (0..=BUDGETS.ring_offset).flat_map(|by| [by, -by]);
        nearest_first.into_iter().find(|&by| {
            let pool = self.asker.pool();
            let holds = offset.holds(pool, &terms, by);
            holds.is_some_and(|holds| consequences.contain(&mut self.asker, holds))
        })
    }
}
