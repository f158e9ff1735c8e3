//! Contradictions at sight: nothing is left of an interval, or a term is less than itself.

use crate::bounds::order::Orders;
use crate::stack::cache::Verdict;
use crate::stack::query::Query;
use crate::stack::tactic::{Run, Tactic};

/// Finds contradictions by intervals and by the order of terms.
pub(super) struct Contradiction;

impl Tactic for Contradiction {
    fn name(&self) -> &'static str {
        "contradiction"
    }

    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
        let is_contradiction =
            query.ranges(run.pool).is_contradiction() || Orders::are_circular(run.pool, query.conditions);
        is_contradiction.then_some(Verdict::Unsat)
    }
}
