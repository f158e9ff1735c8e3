//! From what was typed to checked configurations.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::path::Path;
use std::time::Duration;

use clap::Parser as _;
use icsched_driver::config::{
    ArgSpec, DEFAULT_ARGUMENT, DatabaseConfig, EnvironmentVariable, InputSpec, LoadCache, MemoryErrors, MemoryLimits,
    OptionalArguments, SearchOptions, Technique, Undecided,
};
use icsched_driver::symex::{self, SymexConfig};
use icsched_driver::{EnumerateConfig, Enumeration, ExecConfig, Limits, ProgramConfig, Switching};
use object::Object as _;
use object::read::ReadCache;

use crate::args::{
    Cli, Command, ExecArgs, ExternKind, InputArgs, LimitArgs, MemoryErrorsArg, ProgramArgs, SchedulesArg, SearchArgs,
    SymexArgs, SymexTechniqueArg, TechniqueArg, VerifyArgs,
};
use crate::error::ConfigError;
use crate::guard;

pub(crate) fn program(args: &ProgramArgs) -> ProgramConfig {
    let kind = |kind: ExternKind| match kind {
        ExternKind::Havoc => icsched_driver::config::Extern::Havoc,
        ExternKind::Pure => icsched_driver::config::Extern::Pure,
        ExternKind::Abort => icsched_driver::config::Extern::Abort,
        ExternKind::Assume => icsched_driver::config::Extern::Assume,
    };
    let externs: BTreeMap<_, _> = args.externs.iter().map(|(name, k)| (name.clone(), kind(*k))).collect();
    let memory_errors = match args.memory_errors {
        MemoryErrorsArg::Stop => MemoryErrors::Stop,
        MemoryErrorsArg::Continue => MemoryErrors::Continue,
    };
    let cache = args.load_cache.clone().map(|directory| LoadCache { directory, made_by: this_icsched() });
    ProgramConfig { path: args.program.clone(), externs, memory_errors, cache }
}

pub(crate) fn limits(args: &ProgramArgs) -> Limits {
    let default = Limits::default();
    let undecided = args.max_instructions.unwrap_or(default.undecided.instructions);
    Limits {
        timeout: args.timeout,
        memory: MemoryLimits::of_process(args.max_memory.map(|m| m.as_u64())),
        max_instructions: args.max_instructions.unwrap_or(default.max_instructions),
        undecided: Undecided { instructions: undecided, ..default.undecided },
        stop: guard::limits::stop_on_signals(),
        ..default
    }
}

/// Without an executable program nothing else can be limited.
pub(crate) fn inspect_limits(args: LimitArgs) -> Limits {
    let memory = MemoryLimits::of_process(args.max_memory.map(|m| m.as_u64()));
    Limits { timeout: args.timeout, memory, stop: guard::limits::stop_on_signals(), ..Limits::default() }
}

pub(crate) fn exec(args: &ExecArgs) -> ExecConfig {
    let environment = std::env::vars_os()
        .map(|(name, value)| [name.as_encoded_bytes(), b"=", value.as_encoded_bytes()].concat())
        .collect();
    ExecConfig {
        program: program(&args.program),
        args: args.args.iter().map(|arg| arg.as_encoded_bytes().to_vec()).collect(),
        environment,
        max_instructions: args.program.max_instructions,
        limits: limits(&args.program),
    }
}

/// Most time for one query of `symex`. Paths of which it is not known whether they are possible are kept, so little is
/// lost.
const SYMEX_QUERY: Duration = Duration::from_millis(500);

