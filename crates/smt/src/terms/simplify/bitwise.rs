//! Conjunction, disjunction, exclusive or and complement, of bits and of truth values.

use crate::terms::bits::mask;
use crate::terms::node::{BinOp, CmpOp, Node, Term};
use crate::terms::pool::TermPool;

impl TermPool {
    /// Bitwise complement; negation of a truth value. Comparisons of order are turned around instead.
    pub fn not(&mut self, a: Term) -> Term {
        let width = self.width(a);
        assert!(width > 0, "complement of an array");
        match *self.node(a) {
            Node::Const { bits, .. } => self.constant_wide(width, !bits),
            Node::Not(inner) => inner,
            Node::Cmp(CmpOp::Ult, x, y) => self.cmp(CmpOp::Ule, y, x),
            Node::Cmp(CmpOp::Ule, x, y) => self.cmp(CmpOp::Ult, y, x),
            Node::Cmp(CmpOp::Slt, x, y) => self.cmp(CmpOp::Sle, y, x),
            Node::Cmp(CmpOp::Sle, x, y) => self.cmp(CmpOp::Slt, y, x),
            Node::Ite(c, x, y) if self.both_const(x, y).is_some() => {
                let (x, y) = (self.not(x), self.not(y));
                self.ite(c, x, y)
            }
            _ => self.intern(Node::Not(a)),
        }
    }

    /// Conjunction of truth values; true when there are none.
    pub fn and_all(&mut self, terms: &[Term]) -> Term {
        let start = self.bool(true);
        self.fold_all(BinOp::And, start, terms)
    }

    /// Disjunction of truth values; false when there are none.
    pub fn or_all(&mut self, terms: &[Term]) -> Term {
        let start = self.bool(false);
        self.fold_all(BinOp::Or, start, terms)
    }

    /// What a condition is the conjunction of, each once: `a`, `b` and `!c` of `a && b && !(c || a)`; itself when it is
    /// none.
    pub fn conjuncts(&mut self, condition: Term) -> Vec<Term> {
        let (mut found, mut todo) = (Vec::new(), vec![condition]);
        while let Some(t) = todo.pop() {
            self.expect_bool(t);
            match *self.node(t) {
                Node::Binary(BinOp::And, a, b) => todo.extend([b, a]),
                Node::Not(inner) if let Node::Binary(BinOp::Or, a, b) = *self.node(inner) => {
                    let negated = [self.not(b), self.not(a)];
                    todo.extend(negated);
                }
                _ if !found.contains(&t) => found.push(t),
                _ => {}
            }
        }
        found
    }

    /// What a condition is the disjunction of, each once: [`TermPool::conjuncts`] the other way round.
    pub fn disjuncts(&mut self, condition: Term) -> Vec<Term> {
        let negation = self.not(condition);
        let conjuncts = self.conjuncts(negation);
        conjuncts.into_iter().map(|t| self.not(t)).collect()
    }

    fn fold_all(&mut self, op: BinOp, start: Term, terms: &[Term]) -> Term {
        let mut terms = terms.to_vec();
        for &t in &terms {
            self.expect_bool(t);
        }
        terms.sort_by_key(|&t| self.order(t));
        terms.dedup();
        let absorbing = self.not(start);
        if terms.iter().any(|&t| terms.binary_search_by_key(&self.order_of_complement(t), |&u| self.order(u)).is_ok()) {
            return absorbing;
        }
        terms.into_iter().fold(start, |all, t| self.binary(op, all, t))
    }

    /// Order key of the operand of a complement; of other terms a key no other term has.
    fn order_of_complement(&self, t: Term) -> (u64, Term) {
        match *self.node(t) {
            Node::Not(inner) => self.order(inner),
            _ => (u64::MAX, Term(u32::MAX)),
        }
    }

    pub(crate) fn conjunction(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let (a, b) = self.ordered(a, b);
        if let Some(bits) = self.as_const_wide(b) {
            if let Some(low) = low_mask(bits)
                && low < width
            {
                let kept = self.extract_deep(a, low - 1, 0);
                return self.zext(kept, width);
            }
            if let Node::ZExt { arg, .. } = *self.node(a) {
                let bits = self.constant_wide(self.width(arg), bits);
                let kept = self.binary(BinOp::And, arg, bits);
                return self.zext(kept, width);
            }
        }
        if width == 1
            && let Some(result) = self.equalities_of_one_term(a, b)
        {
            return result;
        }
        self.lattice(BinOp::And, BinOp::Or, a, b)
    }

    pub(crate) fn disjunction(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = self.ordered(a, b);
        if self.as_const_wide(b) == Some(0) {
            return a;
        }
        if let Some(joined) = self.joined_fields(a, b) {
            return joined;
        }
        if let Some(joined) = self.joined_fields(b, a) {
            return joined;
        }
        self.lattice(BinOp::Or, BinOp::And, a, b)
    }

    /// `x == k && x == l` is false for different constants; `x == k && x != l` is `x == k`.
    fn equalities_of_one_term(&mut self, a: Term, b: Term) -> Option<Term> {
        let (left, left_holds) = self.strip_not(a);
        let (right, right_holds) = self.strip_not(b);
        let (Node::Cmp(CmpOp::Eq, x, k), Node::Cmp(CmpOp::Eq, y, l)) = (*self.node(left), *self.node(right)) else {
            return None;
        };
        if x != y || k == l || self.both_const(k, l).is_none() {
            return None;
        }
        match (left_holds, right_holds) {
            (true, true) => Some(self.bool(false)),
            (true, false) => Some(a),
            (false, true) => Some(b),
            (false, false) => None,
        }
    }

