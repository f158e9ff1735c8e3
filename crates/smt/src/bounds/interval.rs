//! What comparisons leave to an operand.

use crate::search::random::Random;
use crate::terms::bits::signed;
use crate::terms::node::{CmpOp, Node, Term};
use crate::terms::pool::TermPool;

/// Widest operands that intervals are computed for.
pub(crate) const MAX_WIDTH: u32 = 64;
/// Distance from the end of an interval at which a value is taken, if the interval is wide enough.
const DISTANCE: i128 = 16;

/// Signed or unsigned bounds, both inclusive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interval {
    low: i128,
    high: i128,
}

pub(crate) fn is_signed(op: CmpOp) -> bool {
    matches!(op, CmpOp::Slt | CmpOp::Sle)
}

/// Bits as a comparison reads them.
pub(crate) fn read(op: CmpOp, width: u32, bits: u128) -> i128 {
    if is_signed(op) { signed(width, bits) } else { bits as i128 }
}

impl Interval {
    /// The values that a term can take at most.
    pub(crate) fn of(pool: &TermPool, op: CmpOp, t: Term) -> Interval {
        let width = pool.width(t);
        let half = |width: u32| 1_i128 << (width - 1);
        match *pool.node(t) {
            Node::SExt { arg, .. } if is_signed(op) => {
                let half = half(pool.width(arg));
                Interval { low: -half, high: half - 1 }
            }
            _ => {
                let (low, high) = pool.unsigned_range(t);
                if is_signed(op) && high as i128 >= half(width) {
                    Interval { low: -half(width), high: half(width) - 1 }
                } else {
                    Interval { low: low as i128, high: high as i128 }
                }
            }
        }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.low > self.high
    }

    /// The value of an interval that has only one.
    pub(crate) fn only(self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    /// Keeps what makes a comparison of the operand on its left (or right) with `other` hold (or fail).
    pub(crate) fn narrow(&mut self, op: CmpOp, left: bool, other: i128, holds: bool) {
        let strict = i128::from(matches!(op, CmpOp::Ult | CmpOp::Slt));
        match (left, holds) {
            (true, true) => self.high = self.high.min(other - strict),
            (true, false) => self.low = self.low.max(other + 1 - strict),
            (false, true) => self.low = self.low.max(other + strict),
            (false, false) => self.high = self.high.min(other + strict - 1),
        }
    }

    /// A value off the end that is nearer to `old`, which lies outside.
    pub(crate) fn pick(self, old: i128) -> i128 {
        let distance = ((self.high - self.low) / 2).min(DISTANCE);
        if old <= self.low { self.low + distance } else { self.high - distance }
    }

    /// Any value of an interval that is not empty: mostly one near an end or near zero.
    pub(crate) fn any(self, old: i128, random: &mut Random) -> i128 {
        let span = self.high - self.low;
        let near = |distance: i128| if old <= self.low { self.low + distance } else { self.high - distance };
        match random.below(8) {
            0 | 1 => near(0),
            2 | 3 => near((random.next() as i128 & 0xf).min(span)),
            4 => near(span.min(1 << random.below(64))),
            5 | 6 => (random.next() as i128 & 0xf).clamp(self.low, self.high),
            _ => self.low + (random.next() as i128) % span.saturating_add(1),
        }
    }
}
