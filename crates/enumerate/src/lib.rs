//! Input-covering schedules: precondition slicing and the search (Bergan 3.3, 3.4).
//!
//! - [`specialise`]: folds code that this program cannot reach.
//! - [`markers`]: where epochs end.
//! - [`control`], [`provenance`], [`modref`], [`aliases`]: static facts, computed once per program.
//! - [`slice`]: which decisions of a path affect what it synchronises.
//! - [`search`]: the worklist of uncovered inputs of one epoch.
//!
//! - [`progress`]: what a search tells while it goes on.
//!
//! API boundary: [`enumerate`] takes a [`Request`] and returns a value; the result depends on nothing else, except that
//! limits can cut it short, which it then says.

pub mod aliases;
pub mod carried;
pub mod constraint;
pub mod control;
mod engine;
mod epochs;
mod followed;
pub mod graph;
mod live;
pub mod markers;
pub mod memory;
pub mod modref;
pub mod objects;
mod plain;
mod pretty;
pub mod progress;
pub mod provenance;
mod quiet;
mod reasons;
pub mod region;
pub mod search;
pub mod slice;
mod slots;
pub mod specialise;
pub mod strategy;
mod threads;
mod tree;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use icsched_dataflow::termination::Termination;
use icsched_ir::{Function, Op, Origin, Program};
use icsched_pointsto::PointsTo;
use icsched_schedule::{Assumption, Enumeration, EpochResult, KeptSearch, Reason, Statistics};
use icsched_symex::inputs::InputSpec;
use icsched_symex::request::Activity;
use icsched_symex::{Extern, MemoryErrors};

pub use icsched_symex::machine::Undecided;

pub use crate::engine::{RunLimits, UNDECIDED};
pub use crate::progress::{Counts, Journal, Progress, SchedulePath, SearchedEpoch, Working};
pub use crate::reasons::words as limit_words;
pub use crate::search::SearchOptions;

use crate::aliases::Aliases;
use crate::control::Control;
use crate::epochs::beginnings::Beginnings;
use crate::epochs::job::Work;
use crate::epochs::{Analyses, Found, Shared};
use crate::followed::Followed;
use crate::markers::{MarkerOptions, Markers};
use crate::modref::ModRef;
use crate::slice::Statics;
use crate::slots::Slots;

/// A technique that can be turned off (design decision D10), to reprint ablations and to exclude a suspect.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Technique {
    /// Leaving out branches that only end the process (3.4.1.1).
    PrefixSchedules,
    /// Following the shorter side of a branch first (3.3.2).
    ShortestPath,
    /// Precondition slicing: without it every decision of a path is part of its constraint.
    Slicing,
    /// Points-to analysis: without it, stores through pointers from memory may write whatever has escaped, and calls through
    /// pointers reach every function whose address is taken.
    PointsTo,
    /// Reaching definitions and other facts of dataflow analysis about memory and registers at the beginning of an epoch.
    ReachingDefs,
    /// What must hold of objects of synchronisation at the beginning of an epoch.
    SyncInvariants,
    /// Bounded epochs (3.2.2): without them the whole run is one, as long as its loops go round, and sizes of objects are chosen.
    Epochs,
    /// Searching the whole run as one epoch first, where inputs decide in few ways how it goes on: without it epochs end at markers as soon as
    /// an input matters.
    WholeRuns,
    /// Replacing loops by what they may do (3.4.2).
    InputAbstraction,
    /// Schedule trees (3.2.1): without them all conditions of an epoch count as known at its start.
    ScheduleTrees,
    /// Ordering synchronisation after that on all objects that its own may be, where inputs say which it is (3.4.1.5): without it
    /// each object is a schedule of its own.
    ConservativeOrder,
    /// Searching all epochs again where there are deadlocks, with what numbers hold together: without it what relates counters and states
    /// of threads is known of two at a time.
    Combinations,
    /// Epochs say how many threads start where, not which ones (3.4.1.3): without it a permutation of threads is another epoch.
    SymbolicThreads,
    /// Executing code as it is written: without it the one who loads the program has code duplicated (3.4.1.4).
    CodeDuplication,
    /// Ignoring the locks that the C library holds inside (3.4.1.2): without it the one who loads the program has it synchronise on
    /// those of streams.
    LibrarySync,
    /// Placing fewer epoch markers than one in each loop that synchronises (3.3.1).
    MarkerPruning,
}

/// What to enumerate.
#[derive(Clone, Debug)]
pub struct Request {
    /// The program.
    pub program: Arc<Program>,
    /// Its inputs (D5).
    pub inputs: InputSpec,
    /// What undefined functions do.
    pub externs: BTreeMap<String, Extern>,
    /// Limits of the search.
    pub search: SearchOptions,
    /// Limits of the run.
    pub limits: RunLimits,
    /// Techniques that are off.
    pub without: Vec<Technique>,
    /// What happens behind memory errors.
    pub memory_errors: MemoryErrors,
}

