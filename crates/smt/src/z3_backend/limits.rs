//! Limits of Z3's work on a query.

use std::time::Duration;

use z3::{Params, Solver as RawSolver};

use crate::budgets::BUDGETS;
use crate::interrupt::{Clock, Registered};
use crate::solver::UnknownReason;

/// Units of work ("rlimit") that count as a millisecond. Z3 does 1,000 to 13,000 of them in one.
const UNITS_PER_MILLISECOND: u64 = 5_000;
/// Milliseconds that stand for no limit.
const NO_CLOCK: u32 = u32::MAX;

/// What a solver may take for a query.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Limits {
    /// Milliseconds of a clock.
    pub(super) milliseconds: u32,
    /// Z3's units of work.
    pub(super) units: u32,
    /// Which of them a query that runs out of work has reached.
    pub(super) reached: UnknownReason,
}

impl Limits {
    pub(super) fn new(timeout: Option<Duration>, resource_limit: Option<u32>) -> Self {
        // Z3 takes the greatest value as "no limit".
        let clock = timeout.map(|t| t.saturating_mul(BUDGETS.z3.clock_factor).max(BUDGETS.z3.least_clock));
        let milliseconds = clock.map_or(NO_CLOCK, |t| u32::try_from(t.as_millis()).unwrap_or(NO_CLOCK));
        let (units, reached) = match (timeout.map(units), resource_limit) {
            (Some(own), Some(other)) if other < own => (other, UnknownReason::ResourceLimit),
            (Some(own), _) => (own, UnknownReason::Timeout),
            // 0 is "no limit".
            (None, other) => (other.unwrap_or(0), UnknownReason::ResourceLimit),
        };
        Self { milliseconds, units, reached }
    }

    /// Those that Z3 itself keeps to. It takes a thread to look at its clock, which is a waste where somebody else
    /// does, and aborts the process where there is none.
    pub(super) fn kept_by(self, interrupt: Option<&Registered>) -> Self {
        match interrupt.map_or(Clock::Solver, Registered::clock) {
            Clock::Solver => self,
            Clock::Watched | Clock::Nobody => Self { milliseconds: NO_CLOCK, ..self },
        }
    }

    pub(super) fn set(self, solver: &RawSolver) {
        let mut params = Params::new();
        // Else Z3 handles SIGINT while it works: the process would not be told, and with several threads at work Z3 is
        // not safe.
        params.set_bool("ctrl_c", false);
        params.set_u32("timeout", self.milliseconds);
        params.set_u32("rlimit", self.units);
        solver.set_params(&params);
    }
}

/// A query that is under way until this is dropped.
pub(super) struct Running<'a>(Option<&'a Registered>);

impl<'a> Running<'a> {
    pub(super) fn new(interrupt: Option<&'a Registered>, limits: Limits) -> Self {
        let has_clock = limits.milliseconds != NO_CLOCK;
        if let Some(registered) = interrupt.filter(|_| has_clock) {
            registered.begin(Duration::from_millis(limits.milliseconds.into()));
        }
        Self(interrupt)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if let Some(registered) = self.0 {
            registered.end();
        }
    }
}

/// The work that counts as a time.
fn units(time: Duration) -> u32 {
    let milliseconds = u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1);
    u32::try_from(milliseconds.saturating_mul(UNITS_PER_MILLISECOND)).unwrap_or(u32::MAX)
}
