//! What the user types.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytesize::ByteSize;
use clap::{Args, Parser, Subcommand, ValueEnum};

use icsched_driver::check::{FindingKind, Verdict};

use crate::error::ValueError;
use crate::threads::ThreadArgs;

/// Input-covering schedules for multithreaded C programs.
///
/// Compile with `clang -g -emit-llvm -c prog.c -o prog.bc`, then run `icsched enumerate prog.bc`.
#[derive(Parser, Debug)]
#[command(name = "icsched", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Say more on standard error; twice for every path.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
    /// Say nothing but errors on standard error.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Find the input-covering schedules of a program.
    Enumerate(Box<EnumerateArgs>),
    /// Find what goes wrong, and show a run of each: deadlocks, failing assertions, aborts, memory errors.
    Check(Box<CheckArgs>),
    /// Show a finding again, every time the same.
    Replay(ReplayArgs),
    /// Find the paths from a program context: where the threads are, whatever memory holds.
    Symex(Box<SymexArgs>),
    /// Run a program in the concrete domain, with one deterministic interleaving of its threads.
    ///
    /// The program acts on this system as if it ran by itself: it reads, writes, renames and removes files, with your
    /// rights and in your directory. This is no sandbox: do not run a program that you do not trust. Only the memory of
    /// processes (/proc/self/mem and the like) is refused to it, since icsched is the process.
    Exec(Box<ExecArgs>),
    /// Show the schedules in a database.
    Show(ShowArgs),
    /// Prove a database again: that its schedules cover every input, and are what happens.
    Verify(VerifyArgs),
    /// Run a batch of commands in several configurations, and make tables of what they give.
    Experiment(ExperimentArgs),
    /// Look inside the analysis.
    Inspect {
        #[command(subcommand)]
        what: InspectCommand,
    },
}

#[derive(Subcommand, Debug)]
pub(crate) enum InspectCommand {
    /// The analysis IR, with the models that the program uses.
    Ir(InspectIrArgs),
    /// Who calls whom, which threads are started, and what is never reached.
    Callgraph(InspectArgs),
    /// The loops of each function, and how often they run.
    Loops(InspectArgs),
    /// What pointers may point to.
    Pointsto(InspectArgs),
    /// What functions, loops and branches may write, read and synchronise, and what threads share.
    Modref(InspectArgs),
    /// What must hold when threads are at given places.
    Defs(InspectDefsArgs),
    /// Where epochs end: the epoch markers, and why other loops that synchronise have none.
    Markers(InspectMarkersArgs),
}

/// When to stop.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct LimitArgs {
    /// Stop after this time with what is known, e.g. 30s or 5m.
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    pub(crate) timeout: Option<Duration>,
    /// Stop cleanly when more memory than this is in use, e.g. 2GiB; by default half of the machine's. Never more than
    /// three quarters of what the control group may have.
    #[arg(long, value_name = "SIZE")]
    pub(crate) max_memory: Option<ByteSize>,
}

impl InspectCommand {
    /// When to stop.
    pub(crate) fn limits(&self) -> LimitArgs {
        match self {
            InspectCommand::Ir(args) => args.limits,
            InspectCommand::Callgraph(args)
            | InspectCommand::Loops(args)
            | InspectCommand::Pointsto(args)
            | InspectCommand::Modref(args) => args.limits,
            InspectCommand::Defs(args) => args.limits,
            InspectCommand::Markers(args) => args.limits,
        }
    }

    /// The program.
    pub(crate) fn program(&self) -> &Path {
        match self {
            InspectCommand::Ir(args) => &args.program,
            InspectCommand::Callgraph(args)
            | InspectCommand::Loops(args)
            | InspectCommand::Pointsto(args)
            | InspectCommand::Modref(args) => &args.program,
            InspectCommand::Defs(args) => &args.program,
            InspectCommand::Markers(args) => &args.program,
        }
    }
}

