//! How far a search is, for whoever wants to show it; and what it finds, for whoever wants to hold it against runs.

use std::fmt;

use icsched_facts::Shape;
use icsched_machine::{Machine, State};
use icsched_schedule::{Diagnostic, Enumeration, EpochId, EpochResult, HappensBefore, ScheduleEnd};
use icsched_symbolic::request::Activity;
use icsched_symbolic::symbolic::SymbolicDomain;

use crate::constraint::Conjunction;

/// Receives the state of a search now and then. Nothing depends on what it does.
pub trait Progress {
    /// Of an epoch, `paths` were executed, `waiting` input constraints are to be explored, `schedules` were found.
    /// Not told of epochs that are searched by workers.
    fn path(&mut self, paths: u64, waiting: usize, schedules: usize);

    /// What is being done before epochs are searched, and after that.
    fn doing(&mut self, _activity: Activity) {}

    /// Something that whoever waits should know before the end.
    fn warn(&mut self, _warning: &Diagnostic) {}

    /// Something that was found is where it survives the end of the process ([`Journal::keep`]).
    fn stored(&mut self) {}

    /// How far workers are.
    fn epochs(&mut self, _counts: &Counts) {}

    /// Of what is wrong in the schedules, so much is decided; with so many runs.
    fn suspects(&mut self, _done: usize, _all: usize, _runs: u64) {}

    /// The search of an epoch begins: what [`schedule`](Self::schedule) was told since the last epoch ended is void.
    fn begin_epoch(&mut self, _epoch: &EpochId) {}

    /// A path of the epoch gave a schedule.
    fn schedule(&mut self, _path: &SchedulePath<'_>) {}

    /// The search of an epoch has come to its end. An epoch may be searched again, knowing less; then that counts.
    fn end_epoch(&mut self, _epoch: SearchedEpoch) {}

    /// All epochs are searched again from the first one on, knowing more.
    fn begin_again(&mut self) {}

    /// They were. Else than better, what was found first counts.
    fn end_again(&mut self, _is_better: bool) {}
}

/// How far workers are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Epochs that are known to be reached.
    pub epochs: usize,
    /// Those of them that are to be searched, perhaps again.
    pub waiting: usize,
    /// Paths that were executed.
    pub paths: u64,
    /// Deadlocks of a search that has come to its end: all epochs are searched again, knowing more, to see whether
    /// they can happen.
    pub doubted: usize,
    /// The epoch whose result counts next, and what is being done about it.
    pub working: Option<Working>,
}

/// What is being done about an epoch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Working {
    /// Number of the search, from 1: an epoch may be searched again.
    pub search: u64,
    /// What.
    pub activity: Activity,
    /// The function.
    pub function: String,
    /// `file.c:88`; empty if that is not known.
    pub at: String,
}

impl fmt::Display for Working {
    /// `search 3, path 41, in worker at pool.c:88`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { search, activity, function, at } = self;
        match activity {
            Activity::Path(path) => write!(f, "search {search}, path {path}")?,
            other => write!(f, "search {search}, {}", other.words())?,
        }
        if !function.is_empty() {
            write!(f, ", in {function}")?;
        }
        if at.is_empty() { Ok(()) } else { write!(f, " at {at}") }
    }
}

/// Keeps what was found where it survives the end of the process.
pub trait Journal {
    /// A search of all epochs begins; its result will have this header.
    fn begin(&mut self, header: &Enumeration);

    /// An epoch was searched to the end. With the `record`, a later run need not do it again. The epoch may be
    /// searched again, knowing less; then that result replaces this one. Without a result, it is known already that
    /// the epoch will be. Says whether it is kept.
    fn keep(&mut self, record: &str, result: Option<&EpochResult>) -> bool;
}

/// Nothing is kept.
impl Journal for () {
    fn begin(&mut self, _: &Enumeration) {}

    fn keep(&mut self, _: &str, _: Option<&EpochResult>) -> bool {
        false
    }
}

/// Nobody is interested.
impl Progress for () {
    fn path(&mut self, _: u64, _: usize, _: usize) {}
}

/// A path with its schedule, before paths of one schedule are joined and what is said twice is left out.
pub struct SchedulePath<'a> {
    /// The state at its end.
    pub state: &'a State<SymbolicDomain>,
    /// The precondition slice: whoever satisfies it can follow the schedule.
    pub precondition: &'a Conjunction,
    /// Inputs that follow the schedule until they end the process.
    pub early_exits: &'a [Conjunction],
    /// The schedule.
    pub graph: &'a HappensBefore,
    /// How it ends.
    pub ends: &'a ScheduleEnd,
}

/// An epoch with what its paths' terms mean.
pub struct SearchedEpoch {
    /// The epoch.
    pub id: EpochId,
    /// The machine that has executed its paths; their terms are in its domain's pool.
    pub machine: Machine<SymbolicDomain>,
    /// Where they begin.
    pub initial: State<SymbolicDomain>,
    /// Whether it is the one at program entry.
    pub is_entry: bool,
    /// What it was searched with: what memory and registers hold whenever it begins.
    pub shape: Shape,
    /// And that no thread has ended when it begins.
    pub none_ended: bool,
}
