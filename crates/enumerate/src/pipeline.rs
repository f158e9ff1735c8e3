//! From a request to its result: analyses of the whole program, epoch markers, the search, the assumptions.
//!
//! Each stage needs those before it. Between stages the limits of the run are asked: a run that is over ends early.

use std::sync::Arc;
use std::time::Instant;

use icsched_dataflow::termination::Termination;
use icsched_ir::{Function, Op, Origin, Program};
use icsched_pointsto::{PointsTo, Startup};
use icsched_schedule::{Assumption, Enumeration, EpochResult, Reason, Statistics};
use icsched_slicing::aliases::Aliases;
use icsched_slicing::control::Control;
use icsched_slicing::modref::ModRef;
use icsched_symbolic::request::Activity;

use crate::analyses::Analyses;
use crate::answer::{Found, Work};
use crate::beginnings::Beginnings;
use crate::error::EnumerateError;
use crate::folding;
use crate::markers::{MarkerOptions, Markers};
use crate::passed_markers::Followed;
use crate::progress::Progress;
use crate::request::{Outcome, Request};
use crate::shared::Shared;
use crate::slots::Slots;
use crate::specialise;
use crate::statics::Statics;
use crate::technique::Technique;

/// Why there is no result of a search.
enum Ended {
    /// The program cannot be enumerated.
    Wrong(EnumerateError),
    /// A limit was reached before the search began.
    Early(Reason),
}

/// Analyses the program, and has its epochs searched by `search`.
///
/// # Errors
/// If the program cannot be started with these inputs.
pub(crate) fn search_with(
    request: &Request,
    jobs: usize,
    progress: &mut dyn Progress,
    search: impl FnOnce(&Shared<'_>, &Enumeration, &mut dyn Progress) -> Result<Found, EnumerateError>,
) -> Result<Outcome, EnumerateError> {
    let start = Instant::now();
    match stages(request, jobs, progress, search, start) {
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

/// The stages, in order.
fn stages(
    request: &Request,
    jobs: usize,
    progress: &mut dyn Progress,
    search: impl FnOnce(&Shared<'_>, &Enumeration, &mut dyn Progress) -> Result<Found, EnumerateError>,
    start: Instant,
) -> Result<Outcome, Ended> {
    let harmless = |f: &Function| is_harmless(request, f);
    let mut begin = |activity| begin(request, progress, activity);
    begin(Activity::PointsTo)?;
    let (program, points_to) = specialised(request);
    let program = &program;
    begin(Activity::ModRef)?;
    let modref = points_to.as_ref().map(|p| icsched_pointsto::ModRef::new(program, p, &harmless));
    let aliases = modref.as_ref().filter(|_| !request.is_off(Technique::PointsTo)).map(Aliases::new);
    begin(Activity::Control)?;
    let targets = points_to.as_deref().filter(|_| !request.is_off(Technique::PointsTo));
    let mut control = Control::new(program, &harmless, !request.is_off(Technique::PrefixSchedules), targets);
    let writes = ModRef::new(program, &control);
    let startup = modref.as_ref().map(Startup::new);
    let termination = modref.as_ref().zip(startup.as_ref()).map(|(modref, startup)| Termination::new(modref, startup));
    let never_left = termination.as_ref().map_or_else(Vec::new, Termination::plainly_endless);
    control.find_stuck_tests(program, &writes, never_left);
    let statics = statics(request, program, &control, &writes, aliases.as_ref());
    begin(Activity::Shapes)?;
    let variables = modref.as_ref().map(icsched_dataflow::Statics::new);
    let analyses = match (&points_to, &modref, &startup, &termination, &variables) {
        (Some(points_to), Some(modref), Some(startup), Some(termination), Some(variables)) => {
            Some(Analyses::new(points_to, modref, startup, (termination, variables), beginnings(request)))
        }
        _ => None,
    };
    begin(Activity::Markers)?;
    let markers = markers(request, program, &control, modref.as_ref());
    let shared = Shared { analyses: analyses.as_ref(), ..shared(request, program, statics, &markers, jobs) };
    let assumptions = Assumptions::of(request, program, points_to.as_deref());
    let header = header(program, &markers, &assumptions);
    let found = search(&shared, &header, progress).map_err(Ended::Wrong)?;
    Ok(outcome(request, found, header, &assumptions, start))
}

/// Says what is being done from here on, unless the run is over.
fn begin(request: &Request, progress: &mut dyn Progress, activity: Activity) -> Result<(), Ended> {
    match request.limits.stop_reason(&request.program) {
        Some(reason) => Err(Ended::Early(reason)),
        None => {
            request.limits.stop.begin(activity);
            progress.doing(activity);
            Ok(())
        }
    }
}

/// Whether the user, or the table of library functions, vouches for a function that is not defined: it does not
/// synchronise.
fn is_harmless(request: &Request, function: &Function) -> bool {
    request.externs.contains_key(&function.name)
        || icsched_externals::known_not_to_synchronise(&function.name, function.params.len())
}

/// What slices are computed with, and the limits.
fn statics<'p>(
    request: &'p Request,
    program: &'p Program,
    control: &'p Control,
    modref: &'p ModRef,
    aliases: Option<&'p Aliases<'p>>,
) -> Statics<'p> {
    let slicing =
        icsched_slicing::Statics { program, control, modref, aliases, time: &request.limits, corrections: false };
    Statics { slicing, limits: &request.limits }
}

/// What is asked of dataflow analysis where epochs begin.
fn beginnings(request: &Request) -> Beginnings {
    Beginnings::new(icsched_dataflow::Options {
        reaching_defs: !request.is_off(Technique::ReachingDefs),
        sync_invariants: !request.is_off(Technique::SyncInvariants),
    })
}

/// Where epochs end.
fn markers(
    request: &Request,
    program: &Program,
    control: &Control,
    modref: Option<&icsched_pointsto::ModRef<'_>>,
) -> Markers {
    let options = MarkerOptions { prune: !request.is_off(Technique::MarkerPruning) };
    match request.is_off(Technique::Epochs) {
        true => Markers::none(),
        false => Markers::place(program, control, modref, &options),
    }
}

/// What the searches of all epochs share, but for the analyses.
fn shared<'p>(
    request: &'p Request,
    program: &'p Arc<Program>,
    statics: Statics<'p>,
    markers: &Markers,
    jobs: usize,
) -> Shared<'p> {
    let control = statics.control;
    let folding = Some(Arc::new(folding::folding(program, control, request.search.fold_depth)));
    let (everything, recursions) = match request.is_off(Technique::MarkerPruning) {
        true => Default::default(),
        false => (Followed::everything(markers), Followed::recursions(program, control, markers)),
    };
    let summarises = !request.is_off(Technique::InputAbstraction) && !request.is_off(Technique::Epochs);
    let endless = if summarises { control.endless_loops(program) } else { Vec::new() };
    let markers = Arc::new(markers.iter().map(|(point, _)| point).collect());
    let slots = Slots::new(jobs);
    Shared { request, program, statics, markers, folding, everything, recursions, endless, slots, analyses: None }
}