    fn strip_not(&self, t: Term) -> (Term, bool) {
        match *self.node(t) {
            Node::Not(inner) => (inner, false),
            _ => (t, true),
        }
    }

    /// `op` is And and `dual` Or, or the other way round; the operands are in canonical order.
    fn lattice(&mut self, op: BinOp, dual: BinOp, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let neutral = if op == BinOp::And { mask(width) } else { 0 };
        if a == b {
            return a;
        }
        if let Some(bits) = self.as_const_wide(b) {
            if bits == neutral {
                return a;
            }
            if bits == mask(width) - neutral {
                return b;
            }
            return self.with_constant(op, a, b);
        }
        if self.complementary(a, b) {
            return self.constant_wide(width, !neutral);
        }
        for (outer, inner) in [(a, b), (b, a)] {
            match *self.node(outer) {
                Node::Binary(o, x, y) if o == op && (x == inner || y == inner) => return outer,
                Node::Binary(o, x, y) if o == dual && (x == inner || y == inner) => return inner,
                Node::Binary(o, x, c) if o == op && self.as_const_wide(c).is_some() => {
                    let rest = self.binary(op, x, inner);
                    return self.binary(op, rest, c);
                }
                _ => {}
            }
        }
        self.intern(Node::Binary(op, a, b))
    }

    /// `a op c` for a constant that is neither neutral nor absorbing.
    fn with_constant(&mut self, op: BinOp, a: Term, c: Term) -> Term {
        match *self.node(a) {
            Node::Binary(o, x, d) if o == op && self.as_const_wide(d).is_some() => {
                let merged = self.binary(op, d, c);
                self.binary(op, x, merged)
            }
            Node::Ite(cond, x, y) if self.both_const(x, y).is_some() => {
                let (x, y) = (self.binary(op, x, c), self.binary(op, y, c));
                self.ite(cond, x, y)
            }
            _ => self.intern(Node::Binary(op, a, c)),
        }
    }

    pub(crate) fn exclusive_or(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if a == b {
            return self.constant(width, 0);
        }
        let (a, b) = self.ordered(a, b);
        if let Some(bits) = self.as_const_wide(b) {
            return match bits {
                0 => a,
                _ if bits == mask(width) => self.not(a),
                _ => self.with_constant(BinOp::Xor, a, b),
            };
        }
        if let (x, false) = self.strip_not(a) {
            let inner = self.binary(BinOp::Xor, x, b);
            return self.not(inner);
        }
        if let (y, false) = self.strip_not(b) {
            let inner = self.binary(BinOp::Xor, a, y);
            return self.not(inner);
        }
        for (outer, inner) in [(a, b), (b, a)] {
            if let Node::Binary(BinOp::Xor, x, y) = *self.node(outer) {
                if x == inner {
                    return y;
                }
                if y == inner {
                    return x;
                }
                if self.as_const_wide(y).is_some() {
                    let rest = self.binary(BinOp::Xor, x, inner);
                    return self.binary(BinOp::Xor, rest, y);
                }
            }
        }
        self.intern(Node::Binary(BinOp::Xor, a, b))
    }

    /// `x << k | y` for `y < 2^k` is a concatenation; a common shift of both operands is taken out first. Turns the
    /// usual assembly of an integer from bytes back into the integer.
    fn joined_fields(&mut self, high: Term, low: Term) -> Option<Term> {
        let width = self.width(high);
        let (x, k) = self.as_shift_left(high)?;
        if self.range(low).max >> k != 0 {
            return None;
        }
        if let Some((y, j)) = self.as_shift_left(low) {
            let up = self.constant_wide(width, 1 << (k - j));
            let common = self.constant_wide(width, 1 << j);
            let x = self.multiply(x, up);
            let joined = self.binary(BinOp::Or, x, y);
            return Some(self.multiply(joined, common));
        }
        let low = self.extract(low, k - 1, 0);
        let high = self.extract(x, width - 1 - k, 0);
        Some(self.concat(high, low))
    }

    /// A product with a power of two as operand and amount of a shift.
    fn as_shift_left(&self, t: Term) -> Option<(Term, u32)> {
        let Node::Binary(BinOp::Mul, x, c) = *self.node(t) else { return None };
        let power = self.as_const_wide(c).filter(|bits| bits.is_power_of_two())?;
        Some((x, power.trailing_zeros()))
    }

    /// Whether one of the terms is seen to be the complement of the other.
    pub(crate) fn complementary(&self, a: Term, b: Term) -> bool {
        match (*self.node(a), *self.node(b)) {
            (Node::Not(x), _) if x == b => true,
            (_, Node::Not(y)) if y == a => true,
            (Node::Cmp(CmpOp::Ult, x, y), Node::Cmp(CmpOp::Ule, v, u))
            | (Node::Cmp(CmpOp::Ule, v, u), Node::Cmp(CmpOp::Ult, x, y))
            | (Node::Cmp(CmpOp::Slt, x, y), Node::Cmp(CmpOp::Sle, v, u))
            | (Node::Cmp(CmpOp::Sle, v, u), Node::Cmp(CmpOp::Slt, x, y)) => x == u && y == v,
            _ => false,
        }
    }

    pub(crate) fn both_const(&self, a: Term, b: Term) -> Option<(u128, u128)> {
        Some((self.as_const_wide(a)?, self.as_const_wide(b)?))
    }
}

/// `n` for the constant 2^n - 1 with n at least 1.
fn low_mask(bits: u128) -> Option<u32> {
    (bits != 0 && bits & bits.wrapping_add(1) == 0).then(|| bits.trailing_ones())
}
