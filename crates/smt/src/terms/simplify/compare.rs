//! Comparisons of order. Bounds are strict where one side is constant, extensions are taken off both sides, and what
//! the operands' ranges decide is decided.

use crate::terms::bits::{self, mask, sign_bit, signed};
use crate::terms::node::{BinOp, CmpOp, Node, Term};
use crate::terms::pool::TermPool;

impl TermPool {
    /// `a op b` as a `Bv(1)`; the operands have one width.
    pub fn cmp(&mut self, op: CmpOp, a: Term, b: Term) -> Term {
        let width = self.same_width(a, b);
        if let Some((x, y)) = self.both_const(a, b) {
            return self.bool(bits::compare(op, width, x, y));
        }
        if a == b {
            return self.bool(matches!(op, CmpOp::Eq | CmpOp::Ule | CmpOp::Sle));
        }
        if width == 1 {
            return self.compare_truth(op, a, b);
        }
        match op {
            CmpOp::Eq => self.equality(a, b),
            CmpOp::Ult => self.unsigned_less(a, b),
            CmpOp::Ule => self.unsigned_less_or_equal(a, b),
            CmpOp::Slt | CmpOp::Sle => self.signed_order(op, a, b),
        }
    }

    /// `a != b`.
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let equal = self.cmp(CmpOp::Eq, a, b);
        self.not(equal)
    }

    /// `a > b`, unsigned.
    pub fn ugt(&mut self, a: Term, b: Term) -> Term {
        self.cmp(CmpOp::Ult, b, a)
    }

    /// `a >= b`, unsigned.
    pub fn uge(&mut self, a: Term, b: Term) -> Term {
        self.cmp(CmpOp::Ule, b, a)
    }

    /// `a > b`, signed.
    pub fn sgt(&mut self, a: Term, b: Term) -> Term {
        self.cmp(CmpOp::Slt, b, a)
    }

    /// `a >= b`, signed.
    pub fn sge(&mut self, a: Term, b: Term) -> Term {
        self.cmp(CmpOp::Sle, b, a)
    }

    /// Comparisons of single bits are connectives; as a signed number the bit 1 is -1.
    fn compare_truth(&mut self, op: CmpOp, a: Term, b: Term) -> Term {
        let (negated, connective) = match op {
            CmpOp::Eq => (None, BinOp::Xor),
            CmpOp::Ult => (Some(a), BinOp::And),
            CmpOp::Ule => (Some(a), BinOp::Or),
            CmpOp::Slt => (Some(b), BinOp::And),
            CmpOp::Sle => (Some(b), BinOp::Or),
        };
        let Some(negated) = negated else {
            let different = self.binary(connective, a, b);
            return self.not(different);
        };
        let other = if negated == a { b } else { a };
        let negated = self.not(negated);
        self.binary(connective, negated, other)
    }

    fn unsigned_less(&mut self, a: Term, b: Term) -> Term {
        let (x, y) = (self.range(a), self.range(b));
        if x.max < y.min {
            return self.bool(true);
        }
        if x.min >= y.max {
            return self.bool(false);
        }
        if let Some((a, b)) = self.without_extensions(a, b, false) {
            return self.cmp(CmpOp::Ult, a, b);
        }
        if let Some((x, greatest)) = self.rounded_up(a)
            && x == b
        {
            return self.cmp(CmpOp::Ult, greatest, b);
        }
        if let Some(below) = self.as_const_wide(b).and_then(|bound| self.unsigned_quotient_below(a, bound)) {
            return below;
        }
        if let Some(below) = self.as_const_wide(a).and_then(|bound| self.unsigned_quotient_below(b, bound + 1)) {
            return self.not(below);
        }
        if let Some(bound) = self.as_const_wide(b) {
            // Not at most the range's minimum, not above its maximum: that was decided above.
            if bound == x.min + 1 {
                let least = self.constant_wide(self.width(a), x.min);
                return self.cmp(CmpOp::Eq, a, least);
            }
            if bound == x.max {
                return self.ne(a, b);
            }
        }
        if let Some(bound) = self.as_const_wide(a) {
            if bound + 1 == y.max {
                let greatest = self.constant_wide(self.width(b), y.max);
                return self.cmp(CmpOp::Eq, b, greatest);
            }
            if bound == y.min {
                return self.ne(b, a);
            }
        }
        self.intern(Node::Cmp(CmpOp::Ult, a, b))
    }

    /// If a term is another one rounded up to a multiple of a power of two, `x + 4095 & ~4095`: that, and the greatest
    /// multiple. What is above becomes 0, and nothing else less than it was.
    pub(crate) fn rounded_up(&mut self, rounded: Term) -> Option<(Term, Term)> {
        let width = self.width(rounded);
        let Node::Binary(BinOp::And, sum, cut) = *self.node(rounded) else { return None };
        let Node::Binary(BinOp::Add, x, more) = *self.node(sum) else { return None };
        let (cut, more) = (self.as_const_wide(cut)?, self.as_const_wide(more)?);
        let is_rounded = more == !cut & mask(width) && (more + 1).is_power_of_two() && more < mask(width);
        is_rounded.then(|| (x, self.constant_wide(width, cut)))
    }

    fn unsigned_less_or_equal(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if let Some((x, greatest)) = self.rounded_up(b)
            && x == a
        {
            return self.cmp(CmpOp::Ule, a, greatest);
        }
        if let Some(bound) = self.as_const_wide(b) {
            if bound == mask(width) {
                return self.bool(true);
            }
            let above = self.constant_wide(width, bound + 1);
            return self.cmp(CmpOp::Ult, a, above);
        }
        if let Some(bound) = self.as_const_wide(a) {
            if bound == 0 {
                return self.bool(true);
            }
            let below = self.constant_wide(width, bound - 1);
            return self.cmp(CmpOp::Ult, below, b);
        }
        let (x, y) = (self.range(a), self.range(b));
        if x.max <= y.min {
            return self.bool(true);
        }
        if x.min > y.max {
            return self.bool(false);
        }
        if let Some((a, b)) = self.without_extensions(a, b, false) {
            return self.cmp(CmpOp::Ule, a, b);
        }
        self.intern(Node::Cmp(CmpOp::Ule, a, b))
    }

    fn signed_order(&mut self, op: CmpOp, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let (x, y) = (self.range(a), self.range(b));
        let (a_low, a_high) = (x.non_negative(width), x.negative(width));
        let (b_low, b_high) = (y.non_negative(width), y.negative(width));
        if a_low && b_high {
            return self.bool(false);
        }
        if a_high && b_low {
            return self.bool(true);
        }
        if a_low && b_low || a_high && b_high {
            let unsigned = if op == CmpOp::Slt { CmpOp::Ult } else { CmpOp::Ule };
            return self.cmp(unsigned, a, b);
        }
        if let Some((a, b)) = self.without_extensions(a, b, true) {
            return self.cmp(op, a, b);
        }
        if let Some(decided) = self.beyond_sign_extension(a, b).or_else(|| self.beyond_remainder(op, a, b)) {
            return self.bool(decided);
        }
        if op == CmpOp::Sle { self.signed_less_or_equal(a, b) } else { self.signed_less(a, b) }
    }

    fn signed_less(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let (least, greatest) = (sign_bit(width), sign_bit(width) - 1);
        if let Some(below) = self.as_const_wide(b).and_then(|bound| self.signed_quotient_below(a, bound)) {
            return below;
        }
        let above = self.as_const_wide(a).filter(|&bound| bound != greatest);
        if let Some(below) = above.and_then(|bound| self.signed_quotient_below(b, bound.wrapping_add(1) & mask(width)))
        {
            return self.not(below);
        }
        match (self.as_const_wide(a), self.as_const_wide(b)) {
            (_, Some(bound)) if bound == least => self.bool(false),
            (_, Some(bound)) if bound == (least + 1) & mask(width) => {
                let least = self.constant_wide(width, least);
                self.cmp(CmpOp::Eq, a, least)
            }
            (_, Some(bound)) if bound == greatest => self.ne(a, b),
            (Some(bound), _) if bound == greatest => self.bool(false),
            (Some(bound), _) if bound == greatest.wrapping_sub(1) & mask(width) => {
                let greatest = self.constant_wide(width, greatest);
                self.cmp(CmpOp::Eq, b, greatest)
            }
            (Some(bound), _) if bound == least => self.ne(a, b),
            _ => self.intern(Node::Cmp(CmpOp::Slt, a, b)),
        }
    }

    fn signed_less_or_equal(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let greatest = sign_bit(width) - 1;
        match (self.as_const_wide(a), self.as_const_wide(b)) {
            (_, Some(bound)) if bound == greatest => self.bool(true),
            (Some(bound), _) if bound == greatest + 1 => self.bool(true),
            (_, Some(bound)) => {
                let above = self.constant_wide(width, bound.wrapping_add(1));
                self.cmp(CmpOp::Slt, a, above)
            }
            (Some(bound), _) => {
                let below = self.constant_wide(width, bound.wrapping_sub(1));
                self.cmp(CmpOp::Slt, below, b)
            }
            (None, None) => self.intern(Node::Cmp(CmpOp::Sle, a, b)),
        }
    }

    /// The operands without an extension both have, so that they compare (and equal) as before: two of one kind from
    /// one width, or one and a constant in its image. Sign extensions keep the unsigned order too (the upper half moves
    /// up as a whole), zero extensions keep the signed order of nothing (`signed_order`), so those are left.
    pub(crate) fn without_extensions(&mut self, a: Term, b: Term, signed_order: bool) -> Option<(Term, Term)> {
        let (inner, is_sign) = match (*self.node(a), *self.node(b)) {
            (Node::ZExt { arg, .. }, _) | (_, Node::ZExt { arg, .. }) => (self.width(arg), false),
            (Node::SExt { arg, .. }, _) | (_, Node::SExt { arg, .. }) => (self.width(arg), true),
            _ => return None,
        };
        if signed_order && !is_sign {
            return None;
        }
        Some((self.unextended(a, inner, is_sign)?, self.unextended(b, inner, is_sign)?))
    }

    fn unextended(&mut self, t: Term, inner: u32, is_sign: bool) -> Option<Term> {
        let width = self.width(t);
        match *self.node(t) {
            Node::ZExt { arg, .. } if !is_sign && self.width(arg) == inner => Some(arg),
            Node::SExt { arg, .. } if is_sign && self.width(arg) == inner => Some(arg),
            Node::Const { bits, .. } => {
                let kept = bits & mask(inner);
                let image = if is_sign { signed(inner, kept) as u128 & mask(width) } else { kept };
                (image == bits).then(|| self.constant_wide(inner, kept))
            }
            _ => None,
        }
    }

    /// A signed remainder by a constant against another constant that it is always, or never, less than (or equal to):
    /// its magnitude is below the divisor's.
    fn beyond_remainder(&self, op: CmpOp, a: Term, b: Term) -> Option<bool> {
        let width = self.width(a);
        let most = |t: Term| match *self.node(t) {
            Node::Binary(BinOp::SRem, _, divisor) => {
                let magnitude = signed(width, self.as_const_wide(divisor)?).unsigned_abs();
                i128::try_from(magnitude.checked_sub(1)?).ok()
            }
            _ => None,
        };
        let number = |t: Term| self.as_const_wide(t).map(|bits| signed(width, bits));
        let ((least, greatest), (other_least, other_greatest)) = match (most(a), number(a), most(b), number(b)) {
            (Some(most), _, _, Some(bound)) => ((-most, most), (bound, bound)),
            (_, Some(bound), Some(most), _) => ((bound, bound), (-most, most)),
            _ => return None,
        };
        let is_strict = op == CmpOp::Slt;
        if greatest < other_least || !is_strict && greatest == other_least {
            return Some(true);
        }
        (least > other_greatest || is_strict && least == other_greatest).then_some(false)
    }

    /// A sign extension against a constant outside its image: whether the left side is the lesser.
    fn beyond_sign_extension(&self, a: Term, b: Term) -> Option<bool> {
        let width = self.width(a);
        match (*self.node(a), *self.node(b)) {
            (Node::SExt { .. }, Node::Const { bits, .. }) => Some(signed(width, bits) > 0),
            (Node::Const { bits, .. }, Node::SExt { .. }) => Some(signed(width, bits) < 0),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::model::Model;

    #[test]
    fn rounding_up_makes_less_only_where_it_wraps() {
        let mut pool = TermPool::new();
        let x = pool.symbol("x", 8);
        let (fifteen, cut) = (pool.constant(8, 15), pool.constant(8, 0xf0));
        let sum = pool.binary(BinOp::Add, x, fifteen);
        let rounded = pool.binary(BinOp::And, sum, cut);
        let less = pool.cmp(CmpOp::Ult, rounded, x);
        assert_eq!(less, pool.cmp(CmpOp::Ult, cut, x));
        let at_least = pool.cmp(CmpOp::Ule, x, rounded);
        assert_eq!(at_least, pool.not(less));
        let zero = pool.constant(8, 0);
        let is_zero = pool.cmp(CmpOp::Eq, rounded, zero);
        for value in 0..=255 {
            let mut model = Model::new();
            model.set("x", 8, value);
            assert_eq!(pool.eval_bool(is_zero, &model), pool.eval(rounded, &model) == 0);
            assert_eq!(pool.eval_bool(less, &model), pool.eval(rounded, &model) < pool.eval(x, &model));
        }
    }
}
