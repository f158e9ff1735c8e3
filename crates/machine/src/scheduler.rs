//! Which thread runs next.

use crate::budgets::BUDGETS;
use crate::state::State;
use crate::thread::ThreadId;
use crate::values::Values;

/// Why the scheduler is asked.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum SchedulingPoint {
    /// `__ics_yield`.
    Yield,
    /// `__ics_pause`: the current thread polls.
    Pause,
    /// The current thread waits.
    Blocked,
    /// The current thread has ended.
    Ended,
    /// The current thread has run for very long without a scheduling point: it may be spinning.
    Fairness,
    /// The current thread is about to end the process.
    Exit,
}

/// Chooses threads. Must be a function of the state and its own past, so that a run can be repeated.
pub trait Scheduler<D: Values> {
    /// The thread to run next: an enabled one, of which there is at least one. The current thread is among the
    /// enabled unless it is blocked or has ended.
    fn choose(&mut self, state: &State<D>, why: SchedulingPoint) -> ThreadId;
}

/// The default: a thread runs until it blocks, ends, pauses, or has passed 128 scheduling points in a row (Bergan 2.5,
/// with the bound added so that programs that spin with `sched_yield` progress). The next one is the next enabled
/// thread in creation order, cyclically.
#[derive(Copy, Clone, Default, Debug)]
pub struct Cooperative;

impl<D: Values> Scheduler<D> for Cooperative {
    fn choose(&mut self, state: &State<D>, why: SchedulingPoint) -> ThreadId {
        match why {
            SchedulingPoint::Exit => state.current,
            SchedulingPoint::Yield if state.current_thread().yields < BUDGETS.scheduling_points => state.current,
            SchedulingPoint::Yield
            | SchedulingPoint::Pause
            | SchedulingPoint::Blocked
            | SchedulingPoint::Ended
            | SchedulingPoint::Fairness => next_enabled(state).unwrap_or(state.current),
        }
    }
}

/// The next enabled thread after the current one, in creation order and cyclically; the current one comes last.
pub fn next_enabled<D: Values>(state: &State<D>) -> Option<ThreadId> {
    let (before, after) = state.live.split_at(state.live.partition_point(|&id| id <= state.current));
    after.iter().chain(before).copied().find(|&id| state.thread(id).is_enabled())
}
