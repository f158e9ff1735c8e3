//! Local search: one symbol of a model is changed after the other until all conditions hold.

use crate::budgets::{BUDGETS, SearchEffort};
use crate::search::local_search::LocalSearch;
use crate::stack::cache::Verdict;
use crate::stack::query::Query;
use crate::stack::tactic::{Run, Tactic};

/// Before the back end is asked.
pub(super) struct QuickSearch;

/// When the back end did not know in a short time.
pub(super) struct LongSearch;

impl Tactic for QuickSearch {
    fn name(&self) -> &'static str {
        "quick local search"
    }

    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
        search(run, query, BUDGETS.local_search.quick)
    }
}

impl Tactic for LongSearch {
    fn name(&self) -> &'static str {
        "long local search"
    }

    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
        if run.back_end.is_interrupted() {
            return None;
        }
        let long = BUDGETS.local_search.long;
        let evaluations = run.memory.given_up.fewer_evaluations(query.key, long.evaluations);
        search(run, query, SearchEffort { evaluations, ..long })
    }
}

/// Searches a model from the path's own and recent ones.
fn search(run: &mut Run<'_>, query: &Query<'_>, effort: SearchEffort) -> Option<Verdict> {
    let bases = run.memory.recent.with_own(query.own_model.clone());
    let model = run.memory.scratch.of::<LocalSearch>().search(run.pool, query.conditions, &bases, effort)?;
    Some(run.guessed(model))
}
