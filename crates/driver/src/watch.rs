//! Keeps a run within its limits from outside.
//!
//! The engine looks at its limits where it can stop with what is known: between paths, slices of instructions and bulk
//! operations. It cannot look while it waits for input, in one long operation, or in a library. A [`Watch`] asks it to
//! stop when a limit is reached, and tells when it does not.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use icsched_machine::stop::Limit;
use icsched_smt::Clock;
use icsched_symbolic::request::Activity;
use rustix::time::{ClockId, clock_gettime};

pub use icsched_epochs::memory::MemoryUse;

use crate::config::Limits;

/// Time between two looks.
const LOOK: Duration = Duration::from_millis(20);

/// Bytes of the stack of a thread that does nothing but look.
const STACK: usize = 1 << 18;

/// As many times as long as a process may work that is to stop, it may wait.
const IDLE: u32 = 3;

/// A thread that watches a run until this is dropped.
#[derive(Debug)]
pub struct Watch {
    /// Dropped to end the thread.
    _running: Sender<()>,
}

impl Watch {
    /// Watches from now on, also the clock of solvers. After a limit was reached or somebody asked to stop, the run has
    /// `grace` to do so, and may take a quarter more memory than allowed; then `overdue` is called, once. A run that
    /// has [begun to write](Activity::Writing) its result may take its time.
    ///
    /// # Errors
    /// If the system has no more threads. Nobody looks at the clock of solvers then.
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
        let interrupt = limits.stop.interrupt();
        interrupt.set_clock(Clock::Watched);
        let started = std::thread::Builder::new().name("watch".to_owned()).stack_size(STACK).spawn(watch);
        if started.is_err() {
            interrupt.set_clock(Clock::Nobody);
        }
        started.map(|_| Watch { _running: running })
    }
}

struct Watched {
    limits: Limits,
    deadline: Option<Instant>,
    grace: Duration,
    /// When the request to stop was seen first.
    asked: Option<Asked>,
}

/// A moment.
#[derive(Copy, Clone)]
struct Asked {
    at: Instant,
    /// Processor time of the process.
    worked: Duration,
}

impl Asked {
    fn now() -> Self {
        Self { at: Instant::now(), worked: processor_time() }
    }

    /// Whether the process has had so much time since. On a busy machine it takes longer until it has.
    fn is_past(&self, grace: Duration) -> bool {
        let (passed, worked) = (self.at.elapsed(), processor_time().saturating_sub(self.worked));
        passed >= grace && (worked >= grace || passed >= grace.saturating_mul(IDLE))
    }
}

/// What all threads of the process have worked.
fn processor_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}

impl Watched {
    /// Asks to stop, if it is time; the limit if the run has not stopped although it was asked to.
    fn look(&mut self) -> Option<Limit> {
        let Limits { stop, memory, .. } = &self.limits;
        stop.interrupt().look();
        let used = MemoryUse::of_process().unwrap_or_default();
        if memory.are_exceeded_by(used) {
            stop.ask(Limit::Memory);
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            stop.ask(Limit::Time);
        }
        let limit = stop.asked()?;
        // A query may have begun since the last look, and a signal handler cannot end queries.
        stop.ask(limit);
        let since = *self.asked.get_or_insert_with(Asked::now);
        if memory.with_a_quarter_more().are_exceeded_by(used) {
            return Some(Limit::Memory);
        }
        (stop.doing().activity != Activity::Writing && since.is_past(self.grace)).then_some(limit)
    }
}

#[cfg(test)]
mod tests {
    use icsched_epochs::memory::MemoryLimits;
    use icsched_symbolic::request::StopRequest;

    use super::*;

    fn watched(timeout: Option<Duration>, max_memory: Option<u64>, grace: Duration) -> Watched {
        let limits = Limits { timeout, memory: MemoryLimits::of_user(max_memory), ..Limits::default() };
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

    /// What a run has found is not thrown away because a disk is slow.
    #[test]
    fn whoever_writes_the_result_has_time() {
        let mut watched = watched(Some(Duration::ZERO), None, Duration::ZERO);
        watched.limits.stop.begin(Activity::Writing);
        assert_eq!(watched.look(), None);
        assert_eq!(watched.limits.stop.asked(), Some(Limit::Time));
    }

    /// A signal handler can do nothing but store a number; the queries that are under way end nevertheless.
    #[test]
    fn a_signal_ends_queries() {
        let mut watched = watched(None, None, Duration::MAX);
        let number = StopRequest::number(Limit::Interrupted);
        watched.limits.stop.flag().store(number, std::sync::atomic::Ordering::Relaxed);
        assert!(!watched.limits.stop.interrupt().is_asked());
        assert_eq!(watched.look(), None);
        assert!(watched.limits.stop.interrupt().is_asked());
    }
}
