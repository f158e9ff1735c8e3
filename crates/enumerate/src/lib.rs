//! Input-covering schedules: precondition slicing and the search (Bergan 3.3, 3.4).
//!
//! - [`specialise`]: folds code that this program cannot reach.
//! - [`control`], [`provenance`], [`modref`], [`aliases`]: static facts, computed once per program.
//! - [`slice`]: which decisions of a path affect what it synchronises.
//! - [`search`]: the worklist of uncovered inputs of one epoch.
//!
//! API boundary: [`enumerate`] takes a [`Request`] and returns a value; the result depends on nothing else, except that
//! limits can cut it short, which it then says.

pub mod aliases;
pub mod constraint;
pub mod control;
mod engine;
pub mod graph;
mod live;
pub mod modref;
pub mod objects;
mod pretty;
pub mod progress;
pub mod provenance;
mod reasons;
pub mod region;
pub mod search;
pub mod slice;
pub mod specialise;
pub mod strategy;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use icsched_ir::{CallStack, EntityId, Function, Program, ProgramPoint};
use icsched_pointsto::PointsTo;
use icsched_schedule::{Assumption, Enumeration, EpochId, Statistics, ThreadContext};
use icsched_symex::Extern;
use icsched_symex::inputs::InputSpec;

pub use crate::engine::{RunLimits, resident_bytes};
pub use crate::progress::Progress;
pub use crate::reasons::words as limit_words;
pub use crate::search::SearchOptions;

use crate::aliases::Aliases;
use crate::control::Control;
use crate::engine::Engine;
use crate::modref::ModRef;
use crate::search::Search;
use crate::slice::Statics;

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
}

/// Enumerates the input-covering schedules of a program from its entry.
///
/// # Errors
/// If the program cannot be started with these inputs; says why.
pub fn enumerate(request: &Request) -> Result<Enumeration, String> {
    enumerate_with(request, &mut ())
}

/// [`enumerate`], telling how far it is.
///
/// # Errors
/// The same.
pub fn enumerate_with(request: &Request, progress: &mut dyn Progress) -> Result<Enumeration, String> {
    let start = Instant::now();
    let specialised = Arc::new(specialise::specialise(&request.program));
    let program = &*specialised;
    let main = program.main.ok_or("the program has no main function")?;
    let off = |technique| request.without.contains(&technique);
    let harmless = |f: &Function| {
        request.externs.contains_key(&f.name) || icsched_externals::known_not_to_synchronise(&f.name, f.params.len())
    };
    let points_to = if off(Technique::PointsTo) { None } else { solve(program, &request.limits) };
    let summaries = points_to.as_ref().map(|p| icsched_pointsto::ModRef::new(program, p, &harmless));
    let aliases = summaries.as_ref().map(Aliases::new);
    let control = Control::new(program, &harmless, !off(Technique::PrefixSchedules), points_to.as_ref());
    let modref = ModRef::new(program, &control);
    let statics = Statics { program, control: &control, modref: &modref, aliases: aliases.as_ref() };
    let limits = request.limits.clone();
    let shortest = !off(Technique::ShortestPath);
    let bound = request.search.loop_bound;
    let mut engine = Engine::new(&specialised, &request.inputs, &request.externs, limits, shortest, bound)?;
    let options = SearchOptions {
        slicing: !off(Technique::Slicing),
        prefixes: !off(Technique::PrefixSchedules),
        ..request.search.clone()
    };
    let entry = CallStack(vec![ProgramPoint { func: main, block: EntityId::from_index(0), inst: 0 }]);
    let contexts = vec![ThreadContext { thread: 0, stack: vec![describe_entry(program, &entry)] }];
    let result = Search::new(&statics, &mut engine, &options, progress).run(EpochId::entry(main), contexts);
    let solver = engine.solver_statistics();
    Ok(Enumeration {
        program: program.name.clone(),
        assumptions: assumptions(points_to.as_ref()),
        epochs: vec![result.epoch],
        statistics: Statistics {
            seconds: start.elapsed().as_secs_f64(),
            paths: result.paths,
            instructions: result.instructions,
            solver_seconds: solver.solver_seconds(),
            solver_queries: solver.queries,
            peak_mib: peak_mib(),
        },
        ..Enumeration::default()
    })
}

/// Points-to sets of the program as it is executed; `None` when the run is to end before they are found.
fn solve(program: &Program, limits: &RunLimits) -> Option<PointsTo> {
    let late = || limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
    let interrupted = || limits.stop.asked().is_some() || late();
    let options = icsched_pointsto::Options { interrupted: &interrupted, ..Default::default() };
    PointsTo::new(program, &options).ok()
}

/// What the result takes for granted; of pointers in pieces only where the program may have some.
fn assumptions(points_to: Option<&PointsTo>) -> Vec<Assumption> {
    let in_pieces = |p: &PointsTo| p.notes().iter().any(|note| matches!(note, icsched_pointsto::Note::Pieces { .. }));
    let mut found = vec![Assumption::DataRaceFreedom, Assumption::BoundedThreads];
    found.extend(points_to.is_some_and(in_pieces).then_some(Assumption::WholePointers));
    found
}

fn describe_entry(program: &Program, entry: &CallStack) -> String {
    let func = entry.0[0].func;
    let function = &program.functions[func];
    let at = function.loc.map_or_else(|| graph::place(program, entry), |loc| program.describe_loc(loc));
    format!("{at} in {}", function.name)
}

/// Peak resident memory of the process in MiB; 0 where the system does not tell.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1024
}
