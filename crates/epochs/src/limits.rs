//! Limits of a whole run.

use std::sync::Arc;
use std::time::{Duration, Instant};

use icsched_ir::Program;
use icsched_machine::step::Undecided;
use icsched_machine::stop::Limit;
use icsched_schedule::Reason;
use icsched_slicing::TimeLimit;
use icsched_symbolic::request::StopRequest;

use crate::budgets::BUDGETS;
use crate::limit_reasons;
use crate::memory::MemoryLimits;

/// Limits of a whole run.
#[derive(Clone, Debug)]
pub struct RunLimits {
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Memory of the process.
    pub memory: MemoryLimits,
    /// Instructions on one path.
    pub max_instructions: u64,
    /// Synchronisation events on one path.
    pub max_events: usize,
    /// How long a path may be on which no input has decided anything, instead, if it [is
    /// followed](crate::technique::Technique::MarkerPruning).
    pub undecided: Undecided,
    /// Time for one solver query.
    pub solver_timeout: Duration,
    /// Asked from outside to stop cleanly.
    pub stop: Arc<StopRequest>,
}

impl RunLimits {
    /// Whether the run's time is over.
    pub fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Whether the run's time is over, or somebody has asked it to stop. Unlike [`Self::reached`], soon answered.
    pub fn is_over(&self) -> bool {
        self.stop.asked().is_some() || self.is_late()
    }

    /// The limit of the whole run that was reached, if one was.
    pub fn reached(&self) -> Option<Limit> {
        match self.stop.asked() {
            Some(limit) => Some(limit),
            None if self.is_late() => Some(Limit::Time),
            None if self.memory.are_reached() => Some(Limit::Memory),
            None => None,
        }
    }

    /// The same as a reason, with what was being done and where.
    pub fn stop_reason(&self, program: &Program) -> Option<Reason> {
        Some(limit_reasons::of_run(self.reached()?, self.stop.doing(), program))
    }
}

/// How long a path may be on which no input has decided anything: some seconds, and a gigabyte for its synchronisation.
/// What has no end is searched in bounded epochs then.
pub const UNDECIDED: Undecided = BUDGETS.undecided;

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            deadline: None,
            memory: MemoryLimits::default(),
            max_instructions: 100_000_000,
            max_events: 50_000,
            undecided: UNDECIDED,
            solver_timeout: Duration::from_millis(500),
            stop: Arc::default(),
        }
    }
}

impl TimeLimit for RunLimits {
    fn is_over(&self) -> bool {
        Self::is_over(self)
    }
}
