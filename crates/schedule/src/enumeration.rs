//! The result of a whole enumeration.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::constraint::{InputConstraint, NamedInput};
use crate::end::ScheduleEnd;
use crate::epoch::{EpochId, EpochKey, ThreadContext};
use crate::input::Contents;
use crate::reason::Reason;
use crate::searched_with::SearchedWith;
use crate::tree::{Schedule, ScheduleTree};

/// What the result takes for granted (Bergan 3.1).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Assumption {
    /// No two threads access the same memory at the same time, one of them writing, without synchronisation.
    DataRaceFreedom,
    /// The number of threads alive at a time does not grow with the input.
    BoundedThreads,
    /// Pointers are not taken apart into bytes that another function puts together again, nor read from text.
    WholePointers,
    /// Calls for memory, threads and the like succeed, but for those that the user lets fail.
    AllocationsSucceed,
    /// Behind the first epoch, nothing that C leaves undefined happens.
    DefinedBehaviour,
    /// Subscripts of arrays that are members of structures are less than the arrays have elements.
    SubscriptsInRange,
    /// The inputs cause none of the memory errors that were found: what happens behind one is not looked at.
    NoMemoryErrors,
    /// The memory errors that were found do nothing but read indeterminate values and lose what they write: what is
    /// behind them was looked at.
    ContainedErrors,
    /// Where loops count, no sum overflows of which C does not say what it is then, and no number is shifted by more
    /// than its width.
    NoOverflow,
    /// The [loops that are assumed to end](Enumeration::loops_assumed_to_end) do.
    LoopsEnd,
}

impl Assumption {
    /// The assumption as half a sentence: `there are no data races`.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::DataRaceFreedom => "there are no data races",
            Self::BoundedThreads => "the number of live threads is bounded",
            Self::WholePointers => "no pointer is taken apart into bytes and put together elsewhere",
            Self::AllocationsSucceed => "calls for memory and threads succeed, but for those of --may-fail",
            Self::DefinedBehaviour => "nothing that C leaves undefined happens behind the first epoch",
            Self::SubscriptsInRange => "subscripts of arrays in structures are in range",
            Self::NoMemoryErrors => "the input causes none of the memory errors above",
            Self::ContainedErrors => "a memory error does no more than read any value and lose what it writes",
            Self::NoOverflow => "no signed sum that a loop counts with overflows",
            Self::LoopsEnd => "the loops that are assumed to end do",
        }
    }
}

/// Something C does not allow that some input can cause, seen on the way.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PossibleError {
    /// What, e.g. `write of 4 bytes behind the end of buf (16 bytes)`.
    pub message: String,
    /// `file.c:88`.
    pub at: String,
    /// The inputs for which it happens.
    pub constraint: InputConstraint,
    /// Whether it is left open if there are such inputs: it depends on what a replaced loop has left, which may be
    /// anything here.
    pub is_open: bool,
}

/// What the search of one epoch found. A value of nothing but the program, the epoch and the options (D3).
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EpochResult {
    /// The epoch.
    pub id: EpochId,
    /// Where its threads start, as source text.
    pub contexts: Vec<ThreadContext>,
    /// The schedules.
    pub tree: ScheduleTree,
    /// Inputs that satisfy no schedule's constraint because they end the process on a prefix of one, before it
    /// synchronises again, while no other thread is alive (prefix schedules, Bergan 3.4.1.1). Each of them can follow
    /// any schedule that begins with that prefix. `None` if there are none. It holds all such inputs, and may hold
    /// others that end the process early and satisfy a schedule's constraint too.
    pub early_exits: Option<InputConstraint>,
    /// Why the schedules do not cover all inputs; empty if they do.
    pub reasons: Vec<Reason>,
    /// Errors that some input causes.
    pub errors: Vec<PossibleError>,
    /// Names in the text of all these constraints that C cannot compute, in order of names.
    #[serde(default)]
    pub inputs: Vec<NamedInput>,
    /// Schedules that were found and dropped because no input can follow them.
    pub infeasible_removed: u64,
    /// The largest number of threads alive at once.
    pub max_live_threads: u32,
    /// What has to be so of loops and recursions for the schedules to be right, and is not proved.
    pub assumed: AssumedOfLoops,
    /// What its paths were executed with.
    #[serde(default)]
    pub searched_with: SearchedWith,
}

/// What is taken for granted of loops and recursions.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct AssumedOfLoops {
    /// Where those are that have to end, and of which that is not proved: `file.c:88`.
    pub end: Vec<String>,
    /// Whether some end only because C leaves it undefined what a signed sum is that overflows.
    pub no_overflow: bool,
}

