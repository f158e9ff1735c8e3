//! What `icsched symex` is asked for.

use std::path::PathBuf;

use icsched_machine::Switching;

use crate::config::{InputSpec, Limits, ProgramConfig};

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
    /// A file with [`WitnessInput`](super::WitnessInput)s: for real runs to compare paths with, and to find the way to
    /// a context.
    pub witness: Option<PathBuf>,
    /// Real runs with each input, at most.
    pub runs: u64,
    /// Limits.
    pub limits: Limits,
}
