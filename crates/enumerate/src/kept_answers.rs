//! What solvers have answered so far, kept for a search of the same epoch that begins anew.

use icsched_epochs::RunLimits;
use icsched_smt::{CachingSolver, Solver, Z3Solver};
use icsched_symbolic::symbolic::{Kept, SymbolicDomain};

use crate::budgets::BUDGETS;
use crate::plan::Plan;
use crate::questions::solver;

/// Terms, and what solvers know of them. An epoch that is searched again, with one more loop replaced, asks nearly
/// all questions again that were asked up to the loop.
pub(crate) struct KeptAnswers {
    /// Those of paths.
    pub(crate) paths: Kept,
    /// For questions about constraints.
    pub(crate) constraints: CachingSolver<Z3Solver>,
}

impl KeptAnswers {
    /// Nothing has been asked.
    pub(crate) fn new(limits: &RunLimits) -> Self {
        Self {
            paths: Kept::new(Box::new(CachingSolver::new(solver(limits, BUDGETS.solver_on_path)))),
            constraints: CachingSolver::new(solver(limits, BUDGETS.solver_on_constraint)),
        }
    }

    /// For a search that may be an attempt only.
    pub(crate) fn domain(self, plan: &Plan) -> (SymbolicDomain, CachingSolver<Z3Solver>) {
        let (mut domain, mut constraints) = (SymbolicDomain::with_kept(self.paths), self.constraints);
        let is_attempt = plan.followed.is_everything_in_all_ways();
        domain.set_impatient(is_attempt);
        constraints.set_impatient(is_attempt);
        (domain, constraints)
    }
}