impl EpochResult {
    /// The short name of the epoch.
    pub fn key(&self) -> EpochKey {
        self.id.key()
    }

    /// Whether it has no schedule, and no input that ends the process on the way: then it covers nothing.
    pub fn says_nothing(&self) -> bool {
        self.tree.root.branches.is_empty() && self.early_exits.is_none()
    }

    /// Whether something that C does not allow was found in it, be it left open if an input causes it.
    pub fn has_errors(&self) -> bool {
        let ends = |s: &Schedule| matches!(s.ends, ScheduleEnd::MemoryError { .. });
        !self.errors.is_empty() || self.tree.leaves().any(ends)
    }

    /// How many of its schedules end in a deadlock.
    pub fn deadlocks(&self) -> usize {
        let ends = |schedule: &&Schedule| matches!(schedule.ends, ScheduleEnd::Deadlock { .. });
        self.tree.schedules().into_values().filter(ends).count()
    }

    /// The epochs that schedules of this one lead to, sorted, each once.
    pub fn successors(&self) -> Vec<EpochKey> {
        let mut keys: Vec<_> = self.tree.leaves().filter_map(|schedule| successor(&schedule.ends)).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}

/// A place as file, line and text.
fn by_line(place: &str) -> (&str, Option<u32>, &str) {
    match place.rsplit_once(':') {
        Some((file, line)) => (file, line.parse().ok(), place),
        None => (place, None, place),
    }
}

fn successor(ends: &ScheduleEnd) -> Option<EpochKey> {
    match ends {
        ScheduleEnd::Epoch(key) => Some(*key),
        ScheduleEnd::Exit { .. }
        | ScheduleEnd::Deadlock { .. }
        | ScheduleEnd::Endless { .. }
        | ScheduleEnd::Input { .. }
        | ScheduleEnd::Abort { .. }
        | ScheduleEnd::MemoryError { .. }
        | ScheduleEnd::Limit => None,
    }
}

/// What the search cost. The only part of a result that differs from run to run.
#[derive(Copy, Clone, PartialEq, Default, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Statistics {
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Paths executed, also in part.
    pub paths: u64,
    /// Instructions executed.
    pub instructions: u64,
    /// Seconds in the solver, summed over workers.
    pub solver_seconds: f64,
    /// Queries that reached the solver.
    pub solver_queries: u64,
    /// Peak resident memory in MiB.
    pub peak_mib: u64,
}

/// Sums over all epochs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Totals {
    /// Number of epochs.
    pub epochs: usize,
    /// Number of schedules; one that several leaves of an epoch's tree are counts once.
    pub schedules: usize,
    /// How they spread over the epochs.
    pub schedules_per_epoch: SchedulesPerEpoch,
    /// Schedules that end in a deadlock.
    pub deadlocked: usize,
    /// Schedules that end in a loop that goes round for ever.
    pub endless: usize,
    /// Schedules that end in `abort` or a failing assertion.
    pub aborted: usize,
    /// Different memory errors that some input causes, what replaced loops [leave open](PossibleError::is_open) not
    /// counted.
    pub memory_errors: usize,
    /// Schedules that were found and dropped because no input can follow them.
    pub infeasible_removed: u64,
    /// The largest number of threads alive at once.
    pub max_live_threads: u32,
    /// Epoch markers in the program.
    pub epoch_markers: u32,
}

/// Schedules per epoch; all zero without epochs.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SchedulesPerEpoch {
    /// Fewest in one epoch.
    pub min: usize,
    /// Most in one epoch.
    pub max: usize,
    /// Mean.
    pub avg: f64,
}

/// The input-covering schedules of a program.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct Enumeration {
    /// The program's file name, as the user gave it.
    pub program: String,
    /// BLAKE3 of the bitcode in hexadecimal; see [`digest_of`](Self::digest_of).
    pub digest: String,
    /// The options and arguments that the result depends on, as they would be typed.
    pub options: Vec<String>,
    /// Contents of files that the options name by their digests.
    pub contents: Contents,
    /// What the result takes for granted.
    pub assumptions: Vec<Assumption>,
    /// The epochs that were searched, the one at program entry first.
    pub epochs: Vec<EpochResult>,
    /// Reasons for incompleteness that belong to no epoch.
    pub reasons: Vec<Reason>,
    /// Epoch markers in the program.
    pub epoch_markers: u32,
    /// What the search cost.
    pub statistics: Statistics,
}

