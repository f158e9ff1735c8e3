//! Models of the last queries: conditions that many paths have hold under the same ones.

use crate::stack::cache::Verdict;
use crate::stack::query::Query;
use crate::stack::tactic::{Run, Tactic};

/// Evaluates all conditions under recent models.
pub(super) struct RecentModel;

impl Tactic for RecentModel {
    fn name(&self) -> &'static str {
        "recent model"
    }

    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
        let model = run.memory.recent.find(run.pool, query.key)?;
        Some(run.reused(model))
    }
}
