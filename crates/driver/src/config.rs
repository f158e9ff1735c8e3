//! Checked configurations, one per subcommand.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub use icsched_epochs::memory::MemoryLimits;
pub use icsched_epochs::{SearchOptions, Technique, UNDECIDED, Undecided};
pub use icsched_frontend::LoadCache;
pub use icsched_machine::stop::Limit;
pub use icsched_machine::{Extern, MemoryErrors};
pub use icsched_symbolic::inputs::{ArgSpec, DEFAULT_ARGUMENT, EnvironmentVariable, InputSpec, OptionalArguments};
pub use icsched_symbolic::request::{Activity, StopRequest};

/// The program to work on.
#[derive(Clone, Debug)]
pub struct ProgramConfig {
    /// Bitcode or textual LLVM IR.
    pub path: PathBuf,
    /// What undefined functions do (`--extern NAME=…`).
    pub externs: BTreeMap<String, Extern>,
    /// What happens behind undefined behaviour (`--memory-errors`).
    pub memory_errors: MemoryErrors,
    /// Where loaded programs are kept for the next time.
    pub cache: Option<LoadCache>,
}

/// Limits of a whole run (D8).
#[derive(Clone, Debug)]
pub struct Limits {
    /// Wall-clock time.
    pub timeout: Option<Duration>,
    /// Memory of the process.
    pub memory: MemoryLimits,
    /// Instructions on one path.
    pub max_instructions: u64,
    /// Synchronisation events on one path.
    pub max_events: usize,
    /// How long a path may be on which no input has decided anything, instead.
    pub undecided: Undecided,
    /// Time for one solver query.
    pub solver_timeout: Duration,
    /// Asked from outside to stop cleanly.
    pub stop: Arc<StopRequest>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            timeout: None,
            memory: MemoryLimits::of_process(None),
            max_instructions: 100_000_000,
            max_events: 50_000,
            undecided: UNDECIDED,
            solver_timeout: Duration::from_millis(2500),
            stop: Arc::default(),
        }
    }
}

impl Limits {
    /// When a run that starts now must end; `None` also for a time that no clock shows.
    pub fn deadline(&self) -> Option<Instant> {
        Instant::now().checked_add(self.timeout?)
    }
}

/// `icsched enumerate`.
#[derive(Clone, Debug)]
pub struct EnumerateConfig {
    /// The program.
    pub program: ProgramConfig,
    /// Its inputs, named on the command line (D5).
    pub inputs: InputSpec,
    /// Limits.
    pub limits: Limits,
    /// Search options.
    pub search: SearchOptions,
    /// Techniques that are turned off (D10).
    pub without: Vec<Technique>,
    /// The options and arguments that the result depends on, as typed, for the record in the database.
    pub typed: Vec<String>,
    /// Most epochs that are searched at the same time, at least 1.
    pub jobs: usize,
    /// Where to keep the result, and what of it is found before.
    pub database: Option<DatabaseConfig>,
}

/// The database of `icsched enumerate`.
#[derive(Clone, Debug)]
pub struct DatabaseConfig {
    /// The file.
    pub path: PathBuf,
    /// Whether to go on from what it has, if that was found by the same program with the same options.
    pub resume: bool,
    /// Whether to replace the result of another program.
    pub force: bool,
    /// Names the icsched that searches: what another one has found is not relied on.
    pub made_by: String,
}

/// `icsched exec`.
#[derive(Clone, Debug)]
pub struct ExecConfig {
    /// The program.
    pub program: ProgramConfig,
    /// `argv[1]` and so on.
    pub args: Vec<Vec<u8>>,
    /// The environment, as `NAME=value`.
    pub environment: Vec<Vec<u8>>,
    /// Most instructions.
    pub max_instructions: Option<u64>,
    /// Limits.
    pub limits: Limits,
}
