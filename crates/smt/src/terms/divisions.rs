//! Products and quotients that are work for a back end, and small constants that are divided.

use crate::terms::bits::mask;
use crate::terms::node::{BinOp, Term};
use crate::terms::pool::TermPool;

/// Narrower numbers are multiplied and divided in no time.
pub(crate) const HARD_WIDTH: u32 = 16;

impl TermPool {
    /// Whether the term is a product, quotient or remainder of unknowns that is work for a back end.
    pub(crate) fn is_wide_product(&self, t: Term) -> bool {
        self.width(t) >= HARD_WIDTH && self.is_product(t)
    }

    /// Whether the term is a quotient or remainder by a constant that is work for a back end.
    pub(crate) fn is_wide_division_by_constant(&self, t: Term) -> bool {
        self.width(t) >= HARD_WIDTH && self.divides_by_constant(self.node(t))
    }

    /// The divisors that are no larger than a constant of at most `most`, by which it is divided, and zero. Nothing if
    /// the operator does not divide, or the dividend is no such constant.
    pub(crate) fn divisors_up_to(&self, op: BinOp, dividend: Term, most: u128) -> Option<Vec<u128>> {
        let (width, bits) = (self.width(dividend), self.as_const_wide(dividend)?);
        let (is_signed, negated) = (op.divides_signed(), bits.wrapping_neg() & mask(width));
        let magnitude = if is_signed { bits.min(negated) } else { bits };
        if !op.divides() || magnitude > most || width < HARD_WIDTH {
            return None;
        }
        let negative = (1..=magnitude).map(|n| n.wrapping_neg() & mask(width)).filter(|_| is_signed);
        Some((0..=magnitude).chain(negative).collect())
    }
}
