//! Runs the paths and says what they are.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::time::Instant;

use icsched_dataflow::{Context, Status};
use icsched_ir::{CallStack, Program, ProgramPoint};
use icsched_schedule::{IncompleteKind, Reason};
use icsched_smt::{SolverStatistics, Term};
use icsched_symex::explore::{self, PathOutcome, PathRun, PossibleError, Step, StepKind};
use icsched_symex::follow::{Finish, FinishKind, PathTree};
use icsched_symex::stop::{DecisionKind, PathEnd};
use icsched_symex::symbolic::SymbolicDomain;
use icsched_symex::trace::SyncEvent;
use icsched_symex::{Limit, Machine, Switching};
use rustc_hash::{FxHashMap, FxHashSet};

use super::report::{ContextThread, Ends, PathReport, SCHEMA, Statistics, StepReport, SymexReport, Totals};
use super::start::Prepared;
use super::{SymexConfig, Technique, witness};
use crate::error::DriverError;

/// Decisions with two sides that are no branches of the program are bounded too: models can go round as well.
const MAX_DECISIONS: usize = 1 << 10;

/// What is found while paths are run.
pub(super) struct Collector<'a> {
    config: &'a SymexConfig,
    program: &'a Program,
    /// Constraints that all paths share.
    pub(super) shared: usize,
    paths: Vec<PathReport>,
    reasons: BTreeSet<Reason>,
    /// Errors that were told: constraints before it, and the condition.
    told: FxHashSet<(Vec<Term>, Term)>,
    /// The steps of the path that is to be explained.
    explained: Option<Vec<Step>>,
    /// Conditions as C. What objects are called depends on the path only for those that it made itself.
    written: FxHashMap<Term, String>,
    /// The paths, where they are to be compared with real runs.
    tree: Option<PathTree>,
}

pub(super) fn explore(config: &SymexConfig, prepared: Prepared, started: Instant) -> Result<SymexReport, DriverError> {
    let analysis_seconds = started.elapsed().as_secs_f64();
    let inputs = config.witness.is_some().then(|| witness::inputs(config)).transpose()?;
    let Prepared { program, loaded, mut machine, state, context, unreached, notes, deadline } = prepared;
    // Real runs need time of their own.
    let searched = |deadline: Instant| started + deadline.saturating_duration_since(started).mul_f64(SEARCH_SHARE);
    let limits = limits(config, if inputs.is_some() { deadline.map(searched) } else { deadline });
    let shared = state.path.constraints().to_vec();
    let initial = state.assumed(&machine, &shared);
    let mut collector = Collector::new(config, &program);
    collector.shared = shared.len();
    collector.tree = inputs.is_some().then(PathTree::default);
    for place in unreached {
        collector.reason(IncompleteKind::Unsupported, format!("no way of the program leads to `{place}`"), None);
    }
    let begun = PathRun::untraced(state);
    let replay = config.explain.map(|_| begun.clone());
    let mut instructions = 0;
    let is_all = explore::explore_from(&mut machine, begun, &limits, |machine, outcome| {
        instructions += outcome.own_instructions;
        collector.finished(machine, &outcome)
    });
    for note in machine.take_notes() {
        collector.reason(IncompleteKind::Limit, note, None);
    }
    if let (Some(number), Some(run), Some(steps)) = (config.explain, replay, collector.explained.take()) {
        let states = super::explain::states(&mut machine, run, &limits, &steps);
        let trace = collector.paths[number - 1].trace.iter_mut().filter(|s| s.event != "sync");
        for (step, state) in trace.zip(states) {
            step.state = state;
        }
    }
    let seconds = started.elapsed().as_secs_f64();
    let solver = machine.domain.solver_statistics();
    let mut witness = match (&inputs, collector.tree.take()) {
        (Some(inputs), Some(tree)) => {
            Some(witness::count(config, (&loaded, &context), inputs, tree, &mut collector.paths, deadline)?)
        }
        _ => None,
    };
    if let Some(witness) = witness.as_mut().filter(|_| !is_all) {
        // Runs may well do what was not explored.
        witness.strayed.clear();
    }
    let mut report = collector.report_of(&context, (&solver, instructions), seconds);
    report.assumptions = assumptions(config, context.threads.len(), &notes);
    report.initial = initial;
    report.statistics.analysis_seconds = analysis_seconds;
    // Where no run takes any path, they say nothing of paths.
    report.totals.infeasible = witness.as_ref().filter(|w| w.witnessed > 0).map(|w| w.unwitnessed);
    report.witness = witness;
    Ok(report)
}

/// Of the time there is, what paths may take that are to be witnessed.
const SEARCH_SHARE: f64 = 0.75;

pub(super) fn limits(config: &SymexConfig, deadline: Option<Instant>) -> explore::Limits {
    explore::Limits {
        instructions: config.limits.max_instructions,
        decisions: MAX_DECISIONS,
        branches: config.branches,
        events: config.limits.max_events,
        deadline,
        memory: config.limits.max_memory.unwrap_or(u64::MAX),
        errors: !config.without.contains(&Technique::MemoryChecks),
    }
}

