//! Equality. Both sides are sums in one normal form: what they share is cancelled, a constant stands on the right, and
//! where one side is constant the operator of the other is undone.

use crate::terms::bits::{gcd, inverse_of_odd, mask, negate, sign_bit, signed};
use crate::terms::node::{BinOp, CmpOp, Node, Term};
use crate::terms::pool::TermPool;
use crate::terms::simplify::arith::Sum;

impl TermPool {
    /// Equality of different terms, not both constant, of more than one bit.
    pub(crate) fn equality(&mut self, a: Term, b: Term) -> Term {
        let (x, y) = (self.range(a), self.range(b));
        if x.max < y.min || y.max < x.min {
            return self.bool(false);
        }
        if let Some((a, b)) = self.without_extensions(a, b, false) {
            return self.cmp(CmpOp::Eq, a, b);
        }
        let (a, b) = self.ordered(a, b);
        if self.as_const_wide(b) == Some(0)
            && let Some((x, greatest)) = self.rounded_up(a)
        {
            // It is 0, or wraps.
            let (none, wraps) = (self.cmp(CmpOp::Eq, x, b), self.cmp(CmpOp::Ult, greatest, x));
            return self.or_all(&[none, wraps]);
        }
        if let Some(bits) = self.as_const_wide(b)
            && let Some(result) = self.guarded(|pool| pool.equal_to_constant(a, b, bits)).flatten()
        {
            return result;
        }
        self.equality_of_sums(a, b)
    }

    fn equality_of_sums(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let (Some(left), Some(right)) = (self.as_sum(a), self.as_sum(b)) else {
            return self.intern(Node::Cmp(CmpOp::Eq, a, b));
        };
        let difference = self.combine(width, &left, &right, u128::MAX);
        let Some(difference) = self.without_common_factor(width, difference) else {
            return self.bool(false);
        };
        let Some(&(_, leading)) = difference.addends.first() else {
            return self.bool(difference.constant == 0);
        };
        // One of the two signs of the difference is canonical: the one whose leading factor is positive.
        let difference = if leading > sign_bit(width) {
            self.combine(width, &Sum::default(), &difference, u128::MAX)
        } else {
            difference
        };
        let is_positive = |&(_, factor): &(Term, u128)| factor <= sign_bit(width);
        let (positive, negative): (Vec<_>, Vec<_>) = difference.addends.iter().copied().partition(is_positive);
        let right = negative.into_iter().map(|(atom, factor)| (atom, negate(width, factor))).collect();
        let left = self.sum_term(width, &Sum { addends: positive, constant: 0 });
        let right = self.sum_term(width, &Sum { addends: right, constant: negate(width, difference.constant) });
        if (left, right) != (a, b)
            && (left, right) != (b, a)
            && let Some(result) = self.guarded(|pool| pool.cmp(CmpOp::Eq, left, right))
        {
            return result;
        }
        self.intern(Node::Cmp(CmpOp::Eq, left, right))
    }

    /// A sum that is zero if and only if this one is, with smaller factors: what divides all of them is left out, of
    /// elements of an array their size. That is right of odd numbers, and of any where the sum does not wrap; `None` if
    /// the constant shows that it is not zero then.
    fn without_common_factor(&self, width: u32, sum: Sum) -> Option<Sum> {
        let size = |bits: u128| signed(width, bits).unsigned_abs();
        let common = sum.addends.iter().fold(0, |common, &(_, factor)| gcd(common, size(factor)));
        if common <= 1 {
            return Some(sum);
        }
        // Also of a sum that wraps the last bits are zero that are zero of all factors.
        if sum.constant.trailing_zeros() < common.trailing_zeros() {
            return None;
        }
        let greatest = sum.addends.iter().try_fold(size(sum.constant), |total: u128, &(atom, factor)| {
            total.checked_add(size(factor).checked_mul(self.greatest_size(atom))?)
        });
        let divisor = if greatest.is_some_and(|greatest| greatest <= mask(width)) {
            if size(sum.constant) % common != 0 {
                return None;
            }
            common
        } else {
            let common = gcd(common, size(sum.constant));
            common >> common.trailing_zeros()
        };
        let divided = |bits: u128| (signed(width, bits) / divisor.cast_signed()).cast_unsigned() & mask(width);
        let addends = sum.addends.into_iter().map(|(atom, factor)| (atom, divided(factor))).collect();
        Some(Sum { addends, constant: divided(sum.constant) })
    }

    /// How far from zero a term is at most, as a signed number of its width or another one that it stands for.
    fn greatest_size(&self, t: Term) -> u128 {
        match *self.node(t) {
            Node::SExt { arg, .. } => sign_bit(self.width(arg)),
            _ => self.range(t).max,
        }
    }

