//! Signals and limits, as they ask a command to stop.

use std::sync::Arc;
use std::time::Duration;

use icsched_driver::config::{Limit, StopRequest};
use icsched_driver::watch::Watch;
use icsched_driver::{Diagnostic, Limits};

use super::news::{Cause, News};
use super::tell::{has_parent, known, tell};
use super::{reserve, signals};
use crate::args::Cli;
use crate::status::INCOMPLETE;
use crate::{last, output};

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