fn assumptions(config: &SymexConfig, threads: usize, notes: &[String]) -> Vec<String> {
    let mut all = vec![
        "there are no data races".to_owned(),
        "pointers of the initial state that are used are null or point into live objects".to_owned(),
    ];
    all.push(if config.without.contains(&Technique::MemoryChecks) {
        "no access is an error, and no division by zero (--without memory-checks)".to_owned()
    } else {
        "objects of unknown size hold what is accessed at constant offsets".to_owned()
    });
    if threads > 1 {
        all.push("the numbers in handles of threads mean nothing".to_owned());
    }
    match config.switching {
        _ if threads < 2 => {}
        Switching::Everywhere => {}
        Switching::Blocking => all.push("a thread runs until it waits or ends (see --schedules)".to_owned()),
        Switching::Scheduler => all.push("threads run in one order (see --schedules)".to_owned()),
    }
    all.extend(notes.iter().cloned());
    all
}

fn thread(program: &Program, index: usize, context: &icsched_dataflow::ThreadContext) -> ContextThread {
    let stack = context.stack.0.iter().rev().map(|&p| place(program, p));
    ContextThread {
        thread: index,
        stack: stack.collect(),
        complete: context.complete,
        waiting: context.status == Status::Waiting,
    }
}

/// `lu.c:120 in work`.
fn place(program: &Program, point: ProgramPoint) -> String {
    let name = &program.functions[point.func].name;
    let at = icsched_enumerate::graph::place(program, &CallStack(vec![point]));
    if at.contains(' ') { at } else { format!("{at} in {name}") }
}

fn totals(paths: &[PathReport]) -> Totals {
    let count = |ends| paths.iter().filter(|p| p.ends == ends).count();
    Totals {
        paths: paths.len(),
        finished: count(Ends::Finished),
        deadlocks: count(Ends::Deadlock),
        memory_errors: count(Ends::MemoryError),
        aborts: count(Ends::Abort),
        budget: count(Ends::Budget),
        stuck: count(Ends::Stuck),
        infeasible: None,
    }
}

fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:"));
    line.and_then(|l| l.split_whitespace().nth(1)?.parse::<u64>().ok()).unwrap_or(0) / 1024
}

impl<'a> Collector<'a> {
    pub(super) fn new(config: &'a SymexConfig, program: &'a Program) -> Self {
        Self {
            config,
            program,
            shared: 0,
            paths: Vec::new(),
            reasons: BTreeSet::new(),
            told: FxHashSet::default(),
            explained: None,
            written: FxHashMap::default(),
            tree: None,
        }
    }

    /// Takes a path; whether to look for more.
    pub(super) fn finished(&mut self, machine: &mut Machine<SymbolicDomain>, outcome: &PathOutcome) -> ControlFlow<()> {
        self.path(machine, outcome);
        if matches!(outcome.end, PathEnd::Limit(Limit::Time | Limit::Interrupted)) {
            return ControlFlow::Break(());
        }
        if self.paths.len() < self.config.max_paths {
            return ControlFlow::Continue(());
        }
        let message = format!("there may be more than {} paths (--max-paths)", self.config.max_paths);
        self.reason(IncompleteKind::Limit, message, None);
        ControlFlow::Break(())
    }

    /// What was found.
    pub(super) fn report_of(
        self,
        context: &Context,
        (solver, instructions): (&SolverStatistics, u64),
        seconds: f64,
    ) -> SymexReport {
        let reasons: Vec<Reason> = self.reasons.into_iter().collect();
        let paths = self.paths;
        SymexReport {
            schema: SCHEMA,
            program: self.config.program.path.display().to_string(),
            complete: reasons.is_empty(),
            reasons,
            assumptions: Vec::new(),
            contexts: context.threads.iter().enumerate().map(|(i, t)| thread(self.program, i, t)).collect(),
            initial: String::new(),
            totals: totals(&paths),
            witness: None,
            statistics: Statistics {
                seconds,
                analysis_seconds: 0.0,
                paths: paths.len(),
                instructions,
                solver_seconds: solver.solver_seconds(),
                solver_queries: solver.queries,
                peak_mib: peak_mib(),
            },
            paths,
        }
    }

    pub(super) fn reason(&mut self, kind: IncompleteKind, message: String, at: Option<String>) {
        self.reasons.insert(Reason { kind, message, at });
    }

