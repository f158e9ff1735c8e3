//! Unit propagation (Davis, Logemann and Loveland 1962): conditions that hold shorten the clauses among the others.
//!
//! Example: `!x`, `x || y` becomes `!x`, `y`. A literal is a whole condition, whatever it says.
//!
//! Most conditions of a search are clauses that begin with "elsewhere, or": what holds where a path has come to, and
//! what it has left to others. The conditions of one path decide most of them. What is left speaks of far less, so it
//! falls apart into parts that were asked about before.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::bounds::order::Orders;
use crate::bounds::ranges::Ranges;
use crate::budgets::BUDGETS;
use crate::terms::node::{BinOp, Node, Term};
use crate::terms::pool::TermPool;

/// A condition in a clause.
#[derive(Clone, Debug)]
struct Literal {
    condition: Term,
    negation: Term,
    /// If it is a conjunction, its conjuncts with their negations.
    conjuncts: Box<[(Term, Term)]>,
}

/// Propagates conditions; keeps what terms are made of.
#[derive(Debug, Default)]
pub(crate) struct Propagator {
    clauses: FxHashMap<Term, Arc<[Literal]>>,
    /// By index of the condition: the number of the query in which it holds.
    holds: Vec<u32>,
    question: u32,
}

/// One of the conditions, or what is left of it.
enum Part {
    /// It holds: no disjunction.
    Unit(Term),
    /// A disjunction, some of which may be known not to hold.
    Open(Term, Arc<[Literal]>),
    /// Nothing is left.
    Done,
}

impl Propagator {
    /// Conditions that are together equivalent to `terms`, in their order: those that are no disjunctions, and what
    /// these leave open of the others. Nothing if the terms contradict each other. O(literals) for each round; as many
    /// rounds as one unit implies another against the order of the terms.
    pub(crate) fn propagate(&mut self, pool: &mut TermPool, terms: &[Term]) -> Option<Vec<Term>> {
        let mut left = self.once(pool, terms)?;
        // What has become a unit may be a conjunction with disjunctions in it.
        while left.iter().any(|&t| matches!(pool.node(t), Node::Binary(BinOp::And, ..))) {
            left = self.once(pool, &left)?;
        }
        Some(left)
    }

