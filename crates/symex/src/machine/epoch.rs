//! Epoch markers: threads stop there, or pass them (Bergan 3.5).
//!
//! A marker that is passed is a node of the schedule. So who follows the schedule passes the same markers, however many
//! instructions that takes with other inputs.

use std::collections::BTreeMap;
use std::sync::Arc;

use icsched_ir::{FuncId, ProgramPoint};
use rustc_hash::FxHashSet;

use super::Machine;
use crate::code::Instr;
use crate::domain::Domain;
use crate::observe::Observer;
use crate::state::{PathLength, State};
use crate::stop::Stop;
use crate::thread::{Frame, ThreadId, ThreadStatus};
use crate::trace::{EventMode, EventObject};

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
        /// When no thread can go on, those that have executed more than so many less than another pass their markers, until they have
        /// caught up with what that one had executed then.
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
    pub fn has_room<D: Domain>(&self, state: &State<D>) -> bool {
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
    fn next<D: Domain>(&self, state: &State<D>, thread: ThreadId) -> Option<Pass> {
        match self {
            Self::Instructions { .. } => None,
            Self::Given { passes, .. } => {
                passes.get(&thread)?.get(state.thread(thread).markers_passed as usize).copied()
            }
        }
    }
}

impl<D: Domain> Machine<D> {
    /// The current thread is at an epoch marker: it passes it or stays there, at least until no thread can go on.
    pub(super) fn marker<O: Observer>(&mut self, state: &mut State<D>, observer: &mut O) -> Result<(), Stop<D>> {
        let thread = state.current;
        let (frame, at) = self.marked(state, thread);
        if O::ENABLED {
            observer.marker(frame.id, at.inst);
        }
        let is_followed = matches!(&self.options.epoch_length, EpochLength::Instructions { .. });
        if is_followed && state.counts_from.is_none() && !state.repeats {
            state.repeats = self.seen.comes_back(state);
        }
        let passes = match &self.options.epoch_length {
            EpochLength::Instructions { least, followed, .. } => {
                state.thread(thread).instructions < *least
                    || followed.functions.contains(&at.func)
                        && followed.has_room(state)
                        && !state.thread(thread).frames.iter().any(|frame| frame.is_folded)
            }
            EpochLength::Given { at_once: true, .. } => self.options.epoch_length.next(state, thread).is_some(),
            EpochLength::Given { at_once: false, .. } => {
                self.options.epoch_length.next(state, thread) == Some(Pass::AtOnce)
            }
        };
        if passes {
            let how = self.options.epoch_length.next(state, thread).unwrap_or(Pass::AtOnce);
            self.pass_marker(state, observer, thread, how);
            return Ok(());
        }
        state.thread_mut(thread).status = ThreadStatus::AtMarker;
        self.stops_at_marker(state, observer)
    }

    /// No thread is enabled: those that have done too little pass the markers that they are at; whether there is one.
    pub(super) fn pass_late<O: Observer>(&mut self, state: &mut State<D>, observer: &mut O) -> bool {
        let waiting: Vec<ThreadId> =
            state.live_threads().filter(|t| t.status == ThreadStatus::AtMarker).map(|t| t.id).collect();
        let late: Vec<ThreadId> = match self.options.epoch_length {
            EpochLength::Instructions { balance: None, .. } => Vec::new(),
            EpochLength::Instructions { balance: Some(balance), .. } => {
                let most = state.threads.iter().map(|t| t.instructions).max().unwrap_or(0);
                let goal = *state.balanced_at.get_or_insert(most);
                let is_behind = |id: &ThreadId| state.thread(*id).instructions.saturating_add(balance) < goal;
                waiting.into_iter().filter(is_behind).collect()
            }
            EpochLength::Given { .. } => {
                let is_next = |id: &ThreadId| self.options.epoch_length.next(state, *id) == Some(Pass::Late);
                waiting.into_iter().filter(is_next).collect()
            }
        };
        let mut any = false;
        for thread in late {
            let (frame, _) = self.marked(state, thread);
            // A thread that has returned to where others are folded is at no marker of the program, and stays.
            let function = &self.code.functions[frame.func];
            if matches!(function.instrs.get(frame.pc as usize), Some(Instr::Marker)) {
                state.thread_mut(thread).status = ThreadStatus::Enabled;
                self.pass_marker(state, observer, thread, Pass::Late);
                any = true;
            }
        }
        any
    }

    /// Where a thread at a marker is.
    fn marked(&self, state: &State<D>, thread: ThreadId) -> (Frame, ProgramPoint) {
        let frame = state.thread(thread).top().expect("a thread at a marker is somewhere").clone();
        let at = self.code.point(frame.func, frame.pc);
        (frame, at)
    }

    fn pass_marker<O: Observer>(&mut self, state: &mut State<D>, observer: &mut O, thread: ThreadId, how: Pass) {
        let (frame, at) = self.marked(state, thread);
        if O::ENABLED {
            observer.pass_marker(frame.id, at.inst);
        }
        if state.record_events {
            let stack = state.stack(&self.code, thread);
            let object = (EventObject::of_thread(thread), Some(String::new()));
            self.record(state, thread, (how.operation(), stack), object, EventMode::Exclusive);
        }
        state.markers_passed += 1;
        let passing = state.thread_mut(thread);
        passing.markers_passed += 1;
        passing.frames.last_mut().expect("it is somewhere").pc += 1;
    }
}
