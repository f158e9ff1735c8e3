//! Says what paths are while they are found.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::ControlFlow;

use icsched_explore::Snapshot;
use icsched_explore::Told;
use icsched_explore::explore::{self, PathOutcome, PathRun, PossibleError, Step, StepKind};
use icsched_explore::follow::{Finish, Followed, PathTree};
use icsched_ir::{CallStack, Program, source_name};
use icsched_machine::stop::{DecisionKind, PathEnd, failed_assertion};
use icsched_machine::{BlockedThread, Limit, Machine, State};
use icsched_schedule::{IncompleteKind, Reason};
use icsched_smt::{SolverStatistics, Term, UnknownReason};
use icsched_symbolic::symbolic::SymbolicDomain;
use icsched_symbolic::trace::{BranchSide, SyncEvent};
use rustc_hash::FxHashSet;

use super::config::SymexConfig;
use super::report::{Ends, PathReport, Sink, Statistics, StepReport, Summary, Totals};
use crate::error::DriverError;

/// What is found while paths are run.
pub(super) struct Collector<'a> {
    config: &'a SymexConfig,
    program: &'a Program,
    sink: &'a mut dyn Sink,
    /// Constraints that all paths share.
    pub(super) shared: usize,
    totals: Totals,
    /// Instructions of all paths; what paths share counts once.
    pub(super) instructions: u64,
    reasons: BTreeSet<Reason>,
    /// Digests of the errors that were told.
    told: FxHashSet<u128>,
    /// The path that is to be explained.
    pub(super) explained: Option<Explained>,
    /// The paths, where they are to be compared with real runs; they go to the sink after that.
    pub(super) witnessed: Option<(PathTree, Vec<PathReport>)>,
    /// Why the sink takes no more.
    failure: Option<DriverError>,
}

/// What it takes to run a path again.
pub(super) struct Explained {
    /// Its number.
    pub(super) path: usize,
    pub(super) begun: PathRun,
    pub(super) limits: explore::Limits,
}

/// A path, or the part of it that leads to an error.
struct Part<'a> {
    steps: &'a [Step],
    events: &'a [SyncEvent],
    sides: &'a [BranchSide],
    constraints: Vec<Term>,
    told: Told,
}