    fn once(&mut self, pool: &mut TermPool, terms: &[Term]) -> Option<Vec<Term>> {
        let mut parts = Vec::with_capacity(terms.len());
        for &t in terms {
            for conjunct in pool.conjuncts(t) {
                let literals = self.clause(pool, conjunct);
                parts.push(match literals[..] {
                    [] => return None,
                    [_] => Part::Unit(conjunct),
                    _ => Part::Open(conjunct, literals),
                });
            }
        }
        self.begin(pool);
        for part in &parts {
            if let Part::Unit(condition) | Part::Open(condition, _) = part {
                self.know(*condition);
            }
        }
        for part in &parts {
            if let Part::Unit(condition) = part
                && self.is_known(pool.not(*condition))
            {
                return None;
            }
        }
        for _ in 0..BUDGETS.propagation.rounds {
            while self.round(&mut parts)? {}
            if !self.compare(pool, &parts) {
                break;
            }
        }
        let mut left = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Part::Unit(condition) => left.push(condition),
                Part::Open(whole, literals) => {
                    let open: Vec<Term> = literals.iter().filter(|l| !self.is_false(l)).map(|l| l.condition).collect();
                    left.push(if open.len() == literals.len() { whole } else { pool.or_all(&open) });
                }
                Part::Done => {}
            }
        }
        let mut seen = FxHashSet::default();
        left.retain(|&t| !pool.is_true(t) && seen.insert(t));
        Some(left)
    }

    /// The disjuncts of the shortest of the terms that are disjunctions, and which one that is.
    pub(crate) fn shortest_clause(&mut self, pool: &mut TermPool, terms: &[Term]) -> Option<(usize, Vec<Term>)> {
        let clauses = terms.iter().enumerate().map(|(at, &t)| (at, self.clause(pool, t)));
        let shortest = clauses.filter(|(_, literals)| literals.len() > 1).min_by_key(|(_, literals)| literals.len());
        shortest.map(|(at, literals)| (at, literals.iter().map(|literal| literal.condition).collect()))
    }

    /// Looks at each clause once. True if one has become a unit; nothing if no literal is left of one.
    fn round(&mut self, parts: &mut [Part]) -> Option<bool> {
        let mut again = false;
        for part in parts {
            let Part::Open(_, literals) = part else { continue };
            if literals.iter().any(|literal| self.is_true(literal)) {
                *part = Part::Done;
                continue;
            }
            let mut open = literals.iter().filter(|literal| !self.is_false(literal));
            match (open.next(), open.next()) {
                (None, _) => return None,
                (Some(unit), None) => {
                    self.know(unit.condition);
                    unit.conjuncts.iter().for_each(|&(condition, _)| self.know(condition));
                    *part = Part::Unit(unit.condition);
                    again = true;
                }
                (Some(_), Some(_)) => {}
            }
        }
        Some(again)
    }

    /// Decides open comparisons by those that hold. True if there was one.
    fn compare(&mut self, pool: &TermPool, parts: &[Part]) -> bool {
        let units = || parts.iter().filter_map(|part| if let Part::Unit(t) = *part { Some(t) } else { None });
        let clauses =
            parts.iter().filter_map(|part| if let Part::Open(_, literals) = part { Some(literals) } else { None });
        let mut open: Vec<(Term, Term)> = Vec::new();
        for literal in clauses.flat_map(|literals| literals.iter()) {
            open.push((literal.condition, literal.negation));
            open.extend(&literal.conjuncts);
        }
        open.retain(|&(condition, negation)| !self.is_known(condition) && !self.is_known(negation));
        if open.is_empty() {
            return false;
        }
        let (mut orders, mut ranges) = (Orders::of(pool, units()), Ranges::under(pool, units()));
        let mut is_new = false;
        for (condition, negation) in open {
            if self.is_known(condition) || self.is_known(negation) {
                continue;
            }
            if let Some(holds) = orders.decide(pool, condition).or_else(|| ranges.decide(pool, condition)) {
                self.know(if holds { condition } else { negation });
                is_new = true;
            }
        }
        is_new
    }

    fn begin(&mut self, pool: &TermPool) {
        self.holds.resize(pool.len(), 0);
        self.question = self.question.wrapping_add(1);
        if self.question == 0 {
            self.holds.fill(0);
            self.question = 1;
        }
    }

    fn know(&mut self, condition: Term) {
        self.holds[condition.index()] = self.question;
    }

    fn is_true(&self, literal: &Literal) -> bool {
        let all = || !literal.conjuncts.is_empty() && literal.conjuncts.iter().all(|&(c, _)| self.is_known(c));
        self.is_known(literal.condition) || all()
    }

    fn is_false(&self, literal: &Literal) -> bool {
        self.is_known(literal.negation) || literal.conjuncts.iter().any(|&(_, negation)| self.is_known(negation))
    }

    fn is_known(&self, condition: Term) -> bool {
        self.holds[condition.index()] == self.question
    }

    /// The disjuncts of a condition; empty if it is false.
    fn clause(&mut self, pool: &mut TermPool, condition: Term) -> Arc<[Literal]> {
        if let Some(known) = self.clauses.get(&condition) {
            return Arc::clone(known);
        }
        let never = pool.is_false(condition);
        let disjuncts = if never { Vec::new() } else { pool.disjuncts(condition) };
        let literals: Arc<[Literal]> = disjuncts.into_iter().map(|t| literal(pool, t)).collect();
        self.clauses.insert(condition, Arc::clone(&literals));
        literals
    }
}

