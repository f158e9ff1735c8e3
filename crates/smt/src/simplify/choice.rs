//! If-then-else.

use crate::bits::mask;
use crate::node::{BinOp, Node, Term};
use crate::pool::TermPool;

impl TermPool {
    /// `a` where the `Bv(1)` condition `c` holds, else `b`; both of one sort (arrays too).
    pub fn ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        self.expect_bool(c);
        assert_eq!(self.sort(a), self.sort(b), "arms of one sort");
        if a == b || self.is_true(c) {
            return a;
        }
        if self.is_false(c) {
            return b;
        }
        if let Node::Not(inner) = *self.node(c) {
            return self.ite(inner, b, a);
        }
        if self.width(a) == 1 {
            return self.truth_ite(c, a, b);
        }
        let (a, b) = (self.arm_under(c, a, true), self.arm_under(c, b, false));
        if a == b {
            return a;
        }
        if let Some(result) = self.ite_of_constants(c, a, b) {
            return result;
        }
        self.intern(Node::Ite(c, a, b))
    }

    /// The arm, when its own choice is by the same condition.
    fn arm_under(&self, c: Term, arm: Term, holds: bool) -> Term {
        match *self.node(arm) {
            Node::Ite(inner, x, y) if inner == c => {
                if holds {
                    x
                } else {
                    y
                }
            }
            _ => arm,
        }
    }

    /// Choices between 0 and 1, or 0 and -1, are extensions of the condition.
    fn ite_of_constants(&mut self, c: Term, a: Term, b: Term) -> Option<Term> {
        let values = self.both_const(a, b)?;
        let width = self.width(a);
        let ones = mask(width);
        match values {
            (1, 0) => Some(self.zext(c, width)),
            (x, 0) if x == ones => Some(self.sext(c, width)),
            (0, 1) => {
                let c = self.not(c);
                Some(self.zext(c, width))
            }
            (0, y) if y == ones => {
                let c = self.not(c);
                Some(self.sext(c, width))
            }
            _ => None,
        }
    }

    /// Choices between truth values with a constant arm, or an arm that repeats the condition, are connectives.
    fn truth_ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        let not_c = self.not(c);
        if a == c || self.is_true(a) {
            return self.binary(BinOp::Or, c, b);
        }
        if a == not_c || self.is_false(a) {
            return self.binary(BinOp::And, not_c, b);
        }
        if b == c || self.is_false(b) {
            return self.binary(BinOp::And, c, a);
        }
        if b == not_c || self.is_true(b) {
            return self.binary(BinOp::Or, not_c, a);
        }
        self.intern(Node::Ite(c, a, b))
    }
}
