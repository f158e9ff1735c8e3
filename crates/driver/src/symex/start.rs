//! From what the user named to an initial state.

use std::sync::Arc;
use std::time::Instant;

use icsched_dataflow::{Analysis, Context, Options, Statics, ThreadContext, WaitError};
use icsched_epochs::specialise::from_main;
use icsched_frontend::LoadOptions;
use icsched_ir::{Function, Program, Terminator};
use icsched_machine::host::MemoryHost;
use icsched_machine::{Machine, State};
use icsched_pointsto::{Interrupted, ModRef, PointsTo, Startup};
use icsched_smt::{CachingSolver, SolverOptions, Z3Solver};
use icsched_symbolic::initial::InitialStates as _;
use icsched_symbolic::initial::{Start, StartOptions};
use icsched_symbolic::inputs::InputSpec;
use icsched_symbolic::symbolic::SymbolicDomain;

use super::config::{SymexConfig, Technique, ThreadSpec};
use crate::error::DriverError;

/// A machine and the state that it starts from.
pub(super) struct Prepared {
    pub(super) program: Arc<Program>,
    /// The same as it was loaded: what is known of the symbolic domain only is not in it.
    pub(super) loaded: Arc<Program>,
    pub(super) machine: Machine<SymbolicDomain>,
    pub(super) state: State<SymbolicDomain>,
    pub(super) context: Context,
    /// Threads that no way leads to, by their texts.
    pub(super) unreached: Vec<String>,
    /// What points-to analysis did not know.
    pub(super) notes: Vec<String>,
}

/// Why there is no state to start from.
pub(super) enum Unprepared {
    /// Something is wrong with the command or its input.
    Wrong(DriverError),
    /// A limit was reached first, or the user wanted no more.
    Stopped,
}

impl From<DriverError> for Unprepared {
    fn from(error: DriverError) -> Self {
        Unprepared::Wrong(error)
    }
}

impl From<Interrupted> for Unprepared {
    fn from(_: Interrupted) -> Self {
        Unprepared::Stopped
    }
}

