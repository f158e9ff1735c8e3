//! What there is to say when a command has ended without a result of its own: what is known by then, and why it is not
//! more.

use icsched_driver::check::{CHECK_SCHEMA, CheckResult, CheckStatistics};
use icsched_driver::exec::limit_text;
use icsched_driver::verify::{Verification, Verified};
use icsched_driver::{Diagnostic, Enumeration, IncompleteKind, Reason, limit_words, show};

use crate::answers::{database, print_or_tell, tell_schedules, tell_verified};
use crate::args::{CheckArgs, Cli, Command, EnumerateArgs, InspectCommand, VerifyArgs};
use crate::guard::news::{Cause, Heard};
use crate::status::Status;
use crate::symex_output::SymexSink;
use crate::{check_output, inspect_output, output};

impl Cause {
    fn reason(&self, heard: &Heard) -> Reason {
        let (kind, mut message) = match self {
            Cause::Limit(limit) => {
                let (kind, message) = limit_words(*limit);
                (kind, message.to_owned())
            }
            Cause::Killed => {
                let message = "the system has killed the process, for want of memory perhaps (--max-memory)";
                (IncompleteKind::Limit, message.to_owned())
            }
            Cause::ProcessorTime => {
                (IncompleteKind::Limit, "the system's limit of processor time was reached (ulimit -t)".to_owned())
            }
            Cause::Died(signal) => (IncompleteKind::InternalError, format!("icsched was ended by signal {signal}")),
            Cause::Bug => (IncompleteKind::InternalError, "icsched has a bug, and did not come to its end".to_owned()),
        };
        if !heard.doing.is_empty() {
            message += &format!(", while {}", heard.doing);
        }
        Reason { kind, message, at: Some(heard.at.clone()).filter(|at| !at.is_empty()) }
    }

    fn status(&self) -> Status {
        match self {
            Cause::Limit(_) | Cause::Killed | Cause::ProcessorTime => Status::Incomplete,
            Cause::Died(_) | Cause::Bug => Status::Bug,
        }
    }
}

/// Says what is known of a command that did not come to its end.
pub(crate) fn result(cli: &Cli, cause: &Cause, heard: &Heard) -> Status {
    let reason = cause.reason(heard);
    let found = match &cli.command {
        // Half of it is there already.
        _ if heard.is_printing => None,
        Command::Enumerate(args) => Some(enumerated(args, cli.quiet, &reason, heard)),
        Command::Verify(args) => Some(verified(args, cli.quiet, &reason)),
        Command::Symex(args) => Some(SymexSink::close(args, cli.quiet, &reason, heard.paths)),
        Command::Inspect { what } => Some(inspected(what, &reason)),
        Command::Check(args) => Some(checked(args, cli.quiet, &reason)),
        Command::Exec(_) | Command::Replay(_) | Command::Show(_) | Command::Experiment(_) => None,
    };
    let diagnostic = match (cause, &cli.command) {
        (Cause::Limit(limit), Command::Exec(_)) => Diagnostic::warning("limit", limit_text(*limit)),
        (_, _) if cause.status() == Status::Bug => Diagnostic::error("bug", reason.message)
            .help("please report it with the program and the command that show it"),
        (_, _) => Diagnostic::warning("limit", reason.message),
    };
    output::diagnostic(&match reason.at {
        Some(at) => diagnostic.at(at),
        None => diagnostic,
    });
    match found {
        Some(status) if cause.status() != Status::Bug => status,
        _ => cause.status(),
    }
}

fn enumerated(args: &EnumerateArgs, quiet: bool, reason: &Reason, heard: &Heard) -> Status {
    let database = database(args);
    let stored = if heard.is_stored { show::unfinished(&database).ok() } else { None };
    let database = stored.is_some().then_some(database.as_path());
    let mut result = stored.unwrap_or_else(|| Enumeration {
        program: args.search.program.program.display().to_string(),
        ..Default::default()
    });
    result.reasons.push(reason.clone());
    tell_schedules(args, quiet, &result, database)
}

fn checked(args: &CheckArgs, quiet: bool, reason: &Reason) -> Status {
    let result = CheckResult {
        schema: CHECK_SCHEMA.to_owned(),
        program: args.search.program.program.display().to_string(),
        digest: String::new(),
        options: Vec::new(),
        complete: false,
        reasons: vec![reason.clone()],
        assumptions: Vec::new(),
        findings: Vec::new(),
        suppressed: Vec::new(),
        epochs: 0,
        schedules: 0,
        statistics: CheckStatistics::default(),
    };
    check_output::tell(args, quiet, &result, None)
}

fn verified(args: &VerifyArgs, quiet: bool, reason: &Reason) -> Status {
    let result = Verification { reasons: vec![reason.clone()], ..Verification::default() };
    tell_verified(args, quiet, &Verified { result, seconds: 0.0 })
}

fn inspected(what: &InspectCommand, reason: &Reason) -> Status {
    print_or_tell(&inspect_output::nothing(what, reason), Status::Incomplete)
}
