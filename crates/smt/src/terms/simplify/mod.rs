//! The constructors of compound terms. Each simplifies before it interns; the rules are grouped by operator.
//!
//! Rules look at a bounded number of nodes (of sums: `TermBudgets::addends`), so building a term costs a constant times
//! its size. They never depend on the order in which the pool's other terms were made.

pub(crate) mod arith;
mod array;
mod bitwise;
mod choice;
mod compare;
mod divide;
mod equality;
mod float;
mod slice;

use crate::terms::bits;
use crate::terms::node::{BinOp, Term};
use crate::terms::pool::TermPool;

impl TermPool {
    /// `a op b`; the operands have one width.
    pub fn binary(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if let (Some(x), Some(y)) = (self.as_const_wide(a), self.as_const_wide(b)) {
            return self.constant_wide(width, bits::binary(op, width, x, y));
        }
        match op {
            BinOp::Add => self.add(a, b),
            BinOp::Sub => self.subtract(a, b),
            BinOp::Mul => self.multiply(a, b),
            BinOp::UDiv => self.unsigned_quotient(a, b),
            BinOp::URem => self.unsigned_remainder(a, b),
            BinOp::SDiv => self.signed_quotient(a, b),
            BinOp::SRem => self.signed_remainder(a, b),
            BinOp::And => self.conjunction(a, b),
            BinOp::Or => self.disjunction(a, b),
            BinOp::Xor => self.exclusive_or(a, b),
            BinOp::Shl | BinOp::LShr | BinOp::AShr => self.shift(op, a, b),
        }
    }

    /// The common width of two bit vectors.
    pub(crate) fn same_width(&self, a: Term, b: Term) -> u32 {
        let (left, right) = (self.width(a), self.width(b));
        assert!(left == right && left > 0, "operands of widths {left} and {right} (0: array)");
        left
    }

    /// Checks that a term is a truth value.
    pub(crate) fn expect_bool(&self, t: Term) {
        assert_eq!(self.width(t), 1, "a condition is a Bv(1)");
    }
}
