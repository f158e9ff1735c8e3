//! How good an end is: the classes of the style sheet.

use icsched_schedule::{ScheduleEnd, Verdict};

/// The class of an end of a schedule.
pub(super) fn of_end(ends: &ScheduleEnd) -> &'static str {
    match ends {
        ScheduleEnd::Exit { .. } | ScheduleEnd::Epoch(_) | ScheduleEnd::Input { .. } => "good",
        ScheduleEnd::Deadlock { .. }
        | ScheduleEnd::Endless { .. }
        | ScheduleEnd::Abort { .. }
        | ScheduleEnd::MemoryError { .. } => "bad",
        ScheduleEnd::Limit => "warn",
    }
}

/// Whether something goes wrong at the end of a schedule.
pub(super) fn is_bad(ends: &ScheduleEnd) -> bool {
    of_end(ends) == "bad"
}

/// The class of a finding.
pub(super) fn of_verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Confirmed => "bad",
        Verdict::Possible => "warn",
        Verdict::Predicted => "accent",
    }
}
