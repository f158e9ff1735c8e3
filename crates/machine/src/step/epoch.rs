//! Epoch markers: threads stop there, or pass them (Bergan 3.5).
//!
//! A marker that is passed is a node of the schedule. So who follows the schedule passes the same markers, however many
//! instructions that takes with other inputs.

use icsched_ir::ProgramPoint;

use super::Machine;
use super::epoch_length::{EpochLength, Pass};
use crate::code::Instr;
use crate::domain::Domain;
use crate::observe::Observer;
use crate::state::State;
use crate::stop::Stop;
use crate::thread::{Frame, ThreadId, ThreadStatus};
use crate::trace::{EventMode, EventObject};

impl<D: Domain> Machine<D> {
    /// The current thread is at an epoch marker: it passes it or stays there, at least until no thread can go on.
    pub(super) fn marker<O: Observer<D>>(&mut self, state: &mut State<D>, observer: &mut O) -> Result<(), Stop<D>> {
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
    pub(super) fn pass_late<O: Observer<D>>(&mut self, state: &mut State<D>, observer: &mut O) -> bool {
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

    fn pass_marker<O: Observer<D>>(&mut self, state: &mut State<D>, observer: &mut O, thread: ThreadId, how: Pass) {
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
