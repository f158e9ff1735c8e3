//! From what was typed to checked configurations.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Parser as _;
use icsched_driver::config::{
    ArgSpec, DEFAULT_ARGUMENT, DatabaseConfig, EnvironmentVariable, Failures, InputSpec, LoadCache, MayFail,
    MemoryErrors, MemoryLimits, OptionalArguments, SearchOptions, Sources, Surroundings, Technique, Undecided,
};
use icsched_driver::symex::{self, SymexConfig};
use icsched_driver::{Contents, EnumerateConfig, Enumeration, ExecConfig, Limits, ProgramConfig, Switching};
use object::Object as _;
use object::read::ReadCache;

use crate::args::{
    Cli, Command, ExecArgs, ExternKind, InputArgs, LimitArgs, MemoryErrorsArg, ProgramArgs, SchedulesArg, SearchArgs,
    SurroundingsArgs, SymexArgs, SymexTechniqueArg, TechniqueArg, VerifyArgs,
};
use crate::error::ConfigError;
use crate::guard;

pub(crate) fn program(args: &ProgramArgs) -> Result<ProgramConfig, ConfigError> {
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
    let sources =
        Sources { files: files(args).cloned().collect(), cflags: cflags(args)?, directory: args.directory.clone() };
    let new = ProgramConfig::new(sources);
    let entry = args.entry.clone().unwrap_or_else(|| new.entry.clone());
    Ok(ProgramConfig { entry, externs, memory_errors, cache, ..new })
}

/// The program whose calls fail as the inputs say.
fn with_failures(program: ProgramConfig, inputs: &InputArgs) -> ProgramConfig {
    ProgramConfig { may_fail: inputs.may_fail.iter().map(|(name, _)| name.clone()).collect(), ..program }
}

/// The files of a program.
fn files(args: &ProgramArgs) -> impl Iterator<Item = &PathBuf> {
    std::iter::once(&args.program).chain(&args.files).chain(&args.link)
}