pub(crate) fn symex(args: &SymexArgs) -> Result<SymexConfig, ConfigError> {
    let mut limits = limits(&args.program);
    if let Some(events) = args.max_events {
        limits.max_events = events as usize;
    }
    limits.solver_timeout = args.solver_timeout.unwrap_or(SYMEX_QUERY);
    let technique = |t: &SymexTechniqueArg| match t {
        SymexTechniqueArg::ReachingDefs => symex::Technique::ReachingDefs,
        SymexTechniqueArg::SyncInvariants => symex::Technique::SyncInvariants,
        SymexTechniqueArg::Pointsto => symex::Technique::PointsTo,
        SymexTechniqueArg::MemoryChecks => symex::Technique::MemoryChecks,
    };
    let typed = &args.inputs;
    let names_inputs = !typed.args.is_empty()
        || typed.sym_args.is_some()
        || typed.sym_stdin.is_some()
        || !(typed.sym_file.is_empty() && typed.sym_env.is_empty());
    if names_inputs && !args.from_start {
        return Err(ConfigError::InputsWithoutStart);
    }
    Ok(SymexConfig {
        program: program(&args.program),
        threads: args.threads.0.clone(),
        none_ended: args.none_ended,
        branches: args.branches,
        max_paths: args.max_paths as usize,
        switching: match args.schedules {
            SchedulesArg::One => Switching::Scheduler,
            SchedulesArg::Blocking => Switching::Blocking,
            SchedulesArg::All => Switching::Everywhere,
        },
        without: args.without.iter().map(technique).collect(),
        traces: args.traces || args.json.is_some(),
        assumed: args.assumed || args.json.is_some(),
        states: args.states,
        explain: args.explain.map(|path| path as usize),
        from_start: if args.from_start { Some(inputs(&args.inputs, &args.program)?) } else { None },
        witness: args.witness.clone(),
        runs: args.runs,
        limits,
    })
}

/// `database` is where the result is kept, and whether that of another program is replaced.
pub(crate) fn enumerate(args: &SearchArgs, database: Option<(&Path, bool)>) -> Result<EnumerateConfig, ConfigError> {
    let mut limits = limits(&args.program);
    if let Some(events) = args.max_events {
        limits.max_events = events as usize;
        limits.undecided.events = events as usize;
    }
    if let Some(timeout) = args.solver_timeout {
        limits.solver_timeout = timeout;
    }
    let default = SearchOptions::default();
    let search = SearchOptions {
        loop_bound: args.loop_bound.unwrap_or(default.loop_bound),
        max_paths: args.max_paths.map_or(default.max_paths, |n| n as usize),
        max_epochs: args.max_epochs.map_or(default.max_epochs, |n| n as usize),
        epoch_instructions: args.epoch_instructions.unwrap_or(default.epoch_instructions),
        epoch_balance: args.epoch_balance,
        fold_depth: args.fold_depth.map_or(default.fold_depth, |n| n as usize),
        abstract_after: args.abstract_after.unwrap_or(default.abstract_after),
        conservative_after: args.conservative_after.map_or(default.conservative_after, |n| n as usize),
        ..default
    };
    let technique = |t: &TechniqueArg| match t {
        TechniqueArg::PrefixSchedules => Technique::PrefixSchedules,
        TechniqueArg::ShortestPath => Technique::ShortestPath,
        TechniqueArg::Slicing => Technique::Slicing,
        TechniqueArg::Pointsto => Technique::PointsTo,
        TechniqueArg::MarkerPruning => Technique::MarkerPruning,
        TechniqueArg::ScheduleTrees => Technique::ScheduleTrees,
        TechniqueArg::ReachingDefs => Technique::ReachingDefs,
        TechniqueArg::SyncInvariants => Technique::SyncInvariants,
        TechniqueArg::InputAbstraction => Technique::InputAbstraction,
        TechniqueArg::ConservativeOrder => Technique::ConservativeOrder,
        TechniqueArg::Combinations => Technique::Combinations,
        TechniqueArg::SymbolicTids => Technique::SymbolicThreads,
        TechniqueArg::CodeDuplication => Technique::CodeDuplication,
        TechniqueArg::LibrarySync => Technique::LibrarySync,
        TechniqueArg::WholeRuns => Technique::WholeRuns,
        TechniqueArg::Epochs => Technique::Epochs,
    };
    Ok(EnumerateConfig {
        program: program(&args.program),
        inputs: inputs(&args.inputs, &args.program)?,
        limits,
        search,
        without: args.without.iter().map(technique).collect(),
        typed: typed(args),
        jobs: args.jobs.map_or_else(processors, |jobs| jobs as usize),
        database: database.map(|(path, force)| DatabaseConfig {
            path: path.to_path_buf(),
            resume: !args.fresh,
            force,
            made_by: this_icsched(),
        }),
    })
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get)
}

