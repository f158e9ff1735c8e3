//! `icsched symex`: the paths from a program context (Bergan chapter 2).

mod collect;
mod explain;
mod json;
mod paths;
mod report;
mod start;
mod states;
mod text;
mod whole;
mod witness;

use icsched_symex::Switching;

use std::path::PathBuf;

use crate::config::{InputSpec, Limits, ProgramConfig};
use crate::error::DriverError;

pub use json::JsonWriter;
pub use report::{
    ContextThread, Ends, Header, PathReport, Sink, Statistics, StepReport, Summary, Totals, WitnessReport,
};
pub use text::{TextOptions, TextWriter};
pub use witness::WitnessInput;

/// One `--thread`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadSpec {
    /// Where it is; see [`icsched_dataflow::parse_stack`].
    pub place: String,
    /// How many threads are there.
    pub times: u32,
    /// Whether they wait in the call that is there.
    pub waiting: bool,
}

/// What can be turned off (D10).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Technique {
    /// Reaching definitions (Bergan's -RD).
    ReachingDefs,
    /// Synchronisation invariants (Bergan's -SI).
    SyncInvariants,
    /// Points-to analysis for pointers that nobody knows.
    PointsTo,
    /// Checks of accesses to objects of unknown size.
    MemoryChecks,
}

/// `icsched symex`.
#[derive(Clone, Debug)]
pub struct SymexConfig {
    /// The program.
    pub program: ProgramConfig,
    /// Where its threads are.
    pub threads: Vec<ThreadSpec>,
    /// Whether every thread that a function on the stacks has created is one of them.
    pub none_ended: bool,
    /// Conditional branches of the program on one path, at most.
    pub branches: u64,
    /// Paths, at most.
    pub max_paths: usize,
    /// Where other threads may run.
    pub switching: Switching,
    /// Techniques that are turned off.
    pub without: Vec<Technique>,
    /// Also says for each path what it did.
    pub traces: bool,
    /// Also says for each path what it takes for granted.
    pub assumed: bool,
    /// Also shows an initial state for each path.
    pub states: bool,
    /// Shows the state at each choice of the path with this number, from 1.
    pub explain: Option<usize>,
    /// From the program's entry, with these inputs.
    pub from_start: Option<InputSpec>,
    /// A file with [`WitnessInput`]s: for real runs to compare paths with, and to find the way to a context.
    pub witness: Option<PathBuf>,
    /// Real runs with each input, at most.
    pub runs: u64,
    /// Limits.
    pub limits: Limits,
}

/// Executes all paths from a context, or from the program's entry, and hands them to the sink as they are found.
///
/// # Errors
/// If the program cannot be loaded, a thread is at no place of it, or the sink fails. Everything else that goes wrong
/// is a reason for incompleteness in the summary.
pub fn symex(config: &SymexConfig, sink: &mut dyn Sink) -> Result<Summary, DriverError> {
    let started = std::time::Instant::now();
    let summary = match &config.from_start {
        Some(inputs) => whole::explore(config, inputs, sink, started),
        None => paths::explore(config, sink, started),
    }?;
    match config.explain {
        Some(path) if path > summary.totals.paths => Err(DriverError::NotFound {
            message: format!("--explain {path}: {} paths were found", summary.totals.paths),
            help: "paths have the numbers that they have without --explain".to_owned(),
        }),
        _ => Ok(summary),
    }
}
