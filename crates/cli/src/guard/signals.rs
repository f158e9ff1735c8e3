//! Signals that ask to stop.
//!
//! Some senders send twice: GNU `timeout` signals a command and then its group, and both a terminal and its shell say
//! that they go away. So what comes within [half a second](SAME_REQUEST) of the first signal is the same request. Only
//! a later one asks to stop at once.
#![expect(unsafe_code, reason = "handlers of signals may do very little, and these do")]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rustix::process::Signal;

use super::reserve;
use crate::status::INTERRUPTED;

/// Signals that ask for a clean stop.
pub(super) const STOPPING: [Signal; 3] = [Signal::INT, Signal::TERM, Signal::HUP];

/// Milliseconds in which signals are one request.
const SAME_REQUEST: u64 = 500;

/// When the first signal came, in milliseconds of a clock that never shows [`NEVER`].
static FIRST: AtomicU64 = AtomicU64::new(NEVER);
const NEVER: u64 = 0;

/// Whether there was a second request.
static IS_REPEATED: AtomicBool = AtomicBool::new(false);

/// Whether a second request ends this process.
static ENDS_AT_SECOND: AtomicBool = AtomicBool::new(false);

/// Whether the handlers are there.
static ARE_NOTED: AtomicBool = AtomicBool::new(false);

/// From here on requests are noted, in this process and those that are forked from it. Signals that were ignored stay
/// so.
///
/// # Errors
/// If the system refuses a handler.
pub(super) fn note_requests() -> std::io::Result<()> {
    if ARE_NOTED.swap(true, Ordering::Relaxed) {
        return Ok(());
    }
    for signal in STOPPING.iter().filter(|&&signal| !is_ignored(signal)) {
        // SAFETY: the handler reads a clock, uses atomic variables, and may end the process; nothing of that allocates
        // or locks.
        unsafe { signal_hook::low_level::register(signal.as_raw(), requested) }?;
    }
    Ok(())
}

/// What a handler does.
fn requested() {
    let now = milliseconds();
    let Err(first) = FIRST.compare_exchange(NEVER, now, Ordering::Relaxed, Ordering::Relaxed) else { return };
    if is_another(first, now) {
        IS_REPEATED.store(true, Ordering::Relaxed);
        if ENDS_AT_SECOND.load(Ordering::Relaxed) {
            reserve::end_at_once(INTERRUPTED);
        }
    }
}

/// Whether a signal is another request than the first one.
const fn is_another(first: u64, now: u64) -> bool {
    now.saturating_sub(first) >= SAME_REQUEST
}

/// Time since the machine was started, and 1.
fn milliseconds() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it may be called in handlers, and writes to a variable of ours.
    let _ = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    let whole = u64::try_from(now.tv_sec).unwrap_or(0).saturating_mul(1000);
    whole + u64::try_from(now.tv_nsec).unwrap_or(0) / 1_000_000 + 1
}

/// Whether somebody has asked to stop.
pub(super) fn are_there() -> bool {
    FIRST.load(Ordering::Relaxed) != NEVER
}

/// Whether somebody has asked to stop at once.
pub(super) fn are_repeated() -> bool {
    IS_REPEATED.load(Ordering::Relaxed)
}

/// From here on a second request ends this process.
pub(super) fn end_at_second() {
    ENDS_AT_SECOND.store(true, Ordering::Relaxed);
}

/// Whether the process was started to survive a signal (SIGHUP by `nohup`, SIGINT by `&` in a script): a handler would
/// undo that.
pub(super) fn is_ignored(signal: Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal.as_raw() - 1) & 1 != 0
}

/// The ends of children are waited for. Where SIGCHLD is ignored, as whoever starts this may have it, the system throws
/// them away.
pub(super) fn wait_for_children() {
    // SAFETY: the default is no code of this process.
    let _ = unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
}

/// Files that may not grow any more are errors of whoever writes them, and no reason to end (`ulimit -f`).
pub(super) fn go_on_at_full_files() {
    // Else the process ends by the signal.
    let _ = signal_hook::flag::register(Signal::XFSZ.as_raw(), std::sync::Arc::default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_that_come_together_are_one_request() {
        let first = milliseconds();
        assert_ne!(first, NEVER);
        for (later, is_it) in [(0, false), (1, false), (SAME_REQUEST - 1, false), (SAME_REQUEST, true), (60_000, true)]
        {
            assert_eq!(is_another(first, first + later), is_it, "{later} ms");
        }
        // Two threads may take them.
        assert!(!is_another(first, first - 1));
    }
}