/// The program and what is common to all commands that execute it.
#[derive(Args, Debug)]
pub(crate) struct ProgramArgs {
    /// The program: sources of C or C++, LLVM bitcode (.bc), textual LLVM IR (.ll), objects, archives or an executable
    /// with bitcode inside (`icsched cc` makes such), a compile_commands.json.
    #[arg(value_name = "PROG")]
    pub(crate) program: PathBuf,
    /// Its further files.
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// The same, as databases have them.
    #[arg(long, value_name = "FILE", hide = true)]
    pub(crate) link: Vec<PathBuf>,
    /// Options for the compiler of sources, as a shell would take them: '-Iinclude -DNAME=1'.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub(crate) cflags: Option<String>,
    /// Where the compiler of sources runs, as files of findings have it.
    #[arg(long, value_name = "DIR", hide = true)]
    pub(crate) directory: Option<PathBuf>,
    /// Start with this function in place of `main`.
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) entry: Option<String>,
    /// What a function without definition and model does: havoc (returns anything), pure (returns 0), abort, or assume
    /// (the run goes on only if its first argument is not 0).
    #[arg(long = "extern", value_name = "NAME=KIND", value_parser = parse_extern)]
    pub(crate) externs: Vec<(String, ExternKind)>,
    /// Keep the loaded program in this directory, and take it from there as long as neither it nor icsched has changed.
    /// Nothing in it is ever removed; share it with nobody.
    #[arg(long, value_name = "DIR")]
    pub(crate) load_cache: Option<PathBuf>,
    /// Stop after this time with what is known, e.g. 30s or 5m.
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    pub(crate) timeout: Option<Duration>,
    /// Stop cleanly when more memory than this is in use, e.g. 2GiB; by default half of the machine's. Never more than
    /// three quarters of what the control group may have.
    #[arg(long, value_name = "SIZE")]
    pub(crate) max_memory: Option<ByteSize>,
    /// Most instructions on one path.
    #[arg(long, value_name = "N")]
    pub(crate) max_instructions: Option<u64>,
    /// What happens behind a memory error: `stop` there, or `continue`, with an indeterminate value read and nothing
    /// written.
    #[arg(long, value_name = "WHAT", value_enum, default_value = "stop")]
    pub(crate) memory_errors: MemoryErrorsArg,
}

#[derive(Copy, Clone, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum MemoryErrorsArg {
    Stop,
    Continue,
}

#[derive(Copy, Clone, Debug, ValueEnum)]
pub(crate) enum ExternKind {
    Havoc,
    Pure,
    Abort,
    Assume,
}

/// The inputs of a run from the program's entry.
#[derive(Args, Debug)]
pub(crate) struct InputArgs {
    /// A symbolic number of further arguments: at least MIN, at most MAX, each of at most N bytes.
    #[arg(long, num_args = 3, value_names = ["MIN", "MAX", "N"])]
    pub(crate) sym_args: Option<Vec<u32>>,
    /// A file whose SIZE bytes are inputs.
    #[arg(long, value_name = "NAME=SIZE", value_parser = parse_sym_file)]
    pub(crate) sym_file: Vec<(String, u64)>,
    /// Standard input is SIZE bytes of input.
    #[arg(long, value_name = "SIZE")]
    pub(crate) sym_stdin: Option<u64>,
    /// An environment variable whose value is an input of at most 16 bytes, or NAME=SIZE.
    #[arg(long, value_name = "NAME")]
    pub(crate) sym_env: Vec<String>,
    #[command(flatten)]
    pub(crate) surroundings: SurroundingsArgs,
    /// Library functions whose calls may fail: malloc, pthread_create, fopen, ...; those at one line, malloc@FILE:LINE;
    /// all.
    #[arg(long, value_name = "NAME[@FILE:LINE],...", value_delimiter = ',', value_parser = parse_may_fail)]
    pub(crate) may_fail: Vec<(String, Option<(String, u32)>)>,
    /// Most calls that fail on one path.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) max_failures: u32,
    /// The program's arguments: a plain word, @ for a symbolic one of at most 16 bytes, @N for one of at most N bytes.
    #[arg(last = true, value_name = "ARG")]
    pub(crate) args: Vec<String>,
}

