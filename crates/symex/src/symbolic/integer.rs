//! The value of a term as a mathematical integer: its bounds and what it is a multiple of.
//!
//! Offsets are computed modulo 2^64, so that `24 * i` may be any multiple of 8 for an unbounded `i`. When the bounds
//! show that nothing wraps, the offset is the product itself and every third of those multiples is excluded.

use icsched_smt::{BinOp, Node, Term, TermPool};

use crate::bounds::as_signed;

/// All values of a term, read as a signed number of its width: `residue` plus a multiple of `stride`, within bounds.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Integers {
    /// Least value.
    least: i128,
    /// Greatest value.
    greatest: i128,
    /// Distance of two possible values; 0 for a constant.
    stride: u128,
    /// One value that fits the stride.
    residue: i128,
}

/// Nesting of sums and products that is looked at.
const MAX_DEPTH: u32 = 24;

impl Integers {
    fn constant(value: i128) -> Self {
        Integers { least: value, greatest: value, stride: 0, residue: value }
    }

    fn full(width: u32) -> Self {
        Integers { least: -(1 << (width - 1)), greatest: (1 << (width - 1)) - 1, stride: 1, residue: 0 }
    }

    /// Least and greatest value.
    pub(crate) fn bounds(self) -> (i128, i128) {
        (self.least, self.greatest)
    }

    /// Whether every value is a multiple of a number.
    pub(super) fn is_multiple_of(self, n: u128) -> bool {
        self.stride.is_multiple_of(n) && self.residue.unsigned_abs().is_multiple_of(n)
    }

    fn add(self, other: Self) -> Self {
        Integers {
            least: self.least + other.least,
            greatest: self.greatest + other.greatest,
            stride: gcd(self.stride, other.stride),
            residue: self.residue + other.residue,
        }
    }

    fn scale(self, factor: i128) -> Option<Self> {
        let (a, b) = (self.least.checked_mul(factor)?, self.greatest.checked_mul(factor)?);
        Some(Integers {
            least: a.min(b),
            greatest: a.max(b),
            stride: self.stride.checked_mul(factor.unsigned_abs())?,
            residue: self.residue.checked_mul(factor)?,
        })
    }

    fn join(self, other: Self) -> Self {
        Integers {
            least: self.least.min(other.least),
            greatest: self.greatest.max(other.greatest),
            stride: gcd(gcd(self.stride, other.stride), self.residue.abs_diff(other.residue)),
            residue: self.residue,
        }
    }

    /// What is left of it when the result is cut to `width` bits: only the power of two in the stride survives a wrap.
    fn wrap(self, width: u32) -> Self {
        let full = Self::full(width);
        if full.least <= self.least && self.greatest <= full.greatest {
            return self;
        }
        let power = 1u128 << self.stride.trailing_zeros().min(width - 1);
        Integers { stride: power, residue: self.residue.rem_euclid(power as i128), ..full }
    }

    /// The values from `from` to `to`, both included, least first; `None` when there are more than `limit`.
    pub(super) fn values_within(self, from: i128, to: i128, limit: usize) -> Option<Vec<i128>> {
        let (from, to) = (from.max(self.least), to.min(self.greatest));
        if self.stride == 0 {
            return Some((from..=to).contains(&self.residue).then_some(self.residue).into_iter().collect());
        }
        let stride = i128::try_from(self.stride).ok()?;
        let first = from + (self.residue - from).rem_euclid(stride);
        let count = if first > to { 0 } else { (to - first) / stride + 1 };
        (count <= limit as i128).then(|| (0..count).map(|i| first + i * stride).collect())
    }

    /// Whether a number is one of the values.
    pub(super) fn contain(self, number: i128) -> bool {
        let fits = match i128::try_from(self.stride) {
            Ok(0) => number == self.residue,
            Ok(stride) => (number - self.residue).rem_euclid(stride) == 0,
            Err(_) => true,
        };
        fits && (self.least..=self.greatest).contains(&number)
    }

