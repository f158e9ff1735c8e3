//! Equations: `8 * column + row == next - 1` is solved for a symbol, which is put in.

use crate::stack::cache::Verdict;
use crate::stack::implied_values::Reduced;
use crate::stack::query::Query;
use crate::stack::tactic::{Run, Tactic};

/// Solves equations between sums, and decides what is left, part by part.
pub(super) struct Equations;

impl Tactic for Equations {
    fn name(&self) -> &'static str {
        "equations"
    }

    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
        let solved = match query.reduction() {
            Some(reduced) => reduced.solved(run.pool)?,
            None => Reduced::new(run.pool, query.conditions).solved(run.pool)?,
        };
        if solved.is_false(run.pool) {
            return Some(Verdict::Unsat);
        }
        let verdict = run.decide_parts(&solved.terms);
        Some(run.completed_verdict(Some(&solved), verdict))
    }
}
