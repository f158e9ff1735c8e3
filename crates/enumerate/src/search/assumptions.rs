//! What paths take for granted, of all inputs that decide as they do.

use icsched_machine::{DecisionKind, PathEnd};
use icsched_slicing::objects::Objects;
use icsched_slicing::{Prepared, Sliceable};
use icsched_smt::{Term, TermPool};
use icsched_symbolic::trace::{Decision, OtherSide, TraceEvent};
use rustc_hash::FxHashSet;

use super::state::Search;
use crate::constraint::Conjunction;
use crate::engine::Path;

impl Search<'_, '_> {
    /// The decisions by which a path has left summarised loops, and nobody else could do otherwise.
    pub(super) fn ways_out(&mut self, path: &Path) -> FxHashSet<usize> {
        if !self.options.slicing {
            return FxHashSet::default();
        }
        let objects = Objects::of(&path.state.heap).with_initial(self.engine.initial_objects(&path.state));
        let prepared = Prepared::new(self.statics, &objects, &path.trace);
        let trace = Sliceable { objects: &objects, trace: &path.trace, prepared: &prepared };
        trace.ways_out(self.statics, &mut self.caches)
    }
}

/// What the path takes for granted (`__ics_assume`, `__ics_known`), with the events that did: each says that it holds
/// if all that was decided before does. Who decides otherwise may never come to where it is said, or come there with
/// another object. That includes what only the constraint leaves no choice of under which the path was `explored`. So
/// does how summarised loops are left that have one way out: what is known of them is the state in which they are left.
pub(super) fn assumed(
    pool: &mut TermPool,
    path: &Path,
    ways_out: &FxHashSet<usize>,
    explored: &Conjunction,
) -> Vec<(usize, Term)> {
    let (mut elsewhere, mut facts) = (Vec::new(), Vec::new());
    let mut known = FxHashSet::default();
    let mut decided: Vec<(usize, &Decision)> = Vec::new();
    for (index, event) in path.trace.events.iter().enumerate() {
        if let TraceEvent::Decision { decision, .. } = event {
            decided.push((index, decision));
        }
    }
    // What says that there is no such path was not executed.
    if path.end == PathEnd::Infeasible
        && let Some((site, decision)) = path.decisions.last()
        && site.kind == DecisionKind::Assume
    {
        decided.push((path.trace.events.len(), decision));
    }
    for (index, decision) in decided {
        let is_fact = decision.kind == DecisionKind::Assume || ways_out.contains(&index);
        // What could not be otherwise on any path follows from the rest.
        let follows = explored.conditions().is_empty() && decision.other == OtherSide::Infeasible;
        if (!is_fact && follows) || !known.insert(decision.condition) {
            continue;
        }
        if is_fact {
            let all: Vec<Term> = elsewhere.iter().copied().chain([decision.condition]).collect();
            facts.push((index, pool.or_all(&all)));
        } else {
            elsewhere.push(pool.not(decision.condition));
        }
    }
    facts
}
