//! Between which numbers one is: intervals.

use icsched_smt::{CmpOp, Term, TermPool};
use serde::{Deserialize, Serialize};

/// The least and the greatest number that a place may hold, as signed numbers of its width. If the least is above the
/// greatest, it is [any but 0](Self::nonzero).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Bounds {
    /// Bits of the place, at most 64.
    pub width: u8,
    /// No number is smaller.
    pub least: i64,
    /// No number is larger.
    pub greatest: i64,
}

impl Bounds {
    /// Those of all numbers of so many bits.
    pub const fn of_width(width: u8) -> Self {
        Self { width, least: i64::MIN >> (64 - width), greatest: i64::MAX >> (64 - width) }
    }

    /// All numbers but 0: of the difference of two numbers, that they are not the same.
    pub const fn nonzero(width: u8) -> Self {
        Self { width, least: 1, greatest: -1 }
    }

    /// Whether they are [all numbers but 0](Self::nonzero).
    pub const fn are_nonzero(self) -> bool {
        self.least > self.greatest
    }

    /// Whether 0 is outside of them.
    pub const fn exclude_zero(self) -> bool {
        self.are_nonzero() || self.least > 0 || self.greatest < 0
    }

    /// Those of one number.
    pub const fn exactly(width: u8, bits: u64) -> Self {
        let number = (bits << (64 - width)).cast_signed() >> (64 - width);
        Self { width, least: number, greatest: number }
    }

    /// The tightest ones that both are within.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), greatest: self.greatest.max(other.greatest), ..self }
    }

    /// Whether there are numbers outside of them.
    pub fn say_something(self) -> bool {
        self != Self::of_width(self.width)
    }

    /// The same, but as wide as the next of the `thresholds`, ascending, on the side on which `before` was narrower;
    /// without one there is no bound on that side.
    pub(crate) fn widened(self, before: Self, thresholds: &[i64]) -> Self {
        let open = Self::of_width(self.width);
        let below = thresholds.iter().rev().find(|&&n| n <= self.least).map_or(open.least, |&n| n.max(open.least));
        let above = thresholds.iter().find(|&&n| n >= self.greatest).map_or(open.greatest, |&n| n.min(open.greatest));
        Self {
            least: if self.least < before.least { below } else { self.least },
            greatest: if self.greatest > before.greatest { above } else { self.greatest },
            ..self
        }
    }

    /// The same, but as wide as `end` on a side on which `before` was narrower, if there is one.
    pub(crate) fn ended(self, before: Self, end: Self) -> Self {
        let open = Self::of_width(self.width);
        let is_lower = self.least < before.least && end.least > open.least;
        let is_higher = self.greatest > before.greatest && end.greatest < open.greatest;
        Self {
            least: if is_lower { self.least.min(end.least) } else { self.least },
            greatest: if is_higher { self.greatest.max(end.greatest) } else { self.greatest },
            ..self
        }
    }

    /// Whether there are numbers within them that are not within others.
    pub(crate) fn are_wider_than(self, other: Self) -> bool {
        self.least < other.least || self.greatest > other.greatest
    }

    /// Those of all numbers that have a sign which all within them have.
    pub(crate) fn of_sign(self) -> Self {
        let open = Self::of_width(self.width);
        match (self.least, self.greatest) {
            (0.., _) => Self { least: 0, ..open },
            (_, ..0) => Self { greatest: -1, ..open },
            _ => open,
        }
    }

    /// The condition that a term of their width is within them.
    pub fn hold(self, pool: &mut TermPool, term: Term) -> Term {
        if self.are_nonzero() {
            let zero = pool.constant(self.width.into(), 0);
            return pool.ne(term, zero);
        }
        let limit = |pool: &mut TermPool, number: i64| pool.constant(self.width.into(), number.cast_unsigned());
        let (least, greatest) = (limit(pool, self.least), limit(pool, self.greatest));
        let (above, below) = (pool.cmp(CmpOp::Sle, least, term), pool.cmp(CmpOp::Sle, term, greatest));
        pool.and_all(&[above, below])
    }

    /// How many numbers there are above the least of them, if these are bounds on both sides.
    pub fn span(self) -> Option<u64> {
        (self.least <= self.greatest).then(|| self.greatest.abs_diff(self.least))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_signed() {
        assert_eq!(Bounds::exactly(32, 0xffff_ffff), Bounds { width: 32, least: -1, greatest: -1 });
        assert_eq!(Bounds::of_width(64), Bounds { width: 64, least: i64::MIN, greatest: i64::MAX });
    }
}
