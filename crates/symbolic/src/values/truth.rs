//! Connectives and choices of truth values.
//!
//! Conjunctions are kept as one flat set of literals, disjunctions as negated conjunctions, and what a byte comparison
//! says about other comparisons of the same byte is used: `c == 'f' && c != 0` is `c == 'f'`. With it the running
//! "already decided" flags of the branch-free string functions in `runtime-models/` fold to plain conditions on bytes.

use icsched_smt::{BinOp, CmpOp, Node, Term};
use rustc_hash::FxHashMap;

use super::integer::integers_of;
use crate::bounds::{Fact, Known, as_signed, implied, known};
use crate::budgets::BUDGETS;
use crate::domain::SymbolicDomain;

impl SymbolicDomain {
    /// `a && b`.
    pub(crate) fn both(&mut self, a: Term, b: Term) -> Term {
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
    pub(crate) fn either(&mut self, a: Term, b: Term) -> Term {
        let (not_a, not_b) = (self.pool.not(a), self.pool.not(b));
        let neither = self.both(not_a, not_b);
        self.pool.not(neither)
    }

    /// Appends the operands of a conjunction, or of a negated disjunction. False when they are too many.
    fn conjuncts(&mut self, t: Term, out: &mut Vec<Term>) -> bool {
        let mut work = vec![(t, true)];
        while let Some((term, holds)) = work.pop() {
            if out.len() + work.len() > BUDGETS.literals {
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

    /// Drops literals that others imply; `None` when two contradict each other. Only comparisons with constants are
    /// compared.
    fn absorb(&mut self, mut literals: Vec<Term>) -> Option<Vec<Term>> {
        self.sign_bounds(&mut literals);
        let facts: Vec<Option<Known>> = literals.iter().map(|&t| self.known(t)).collect();
        let mut values: FxHashMap<Term, i128> = FxHashMap::default();
        for known in facts.iter().flatten() {
            if let Fact::Equal(value) = known.fact
                && *values.entry(known.term).or_insert(value) != value
            {
                return None;
            }
        }
        let contradicts = |known: &Known| {
            let value = values.get(&known.term).filter(|_| known.is_signed);
            value.is_some_and(|&value| match known.fact {
                Fact::Equal(_) => false,
                Fact::Different(excluded) => value == excluded,
                Fact::AtMost(most) => value > most,
                Fact::AtLeast(least) => value < least,
            })
        };
        if facts.iter().flatten().any(contradicts) {
            return None;
        }
        Some((0..literals.len()).filter(|&i| !implied(&facts, i)).map(|i| literals[i]).collect())
    }

    fn known(&self, literal: Term) -> Option<Known> {
        match *self.pool.node(literal) {
            Node::Not(inner) => known(&self.pool, inner, false),
            _ => known(&self.pool, literal, true),
        }
    }

    /// Unsigned bounds of terms that are known not to be negative become signed ones, so that they can be compared with
    /// the signed bounds (`n > 0 && (unsigned)n >= 3` is `n >= 3`).
    fn sign_bounds(&mut self, literals: &mut [Term]) {
        let non_negative: Vec<Term> = literals
            .iter()
            .filter_map(|&t| self.known(t))
            .filter(|k| k.is_signed && matches!(k.fact, Fact::AtLeast(0..)))
            .map(|k| k.term)
            .collect();
        for literal in literals {
            let Node::Cmp(op, a, b) = *self.pool.node(*literal) else { continue };
            let signed = match op {
                CmpOp::Ult => CmpOp::Slt,
                CmpOp::Ule => CmpOp::Sle,
                CmpOp::Eq | CmpOp::Slt | CmpOp::Sle => continue,
            };
            let is_small = |t: Term| {
                let width = self.pool.width(t);
                self.pool.as_const_wide(t).is_some_and(|bits| bits >> (width - 1) == 0) || non_negative.contains(&t)
            };
            if is_small(a) && is_small(b) {
                *literal = self.pool.cmp(signed, a, b);
            }
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
    pub(crate) fn choice(&mut self, c: Term, a: Term, b: Term) -> Term {
        if self.pool.width(a) == 1 { self.truth_choice(c, a, b) } else { self.pool.ite(c, a, b) }
    }

    /// A comparison with a constant, moved into the arms of a choice.
    pub(crate) fn compare(&mut self, op: CmpOp, a: Term, b: Term) -> Term {
        match (*self.pool.node(a), *self.pool.node(b)) {
            (Node::Ite(..), Node::Const { .. }) => {
                let truth = self.through_choices(a, &|domain, t| domain.pool.cmp(op, t, b));
                self.name_comparison(truth, op, a, b);
                truth
            }
            (Node::Const { .. }, Node::Ite(..)) => {
                let truth = self.through_choices(b, &|domain, t| domain.pool.cmp(op, a, t));
                self.name_comparison(truth, op, a, b);
                truth
            }
            _ => {
                let truth = self.pool.cmp(op, a, b);
                self.unscaled(truth).unwrap_or(truth)
            }
        }
    }

    /// Remembers what a comparison was of, if people know the value by a name that its arms do not have.
    fn name_comparison(&mut self, truth: Term, op: CmpOp, a: Term, b: Term) {
        if let Some(origins) = self.origins.as_deref_mut()
            && (origins.loaded.contains_key(&a) || origins.loaded.contains_key(&b))
        {
            origins.comparisons.entry(truth).or_insert((op, a, b));
        }
    }

    /// `x * factor == bits` as a condition on `x`, if the product can't wrap.
    fn unscaled(&mut self, truth: Term) -> Option<Term> {
        let Node::Cmp(CmpOp::Eq, product, constant) = *self.pool.node(truth) else { return None };
        let Node::Binary(BinOp::Mul, x, factor) = *self.pool.node(product) else { return None };
        let bits = self.pool.as_const_wide(constant)?;
        let width = self.pool.width(x);
        let factor = i128::try_from(self.pool.as_const_wide(factor)?).ok()?;
        let value = as_signed(width, bits);
        let (least, greatest) = integers_of(&self.pool, x).bounds();
        let limit = 1i128 << (width - 1);
        let fits = |bound: i128| bound.checked_mul(factor).is_some_and(|p| -limit <= p && p < limit);
        if factor == 0 || !fits(least) || !fits(greatest) {
            return None;
        }
        if value % factor != 0 {
            return Some(self.pool.bool(false));
        }
        let quotient = self.pool.constant_wide(width, (value / factor) as u128);
        Some(self.pool.cmp(CmpOp::Eq, x, quotient))
    }

    /// The low bits of a term, taken of the arms of a choice.
    pub(crate) fn truncate(&mut self, t: Term, width: u32) -> Term {
        self.through_choices(t, &|domain, t| domain.pool.trunc(t, width))
    }

    fn through_choices(&mut self, t: Term, apply: &dyn Fn(&mut Self, Term) -> Term) -> Term {
        self.through_arms(t, BUDGETS.nested_choices, apply, &mut FxHashMap::default())
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
                self.nested_choice(condition, yes, no)
            }
            _ => apply(self, t),
        };
        done.insert(t, result);
        result
    }

    /// `c ? a : b`, where `b` may be a choice with the same first arm by a weaker condition:
    /// `n < 3 ? a : n < 5 ? a : b`.
    pub(crate) fn nested_choice(&mut self, c: Term, a: Term, b: Term) -> Term {
        if let Node::Ite(weaker, same, _) = *self.pool.node(b)
            && same == a
            && let (Some(this), Some(other)) = (self.known(c), self.known(weaker))
            && (this.term, this.is_signed) == (other.term, other.is_signed)
            && other.fact.follows_from(this.fact)
        {
            return b;
        }
        self.choice(c, a, b)
    }

    /// `t & mask` of a choice between constants, taken of the arms.
    pub(crate) fn masked(&mut self, t: Term, mask: Term) -> Option<Term> {
        let is_table = |pool: &icsched_smt::TermPool, t: Term| match *pool.node(t) {
            Node::Ite(_, a, _) => pool.as_const_wide(a).is_some(),
            _ => false,
        };
        (self.pool.as_const_wide(mask).is_some() && is_table(&self.pool, t))
            .then(|| self.through_choices(t, &|domain, t| domain.pool.binary(BinOp::And, t, mask)))
    }

    /// An extension of a choice between constants, taken of the arms.
    pub(crate) fn extended(&mut self, t: Term, width: u32, is_signed: bool) -> Term {
        let apply = |domain: &mut Self, t: Term| {
            if is_signed { domain.pool.sext(t, width) } else { domain.pool.zext(t, width) }
        };
        match *self.pool.node(t) {
            Node::Ite(_, a, _) if self.pool.as_const_wide(a).is_some() => self.through_choices(t, &apply),
            _ => apply(self, t),
        }
    }

    /// A bit operation on truth values that were widened; `None` when they were not.
    pub(crate) fn widened_connective(&mut self, op: BinOp, a: Term, b: Term) -> Option<Term> {
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
