//! Bounds of a term's unsigned value, from its operands' bounds: one interval per term, computed at construction.

use crate::budgets::BUDGETS;
use crate::terms::bits::{mask, sign_bit};
use crate::terms::node::{BinOp, CmpOp, Node, Term};
use crate::terms::range::Range;
use crate::terms::table::TermTable;

/// The bounds of a term with this node, from those of its operands.
pub(super) fn range_of(table: &TermTable, node: &Node) -> Range {
    match *node {
        Node::Const { bits, .. } => Range { min: bits, max: bits },
        Node::Symbol { width, .. } => Range::full(width),
        Node::ArraySymbol { .. } | Node::ConstArray { .. } | Node::Store(..) => Range { min: 0, max: 0 },
        Node::Not(a) => {
            let (r, ones) = (table.range(a), mask(table.width(a)));
            Range { min: ones - r.max, max: ones - r.min }
        }
        Node::Binary(op, a, b) => binary(table, op, a, b),
        Node::Cmp(..) => Range::full(1),
        Node::Ite(c, a, b) => chosen(table, c, a, b),
        Node::ZExt { arg, .. } => table.range(arg),
        Node::SExt { arg, width } => {
            let r = table.range(arg);
            if r.non_negative(table.width(arg)) { r } else { Range::full(width) }
        }
        Node::Extract { arg, hi, lo } => {
            let (r, width) = (table.range(arg), hi - lo + 1);
            let max = r.max >> lo;
            if max <= mask(width) { Range { min: r.min >> lo, max } } else { Range::full(width) }
        }
        Node::Concat(a, b) => {
            let (high, low, shift) = (table.range(a), table.range(b), table.width(b));
            Range { min: high.min << shift | low.min, max: high.max << shift | low.max }
        }
        Node::Select(..) => Range::full(8),
        Node::FpUnary(op, a) | Node::FpBinary(op, a, _) => Range::full(op.result_width(table.width(a))),
    }
}

/// A choice by what its own arms are compared with: `x < 5 ? x : 5`, `x < 0 ? 0 : x > 7 ? 7 : x`.
fn chosen(table: &TermTable, c: Term, a: Term, b: Term) -> Range {
    let (first, second) = (table.range(a), table.range(b));
    let known = Range { min: first.min.min(second.min), max: first.max.max(second.max) };
    let Some(x) = compared(table, c).filter(|&x| table.width(x) <= table.width(a) && table.width(x) < u128::BITS)
    else {
        return known;
    };
    let width = table.width(x);
    let whole = table.range(x);
    let signed = match whole.non_negative(width) {
        true => Interval { min: whole.min.cast_signed(), max: whole.max.cast_signed() },
        false => Interval { min: -sign_bit(width).cast_signed(), max: sign_bit(width).cast_signed() - 1 },
    };
    let found = [(a, true), (b, false)]
        .map(|(arm, side)| arm_of(table, arm, x, signed.where_(table, c, x, side), BUDGETS.terms.nested_choices));
    match found {
        [Some(a), Some(b)] => {
            let (min, max) = (a.min.min(b.min), a.max.max(b.max));
            if min < 0 {
                return known;
            }
            Range { min: known.min.max(min.cast_unsigned()), max: known.max.min(max.cast_unsigned()) }
        }
        _ => known,
    }
}

/// Closed interval of signed values; empty if `min > max`.
#[derive(Clone, Copy)]
struct Interval {
    min: i128,
    max: i128,
}

impl Interval {
    /// Those of a number for which a comparison with a constant holds, or does not.
    fn where_(self, table: &TermTable, condition: Term, x: Term, holds: bool) -> Self {
        let Node::Cmp(op, a, b) = *table.node(condition) else { return self };
        let width = table.width(x);
        let signed = |t: Term| {
            let bits = table.as_const_wide(t)?;
            Some(if bits >= sign_bit(width) { (bits | !mask(width)).cast_signed() } else { bits.cast_signed() })
        };
        let is_unsigned = matches!(op, CmpOp::Ult | CmpOp::Ule);
        let (is_left, Some(constant)) = (a == x, if a == x { signed(b) } else { signed(a) }) else { return self };
        let strict = i128::from(matches!(op, CmpOp::Ult | CmpOp::Slt) == holds);
        match op {
            CmpOp::Eq if holds => Self { min: self.min.max(constant), max: self.max.min(constant) },
            CmpOp::Eq => self,
            // Below a number that is not negative as unsigned ones: not negative either.
            _ if is_unsigned && constant < 0 => self,
            _ if is_left == holds => {
                let min = if is_unsigned { self.min.max(0) } else { self.min };
                Self { min, max: self.max.min(constant - strict) }
            }
            _ if is_unsigned && self.min < 0 => self,
            _ => Self { min: self.min.max(constant + strict), max: self.max },
        }
    }
}

