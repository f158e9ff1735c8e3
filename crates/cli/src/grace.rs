//! How long commands may take to stop.

use std::time::Duration;

use crate::args::Command;

/// Time that a search has to put together what it found, on a machine that has nothing else to do.
pub(crate) const SEARCH_GRACE: Duration = Duration::from_millis(1500);

/// Time that a run has to stop: it may wait for input.
pub(crate) const RUN_GRACE: Duration = Duration::from_millis(500);

/// The time that a command has to stop when it is to, and its time limit.
pub(crate) fn time_to_stop(command: &Command) -> (Duration, Option<Duration>) {
    match command {
        Command::Enumerate(args) => (SEARCH_GRACE, args.search.program.timeout),
        Command::Check(args) => (SEARCH_GRACE, args.search.program.timeout),
        Command::Replay(args) => (SEARCH_GRACE, args.timeout),
        Command::Symex(args) => (SEARCH_GRACE, args.program.timeout),
        Command::Verify(args) => (SEARCH_GRACE, args.timeout),
        Command::Inspect { what } => (SEARCH_GRACE, what.limits().timeout),
        Command::Exec(args) => (RUN_GRACE, args.program.timeout),
        Command::Show(_) | Command::Experiment(_) => (RUN_GRACE, None),
    }
}