impl Request {
    /// What is taken for granted of memory errors, if there are some.
    pub fn assumed_of_errors(&self) -> Assumption {
        match self.memory_errors {
            MemoryErrors::Stop => Assumption::NoMemoryErrors,
            MemoryErrors::Continue => Assumption::ContainedErrors,
        }
    }
}

/// How to enumerate: nothing of this changes the result.
pub struct Run<'a> {
    /// Most threads that search at the same time, at least 1.
    pub jobs: usize,
    /// Searches that an earlier run with the same request has [kept](Journal::keep).
    pub kept: Vec<KeptSearch>,
    /// Keeps those of this one.
    pub journal: &'a mut dyn Journal,
    /// Is told how far it is.
    pub progress: &'a mut dyn Progress,
}

/// What was enumerated.
#[derive(Debug)]
pub struct Outcome {
    /// The result.
    pub result: Enumeration,
    /// Whether the user or a limit of the whole run (time, memory) ended the search: then another run may find more.
    pub is_cut: bool,
}

/// Enumerates the input-covering schedules of a program from its entry.
///
/// # Errors
/// If the program cannot be started with these inputs; says why.
pub fn enumerate(request: &Request) -> Result<Enumeration, String> {
    let (journal, progress) = (&mut (), &mut ());
    Ok(enumerate_by(request, Run { jobs: 1, kept: Vec::new(), journal, progress })?.result)
}

/// [`enumerate`] by workers, with what an earlier run has found.
///
/// # Errors
/// The same.
pub fn enumerate_by(request: &Request, run: Run<'_>) -> Result<Outcome, String> {
    let Run { jobs, kept, journal, progress } = run;
    search_with(request, jobs, progress, |shared, header, progress| {
        epochs::workers::search(shared, jobs, header, kept, (journal, progress))
    })
}

/// [`enumerate`] in this thread, telling about each path and epoch what is not plain data. What the solver leaves undecided may
/// be something else than there.
///
/// # Errors
/// The same.
pub fn enumerate_with(request: &Request, progress: &mut dyn Progress) -> Result<Enumeration, String> {
    Ok(search_with(request, 1, progress, |shared, _, progress| epochs::search(shared, progress))?.result)
}

/// Why there is no result of a search.
enum Ended {
    /// The program cannot be started with these inputs.
    Wrong(String),
    /// A limit was reached before the search began.
    Early(Reason),
}

