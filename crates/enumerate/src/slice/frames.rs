//! What the walk knows of activations, found by number: slices look it up several times for each event.

use std::ops::Index;

use icsched_symex::thread::FrameId;
use icsched_symex::trace::Trace;
use rustc_hash::FxHashMap;

use super::FrameState;

/// States of activations. Their numbers are dense, but for traces that begin late and know the callers.
pub(super) struct Frames {
    first: u64,
    near: Vec<Option<Box<FrameState>>>,
    far: FxHashMap<FrameId, Box<FrameState>>,
}

impl Frames {
    /// None yet. O(activations of the trace).
    pub(super) fn of(trace: &Trace) -> Self {
        let numbers = || trace.frames.keys().map(|frame| frame.0);
        let first = numbers().min().unwrap_or(0);
        let count = numbers().max().map_or(0, |last| last - first + 1).min(4 * trace.frames.len() as u64 + 64);
        let mut near = Vec::new();
        near.resize_with(usize::try_from(count).expect("activations are in memory"), || None);
        Self { first, near, far: FxHashMap::default() }
    }

    fn place(&self, frame: FrameId) -> Option<usize> {
        let place = usize::try_from(frame.0.wrapping_sub(self.first)).ok()?;
        (place < self.near.len()).then_some(place)
    }

    pub(super) fn get_mut(&mut self, frame: FrameId) -> Option<&mut FrameState> {
        match self.place(frame) {
            Some(place) => self.near[place].as_deref_mut(),
            None => self.far.get_mut(&frame).map(|state| &mut **state),
        }
    }

    pub(super) fn meet(&mut self, frame: FrameId, state: impl FnOnce() -> FrameState) {
        match self.place(frame) {
            Some(place) => drop(self.near[place].get_or_insert_with(|| Box::new(state()))),
            None => drop(self.far.entry(frame).or_insert_with(|| Box::new(state()))),
        }
    }

    pub(super) fn remove(&mut self, frame: FrameId) -> Option<Box<FrameState>> {
        match self.place(frame) {
            Some(place) => self.near[place].take(),
            None => self.far.remove(&frame),
        }
    }
}

impl Index<FrameId> for Frames {
    type Output = FrameState;

    fn index(&self, frame: FrameId) -> &FrameState {
        let state = match self.place(frame) {
            Some(place) => self.near[place].as_ref(),
            None => self.far.get(&frame),
        };
        state.expect("frames are created when the walk first meets them")
    }
}
