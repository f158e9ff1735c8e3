//! The limits of this crate. All are counts, so that the answer is the same on every machine.

/// All limits, each with what it protects and where it shows.
pub(crate) struct Budgets {
    /// Runs that look for a smaller input of one finding.
    ///
    /// Protects the time of a check. The design says at most 200.
    pub(crate) smaller_runs: usize,
    /// Schedules of one suspect that are tried.
    ///
    /// Protects the time of a bug that many schedules show. No test shows it.
    pub(crate) schedules: usize,
    /// Schedules that end the process while threads run, for which these are let run on.
    ///
    /// Protects the time of a check. Shows in findings of threads that nobody joins.
    pub(crate) exits: usize,
    /// Runs for one of these.
    ///
    /// Protects the same. Shows in findings of such threads that few inputs cause.
    pub(crate) runs_beyond_exit: usize,
    /// Steps of a run that a finding has.
    ///
    /// Protects readers, and files. Shows in findings of long runs: the last steps are kept.
    pub(crate) steps: usize,
}

/// The limits that hold.
pub(crate) const BUDGETS: Budgets =
    Budgets { smaller_runs: 200, schedules: 4, exits: 16, runs_beyond_exit: 16, steps: 1000 };
