//! Limits as reasons why a result is incomplete.

use icsched_ir::{CallStack, Program};
use icsched_machine::stop::Limit;
use icsched_schedule::{IncompleteKind, Reason};
use icsched_symbolic::request::{Activity, Doing};

use crate::graph::place;

/// Whether a limit of the whole run is a reason.
pub fn is_limit_of_run(reason: &Reason) -> bool {
    let of_run = [Limit::Time, Limit::Memory, Limit::Interrupted].map(|limit| words(limit).1);
    of_run.iter().any(|words| reason.message.starts_with(words))
}

/// A limit of the whole run, which has come while this was done.
pub fn of_run(limit: Limit, Doing { activity, at }: Doing, program: &Program) -> Reason {
    let (kind, words) = words(limit);
    let message = match activity {
        Activity::Path(_) => words.to_owned(),
        other => format!("{words}, while {}", other.words()),
    };
    let at = at.map(|point| place(program, &CallStack(vec![point]))).filter(|at| !at.is_empty());
    Reason { kind, message, at }
}

/// A limit for people.
pub fn words(limit: Limit) -> (IncompleteKind, &'static str) {
    match limit {
        Limit::Instructions => (IncompleteKind::Limit, "a path was cut at the instruction limit (--max-instructions)"),
        Limit::Time => (IncompleteKind::Limit, "the time limit was reached (--timeout)"),
        Limit::Memory => (IncompleteKind::Limit, "the memory limit was reached (--max-memory)"),
        Limit::Decisions => (IncompleteKind::Limit, "a path was cut at the limit of symbolic decisions"),
        Limit::Events => (
            IncompleteKind::Limit,
            "a path was cut at the limit of synchronisation events (--max-events); does a thread poll for something \
             that never comes?",
        ),
        Limit::Interrupted => (IncompleteKind::Interrupted, "the search was stopped by the user"),
    }
}