/// What a run finds around it, with contents that are known.
#[derive(Args, Debug)]
pub(crate) struct SurroundingsArgs {
    /// A file that the program finds under NAME, with the content of the file at PATH.
    #[arg(long, value_name = "NAME=PATH", value_parser = parse_file)]
    pub(crate) file: Vec<(String, String)>,
    /// A file that there is not.
    #[arg(long, value_name = "NAME")]
    pub(crate) no_file: Vec<String>,
    /// Standard input is the content of the file at PATH.
    #[arg(long, value_name = "PATH")]
    pub(crate) stdin: Option<String>,
    /// A variable of the environment with this value.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_file)]
    pub(crate) env: Vec<(String, String)>,
}

impl SurroundingsArgs {
    /// Whether anything is said.
    pub(crate) fn is_some(&self) -> bool {
        !(self.file.is_empty() && self.no_file.is_empty() && self.env.is_empty()) || self.stdin.is_some()
    }
}

/// What is searched, and how.
#[derive(Args, Debug)]
pub(crate) struct SearchArgs {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// How often the condition of one loop may be decided by inputs on one path.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) loop_bound: Option<u32>,
    /// Most paths to execute.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_paths: Option<u32>,
    /// Most synchronisation events on one path.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_events: Option<u32>,
    /// Most time for one solver query.
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    pub(crate) solver_timeout: Option<Duration>,
    /// Most epochs to search.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_epochs: Option<u32>,
    /// Instructions that a thread executes at least before an epoch marker ends its epoch.
    #[arg(long, value_name = "N")]
    pub(crate) epoch_instructions: Option<u64>,
    /// Where an epoch would end, let threads pass markers that have executed more than N instructions less in it than
    /// another.
    #[arg(long, value_name = "N")]
    pub(crate) epoch_balance: Option<u64>,
    /// How often inputs may decide the condition of a loop that does not synchronise before the loop is replaced by
    /// what it may do, and how many activations of a recursion may be inside of each other where they do.
    #[arg(long, value_name = "N")]
    pub(crate) abstract_after: Option<u32>,
    /// How many schedules an epoch may have before it is left open which objects synchronisation is on, where inputs
    /// choose them; 0 to do so always.
    #[arg(long, value_name = "N")]
    pub(crate) conservative_after: Option<u32>,
    /// How many innermost calls of a recursion the names of epochs tell apart.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) fold_depth: Option<u32>,
    /// Turn techniques off.
    #[arg(long, value_name = "TECHNIQUE", value_delimiter = ',')]
    pub(crate) without: Vec<TechniqueArg>,
    /// Most threads that search at the same time; by default as many as there are processors. The result does not
    /// depend on it.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) jobs: Option<u32>,
    /// Go on from what the database has, if it is of the same program with the same options. The default.
    #[arg(long)]
    pub(crate) resume: bool,
    /// Search all epochs, whatever the database has.
    #[arg(long, conflicts_with = "resume")]
    pub(crate) fresh: bool,
}

#[derive(Args, Debug)]
pub(crate) struct EnumerateArgs {
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    /// Where to write the schedule database; by default the program's name with the extension .icsdb.
    #[arg(short, long, value_name = "PROG.icsdb")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the database also if it has the result of another program.
    #[arg(long)]
    pub(crate) force: bool,
    /// Write the result as JSON; - for standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Show long schedules in full.
    #[arg(long)]
    pub(crate) full: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    pub(crate) search: SearchArgs,
    /// Only findings of these kinds: deadlock, no-progress, assert, abort, memory-error.
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = parse_kind)]
    pub(crate) only: Vec<FindingKind>,
    /// The schedule database; by default the program's name with the extension .icsdb.
    #[arg(long, value_name = "PROG.icsdb")]
    pub(crate) db: Option<PathBuf>,
    /// Replace the database also if it has the result of another program.
    #[arg(long)]
    pub(crate) force: bool,
    /// Write each finding to a file of its own in this directory: 1.json, 2.json, and so on.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Write the result as JSON; - for standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Write the findings as SARIF 2.1.0; - for standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
    /// Write a page with findings, epochs and schedules.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Write the findings as JUnit XML; - for standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Print the findings as annotations of a GitHub workflow.
    #[arg(long)]
    pub(crate) github: bool,
    /// Leave out what is in no schedule: what only runs come to that are not held to them.
    #[arg(long)]
    pub(crate) held: bool,
    /// Do not report findings that are in this file: what --json wrote, or a fingerprint on each line.
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Exit with status 1 for findings of these kinds or verdicts; by default for those that are confirmed.
    #[arg(long, value_name = "KIND|VERDICT", value_delimiter = ',', value_parser = parse_fail_on)]
    pub(crate) fail_on: Vec<FailOn>,
}

