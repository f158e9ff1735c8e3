//! Bounds of a term's unsigned value, from its operands' bounds: one interval per term, computed at construction.

use crate::bits::{mask, sign_bit};
use crate::node::{BinOp, Node, Term};
use crate::pool::TermPool;

/// Closed interval of unsigned values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Range {
    pub(crate) min: u128,
    pub(crate) max: u128,
}

impl Range {
    fn full(width: u32) -> Range {
        Range { min: 0, max: mask(width) }
    }

    /// Whether the sign bit of a vector of `width` bits is known to be clear.
    pub(crate) fn non_negative(self, width: u32) -> bool {
        self.max < sign_bit(width)
    }

    /// Whether the sign bit of a vector of `width` bits is known to be set.
    pub(crate) fn negative(self, width: u32) -> bool {
        self.min >= sign_bit(width)
    }
}

pub(crate) fn range_of(pool: &TermPool, node: &Node) -> Range {
    match *node {
        Node::Const { bits, .. } => Range { min: bits, max: bits },
        Node::Symbol { width, .. } => Range::full(width),
        Node::ArraySymbol { .. } | Node::ConstArray { .. } | Node::Store(..) => Range { min: 0, max: 0 },
        Node::Not(a) => {
            let (r, ones) = (pool.range(a), mask(pool.width(a)));
            Range { min: ones - r.max, max: ones - r.min }
        }
        Node::Binary(op, a, b) => binary(pool, op, a, b),
        Node::Cmp(..) => Range::full(1),
        Node::Ite(_, a, b) => {
            let (a, b) = (pool.range(a), pool.range(b));
            Range { min: a.min.min(b.min), max: a.max.max(b.max) }
        }
        Node::ZExt { arg, .. } => pool.range(arg),
        Node::SExt { arg, width } => {
            let r = pool.range(arg);
            if r.non_negative(pool.width(arg)) { r } else { Range::full(width) }
        }
        Node::Extract { arg, hi, lo } => {
            let (r, width) = (pool.range(arg), hi - lo + 1);
            let max = r.max >> lo;
            if max <= mask(width) { Range { min: r.min >> lo, max } } else { Range::full(width) }
        }
        Node::Concat(a, b) => {
            let (high, low, shift) = (pool.range(a), pool.range(b), pool.width(b));
            Range { min: high.min << shift | low.min, max: high.max << shift | low.max }
        }
        Node::Select(..) => Range::full(8),
        Node::FpUnary(op, a) | Node::FpBinary(op, a, _) => Range::full(op.result_width(pool.width(a))),
    }
}

fn binary(pool: &TermPool, op: BinOp, a: Term, b: Term) -> Range {
    let width = pool.width(a);
    let full = Range::full(width);
    let (x, y) = (pool.range(a), pool.range(b));
    let bounded = |max: Option<u128>| max.filter(|&max| max <= full.max);
    match op {
        BinOp::Add => match bounded(x.max.checked_add(y.max)) {
            Some(max) => Range { min: x.min + y.min, max },
            None => full,
        },
        BinOp::Mul => match bounded(x.max.checked_mul(y.max)) {
            Some(max) => Range { min: x.min * y.min, max },
            None => full,
        },
        BinOp::And => Range { min: 0, max: x.max.min(y.max) },
        BinOp::Or => Range { min: x.min.max(y.min), max: smear(x.max | y.max) },
        BinOp::Xor => Range { min: 0, max: smear(x.max | y.max) },
        BinOp::UDiv if y.min > 0 => Range { min: x.min / y.max, max: x.max / y.min },
        BinOp::URem if y.min > 0 => Range { min: 0, max: x.max.min(y.max - 1) },
        BinOp::URem => Range { min: 0, max: x.max },
        BinOp::LShr => Range { min: 0, max: x.max },
        BinOp::UDiv | BinOp::Sub | BinOp::SDiv | BinOp::SRem | BinOp::Shl | BinOp::AShr => full,
    }
}

/// The least 2^k - 1 that isn't below `x`.
fn smear(x: u128) -> u128 {
    if x == 0 { 0 } else { u128::MAX >> x.leading_zeros() }
}