fn literal(pool: &mut TermPool, condition: Term) -> Literal {
    let mut conjuncts = pool.conjuncts(condition);
    if conjuncts.len() == 1 {
        conjuncts.clear();
    }
    let conjuncts = conjuncts.into_iter().map(|t| (t, pool.not(t))).collect();
    Literal { condition, negation: pool.not(condition), conjuncts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::node::CmpOp;

    /// `x == 1`, `y == 1`, `z == 1` and a pool.
    fn conditions() -> (TermPool, [Term; 3]) {
        let mut pool = TermPool::new();
        let one = pool.constant(32, 1);
        let all = ["x", "y", "z"].map(|name| {
            let symbol = pool.symbol(name, 32);
            pool.cmp(CmpOp::Eq, symbol, one)
        });
        (pool, all)
    }

    #[test]
    fn a_clause_whose_other_conditions_fail_is_a_unit() {
        let (mut pool, [x, y, z]) = conditions();
        let (not_x, not_y) = (pool.not(x), pool.not(y));
        // The clause that comes first needs what the second one implies.
        let terms = [pool.or_all(&[y, z]), pool.or_all(&[x, not_y]), not_x];
        let left = Propagator::default().propagate(&mut pool, &terms);
        assert_eq!(left, Some(vec![z, not_y, not_x]));
    }

    #[test]
    fn what_holds_anyway_goes_and_the_rest_is_shorter() {
        let (mut pool, [x, y, z]) = conditions();
        let not_x = pool.not(x);
        let terms = [x, pool.or_all(&[x, y]), pool.or_all(&[not_x, y, z])];
        let rest = pool.or_all(&[y, z]);
        assert_eq!(Propagator::default().propagate(&mut pool, &terms), Some(vec![x, rest]));
    }

    #[test]
    fn conjunctions_in_clauses_hold_or_fail_with_their_parts() {
        let (mut pool, [x, y, z]) = conditions();
        let (not_x, not_z) = (pool.not(x), pool.not(z));
        let both = pool.and_all(&[x, y]);
        let mut propagator = Propagator::default();
        let either = pool.or_all(&[both, z]);
        assert_eq!(propagator.propagate(&mut pool, &[either, not_x]), Some(vec![z, not_x]));
        assert_eq!(propagator.propagate(&mut pool, &[either, not_z]), Some(vec![x, y, not_z]));
        assert_eq!(propagator.propagate(&mut pool, &[either, x, y]), Some(vec![x, y]));
    }

    #[test]
    fn comparisons_decide_others() {
        let mut pool = TermPool::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| pool.symbol(name, 64));
        let [three, nine] = [3, 9].map(|n| pool.constant(64, n));
        let (ab, bc, ca) = (pool.cmp(CmpOp::Slt, a, b), pool.cmp(CmpOp::Slt, b, c), pool.cmp(CmpOp::Sle, c, a));
        let (small, large, other) =
            (pool.cmp(CmpOp::Eq, d, three), pool.cmp(CmpOp::Slt, nine, d), pool.cmp(CmpOp::Slt, d, a));
        let terms = [ab, bc, pool.or_all(&[ca, small]), pool.or_all(&[large, other])];
        let left = Propagator::default().propagate(&mut pool, &terms);
        assert_eq!(left, Some(vec![ab, bc, small, other]));
    }

    #[test]
    fn nothing_is_left_of_a_contradiction() {
        let (mut pool, [x, y, _]) = conditions();
        let (not_x, not_y) = (pool.not(x), pool.not(y));
        let both = pool.and_all(&[x, y]);
        let mut propagator = Propagator::default();
        let clause = pool.or_all(&[not_x, not_y]);
        assert_eq!(propagator.propagate(&mut pool, &[both, clause]), None);
        assert_eq!(propagator.propagate(&mut pool, &[x, not_x]), None);
        let never = pool.bool(false);
        assert_eq!(propagator.propagate(&mut pool, &[x, never]), None);
    }
}
