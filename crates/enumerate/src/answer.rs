//! What the search of one epoch, and of all of them, answers.

use std::sync::Arc;

use icsched_schedule::{EpochResult, Reason};
use icsched_smt::SolverStatistics;

use crate::plan::Learned;
use crate::successors::Successors;

/// What comes behind the epoch.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Searched {
    pub(crate) successors: Successors,
    pub(crate) work: Work,
    pub(crate) learned: Arc<Learned>,
    /// Whether a limit of the whole run, or the user, may have ended the search: then another run may find more.
    pub(crate) is_cut: bool,
}

/// The schedules.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Finished {
    pub(crate) result: EpochResult,
    /// Beside that of the search.
    pub(crate) work: Work,
    /// Whether a limit of the whole run, or the user, may have ended the job.
    pub(crate) is_cut: bool,
}

/// How much work something was.
#[derive(Copy, Clone, PartialEq, Default, Debug)]
pub(crate) struct Work {
    pub(crate) paths: u64,
    pub(crate) instructions: u64,
    pub(crate) solver: SolverStatistics,
}

impl Work {
    pub(crate) fn add(&mut self, other: &Self) {
        self.paths += other.paths;
        self.instructions += other.instructions;
        self.solver.add(&other.solver);
    }

    /// What has been done since `before`.
    pub(crate) fn since(&self, before: &Self) -> Self {
        Self {
            paths: self.paths - before.paths,
            instructions: self.instructions - before.instructions,
            solver: self.solver.since(&before.solver),
        }
    }
}

/// What was found.
pub(crate) struct Found {
    pub(crate) epochs: Vec<EpochResult>,
    pub(crate) reasons: Vec<Reason>,
    pub(crate) work: Work,
    /// Whether a limit of the whole run, or the user, ended the search.
    pub(crate) is_cut: bool,
}

impl Found {
    /// How many schedules end in a deadlock.
    pub(crate) fn deadlocks(&self) -> usize {
        self.epochs.iter().map(EpochResult::deadlocks).sum()
    }

    /// This result, or that of another search which knows more, and whether it is the other one: if that is whole,
    /// and has fewer deadlocks.
    pub(crate) fn or(mut self, mut other: Self) -> (Self, bool) {
        let reasons = |found: &Self| found.reasons.len() + found.epochs.iter().map(|e| e.reasons.len()).sum::<usize>();
        let is_better = !other.is_cut && reasons(&other) <= reasons(&self) && other.deadlocks() < self.deadlocks();
        let (used, unused) = if is_better { (&mut other, &self) } else { (&mut self, &other) };
        used.work.add(&unused.work);
        (if is_better { other } else { self }, is_better)
    }
}
