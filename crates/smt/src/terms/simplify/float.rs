//! Float operators: folding, and the operators that are plain bit operations.

use crate::terms::float;
use crate::terms::node::{BinOp, FpOp, Node, Term};
use crate::terms::pool::TermPool;

impl TermPool {
    /// A float operator on bit patterns; the format follows from the operands' width (32 or 64).
    pub fn fp(&mut self, op: FpOp, args: &[Term]) -> Term {
        assert_eq!(args.len(), op.arity(), "operands of {op:?}");
        let a = args[0];
        let b = *args.last().expect("float operators have operands");
        let width = self.same_width(a, b);
        assert!(op.accepts(width), "{op:?} of {width} bits");
        if let Some((x, y)) = self.both_const(a, b) {
            let bits = float::evaluate(op, width, x, y);
            return self.constant_wide(op.result_width(width), bits);
        }
        match op {
            FpOp::FNeg => {
                let sign = self.constant_wide(width, crate::terms::bits::sign_bit(width));
                self.binary(BinOp::Xor, a, sign)
            }
            FpOp::FAbs => {
                let rest = self.constant_wide(width, crate::terms::bits::mask(width - 1));
                self.binary(BinOp::And, a, rest)
            }
            FpOp::FpToFp(to) if to == width => a,
            FpOp::FEq | FpOp::FLt | FpOp::FLe | FpOp::FUno => self.float_comparison(op, a, b),
            _ if op.arity() == 1 => self.intern(Node::FpUnary(op, a)),
            _ => self.intern(Node::FpBinary(op, a, b)),
        }
    }

    fn float_comparison(&mut self, op: FpOp, a: Term, b: Term) -> Term {
        if self.is_nan_constant(a) || self.is_nan_constant(b) {
            return self.bool(op == FpOp::FUno);
        }
        if a == b {
            return match op {
                FpOp::FLt => self.bool(false),
                FpOp::FUno => self.intern(Node::FpBinary(op, a, a)),
                _ => {
                    let unordered = self.intern(Node::FpBinary(FpOp::FUno, a, a));
                    self.not(unordered)
                }
            };
        }
        let (first, second) = if matches!(op, FpOp::FEq | FpOp::FUno) { self.ordered(a, b) } else { (a, b) };
        if op == FpOp::FUno && self.as_const_wide(second).is_some() {
            return self.intern(Node::FpBinary(op, first, first));
        }
        self.intern(Node::FpBinary(op, first, second))
    }

    fn is_nan_constant(&self, t: Term) -> bool {
        let width = self.width(t);
        self.as_const_wide(t).is_some_and(|bits| float::evaluate(FpOp::FUno, width, bits, bits) == 1)
    }
}