/// What makes a check fail.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum FailOn {
    /// Findings of a kind, whatever their verdict.
    Kind(FindingKind),
    /// Findings of a verdict.
    Verdict(Verdict),
}

#[derive(Args, Debug)]
pub(crate) struct ReplayArgs {
    /// A finding's file, or PROG.icsdb#K for the K-th finding of the last check.
    #[arg(value_name = "FINDING.json")]
    pub(crate) finding: String,
    /// The program; by default the one that the finding names.
    #[arg(value_name = "PROG.bc")]
    pub(crate) program: Option<PathBuf>,
    /// Show each step with its source line, and wait for a key on a terminal.
    #[arg(long, conflicts_with = "trace")]
    pub(crate) step: bool,
    /// Show all steps.
    #[arg(long)]
    pub(crate) trace: bool,
    /// Write the result as JSON; - for standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Stop after this time with what is known, e.g. 30s or 5m.
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    pub(crate) timeout: Option<Duration>,
    /// Stop cleanly when more memory than this is in use, e.g. 2GiB; by default half of the machine's. Never more than
    /// three quarters of what the control group may have.
    #[arg(long, value_name = "SIZE")]
    pub(crate) max_memory: Option<ByteSize>,
}

#[derive(Copy, Clone, Debug, ValueEnum)]
pub(crate) enum TechniqueArg {
    PrefixSchedules,
    PrefixFailures,
    QuietBranches,
    ShortestPath,
    Slicing,
    Pointsto,
    MarkerPruning,
    ScheduleTrees,
    ReachingDefs,
    SyncInvariants,
    InputAbstraction,
    ConservativeOrder,
    Combinations,
    SymbolicTids,
    CodeDuplication,
    LibrarySync,
    WholeRuns,
    Epochs,
}

