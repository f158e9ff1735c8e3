//! The path's own model, changed where the newest condition asks for it: mostly the other side of a branch.

use crate::search::repair::Repairer;
use crate::stack::cache::Verdict;
use crate::stack::query::Query;
use crate::stack::tactic::{Run, Tactic};

/// Repairs the path's own model.
pub(super) struct Repair;

impl Tactic for Repair {
    fn name(&self) -> &'static str {
        "repair"
    }

    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
        let model = query.own_model.as_ref()?;
        let repaired = run.memory.scratch.of::<Repairer>().repair(run.pool, query.conditions, model)?;
        Some(run.guessed(repaired))
    }
}
