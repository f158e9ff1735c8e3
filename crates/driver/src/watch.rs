//! Keeps a run within its limits from outside.
//!
//! The engine looks at its limits where it can stop with what is known: between paths, slices of instructions and bulk
//! operations. It cannot look while it waits for input, in one long operation, or in a library. A [`Watch`] asks it to
//! stop when a limit is reached, and tells when it does not.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use icsched_symex::stop::Limit;

pub use icsched_enumerate::resident_bytes;

use crate::config::Limits;

/// Time between two looks.
const LOOK: Duration = Duration::from_millis(20);

/// A thread that watches a run until this is dropped.
#[derive(Debug)]
pub struct Watch {
    /// Dropped to end the thread.
    _running: Sender<()>,
}

impl Watch {
    /// Watches from now on. After a limit was reached or somebody asked to stop, the run has `grace` to do so, and may
    /// take a quarter more memory than allowed; then `overdue` is called, once.
    ///
    /// # Errors
    /// If the system has no more threads.
    pub fn start(
        limits: &Limits,
        grace: Duration,
        overdue: impl FnOnce(Limit) + Send + 'static,
    ) -> std::io::Result<Watch> {
        let (running, ended) = channel();
        let watched = Watched { limits: limits.clone(), deadline: limits.deadline(), grace, asked: None };
        let watch = move || {
            let mut watched = watched;
            while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if let Some(limit) = watched.look() {
                    overdue(limit);
                    return;
                }
            }
        };
        std::thread::Builder::new().name("watch".to_owned()).spawn(watch)?;
        Ok(Watch { _running: running })
    }
}

struct Watched {
    limits: Limits,
    deadline: Option<Instant>,
    grace: Duration,
    /// When the request to stop was seen first.
    asked: Option<Instant>,
}

impl Watched {
    /// Asks to stop, if it is time; the limit if the run has not stopped although it was asked to.
    fn look(&mut self) -> Option<Limit> {
        let used = self.limits.max_memory.and_then(|_| resident_bytes()).unwrap_or(0);
        let most = self.limits.max_memory.unwrap_or(u64::MAX);
        if used > most {
            self.limits.stop.ask(Limit::Memory);
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            self.limits.stop.ask(Limit::Time);
        }
        let limit = self.limits.stop.asked()?;
        let since = *self.asked.get_or_insert_with(Instant::now);
        if used > most.saturating_add(most / 4) {
            return Some(Limit::Memory);
        }
        (since.elapsed() >= self.grace).then_some(limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watched(timeout: Option<Duration>, max_memory: Option<u64>, grace: Duration) -> Watched {
        let limits = Limits { timeout, max_memory, ..Limits::default() };
        Watched { deadline: limits.deadline(), limits, grace, asked: None }
    }

    #[test]
    fn asks_first_and_insists_later() {
        let mut patient = watched(Some(Duration::ZERO), None, Duration::MAX);
        assert_eq!(patient.look(), None);
        assert_eq!(patient.limits.stop.asked(), Some(Limit::Time));
        assert_eq!(watched(Some(Duration::ZERO), None, Duration::ZERO).look(), Some(Limit::Time));
        assert_eq!(watched(Some(Duration::MAX), None, Duration::ZERO).look(), None);
    }

    #[test]
    fn memory_far_beyond_the_limit_has_no_grace() {
        let mut watched = watched(None, Some(1), Duration::MAX);
        assert_eq!(watched.look(), Some(Limit::Memory));
        assert_eq!(watched.limits.stop.asked(), Some(Limit::Memory));
    }
}