/// What a number is compared with a constant by a condition.
fn compared(table: &TermTable, condition: Term) -> Option<Term> {
    match *table.node(condition) {
        Node::Cmp(_, a, b) if table.as_const_wide(b).is_some() => Some(a),
        Node::Cmp(_, a, b) if table.as_const_wide(a).is_some() => Some(b),
        _ => None,
    }
}

/// The values of an arm where `x` is within an interval; `None` if they may be negative, or nothing better is known of
/// them.
fn arm_of(table: &TermTable, arm: Term, x: Term, within: Interval, depth: u32) -> Option<Interval> {
    let width = table.width(arm);
    match *table.node(arm) {
        _ if arm == x => return Some(within),
        // A choice is extended arm by arm.
        Node::SExt { arg, .. } if arg == x => return Some(within),
        Node::ZExt { arg, .. } if arg == x && within.min >= 0 => return Some(within),
        _ => {}
    }
    if let Node::Ite(c, a, b) = *table.node(arm)
        && depth > 0
        && compared(table, c) == Some(x)
    {
        let a = arm_of(table, a, x, within.where_(table, c, x, true), depth - 1)?;
        let b = arm_of(table, b, x, within.where_(table, c, x, false), depth - 1)?;
        return Some(Interval { min: a.min.min(b.min), max: a.max.max(b.max) });
    }
    let range = table.range(arm);
    range.non_negative(width).then(|| Interval { min: range.min.cast_signed(), max: range.max.cast_signed() })
}

fn binary(table: &TermTable, op: BinOp, a: Term, b: Term) -> Range {
    let width = table.width(a);
    let full = Range::full(width);
    let (x, y) = (table.range(a), table.range(b));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::pool::TermPool;

    /// Every choice between a number of four bits, limits and constants has its values in its range, for all
    /// comparisons.
    #[test]
    fn choices_by_their_own_arms_have_all_their_values() {
        let mut pool = TermPool::new();
        let x = pool.symbol("x", 4);
        let constants: Vec<Term> = [0, 1, 5, 7, 8, 13, 15].map(|bits| pool.constant(4, bits)).to_vec();
        let mut conditions = Vec::new();
        for op in [CmpOp::Eq, CmpOp::Ult, CmpOp::Ule, CmpOp::Slt, CmpOp::Sle] {
            for &constant in &constants {
                conditions.extend([pool.cmp(op, x, constant), pool.cmp(op, constant, x)]);
            }
        }
        let mut tight = 0;
        for &outer in &conditions {
            for &inner in &conditions {
                for (&a, &b) in constants.iter().zip(constants.iter().rev()) {
                    let cut = pool.ite(inner, a, x);
                    // Extended arm by arm, the number in either way.
                    let (least, more, most) = (pool.zext(a, 6), pool.zext(b, 6), pool.sext(b, 6));
                    let [unsigned, signed] = [pool.zext(x, 6), pool.sext(x, 6)].map(|x| pool.ite(inner, least, x));
                    for choice in [
                        pool.ite(outer, b, cut),
                        pool.ite(outer, cut, b),
                        pool.ite(inner, x, b),
                        pool.ite(outer, more, unsigned),
                        pool.ite(outer, unsigned, most),
                        pool.ite(outer, more, signed),
                        pool.ite(outer, signed, most),
                    ] {
                        let range = pool.range(choice);
                        tight += u32::from(range.max < 15 || range.min > 0);
                        for bits in 0..16 {
                            let constant = pool.constant(4, bits);
                            let value = pool.substitute(choice, &[(x, constant)].into());
                            let value = pool.as_const_wide(value).expect("a number");
                            assert!((range.min..=range.max).contains(&value), "{value} for {bits} in {range:?}");
                        }
                    }
                }
            }
        }
        assert!(tight > 1000, "{tight} are less than everything");
        let (zero, seven) = (pool.constant(32, 0), pool.constant(32, 7));
        let y = pool.symbol("y", 32);
        let (above, below) = (pool.cmp(CmpOp::Slt, seven, y), pool.cmp(CmpOp::Slt, y, zero));
        let cut = pool.ite(above, seven, y);
        let cut = pool.ite(below, zero, cut);
        assert_eq!(pool.range(cut), Range { min: 0, max: 7 });
        let (zero, seven) = (pool.constant(64, 0), pool.constant(64, 7));
        for wide in [pool.sext(y, 64), pool.zext(y, 64)] {
            let cut = pool.ite(above, seven, wide);
            let cut = pool.ite(below, zero, cut);
            assert_eq!(pool.range(cut), Range { min: 0, max: 7 }, "extended arm by arm");
        }
    }
}
