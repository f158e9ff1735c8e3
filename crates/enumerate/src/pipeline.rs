//! From a request to its result: what all epochs are searched with, the search, the assumptions.

use std::time::Instant;

use icsched_epochs::markers::Markers;
use icsched_epochs::{Request, StartError, prepare};
use icsched_ir::{Op, Origin, Program};
use icsched_pointsto::PointsTo;
use icsched_schedule::{Assumption, Enumeration, EpochResult, Statistics};

use crate::answer::{Found, Work};
use crate::progress::Progress;
use crate::run::Outcome;
use crate::shared::Shared;

/// Prepares the program, and has its epochs searched by `search`.
///
/// # Errors
/// If the program cannot be started with these inputs.
pub(crate) fn search_with(
    request: &Request,
    jobs: usize,
    mut progress: &mut dyn Progress,
    search: impl FnOnce(&Shared<'_>, &Enumeration, &mut dyn Progress) -> Result<Found, StartError>,
) -> Result<Outcome, StartError> {
    let start = Instant::now();
    let prepared = prepare(
        request,
        &mut progress,
        |progress, activity| progress.doing(activity),
        |setting, progress| {
            let shared = Shared::new(setting.clone(), jobs);
            let points_to = setting.analyses.map(|analyses| &**analyses.points_to);
            let assumptions = Assumptions::of(setting.program, points_to);
            let header = header(setting.program, setting.markers, &assumptions);
            let found = search(&shared, &header, &mut **progress)?;
            Ok(outcome(request, found, header, &assumptions, start))
        },
    );
    prepared.unwrap_or_else(|reason| {
        let statistics = statistics(start, &Work::default());
        let (program, reasons) = (request.program.name.clone(), vec![reason]);
        let result = Enumeration { program, reasons, statistics, ..Enumeration::default() };
        Ok(Outcome { result, is_cut: true })
    })
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
    /// Whether the program may move pointers in pieces.
    in_pieces: bool,
    /// Whether the program has arrays in structures whose subscripts are taken to be in range.
    has_subscripts: bool,
}

impl Assumptions {
    fn of(program: &Program, points_to: Option<&PointsTo>) -> Self {
        let in_pieces =
            |p: &PointsTo| p.notes().iter().any(|note| matches!(note, icsched_pointsto::Note::Pieces { .. }));
        Self { in_pieces: points_to.is_some_and(in_pieces), has_subscripts: has_subscripts(program) }
    }

    /// Those of a result; `has_epochs`: more than the first one.
    fn with_epochs(&self, has_epochs: bool) -> Vec<Assumption> {
        let mut found = vec![Assumption::DataRaceFreedom, Assumption::BoundedThreads, Assumption::AllocationsSucceed];
        found.extend(has_epochs.then_some(Assumption::DefinedBehaviour));
        found.extend(self.in_pieces.then_some(Assumption::WholePointers));
        found.extend(self.has_subscripts.then_some(Assumption::SubscriptsInRange));
        found
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
