//! Questions to the solver that have nothing to do with the path that is executed, in another thread perhaps.

use std::time::Duration;

use icsched_epochs::RunLimits;
use icsched_smt::{
    Answer, CachingSolver, Model, Solver, SolverOptions, SolverStatistics, Term, TermPool, UnknownReason, Z3Solver,
};

use crate::budgets::BUDGETS;

/// A copy of what an engine knows of its terms: the answers to what is asked of it depend on nothing else.
pub(crate) struct Questions {
    pub(crate) pool: TermPool,
    pub(crate) known: Vec<Term>,
    pub(crate) observes_floats: bool,
    pub(crate) limits: RunLimits,
}

impl Questions {
    /// Somebody who has been asked nothing yet. The answers are the same each time if this thread has asked nobody
    /// else.
    pub(crate) fn asker(self) -> Asker {
        let Self { pool, known, observes_floats, limits } = self;
        let solver = CachingSolver::new(solver(&limits, BUDGETS.solver_on_constraint));
        Asker { pool, known, observes_floats, limits, solver }
    }
}

/// Answers questions about constraints.
pub(crate) struct Asker {
    pool: TermPool,
    known: Vec<Term>,
    observes_floats: bool,
    limits: RunLimits,
    solver: CachingSolver<Z3Solver>,
}

impl Asker {
    pub(crate) fn pool(&mut self) -> &mut TermPool {
        &mut self.pool
    }

    /// What holds where the epoch begins.
    pub(crate) fn known(&self) -> &[Term] {
        &self.known
    }

    /// Whether a condition can hold where those of a path that is possible do. If it is not possible after all, the
    /// answer may be that it can.
    pub(crate) fn check(&mut self, possible: &[Term], extra: Term) -> Answer {
        let all: Vec<Term> = self.known.iter().chain(possible).copied().collect();
        let all: Vec<Term> = all.into_iter().map(|condition| self.without_floats(condition)).collect();
        let extra = self.without_floats(extra);
        self.solver.check(&mut self.pool, &all, extra)
    }

    /// An assignment under which it can, as for [`Self::check`]; `None` if it cannot.
    ///
    /// # Errors
    /// If nobody knows.
    pub(crate) fn model(&mut self, possible: &[Term], extra: Term) -> Result<Option<Model>, UnknownReason> {
        let all: Vec<Term> = self.known.iter().chain(possible).copied().collect();
        let all: Vec<Term> = all.into_iter().map(|condition| self.without_floats(condition)).collect();
        let extra = self.without_floats(extra);
        self.solver.model(&mut self.pool, &all, extra)
    }

    fn without_floats(&mut self, condition: Term) -> Term {
        if self.observes_floats { self.pool.without_floats(condition) } else { condition }
    }

    /// Whether the run, or the search, is to end.
    pub(crate) fn is_late(&self) -> bool {
        self.limits.is_over()
    }

    /// Counters of the solver.
    pub(crate) fn solver_statistics(&self) -> SolverStatistics {
        self.solver.statistics()
    }
}

/// A solver for questions that are not worth more time than `most`; the end of the run ends them.
pub(crate) fn solver(limits: &RunLimits, most: Duration) -> Z3Solver {
    let timeout = Some(limits.solver_timeout.min(most));
    Z3Solver::new(SolverOptions { timeout, ..SolverOptions::default() }).interrupted_by(limits.stop.interrupt())
}
