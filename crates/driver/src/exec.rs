//! `icsched exec`: the concrete domain.

use icsched_ir::{CallStack, Origin, Program};
use icsched_schedule::Diagnostic;
use icsched_symex::Options;
use icsched_symex::exec::ExecLimits;
use icsched_symex::host::OsHost;
use icsched_symex::stop::{Limit, PathEnd};

use crate::config::ExecConfig;
use crate::error::DriverError;

/// What to tell the shell.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ExecEnd {
    /// The program ended with this status.
    Exited(u8),
    /// The program aborted.
    Aborted,
    /// A memory error, a deadlock.
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

/// Runs a program with the host's files, output and clock.
///
/// # Errors
/// If the program cannot be loaded.
pub fn exec(config: &ExecConfig) -> Result<ExecOutcome, DriverError> {
    let program = crate::enumerate::load(&config.program)?;
    let bytes = |text: &String| text.clone().into_bytes();
    let args: Vec<Vec<u8>> =
        [config.program.path.display().to_string()].iter().chain(&config.args).map(bytes).collect();
    let environment: Vec<Vec<u8>> = config.environment.iter().map(bytes).collect();
    let options = Options { externs: config.program.externs.clone(), ..Options::default() };
    let limits = ExecLimits {
        instructions: config.max_instructions,
        time: config.limits.timeout,
        memory: config.limits.max_memory,
    };
    let host = Box::new(OsHost::new());
    let result = icsched_symex::exec::exec(&program, &args, &environment, host, options, &limits);
    let (end, diagnostic) = describe(&program, &result.end);
    Ok(ExecOutcome { end, diagnostic, instructions: result.instructions })
}

fn describe(program: &Program, end: &PathEnd) -> (ExecEnd, Option<Diagnostic>) {
    let found = |code: &'static str, message: String, stack: &CallStack| {
        with_stack(program, Diagnostic::error(code, message), stack)
    };
    match end {
        PathEnd::Exit { status } => (ExecEnd::Exited(status.unwrap_or(0).to_le_bytes()[0]), None),
        PathEnd::Abort { .. } | PathEnd::AssertFailed { .. } => (ExecEnd::Aborted, None),
        PathEnd::Error(error) => (
            ExecEnd::Found,
            Some(found("undefined-behaviour", format!("{}: {}", error.kind, error.message), &error.stack)),
        ),
        PathEnd::Deadlock { blocked } => (ExecEnd::Found, Some(deadlock(program, blocked))),
        PathEnd::Unmodelled { function, stack } => {
            let message = format!("{function} has neither a definition nor a model");
            let help = format!("say what it does with --extern {function}=havoc, =pure or =abort");
            (ExecEnd::Wrong, Some(found("unmodelled", message, stack).help(help)))
        }
        PathEnd::Unsupported { what, stack } => {
            (ExecEnd::Incomplete, Some(found("unsupported", format!("{what} is not supported"), stack)))
        }
        PathEnd::Limit(limit) => (ExecEnd::Incomplete, Some(Diagnostic::warning("limit", limit_text(*limit)))),
        PathEnd::Infeasible => (ExecEnd::Incomplete, Some(Diagnostic::warning("infeasible", "nothing to execute"))),
    }
}

fn limit_text(limit: Limit) -> &'static str {
    match limit {
        Limit::Instructions => "stopped at the instruction limit (--max-instructions)",
        Limit::Time => "stopped at the time limit (--timeout)",
        Limit::Memory => "stopped at the memory limit (--max-memory)",
        Limit::Interrupted => "stopped by the user",
        Limit::Events => "stopped at the limit of synchronisation events",
        Limit::Decisions => "stopped at the limit of decisions",
    }
}

fn deadlock(program: &Program, blocked: &[icsched_symex::BlockedThread]) -> Diagnostic {
    let mut diagnostic = Diagnostic::error("deadlock", "deadlock: no thread can go on");
    for thread in blocked {
        let held = thread.holder.map(|t| format!(", held by thread {t}")).unwrap_or_default();
        let at = place(program, &thread.stack);
        diagnostic =
            diagnostic.note(format!("thread {} is blocked in {} at {at}{held}", thread.thread, thread.operation));
    }
    diagnostic
}

fn with_stack(program: &Program, mut diagnostic: Diagnostic, stack: &CallStack) -> Diagnostic {
    diagnostic = diagnostic.at(place(program, stack));
    for point in stack.0.iter().rev() {
        let function = &program.functions[point.func].name;
        let at = point.loc(program).map(|l| program.describe_loc(l)).unwrap_or_else(|| "?".to_owned());
        let model = if program.functions[point.func].origin == Origin::Model { " (model)" } else { "" };
        diagnostic = diagnostic.note(format!("in {function} at {at}{model}"));
    }
    diagnostic
}

fn place(program: &Program, stack: &CallStack) -> String {
    icsched_enumerate::graph::place(program, stack)
}