#[derive(Args, Debug)]
pub(crate) struct SymexArgs {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
    #[command(flatten)]
    pub(crate) threads: ThreadArgs,
    /// Every thread that a function on the stacks has created is alive, or that can still be joined, and so one of
    /// these. Else others may have ended.
    #[arg(long)]
    pub(crate) none_ended: bool,
    /// Paths from the program's entry, and if there is a --thread, only those that come to where threads are. Options
    /// that name inputs, and arguments, are for this.
    #[arg(long)]
    pub(crate) from_start: bool,
    #[command(flatten)]
    pub(crate) inputs: InputArgs,
    /// Inputs for real runs, as JSON: [{"args": [...], "stdin": "...", "files": {"NAME": "..."}}, ...]. Tells which of
    /// the paths they take; with --from-start they show the way to where threads are. {1..4} is each of these numbers.
    #[arg(long, value_name = "FILE")]
    pub(crate) witness: Option<PathBuf>,
    /// Most real runs with each input.
    #[arg(long, value_name = "N", default_value = "200")]
    pub(crate) runs: u64,
    /// Most conditional branches of the program on one path, whether both of their sides are possible or not; as many
    /// other decisions with two sides are allowed beside them.
    #[arg(long, value_name = "N", default_value = "50")]
    pub(crate) branches: u64,
    /// Most paths to find.
    #[arg(long, value_name = "N", default_value = "10000", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_paths: u32,
    /// Where another thread may go on: `one` order of threads, at the start and where a thread waits or ends
    /// (`blocking`), or at every scheduling point too (`all`).
    #[arg(long, value_enum, default_value = "blocking")]
    pub(crate) schedules: SchedulesArg,
    /// Turn techniques off: reaching-defs, sync-invariants, pointsto, memory-checks.
    #[arg(long, value_name = "TECHNIQUE", value_delimiter = ',')]
    pub(crate) without: Vec<SymexTechniqueArg>,
    /// Show for each path what it did.
    #[arg(long)]
    pub(crate) traces: bool,
    /// Show for each path what it takes for granted: that accesses are no errors.
    #[arg(long)]
    pub(crate) assumed: bool,
    /// Show for each path an initial state that takes it.
    #[arg(long)]
    pub(crate) states: bool,
    /// Show one path by its number, with what it takes for granted and the state at each branch.
    #[arg(long, value_name = "PATH", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) explain: Option<u32>,
    /// Most time for one solver query.
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    pub(crate) solver_timeout: Option<Duration>,
    /// Most synchronisation events on one path.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_events: Option<u32>,
    /// Write the result as JSON; - for standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

#[derive(Copy, Clone, Debug, ValueEnum)]
pub(crate) enum SchedulesArg {
    One,
    Blocking,
    All,
}

#[derive(Copy, Clone, Debug, ValueEnum)]
pub(crate) enum SymexTechniqueArg {
    ReachingDefs,
    SyncInvariants,
    Pointsto,
    MemoryChecks,
}

#[derive(Args, Debug)]
pub(crate) struct ExecArgs {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
    #[command(flatten)]
    pub(crate) surroundings: SurroundingsArgs,
    /// The program's arguments.
    #[arg(last = true, value_name = "ARG")]
    pub(crate) args: Vec<OsString>,
}

#[derive(Copy, Clone, Debug, ValueEnum)]
pub(crate) enum ShowFormat {
    Text,
    Json,
    Dot,
    Svg,
    Html,
    /// Everything but what the search has cost: the same text for the same result.
    Dump,
}

#[derive(Args, Debug)]
pub(crate) struct ShowArgs {
    /// The schedule database.
    #[arg(value_name = "PROG.icsdb")]
    pub(crate) database: PathBuf,
    /// Only this epoch: its number from 1, or its id.
    #[arg(long, value_name = "K")]
    pub(crate) epoch: Option<String>,
    /// Only this schedule: its number from 1, or its id.
    #[arg(long, value_name = "K")]
    pub(crate) schedule: Option<String>,
    /// How to show it.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: ShowFormat,
    /// Show long schedules in full.
    #[arg(long)]
    pub(crate) full: bool,
}

#[derive(Args, Debug)]
pub(crate) struct VerifyArgs {
    /// The program: LLVM bitcode (.bc) or textual LLVM IR (.ll). Its inputs and options are those in the database.
    #[arg(value_name = "PROG.bc")]
    pub(crate) program: PathBuf,
    /// The schedule database.
    #[arg(value_name = "PROG.icsdb")]
    pub(crate) database: PathBuf,
    /// Write the result as JSON; - for standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Most paths to execute for one schedule. Where there are more, some are tried and nothing is proved of the
    /// others.
    #[arg(long, value_name = "N", default_value = "64", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) paths: u32,
    /// Stop after this time with what is known, e.g. 30s or 5m.
    #[arg(long, value_name = "DURATION", value_parser = humantime::parse_duration)]
    pub(crate) timeout: Option<Duration>,
    /// Stop cleanly when more memory than this is in use, e.g. 2GiB; by default half of the machine's. Never more than
    /// three quarters of what the control group may have.
    #[arg(long, value_name = "SIZE")]
    pub(crate) max_memory: Option<ByteSize>,
}

#[derive(Args, Debug)]
pub(crate) struct ExperimentArgs {
    /// What to run.
    #[arg(value_name = "MANIFEST.toml")]
    pub(crate) manifest: PathBuf,
    /// The directory for results and tables. Results that are there already are not made again.
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Make all results again.
    #[arg(long)]
    pub(crate) force: bool,
    /// Only this run, in all its configurations; may be given several times.
    #[arg(long, value_name = "RUN")]
    pub(crate) only: Vec<String>,
    /// The compiler for programs in C.
    #[arg(long, value_name = "PROGRAM", default_value = "clang-22")]
    pub(crate) clang: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct InspectIrArgs {
    /// LLVM bitcode (.bc) or textual LLVM IR (.ll).
    #[arg(value_name = "PROG.bc")]
    pub(crate) program: PathBuf,
    /// Only this function.
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Option<String>,
    /// Instead of printing it, check that the text form, read again, is the same program.
    #[arg(long, conflicts_with = "function")]
    pub(crate) check: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

#[derive(Copy, Clone, Debug, ValueEnum)]
pub(crate) enum InspectFormat {
    Text,
    Json,
    Dot,
}

#[derive(Args, Debug)]
pub(crate) struct InspectDefsArgs {
    /// LLVM bitcode (.bc) or textual LLVM IR (.ll).
    #[arg(value_name = "PROG.bc")]
    pub(crate) program: PathBuf,
    /// Where a thread is: FILE:LINE, FUNCTION, FUNCTION+K, or its calls, as in 'main>run>work@lu.c:120'. Once for each
    /// thread.
    #[arg(long = "thread", value_name = "PLACE", required = true)]
    pub(crate) threads: Vec<String>,
    /// Every thread that a function on the stacks has created is alive, and so one of these.
    #[arg(long)]
    pub(crate) none_ended: bool,
    /// As JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

#[derive(Args, Debug)]
pub(crate) struct InspectMarkersArgs {
    /// LLVM bitcode (.bc) or textual LLVM IR (.ll).
    #[arg(value_name = "PROG.bc")]
    pub(crate) program: PathBuf,
    /// Only this function.
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Option<String>,
    /// Turn techniques off: marker-pruning, pointsto.
    #[arg(long, value_name = "TECHNIQUE", value_delimiter = ',')]
    pub(crate) without: Vec<MarkerTechniqueArg>,
    /// How to show it.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: MarkerFormat,
    /// The same as --format json.
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

#[derive(Copy, Clone, Debug, ValueEnum)]
pub(crate) enum MarkerTechniqueArg {
    MarkerPruning,
    Pointsto,
}

#[derive(Copy, Clone, Debug, ValueEnum)]
pub(crate) enum MarkerFormat {
    Text,
    Json,
}

#[derive(Args, Debug)]
pub(crate) struct InspectArgs {
    /// LLVM bitcode (.bc) or textual LLVM IR (.ll).
    #[arg(value_name = "PROG.bc")]
    pub(crate) program: PathBuf,
    /// Only this function, which may be a library model.
    #[arg(long, value_name = "NAME")]
    pub(crate) function: Option<String>,
    /// The library models that the program uses, too.
    #[arg(long)]
    pub(crate) models: bool,
    /// If there is no `main`, assume that nothing comes in from outside: callers pass and store no pointers.
    #[arg(long)]
    pub(crate) closed: bool,
    /// How to show it.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: InspectFormat,
    /// The same as --format json.
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) limits: LimitArgs,
}

fn parse_extern(text: &str) -> Result<(String, ExternKind), ValueError> {
    let (name, kind) = text.split_once('=').ok_or(ValueError::Extern)?;
    Ok((name.to_owned(), ExternKind::from_str(kind, true).map_err(ValueError::ExternKind)?))
}

fn parse_may_fail(text: &str) -> Result<(String, Option<(String, u32)>), ValueError> {
    let Some((name, place)) = text.split_once('@') else { return Ok((text.to_owned(), None)) };
    let (file, line) = place.rsplit_once(':').ok_or(ValueError::Place)?;
    let line = line.parse().map_err(|_| ValueError::Place)?;
    Ok((name.to_owned(), Some((file.to_owned(), line))))
}

fn parse_file(text: &str) -> Result<(String, String), ValueError> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(ValueError::Pair),
    }
}

fn parse_sym_file(text: &str) -> Result<(String, u64), ValueError> {
    let (name, size) = text.rsplit_once('=').ok_or(ValueError::File)?;
    let size = size.parse().map_err(|_| ValueError::FileSize(size.to_owned()))?;
    Ok((name.to_owned(), size))
}

fn parse_kind(text: &str) -> Result<FindingKind, ValueError> {
    FindingKind::from_word(text).ok_or_else(|| ValueError::Kind(text.to_owned()))
}

fn parse_fail_on(text: &str) -> Result<FailOn, ValueError> {
    let verdict = [Verdict::Confirmed, Verdict::Possible, Verdict::Predicted].into_iter().find(|v| v.word() == text);
    match verdict {
        Some(verdict) => Ok(FailOn::Verdict(verdict)),
        None => parse_kind(text).map(FailOn::Kind),
    }
}
