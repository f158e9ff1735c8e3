//! The value of a term as a mathematical integer: its bounds and what it is a multiple of.
//!
//! Offsets are computed modulo 2^64, so that `24 * i` may be any multiple of 8 for an unbounded `i`. When the bounds
//! show that nothing wraps, the offset is the product itself and every third of those multiples is excluded. What the
//! terms of an offset show *inside of an object* is more: the element of an array at an index is where C says it is, or
//! nowhere, for an address that does not fit a pointer is no address ([`offsets_of`]).
//!
//! In an array of structures, `1032 * cell + 40 * i + 8` is a multiple of 8; but if `i` is small, it is also between 8
//! and 688 behind a multiple of 1032, and so not where another field is of whatever element.

use icsched_smt::{BinOp, Node, Term, TermPool, gcd};

use crate::bounds::as_signed;
use crate::budgets::BUDGETS;

/// All values of a term, read as a signed number of its width.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Integers {
    /// Between which numbers they are, and what they are a multiple of.
    all: Progression,
    /// Each is a multiple of a period, and one of the window beside: 0 if the window is all; 1 if no more is known.
    period: u128,
    window: Progression,
}

/// Numbers within bounds: `residue` plus a multiple of `stride`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Progression {
    /// Least value.
    least: i128,
    /// Greatest value.
    greatest: i128,
    /// Distance of two possible values; 0 for a constant.
    stride: u128,
    /// One value that fits the stride.
    residue: i128,
}

impl Progression {
    const fn constant(value: i128) -> Self {
        Self { least: value, greatest: value, stride: 0, residue: value }
    }

    fn plus(self, other: Self) -> Option<Self> {
        Some(Self {
            least: self.least.checked_add(other.least)?,
            greatest: self.greatest.checked_add(other.greatest)?,
            stride: gcd(self.stride, other.stride),
            residue: self.residue.checked_add(other.residue)?,
        })
    }

    fn times(self, factor: i128) -> Option<Self> {
        let (a, b) = (self.least.checked_mul(factor)?, self.greatest.checked_mul(factor)?);
        Some(Self {
            least: a.min(b),
            greatest: a.max(b),
            stride: self.stride.checked_mul(factor.unsigned_abs())?,
            residue: self.residue.checked_mul(factor)?,
        })
    }