    /// `a == bits` by undoing the operator of `a`; `b` is the constant's term.
    fn equal_to_constant(&mut self, a: Term, b: Term, bits: u128) -> Option<Term> {
        let width = self.width(a);
        match *self.node(a) {
            // The constant isn't in the image of the extension: else it would be gone.
            Node::ZExt { .. } | Node::SExt { .. } => Some(self.bool(false)),
            Node::Not(x) => {
                let bits = self.constant_wide(width, !bits);
                Some(self.cmp(CmpOp::Eq, x, bits))
            }
            Node::Concat(high, low) => self.concat_equal_to(high, low, bits),
            Node::Extract { arg, hi, lo: 0 } => self.low_bits_equal_to(arg, hi, bits),
            Node::Ite(c, x, y) => self.choice_equal_to(c, x, y, b),
            Node::Binary(op, x, c) => {
                let c = self.as_const_wide(c)?;
                match op {
                    BinOp::Xor => {
                        let bits = self.constant_wide(width, bits ^ c);
                        Some(self.cmp(CmpOp::Eq, x, bits))
                    }
                    BinOp::And if bits & !c != 0 => Some(self.bool(false)),
                    BinOp::Or if bits & c != c => Some(self.bool(false)),
                    BinOp::Mul if c % 2 == 1 => {
                        let quotient = bits.wrapping_mul(inverse_of_odd(width, c)) & mask(width);
                        let quotient = self.constant_wide(width, quotient);
                        Some(self.cmp(CmpOp::Eq, x, quotient))
                    }
                    // A remainder is smaller than its divisor, whatever the signs.
                    BinOp::SRem if c != 0 && signed(width, bits).unsigned_abs() >= signed(width, c).unsigned_abs() => {
                        Some(self.bool(false))
                    }
                    BinOp::Mul if bits.trailing_zeros() < c.trailing_zeros() => Some(self.bool(false)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The low bits of a sum with a constant: those of the sum without it.
    fn low_bits_equal_to(&mut self, arg: Term, hi: u32, bits: u128) -> Option<Term> {
        let sum = self.as_sum(arg)?;
        if sum.constant == 0 {
            return None;
        }
        let rest = self.sum_term(self.width(arg), &Sum { constant: 0, addends: sum.addends });
        let low = self.extract(rest, hi, 0);
        let bits = self.constant_wide(hi + 1, bits.wrapping_sub(sum.constant));
        Some(self.cmp(CmpOp::Eq, low, bits))
    }

    /// A concatenation with a constant piece: the pieces apart.
    fn concat_equal_to(&mut self, high: Term, low: Term, bits: u128) -> Option<Term> {
        if self.as_const_wide(high).is_none() && self.as_const_wide(low).is_none() {
            return None;
        }
        let seam = self.width(low);
        let upper = self.constant_wide(self.width(high), bits >> seam);
        let lower = self.constant_wide(seam, bits);
        let upper = self.cmp(CmpOp::Eq, high, upper);
        let lower = self.cmp(CmpOp::Eq, low, lower);
        Some(self.binary(BinOp::And, upper, lower))
    }

    /// A choice with a constant arm: a statement about the condition.
    fn choice_equal_to(&mut self, c: Term, x: Term, y: Term, b: Term) -> Option<Term> {
        if self.as_const_wide(x).is_some() {
            let other = self.cmp(CmpOp::Eq, y, b);
            if x == b {
                return Some(self.binary(BinOp::Or, c, other));
            }
            let not_c = self.not(c);
            return Some(self.binary(BinOp::And, not_c, other));
        }
        self.as_const_wide(y)?;
        let other = self.cmp(CmpOp::Eq, x, b);
        if y == b {
            let not_c = self.not(c);
            return Some(self.binary(BinOp::Or, not_c, other));
        }
        Some(self.binary(BinOp::And, c, other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::node::BinOp;

    /// All numbers of eight bits, of which the low three are compared.
    #[test]
    fn elements_of_an_array_are_the_same_if_their_numbers_are() {
        let mut pool = TermPool::new();
        let [i, j] = ["i", "j"].map(|name| {
            let symbol = pool.symbol(name, 32);
            pool.sext(symbol, 64)
        });
        let scaled = |pool: &mut TermPool, index, factor, start| {
            let [factor, start] = [factor, start].map(|number| pool.constant(64, number));
            let scaled = pool.binary(BinOp::Mul, index, factor);
            pool.binary(BinOp::Add, scaled, start)
        };
        let (a, b) = (scaled(&mut pool, i, 1032, 0), scaled(&mut pool, j, 1032, 64 * 1032));
        let (next, other) = (scaled(&mut pool, j, 1, 64), scaled(&mut pool, j, 1032, 64 * 1032 + 4));
        let (same, as_numbers) = (pool.cmp(CmpOp::Eq, a, b), pool.cmp(CmpOp::Eq, i, next));
        assert_eq!(same, as_numbers);
        let never = pool.cmp(CmpOp::Eq, a, other);
        assert!(pool.is_false(never), "another field of another element");
        // What may wrap is the same only if it is for odd factors.
        let [x, y] = ["x", "y"].map(|name| pool.symbol(name, 64));
        let (a, b) = (scaled(&mut pool, x, 12, 0), scaled(&mut pool, y, 12, 0));
        let (same, as_numbers) = (pool.cmp(CmpOp::Eq, a, b), pool.cmp(CmpOp::Eq, x, y));
        assert_ne!(same, as_numbers);
        let (a, b) = (scaled(&mut pool, x, 4, 0), scaled(&mut pool, y, 4, 0));
        assert_eq!(same, pool.cmp(CmpOp::Eq, a, b));
        let other = scaled(&mut pool, y, 12, 4);
        let a = scaled(&mut pool, x, 12, 0);
        let possible = pool.cmp(CmpOp::Eq, a, other);
        assert!(!pool.is_false(possible), "it may wrap");
    }

    #[test]
    fn low_bits_of_a_sum_are_those_of_the_unknown() {
        let mut pool = TermPool::new();
        let x = pool.symbol("x", 8);
        let (more, two) = (pool.constant(8, 13), pool.constant(3, 2));
        let sum = pool.binary(BinOp::Add, x, more);
        let low = pool.extract(sum, 2, 0);
        let equal = pool.cmp(CmpOp::Eq, low, two);
        let (own, five) = (pool.extract(x, 2, 0), pool.constant(3, 5));
        assert_eq!(equal, pool.cmp(CmpOp::Eq, own, five));
        for bits in 0..=255_u128 {
            let mut model = crate::terms::model::Model::new();
            model.set("x", 8, bits);
            assert_eq!(pool.eval_bool(equal, &model), (bits + 13) % 8 == 2, "{bits}");
        }
    }
}