/// A name for this build of icsched: the build id that the linker has made of it, else a digest of the whole file.
/// Empty for one that cannot read itself.
fn this_icsched() -> String {
    let Ok(path) = std::env::current_exe() else { return String::new() };
    if let Some(id) = build_id(&path) {
        return Enumeration::digest_of(&id);
    }
    std::fs::read(path).map(|bytes| Enumeration::digest_of(&bytes)).unwrap_or_default()
}

/// The linker's digest of an executable. Only its headers and notes are read.
fn build_id(executable: &Path) -> Option<Vec<u8>> {
    let cache = ReadCache::new(File::open(executable).ok()?);
    let file = object::File::parse(&cache).ok()?;
    let id = file.build_id().ok()??;
    Some(id.to_vec())
}

/// The options that the result depends on, in one spelling; not where it is written and how it is shown, how many
/// search, and how much time and memory they have: a result that these cut short is not final.
fn typed(args: &SearchArgs) -> Vec<String> {
    let mut typed = Vec::new();
    let mut option = |name: &str, value: String| typed.push(format!("--{name}={value}"));
    for (name, kind) in &args.program.externs {
        option("extern", format!("{name}={}", format!("{kind:?}").to_lowercase()));
    }
    for (name, value) in [
        ("abstract-after", args.abstract_after.map(|n| n.to_string())),
        ("conservative-after", args.conservative_after.map(|n| n.to_string())),
        ("epoch-balance", args.epoch_balance.map(|n| n.to_string())),
        ("epoch-instructions", args.epoch_instructions.map(|n| n.to_string())),
        ("fold-depth", args.fold_depth.map(|n| n.to_string())),
        ("loop-bound", args.loop_bound.map(|n| n.to_string())),
        ("max-epochs", args.max_epochs.map(|n| n.to_string())),
        ("max-events", args.max_events.map(|n| n.to_string())),
        ("max-instructions", args.program.max_instructions.map(|n| n.to_string())),
        ("memory-errors", (args.program.memory_errors == MemoryErrorsArg::Continue).then(|| "continue".to_owned())),
        ("max-paths", args.max_paths.map(|n| n.to_string())),
        ("solver-timeout", args.solver_timeout.map(|d| humantime::format_duration(d).to_string())),
        ("sym-stdin", args.inputs.sym_stdin.map(|n| n.to_string())),
    ] {
        if let Some(value) = value {
            option(name, value);
        }
    }
    args.inputs.sym_file.iter().for_each(|(name, size)| option("sym-file", format!("{name}={size}")));
    args.inputs.sym_env.iter().for_each(|name| option("sym-env", name.clone()));
    for technique in args.without.iter().filter_map(clap::ValueEnum::to_possible_value) {
        option("without", technique.get_name().to_owned());
    }
    if let Some(range) = &args.inputs.sym_args {
        typed.push(format!("--sym-args {} {} {}", range[0], range[1], range[2]));
    }
    if !args.inputs.args.is_empty() {
        typed.push("--".to_owned());
        typed.extend(args.inputs.args.iter().cloned());
    }
    typed
}

/// The configuration with which a database was made, under the limits of its verification.
///
/// # Errors
/// If its options are none that this version has.
pub(crate) fn verify(args: &VerifyArgs, typed: &[String]) -> Result<EnumerateConfig, ConfigError> {
    remade(&args.program, typed, (args.timeout, args.max_memory), None)
}

