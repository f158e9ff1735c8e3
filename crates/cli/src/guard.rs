//! What ends a command early: signals and limits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use icsched_driver::config::{Limit, StopRequest};
use icsched_driver::watch::Watch;
use icsched_driver::{Diagnostic, Limits};

use crate::output;

/// Exit status after a second Ctrl-C: what a shell says of a process that ended by SIGINT.
const INTERRUPTED: i32 = 130;

/// Exit status of a command that a limit ended.
const INCOMPLETE: i32 = 3;

/// The first Ctrl-C (or SIGTERM, or SIGHUP) asks for a clean stop; the second one ends the process.
pub(crate) fn stop_on_signals() -> Arc<StopRequest> {
    let request = Arc::new(StopRequest::default());
    if is_detached() {
        return request;
    }
    let shared = Arc::clone(&request);
    let again = AtomicBool::new(false);
    let handler = move || {
        if again.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
        shared.ask(Limit::Interrupted);
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        output::error(&format!("Ctrl-C will not stop cleanly: {error}"));
    }
    request
}

/// Whether the process was started to survive its terminal (`nohup`): a handler would undo that.
fn is_detached() -> bool {
    const SIGHUP: u64 = 1;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & SIGHUP != 0)
}

/// Watches a command's limits. One that cannot stop within `grace` ends with a message and without a result.
pub(crate) fn watch(limits: &Limits, grace: Duration) -> Option<Watch> {
    let overdue = |limit| {
        let message = icsched_driver::exec::limit_text(limit);
        output::diagnostic(&Diagnostic::warning("limit", message.to_owned()));
        std::process::exit(INCOMPLETE);
    };
    match Watch::start(limits, grace, overdue) {
        Ok(watch) => Some(watch),
        Err(error) => {
            output::error(&format!("limits are only looked at now and then: {error}"));
            None
        }
    }
}
