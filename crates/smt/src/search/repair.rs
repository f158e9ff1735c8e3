//! Repairing a model: the path's own model with the few symbols changed that the newest condition asks for.
//!
//! One condition after the other that does not hold is followed down to symbols, undoing one operator after the other,
//! and the symbols are set. A comparison leaves an interval; inside of it a value is taken that the other comparisons
//! of the same operand allow as well, and not the first one, so that later conditions still find room between two
//! values. This is propagation-based local search (Niemetz, Preiner and Biere, FMSD 2017), with a few steps instead of
//! restarts.
//!
//! Only ever finds solutions, all of whose terms have been evaluated; that nothing was found says nothing.

use crate::bounds::interval::{self, Interval, is_signed};
use crate::budgets::BUDGETS;
use crate::search::dense_evaluation::DenseEvaluation;
use crate::search::invert::undo;
use crate::terms::bits::mask;
use crate::terms::model::Model;
use crate::terms::node::{BinOp, CmpOp, MAX_WIDTH, Node, Term};
use crate::terms::pool::TermPool;

/// Repairs models of queries; keeps nothing between queries but memory.
#[derive(Debug, Default)]
pub(crate) struct Repairer {
    evaluation: DenseEvaluation,
    /// Symbols that differ from the model, with their values.
    changed: Vec<(Term, u128)>,
    /// Terms on the way down, with the value each should get.
    wanted: Vec<(Term, u128)>,
}

impl Repairer {
    /// Whether a condition holds under a model.
    pub(crate) fn holds(&mut self, pool: &TermPool, condition: Term, model: &Model) -> bool {
        self.evaluation.restart(pool);
        self.evaluation.value(pool, condition, model) == 1
    }

    /// A model of all `terms`, which are in the order of the path, made from one in which most of them hold.
    pub(crate) fn repair(&mut self, pool: &TermPool, terms: &[Term], base: &Model) -> Option<Model> {
        self.changed.clear();
        self.evaluation.evaluated = 0;
        for _ in 0..BUDGETS.repair.conditions {
            self.evaluation.restart(pool);
            for &(symbol, bits) in &self.changed {
                self.evaluation.set(symbol, bits);
            }
            match self.failing(pool, terms, base)? {
                None => return Some(self.model(pool, base)),
                Some(failing) if self.force(pool, terms, base, failing) => {}
                Some(_) => return None,
            }
        }
        None
    }

    /// The newest term that does not hold, if there is one; `None` when finding out is too much work.
    fn failing(&mut self, pool: &TermPool, terms: &[Term], base: &Model) -> Option<Option<Term>> {
        for &t in terms.iter().rev() {
            let holds = self.evaluation.value(pool, t, base) == 1;
            if self.evaluation.evaluated > BUDGETS.repair.evaluations {
                return None;
            }
            if !holds {
                return Some(Some(t));
            }
        }
        Some(None)
    }

    fn model(&self, pool: &TermPool, base: &Model) -> Model {
        let mut model = base.clone();
        for &(symbol, bits) in &self.changed {
            let name = pool.symbol_name(symbol).expect("symbols have names");
            model.set(name, pool.width(symbol), bits);
        }
        model
    }

    /// Sets the symbols that one way to make a condition hold asks for; false when it leads nowhere.
    fn force(&mut self, pool: &TermPool, terms: &[Term], base: &Model, condition: Term) -> bool {
        self.wanted.clear();
        self.wanted.push((condition, 1));
        let mut steps = 0;
        let mut moved = false;
        while let Some((t, wanted)) = self.wanted.pop() {
            steps += 1;
            if self.evaluation.known(t) == wanted {
                continue;
            }
            let Node::Symbol { .. } = *pool.node(t) else {
                if steps > BUDGETS.repair.descent || !self.descend(pool, terms, base, t, wanted) {
                    return false;
                }
                continue;
            };
            moved = true;
            match self.changed.iter_mut().find(|(symbol, _)| *symbol == t) {
                Some((_, bits)) => *bits = wanted,
                None => self.changed.push((t, wanted)),
            }
        }
        moved
    }

