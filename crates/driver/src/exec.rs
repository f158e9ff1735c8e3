//! `icsched exec`: the concrete domain.

use std::time::Instant;

use icsched_frontend::LoadOptions;
use icsched_ir::{CallStack, Origin, Program, source_name};
use icsched_machine::exec::{ExecLimits, exec_telling};
use icsched_machine::host::OsHost;
use icsched_machine::stop::{Limit, PathEnd};
use icsched_machine::{Options, ProgramError};
use icsched_schedule::Diagnostic;

use crate::config::{ExecConfig, ProgramConfig};
use crate::error::DriverError;

/// What to tell the shell.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ExecEnd {
    /// The program ended with this status.
    Exited(u8),
    /// The program aborted.
    Aborted,
    /// A memory error, be it one behind which the program went on; a deadlock.
    Found,
    /// The program needs something that an option must say.
    Wrong,
    /// A limit, or something not supported.
    Incomplete,
}

/// The end of a run.
#[derive(Debug)]
pub struct ExecOutcome {
    /// How it ended.
    pub end: ExecEnd,
    /// What there is to say about it; nothing after a normal exit.
    pub diagnostic: Option<Diagnostic>,
    /// Instructions executed.
    pub instructions: u64,
}

/// Runs a program with the host's files, output and clock. Errors behind which it goes on are told at once.
///
/// # Errors
/// If the program cannot be loaded.
pub fn exec(config: &ExecConfig, tell: &mut dyn FnMut(Diagnostic)) -> Result<ExecOutcome, DriverError> {
    let deadline = config.limits.deadline();
    let loading = LoadOptions { keep_branches: true, ..LoadOptions::default() };
    let program = crate::enumerate::load_with(&config.program, &loading, &config.limits)?;
    let name = config.program.path.as_os_str().as_encoded_bytes().to_vec();
    let args: Vec<Vec<u8>> = std::iter::once(name).chain(config.args.iter().cloned()).collect();
    let stop = std::sync::Arc::clone(&config.limits.stop);
    let ProgramConfig { externs, memory_errors, .. } = config.program.clone();
    let options = Options { externs, memory_errors, stop, ..Options::default() };
    let limits = ExecLimits {
        instructions: config.max_instructions,
        time: deadline.map(|end| end.saturating_duration_since(Instant::now())),
        // What the process uses is what counts, and a `Watch` looks at it: most of a large object is never touched.
        memory: None,
    };
    let open = |path: &std::path::PathBuf| {
        std::fs::File::open(path).map_err(|error| DriverError::Read { path: path.clone(), error })
    };
    let host = Box::new(OsHost::new().with(&config.files, config.stdin.as_ref().map(open).transpose()?));
    let mut recovered = 0_u64;
    let mut tell_error = |error: &ProgramError| {
        recovered += 1;
        tell(undefined_behaviour(&program, error));
    };
    let environment = (&args[..], &config.environment[..]);
    let result = exec_telling(&program, environment, host, options, &limits, &mut tell_error);
    tracing::info!(instructions = result.instructions, threads = result.threads, "the run has ended");
    let (end, diagnostic) = describe(&program, &result.end, &result.stack);
    let end = match end {
        ExecEnd::Exited(_) | ExecEnd::Aborted if recovered > 0 => ExecEnd::Found,
        end => end,
    };
    Ok(ExecOutcome { end, diagnostic, instructions: result.instructions })
}

fn undefined_behaviour(program: &Program, error: &ProgramError) -> Diagnostic {
    let message = format!("{}: {}", error.kind, error.message);
    with_stack(program, Diagnostic::error("undefined-behaviour", message), &error.stack)
}