impl Enumeration {
    /// The digest by which a result knows its program.
    pub fn digest_of(bitcode: &[u8]) -> String {
        blake3::hash(bitcode).to_hex().to_string()
    }

    /// All reasons for incompleteness, sorted, each once.
    pub fn all_reasons(&self) -> Vec<&Reason> {
        let mut reasons: Vec<_> = self.reasons.iter().chain(self.epochs.iter().flat_map(|e| &e.reasons)).collect();
        reasons.sort_unstable();
        reasons.dedup();
        reasons
    }

    /// Whether the schedules cover every input: there is no reason why not, and every epoch they lead to was searched.
    pub fn is_complete(&self) -> bool {
        let mut searched: Vec<_> = self.epochs.iter().map(EpochResult::key).collect();
        searched.sort_unstable();
        let known = |key| searched.binary_search(&key).is_ok();
        let says_something = |epoch: &EpochResult| !epoch.says_nothing();
        self.all_reasons().is_empty()
            && self.epochs.iter().all(says_something)
            && self.epochs.iter().flat_map(EpochResult::successors).all(known)
    }

    /// The different things that some input causes and C does not allow, each with its place. What is
    /// [left open](PossibleError::is_open) does not count.
    pub fn memory_errors(&self) -> BTreeSet<(&str, &str)> {
        let mut found = BTreeSet::new();
        for epoch in &self.epochs {
            let possible = epoch.errors.iter().filter(|error| !error.is_open);
            found.extend(possible.map(|error| (error.message.as_str(), error.at.as_str())));
            found.extend(epoch.tree.leaves().filter_map(|schedule| match &schedule.ends {
                ScheduleEnd::MemoryError { message, at } => Some((message.as_str(), at.as_str())),
                _ => None,
            }));
        }
        found
    }

    /// Whether nothing is said of inputs that cause memory errors, and there are some.
    pub fn excludes_errors(&self) -> bool {
        !self.assumptions.contains(&Assumption::ContainedErrors) && !self.memory_errors().is_empty()
    }

    /// Whether the user is to look into something: a deadlock, a loop without end, or a memory error.
    pub fn has_findings(&self) -> bool {
        let is_finding =
            |ends: &ScheduleEnd| matches!(ends, ScheduleEnd::Deadlock { .. } | ScheduleEnd::Endless { .. });
        self.count(is_finding) > 0 || !self.memory_errors().is_empty()
    }

    /// Where loops and recursions are that have to end, for the result to be right, and of which that is not proved:
    /// `file.c:88`, by file and line, each once.
    pub fn loops_assumed_to_end(&self) -> Vec<&str> {
        let mut found: Vec<&str> =
            self.epochs.iter().flat_map(|epoch| &epoch.assumed.end).map(String::as_str).collect();
        found.sort_by(|a, b| by_line(a).cmp(&by_line(b)));
        found.dedup();
        found
    }

    /// How many schedules end so, each counted once in its epoch.
    fn count(&self, is_it: impl Fn(&ScheduleEnd) -> bool) -> usize {
        let of_epoch = |epoch: &EpochResult| epoch.tree.schedules().into_values().filter(|s| is_it(&s.ends)).count();
        self.epochs.iter().map(of_epoch).sum()
    }

    /// The sums over all epochs.
    pub fn totals(&self) -> Totals {
        let counts: Vec<_> = self.epochs.iter().map(|epoch| epoch.tree.schedules().len()).collect();
        let schedules = counts.iter().sum();
        Totals {
            epochs: counts.len(),
            schedules,
            schedules_per_epoch: SchedulesPerEpoch {
                min: counts.iter().copied().min().unwrap_or(0),
                max: counts.iter().copied().max().unwrap_or(0),
                avg: if counts.is_empty() { 0.0 } else { schedules as f64 / counts.len() as f64 },
            },
            deadlocked: self.count(|ends| matches!(ends, ScheduleEnd::Deadlock { .. })),
            endless: self.count(|ends| matches!(ends, ScheduleEnd::Endless { .. })),
            aborted: self.count(|ends| matches!(ends, ScheduleEnd::Abort { .. })),
            memory_errors: self.memory_errors().len(),
            infeasible_removed: self.epochs.iter().map(|epoch| epoch.infeasible_removed).sum(),
            max_live_threads: self.epochs.iter().map(|epoch| epoch.max_live_threads).max().unwrap_or(0),
            epoch_markers: self.epoch_markers,
        }
    }
}
