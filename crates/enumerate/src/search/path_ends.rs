//! Whether all inputs that a schedule's constraint admits come to the end that its path came to.

use icsched_epochs::graph;
use icsched_epochs::summarisable::Summarisable;
use icsched_ir::{Origin, ProgramPoint};
use icsched_machine::{DecisionKind, DecisionSite, PathEnd};
use icsched_schedule::{IncompleteKind, Reason, ScheduleEnd};
use icsched_slicing::objects::Objects;
use icsched_slicing::{Prepared, QuietEnds, Slice, SliceDecision, Sliceable, every_decision};
use icsched_smt::{Answer, Term};
use icsched_symbolic::trace::{Decision, TraceEvent};
use rustc_hash::FxHashSet;

use super::end_kinds::ends_process;
use super::state::Search;
use crate::budgets::BUDGETS;
use crate::constraint::Conjunction;
use crate::engine::{self, Path};

impl Search<'_, '_> {
    /// How a path ends, as far as it is so of all inputs that its slice admits.
    pub(super) fn told_end(&mut self, path: &Path, traced: (&Objects, &Prepared), slice: &Slice) -> ScheduleEnd {
        let mut ends = graph::schedule_end(self.statics.program, self.engine.code(), &path.state, &path.end);
        if let ScheduleEnd::Exit { status: status @ Some(_) } = &mut ends
            && (self.others_may_leave(path) || !self.decides_status(path, traced, slice))
        {
            *status = None;
        }
        ends
    }

    /// Whether another thread lives at the end of a path that may end the process: nothing says which of the two comes
    /// first.
    fn others_may_leave(&self, path: &Path) -> bool {
        let mut others = path.state.live_threads().filter(|thread| thread.id != path.state.current);
        others.any(|thread| thread.frames.iter().any(|frame| self.statics.control.may_leave_in(frame.func)))
    }

    /// Whether what the slice of a path leaves out decides nothing about the exit status either: `return failed ? 1 :
    /// 0;` behind the last synchronisation does. As much work as another slice, where the path has more decisions
    /// than are in the slice.
    fn decides_status(&mut self, path: &Path, (objects, prepared): (&Objects, &Prepared), slice: &Slice) -> bool {
        let PathEnd::Exit { status: Some(_) } = path.end else { return false };
        let known: FxHashSet<Term> = slice.decisions.iter().map(|decision| decision.condition).collect();
        let decided = |conditions: &[Term]| conditions.iter().all(|condition| known.contains(condition));
        let all: Vec<Term> =
            path.decisions.iter().filter(|(site, _)| !site.kind.false_is_error()).map(|(_, d)| d.condition).collect();
        if decided(&all) {
            return true;
        }
        if !self.options.slicing {
            return false;
        }
        let trace = Sliceable { objects, trace: &path.trace, prepared };
        let ends = self.engine.exit_of(path);
        let of_status = trace.slice(self.statics, &mut self.caches, &ends, true);
        let conditions: Vec<Term> = of_status.decisions.iter().map(|decision| decision.condition).collect();
        decided(&conditions)
    }

    /// Notes loops of which it is not known how they are left. Who leaves a summarised loop as a failure, and there is
    /// no other way out, may as well go round for ever: what the loop leaves decides, and that may be anything as far
    /// as is known. And who goes round for ever may be cancelled on the way.
    pub(super) fn note_doubted_loops(&mut self, path: &Path, slice: &Slice) {
        if let PathEnd::Endless { loops, .. } = &path.end
            && self.statics.control.cancels_anywhere
        {
            loops.iter().for_each(|(_, stack)| self.reasons.add_cancelled_loop(self.statics.program, stack));
        }
        if !matches!(path.end, PathEnd::Abort { .. } | PathEnd::AssertFailed { .. }) {
            return;
        }
        for decision in &slice.decisions {
            let (func, control) = (decision.point.func, self.statics.control);
            let loops = &control.function(func).loops;
            let is_replaced = |header| self.engine.summarises(Summarisable::Loop(func, header));
            let failing = loops.around(decision.point.block).map(|l| loops.get(l));
            let mut failing = failing.filter(|l| is_replaced(l.header) && control.only_fails(func, l));
            if let Some(l) = failing.next().filter(|_| self.engine.domain().is_left_by_loop(decision.condition)) {
                self.reasons.add_failing_loop(self.statics.program, func, l.header);
            }
        }
    }

    /// Whether a path ends with an error that is one in some states only of those that an epoch may begin in: behind
    /// the first epoch nothing undefined is taken to happen, or each unknown pointer would be null. An error that
    /// depends on branches only, and not on what an unknown address is, is told; as an open one if it is inside of a
    /// model, whose own memory nobody knows.
    pub(super) fn is_taken_not_to_happen(&mut self, path: &Path, slice: &Slice) -> bool {
        let PathEnd::Error(error) = &path.end else { return false };
        if self.engine.is_entry() {
            return false;
        }
        let is_last = path.decisions.last().is_some_and(|(site, d)| site.kind.is_of_error() && !d.taken);
        let is_branch = |decision: &SliceDecision| match &path.trace.events[decision.event] {
            TraceEvent::Decision { decision, .. } => decision.kind == DecisionKind::Branch,
            _ => true,
        };
        if is_last || !slice.decisions.iter().all(is_branch) {
            return true;
        }
        let program = self.statics.program;
        let is_model = |at: &ProgramPoint| program.functions[at.func].origin == Origin::Model;
        let domain = self.engine.domain();
        let is_of_state = |term: Term| domain.pool.symbols_of(term).iter().any(|s| domain.source_of(*s).is_some());
        let mut decided = slice.decisions.iter().filter(|decision| is_model(&decision.point));
        let is_open = error.stack.0.last().is_some_and(is_model) && decided.any(|d| is_of_state(d.condition));
        let conditions: Vec<Term> = slice.decisions.iter().map(|decision| decision.condition).collect();
        if is_open {
            let key = (format!("{}: {}", error.kind, error.message), graph::place(program, &error.stack), true);
            self.errors.entry(key).or_default().add(Conjunction::new(conditions));
        }
        is_open
    }

