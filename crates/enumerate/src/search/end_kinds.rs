//! What ends of paths and schedules mean for the search.

use icsched_machine::PathEnd;
use icsched_schedule::ScheduleEnd;

/// Whether the end of a path is something the user will look into with an input that leads there, or says that no
/// input does: then there is no schedule that those which end the process before could follow.
pub(super) fn claims_something(end: &PathEnd) -> bool {
    match end {
        PathEnd::Deadlock { .. }
        | PathEnd::Endless { .. }
        | PathEnd::Error(_)
        | PathEnd::Abort { .. }
        | PathEnd::AssertFailed { .. }
        | PathEnd::GoesRound => true,
        PathEnd::Exit { .. }
        | PathEnd::Unmodelled { .. }
        | PathEnd::Unsupported { .. }
        | PathEnd::Limit(_)
        | PathEnd::LeftContext
        | PathEnd::Epoch
        | PathEnd::Infeasible => false,
    }
}

/// Whether the process ends there.
pub(super) fn ends_process(end: &ScheduleEnd) -> bool {
    match end {
        ScheduleEnd::Exit { .. } | ScheduleEnd::Abort { .. } | ScheduleEnd::MemoryError { .. } => true,
        ScheduleEnd::Deadlock { .. }
        | ScheduleEnd::Endless { .. }
        | ScheduleEnd::Epoch(_)
        | ScheduleEnd::Input { .. }
        | ScheduleEnd::Limit => false,
    }
}

/// Whether the end of a schedule is something the user will look into with an input that leads there.
pub(super) fn is_claimed(end: &ScheduleEnd) -> bool {
    match end {
        ScheduleEnd::Deadlock { .. }
        | ScheduleEnd::Endless { .. }
        | ScheduleEnd::Abort { .. }
        | ScheduleEnd::MemoryError { .. } => true,
        ScheduleEnd::Exit { .. } | ScheduleEnd::Epoch(_) | ScheduleEnd::Input { .. } | ScheduleEnd::Limit => false,
    }
}