/// Tells errors apart: by the constraints before them and the condition. Two that differ have the same digest with a
/// probability of 2^-128.
fn digest(constraints: &[Term], condition: Term) -> u128 {
    let half = |seed: u64| {
        let mut hasher = DefaultHasher::new();
        (seed, constraints, condition).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:"));
    line.and_then(|l| l.split_whitespace().nth(1)?.parse::<u64>().ok()).unwrap_or(0) / 1024
}

impl<'a> Collector<'a> {
    pub(super) fn new(config: &'a SymexConfig, program: &'a Program, sink: &'a mut dyn Sink) -> Self {
        Self {
            config,
            program,
            sink,
            shared: 0,
            totals: Totals::default(),
            instructions: 0,
            reasons: BTreeSet::new(),
            told: FxHashSet::default(),
            explained: None,
            witnessed: None,
            failure: None,
        }
    }

    /// Takes a path; whether to look for more.
    pub(super) fn finished(&mut self, machine: &mut Machine<SymbolicDomain>, outcome: &PathOutcome) -> ControlFlow<()> {
        self.instructions += outcome.own_instructions;
        self.path(machine, outcome);
        let is_stopped = self.config.limits.stop.asked().is_some();
        if self.failure.is_some()
            || is_stopped
            || matches!(outcome.end, PathEnd::Limit(Limit::Time | Limit::Interrupted))
        {
            return ControlFlow::Break(());
        }
        self.sink.progress(self.totals.paths, outcome.waiting);
        if self.totals.paths < self.config.max_paths {
            return ControlFlow::Continue(());
        }
        let message = format!("there may be more than {} paths (--max-paths)", self.config.max_paths);
        self.reason(IncompleteKind::Limit, message, None);
        ControlFlow::Break(())
    }

    /// What was found.
    ///
    /// # Errors
    /// If a path could not be written.
    pub(super) fn summary(self, solver: &SolverStatistics, seconds: f64) -> Result<Summary, DriverError> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let reasons: Vec<Reason> = self.reasons.into_iter().collect();
        Ok(Summary {
            complete: reasons.is_empty(),
            reasons,
            totals: self.totals,
            witness: None,
            statistics: Statistics {
                seconds,
                analysis_seconds: 0.0,
                paths: self.totals.paths,
                instructions: self.instructions,
                solver_seconds: solver.solver_seconds(),
                solver_queries: solver.queries,
                peak_mib: peak_mib(),
            },
        })
    }

    pub(super) fn reason(&mut self, kind: IncompleteKind, message: String, at: Option<String>) {
        self.reasons.insert(Reason { kind, message, at });
    }

    /// Takes a path, and those that part from it by an error.
    fn path(&mut self, machine: &mut Machine<SymbolicDomain>, outcome: &PathOutcome) {
        // Whoever was interrupted was so by a limit, at which the path ends.
        for gave_up in outcome.gave_up.iter().filter(|gave_up| gave_up.reason != UnknownReason::Interrupted) {
            let message = format!(
                "the solver did not decide whether a path gets here ({:?}); a longer --solver-timeout may help",
                gave_up.reason
            );
            self.reason(IncompleteKind::SolverGaveUp, message, Some(self.place(&gave_up.stack)));
        }
        for error in &outcome.errors {
            self.error(machine, outcome, error);
        }
        let (ends, message, at) = match &outcome.end {
            PathEnd::Infeasible => return,
            PathEnd::Exit { status } => {
                let status = status.map_or("?".to_owned(), |s| s.to_string());
                (Ends::Finished, Some(format!("exit({status})")), None)
            }
            PathEnd::Epoch | PathEnd::GoesRound => (Ends::Finished, None, None),
            PathEnd::LeftContext => (Ends::Finished, Some("the oldest known frame returns".to_owned()), None),
            PathEnd::Abort { stack } => (Ends::Abort, None, Some(self.place(stack))),
            PathEnd::AssertFailed { expression, stack } => {
                (Ends::Abort, Some(failed_assertion(expression)), Some(self.place(stack)))
            }
            PathEnd::Deadlock { blocked } => {
                let waits = blocked.iter().map(|b| {
                    let holder = holder(&outcome.state, b);
                    format!("thread {} in {} at {}{holder}", b.thread, b.operation, self.place(&b.stack))
                });
                (Ends::Deadlock, Some(waits.collect::<Vec<_>>().join("; ")), None)
            }
            PathEnd::Endless { loops, blocked: _ } => {
                let each = loops.iter().map(|(t, at)| format!("thread {t} goes round for ever at {}", self.place(at)));
                (Ends::Endless, Some(each.collect::<Vec<_>>().join("; ")), None)
            }
            PathEnd::Error(error) => (Ends::MemoryError, Some(error.message.clone()), Some(self.place(&error.stack))),
            PathEnd::Unmodelled { function, stack } => {
                let message = format!(
                    "{} has neither a definition nor a model; say what it does with --extern \
                     {function}=havoc, =pure, =abort or =assume",
                    source_name(function)
                );
                let at = self.place(stack);
                self.reason(IncompleteKind::Unmodelled, message.clone(), Some(at.clone()));
                (Ends::Stuck, Some(message), Some(at))
            }
            PathEnd::Unsupported { what, stack } => {
                let (message, at) = (format!("{what} is not supported"), self.place(stack));
                self.reason(IncompleteKind::Unsupported, message.clone(), Some(at.clone()));
                (Ends::Stuck, Some(message), Some(at))
            }
            PathEnd::Limit(limit) => {
                let (kind, words) = match limit {
                    Limit::Decisions => (IncompleteKind::Limit, "a path was cut at the limit of branches (--branches)"),
                    other => icsched_epochs::limit_words(*other),
                };
                self.reason(kind, words.to_owned(), None);
                (Ends::Budget, Some(words.to_owned()), None)
            }
        };
        let constraints = outcome.state.path.constraints();
        let told = outcome.told(&machine.domain.pool, &constraints[self.shared..], &outcome.steps);
        let all: Vec<SyncEvent> = outcome.state.events.iter().cloned().collect();
        let sides = outcome.trace.sides.as_deref().unwrap_or_default();
        let part = Part { steps: &outcome.steps, events: &all, sides, constraints: constraints.to_vec(), told };
        let mut report = self.report(machine, outcome, &part, (ends, message, at));
        report.certain = outcome.gave_up.is_empty();
        self.add(machine, report, &part, Finish::of(&outcome.end));
    }

    /// A path that ends in an error which this one goes past.
    fn error(&mut self, machine: &mut Machine<SymbolicDomain>, outcome: &PathOutcome, error: &PossibleError) {
        let before = &outcome.state.path.constraints()[..error.constraints];
        if !self.told.insert(digest(before, error.condition)) {
            return;
        }
        let steps = &outcome.steps[..error.steps];
        let events: Vec<SyncEvent> = outcome.state.events.iter().take(error.events).cloned().collect();
        let mut told = outcome.told(&machine.domain.pool, &before[self.shared..], steps);
        told.decided.push(error.condition);
        let mut constraints = before.to_vec();
        constraints.push(error.condition);
        let sides = outcome.trace.sides.as_deref().unwrap_or_default();
        let sides = &sides[..sides.len().min(usize::try_from(error.branches).unwrap_or(usize::MAX))];
        let part = Part { steps, events: &events, sides, constraints, told };
        let ends = (Ends::MemoryError, Some(error.message.clone()), Some(self.place(&error.stack)));
        let mut report = self.report(machine, outcome, &part, ends);
        report.certain = error.certain;
        report.branches = error.branches;
        report.instructions = error.instructions;
        self.add(machine, report, &part, Some(Finish::Error(error.kind)));
    }

    fn add(
        &mut self,
        machine: &mut Machine<SymbolicDomain>,
        mut report: PathReport,
        part: &Part<'_>,
        finish: Option<Finish>,
    ) {
        if let Some(explained) = self.explained.take_if(|e| e.path == report.path) {
            let states = super::explain::states(machine, explained.begun, &explained.limits, part.steps);
            let trace = report.trace.iter_mut().filter(|s| s.event != "sync");
            for (step, state) in trace.zip(states) {
                step.state = state;
            }
        }
        self.totals.count(report.ends);
        match (&mut self.witnessed, finish) {
            (Some((tree, kept)), finish) => {
                if let Some(finish) = finish {
                    let Part { steps, sides, events, .. } = *part;
                    tree.insert(Followed { steps, sides, events, finish });
                }
                kept.push(report);
            }
            (None, _) => self.failure = self.sink.path(&report).err(),
        }
    }

    fn report(
        &mut self,
        machine: &mut Machine<SymbolicDomain>,
        outcome: &PathOutcome,
        part: &Part<'_>,
        (ends, message, at): (Ends, Option<String>, Option<String>),
    ) -> PathReport {
        let path = self.totals.paths + 1;
        let is_explained = self.config.explain == Some(path);
        let constraints = &part.constraints;
        let states = self.config.states.then(|| super::states::listing(machine, &outcome.state, constraints));
        let assumed = (self.config.assumed || is_explained)
            .then(|| Snapshot::new(&outcome.state, machine).conditions(&part.told.assumed, true));
        PathReport {
            path,
            constraint: Snapshot::new(&outcome.state, machine).conditions(&part.told.decided, false),
            assumed,
            ends,
            message,
            at,
            branches: outcome.branches,
            instructions: outcome.state.instructions,
            trace: if self.config.traces || is_explained { self.trace(machine, outcome, part) } else { Vec::new() },
            state: states.flatten(),
            certain: true,
            witnessed: None,
        }
    }

    fn trace(&self, machine: &Machine<SymbolicDomain>, outcome: &PathOutcome, part: &Part<'_>) -> Vec<StepReport> {
        let Part { steps, events, .. } = *part;
        let printer = |t: Term| Snapshot::new(&outcome.state, machine).in_c(|printer| printer.condition(t));
        let mut trace = Vec::new();
        let mut shown = 0;
        for step in steps {
            told(self.program, &events[shown..step.events.min(events.len())], &mut trace);
            shown = step.events.min(events.len());
            let (event, taken, what) = match &step.what {
                StepKind::Switch => ("switch", None, None),
                StepKind::Choice { kind: DecisionKind::Branch, condition, taken } => {
                    ("branch", Some(*taken), Some(printer(*condition)))
                }
                StepKind::Choice { condition, .. } => ("choice", None, Some(printer(*condition))),
            };
            let at = step.at.map(|p| icsched_epochs::graph::place(self.program, &CallStack(vec![p])));
            let thread = step.thread.0;
            trace.push(StepReport { thread, at: at.unwrap_or_default(), event, taken, what, state: Vec::new() });
        }
        told(self.program, &events[shown..], &mut trace);
        trace
    }

    fn place(&self, stack: &CallStack) -> String {
        icsched_epochs::graph::place(self.program, stack)
    }
}

