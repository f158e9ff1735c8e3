//! Searches for measures that prove that something ends.
//!
//! One strict measure of all pairs of rounds is enough. Else measures are put in an order (lexicographic). The first
//! one is weak on all pairs. The next ones only have to account for pairs on which it is not strict.
//! (Bradley, Manna and Sipma, "Linear ranking with reachability", 2005, with given measures in place of synthesised
//! ones.)

use icsched_smt::{Model, Solver as _, SolverOptions, Term, TermPool, Z3Solver};

use super::measure::{Compared, Measure};
use crate::budgets::BUDGETS;

/// Two rounds, one right behind the other, and what each measure says of them.
#[derive(Clone)]
pub(super) struct Transition {
    /// What the rounds are of: the first one and the second one, in a recursion of several functions.
    pub(super) of: (usize, usize),
    /// What holds of both.
    pub(super) holds: Vec<Term>,
    /// By the numbers of the measures.
    pub(super) measured: Vec<Option<Compared>>,
}

/// What products and quotients of two unknown numbers may be in a question.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Products {
    /// Any number: what is never met then never is. That is quick, and enough for most loops.
    Anything,
    /// What they are.
    Exact,
}

/// Asks a solver.
pub(super) struct Prover<'p> {
    pub(super) pool: &'p mut TermPool,
    solver: Z3Solver,
    /// Answers to earlier questions: what holds of two rounds, though a measure was not as wanted.
    models: Vec<Model>,
    /// The same, where products are anything.
    relaxed_models: Vec<Model>,
    /// What products may be in the questions that are asked now.
    products: Products,
    /// Whether a question was left open because products may be anything.
    has_met_products: bool,
    questions: usize,
    open: usize,
}

impl<'p> Prover<'p> {
    pub(super) fn new(pool: &'p mut TermPool) -> Self {
        let options = SolverOptions { timeout: Some(BUDGETS.question_work), ..SolverOptions::default() };
        Self {
            pool,
            solver: Z3Solver::new(options),
            models: Vec::new(),
            relaxed_models: Vec::new(),
            products: Products::Anything,
            has_met_products: false,
            questions: 0,
            open: 0,
        }
    }

    /// As many questions may be asked as at first.
    pub(super) fn begin_anew(&mut self) {
        (self.questions, self.open) = (0, 0);
    }

    /// Whether conditions are never met together.
    pub(super) fn never(&mut self, conditions: &[Term], also: Term) -> bool {
        if self.pool.is_false(also) || conditions.iter().any(|&c| self.pool.is_false(c)) {
            return true;
        }
        let pool = &*self.pool;
        let meets = |model: &Model| conditions.iter().chain([&also]).all(|&c| pool.eval_bool(c, model));
        if self.models.iter().any(meets) || self.questions >= BUDGETS.questions || self.open >= BUDGETS.open_questions {
            return false;
        }
        self.questions += 1;
        let terms: Vec<Term> = conditions.iter().copied().chain([also]).collect();
        let is_hard = terms.iter().any(|&term| self.pool.is_hard(term));
        if is_hard && self.is_never_whatever_products_are(&terms) {
            return true;
        }
        if is_hard && self.products == Products::Anything {
            self.has_met_products = true;
            return false;
        }
        if is_hard && self.circuits_of_products(&terms) > BUDGETS.circuits_of_products {
            self.open += 1;
            return false;
        }
        match self.solver.model(self.pool, conditions, also) {
            Ok(None) => true,
            Ok(Some(model)) => {
                self.models.push(model);
                false
            }
            Err(_) => {
                self.open += 1;
                false
            }
        }
    }

    /// Whether conditions are never met together, whatever products and quotients of unknown numbers are.
    fn is_never_whatever_products_are(&mut self, terms: &[Term]) -> bool {
        let relaxed = self.pool.without_products(terms);
        let Some((&also, conditions)) = relaxed.split_last() else { return false };
        if relaxed.iter().any(|&term| self.pool.is_false(term)) {
            return true;
        }
        let pool = &*self.pool;
        if self.relaxed_models.iter().any(|model| relaxed.iter().all(|&term| pool.eval_bool(term, model))) {
            return false;
        }
        match self.solver.model(self.pool, conditions, also) {
            Ok(None) => true,
            Ok(Some(model)) => {
                self.relaxed_models.push(model);
                false
            }
            Err(_) => {
                self.open += 1;
                false
            }
        }
    }