/// The configuration with which something was made, for a program, under other limits.
///
/// # Errors
/// If its options are none that this version has.
pub(crate) fn remade(
    program: &Path,
    typed: &[String],
    (timeout, max_memory): (Option<Duration>, Option<bytesize::ByteSize>),
    database: Option<(&Path, bool)>,
) -> Result<EnumerateConfig, ConfigError> {
    let is_limit = |word: &String| ["--timeout=", "--max-memory="].iter().any(|limit| word.starts_with(limit));
    let options = typed.iter().position(|word| word == "--").unwrap_or(typed.len());
    let (options, inputs) = typed.split_at(options);
    let mut words: Vec<OsString> = vec!["icsched".into(), "enumerate".into(), program.into()];
    for word in options.iter().filter(|word| !is_limit(word)) {
        words.extend(word.split(' ').map(OsString::from));
    }
    words.extend(inputs.iter().map(OsString::from));
    let cli = Cli::try_parse_from(words)
        .map_err(|error| ConfigError::UnknownOptions { options: typed.join(" "), kind: error.kind() })?;
    let Command::Enumerate(made) = cli.command else {
        return Err(ConfigError::OtherCommand { options: typed.join(" ") });
    };
    let search = made.search;
    let made = SearchArgs { program: ProgramArgs { timeout, max_memory, ..search.program }, ..search };
    enumerate(&made, database)
}

/// Most bytes of one symbolic input: each is a term of its own.
const MAX_INPUT: u64 = 1 << 20;

fn check_size(input: &'static str, bytes: u64) -> Result<(), ConfigError> {
    if bytes <= MAX_INPUT {
        return Ok(());
    }
    Err(ConfigError::TooLarge { input, bytes, most: MAX_INPUT })
}

fn check_sizes(inputs: &InputSpec) -> Result<(), ConfigError> {
    let string = |input: &'static str, spec: &ArgSpec| match spec {
        ArgSpec::Symbolic { max } => check_size(input, *max as u64),
        ArgSpec::Concrete(_) => Ok(()),
    };
    for spec in &inputs.arguments {
        string("argument", spec)?;
    }
    for variable in &inputs.environment {
        if variable.name.is_empty() {
            return Err(ConfigError::UnnamedVariable);
        }
        string("--sym-env", &variable.value)?;
    }
    for (name, size) in &inputs.files {
        if name.is_empty() {
            return Err(ConfigError::UnnamedFile);
        }
        check_size("--sym-file", *size)?;
    }
    if let Some(size) = inputs.stdin {
        check_size("--sym-stdin", size)?;
    }
    if let Some(more) = inputs.optional {
        check_size("--sym-args", u64::from(more.max).saturating_mul(more.bytes as u64))?;
    }
    Ok(())
}

fn inputs(args: &InputArgs, program: &ProgramArgs) -> Result<InputSpec, ConfigError> {
    let name = program.program.file_stem().map(|n| n.to_string_lossy().into_owned());
    let mut inputs = InputSpec { program: name.unwrap_or_default(), ..InputSpec::default() };
    for arg in &args.args {
        inputs.arguments.push(arg_spec(arg)?);
    }
    if let Some(range) = &args.sym_args {
        let (min, max, bytes) = (range[0], range[1], range[2]);
        if min > max {
            return Err(ConfigError::EmptyRange { min, max });
        }
        inputs.optional = Some(OptionalArguments { min, max, bytes: bytes as usize });
    }
    inputs.files = args.sym_file.clone();
    inputs.stdin = args.sym_stdin;
    for variable in &args.sym_env {
        let (name, max) = match variable.split_once('=') {
            Some((name, size)) => {
                let wrong = |_| ConfigError::VariableSize { variable: variable.clone(), size: size.to_owned() };
                (name, size.parse().map_err(wrong)?)
            }
            None => (variable.as_str(), DEFAULT_ARGUMENT),
        };
        let value = ArgSpec::Symbolic { max };
        inputs.environment.push(EnvironmentVariable { name: name.to_owned(), value });
    }
    check_sizes(&inputs)?;
    Ok(inputs)
}

/// `@`, `@N` or a plain word; `@@word` is the plain word `@word`.
fn arg_spec(arg: &str) -> Result<ArgSpec, ConfigError> {
    match arg.strip_prefix('@') {
        None => Ok(ArgSpec::Concrete(arg.to_owned())),
        Some("") => Ok(ArgSpec::Symbolic { max: DEFAULT_ARGUMENT }),
        Some(word) if word.starts_with('@') => Ok(ArgSpec::Concrete(word.to_owned())),
        Some(number) => match number.parse() {
            Ok(max) => Ok(ArgSpec::Symbolic { max }),
            Err(_) => Err(ConfigError::Argument(arg.to_owned())),
        },
    }
}
