//! Checked configurations, one per subcommand.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::error::DriverError;
pub use icsched_epochs::memory::MemoryLimits;
pub use icsched_epochs::{SearchOptions, Technique, UNDECIDED, Undecided};
pub use icsched_frontend::{LoadCache, Sources};
use icsched_frontend::{LoadLimits, LoadStop, Made, SourceError};
pub use icsched_machine::step::{Failures, MayFail, Surroundings};
pub use icsched_machine::stop::Limit;
pub use icsched_machine::{Extern, MemoryErrors};
pub use icsched_symbolic::inputs::{ArgSpec, DEFAULT_ARGUMENT, EnvironmentVariable, InputSpec, OptionalArguments};
pub use icsched_symbolic::request::{Activity, StopRequest};

/// The program to work on.
#[derive(Clone, Debug)]
pub struct ProgramConfig {
    /// What it is called: the first file of its sources.
    pub path: PathBuf,
    /// What it is made of.
    pub sources: Sources,
    /// Where it starts.
    pub entry: String,
    /// Library functions whose calls may fail.
    pub may_fail: Vec<String>,
    /// What undefined functions do (`--extern NAME=…`).
    pub externs: BTreeMap<String, Extern>,
    /// What happens behind undefined behaviour (`--memory-errors`).
    pub memory_errors: MemoryErrors,
    /// Where loaded programs are kept for the next time.
    pub cache: Option<LoadCache>,
    /// Its bitcode, once that is made.
    pub made: Bitcode,
}

/// Bitcode that is made when it is asked for first, or is a file of the user.
#[derive(Clone, Default, Debug)]
pub struct Bitcode(Arc<OnceLock<Option<Made>>>);

impl ProgramConfig {
    /// The program that is made of some files, with nothing else said of it.
    ///
    /// # Panics
    /// Without a file.
    pub fn new(sources: Sources) -> Self {
        Self {
            path: sources.files.first().expect("a program has a file").clone(),
            sources,
            entry: "main".to_owned(),
            may_fail: Vec::new(),
            externs: BTreeMap::new(),
            memory_errors: MemoryErrors::default(),
            cache: None,
            made: Bitcode::default(),
        }
    }

    /// The file with its bitcode, or textual IR; made of its sources when it is asked for first.
    ///
    /// # Errors
    /// If there is no way from its files to bitcode.
    pub fn bitcode(&self, limits: &LoadLimits<'_>) -> Result<&Path, SourceError> {
        if self.made.0.get().is_none() {
            let made = icsched_frontend::gather(&self.sources, limits)?;
            // Another thread may have been faster.
            let _ = self.made.0.set(made);
        }
        Ok(self.made.0.get().and_then(Option::as_ref).map_or(&self.path, Made::path))
    }

    /// The bytes of its bitcode.
    ///
    /// # Errors
    /// As [`bitcode`](Self::bitcode); and if the file cannot be read.
    pub(crate) fn read(&self, limits: &Limits) -> Result<Vec<u8>, DriverError> {
        let path = limits.loading(|limits| self.bitcode(limits).map(Path::to_path_buf))?;
        std::fs::read(&path).map_err(|error| DriverError::Read { path: self.path.clone(), error })
    }
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
    /// Does something under what of these limits loading looks at.
    pub(crate) fn loading<R>(&self, load: impl FnOnce(&LoadLimits<'_>) -> R) -> R {
        let cancelled = || self.stop.asked().map(load_stop);
        load(&LoadLimits { deadline: self.deadline(), memory: self.memory.resident, cancelled: Some(&cancelled) })
    }

    /// When a run that starts now must end; `None` also for a time that no clock shows.
    pub fn deadline(&self) -> Option<Instant> {
        Instant::now().checked_add(self.timeout?)
    }
}

/// What stops a run stops loading.
fn load_stop(limit: Limit) -> LoadStop {
    match limit {
        Limit::Time => LoadStop::Time,
        Limit::Memory => LoadStop::Memory,
        Limit::Interrupted | Limit::Instructions | Limit::Decisions | Limit::Events => LoadStop::Interrupted,
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
    /// Files that stand for those the program names, or `None` for one that is not to be there.
    pub files: Vec<(String, Option<PathBuf>)>,
    /// What is read as standard input, if not this process's.
    pub stdin: Option<PathBuf>,
    /// Most instructions.
    pub max_instructions: Option<u64>,
    /// Limits.
    pub limits: Limits,
}