/// Whether an analysis is to end: when that was asked for, or at the deadline.
fn interrupted(config: &SymexConfig, deadline: Option<Instant>) -> impl Fn() -> bool {
    let stop = Arc::clone(&config.limits.stop);
    move || stop.asked().is_some() || deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

pub(super) fn prepare(config: &SymexConfig, deadline: Option<Instant>) -> Result<Prepared, Unprepared> {
    let interrupted = interrupted(config, deadline);
    let options = LoadOptions { needs_entry: false, ..LoadOptions::default() };
    let mut program = crate::enumerate::load_with(&config.program, &options, &config.limits)?;
    let loaded = Arc::clone(&program);
    let mut points_to = solve(&program, &interrupted)?;
    let mut context = context(&program, &points_to, config)?;
    if program.main.is_some() {
        let (special, its_points_to) = from_main(&program, &interrupted)?;
        if context.threads.iter().all(|t| is_reached(&special, &its_points_to, t)) {
            (program, points_to) = (Arc::new(special), its_points_to);
        } else {
            // A function that the program never calls is looked at as one of a library: anybody may call it.
            let mut library = Program::clone(&program);
            library.main = None;
            program = Arc::new(library);
            points_to = solve(&program, &interrupted)?;
            context = self::context(&program, &points_to, config)?;
        }
    }
    let points_to = Arc::new(points_to);
    let harmless = |f: &Function| icsched_externals::known_not_to_synchronise(&f.name, f.params.len());
    let modref = ModRef::new(&program, &points_to, &harmless);
    let startup = Startup::new(&modref);
    let mut analysis = Analysis::new(&modref, &startup).interrupted_by(&interrupted);
    wait(config, &mut analysis, &mut context)?;
    let has = |technique| !config.without.contains(&technique);
    let asked =
        Options { reaching_defs: has(Technique::ReachingDefs), sync_invariants: has(Technique::SyncInvariants) };
    let facts =
        analysis.initial_state(&context, &asked).map_err(|error| DriverError::Inputs(format!("--thread: {error}")))?;
    if analysis.is_interrupted() {
        return Err(Unprepared::Stopped);
    }
    let unreached = context.threads.iter().zip(&facts.threads).zip(names(config));
    let unreached = unreached.filter(|((_, f), _)| !f.definitions.is_reached).map(|(_, name)| name).collect();
    let statics = Statics::new(&modref);
    let mut machine = machine(config, &program, None);
    let start = Start {
        context: &context,
        facts: &facts,
        pool: analysis.pool(),
        points_to: Arc::clone(&points_to),
        statics: &statics,
        known: &(),
        options: StartOptions {
            statics: has(Technique::ReachingDefs),
            points_to: has(Technique::PointsTo),
            memory_checks: has(Technique::MemoryChecks),
            sync_invariants: has(Technique::SyncInvariants),
        },
    };
    let state = machine.state_at(&start);
    let notes = points_to.notes().iter().map(|note| note.describe(&program)).collect();
    Ok(Prepared { program, loaded, machine, state, context, unreached, notes })
}

/// The program from its entry, and where the threads are through which paths are to pass.
pub(super) fn whole(config: &SymexConfig, deadline: Option<Instant>) -> Result<(Arc<Program>, Context), Unprepared> {
    let interrupted = interrupted(config, deadline);
    let program = crate::enumerate::load(&config.program, &config.limits)?;
    let points_to = solve(&program, &interrupted)?;
    let mut context = context(&program, &points_to, config)?;
    let (special, points_to) = from_main(&program, &interrupted)?;
    if config.threads.iter().any(|t| t.waiting) {
        let harmless = |f: &Function| icsched_externals::known_not_to_synchronise(&f.name, f.params.len());
        let points_to = Arc::new(points_to);
        let modref = ModRef::new(&special, &points_to, &harmless);
        let startup = Startup::new(&modref);
        wait(config, &mut Analysis::new(&modref, &startup).interrupted_by(&interrupted), &mut context)?;
    }
    Ok((Arc::new(special), context))
}

/// Moves threads that wait to where they do.
fn wait(config: &SymexConfig, analysis: &mut Analysis<'_, '_>, context: &mut Context) -> Result<(), Unprepared> {
    let all = config.threads.iter().flat_map(|t| std::iter::repeat_n(t, t.times as usize));
    for (thread, spec) in context.threads.iter_mut().zip(all).filter(|(_, spec)| spec.waiting) {
        let found = analysis.waiting(thread);
        if analysis.is_interrupted() {
            return Err(Unprepared::Stopped);
        }
        *thread = found.map_err(|error| wrong(spec, &error))?;
    }
    Ok(())
}

/// Whether all of a thread's points are in code that some way leads to.
fn is_reached(program: &Program, points_to: &PointsTo, thread: &ThreadContext) -> bool {
    thread.stack.0.iter().all(|p| {
        let block = program.functions[p.func].blocks.get(p.block);
        let is_there = block.is_some_and(|b| !matches!(b.terminator, Terminator::Unreachable) || !b.insts.is_empty());
        is_there && !points_to.instances_of(p.func).is_empty()
    })
}

fn solve(program: &Program, interrupted: &dyn Fn() -> bool) -> Result<PointsTo, Interrupted> {
    PointsTo::new(program, &icsched_pointsto::Options { interrupted, ..Default::default() })
}

/// A machine for paths from contexts, or from the program's entry with these inputs.
pub(super) fn machine(
    config: &SymexConfig,
    program: &Arc<Program>,
    inputs: Option<&InputSpec>,
) -> Machine<SymbolicDomain> {
    let solver = SolverOptions { timeout: Some(config.limits.solver_timeout), ..SolverOptions::default() };
    let solver = Z3Solver::new(solver).interrupted_by(config.limits.stop.interrupt());
    let domain = SymbolicDomain::new(Box::new(CachingSolver::new(solver)));
    let options = icsched_machine::Options {
        externs: config.program.externs.clone(),
        memory_errors: config.program.memory_errors,
        switching: config.switching,
        symbolic_files: inputs.map(|i| i.files.clone()).unwrap_or_default(),
        symbolic_stdin: inputs.and_then(|i| i.stdin),
        surroundings: inputs.map(|i| Arc::clone(&i.surroundings)).unwrap_or_default(),
        failures: inputs.map(|i| Arc::clone(&i.failures)).unwrap_or_default(),
        stop: config.limits.stop.clone(),
        ..Default::default()
    };
    Machine::new(Arc::clone(program), domain, Box::new(MemoryHost::default()), options)
}

/// The text of each thread of the context.
fn names(config: &SymexConfig) -> impl Iterator<Item = String> {
    config.threads.iter().flat_map(|t| std::iter::repeat_n(t.place.clone(), t.times as usize))
}

/// A thread that waits, where nothing or too much does.
fn wrong(spec: &ThreadSpec, error: &WaitError) -> DriverError {
    let help = match error {
        WaitError::Nowhere => "--waiting is for a place at a call that blocks; leave it out for a thread that goes on",
        WaitError::Several(_) => "name one call, as `FUNCTION@FILE:LINE` or `FUNCTION+K`",
    };
    DriverError::NotFound { message: format!("--thread {} --waiting: {error}", spec.place), help: help.to_owned() }
}

fn context(program: &Program, points_to: &PointsTo, config: &SymexConfig) -> Result<Context, DriverError> {
    let mut context = Context { none_ended: config.none_ended, ..Context::default() };
    for spec in &config.threads {
        let thread = icsched_dataflow::parse_stack(program, points_to, &spec.place)
            .map_err(|error| crate::named::no_place(program, &spec.place, &error))?;
        context.threads.extend(std::iter::repeat_n(thread, spec.times as usize));
    }
    Ok(context)
}