    /// What it takes to make circuits of the products and quotients of unknown numbers: the sum of squares of their
    /// bytes.
    fn circuits_of_products(&self, terms: &[Term]) -> u32 {
        let all = self.pool.postorder(terms, |_| false);
        let products = all.into_iter().filter(|&term| self.pool.is_product(term));
        products.map(|term| self.pool.width(term).div_ceil(8).pow(2)).sum()
    }

    /// Whether some question was left because products may be anything in it.
    pub(super) fn has_met_products(&self) -> bool {
        self.has_met_products
    }

    /// What products may be in the questions that follow.
    pub(super) fn take_products_for(&mut self, products: Products) {
        self.products = products;
        self.begin_anew();
    }

    /// Whether something holds on all transitions.
    fn always(&mut self, transitions: &[(usize, Vec<Term>)], holds: impl Fn(usize) -> Option<Term>) -> bool {
        transitions.iter().all(|(at, conditions)| {
            let Some(holds) = holds(*at) else { return false };
            let not = self.pool.not(holds);
            self.never(conditions, not)
        })
    }

    /// Measures, in order, that show that no sequence of transitions is endless; `is_ended` asks of a measure whether
    /// it cannot get smaller for ever, where that is in doubt.
    pub(super) fn order(
        &mut self,
        measures: &[Measure],
        transitions: &[Transition],
        is_ended: &mut dyn FnMut(Measure) -> bool,
    ) -> Option<Vec<Measure>> {
        let yes = self.pool.bool(true);
        let mut left: Vec<(usize, Vec<Term>)> =
            transitions.iter().enumerate().map(|(at, t)| (at, t.holds.clone())).collect();
        left.retain(|(_, conditions)| !self.never(conditions, yes));
        let mut found = Vec::new();
        let mut unused: Vec<usize> = (0..measures.len()).collect();
        while !left.is_empty() {
            let compared = |at: usize, of: usize| transitions[at].measured[of];
            let strict = unused
                .iter()
                .copied()
                .find(|&of| self.always(&left, |at| compared(at, of).map(|c| c.strict)) && is_ended(measures[of]));
            if let Some(of) = strict {
                found.push(measures[of]);
                return Some(found);
            }
            if found.len() + 1 >= BUDGETS.ordered_measures {
                return None;
            }
            let weak = unused.iter().copied().find(|&of| {
                self.always(&left, |at| compared(at, of).map(|c| c.weak))
                    && self.helps(&left, |at| compared(at, of).map(|c| c.strict))
                    && is_ended(measures[of])
            })?;
            found.push(measures[weak]);
            unused.retain(|&of| of != weak);
            for (at, conditions) in &mut left {
                if let Some(compared) = transitions[*at].measured[weak] {
                    conditions.push(self.pool.not(compared.strict));
                }
            }
            left.retain(|(_, conditions)| !self.never(conditions, yes));
            let ways: Vec<(usize, usize)> = left.iter().map(|(at, _)| transitions[*at].of).collect();
            left.retain(|(at, _)| comes_back(&ways, transitions[*at].of));
        }
        Some(found)
    }

    /// Which candidates hold at the beginning of each round, if they do at that of the first one.
    ///
    /// A candidate is what it says of the first and of the second of two rounds, of which `holds` is known (Houdini:
    /// Flanagan and Leino 2001).
    pub(super) fn invariants(&mut self, holds: &[Term], candidates: &[(Term, Term)]) -> Vec<(Term, Term)> {
        let mut kept = candidates.to_vec();
        loop {
            let before = kept.len();
            let assumed: Vec<Term> = holds.iter().copied().chain(kept.iter().map(|c| c.0)).collect();
            let fails = kept.iter().position(|&(_, behind)| {
                let not = self.pool.not(behind);
                !self.never(&assumed, not)
            });
            if let Some(at) = fails {
                kept.remove(at);
            }
            if kept.len() == before {
                return kept;
            }
        }
    }

    /// Whether something holds on some transition.
    fn helps(&mut self, transitions: &[(usize, Vec<Term>)], holds: impl Fn(usize) -> Option<Term>) -> bool {
        transitions.iter().any(|(at, conditions)| holds(*at).is_some_and(|holds| !self.never(conditions, holds)))
    }
}

/// Whether ways lead from the end of one to its beginning, or to where it is.
fn comes_back(ways: &[(usize, usize)], (from, to): (usize, usize)) -> bool {
    let mut reached = vec![to];
    let mut at = 0;
    while let Some(&here) = reached.get(at) {
        if here == from {
            return true;
        }
        at += 1;
        for &(_, next) in ways.iter().filter(|way| way.0 == here) {
            if !reached.contains(&next) {
                reached.push(next);
            }
        }
    }
    false
}