    /// Whether a path goes on behind an error that is one in some states only of those that an epoch may begin in: see
    /// [`is_taken_not_to_happen`](Self::is_taken_not_to_happen).
    pub(super) fn goes_on_where_nobody_comes(&self, path: &Path) -> bool {
        let is_one = |(site, d): &(DecisionSite, Decision)| site.kind == DecisionKind::Valid && !d.taken;
        !self.engine.is_entry() && path.decisions.iter().any(is_one)
    }

    /// Whether a schedule that ends so needs no place of its own where others begin with it. Where paths go on behind
    /// errors, an error that ends one all the same is told of the inputs for which it does: these are not excluded.
    pub(super) fn may_be_prefix(&self, end: &ScheduleEnd) -> bool {
        let is_told = matches!(end, ScheduleEnd::MemoryError { .. }) && self.engine.goes_on_behind_errors();
        let needs_its_own = matches!(end, ScheduleEnd::Abort { .. }) && self.options.quiet_ends != QuietEnds::All;
        ends_process(end) && !is_told && !needs_its_own
    }

    /// Errors that other inputs cause which come as far as a path does, and those behind which it goes on; of these the
    /// first one, as its place among the errors of the epoch.
    pub(super) fn note_errors(&mut self, path: &Path) -> Option<usize> {
        let mut first = None;
        for error in &path.errors {
            let at = graph::place(self.statics.program, &error.stack);
            if !error.certain {
                let message = format!("the solver did not decide whether an input causes {}", error.kind);
                self.reasons.add(Reason { kind: IncompleteKind::SolverGaveUp, message, at: Some(at) });
                continue;
            }
            let is_open = self.engine.domain().is_left_by_loop(error.condition);
            let key = (format!("{}: {}", error.kind, error.message), at, is_open);
            let condition = match error.happened {
                true => decided_by_inputs(&path.decisions[..error.decisions]),
                false => {
                    let before = &path.state.path.constraints()[..error.constraints];
                    Conjunction::new(before.iter().copied().chain([error.condition]).collect())
                }
            };
            let entry = self.errors.entry(key);
            let place = entry.index();
            entry.or_default().add(condition);
            if error.happened {
                first.get_or_insert(place);
            }
        }
        first
    }

    /// Inputs that leave a path to end the process need no schedule, but what goes wrong on the way is told. Each
    /// branch is looked at once in an epoch: more would be as much work as schedules of their own.
    pub(super) fn look_at_exit(&mut self, branch: ProgramPoint, inputs: &Conjunction) {
        if self.exits_seen.contains(&branch) || self.engine.is_late() {
            return;
        }
        if self.look_behind(inputs).is_some() {
            self.exits_seen.insert(branch);
        }
    }

    /// Executes a path of these inputs for the errors on it; `None` if there are none.
    pub(super) fn look_behind(&mut self, inputs: &Conjunction) -> Option<Path> {
        let term = self.engine.pool().and_all(inputs.conditions());
        // A path that no input follows goes anywhere.
        if self.engine.is_late() || self.engine.check(&[], term) == Answer::Unsat {
            return None;
        }
        let path = self.engine.execute_within(self.statics, inputs.conditions(), BUDGETS.exit_instructions);
        if !engine::is_feasible(&path) {
            return Some(path);
        }
        self.note_errors(&path);
        let decisions = every_decision(self.statics, &path.trace);
        let slice = Slice { decisions, ..Slice::default() };
        if let PathEnd::Error(error) = &path.end
            && !self.is_taken_not_to_happen(&path, &slice)
        {
            let at = graph::place(self.statics.program, &error.stack);
            let is_open = slice.decisions.iter().any(|d| self.engine.domain().is_left_by_loop(d.condition));
            let conditions = slice.decisions.iter().map(|decision| decision.condition).collect();
            let key = (format!("{}: {}", error.kind, error.message), at, is_open);
            self.errors.entry(key).or_default().add(Conjunction::new(conditions));
        }
        Some(path)
    }
}

/// What was decided between inputs, errors that did not happen left out.
fn decided_by_inputs(decisions: &[(DecisionSite, Decision)]) -> Conjunction {
    let is_condition = |site: &DecisionSite, decision: &Decision| {
        site.kind != DecisionKind::Assume && !(site.kind.false_is_error() && decision.taken)
    };
    let conditions = decisions.iter().filter(|(site, decision)| is_condition(site, decision));
    Conjunction::new(conditions.map(|(_, decision)| decision.condition).collect())
}
