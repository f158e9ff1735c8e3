//! Runs the paths from a context.

use std::collections::BTreeSet;
use std::time::Instant;

use icsched_dataflow::{Context, Status};
use icsched_explore::Snapshot;
use icsched_explore::explore::{self, PathRun};
use icsched_explore::follow::PathTree;
use icsched_ir::{CallStack, Program, ProgramPoint};
use icsched_machine::{Limit, Switching};
use icsched_schedule::{IncompleteKind, Reason};
use icsched_symbolic::initial::InitialStates as _;

use super::collect::{Collector, Explained};
use super::config::{SymexConfig, Technique};
use super::report::{ContextThread, Header, Sink, Statistics, Summary, Totals};
use super::start::{Prepared, Unprepared};
use super::witness;
use crate::error::DriverError;

/// Decisions with two sides that are no branches of the program are bounded too: models can go round as well.
const MAX_DECISIONS: usize = 1 << 10;

pub(super) fn explore(config: &SymexConfig, sink: &mut dyn Sink, started: Instant) -> Result<Summary, DriverError> {
    let deadline = config.limits.deadline();
    let prepared = match super::start::prepare(config, deadline) {
        Ok(prepared) => prepared,
        Err(Unprepared::Wrong(error)) => return Err(error),
        Err(Unprepared::Stopped) => return stopped(config, sink, started),
    };
    let analysis_seconds = started.elapsed().as_secs_f64();
    let inputs = config.witness.is_some().then(|| witness::inputs(config)).transpose()?;
    let Prepared { program, loaded, mut machine, state, context, unreached, notes } = prepared;
    // Real runs need time of their own.
    let searched = |deadline: Instant| started + deadline.saturating_duration_since(started).mul_f64(SEARCH_SHARE);
    let limits = limits(config, if inputs.is_some() { deadline.map(searched) } else { deadline });
    let shared = state.path.constraints().to_vec();
    let header = Header {
        assumptions: assumptions(config, context.threads.len(), &notes),
        initial: Snapshot::new(&state, &machine).conditions(&shared, false),
        ..header(config, &program, &context)
    };
    sink.begin(&header)?;
    let begun = PathRun::untraced(state);
    let begun = if inputs.is_some() { begun.with_sides() } else { begun };
    let mut collector = Collector::new(config, &program, sink);
    collector.shared = shared.len();
    collector.witnessed = inputs.is_some().then(|| (PathTree::default(), Vec::new()));
    collector.explained = config.explain.map(|path| Explained { path, begun: begun.clone(), limits: limits.clone() });
    for place in unreached {
        collector.reason(IncompleteKind::Unsupported, format!("no way of the program leads to `{place}`"), None);
    }
    let is_all =
        explore::explore_from(&mut machine, begun, &limits, |machine, outcome| collector.finished(machine, &outcome));
    for note in machine.take_notes() {
        collector.reason(IncompleteKind::Limit, note, None);
    }
    let seconds = started.elapsed().as_secs_f64();
    let witnessed = collector.witnessed.take();
    let mut summary = collector.summary(&machine.domain.solver_statistics(), seconds)?;
    if let (Some(inputs), Some((tree, mut paths))) = (&inputs, witnessed) {
        let mut witness = witness::count(config, (&loaded, &context), inputs, tree, &mut paths, deadline)?;
        paths.iter().try_for_each(|path| sink.path(path))?;
        if !is_all {
            // Runs may well do what was not explored.
            witness.strayed.clear();
        }
        // Where no run takes any path, they say nothing of paths.
        summary.totals.infeasible = (witness.witnessed > 0).then_some(witness.unwitnessed);
        summary.witness = Some(witness);
    }
    summary.statistics.analysis_seconds = analysis_seconds;
    sink.end(&header, &summary)?;
    Ok(summary)
}

/// What there is to say when a limit was reached before the first path.
pub(super) fn stopped(config: &SymexConfig, sink: &mut dyn Sink, started: Instant) -> Result<Summary, DriverError> {
    let header = Header::new(&config.program.path);
    sink.begin(&header)?;
    let (kind, words) = icsched_epochs::limit_words(config.limits.stop.asked().unwrap_or(Limit::Time));
    let message = format!("{words}, before the analyses of the program that paths need were done");
    let seconds = started.elapsed().as_secs_f64();
    let summary = Summary {
        complete: false,
        reasons: vec![Reason { kind, message, at: None }],
        totals: Totals::default(),
        witness: None,
        statistics: Statistics { seconds, analysis_seconds: seconds, ..Statistics::default() },
    };
    sink.end(&header, &summary)?;
    Ok(summary)
}

/// Of the time there is, what paths may take that are to be witnessed.
const SEARCH_SHARE: f64 = 0.75;

pub(super) fn limits(config: &SymexConfig, deadline: Option<Instant>) -> explore::Limits {
    explore::Limits {
        instructions: config.limits.max_instructions,
        decisions: MAX_DECISIONS,
        branches: config.branches,
        events: config.limits.max_events,
        undecided: config.limits.undecided,
        deadline,
        memory: config.limits.memory.resident.unwrap_or(u64::MAX),
        decided: false,
        hopeless: BTreeSet::new(),
        rounds: u32::MAX,
        terms: usize::MAX,
        long: (u64::MAX, usize::MAX),
        errors: !config.without.contains(&Technique::MemoryChecks),
        solved: u64::MAX,
    }
}

/// Where the threads are; nothing is known there.
pub(super) fn header(config: &SymexConfig, program: &Program, context: &Context) -> Header {
    let contexts = context.threads.iter().enumerate().map(|(i, t)| thread(program, i, t)).collect();
    Header { contexts, ..Header::new(&config.program.path) }
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
    let at = icsched_epochs::graph::place(program, &CallStack(vec![point]));
    if at.contains(' ') { at } else { format!("{at} in {name}") }
}
