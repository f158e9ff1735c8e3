//! How far apart the two ends of a ring are: as far as a count says, or the length of the ring less. Facts that epochs hand on.
//!
//! Elements are put in at one index, and taken out at another one, each of which goes back to 0 where the ring ends. So what the first
//! index less the second one is, less the number of elements in the ring, is 0, or minus the length of the ring. If the length is a power of
//! two that is an [equation](super::equations) of remainders. Of another length, or one that inputs choose, it follows from no equation,
//! and from no bounds, that who takes out as many elements as are counted comes to where the next one will be put.

use std::collections::{BTreeMap, BTreeSet};

use icsched_pointsto::ObjectId as Abstract;
use icsched_smt::{BinOp, CmpOp, Term, TermPool};
use serde::{Deserialize, Serialize};

use super::differences::Source;
use super::elements::{Count, Length, Rings, belong, nodes};
use super::{Meet, Node, Place, Shape, moved};

/// Bits of the numbers that are looked at.
const WIDTH: u32 = 32;

/// Turns that are looked at in one state.
const MAX_TURNS: usize = 8;

/// The two ends of a ring, and what counts how far apart they are.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Turn {
    /// The index that elements are put in at.
    pub first: Place,
    /// The one that they are taken out at.
    pub second: Place,
    /// What counts the elements, if anything does.
    pub count: Option<Place>,
    /// How many elements there may be.
    pub length: Length,
}

/// By how much the first index is farther than the count says: as a number of 32 bits, or the length of the ring less than that.
pub type Turns = BTreeMap<Turn, i32>;

impl Turn {
    /// Its places.
    pub fn places(&self) -> impl Iterator<Item = Place> + use<> {
        [Some(self.first), Some(self.second), self.count, self.length.place()].into_iter().flatten()
    }

    /// What the first index is farther than the count says, where its [places](Self::places) hold these terms, and how long the ring is.
    pub fn sum(&self, pool: &mut TermPool, terms: &[Term]) -> Option<(Term, Term)> {
        let low: Option<Vec<Term>> = terms.iter().map(|&term| low(pool, term)).collect();
        let low = low.filter(|low| low.len() == self.places().count())?;
        let length = self.length.term(pool, WIDTH, low.last().copied())?;
        let mut sum = pool.binary(BinOp::Sub, low[0], low[1]);
        if self.count.is_some() {
            sum = pool.binary(BinOp::Sub, sum, low[2]);
        }
        Some((sum, length))
    }

    /// The condition that it is `by`, or the length of the ring less, where its [places](Self::places) hold these terms.
    pub fn holds(&self, pool: &mut TermPool, terms: &[Term], by: i32) -> Option<Term> {
        let (sum, length) = self.sum(pool, terms)?;
        let by = pool.constant(WIDTH, u64::from(by.cast_unsigned()));
        let less = pool.binary(BinOp::Sub, by, length);
        let (straight, around) = (pool.cmp(CmpOp::Eq, sum, by), pool.cmp(CmpOp::Eq, sum, less));
        Some(pool.binary(BinOp::Or, straight, around))
    }

    fn renamed(self, place: impl Fn(Place) -> Option<Place>) -> Option<Self> {
        let count = match self.count {
            Some(count) => Some(place(count)?),
            None => None,
        };
        let (first, second) = (place(self.first)?, place(self.second)?);
        Some(Self { first, second, count, length: self.length.renamed(place)? })
    }
}

fn low(pool: &mut TermPool, term: Term) -> Option<Term> {
    match pool.width(term) {
        WIDTH => Some(term),
        wider if wider > WIDTH => Some(pool.extract(term, WIDTH - 1, 0)),
        _ => None,
    }
}

/// Where elements of arrays are read, and what is compared with lengths.
#[derive(Clone, Default, Debug)]
pub(super) struct Taken {
    /// Index, array, and bytes from one element to the next.
    pub(super) reads: BTreeSet<((Source, u8), Source, u64)>,
    counts: BTreeSet<((Source, u8), Count)>,
}

impl Taken {
    /// Notes that a number is compared with some that may be lengths.
    pub(super) fn compared(&mut self, number: (Source, u8), with: &[Count]) {
        self.counts.extend(with.iter().map(|&count| (number, count)));
    }
}

