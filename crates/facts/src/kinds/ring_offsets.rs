//! How far apart the two ends of a ring are: as far as a count says, or the length of the ring less. Facts that epochs
//! hand on.
//!
//! Elements are put in at one index, and taken out at another one, each of which goes back to 0 where the ring ends. So
//! what the first index less the second one is, less the number of elements in the ring, is 0, or minus the length of
//! the ring. If the length is a power of two that is an [equation](crate::kinds::equations) of remainders. Of another
//! length, or one that inputs choose, it follows from no equation, and from no bounds, that who takes out as many
//! elements as are counted comes to where the next one will be put.

use icsched_smt::Term;

use crate::fact_map::FactMap;
use crate::fact_state::FactState;
use crate::kind::MapKind;
use crate::place::Place;
use crate::renaming::Renaming;
use crate::ring_offset::RingOffset;
use crate::shape::Shape;

/// By how much the first index is farther than the count says: as a number of 32 bits, or the length of the ring less
/// than that.
pub struct RingOffsets;

impl MapKind for RingOffsets {
    type Key = RingOffset;
    type Value = i32;

    const NAME: &'static str = "ring offsets";

    fn of(shape: &Shape) -> &FactMap<Self::Key, Self::Value> {
        &shape.ring_offsets
    }

    fn of_mut(shape: &mut Shape) -> &mut FactMap<Self::Key, Self::Value> {
        &mut shape.ring_offsets
    }

    fn places(offset: &RingOffset) -> Vec<Place> {
        offset.places().collect()
    }

    fn renamed_key(offset: &RingOffset, names: &Renaming<'_>) -> Option<RingOffset> {
        let count = match offset.count {
            Some(count) => Some(names.place(count)?),
            None => None,
        };
        let (first, second) = (names.place(offset.first)?, names.place(offset.second)?);
        Some(RingOffset { first, second, count, length: offset.length.renamed(names)? })
    }

    fn conditions(offset: &RingOffset, &by: &i32, state: &mut dyn FactState) -> Option<Vec<Term>> {
        let value = |place: Place| match place {
            Place::Memory(_, _, size) => state.value(place, 8 * size),
            Place::Register(..) => None,
        };
        let terms: Vec<Term> = offset.places().map(value).collect::<Option<_>>()?;
        Some(vec![offset.holds(state.pool(), &terms, by)?])
    }

    fn words(offset: &RingOffset, by: &i32, name: &dyn Fn(Place) -> String) -> String {
        let names: Vec<String> = offset.places().map(name).collect();
        format!("a ring is {by} farther than counted, of {}", names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use icsched_ir::{EntityId as _, GlobalId};

    use super::*;
    use crate::element::Length;
    use crate::place::Node;

    fn place(at: u64) -> Place {
        Place::Memory(Node::Global(GlobalId::from_index(0)), at, 4)
    }

    /// A ring of as many elements as are said at the fourth place.
    fn offset(count: Option<Place>) -> RingOffset {
        RingOffset { first: place(0), second: place(4), count, length: Length::At(place(12)) }
    }

    #[test]
    fn only_what_both_say_stays() {
        let shape = |by: i32| Shape { ring_offsets: [(offset(None), by)].into(), ..Shape::default() };
        assert_eq!(shape(1).join(&shape(1)).ring_offsets, shape(1).ring_offsets);
        assert!(shape(1).join(&shape(0)).ring_offsets.is_empty());
        let mut without = shape(1);
        without.retain(|at| at != place(12), |_, _| u64::MAX);
        assert!(without.ring_offsets.is_empty(), "its length is not known");
    }
}
