//! Sums, differences, products and shifts.
//!
//! A sum is kept as a left-nested chain of `Add` nodes: addends in canonical order, each an atom or an atom times a
//! constant, no atom twice, and at most one constant, last. So `p + 4*i + 8 - p` is `4*i + 8`, and the constant offset
//! of a symbolic pointer is always on top ([`TermPool::split_constant`]).

use crate::budgets::BUDGETS;
use crate::terms::bits::{mask, negate};
use crate::terms::node::{BinOp, Node, Term};
use crate::terms::pool::TermPool;

/// `constant` plus the sum of `factor * atom`; atoms in canonical order, factors not zero.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sum {
    pub(crate) addends: Vec<(Term, u128)>,
    pub(crate) constant: u128,
}

impl TermPool {
    /// The term as a symbolic rest plus a constant: `(None, c)` for a constant, `(Some(t), 0)` for a term without a
    /// constant addend. The addend is modulo 2^width; its low 64 bits are returned.
    pub fn split_constant(&self, t: Term) -> (Option<Term>, u64) {
        let (rest, constant) = self.split_constant_wide(t);
        (rest, constant as u64)
    }

    pub(crate) fn split_constant_wide(&self, t: Term) -> (Option<Term>, u128) {
        match *self.node(t) {
            Node::Const { bits, .. } => (None, bits),
            Node::Binary(BinOp::Add, rest, c) => match self.as_const_wide(c) {
                Some(bits) => (Some(rest), bits),
                None => (Some(t), 0),
            },
            _ => (Some(t), 0),
        }
    }

    /// `-a` modulo 2^width.
    pub fn neg(&mut self, a: Term) -> Term {
        let minus_one = self.constant_wide(self.width(a), u128::MAX);
        self.binary(BinOp::Mul, a, minus_one)
    }

    /// The term as a sum; `None` when it has more addends than the budget allows.
    pub(crate) fn as_sum(&self, t: Term) -> Option<Sum> {
        let (mut rest, constant) = self.split_constant_wide(t);
        let mut addends = Vec::new();
        while let Some(term) = rest {
            if addends.len() == BUDGETS.terms.addends {
                return None;
            }
            let last = match *self.node(term) {
                Node::Binary(BinOp::Add, init, last) => {
                    rest = Some(init);
                    last
                }
                _ => {
                    rest = None;
                    term
                }
            };
            addends.push(self.split_factor(last));
        }
        addends.reverse();
        Some(Sum { addends, constant })
    }

    /// The term as an atom times a constant.
    fn split_factor(&self, t: Term) -> (Term, u128) {
        if let Node::Binary(BinOp::Mul, atom, factor) = *self.node(t)
            && let Some(bits) = self.as_const_wide(factor)
        {
            return (atom, bits);
        }
        (t, 1)
    }

