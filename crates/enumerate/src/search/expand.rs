//! Which inputs are explored next, and those of paths that no input follows.

use icsched_epochs::graph;
use icsched_epochs::summarisable::Summarisable;
use icsched_ir::ProgramPoint;
use icsched_machine::DecisionKind;
use icsched_schedule::{IncompleteKind, Reason};
use icsched_slicing::{SliceDecision, call_path, every_decision};
use icsched_smt::{Answer, Term};
use icsched_symbolic::trace::{OtherSide, TraceEvent};
use rustc_hash::FxHashSet;

use super::assumptions::assumed;
use super::state::Search;
use crate::constraint::Conjunction;
use crate::engine::Path;
use crate::next_summary::Wanted;

impl Search<'_, '_> {
    /// No input follows this path to its end (a bound of an input excludes it), so nothing need cover it.
    pub(super) fn exclude(&mut self, path: &Path, constraint: &Conjunction) {
        let decisions = every_decision(self.statics, &path.trace);
        let conditions: Vec<Term> = decisions.iter().map(|d| d.condition).collect();
        let term = self.engine.pool().and_all(&conditions);
        // From the entry on, all states that are excluded are so by a condition that the path itself takes for
        // granted. What something that is replaced has left is as little known as the state at the beginning of
        // another epoch.
        let knows_all = self.engine.is_entry() && path.state.path.forgotten().is_empty();
        let by_bound = path.decisions.last().is_some_and(|(site, decision)| {
            site.kind == DecisionKind::Assume && (!knows_all || decision.other != OtherSide::Feasible)
        });
        let excluded = if self.engine.is_entry() {
            self.engine.check(constraint.conditions(), term)
        } else {
            // What is known of the state counts, too.
            self.engine.check(path.state.path.constraints(), term)
        };
        let is_explained = by_bound || self.engine.contradicts_assumption(path);
        if !is_explained && excluded == Answer::Sat {
            let message = "a path was given up as impossible although inputs may follow it".to_owned();
            let stack = self.engine.current_stack(&path.state);
            let at = Some(graph::place(self.program(), &stack));
            self.reasons.add(Reason { kind: IncompleteKind::UnresolvedPointer, message, at });
        }
        let ways_out = self.ways_out(path);
        for (_, fact) in assumed(self.engine.pool(), path, &ways_out, constraint) {
            self.engine.learn(fact);
        }
        // Nothing is said of inputs that the path was not executed under.
        let all: Vec<Term> = constraint.conditions().iter().copied().chain([term]).collect();
        let term = self.engine.pool().and_all(&all);
        self.cover(term);
        self.expand(path, &decisions, &ways_out, constraint);
    }

    /// Queues the inputs on the other side of each condition (lines 21 to 28 of figure 3.4). Together with what the
    /// path covers they are all inputs of `explored`, the constraint that the path was executed under.
    pub(super) fn expand(
        &mut self,
        path: &Path,
        slice: &[SliceDecision],
        ways_out: &FxHashSet<usize>,
        explored: &Conjunction,
    ) {
        let mut prefix: Vec<Term> = explored.conditions().to_vec();
        let mut known: FxHashSet<Term> = prefix.iter().copied().collect();
        let facts = assumed(self.engine.pool(), path, ways_out, explored);
        let mut facts = facts.into_iter().peekable();
        for decision in slice {
            while let Some((_, fact)) = facts.next_if(|(event, _)| *event < decision.event) {
                prefix.push(fact);
            }
            if !known.insert(decision.condition) {
                continue;
            }
            let negated = self.engine.pool().not(decision.condition);
            let constraint = Conjunction::new(prefix.iter().copied().chain([negated]).collect());
            // The other side is one path: it ends where the call would return.
            let is_look = matches!(&path.trace.events[decision.event], TraceEvent::Decision { decision, .. }
                if decision.kind == DecisionKind::PassesCall);
            if is_look {
                self.worklist.push_back(constraint);
                prefix.push(decision.condition);
                continue;
            }
            if self.options.abstraction && decision.repeat >= self.options.abstract_after {
                self.wanted = self.wanted.or_else(|| self.code_to_replace(path, decision));
            }
            if decision.repeat >= self.options.loop_bound {
                self.cut.push((constraint, self.turning_point(path, decision)));
            } else {
                self.worklist.push_back(constraint);
            }
            prefix.push(decision.condition);
        }
    }

    /// The innermost loop or recursion around a decision that does not synchronise and was not summarised.
    fn code_to_replace(&self, path: &Path, decision: &SliceDecision) -> Option<Summarisable> {
        let calls = call_path(&path.trace, decision.frame);
        let last_resort = decision.repeat >= self.options.loop_bound;
        let activations = if last_resort { 1 } else { self.options.abstract_after as usize + 1 };
        let points: Vec<ProgramPoint> = std::iter::once(decision.point).chain(calls.iter().copied()).collect();
        self.innermost_summarisable(Wanted { last_resort, activations }, &points)
    }

    /// Where a decision that is made again and again goes round: in its own loop, or in that of a caller.
    fn turning_point(&self, path: &Path, decision: &SliceDecision) -> ProgramPoint {
        let control = self.statics.control;
        let calls = call_path(&path.trace, decision.frame);
        let mut points = std::iter::once(decision.point).chain(calls.iter().copied());
        let goes_round = |p: &ProgramPoint| {
            control.calls.is_recursive(p.func) || control.function(p.func).loops.innermost(p.block).is_some()
        };
        points.find(goes_round).unwrap_or(decision.point)
    }
}
