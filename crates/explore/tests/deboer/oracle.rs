//! A solver that knows one answer.

use std::cell::RefCell;
use std::rc::Rc;

use icsched_smt::{Answer, CachingSolver, Model, Solver, SolverStatistics, Term, TermPool, UnknownReason, Z3Solver};

/// Answers with a known input where it satisfies the query, and asks a real solver only where it doesn't.
pub(crate) struct Oracle {
    model: Rc<RefCell<Model>>,
    other: Option<CachingSolver<Z3Solver>>,
}

impl Oracle {
    pub(crate) fn new(model: Rc<RefCell<Model>>) -> Self {
        Self { model, other: None }
    }

    fn holds(&self, pool: &TermPool, constraints: &[Term], extra: Term) -> bool {
        let model = self.model.borrow();
        pool.eval_bool(extra, &model) && constraints.iter().all(|&c| pool.eval_bool(c, &model))
    }

    fn other(&mut self) -> &mut CachingSolver<Z3Solver> {
        self.other.get_or_insert_with(|| CachingSolver::new(Z3Solver::default()))
    }
}

impl Solver for Oracle {
    fn check(&mut self, pool: &mut TermPool, constraints: &[Term], extra: Term) -> Answer {
        if self.holds(pool, constraints, extra) {
            return Answer::Sat;
        }
        self.other().check(pool, constraints, extra)
    }

    fn model(
        &mut self,
        pool: &mut TermPool,
        constraints: &[Term],
        extra: Term,
    ) -> Result<Option<Model>, UnknownReason> {
        if self.holds(pool, constraints, extra) {
            return Ok(Some(self.model.borrow().clone()));
        }
        self.other().model(pool, constraints, extra)
    }

    fn statistics(&self) -> SolverStatistics {
        self.other.as_ref().map(Solver::statistics).unwrap_or_default()
    }
}