/// Who holds the lock that a thread waits for, if it is one.
fn holder(state: &State<SymbolicDomain>, blocked: &BlockedThread) -> String {
    if let Some(holder) = blocked.holder {
        return if holder == blocked.thread {
            ", held by itself".to_owned()
        } else {
            format!(", held by thread {holder}")
        };
    }
    if !icsched_epochs::graph::waits_for(&blocked.operation, "").ends_with("unlocked") {
        return String::new();
    }
    let Some(thread) = state.live_threads().find(|t| t.id == blocked.thread) else { return String::new() };
    // What `maybe_locks` names was held at the context, by whom the analysis says.
    match state.live_threads().find(|t| t.maybe_locks.contains(&thread.queue)) {
        Some(other) => format!(", perhaps held by thread {} from before", other.id),
        None => ", held by a thread outside of the context".to_owned(),
    }
}

fn told(program: &Program, events: &[SyncEvent], trace: &mut Vec<StepReport>) {
    for event in events {
        let SyncEvent::Node { thread, operation, stack, object_name, .. } = event else { continue };
        trace.push(StepReport {
            thread: thread.0,
            at: icsched_epochs::graph::place(program, stack),
            event: "sync",
            taken: None,
            what: Some(format!("{operation}({object_name})")),
            state: Vec::new(),
        });
    }
}