/// Analyses the program, and has its epochs searched.
fn search_with(
    request: &Request,
    jobs: usize,
    progress: &mut dyn Progress,
    search: impl FnOnce(&Shared<'_>, &Enumeration, &mut dyn Progress) -> Result<Found, String>,
) -> Result<Outcome, String> {
    let start = Instant::now();
    match analyse_and_search(request, jobs, progress, search, start) {
        Ok(outcome) => Ok(outcome),
        Err(Ended::Wrong(why)) => Err(why),
        Err(Ended::Early(reason)) => {
            let statistics = statistics(start, &Work::default());
            let (program, reasons) = (request.program.name.clone(), vec![reason]);
            let result = Enumeration { program, reasons, statistics, ..Enumeration::default() };
            Ok(Outcome { result, is_cut: true })
        }
    }
}

fn statistics(start: Instant, work: &Work) -> Statistics {
    Statistics {
        seconds: start.elapsed().as_secs_f64(),
        paths: work.paths,
        instructions: work.instructions,
        solver_seconds: work.solver.solver_seconds(),
        solver_queries: work.solver.queries,
        peak_mib: peak_mib(),
    }
}

fn analyse_and_search(
    request: &Request,
    jobs: usize,
    progress: &mut dyn Progress,
    search: impl FnOnce(&Shared<'_>, &Enumeration, &mut dyn Progress) -> Result<Found, String>,
    start: Instant,
) -> Result<Outcome, Ended> {
    let mut begin = |activity| match request.limits.stop_reason(&request.program) {
        Some(reason) => Err(Ended::Early(reason)),
        None => {
            request.limits.stop.begin(activity);
            progress.doing(activity);
            Ok(())
        }
    };
    begin(Activity::PointsTo)?;
    let off = |technique| request.without.contains(&technique);
    let (specialised, points_to) = specialised(request, off(Technique::PointsTo));
    let program = &specialised;
    let harmless = |f: &Function| {
        request.externs.contains_key(&f.name) || icsched_externals::known_not_to_synchronise(&f.name, f.params.len())
    };
    begin(Activity::ModRef)?;
    let summaries = points_to.as_ref().map(|p| icsched_pointsto::ModRef::new(program, p, &harmless));
    let used = summaries.as_ref().filter(|_| !off(Technique::PointsTo));
    let aliases = used.map(Aliases::new);
    let targets = points_to.as_deref().filter(|_| !off(Technique::PointsTo));
    begin(Activity::Control)?;
    let mut control = Control::new(program, &harmless, !off(Technique::PrefixSchedules), targets);
    let modref = ModRef::new(program, &control);
    let startup = summaries.as_ref().map(icsched_pointsto::Startup::new);
    let termination =
        summaries.as_ref().zip(startup.as_ref()).map(|(modref, startup)| Termination::new(modref, startup));
    let never_left = termination.as_ref().map_or_else(Vec::new, Termination::plainly_endless);
    control.find_stuck_tests(program, &modref, never_left);
    let statics = Statics {
        program,
        control: &control,
        modref: &modref,
        aliases: aliases.as_ref(),
        limits: &request.limits,
        corrections: false,
    };
    begin(Activity::Shapes)?;
    let variables = summaries.as_ref().map(icsched_dataflow::Statics::new);
    let analyses = match (&points_to, &summaries, &startup, &termination, &variables) {
        (Some(points_to), Some(modref), Some(startup), Some(termination), Some(variables)) => {
            let beginnings = Beginnings::new(icsched_dataflow::Options {
                reaching_defs: !off(Technique::ReachingDefs),
                sync_invariants: !off(Technique::SyncInvariants),
            });
            Some(Analyses::new(points_to, modref, startup, (termination, variables), beginnings))
        }
        _ => None,
    };
    begin(Activity::Markers)?;
    let options = MarkerOptions { prune: !off(Technique::MarkerPruning) };
    let placed = match off(Technique::Epochs) {
        true => Markers::none(),
        false => Markers::place(program, &control, summaries.as_ref(), &options),
    };
    let epoch_markers = u32::try_from(placed.len()).expect("markers are few");
    let markers = Arc::new(placed.iter().map(|(point, _)| point).collect());
    let folding = Some(Arc::new(control.folding(program, request.search.fold_depth)));
    let all = || (Followed::everything(&placed), Followed::recursions(program, &control, &placed));
    let (everything, recursions) = if off(Technique::MarkerPruning) { Default::default() } else { all() };
    let slots = Slots::new(jobs);
    let replaces = !off(Technique::InputAbstraction) && !off(Technique::Epochs);
    let endless = if replaces { control.endless_loops(program) } else { Vec::new() };
    let analyses = analyses.as_ref();
    let shared =
        Shared { request, program, statics, markers, folding, everything, recursions, endless, slots, analyses };
    let has_subscripts = has_subscripts(program);
    let assumed = |has_epochs| {
        let mut found = assumptions(points_to.as_deref(), has_epochs, !off(Technique::Epochs));
        found.extend(has_subscripts.then_some(Assumption::SubscriptsInRange));
        found
    };
    let header = Enumeration {
        program: program.name.clone(),
        assumptions: assumed(epoch_markers > 0),
        epoch_markers,
        ..Enumeration::default()
    };
    let Found { epochs, reasons, work, is_cut } = search(&shared, &header, progress).map_err(Ended::Wrong)?;
    let statistics = statistics(start, &work);
    let mut assumptions = assumed(epochs.len() > 1);
    assumptions.extend(epochs.iter().any(EpochResult::has_errors).then_some(request.assumed_of_errors()));
    let of_loops = || epochs.iter().map(|epoch| &epoch.assumed);
    assumptions.extend(of_loops().any(|assumed| assumed.no_overflow).then_some(Assumption::NoOverflow));
    assumptions.extend(of_loops().any(|assumed| !assumed.end.is_empty()).then_some(Assumption::LoopsEnd));
    let result = Enumeration { assumptions, epochs, reasons, statistics, ..header };
    Ok(Outcome { result, is_cut })
}

/// The program without code that it cannot reach, and what points-to analysis says of it, if there was time for that.
fn specialised(request: &Request, without_points_to: bool) -> (Arc<Program>, Option<Arc<PointsTo>>) {
    let interrupted = || request.limits.is_over();
    let folded = match without_points_to {
        true => specialise::without_points_to(&request.program, &interrupted),
        false => specialise::from_main(&request.program, &interrupted),
    };
    match folded {
        Ok((program, points_to)) => (Arc::new(program), Some(Arc::new(points_to))),
        Err(_) => (Arc::new(specialise::specialise(&request.program)), None),
    }
}

/// Whether the program has arrays in structures whose subscripts are taken to be in range.
fn has_subscripts(program: &Program) -> bool {
    let functions = program.functions.values().filter(|f| f.origin == Origin::Program);
    let mut insts = functions.flat_map(|f| f.blocks.values()).flat_map(|block| &block.insts);
    insts
        .any(|inst| matches!(&inst.op, Op::Address { indices, .. } if indices.iter().any(|i| i.subscripts().is_some())))
}

/// What the result takes for granted; of pointers in pieces only where the program may have some.
fn assumptions(points_to: Option<&PointsTo>, has_epochs: bool, sizes_open: bool) -> Vec<Assumption> {
    let in_pieces = |p: &PointsTo| p.notes().iter().any(|note| matches!(note, icsched_pointsto::Note::Pieces { .. }));
    let mut found = vec![Assumption::DataRaceFreedom, Assumption::BoundedThreads];
    found.extend(sizes_open.then_some(Assumption::AllocationsSucceed));
    found.extend(has_epochs.then_some(Assumption::DefinedBehaviour));
    found.extend(points_to.is_some_and(in_pieces).then_some(Assumption::WholePointers));
    found
}

/// Peak resident memory of the process in MiB; 0 where the system does not tell.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1024
}
