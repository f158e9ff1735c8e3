//! Elements of rings: an array that the program writes at an index which it then increases, modulo its length.

use icsched_machine::memory::UNKNOWN_SIZE;
use icsched_smt::{BinOp as TermOp, CmpOp, Term, TermPool};
use serde::{Deserialize, Serialize};

use crate::place::{Node, Place};
use crate::renaming::Renaming;

/// How many elements a ring has.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Length {
    /// A constant.
    Known(u64),
    /// What a place holds.
    At(Place),
}

impl Length {
    /// The place that holds it.
    pub const fn place(self) -> Option<Place> {
        match self {
            Self::Known(_) => None,
            Self::At(place) => Some(place),
        }
    }

    /// What it is as a number of so many bits, if a place that it is at holds a term.
    pub fn term(self, pool: &mut TermPool, width: u32, held: Option<Term>) -> Option<Term> {
        match self {
            Self::Known(length) => Some(pool.constant(width, length)),
            Self::At(_) => held.map(|held| match pool.width(held) {
                wider if wider > width => pool.extract(held, width - 1, 0),
                _ => pool.zext(held, width),
            }),
        }
    }

    pub(crate) fn renamed(self, names: &Renaming<'_>) -> Option<Self> {
        match self {
            Self::Known(_) => Some(self),
            Self::At(at) => names.place(at).map(Self::At),
        }
    }
}

/// An element of a ring.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Element {
    /// The object that the ring is in.
    pub array: Node,
    /// Where its first element is.
    pub start: u64,
    /// Bytes from one element to the next.
    pub stride: u64,
    /// Bytes of it that are read and written: 4 or 8.
    pub size: u8,
    /// How many elements the ring has.
    pub length: Length,
    /// The number that is the index of the next element.
    pub index: Place,
    /// How many elements before that one it is.
    pub back: u64,
}

impl Element {
    /// The numbers that say which one it is.
    pub fn places(&self) -> impl Iterator<Item = Place> + use<> {
        [Some(self.index), self.length.place()].into_iter().flatten()
    }

    /// Its offset in the object where the index is a term of 32 or 64 bits, and so is the length, if it is no constant.
    pub(crate) fn offset(&self, pool: &mut TermPool, index: Term, length: Option<Term>) -> Option<Term> {
        let width = pool.width(index);
        let at = match self.length {
            Length::Known(length) => {
                let (ahead, length) =
                    (pool.constant(width, length.checked_sub(self.back)?), pool.constant(width, length));
                let sum = pool.binary(TermOp::Add, index, ahead);
                pool.binary(TermOp::URem, sum, length)
            }
            Length::At(_) => {
                let (back, length) = (pool.constant(width, self.back), self.length.term(pool, width, length)?);
                let before = pool.binary(TermOp::Sub, index, back);
                let around = pool.binary(TermOp::Add, before, length);
                let is_around = pool.cmp(CmpOp::Ult, index, back);
                pool.ite(is_around, around, before)
            }
        };
        let at = pool.zext(at, 64);
        let (stride, start) = (pool.constant(64, self.stride), pool.constant(64, self.start));
        let offset = pool.binary(TermOp::Mul, at, stride);
        Some(pool.binary(TermOp::Add, offset, start))
    }

    /// Where the ring ends in its object, if that is known.
    fn end(&self) -> Option<u64> {
        let Length::Known(length) = self.length else { return None };
        let last = self.stride.checked_mul(length.checked_sub(1)?)?;
        self.start.checked_add(last)?.checked_add(self.size.into())
    }

    /// How many bytes it has in an object of so many, where there are at most so many elements if their number is no
    /// constant. Nothing if they may be outside of the object.
    pub fn bytes_of(&self, object: u64, most: Option<u64>) -> Option<u64> {
        let length = match self.length {
            Length::Known(length) => Some(length),
            Length::At(_) => most,
        };
        let end = length.and_then(|length| Self { length: Length::Known(length), ..*self }.end());
        let end = end.filter(|&end| end <= object);
        // Of an object of unknown size all bytes are its own.
        let is_open = object >= UNKNOWN_SIZE && self.length.place().is_some();
        end.or(is_open.then_some(object))?.checked_sub(self.start)
    }
}

#[cfg(test)]
mod tests {
    use icsched_ir::{EntityId as _, GlobalId};

    use super::*;

    #[test]
    fn elements_before_an_index_are_found_around_the_ring() {
        let mut pool = TermPool::new();
        let array = Node::Global(GlobalId::from_index(0));
        let index = Place::Memory(array, 0, 4);
        let of = |length, back| Element { array, start: 16, stride: 4, size: 4, length, index, back };
        let at = |n: u64| 16 + 4 * n;
        for length in [Length::Known(10), Length::At(index)] {
            for (index, back, expected) in [(3, 1, 2), (0, 1, 9), (1, 3, 8), (9, 4, 5)] {
                let (index, ten) = (pool.constant(32, index), pool.constant(32, 10));
                let offset = of(length, back).offset(&mut pool, index, Some(ten)).expect("there is a length");
                assert_eq!(pool.as_const(offset), Some(at(expected)));
            }
        }
        let ten = pool.constant(32, 10);
        assert!(of(Length::At(index), 1).offset(&mut pool, ten, None).is_none());
        assert_eq!(of(Length::Known(10), 1).bytes_of(56, None), Some(40));
        assert_eq!(of(Length::Known(10), 1).bytes_of(55, None), None);
        assert_eq!(of(Length::At(index), 1).bytes_of(60, Some(10)), Some(40));
        assert_eq!(of(Length::At(index), 1).bytes_of(60, Some(1000)), None, "it may end outside of its object");
        assert_eq!(of(Length::At(index), 1).bytes_of(60, None), None);
        assert_eq!(of(Length::At(index), 1).bytes_of(UNKNOWN_SIZE, None), Some(UNKNOWN_SIZE - 16));
    }
}
