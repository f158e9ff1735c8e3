//! The two ends of a ring, and how far apart they are.

use icsched_smt::{BinOp, CmpOp, Term, TermPool};
use serde::{Deserialize, Serialize};

use crate::element::Length;
use crate::place::Place;

/// Bits of the numbers that are looked at.
const WIDTH: u32 = 32;

/// The two ends of a ring, and what counts how far apart they are.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct RingOffset {
    /// The index that elements are put in at.
    pub first: Place,
    /// The one that they are taken out at.
    pub second: Place,
    /// What counts the elements, if anything does.
    pub count: Option<Place>,
    /// How many elements there may be.
    pub length: Length,
}

impl RingOffset {
    /// Its places.
    pub fn places(&self) -> impl Iterator<Item = Place> + use<> {
        [Some(self.first), Some(self.second), self.count, self.length.place()].into_iter().flatten()
    }

    /// What the first index is farther than the count says, where its [places](Self::places) hold these terms, and how
    /// long the ring is.
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

    /// The condition that it is `by`, or the length of the ring less, where its [places](Self::places) hold these
    /// terms.
    pub fn holds(&self, pool: &mut TermPool, terms: &[Term], by: i32) -> Option<Term> {
        let (sum, length) = self.sum(pool, terms)?;
        let by = pool.constant(WIDTH, u64::from(by.cast_unsigned()));
        let less = pool.binary(BinOp::Sub, by, length);
        let (straight, around) = (pool.cmp(CmpOp::Eq, sum, by), pool.cmp(CmpOp::Eq, sum, less));
        Some(pool.binary(BinOp::Or, straight, around))
    }
}

fn low(pool: &mut TermPool, term: Term) -> Option<Term> {
    match pool.width(term) {
        WIDTH => Some(term),
        wider if wider > WIDTH => Some(pool.extract(term, WIDTH - 1, 0)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use icsched_ir::{EntityId as _, GlobalId};

    use super::*;
    use crate::place::Node;

    fn place(at: u64) -> Place {
        Place::Memory(Node::Global(GlobalId::from_index(0)), at, 4)
    }

    /// A ring of as many elements as are said at the fourth place.
    fn offset(count: Option<Place>) -> RingOffset {
        RingOffset { first: place(0), second: place(4), count, length: Length::At(place(12)) }
    }

    #[test]
    fn indices_are_as_far_apart_as_counted() {
        let mut pool = TermPool::new();
        let mut holds = |offset: RingOffset, numbers: &[u64], by: i32| {
            let terms: Vec<Term> = numbers.iter().map(|&n| pool.constant(32, n)).collect();
            let holds = offset.holds(&mut pool, &terms, by).expect("there are as many as places");
            pool.is_true(holds)
        };
        let counted = offset(Some(place(8)));
        for (numbers, is_so) in
            [([5, 3, 2, 7], true), ([1, 6, 2, 7], true), ([3, 3, 7, 7], true), ([5, 3, 3, 7], false)]
        {
            assert_eq!(holds(counted, &numbers, 0), is_so, "{numbers:?}");
        }
        assert!(holds(counted, &[5, 3, 1, 7], 1) && holds(counted, &[5, 3, 3, 7], -1));
        assert!(holds(offset(None), &[0, 6, 7], 1) && !holds(offset(None), &[1, 6, 7], 1));
        let known = RingOffset { length: Length::Known(7), ..counted };
        assert!(holds(known, &[1, 6, 2], 0) && !holds(known, &[2, 6, 2], 0));
        let two: Vec<Term> = [1, 2].map(|n| pool.constant(32, n)).into();
        assert!(counted.holds(&mut pool, &two, 0).is_none());
    }
}
