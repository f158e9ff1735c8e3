//! Unit propagation: what clauses leave of each other is shorter, and falls apart into parts that were asked before.

use crate::stack::cache::Verdict;
use crate::stack::propagate::Propagator;
use crate::stack::query::Query;
use crate::stack::tactic::{Run, Tactic};

/// Decides what propagation leaves, part by part, if it is not all of the query.
pub(super) struct Propagation;

impl Tactic for Propagation {
    fn name(&self) -> &'static str {
        "propagation"
    }

    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
        let Some(left) = run.memory.scratch.of::<Propagator>().propagate(run.pool, query.conditions) else {
            return Some(Verdict::Unsat);
        };
        if left == query.conditions {
            return None;
        }
        match run.decide_parts(&left) {
            Verdict::Unknown(_) => None,
            verdict => Some(verdict),
        }
    }
}