    fn join(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            greatest: self.greatest.max(other.greatest),
            stride: gcd(gcd(self.stride, other.stride), self.residue.abs_diff(other.residue)),
            residue: self.residue,
        }
    }

    /// One of the values, if all others are multiples of a period away from it: one of two halves of an array.
    fn but_for(self, period: u128) -> Self {
        let is_one = self.stride > 0 && period > 0 && self.stride.is_multiple_of(period);
        if is_one { Self::constant(self.residue) } else { self }
    }

    /// How many numbers there are from the least to the greatest.
    fn width(self) -> i128 {
        self.greatest - self.least + 1
    }

    /// How many more multiples of a stride there are in a period than values in a window of it, which may be wider.
    fn excludes(self, period: u128, stride: u128) -> i128 {
        let all = period / stride.max(1);
        let values = (self.width() - 1).unsigned_abs() / self.stride.max(1) + 1;
        i128::try_from(all).unwrap_or(i128::MAX).saturating_sub(i128::try_from(values).unwrap_or(i128::MAX))
    }

    /// Whether none of the values is from `from` to `to`, both included.
    fn has_none_within(self, from: i128, to: i128) -> bool {
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

impl Integers {
    fn constant(value: i128) -> Self {
        let window = Progression::constant(value);
        Self { all: window, period: 0, window }
    }

    fn full(width: u32) -> Self {
        let end = 1 << (width - 1);
        Self::between(-end, end - 1)
    }

    fn between(least: i128, greatest: i128) -> Self {
        Self::any_of(Progression { least, greatest, stride: 1, residue: 0 })
    }

    const fn any_of(all: Progression) -> Self {
        Self { all, period: 1, window: Progression::constant(0) }
    }

    /// Least and greatest value.
    pub(crate) fn bounds(self) -> (i128, i128) {
        (self.all.least, self.all.greatest)
    }

    /// Whether every value is a multiple of a number.
    pub(crate) fn is_multiple_of(self, n: u128) -> bool {
        self.all.stride.is_multiple_of(n) && self.all.residue.unsigned_abs().is_multiple_of(n)
    }

    /// With a window whose least value is not negative, and less than the period.
    fn with_window(all: Progression, period: u128, window: Progression) -> Self {
        let moved = match i128::try_from(period) {
            Ok(0) => Some(window),
            Ok(step) => {
                let by = window.least.div_euclid(step).checked_mul(-step);
                by.and_then(|by| window.plus(Progression::constant(by)))
            }
            Err(_) => None,
        };
        moved.map_or(Self::any_of(all), |window| Self { all, period, window })
    }

    /// With the period of one of them, if the other one is small, or what divides both; what excludes most.
    fn add(self, other: Self) -> Option<Self> {
        let all = self.all.plus(other.all)?;
        if self.period == 0 && other.period == 0 {
            return Some(Self { all, period: 0, window: self.window.plus(other.window)? });
        }
        let periods = [
            (self.period, self.window.plus(other.all.but_for(self.period))),
            (other.period, other.window.plus(self.all.but_for(other.period))),
            (gcd(self.period, other.period), self.window.plus(other.window)),
        ];
        let excluded = |&(period, window): &(u128, Progression)| window.excludes(period, all.stride);
        let known = periods.into_iter().filter_map(|(period, window)| Some((period, window?)));
        let best = known.max_by_key(excluded).filter(|known| excluded(known) >= 0);
        Some(best.map_or(Self::any_of(all), |(period, window)| Self::with_window(all, period, window)))
    }

    fn scale(self, factor: i128) -> Option<Self> {
        let period = self.period.checked_mul(factor.unsigned_abs())?;
        Some(Self::with_window(self.all.times(factor)?, period, self.window.times(factor)?))
    }

    /// With a window that has those of both: the other one's is moved by a multiple of the period next to this one's.
    fn join(self, other: Self) -> Self {
        let all = self.all.join(other.all);
        let period = gcd(self.period, other.period);
        let Ok(step @ 1..) = i128::try_from(period) else {
            return if period == 0 { Self { all, period, window: all } } else { Self::any_of(all) };
        };
        let near = (self.window.least - other.window.least).div_euclid(step) * step;
        let moved = [near, near + step].into_iter().filter_map(|by| other.window.plus(Progression::constant(by)));
        let narrowest = moved.map(|window| self.window.join(window)).min_by_key(|window| window.width());
        let known = narrowest.filter(|window| window.excludes(period, all.stride) >= 0);
        known.map_or(Self::any_of(all), |window| Self::with_window(all, period, window))
    }

    /// What is left of it when the result is cut to `width` bits: only the power of two in the stride survives a wrap.
    fn wrap(self, width: u32) -> Self {
        let full = Self::full(width).all;
        if full.least <= self.all.least && self.all.greatest <= full.greatest {
            return self;
        }
        self.moved_by_powers(width, full)
    }

    /// The same where what does not fit `width` bits does not come to be.
    fn fitting(self, width: u32) -> Self {
        let full = Self::full(width).all;
        let (least, greatest) = (self.all.least.max(full.least), self.all.greatest.min(full.greatest));
        if least > greatest {
            self.wrap(width)
        } else {
            Self { all: Progression { least, greatest, ..self.all }, ..self }
        }
    }

    /// What is left of it when values move by multiples of two to the power of a width, into bounds.
    fn moved_by_powers(self, width: u32, bounds: Progression) -> Self {
        let power = |stride: u128| 1u128 << stride.trailing_zeros().min(width - 1);
        let stride = power(self.all.stride);
        let all = Progression { stride, residue: self.all.residue.rem_euclid(stride as i128), ..bounds };
        let period = power(self.period);
        let is_known = self.period != 0 && self.window.width() < period as i128;
        if is_known { Self::with_window(all, period, self.window) } else { Self::any_of(all) }
    }

    /// Whether no value is from `from` to `to`, both included, for where it is in its period.
    fn windows_miss(self, from: i128, to: i128) -> bool {
        let window = self.window;
        let period = match i128::try_from(self.period) {
            Ok(0) => return window.has_none_within(from, to),
            Ok(period) if self.period > self.all.stride => period,
            _ => return false,
        };
        // The multiples of the period from which a window comes as far.
        let first = (from - window.greatest).div_euclid(period);
        let last = (to - window.least).div_euclid(period);
        last - first <= BUDGETS.periods
            && (first..=last).all(|k| window.has_none_within(from - k * period, to - k * period))
    }

    /// The values from `from` to `to`, both included, least first; `None` when there are more than `limit`, but for
    /// some that may not be.
    pub(crate) fn values_within(self, from: i128, to: i128, limit: usize) -> Option<Vec<i128>> {
        let Progression { least, greatest, stride, residue } = self.all;
        let (from, to) = (from.max(least), to.min(greatest));
        if self.windows_miss(from, to) {
            return Some(Vec::new());
        }
        if stride == 0 {
            return Some((from..=to).contains(&residue).then_some(residue).into_iter().collect());
        }
        let stride = i128::try_from(stride).ok()?;
        let first = from + (residue - from).rem_euclid(stride);
        let count = if first > to { 0 } else { (to - first) / stride + 1 };
        let values = (0..count).map(|i| first + i * stride);
        (count <= limit as i128).then(|| values.filter(|&value| !self.windows_miss(value, value)).collect())
    }

    /// Whether a number is one of the values.
    pub(crate) fn contain(self, number: i128) -> bool {
        !self.have_none_within(number, number)
    }

    /// Whether none of the values is from `from` to `to`, both included.
    pub(crate) fn have_none_within(self, from: i128, to: i128) -> bool {
        self.all.has_none_within(from, to) || self.windows_miss(from.max(self.all.least), to.min(self.all.greatest))
    }
}

/// What is known of the term's values from its shape alone. Terms of up to 64 bits.
pub(crate) fn integers_of(pool: &TermPool, t: Term) -> Integers {
    bounded(pool, t, BUDGETS.sum_depth, Sums::Wrap)
}

/// The same of an offset in an object, or of how far two of them are apart, where an element's address is the array's
/// and a product that is no more than a pointer can hold. C says so of addresses (C11 6.5.6, 8), wherever an index
/// comes from.
pub(crate) fn offsets_of(pool: &TermPool, t: Term) -> Integers {
    bounded(pool, t, BUDGETS.sum_depth, Sums::Fit)
}

/// What becomes of sums and products that are more than a term's width.
#[derive(Copy, Clone)]
enum Sums {
    /// They are cut.
    Wrap,
    /// There are none.
    Fit,
}

/// The term as `index * scale + start` that does not wrap, `scale` positive; `(t, 1, 0)` when it is no such sum.
pub(crate) fn index_of(pool: &TermPool, t: Term) -> (Term, i128, i128) {
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
    let exact = integers_of(pool, index).scale(scale).and_then(|scaled| scaled.add(Integers::constant(start)));
    match exact {
        Some(exact) if scale > 0 && exact == exact.wrap(width) => (index, scale, start),
        _ => (t, 1, 0),
    }
}

fn bounded(pool: &TermPool, t: Term, depth: u32, sums: Sums) -> Integers {
    let width = pool.width(t);
    let known = structural(pool, t, depth, sums).unwrap_or_else(|| Integers::full(width));
    let known = match sums {
        Sums::Wrap => known.wrap(width),
        Sums::Fit => known.fitting(width),
    };
    let (least, greatest) = pool.unsigned_range(t);
    if greatest >> (width - 1) != 0 {
        return known;
    }
    let (least, greatest) = (known.all.least.max(least as i128), known.all.greatest.min(greatest as i128));
    Integers { all: Progression { least, greatest, ..known.all }, ..known }
}

fn structural(pool: &TermPool, t: Term, depth: u32, sums: Sums) -> Option<Integers> {
    let width = pool.width(t);
    let depth = depth.checked_sub(1)?;
    Some(match *pool.node(t) {
        Node::Const { bits, .. } => Integers::constant(as_signed(width, bits)),
        Node::Binary(BinOp::Add, a, b) => bounded(pool, a, depth, sums).add(bounded(pool, b, depth, sums))?,
        Node::Binary(BinOp::Mul, a, b) => {
            let factor = as_signed(width, pool.as_const_wide(b)?);
            bounded(pool, a, depth, sums).scale(factor)?
        }
        Node::Binary(BinOp::SRem, a, b) => {
            // Nearer to 0 than the divisor, and not farther than the dividend, on the same side of it.
            let divisor = as_signed(width, pool.as_const_wide(b)?).unsigned_abs();
            let nearest = i128::try_from(divisor.checked_sub(1)?).ok()?;
            let of = bounded(pool, a, depth, Sums::Wrap);
            Integers::between(of.all.least.min(0).max(-nearest), of.all.greatest.max(0).min(nearest))
        }
        Node::Ite(_, a, b) => bounded(pool, a, depth, sums).join(bounded(pool, b, depth, sums)),
        Node::SExt { arg, .. } => bounded(pool, arg, depth, Sums::Wrap),
        Node::ZExt { arg, .. } => {
            let arg_width = pool.width(arg);
            let inner = bounded(pool, arg, depth, Sums::Wrap);
            if inner.all.least >= 0 {
                inner
            } else {
                // Negative values move up by 2^width.
                let bounds = Progression { least: 0, greatest: (1 << arg_width) - 1, ..inner.all };
                inner.moved_by_powers(arg_width, bounds)
            }
        }
        Node::Concat(high, low) => {
            let factor = 1i128 << pool.width(low);
            let low = pool.as_const_wide(low)?;
            bounded(pool, high, depth, Sums::Wrap).scale(factor)?.add(Integers::constant(low as i128))?
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
        assert_eq!(offsets_of(&pool, offset).values_within(0, 50, 64), Some(vec![0, 24, 48]));
        // Indices may wrap, addresses do not.
        let (narrow, factor) = (pool.symbol("n", 32), pool.constant(32, 24));
        let cut = pool.binary(BinOp::Mul, narrow, factor);
        let index = pool.zext(cut, 64);
        assert_eq!(offsets_of(&pool, index).values_within(0, 20, 64), Some(vec![0, 8, 16]));
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
    fn a_field_of_an_element_is_no_other_field_of_any() {
        let mut pool = TermPool::new();
        let (cell, other) = (pool.symbol("cell", 32), pool.symbol("other", 32));
        let index = pool.symbol("i", 4);
        let scaled = |pool: &mut TermPool, index, factor: i64| {
            let (index, factor) = (pool.sext(index, 64), pool.constant(64, factor.cast_unsigned()));
            pool.binary(BinOp::Mul, index, factor)
        };
        let (cell, other) = (scaled(&mut pool, cell, 1032), scaled(&mut pool, other, -1032));
        let index = pool.zext(index, 32);
        let index = scaled(&mut pool, index, 40);
        let eight = pool.constant(64, 8);
        let [distance, field] = [(cell, other), (index, eight)].map(|(a, b)| pool.binary(BinOp::Add, a, b));
        let distance = pool.binary(BinOp::Add, distance, field);
        let values = integers_of(&pool, distance);
        // Whatever is added first.
        let shifted = pool.binary(BinOp::Add, cell, eight);
        let shifted = pool.binary(BinOp::Add, shifted, index);
        assert!(integers_of(&pool, shifted).have_none_within(-423, 7));
        // The field of any element is 8 to 608 behind it, and so 424 or more in front of the next one.
        assert!(values.have_none_within(-423, 7) && values.have_none_within(609, 1039));
        assert!(!values.have_none_within(-424, 7) && !values.have_none_within(609, 1040));
        assert_eq!(values.values_within(-500, 50, 128), Some(vec![-464, -424, 8, 48]));
        assert_eq!(values.values_within(-3, 7, 8), Some(vec![]));
        assert!(!values.contain(0) && values.contain(48));
        let other_index = pool.symbol("j", 4);
        let other_index = pool.zext(other_index, 32);
        let other_index = scaled(&mut pool, other_index, -40);
        let of_fields = pool.binary(BinOp::Add, distance, other_index);
        let of_fields = pool.binary(BinOp::Sub, of_fields, eight);
        let values = integers_of(&pool, of_fields).values_within(-39, 39, 16);
        assert_eq!(values, Some(vec![0]), "fields of elements are the same one, or apart");
        let (condition, half) = (pool.symbol("half", 1), pool.constant(64, 64 * 1032));
        let nothing = pool.constant(64, 0);
        let half = pool.ite(condition, half, nothing);
        let of_halves = pool.binary(BinOp::Add, distance, half);
        assert!(integers_of(&pool, of_halves).have_none_within(-423, 7));
        let elsewhere = pool.constant(64, 2 * 1032 + 700);
        let either = pool.ite(condition, distance, elsewhere);
        let values = integers_of(&pool, either);
        assert!(values.have_none_within(-331, 7) && !values.have_none_within(-332, 7));
    }

    #[test]
    fn windows_stay_near_zero() {
        let mut pool = TermPool::new();
        let sixteen = pool.constant(64, 16);
        let far = [0.95, 0.93, 0.91].map(|part| (part * 2f64.powi(63)) as u64 & !15);
        let mut sum = pool.constant(64, 0);
        for (at, factor) in far.into_iter().enumerate() {
            let [x, y] = ["x", "y"].map(|name| pool.symbol(&format!("{name}{at}"), 64));
            let condition = pool.symbol(&format!("c{at}"), 1);
            let start = pool.constant(64, far[0]);
            let [x, y] = [x, y].map(|t| {
                let scaled = pool.binary(BinOp::Mul, t, sixteen);
                pool.binary(BinOp::Add, scaled, start)
            });
            let either = pool.ite(condition, x, y);
            let factor = pool.constant(64, factor);
            let scaled = pool.binary(BinOp::Mul, either, factor);
            sum = pool.binary(BinOp::Add, sum, scaled);
        }
        let values = integers_of(&pool, sum);
        assert!(values.contain(0) && values.is_multiple_of(16) && !values.contain(8));
    }

    #[test]
    fn too_many_values_are_not_listed() {
        let mut pool = TermPool::new();
        let i = pool.symbol("i", 64);
        assert_eq!(integers_of(&pool, i).values_within(0, 64, 64), None);
    }
}
