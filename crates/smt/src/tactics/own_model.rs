//! The path's own model: of the two sides of a branch, one is nearly always what the path's model says.

use crate::search::repair::Repairer;
use crate::stack::cache::Verdict;
use crate::stack::query::Query;
use crate::stack::tactic::{Run, Tactic};

/// Evaluates the newest condition under the path's own model.
pub(super) struct OwnModel;

impl Tactic for OwnModel {
    fn name(&self) -> &'static str {
        "own model"
    }

    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
        let model = query.own_model.as_ref()?;
        let newest = *query.conditions.last()?;
        let holds = run.memory.scratch.of::<Repairer>().holds(run.pool, newest, model);
        holds.then(|| run.reused(model.clone()))
    }
}
