//! Quotients and remainders.

use crate::terms::bits::{mask, sign_bit, signed};
use crate::terms::node::{BinOp, CmpOp, Node, Term};
use crate::terms::pool::TermPool;

impl TermPool {
    pub(crate) fn unsigned_quotient(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        match self.as_const_wide(b) {
            Some(0) => self.constant_wide(width, u128::MAX),
            Some(1) => a,
            Some(power) if power.is_power_of_two() => {
                let amount = self.constant(width, u64::from(power.trailing_zeros()));
                self.shift(BinOp::LShr, a, amount)
            }
            _ if self.range(a).max < self.range(b).min => self.constant(width, 0),
            _ => self.intern(Node::Binary(BinOp::UDiv, a, b)),
        }
    }

    pub(crate) fn unsigned_remainder(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        match self.as_const_wide(b) {
            Some(0) => a,
            Some(1) => self.constant(width, 0),
            Some(power) if power.is_power_of_two() => {
                let low = self.extract(a, power.trailing_zeros() - 1, 0);
                self.zext(low, width)
            }
            _ if self.range(a).max < self.range(b).min => a,
            _ => self.intern(Node::Binary(BinOp::URem, a, b)),
        }
    }

    pub(crate) fn signed_quotient(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if self.both_non_negative(a, b) {
            return self.unsigned_quotient(a, b);
        }
        match self.as_const_wide(b) {
            Some(1) if width > 1 => a,
            Some(by) => match self.divided_twice(a, by) {
                Some((a, by)) => {
                    let by = self.constant_wide(width, by);
                    self.intern(Node::Binary(BinOp::SDiv, a, by))
                }
                None => self.intern(Node::Binary(BinOp::SDiv, a, b)),
            },
            None => self.intern(Node::Binary(BinOp::SDiv, a, b)),
        }
    }

    /// What a quotient by a constant that is divided by another one is a quotient of, and by what; both constants are
    /// positive.
    fn divided_twice(&self, quotient: Term, by: u128) -> Option<(Term, u128)> {
        let width = self.width(quotient);
        let (dividend, first) = self.quotient_by_constant(BinOp::SDiv, quotient)?;
        let product = first.checked_mul(signed(width, by))?;
        (first > 0 && 0 < product && product <= signed(width, sign_bit(width) - 1))
            .then_some((dividend, product.cast_unsigned()))
    }

    /// What is divided by what constant.
    fn quotient_by_constant(&self, op: BinOp, t: Term) -> Option<(Term, i128)> {
        let Node::Binary(found, dividend, by) = *self.node(t) else { return None };
        let (width, by) = (self.width(t), self.as_const_wide(by)?);
        (found == op).then_some((dividend, if op == BinOp::SDiv { signed(width, by) } else { by.cast_signed() }))
    }

    /// That a quotient of two signed numbers is less than a constant, as a bound of the dividend, if the divisor is a
    /// positive constant. What is divided is rounded towards zero.
    pub(crate) fn signed_quotient_below(&mut self, quotient: Term, bound: u128) -> Option<Term> {
        let width = self.width(quotient);
        let (dividend, by) = self.quotient_by_constant(BinOp::SDiv, quotient).filter(|&(_, by)| by > 0)?;
        let bound = signed(width, bound);
        let limit = if bound > 0 { bound.checked_mul(by)? } else { (bound - 1).checked_mul(by)?.checked_add(1)? };
        if limit > signed(width, sign_bit(width) - 1) {
            return Some(self.bool(true));
        }
        if limit <= signed(width, sign_bit(width)) {
            return Some(self.bool(false));
        }
        let limit = self.constant_wide(width, limit.cast_unsigned() & mask(width));
        Some(self.cmp(CmpOp::Slt, dividend, limit))
    }

    /// The same of numbers without sign.
    pub(crate) fn unsigned_quotient_below(&mut self, quotient: Term, bound: u128) -> Option<Term> {
        let width = self.width(quotient);
        let (dividend, by) = self.quotient_by_constant(BinOp::UDiv, quotient).filter(|&(_, by)| by > 0)?;
        let limit = bound.checked_mul(by.cast_unsigned())?;
        if limit > mask(width) {
            return Some(self.bool(true));
        }
        let limit = self.constant_wide(width, limit);
        Some(self.cmp(CmpOp::Ult, dividend, limit))
    }

    pub(crate) fn signed_remainder(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if self.both_non_negative(a, b) {
            return self.unsigned_remainder(a, b);
        }
        match self.as_const_wide(b) {
            Some(0) => a,
            Some(1) if width > 1 => self.constant(width, 0),
            _ => self.intern(Node::Binary(BinOp::SRem, a, b)),
        }
    }

    /// For operands known not to be negative signed and unsigned division agree, also by zero.
    fn both_non_negative(&self, a: Term, b: Term) -> bool {
        let width = self.width(a);
        self.range(a).non_negative(width) && self.range(b).non_negative(width)
    }
}
