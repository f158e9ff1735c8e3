//! Connectives and choices of truth values.
//!
//! Conjunctions are kept as one flat set of literals, disjunctions as negated conjunctions, and what a byte comparison
//! says about other comparisons of the same byte is used: `c == 'f' && c != 0` is `c == 'f'`. With it the running
//! "already decided" flags of the branch-free string functions in `runtime-models/` fold to plain conditions on bytes.

use icsched_smt::{BinOp, CmpOp, Node, Term};
use rustc_hash::FxHashMap;

use super::SymbolicDomain;

/// Conjunctions of more literals are left as they are.
const MAX_LITERALS: usize = 128;
/// Nested choices that an operation is moved into.
const MAX_CHOICES: u32 = 64;

impl SymbolicDomain {
    /// `a && b`.
    pub(super) fn both(&mut self, a: Term, b: Term) -> Term {
        let mut literals = Vec::new();
        if !(self.conjuncts(a, &mut literals) && self.conjuncts(b, &mut literals)) {
            return self.pool.binary(BinOp::And, a, b);
        }
        match self.absorb(literals) {
            Some(literals) => self.pool.and_all(&literals),
            None => self.pool.bool(false),
        }
    }

    /// `a || b`.
    pub(super) fn either(&mut self, a: Term, b: Term) -> Term {
        let (not_a, not_b) = (self.pool.not(a), self.pool.not(b));
        let neither = self.both(not_a, not_b);
        self.pool.not(neither)
    }

    /// Appends the operands of a conjunction, or of a negated disjunction. False when they are too many.
    fn conjuncts(&mut self, t: Term, out: &mut Vec<Term>) -> bool {
        let mut work = vec![(t, true)];
        while let Some((term, holds)) = work.pop() {
            if out.len() + work.len() > MAX_LITERALS {
                return false;
            }
            match *self.pool.node(term) {
                Node::Not(inner) => work.push((inner, !holds)),
                Node::Binary(BinOp::And, a, b) if holds => work.extend([(b, true), (a, true)]),
                Node::Binary(BinOp::Or, a, b) if !holds => work.extend([(b, false), (a, false)]),
                _ => out.push(if holds { term } else { self.pool.not(term) }),
            }
        }
        true
    }

    /// Drops literals that others imply; `None` when two contradict each other. Only equalities with constants are
    /// compared.
    fn absorb(&self, mut literals: Vec<Term>) -> Option<Vec<Term>> {
        let mut values: FxHashMap<Term, u128> = FxHashMap::default();
        for &literal in &literals {
            if let Some((t, value)) = self.equality(literal)
                && *values.entry(t).or_insert(value) != value
            {
                return None;
            }
        }
        let mut contradiction = false;
        literals.retain(|&literal| {
            let Node::Not(inner) = *self.pool.node(literal) else { return true };
            let Some((t, excluded)) = self.equality(inner) else { return true };
            let Some(&value) = values.get(&t) else { return true };
            contradiction |= value == excluded;
            false
        });
        (!contradiction).then_some(literals)
    }

    /// `t == constant`.
    fn equality(&self, literal: Term) -> Option<(Term, u128)> {
        let Node::Cmp(CmpOp::Eq, a, b) = *self.pool.node(literal) else { return None };
        match (self.pool.as_const_wide(a), self.pool.as_const_wide(b)) {
            (None, Some(value)) => Some((a, value)),
            (Some(value), None) => Some((b, value)),
            _ => None,
        }
    }

    /// `c ? a : b` of truth values.
    fn truth_choice(&mut self, c: Term, a: Term, b: Term) -> Term {
        let not_c = self.pool.not(c);
        if a == c || self.pool.is_true(a) {
            return self.either(c, b);
        }
        if a == not_c || self.pool.is_false(a) {
            return self.both(not_c, b);
        }
        if b == c || self.pool.is_false(b) {
            return self.both(c, a);
        }
        if b == not_c || self.pool.is_true(b) {
            return self.either(not_c, a);
        }
        self.pool.ite(c, a, b)
    }

    /// `c ? a : b` of anything.
    pub(super) fn choice(&mut self, c: Term, a: Term, b: Term) -> Term {
        if self.pool.width(a) == 1 { self.truth_choice(c, a, b) } else { self.pool.ite(c, a, b) }
    }

    /// A comparison with a constant, moved into the arms of a choice.
    pub(super) fn compare(&mut self, op: CmpOp, a: Term, b: Term) -> Term {
        match (*self.pool.node(a), *self.pool.node(b)) {
            (Node::Ite(..), Node::Const { .. }) => self.through_choices(a, &|domain, t| domain.pool.cmp(op, t, b)),
            (Node::Const { .. }, Node::Ite(..)) => self.through_choices(b, &|domain, t| domain.pool.cmp(op, a, t)),
            _ => self.pool.cmp(op, a, b),
        }
    }

    /// The low bits of a term, taken of the arms of a choice.
    pub(super) fn truncate(&mut self, t: Term, width: u32) -> Term {
        self.through_choices(t, &|domain, t| domain.pool.trunc(t, width))
    }

    fn through_choices(&mut self, t: Term, apply: &dyn Fn(&mut Self, Term) -> Term) -> Term {
        self.through_arms(t, MAX_CHOICES, apply, &mut FxHashMap::default())
    }

    /// Arms can be shared: each is done once.
    fn through_arms(
        &mut self,
        t: Term,
        depth: u32,
        apply: &dyn Fn(&mut Self, Term) -> Term,
        done: &mut FxHashMap<Term, Term>,
    ) -> Term {
        if let Some(&result) = done.get(&t) {
            return result;
        }
        let result = match (*self.pool.node(t), depth.checked_sub(1)) {
            (Node::Ite(condition, yes, no), Some(depth)) => {
                let yes = self.through_arms(yes, depth, apply, done);
                let no = self.through_arms(no, depth, apply, done);
                self.choice(condition, yes, no)
            }
            _ => apply(self, t),
        };
        done.insert(t, result);
        result
    }

    /// A bit operation on truth values that were widened; `None` when they were not.
    pub(super) fn widened_connective(&mut self, op: BinOp, a: Term, b: Term) -> Option<Term> {
        let width = self.pool.width(a);
        let (x, y) = (self.truth_in(a)?, self.truth_in(b)?);
        let joined = match op {
            BinOp::And => self.both(x, y),
            BinOp::Or => self.either(x, y),
            _ => return None,
        };
        Some(self.pool.zext(joined, width))
    }

    /// The truth value that a term is, or is widened from.
    fn truth_in(&self, t: Term) -> Option<Term> {
        match *self.pool.node(t) {
            Node::ZExt { arg, .. } if self.pool.width(arg) == 1 => Some(arg),
            _ => (self.pool.width(t) == 1).then_some(t),
        }
    }
}