/// What the result says before any epoch is searched.
fn header(program: &Program, markers: &Markers, assumptions: &Assumptions) -> Enumeration {
    let epoch_markers = u32::try_from(markers.len()).expect("markers are few");
    let assumptions = assumptions.with_epochs(epoch_markers > 0);
    Enumeration { program: program.name.clone(), assumptions, epoch_markers, ..Enumeration::default() }
}

/// The result, with what it takes for granted.
fn outcome(request: &Request, found: Found, header: Enumeration, assumptions: &Assumptions, start: Instant) -> Outcome {
    let Found { epochs, reasons, work, is_cut } = found;
    let statistics = statistics(start, &work);
    let mut assumptions = assumptions.with_epochs(epochs.len() > 1);
    assumptions.extend(epochs.iter().any(EpochResult::has_errors).then_some(request.assumed_of_errors()));
    let of_loops = || epochs.iter().map(|epoch| &epoch.assumed);
    assumptions.extend(of_loops().any(|assumed| assumed.no_overflow).then_some(Assumption::NoOverflow));
    assumptions.extend(of_loops().any(|assumed| !assumed.end.is_empty()).then_some(Assumption::LoopsEnd));
    let result = Enumeration { assumptions, epochs, reasons, statistics, ..header };
    Outcome { result, is_cut }
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

/// What results take for granted of a program, whatever is found.
struct Assumptions {
    /// Whether sizes of objects may be open, so that allocations are taken to succeed.
    sizes_open: bool,
    /// Whether the program may move pointers in pieces.
    in_pieces: bool,
    /// Whether the program has arrays in structures whose subscripts are taken to be in range.
    has_subscripts: bool,
}

impl Assumptions {
    fn of(request: &Request, program: &Program, points_to: Option<&PointsTo>) -> Self {
        let in_pieces =
            |p: &PointsTo| p.notes().iter().any(|note| matches!(note, icsched_pointsto::Note::Pieces { .. }));
        Self {
            sizes_open: !request.is_off(Technique::Epochs),
            in_pieces: points_to.is_some_and(in_pieces),
            has_subscripts: has_subscripts(program),
        }
    }

    /// Those of a result; `has_epochs`: more than the first one.
    fn with_epochs(&self, has_epochs: bool) -> Vec<Assumption> {
        let mut found = vec![Assumption::DataRaceFreedom, Assumption::BoundedThreads];
        found.extend(self.sizes_open.then_some(Assumption::AllocationsSucceed));
        found.extend(has_epochs.then_some(Assumption::DefinedBehaviour));
        found.extend(self.in_pieces.then_some(Assumption::WholePointers));
        found.extend(self.has_subscripts.then_some(Assumption::SubscriptsInRange));
        found
    }
}

/// The program without code that it cannot reach, and what points-to analysis says of it, if there was time for that.
fn specialised(request: &Request) -> (Arc<Program>, Option<Arc<PointsTo>>) {
    let interrupted = || request.limits.is_over();
    let folded = match request.is_off(Technique::PointsTo) {
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

/// Peak resident memory of the process in MiB; 0 where the system does not tell.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1024
}
