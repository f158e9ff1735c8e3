//! Why a result is incomplete (design decision D8).

use std::collections::BTreeSet;

use icsched_epochs::graph::place;
use icsched_epochs::{Statics, is_limit_of_run, limit_words as words};
use icsched_explore::explore::{GaveUpAt, PathOutcome as Path};
use icsched_ir::{BlockId, CallStack, FuncId, Program, ProgramPoint, source_name};
use icsched_machine::stop::{Limit, PathEnd};
use icsched_schedule::{IncompleteKind, Reason};
use icsched_slicing::SliceDecision;
use icsched_smt::UnknownReason;

/// A set of reasons.
#[derive(Default, Debug)]
pub(crate) struct Reasons {
    reasons: BTreeSet<Reason>,
}

impl Reasons {
    pub(crate) fn add(&mut self, reason: Reason) {
        self.reasons.insert(reason);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.reasons.is_empty()
    }

    /// Whether a limit of the whole run is among them.
    pub(crate) fn has_limit_of_run(&self) -> bool {
        self.reasons.iter().any(is_limit_of_run)
    }

    pub(crate) fn into_sorted(self) -> Vec<Reason> {
        self.reasons.into_iter().collect()
    }

    fn at(&mut self, kind: IncompleteKind, message: String, at: String) {
        self.add(Reason { kind, message, at: Some(at).filter(|at| !at.is_empty()) });
    }

    /// Everything that makes this path's result less than complete.
    ///
    /// What the solver did not decide matters only at a condition of the schedule: any side of another branch leads to
    /// the same synchronisation.
    pub(crate) fn add_path(&mut self, program: &Program, path: &Path, slice: &[SliceDecision], stack: &CallStack) {
        let in_slice = |at: &CallStack| at.0.last().is_some_and(|p| slice.iter().any(|d| d.point == *p));
        // Whoever was interrupted was so by a limit, at which the path ends.
        let matters = |g: &&GaveUpAt| g.reason != UnknownReason::Interrupted && in_slice(&g.stack);
        for gave_up in path.gave_up.iter().filter(matters) {
            let message = format!(
                "the solver did not decide whether inputs can get here ({:?}); a longer --solver-timeout may help",
                gave_up.reason
            );
            self.at(IncompleteKind::SolverGaveUp, message, place(program, &gave_up.stack));
        }
        match &path.end {
            PathEnd::Unmodelled { function, stack } => self.unmodelled(program, function, stack),
            PathEnd::Unsupported { what, stack } => {
                self.at(IncompleteKind::Unsupported, format!("{what} is not supported"), place(program, stack));
            }
            PathEnd::Limit(limit) => self.limit(*limit, place(program, stack)),
            PathEnd::Exit { .. }
            | PathEnd::Abort { .. }
            | PathEnd::AssertFailed { .. }
            | PathEnd::Deadlock { .. }
            | PathEnd::Endless { .. }
            | PathEnd::Error(_)
            | PathEnd::LeftContext
            | PathEnd::Epoch
            | PathEnd::GoesRound
            | PathEnd::Infeasible => {}
        }
    }

    /// A loop that was summarised has no way out but `abort` and failing assertions, and it is not known whether it
    /// comes to one.
    pub(crate) fn add_failing_loop(&mut self, program: &Program, func: FuncId, header: BlockId) {
        let function = &program.functions[func].name;
        let point = ProgramPoint { func, block: header, inst: 0 };
        let message = format!(
            "the loop in {function} goes round for ever, or ends the process as a failure: it is not known which"
        );
        self.at(IncompleteKind::UndecidedEnd, message, place(program, &CallStack(vec![point])));
    }

    /// A loop without an end, in a program that has threads cancelled wherever they are.
    pub(crate) fn add_cancelled_loop(&mut self, program: &Program, stack: &CallStack) {
        let message = "asynchronous cancellation is not followed: it may end a thread that goes round for ever";
        self.at(IncompleteKind::Unsupported, message.to_owned(), place(program, stack));
    }

    /// An epoch in which no path has come to an end that is one of a schedule.
    pub(crate) fn add_nothing_found(&mut self) {
        if self.reasons.is_empty() {
            let message =
                "no path of the epoch comes to an end: a loop may not end, or what is known where it begins is not so";
            self.at(IncompleteKind::UnresolvedPointer, message.to_owned(), String::new());
        }
    }

    fn unmodelled(&mut self, program: &Program, function: &str, stack: &CallStack) {
        let caller = stack.0.last().map_or("?", |p| program.functions[p.func].name.as_str());
        let note = icsched_externals::missing(function).map_or_else(String::new, |note| format!(" ({note})"));
        let message = format!(
            "{}, called by {caller}, has neither a definition nor a model{note}; say what it does with \
             --extern {function}=havoc (returns anything), =pure (returns 0), =abort (ends the path) \
             or =assume (its argument holds)",
            source_name(function)
        );
        self.at(IncompleteKind::Unmodelled, message, place(program, stack));
    }

    fn limit(&mut self, limit: Limit, at: String) {
        let (kind, message) = words(limit);
        self.at(kind, message.to_owned(), at);
    }

    /// A loop (or recursion) was not followed to the end.
    pub(crate) fn add_loop(&mut self, statics: &Statics<'_>, point: ProgramPoint, bound: u32) {
        let program = statics.program;
        let control = statics.control.function(point.func);
        let around = control.loops.innermost(point.block).map(|id| control.loops.get(id));
        let synchronises = around.is_none_or(|l| !l.blocks.is_disjoint(&control.synchronises));
        let at = place(program, &CallStack(vec![point]));
        let what = if around.is_some() { "loop" } else { "recursion" };
        let function = &program.functions[point.func].name;
        let (kind, does) = if synchronises {
            (IncompleteKind::UnboundedSyncLoop, "synchronises a number of times that depends on the input")
        } else {
            (IncompleteKind::Limit, "runs a number of times that depends on the input and decides what is synchronised")
        };
        let message = format!("the {what} in {function} {does}; followed {bound} times (--loop-bound)");
        self.at(kind, message, at);
    }
}