    /// Pushes what the operands of a term should be; false when the operator can't be undone.
    fn descend(&mut self, pool: &TermPool, terms: &[Term], base: &Model, t: Term, wanted: u128) -> bool {
        let constant = |t: Term| matches!(pool.node(t), Node::Const { .. });
        let second = match *pool.node(t) {
            Node::Cmp(op, a, b) => return self.compare(pool, terms, base, (op, a, b), wanted == 1),
            Node::Binary(BinOp::And, a, b) if pool.width(t) == 1 && wanted == 1 => return self.want([(a, 1), (b, 1)]),
            Node::Binary(BinOp::Or, a, b) if pool.width(t) == 1 && wanted == 0 => return self.want([(a, 0), (b, 0)]),
            Node::Binary(BinOp::And | BinOp::Or, a, b) if pool.width(t) == 1 => {
                return self.want([(if constant(a) { b } else { a }, wanted)]);
            }
            Node::Concat(a, b) => {
                let low = pool.width(b);
                return self.want([(a, wanted >> low), (b, wanted & mask(low))]);
            }
            Node::Ite(c, a, b) => {
                let (arm, other) = if self.evaluation.known(c) == 1 { (a, b) } else { (b, a) };
                let switch = self.evaluation.known(other) == wanted || constant(arm);
                return self.want([if switch { (c, 1 - self.evaluation.known(c)) } else { (arm, wanted) }]);
            }
            Node::Binary(_, a, _) => constant(a),
            _ => false,
        };
        let operand = undo(pool, t, wanted, second, |t| self.evaluation.known(t));
        operand.is_some_and(|operand| self.want([operand]))
    }

    fn want<const N: usize>(&mut self, operands: [(Term, u128); N]) -> bool {
        self.wanted.extend(operands);
        true
    }

    /// Picks an operand of a comparison and a value for it.
    fn compare(
        &mut self,
        pool: &TermPool,
        terms: &[Term],
        base: &Model,
        (op, a, b): (CmpOp, Term, Term),
        holds: bool,
    ) -> bool {
        let fixed = |t: Term| pool.symbols_of(t).iter().all(|s| self.changed.iter().any(|(c, _)| c == s));
        // An operand that was set by this search already is left alone if the other one wasn't.
        let sides = if fixed(b) && !fixed(a) { [(a, b, true), (b, a, false)] } else { [(b, a, false), (a, b, true)] };
        let sides = sides.into_iter().filter(|(t, ..)| pool.as_const_wide(*t).is_none());
        let width = pool.width(a);
        if op == CmpOp::Eq {
            let Some((t, other, _)) = sides.into_iter().next() else { return false };
            let (old, other) = (self.evaluation.known(t), self.evaluation.known(other));
            return self.want([(t, if holds { other } else { another(pool, t, old) })]);
        }
        if width > interval::MAX_WIDTH {
            return false;
        }
        let mut fallback = None;
        for (t, other, left) in sides {
            let mut own = Interval::of(pool, op, t);
            own.narrow(op, left, self.read(pool, op, other), holds);
            if own.is_empty() {
                continue;
            }
            let all = self.bounds(pool, terms, base, op, t, own);
            let old = self.read(pool, op, t);
            if !all.is_empty() {
                return self.want([(t, all.pick(old) as u128 & mask(width))]);
            }
            fallback = fallback.or(Some((t, own.pick(old) as u128 & mask(width))));
        }
        fallback.is_some_and(|operand| self.want([operand]))
    }

    /// The value of an operand as the comparison reads it.
    fn read(&self, pool: &TermPool, op: CmpOp, t: Term) -> i128 {
        interval::read(op, pool.width(t), self.evaluation.known(t))
    }

    /// What all comparisons of a term leave to it, as long as the other sides keep their values.
    fn bounds(
        &mut self,
        pool: &TermPool,
        terms: &[Term],
        base: &Model,
        op: CmpOp,
        t: Term,
        mut interval: Interval,
    ) -> Interval {
        for &term in terms {
            let Node::Cmp(other_op, a, b) = *pool.node(term) else { continue };
            let ordering = other_op != CmpOp::Eq && is_signed(other_op) == is_signed(op);
            if ordering && (a == t) != (b == t) {
                let other = if a == t { b } else { a };
                self.evaluation.value(pool, other, base);
                interval.narrow(other_op, a == t, self.read(pool, op, other), true);
            }
        }
        interval
    }
}

/// A value that a term can take instead of `old`: one that differs in a bit which the term leaves open.
fn another(pool: &TermPool, mut t: Term, old: u128) -> u128 {
    let mut shift = 0;
    loop {
        let lowest = match *pool.node(t) {
            Node::ZExt { arg, .. } | Node::SExt { arg, .. } => {
                t = arg;
                continue;
            }
            Node::Concat(a, b) => {
                let skipped = pool.as_const_wide(b).is_some();
                shift += if skipped { pool.width(b) } else { 0 };
                t = if skipped { a } else { b };
                continue;
            }
            Node::Binary(BinOp::And | BinOp::Mul, _, c) => pool.as_const_wide(c).map_or(0, u128::trailing_zeros),
            _ => 0,
        };
        let bit = 1 << ((lowest + shift) & (MAX_WIDTH - 1));
        return if bit == 1 { old.wrapping_add(1) & mask(pool.width(t)) } else { old ^ bit };
    }
}
