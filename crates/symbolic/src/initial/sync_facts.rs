//! What is known of the objects of synchronisation of an initial state.

use super::root::Places;
use crate::values::value::SymValue;
use icsched_machine::domain::ThreadTable;

/// What dataflow analysis says of the objects of synchronisation of an initial state.
#[derive(Clone, Default, Debug)]
pub(crate) struct Invariants {
    /// Whether the invariants are assumed at all.
    pub(crate) enabled: bool,
    /// Whether the program never asks for the handle of the thread that runs `main`.
    pub(crate) is_main_anonymous: bool,
    /// Whether every lock that may be held is among the threads' locks, or in `anywhere`.
    pub(crate) locks_known: bool,
    /// Where locks may be that may be held by nobody knows whom.
    pub(crate) anywhere: Vec<Places>,
    /// The locks that threads may hold, each with how often at most, if that is known.
    pub(crate) times: Vec<(usize, SymValue, Option<u8>)>,
    /// Locks that threads that have ended may have left taken.
    pub(crate) abandoned: Vec<SymValue>,
    /// Where barriers may be, and what they may expect; `None`: anything.
    pub(crate) expected: Vec<(Places, Option<SymValue>)>,
    /// What each barrier expects at least.
    pub(crate) least_expected: u64,
    /// What each barrier expects at most.
    pub(crate) most_expected: Option<u64>,
    /// The models' table of threads, if the slots of those of the context were chosen.
    pub(crate) table: Option<ThreadTable>,
    /// Whether every thread that nobody has joined lives.
    pub(crate) none_ended: bool,
}