    /// `left + factor * right` in `width` bits.
    pub(crate) fn combine(&self, width: u32, left: &Sum, right: &Sum, factor: u128) -> Sum {
        let wrap = |x: u128| x & mask(width);
        let mut addends = left.addends.clone();
        addends.extend(right.addends.iter().map(|&(atom, f)| (atom, wrap(f.wrapping_mul(factor)))));
        addends.sort_by_key(|&(atom, _)| self.order(atom));
        addends.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = wrap(kept.1.wrapping_add(next.1));
            }
            same
        });
        addends.retain(|&(_, f)| f != 0);
        let constant = wrap(left.constant.wrapping_add(right.constant.wrapping_mul(factor)));
        Sum { addends, constant }
    }

    /// The term for a sum whose addends are in canonical order.
    pub(crate) fn sum_term(&mut self, width: u32, sum: &Sum) -> Term {
        let mut total = None;
        for &(atom, factor) in &sum.addends {
            let addend = self.scaled(width, atom, factor);
            total = Some(match total {
                None => addend,
                Some(init) => self.intern(Node::Binary(BinOp::Add, init, addend)),
            });
        }
        let constant = self.constant_wide(width, sum.constant);
        match total {
            None => constant,
            Some(total) if sum.constant == 0 => total,
            Some(total) => self.intern(Node::Binary(BinOp::Add, total, constant)),
        }
    }

    fn scaled(&mut self, width: u32, atom: Term, factor: u128) -> Term {
        if factor == 1 {
            return atom;
        }
        let factor = self.constant_wide(width, factor);
        self.intern(Node::Binary(BinOp::Mul, atom, factor))
    }

    pub(crate) fn add(&mut self, a: Term, b: Term) -> Term {
        self.add_scaled(a, b, 1)
    }

    pub(crate) fn subtract(&mut self, a: Term, b: Term) -> Term {
        self.add_scaled(a, b, u128::MAX)
    }

    /// `a + factor * b`.
    fn add_scaled(&mut self, a: Term, b: Term, factor: u128) -> Term {
        let width = self.width(a);
        if width == 1 {
            return self.exclusive_or(a, b);
        }
        if let (Some(left), Some(right)) = (self.as_sum(a), self.as_sum(b)) {
            let sum = self.combine(width, &left, &right, factor);
            if sum.addends.len() <= BUDGETS.terms.addends {
                return self.sum_term(width, &sum);
            }
        }
        self.add_opaque(width, a, b, factor & mask(width))
    }

    /// `a + factor * b` when the addends are too many to be sorted: only the constants are merged.
    fn add_opaque(&mut self, width: u32, a: Term, b: Term, factor: u128) -> Term {
        let (left, c) = self.split_constant_wide(a);
        let (right, d) = self.split_constant_wide(b);
        let constant = c.wrapping_add(d.wrapping_mul(factor)) & mask(width);
        let factor = self.constant_wide(width, factor);
        let right = right.map(|right| self.multiply(right, factor));
        let rest = match (left, right) {
            (Some(left), Some(right)) if self.as_const_wide(right).is_none() => {
                let (first, second) = self.ordered(left, right);
                self.intern(Node::Binary(BinOp::Add, first, second))
            }
            (Some(only), _) | (None, Some(only)) => only,
            (None, None) => return self.constant_wide(width, constant),
        };
        if constant == 0 {
            return rest;
        }
        let constant = self.constant_wide(width, constant);
        self.intern(Node::Binary(BinOp::Add, rest, constant))
    }

    pub(crate) fn multiply(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if width == 1 {
            return self.conjunction(a, b);
        }
        let (a, b) = self.ordered(a, b);
        match self.as_const_wide(b) {
            Some(0) => b,
            Some(1) => a,
            Some(factor) => self.multiply_by(width, a, factor),
            None => {
                let ((x, c), (y, d)) = (self.split_factor(a), self.split_factor(b));
                let (x, y) = self.ordered(x, y);
                let product = self.intern(Node::Binary(BinOp::Mul, x, y));
                match c.wrapping_mul(d) & mask(width) {
                    1 => product,
                    factor => {
                        let factor = self.constant_wide(width, factor);
                        self.multiply(product, factor)
                    }
                }
            }
        }
    }

    fn multiply_by(&mut self, width: u32, a: Term, factor: u128) -> Term {
        if let Some(sum) = self.as_sum(a) {
            let product = self.combine(width, &Sum::default(), &sum, factor);
            return self.sum_term(width, &product);
        }
        let (rest, constant) = self.split_constant_wide(a);
        let rest = rest.expect("a constant is a sum of few addends");
        let product = self.scaled(width, rest, factor);
        match constant.wrapping_mul(factor) & mask(width) {
            0 => product,
            constant => {
                let constant = self.constant_wide(width, constant);
                self.intern(Node::Binary(BinOp::Add, product, constant))
            }
        }
    }

    /// Shifts. By a constant they are products or slices, so that they meet the rules of those.
    pub(crate) fn shift(&mut self, op: BinOp, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let zero = self.constant(width, 0);
        if a == zero || b == zero {
            return a;
        }
        let Some(amount) = self.as_const_wide(b) else {
            if self.range(b).min >= u128::from(width) && op != BinOp::AShr {
                return zero;
            }
            return self.intern(Node::Binary(op, a, b));
        };
        let beyond = amount >= u128::from(width);
        match op {
            BinOp::AShr => {
                let lowest = if beyond { width - 1 } else { amount as u32 };
                let kept = self.bits_from(a, lowest);
                self.sext(kept, width)
            }
            _ if beyond => zero,
            BinOp::Shl => {
                let factor = self.constant_wide(width, 1 << amount);
                self.multiply(a, factor)
            }
            _ => {
                let kept = self.bits_from(a, amount as u32);
                self.zext(kept, width)
            }
        }
    }

    /// The bits from `lowest` up. What was shifted left before (compilers sign-extend like that) is cut out of what it
    /// was before the shift.
    fn bits_from(&mut self, a: Term, lowest: u32) -> Term {
        let highest = self.width(a) - 1;
        if let Node::Binary(BinOp::Mul, x, factor) = *self.node(a)
            && let Some(factor) = self.as_const_wide(factor)
            && factor.is_power_of_two()
            && factor.trailing_zeros() <= lowest
        {
            let shift = factor.trailing_zeros();
            return self.extract(x, highest - shift, lowest - shift);
        }
        self.extract(a, highest, lowest)
    }

    /// The difference `a - b` when it is the same under every assignment.
    pub(crate) fn constant_difference(&self, a: Term, b: Term) -> Option<u128> {
        let (x, c) = self.split_constant_wide(a);
        let (y, d) = self.split_constant_wide(b);
        let width = self.width(a);
        if x == y {
            return Some(c.wrapping_add(negate(width, d)) & mask(width));
        }
        let difference = self.combine(width, &self.as_sum(a)?, &self.as_sum(b)?, u128::MAX);
        difference.addends.is_empty().then_some(difference.constant)
    }
}
