//! Points-to sets, looked up once each.

use std::rc::Rc;

use icsched_ir::Operand;
use icsched_pointsto::{InstanceId, Location, ObjectId, Offsets, PointsTo};
use rustc_hash::FxHashMap;

/// A points-to set: ascending.
pub(super) type Set = Rc<[Location]>;

/// The sets that were asked for; those that the analysis knows to be the same are kept once.
pub(super) struct Sets<'a> {
    points_to: &'a PointsTo,
    known: FxHashMap<u32, Set>,
    empty: Set,
}

impl<'a> Sets<'a> {
    pub(super) fn new(points_to: &'a PointsTo) -> Self {
        Self { points_to, known: FxHashMap::default(), empty: Rc::new([]) }
    }

    /// What the operand points to.
    pub(super) fn of(&mut self, instance: InstanceId, operand: Operand) -> Set {
        let Some(number) = self.points_to.representative(instance, operand) else { return Rc::clone(&self.empty) };
        let make = || self.points_to.pointer_info_in(instance, operand).locations.into();
        Rc::clone(self.known.entry(number).or_insert_with(make))
    }
}

/// Whether the set has this byte of this object. Logarithmic in the set, linear in the strides in the object.
pub(super) fn has(set: &[Location], object: ObjectId, offset: i64) -> bool {
    let start = set.partition_point(|l| l.object < object);
    let here = &set[start..];
    let here = &here[..here.partition_point(|l| l.object == object)];
    // Single offsets come before those with a stride.
    let single = here.partition_point(|l| matches!(l.offsets, Offsets::Exact(_)));
    here[..single].binary_search_by_key(&offset, |l| l.offsets.exact().unwrap_or(i64::MAX)).is_ok()
        || here[single..].iter().any(|l| l.offsets.contains(offset))
}

#[cfg(test)]
mod tests {
    use icsched_ir::EntityId as _;

    use super::*;

    #[test]
    fn finds_single_offsets_and_strides_of_the_right_object() {
        let at = |object: usize, offsets| Location { object: ObjectId::from_index(object), offsets, bytes_only: false };
        let mut set = vec![
            at(1, Offsets::Exact(8)),
            at(2, Offsets::Exact(-4)),
            at(2, Offsets::Exact(0)),
            at(2, Offsets::Exact(16)),
            at(2, Offsets::strided(3, 8)),
            at(3, Offsets::ANY),
        ];
        set.sort_unstable();
        let has = |object, offset| has(&set, ObjectId::from_index(object), offset);
        assert!(has(1, 8) && has(2, -4) && has(2, 0) && has(2, 16) && has(2, 3) && has(2, 19) && has(3, 100));
        assert!(!has(0, 0) && !has(1, 0) && !has(2, 8) && !has(2, 4) && !has(4, 0));
    }
}