fn cflags(args: &ProgramArgs) -> Result<Vec<String>, ConfigError> {
    let Some(text) = &args.cflags else { return Ok(Vec::new()) };
    shlex::split(text).ok_or_else(|| ConfigError::Flags { text: text.clone() })
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

pub(crate) fn exec(args: &ExecArgs) -> Result<ExecConfig, ConfigError> {
    let given = &args.surroundings;
    let is_given = |name: &OsString| given.env.iter().any(|(own, _)| **own == *name);
    let own = std::env::vars_os().filter(|(name, _)| !is_given(name));
    let own = own.map(|(name, value)| [name.as_encoded_bytes(), b"=", value.as_encoded_bytes()].concat());
    let environment = own.chain(given.env.iter().map(|(name, value)| format!("{name}={value}").into_bytes())).collect();
    let files = given.file.iter().map(|(name, path)| (name.clone(), Some(path.into())));
    let files = files.chain(given.no_file.iter().map(|name| (name.clone(), None))).collect();
    Ok(ExecConfig {
        program: program(&args.program)?,
        args: args.args.iter().map(|arg| arg.as_encoded_bytes().to_vec()).collect(),
        environment,
        files,
        stdin: given.stdin.as_ref().map(PathBuf::from),
        max_instructions: args.program.max_instructions,
        limits: limits(&args.program),
    })
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
        || !(typed.sym_file.is_empty() && typed.sym_env.is_empty())
        || typed.surroundings.is_some()
        || !typed.may_fail.is_empty();
    if names_inputs && !args.from_start {
        return Err(ConfigError::InputsWithoutStart);
    }
    Ok(SymexConfig {
        program: with_failures(program(&args.program)?, &args.inputs),
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
        from_start: if args.from_start { Some(inputs(&args.inputs, &args.program, None)?) } else { None },
        witness: args.witness.clone(),
        runs: args.runs,
        limits,
    })
}

/// `database` is where the result is kept, and whether that of another program is replaced.
pub(crate) fn enumerate(args: &SearchArgs, database: Option<(&Path, bool)>) -> Result<EnumerateConfig, ConfigError> {
    enumerate_with(args, database, None)
}

/// The same, with contents of files that its options name by digests.
fn enumerate_with(
    args: &SearchArgs,
    database: Option<(&Path, bool)>,
    contents: Option<&Contents>,
) -> Result<EnumerateConfig, ConfigError> {
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
        TechniqueArg::PrefixFailures => Technique::PrefixFailures,
        TechniqueArg::QuietBranches => Technique::QuietBranches,
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
    let inputs = inputs(&args.inputs, &args.program, contents)?;
    let typed = typed(args, &inputs.surroundings);
    Ok(EnumerateConfig {
        program: with_failures(program(&args.program)?, &args.inputs),
        inputs,
        limits,
        search,
        without: args.without.iter().map(technique).collect(),
        typed,
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
fn typed(args: &SearchArgs, surroundings: &Surroundings) -> Vec<String> {
    let mut typed = Vec::new();
    let mut option = |name: &str, value: String| typed.push(format!("--{name}={value}"));
    for (name, kind) in &args.program.externs {
        option("extern", format!("{name}={}", format!("{kind:?}").to_lowercase()));
    }
    for file in files(&args.program).skip(1) {
        option("link", file.display().to_string());
    }
    for (name, value) in [
        ("cflags", args.program.cflags.clone()),
        ("entry", args.program.entry.clone()),
        ("directory", args.program.directory.as_ref().map(|directory| directory.display().to_string())),
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
    for (name, content) in &surroundings.files {
        match content {
            Some(bytes) => option("file", format!("{name}={}", named_by_digest(bytes))),
            None => option("no-file", name.clone()),
        }
    }
    if let Some(bytes) = &surroundings.stdin {
        option("stdin", named_by_digest(bytes));
    }
    for (name, at) in &args.inputs.may_fail {
        let at = at.as_ref().map(|(file, line)| format!("@{file}:{line}")).unwrap_or_default();
        option("may-fail", format!("{name}{at}"));
    }
    if args.inputs.max_failures != 1 {
        option("max-failures", args.inputs.max_failures.to_string());
    }
    args.inputs.surroundings.env.iter().for_each(|(name, value)| option("env", format!("{name}={value}")));
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

/// How options name a content instead of its file: where that is kept beside them.
const BY_DIGEST: &str = "blake3:";

fn named_by_digest(bytes: &[u8]) -> String {
    format!("{BY_DIGEST}{}", Enumeration::digest_of(bytes))
}

/// The content that an option names.
fn content(option: &'static str, named: &str, contents: Option<&Contents>) -> Result<Vec<u8>, ConfigError> {
    if let (Some(digest), Some(contents)) = (named.strip_prefix(BY_DIGEST), contents) {
        let digest = digest.to_owned();
        return contents.get(&digest).map(|bytes| bytes.0.clone()).ok_or(ConfigError::NoContent { option, digest });
    }
    std::fs::read(named).map_err(|error| ConfigError::Content {
        option,
        path: named.to_owned(),
        reason: error.to_string(),
    })
}

fn surroundings(args: &SurroundingsArgs, contents: Option<&Contents>) -> Result<Surroundings, ConfigError> {
    let mut files = Vec::new();
    for (name, path) in &args.file {
        files.push((name.clone(), Some(content("--file", path, contents)?)));
    }
    files.extend(args.no_file.iter().map(|name| (name.clone(), None)));
    let stdin = args.stdin.as_ref().map(|path| content("--stdin", path, contents)).transpose()?;
    Ok(Surroundings { files, stdin })
}

/// The configuration with which a database was made, under the limits of its verification.
///
/// # Errors
/// If its options are none that this version has.
pub(crate) fn verify(args: &VerifyArgs, made: (&[String], &Contents)) -> Result<EnumerateConfig, ConfigError> {
    remade(&args.program, made, (args.timeout, args.max_memory), None)
}

/// The configuration with which something was made, for a program, under other limits.
///
/// # Errors
/// If its options are none that this version has.
pub(crate) fn remade(
    program: &Path,
    (typed, contents): (&[String], &Contents),
    (timeout, max_memory): (Option<Duration>, Option<bytesize::ByteSize>),
    database: Option<(&Path, bool)>,
) -> Result<EnumerateConfig, ConfigError> {
    let is_limit = |word: &String| ["--timeout=", "--max-memory="].iter().any(|limit| word.starts_with(limit));
    let options = typed.iter().position(|word| word == "--").unwrap_or(typed.len());
    let (options, inputs) = typed.split_at(options);
    let mut words: Vec<OsString> = vec!["icsched".into(), "enumerate".into(), program.into()];
    for word in options.iter().filter(|word| !is_limit(word)) {
        match word.starts_with("--sym-args ") {
            true => words.extend(word.split(' ').map(OsString::from)),
            false => words.push(word.into()),
        }
    }
    words.extend(inputs.iter().map(OsString::from));
    let cli = Cli::try_parse_from(words)
        .map_err(|error| ConfigError::UnknownOptions { options: typed.join(" "), kind: error.kind() })?;
    let Command::Enumerate(made) = cli.command else {
        return Err(ConfigError::OtherCommand { options: typed.join(" ") });
    };
    let search = made.search;
    let made = SearchArgs { program: ProgramArgs { timeout, max_memory, ..search.program }, ..search };
    enumerate_with(&made, database, Some(contents))
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

fn inputs(args: &InputArgs, program: &ProgramArgs, contents: Option<&Contents>) -> Result<InputSpec, ConfigError> {
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
    for (name, value) in &args.surroundings.env {
        let value = ArgSpec::Concrete(value.clone());
        inputs.environment.push(EnvironmentVariable { name: name.clone(), value });
    }
    let given = surroundings(&args.surroundings, contents)?;
    if inputs.stdin.is_some() && given.stdin.is_some() {
        return Err(ConfigError::TwoInputs);
    }
    let mut names: Vec<&String> =
        inputs.files.iter().map(|file| &file.0).chain(given.files.iter().map(|file| &file.0)).collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|two| two[0] == two[1]) {
        return Err(ConfigError::FileTwice(twice[0].clone()));
    }
    inputs.surroundings = Arc::new(given);
    let of = args.may_fail.iter().map(|(name, at)| MayFail { function: name.clone(), at: at.clone() });
    inputs.failures = Arc::new(Failures { of: of.collect(), most: args.max_failures });
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