    /// Takes a path, and those that part from it by an error.
    fn path(&mut self, machine: &mut Machine<SymbolicDomain>, outcome: &PathOutcome) {
        for gave_up in &outcome.gave_up {
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
            PathEnd::LeftContext => (Ends::Finished, Some("the oldest known frame returns".to_owned()), None),
            PathEnd::Abort { stack } => (Ends::Abort, None, Some(self.place(stack))),
            PathEnd::AssertFailed { expression, stack } => {
                (Ends::Abort, Some(format!("assertion `{expression}` failed")), Some(self.place(stack)))
            }
            PathEnd::Deadlock { blocked } => {
                let waits = blocked
                    .iter()
                    .map(|b| format!("thread {} in {} at {}", b.thread, b.operation, self.place(&b.stack)));
                (Ends::Deadlock, Some(waits.collect::<Vec<_>>().join("; ")), None)
            }
            PathEnd::Error(error) => (Ends::MemoryError, Some(error.message.clone()), Some(self.place(&error.stack))),
            PathEnd::Unmodelled { function, stack } => {
                let message = format!(
                    "{function} has neither a definition nor a model; say what it does with --extern \
                     {function}=havoc, =pure or =abort"
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
                    other => icsched_enumerate::limit_words(*other),
                };
                self.reason(kind, words.to_owned(), None);
                (Ends::Budget, Some(words.to_owned()), None)
            }
        };
        let constraints = outcome.state.path.constraints().to_vec();
        let report = self.report(machine, outcome, &constraints, (ends, message, at));
        let all: Vec<SyncEvent> = outcome.state.events.iter().cloned().collect();
        self.add(report, &outcome.steps, &all, Finish::of(&outcome.end, outcome.state.instructions));
    }

    /// A path that ends in an error which this one goes past.
    fn error(&mut self, machine: &mut Machine<SymbolicDomain>, outcome: &PathOutcome, error: &PossibleError) {
        let mut constraints = outcome.state.path.constraints()[..error.constraints].to_vec();
        if !self.told.insert((constraints.clone(), error.condition)) {
            return;
        }
        constraints.push(error.condition);
        let at = Some(self.place(&error.stack));
        let ends = (Ends::MemoryError, Some(error.message.clone()), at);
        let mut report = self.report(machine, outcome, &constraints, ends);
        report.certain = error.certain;
        let steps = &outcome.steps[..error.steps];
        let events: Vec<SyncEvent> = outcome.state.events.iter().take(error.events).cloned().collect();
        report.trace = self.trace(machine, outcome, steps, &events);
        report.branches = error.branches;
        let finish = Finish { kind: Some(FinishKind::Error(error.kind)), instructions: error.instructions };
        self.add(report, steps, &events, Some(finish));
    }

    fn add(&mut self, report: PathReport, steps: &[Step], events: &[SyncEvent], finish: Option<Finish>) {
        if let (Some(tree), Some(finish)) = (&mut self.tree, finish) {
            tree.insert(steps, events, finish);
        }
        if self.config.explain == Some(report.path) {
            self.explained = Some(steps.to_vec());
        }
        self.paths.push(report);
    }

    fn report(
        &mut self,
        machine: &mut Machine<SymbolicDomain>,
        outcome: &PathOutcome,
        constraints: &[Term],
        (ends, message, at): (Ends, Option<String>, Option<String>),
    ) -> PathReport {
        let events: Vec<SyncEvent> = outcome.state.events.iter().cloned().collect();
        let state =
            if self.config.states { super::states::listing(machine, &outcome.state, constraints) } else { None };
        PathReport {
            path: self.paths.len() + 1,
            constraint: outcome.state.assumed(machine, &constraints[self.shared..]),
            ends,
            message,
            at,
            branches: outcome.branches,
            instructions: outcome.state.instructions,
            trace: self.trace(machine, outcome, &outcome.steps, &events),
            state,
            certain: outcome.gave_up.is_empty(),
            witnessed: None,
        }
    }

    fn trace(
        &mut self,
        machine: &Machine<SymbolicDomain>,
        outcome: &PathOutcome,
        steps: &[Step],
        events: &[SyncEvent],
    ) -> Vec<StepReport> {
        let written = &mut self.written;
        let mut printer = |t: Term| {
            let text = written.entry(t);
            text.or_insert_with(|| outcome.state.in_c(machine, |printer| printer.condition(t))).clone()
        };
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
            let at = step.at.map(|p| icsched_enumerate::graph::place(self.program, &CallStack(vec![p])));
            let thread = step.thread.0;
            trace.push(StepReport { thread, at: at.unwrap_or_default(), event, taken, what, state: Vec::new() });
        }
        told(self.program, &events[shown..], &mut trace);
        trace
    }

    fn place(&self, stack: &CallStack) -> String {
        icsched_enumerate::graph::place(self.program, stack)
    }
}

fn told(program: &Program, events: &[SyncEvent], trace: &mut Vec<StepReport>) {
    for event in events {
        let SyncEvent::Node { thread, operation, stack, object_name, .. } = event else { continue };
        trace.push(StepReport {
            thread: thread.0,
            at: icsched_enumerate::graph::place(program, stack),
            event: "sync",
            taken: None,
            what: Some(format!("{operation}({object_name})")),
            state: Vec::new(),
        });
    }
}
