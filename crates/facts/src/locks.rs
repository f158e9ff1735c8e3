//! Where the objects are that a program synchronises on: what they hold decides more than any number beside them.

use std::collections::BTreeSet;

use icsched_ir::{Callee, Op, Program};
use icsched_pointsto::{ObjectId as Abstract, Offsets, PointsTo};
use rustc_hash::FxHashMap;

/// The bytes that such an object has, at most: as many as the largest of glibc's.
const BYTES: u64 = 64;

/// The same, at least: semaphores and barriers.
const SMALLEST: u64 = 32;

/// The places that operations of synchronisation may act on, by what points-to analysis calls the objects around them.
#[derive(Clone, Default, Debug)]
pub struct Locks {
    places: FxHashMap<Abstract, Vec<Offsets>>,
}

impl Locks {
    /// O(instructions of all instances, and the places that those of them that synchronise may act on).
    pub fn new(program: &Program, points_to: &PointsTo) -> Self {
        let mut found: BTreeSet<(Abstract, Offsets)> = BTreeSet::new();
        for (id, instance) in points_to.instances().iter() {
            for (_, block) in program.functions[instance.func].blocks.iter() {
                for inst in &block.insts {
                    let Op::Call { callee: Callee::Intrinsic(intrinsic), args } = &inst.op else { continue };
                    let Some(&object) = args.first().filter(|_| intrinsic.is_synchronisation()) else { continue };
                    let info = points_to.pointer_info_in(id, object);
                    found.extend(info.locations.iter().map(|l| (l.object, l.offsets)));
                }
            }
        }
        let mut locks = Self::default();
        for (object, offsets) in found {
            locks.places.entry(object).or_default().push(offsets);
        }
        locks
    }

    /// Those in objects that points-to analysis has these names for.
    pub(crate) fn of(&self, objects: &[Abstract]) -> Places {
        Places(objects.iter().filter_map(|object| self.places.get(object)).flatten().copied().collect())
    }
}

/// Places in one object.
pub(crate) struct Places(Vec<Offsets>);

impl Places {
    /// The multiples of eight within them, below `size`, ascending. O(what is found, up to logarithms).
    pub(crate) fn words(&self, size: u64) -> Vec<u64> {
        let mut found = Vec::new();
        let mut add = |at: u64| found.extend((at & !7..size.min(at.saturating_add(BYTES))).step_by(8));
        for place in &self.0 {
            match *place {
                Offsets::Exact(at) => _ = u64::try_from(at).map(&mut add),
                Offsets::Strided { start, stride } => {
                    let step = usize::try_from(stride).unwrap_or(usize::MAX).max(1);
                    (start..size).step_by(step).take(BUDGETS.lock_elements).for_each(&mut add);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether a byte is in one of them, whatever kind it is of. O(places).
    pub(crate) fn begin_at(&self, at: u64) -> bool {
        self.0.iter().any(|place| match *place {
            Offsets::Exact(start) => u64::try_from(start).is_ok_and(|start| (start..start + SMALLEST).contains(&at)),
            Offsets::Strided { start, stride } => at >= start && (at - start) % stride.max(1) < SMALLEST,
        })
    }

    /// Whether a byte is in a word of one of them, or up to seven bytes behind. O(places).
    pub(crate) fn contain(&self, at: u64) -> bool {
        self.0.iter().any(|place| match *place {
            Offsets::Exact(start) => u64::try_from(start).is_ok_and(|start| (start & !7..start + BYTES).contains(&at)),
            Offsets::Strided { start, stride } => {
                let start = start & !7;
                at >= start && (at - start) % stride.max(1) < BYTES + 7
            }
        })
    }
}

use crate::budgets::BUDGETS;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_locks_are_found_one_by_one_and_in_arrays() {
        let places = Places(vec![Offsets::Exact(12), Offsets::Strided { start: 1000, stride: 504 }]);
        let words = places.words(1600);
        assert_eq!(words[..9], [8, 16, 24, 32, 40, 48, 56, 64, 72]);
        assert_eq!(
            words[9..],
            [1000, 1008, 1016, 1024, 1032, 1040, 1048, 1056, 1504, 1512, 1520, 1528, 1536, 1544, 1552, 1560]
        );
        assert!(words.iter().all(|&at| places.contain(at)));
        assert!(!places.contain(80) && !places.contain(1072) && !places.contain(999));
    }
}