impl Rings {
    /// The turns of rings in a shape of which something may be known. Rings and indices are variables, or on the heap.
    pub(super) fn turns(&self, heap: &[Abstract]) -> Vec<Turn> {
        let mut found = BTreeSet::new();
        for ring in &self.written {
            // Else there is an equation.
            if matches!(ring.length, Count::Known(length) if length.is_power_of_two()) {
                continue;
            }
            let (first, _) = ring.index;
            let of_ring = |array: Source, stride: u64| array == ring.array && stride == ring.stride;
            let seconds = self.taken.reads.iter().filter(|&&(_, array, stride)| of_ring(array, stride));
            let seconds: BTreeSet<(Source, u8)> =
                seconds.map(|&(index, ..)| index).filter(|&(index, _)| index != first).collect();
            let is_index = |at: Source| at == first || seconds.iter().any(|&(second, _)| second == at);
            let counts = self.taken.counts.iter().filter(|&&((at, _), with)| with == ring.length && !is_index(at));
            let counts: BTreeSet<(Source, u8)> = counts.map(|&(number, _)| number).collect();
            for (of, at) in nodes(first, heap) {
                let index = (first, of);
                let near = |&number: &(Source, u8)| places(number, index, heap);
                let first = Place::Memory(of, at, ring.index.1 / 8);
                let counts: Vec<Option<Place>> = counts.iter().flat_map(near).map(Some).chain([None]).collect();
                for second in seconds.iter().flat_map(near) {
                    for length in ring.length.places(index, heap) {
                        found.extend(counts.iter().map(|&count| Turn { first, second, count, length }));
                    }
                }
            }
        }
        found.into_iter().take(MAX_TURNS).collect()
    }
}

/// The places of a number that may go with an index in an object.
fn places((source, width): (Source, u8), index: (Source, Node), heap: &[Abstract]) -> Vec<Place> {
    let all = nodes(source, heap).into_iter().filter(|&(of, _)| belong((source, of), index));
    all.map(|(of, at)| Place::Memory(of, at, width / 8)).collect()
}

impl Shape {
    /// How far apart the ends of its rings are where places have other names.
    pub(super) fn turns_renamed(&self, name: impl Fn(Place) -> Option<Place>) -> Turns {
        self.turns.iter().filter_map(|(turn, &by)| Some((turn.renamed(&name)?, by))).collect()
    }
}

impl Meet<'_> {
    /// Which turns are the same in both.
    pub(super) fn turns(&mut self) {
        let mut in_a = self.a.turns_renamed(|place| moved(place, |n| self.of_a.get(&n).copied()));
        let in_b = self.b.turns_renamed(|place| moved(place, |n| self.of_b.get(&n).copied()));
        in_a.retain(|turn, by| in_b.get(turn) == Some(by));
        self.found.turns = in_a;
    }
}

#[cfg(test)]
mod tests {
    use icsched_ir::{EntityId as _, GlobalId};

    use super::*;

    fn place(at: u64) -> Place {
        Place::Memory(Node::Global(GlobalId::from_index(0)), at, 4)
    }

    /// A ring of as many elements as are said at the fourth place.
    fn turn(count: Option<Place>) -> Turn {
        Turn { first: place(0), second: place(4), count, length: Length::At(place(12)) }
    }

    #[test]
    fn indices_are_as_far_apart_as_counted() {
        let mut pool = TermPool::new();
        let mut holds = |turn: Turn, numbers: &[u64], by: i32| {
            let terms: Vec<Term> = numbers.iter().map(|&n| pool.constant(32, n)).collect();
            let holds = turn.holds(&mut pool, &terms, by).expect("there are as many as places");
            pool.is_true(holds)
        };
        let counted = turn(Some(place(8)));
        for (numbers, is_so) in
            [([5, 3, 2, 7], true), ([1, 6, 2, 7], true), ([3, 3, 7, 7], true), ([5, 3, 3, 7], false)]
        {
            assert_eq!(holds(counted, &numbers, 0), is_so, "{numbers:?}");
        }
        assert!(holds(counted, &[5, 3, 1, 7], 1) && holds(counted, &[5, 3, 3, 7], -1));
        assert!(holds(turn(None), &[0, 6, 7], 1) && !holds(turn(None), &[1, 6, 7], 1));
        let known = Turn { length: Length::Known(7), ..counted };
        assert!(holds(known, &[1, 6, 2], 0) && !holds(known, &[2, 6, 2], 0));
        let two: Vec<Term> = [1, 2].map(|n| pool.constant(32, n)).into();
        assert!(counted.holds(&mut pool, &two, 0).is_none());
    }

    #[test]
    fn only_what_both_say_stays() {
        let shape = |by: i32| Shape { turns: [(turn(None), by)].into(), ..Shape::default() };
        assert_eq!(shape(1).meet(&shape(1)).turns, shape(1).turns);
        assert!(shape(1).meet(&shape(0)).turns.is_empty());
        let mut without = shape(1);
        without.retain(|at| at != place(12), |_, _| u64::MAX);
        assert!(without.turns.is_empty(), "its length is not known");
    }
}
