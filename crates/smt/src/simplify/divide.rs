//! Quotients and remainders.

use crate::node::{BinOp, Node, Term};
use crate::pool::TermPool;

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
            _ => self.intern(Node::Binary(BinOp::SDiv, a, b)),
        }
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
