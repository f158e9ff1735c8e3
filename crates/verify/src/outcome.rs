//! What a verification found.

use std::fmt;

use icsched_schedule::{Enumeration, EpochId, EpochKey, IncompleteKind, Reason, ScheduleId};
use serde::Serialize;

/// Which promise of a database is broken.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The file does not say what such a file says: a name that does not fit, a constraint that is none.
    Form,
    /// An epoch is missing, or is none of the program.
    Epoch,
    /// Some inputs satisfy no constraint.
    Cover,
    /// Inputs that satisfy a schedule's constraint do something else than the schedule says.
    Replay,
    /// Inputs cause a memory error that is not told.
    Errors,
    /// What is taken to hold whenever an epoch begins does not.
    Facts,
}

/// Something that is wrong in a database.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// The epoch that it is about.
    pub epoch: Option<EpochKey>,
    /// The schedule that it is about.
    pub schedule: Option<ScheduleId>,
    /// In a sentence without a full stop.
    pub message: String,
    /// Values of inputs that show it, as C: `x == 3 && argv[1][0] == 97`.
    pub input: Option<String>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.epoch, &self.schedule) {
            (Some(epoch), Some(schedule)) => write!(f, "epoch {epoch}, schedule {schedule}: ")?,
            (Some(epoch), None) => write!(f, "epoch {epoch}: ")?,
            (None, _) => {}
        }
        f.write_str(&self.message)?;
        match &self.input {
            Some(input) if !input.is_empty() => write!(f, "; for example {input}"),
            _ => Ok(()),
        }
    }
}

/// Whether the constraints of an epoch cover it.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cover {
    /// Every input satisfies the constraint of a schedule, or ends the process early.
    Proved,
    /// Some inputs don't.
    Failed,
    /// It is not known.
    Undecided,
}

/// What was found of one epoch.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EpochCheck {
    /// The epoch.
    pub id: EpochKey,
    /// Its schedules.
    pub schedules: usize,
    /// Whether they cover it.
    pub cover: Cover,
    /// Schedules that were followed on every path that their constraint admits, not only on some.
    pub proved: usize,
    /// Schedules that runs of the program followed in the concrete domain; tried in the first epoch, with arguments as
    /// inputs.
    pub replayed: usize,
    /// Epochs that follow, and of which not every path that leads there was executed: what is known where they begin
    /// was compared with what the paths leave that were tried.
    pub tried_facts: Vec<EpochKey>,
    /// Schedules whose constraint nothing satisfies. They do no harm.
    pub infeasible: Vec<ScheduleId>,
    /// Pairs of schedules whose constraints have inputs in common.
    pub overlapping: usize,
    /// Paths that were executed.
    pub paths: u64,
}

/// The result of a verification.
#[derive(Clone, PartialEq, Default, Debug, Serialize)]
pub struct Verification {
    /// What is wrong.
    pub faults: Vec<Fault>,
    /// Why not everything is known: what the database says itself, and what could not be decided here.
    pub reasons: Vec<Reason>,
    /// The epochs in the order of the database.
    pub epochs: Vec<EpochCheck>,
}

impl Verification {
    /// Of a database of which nothing was looked at: what it says itself is open.
    pub(crate) fn of(database: &Enumeration) -> Self {
        Self { reasons: database.all_reasons().into_iter().cloned().collect(), ..Self::default() }
    }

    /// Whether nothing is wrong and nothing was left open. Schedules that were only tried count: see
    /// [`EpochCheck::proved`].
    pub fn is_verified(&self) -> bool {
        self.faults.is_empty() && self.is_complete()
    }

    /// Whether nothing was left open.
    pub fn is_complete(&self) -> bool {
        self.reasons.is_empty()
    }

    /// The search was cut that made the database: what is known where epochs begin depends on how far it came, but for
    /// the entry. So what is found behind that need not be wrong.
    pub(crate) fn doubt(&mut self, entry: &EpochId) {
        let entry = entry.key();
        let is_certain = |fault: &Fault| {
            matches!(fault.kind, FaultKind::Epoch) || fault.epoch.as_ref().is_none_or(|epoch| *epoch == entry)
        };
        let (certain, doubtful) = std::mem::take(&mut self.faults).into_iter().partition(is_certain);
        self.faults = certain;
        let doubtful: Vec<Fault> = doubtful;
        if let Some(first) = doubtful.first() {
            let count = doubtful.len();
            let message = format!(
                "the search was cut by a limit, so what it knows of epochs may be more than is so; found: {count}, the first: {first}"
            );
            self.reasons.push(Reason { kind: IncompleteKind::Limit, message, at: None });
        }
    }

    /// Sorts and thins out what is told.
    pub(crate) fn tidy(&mut self) {
        self.faults.sort();
        self.faults.dedup();
        self.reasons.sort();
        self.reasons.dedup();
    }
}
