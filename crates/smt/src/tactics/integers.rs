//! Sums as integers: counters that add up to each other contradict each other as linear integer arithmetic.

use crate::stack::cache::Verdict;
use crate::stack::query::Query;
use crate::stack::tactic::{Run, Tactic};

/// Asks the back end whether comparisons of sums contradict each other as integers.
pub(super) struct Integers;

impl Tactic for Integers {
    fn name(&self) -> &'static str {
        "integers"
    }

    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
        let (rest, ranges) = query.rest_with_ranges(run.pool);
        run.back_end.contradict_as_integers(run.pool, ranges, rest).then_some(Verdict::Unsat)
    }
}
