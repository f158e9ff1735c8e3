//! What ends a command early, and who tells of it: signals, limits, and a process that waits.
//!
//! A command that may take long is [divided](divide): the child does the work, and the parent waits for it. Whatever
//! ends the child - the kernel, for want of memory; a library that aborts; a limit at which it does not stop - the
//! parent tells what is known by then. The child tells the parent where it is, a line of text for each [`News`].
//! [Signals](signals) are for the parent, which hands the first one on. Where there is no room for a second process,
//! everything is done by one.

mod parent;
mod reserve;
mod signals;

use std::io::{PipeWriter, Write as _};
use std::os::fd::AsRawFd as _;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use icsched_driver::config::{Limit, MemoryLimits, StopRequest};
use icsched_driver::watch::Watch;
use icsched_driver::{Diagnostic, Limits};

pub(crate) use parent::{Cause, divide};
pub(crate) use reserve::end_for_want_of_memory;
#[cfg(test)]
pub(crate) use reserve::lack_memory;

use crate::args::Cli;
use crate::last::Heard;
use crate::{last, output};

/// Exit status after a second Ctrl-C: what a shell says of a process that ended by SIGINT.
const INTERRUPTED: i32 = 130;

/// Exit status of a command that a limit ended.
const INCOMPLETE: i32 = 3;

/// How the child speaks to its parent. Of the process, as signals and memory are.
static TO_PARENT: OnceLock<PipeWriter> = OnceLock::new();

/// What this process has told: all that is known when it tells its result itself, and has not come to its end.
static TOLD: LazyLock<Mutex<Heard>> = LazyLock::new(Mutex::default);

/// Nothing that may panic is done with it.
fn told() -> MutexGuard<'static, Heard> {
    TOLD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a child tells its parent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum News {
    /// What it is doing.
    Doing(String),
    /// At which line of the program; empty where there is none.
    At(String),
    /// A limit ends it at once, without a result.
    Limit(Limit),
    /// Something that was found is in the database.
    Stored,
    /// The result is being written to files.
    Writing,
    /// The result is being written to standard output.
    Printing,
    /// There was a panic.
    Bug,
    /// Of the paths of `icsched symex` so much has been written: counts as JSON.
    Paths(String),
}

/// Longest line that a pipe takes whole.
const LONGEST: usize = 4000;

impl News {
    fn line(&self) -> String {
        let (word, text) = match self {
            News::Doing(text) => ("doing", text.as_str()),
            News::At(text) => ("at", text.as_str()),
            News::Limit(Limit::Time) => ("limit", "time"),
            News::Limit(Limit::Memory) => ("limit", "memory"),
            News::Limit(_) => ("limit", "interrupted"),
            News::Stored => ("stored", ""),
            News::Writing => ("writing", ""),
            News::Printing => ("printing", ""),
            News::Bug => ("bug", ""),
            News::Paths(text) => ("paths", text.as_str()),
        };
        let text: String = text.chars().filter(|c| !c.is_control()).take(LONGEST / 4).collect();
        format!("{word} {text}\n")
    }

    /// What a line says.
    pub(crate) fn of_line(line: &str) -> Option<News> {
        let (word, text) = line.split_once(' ')?;
        Some(match (word, text) {
            ("doing", _) => News::Doing(text.to_owned()),
            ("at", _) => News::At(text.to_owned()),
            ("limit", "time") => News::Limit(Limit::Time),
            ("limit", "memory") => News::Limit(Limit::Memory),
            ("limit", _) => News::Limit(Limit::Interrupted),
            ("stored", _) => News::Stored,
            ("writing", _) => News::Writing,
            ("printing", _) => News::Printing,
            ("bug", _) => News::Bug,
            ("paths", _) => News::Paths(text.to_owned()),
            _ => return None,
        })
    }
}

/// What is known of this process, as it has told it.
pub(crate) fn known() -> Heard {
    told().clone()
}

/// Tells the parent, if there is one, and keeps it in mind.
pub(crate) fn tell(news: &News) {
    told().hear(news.clone());
    if let Some(mut parent) = TO_PARENT.get() {
        // A parent that has gone takes its child with it.
        let _ = parent.write_all(news.line().as_bytes());
    }
}

/// Whether somebody waits for this process who tells what is known if it does not.
pub(crate) fn has_parent() -> bool {
    TO_PARENT.get().is_some()
}

/// From here on this process is a child.
fn be_child(to_parent: PipeWriter) {
    reserve::tell_failures_to(to_parent.as_raw_fd());
    // Nobody was before.
    let _ = TO_PARENT.set(to_parent);
}

/// The first Ctrl-C (or SIGTERM, or SIGHUP) asks for a clean stop; a later one ends the process, or its parent ends
/// both.
pub(crate) fn stop_on_signals() -> Arc<StopRequest> {
    let request = Arc::new(StopRequest::default());
    let flag = request.flag();
    reserve::keep(&flag, StopRequest::number(Limit::Memory));
    let mut registered = signals::note_requests();
    for signal in signals::STOPPING.into_iter().filter(|&signal| !signals::is_ignored(signal)) {
        let flag = Arc::clone(&flag);
        let number = StopRequest::number(Limit::Interrupted);
        registered =
            registered.and_then(|()| signal_hook::flag::register_usize(signal.as_raw(), flag, number).map(drop));
    }
    if let Err(error) = registered {
        output::error(&format!("Ctrl-C will not stop cleanly: {error}"));
    }
    if !has_parent() {
        signals::end_at_second();
    }
    // One may have come before these handlers were there: to the parent, or to this process since it was forked.
    if signals::are_there() {
        request.ask(Limit::Interrupted);
    }
    request
}

/// Watches a command's limits. One that cannot stop within `grace` ends with what is known by then.
pub(crate) fn watch(limits: &Limits, grace: Duration, cli: &Arc<Cli>) -> Option<Watch> {
    let cli = Arc::clone(cli);
    let overdue = move |limit| {
        tell(&News::Limit(limit));
        if !has_parent() {
            last::result(&cli, &Cause::Limit(limit), &known());
        }
        reserve::end_at_once(INCOMPLETE);
    };
    match Watch::start(limits, grace, overdue) {
        Ok(watch) => Some(watch),
        Err(error) => {
            let message = format!("limits are only looked at now and then: {error}");
            output::diagnostic(&Diagnostic::warning("threads", message));
            None
        }
    }
}

/// Whether something failed that may have failed for want of memory.
pub(crate) fn is_out_of_memory() -> bool {
    let limits = MemoryLimits { resident: None, ..MemoryLimits::of_process(None) };
    reserve::has_failed() || limits.are_reached()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_heard() {
        for news in [
            News::Doing("placing epoch markers".to_owned()),
            News::At("pool.c:88".to_owned()),
            News::At(String::new()),
            News::Limit(Limit::Time),
            News::Limit(Limit::Memory),
            News::Limit(Limit::Interrupted),
            News::Stored,
            News::Writing,
            News::Printing,
            News::Bug,
            News::Paths("{\"paths\":3}".to_owned()),
        ] {
            let line = news.line();
            assert_eq!(News::of_line(line.trim_end_matches('\n')), Some(news));
        }
        assert_eq!(News::of_line("nonsense"), None);
    }

    /// File names are the user's.
    #[test]
    fn a_line_is_one_whatever_is_in_it() {
        let line = News::At("a\nlimit memory\n".repeat(1000)).line();
        assert!(line.len() <= LONGEST && line.matches('\n').count() == 1, "{line}");
    }
}