fn describe(program: &Program, end: &PathEnd, stack: &CallStack) -> (ExecEnd, Option<Diagnostic>) {
    let found = |code: &'static str, message: String, stack: &CallStack| {
        with_stack(program, Diagnostic::error(code, message), stack)
    };
    match end {
        PathEnd::Exit { status } => (ExecEnd::Exited(status.unwrap_or(0).to_le_bytes()[0]), None),
        PathEnd::Abort { .. } | PathEnd::AssertFailed { .. } => (ExecEnd::Aborted, None),
        PathEnd::Error(error) => (ExecEnd::Found, Some(undefined_behaviour(program, error))),
        PathEnd::Deadlock { blocked } => (ExecEnd::Found, Some(deadlock(program, blocked))),
        PathEnd::Endless { loops, blocked: _ } => {
            let threads: Vec<String> = loops.iter().map(|(thread, _)| format!("thread {thread}")).collect();
            let message = format!("{} goes round for ever: nothing it reads changes any more", threads.join(", "));
            let none = CallStack::default();
            let stack = loops.first().map_or(&none, |(_, stack)| stack);
            (ExecEnd::Found, Some(found("endless", message, stack)))
        }
        PathEnd::Unmodelled { function, stack } => {
            let note = icsched_externals::missing(function).map_or_else(String::new, |note| format!(" ({note})"));
            let message = format!("{} has neither a definition nor a model{note}", source_name(function));
            let help = format!("say what it does with --extern {function}=havoc, =pure, =abort or =assume");
            (ExecEnd::Wrong, Some(found("unmodelled", message, stack).help(help)))
        }
        PathEnd::Unsupported { what, stack } => {
            (ExecEnd::Incomplete, Some(found("unsupported", format!("{what} is not supported"), stack)))
        }
        PathEnd::Limit(limit) => {
            (ExecEnd::Incomplete, Some(with_stack(program, Diagnostic::warning("limit", limit_text(*limit)), stack)))
        }
        PathEnd::Infeasible => {
            let message = "the program assumes what does not hold in this run, which ends here";
            (ExecEnd::Incomplete, Some(with_stack(program, Diagnostic::warning("infeasible", message), stack)))
        }
        PathEnd::LeftContext | PathEnd::Epoch | PathEnd::GoesRound => {
            (ExecEnd::Incomplete, Some(Diagnostic::warning("infeasible", "nothing to execute")))
        }
    }
}

/// What ended a run early.
pub fn limit_text(limit: Limit) -> &'static str {
    match limit {
        Limit::Instructions => "stopped at the instruction limit (--max-instructions)",
        Limit::Time => "stopped at the time limit (--timeout)",
        Limit::Memory => "stopped at the memory limit (--max-memory)",
        Limit::Interrupted => "stopped by the user",
        Limit::Events => "stopped at the limit of synchronisation events",
        Limit::Decisions => "stopped at the limit of decisions",
    }
}

fn deadlock(program: &Program, blocked: &[icsched_machine::BlockedThread]) -> Diagnostic {
    let mut diagnostic = Diagnostic::error("deadlock", "deadlock: no thread can go on");
    for thread in blocked {
        let held = thread.holder.map(|t| format!(", held by thread {t}")).unwrap_or_default();
        let at = place(program, &thread.stack);
        diagnostic =
            diagnostic.note(format!("thread {} is blocked in {} at {at}{held}", thread.thread, thread.operation));
    }
    diagnostic
}

/// Calls of a stack that are shown; of a deeper one the innermost and the outermost.
const SHOWN_CALLS: usize = 40;

fn with_stack(program: &Program, mut diagnostic: Diagnostic, stack: &CallStack) -> Diagnostic {
    if stack.0.is_empty() {
        return diagnostic;
    }
    diagnostic = diagnostic.at(place(program, stack));
    let calls = stack.0.len();
    for (point, i) in stack.0.iter().rev().zip(0..) {
        if calls > SHOWN_CALLS && (SHOWN_CALLS / 2..calls - SHOWN_CALLS / 2).contains(&i) {
            if i == SHOWN_CALLS / 2 {
                diagnostic = diagnostic.note(format!("... {} more calls ...", calls - SHOWN_CALLS));
            }
            continue;
        }
        let function = source_name(&program.functions[point.func].name);
        let at = point.loc(program).map(|l| program.describe_loc(l)).unwrap_or_else(|| "?".to_owned());
        let model = if program.functions[point.func].origin == Origin::Model { " (model)" } else { "" };
        diagnostic = diagnostic.note(format!("in {function} at {at}{model}"));
    }
    diagnostic
}

fn place(program: &Program, stack: &CallStack) -> String {
    icsched_epochs::graph::place(program, stack)
}