    /// Whether none of the values is from `from` to `to`, both included.
    pub(super) fn have_none_within(self, from: i128, to: i128) -> bool {
        let (from, to) = (from.max(self.least), to.min(self.greatest));
        match i128::try_from(self.stride) {
            Ok(_) if from > to => true,
            Ok(0) => !(from..=to).contains(&self.residue),
            // Division takes much longer.
            Ok(stride) if to - from >= stride - 1 => false,
            Ok(stride) => (self.residue - from).rem_euclid(stride) > to - from,
            Err(_) => false,
        }
    }
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// What is known of the term's values from its shape alone. Terms of up to 64 bits.
pub(crate) fn integers_of(pool: &TermPool, t: Term) -> Integers {
    bounded(pool, t, MAX_DEPTH)
}

/// The term as `index * scale + start` that does not wrap, `scale` positive; `(t, 1, 0)` when it is no such sum.
pub(super) fn index_of(pool: &TermPool, t: Term) -> (Term, i128, i128) {
    let width = pool.width(t);
    let (Some(rest), start) = pool.split_constant(t) else { return (t, 1, 0) };
    let start = as_signed(width, start.into());
    let (index, scale) = match *pool.node(rest) {
        Node::Binary(BinOp::Mul, x, factor) => match pool.as_const_wide(factor) {
            Some(bits) => (x, as_signed(width, bits)),
            None => (rest, 1),
        },
        _ => (rest, 1),
    };
    let exact = integers_of(pool, index).scale(scale).map(|scaled| scaled.add(Integers::constant(start)));
    match exact {
        Some(exact) if scale > 0 && exact == exact.wrap(width) => (index, scale, start),
        _ => (t, 1, 0),
    }
}

fn bounded(pool: &TermPool, t: Term, depth: u32) -> Integers {
    let width = pool.width(t);
    let known = structural(pool, t, depth).unwrap_or_else(|| Integers::full(width)).wrap(width);
    let (least, greatest) = pool.unsigned_range(t);
    if greatest >> (width - 1) != 0 {
        return known;
    }
    Integers { least: known.least.max(least as i128), greatest: known.greatest.min(greatest as i128), ..known }
}

fn structural(pool: &TermPool, t: Term, depth: u32) -> Option<Integers> {
    let width = pool.width(t);
    let depth = depth.checked_sub(1)?;
    Some(match *pool.node(t) {
        Node::Const { bits, .. } => Integers::constant(as_signed(width, bits)),
        Node::Binary(BinOp::Add, a, b) => bounded(pool, a, depth).add(bounded(pool, b, depth)),
        Node::Binary(BinOp::Mul, a, b) => {
            let factor = as_signed(width, pool.as_const_wide(b)?);
            bounded(pool, a, depth).scale(factor)?
        }
        Node::Binary(BinOp::SRem, a, b) => {
            // Nearer to 0 than the divisor, and not farther than the dividend, on the same side of it.
            let divisor = as_signed(width, pool.as_const_wide(b)?).unsigned_abs();
            let nearest = i128::try_from(divisor.checked_sub(1)?).ok()?;
            let of = bounded(pool, a, depth);
            let (least, greatest) = (of.least.min(0).max(-nearest), of.greatest.max(0).min(nearest));
            Integers { least, greatest, stride: 1, residue: 0 }
        }
        Node::Ite(_, a, b) => bounded(pool, a, depth).join(bounded(pool, b, depth)),
        Node::SExt { arg, .. } => bounded(pool, arg, depth),
        Node::ZExt { arg, .. } => {
            let arg_width = pool.width(arg);
            let inner = bounded(pool, arg, depth);
            if inner.least >= 0 {
                inner
            } else {
                // Negative values move up by 2^width: only the power of two in the stride stays.
                let power = 1u128 << inner.stride.trailing_zeros().min(arg_width - 1);
                let residue = inner.residue.rem_euclid(power as i128);
                Integers { least: 0, greatest: (1 << arg_width) - 1, stride: power, residue }
            }
        }
        Node::Concat(high, low) => {
            let factor = 1i128 << pool.width(low);
            let low = pool.as_const_wide(low)?;
            bounded(pool, high, depth).scale(factor)?.add(Integers::constant(low as i128))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bounded_index_keeps_its_stride() {
        let mut pool = TermPool::new();
        let i = pool.symbol("i", 32);
        let i = pool.sext(i, 64);
        let (factor, start) = (pool.constant(64, 24), pool.constant(64, 8));
        let scaled = pool.binary(BinOp::Mul, i, factor);
        let offset = pool.binary(BinOp::Add, scaled, start);
        let values = integers_of(&pool, offset).values_within(0, 100, 64);
        assert_eq!(values, Some(vec![8, 32, 56, 80]));
    }

    #[test]
    fn a_product_that_may_wrap_keeps_the_power_of_two() {
        let mut pool = TermPool::new();
        let (i, factor) = (pool.symbol("i", 64), pool.constant(64, 24));
        let offset = pool.binary(BinOp::Mul, i, factor);
        let values = integers_of(&pool, offset).values_within(0, 40, 64);
        assert_eq!(values, Some(vec![0, 8, 16, 24, 32, 40]));
    }

    #[test]
    fn a_remainder_is_nearer_to_zero_than_its_divisor() {
        let mut pool = TermPool::new();
        let (i, three) = (pool.symbol("i", 32), pool.constant(32, 3));
        let remainder = pool.binary(BinOp::SRem, i, three);
        assert_eq!(integers_of(&pool, remainder).bounds(), (-2, 2));
        let wide = pool.sext(remainder, 64);
        let factor = pool.constant(64, 72);
        let offset = pool.binary(BinOp::Mul, wide, factor);
        assert_eq!(integers_of(&pool, offset).values_within(0, i64::MAX.into(), 64), Some(vec![0, 72, 144]));
        let (most, odd) = (pool.constant(32, u64::from(i32::MIN.unsigned_abs())), pool.constant(32, 7));
        let whole = pool.binary(BinOp::SRem, i, most);
        assert_eq!(integers_of(&pool, whole).bounds().0, -i128::from(i32::MAX));
        let zero = pool.constant(32, 0);
        let whole = pool.binary(BinOp::SRem, i, zero);
        assert_eq!(
            integers_of(&pool, whole).bounds().1,
            i32::MAX.into(),
            "what remains of a division by zero is the dividend"
        );
        let bit = pool.symbol("b", 8);
        let small = pool.zext(bit, 32);
        let of_small = pool.binary(BinOp::SRem, small, odd);
        assert_eq!(integers_of(&pool, of_small).bounds(), (0, 6));
    }

    #[test]
    fn too_many_values_are_not_listed() {
        let mut pool = TermPool::new();
        let i = pool.symbol("i", 64);
        assert_eq!(integers_of(&pool, i).values_within(0, 64, 64), None);
    }
}
