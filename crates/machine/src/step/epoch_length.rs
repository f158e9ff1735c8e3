//! How long epochs are: which markers threads pass within one.

use std::collections::BTreeMap;
use std::sync::Arc;

use icsched_ir::FuncId;
use rustc_hash::FxHashSet;

use crate::state::{PathLength, State};
use crate::thread::ThreadId;
use crate::values::Values;

/// How a marker is passed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Pass {
    /// When the thread comes to it.
    AtOnce,
    /// When no thread can go on.
    Late,
}

impl Pass {
    /// The operation of the schedule's node.
    pub const fn operation(self) -> &'static str {
        match self {
            Self::AtOnce => "pass marker",
            Self::Late => "pass marker late",
        }
    }

    /// The pass that a node of the schedule stands for.
    pub fn of_operation(operation: &str) -> Option<Self> {
        [Self::AtOnce, Self::Late].into_iter().find(|pass| pass.operation() == operation)
    }
}

/// Which markers threads pass within an epoch.
#[derive(Clone, Debug)]
pub enum EpochLength {
    /// As threads have executed instructions in it.
    Instructions {
        /// A thread passes markers until it has executed so many.
        least: u64,
        /// When no thread can go on, those that have executed more than so many less than another pass their markers,
        /// until they have caught up with what that one had executed then.
        balance: Option<u64>,
        /// Which markers are passed besides.
        followed: FollowedMarkers,
    },
    /// As a schedule says.
    Given {
        /// By thread, in order.
        passes: Arc<BTreeMap<ThreadId, Vec<Pass>>>,
        /// Who runs threads knows when they may go on: nobody waits until no thread can.
        at_once: bool,
    },
}

/// Markers that are passed, by threads of which no activation is [folded](crate::folding), until their path is long.
#[derive(Clone, Default, Debug)]
pub struct FollowedMarkers {
    /// The functions that they are in.
    pub functions: Arc<FxHashSet<FuncId>>,
    /// How many markers threads pass on one path, at most, because they are followed: behind where
    /// [limits count from](State::counts_from).
    pub most: u32,
    /// How many instructions a path executes there, at most, in which they are.
    pub most_instructions: u64,
    /// How long a path may be on which limits do not count yet.
    pub undecided: Undecided,
}

/// How long a path may be on which no input has decided anything.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct Undecided {
    /// Instructions.
    pub instructions: u64,
    /// Synchronisation events.
    pub events: usize,
}

impl Undecided {
    /// Whether a path is as long.
    pub fn is_reached(self, length: PathLength) -> bool {
        length.instructions >= self.instructions || length.events >= self.events
    }
}

impl FollowedMarkers {
    /// Whether threads pass more of them on a path.
    pub fn has_room<D: Values>(&self, state: &State<D>) -> bool {
        match state.counted() {
            _ if state.repeats => false,
            None => !self.undecided.is_reached(state.length()),
            Some(counted) => counted.instructions < self.most_instructions && counted.markers < self.most,
        }
    }
}

impl Default for EpochLength {
    fn default() -> Self {
        Self::Instructions { least: 0, balance: None, followed: FollowedMarkers::default() }
    }
}

impl EpochLength {
    /// The pass that a thread makes next, if a schedule says so.
    pub(super) fn next<D: Values>(&self, state: &State<D>, thread: ThreadId) -> Option<Pass> {
        match self {
            Self::Instructions { .. } => None,
            Self::Given { passes, .. } => {
                passes.get(&thread)?.get(state.thread(thread).markers_passed as usize).copied()
            }
        }
    }
}
