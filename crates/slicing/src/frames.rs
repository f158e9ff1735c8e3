//! What the walk knows of activations, found by number: slices look it up several times for each event.

use std::ops::Index;

use icsched_ir::{BlockId, FuncId, Operand, ValueId};
use icsched_machine::thread::FrameId;
use icsched_symbolic::trace::Trace;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// A parameter of a block that was live, by its number, and what it was assigned.
#[derive(Copy, Clone, PartialEq, Debug)]
pub(crate) struct Assigned {
    pub(crate) block: BlockId,
    pub(crate) position: usize,
    pub(crate) arg: Operand,
    /// Whether that is a constant, or has been live ever since: what it is computed from is not undone.
    pub(crate) is_kept: bool,
}

/// What the walk knows of one frame. The walk has undone everything from `next` of `block` on.
pub(crate) struct FrameState {
    pub(crate) func: FuncId,
    pub(crate) block: BlockId,
    pub(crate) next: u32,
    pub(crate) live: FxHashSet<ValueId>,
    /// Block of the latest statement in the slice, in this frame or in what it called from there.
    pub(crate) head: Option<BlockId>,
    /// Live parameters of blocks that another way may assign.
    pub(crate) assignable: SmallVec<[Assigned; 2]>,
    /// Whether the branch just undone is in the slice: its decision comes next.
    pub(crate) branch_included: bool,
    /// Whether its other side only ends the process.
    pub(crate) avoids_exit: bool,
    /// Whether it matters how often the summarised loop goes round that is behind.
    pub(crate) counts_rounds: bool,
    /// The latest instruction of `block` that was included.
    pub(crate) included: Option<u32>,
}

/// States of activations. Their numbers are dense, but for traces that begin late and know the callers.
pub(crate) struct Frames {
    first: u64,
    near: Vec<Option<Box<FrameState>>>,
    far: FxHashMap<FrameId, Box<FrameState>>,
}

impl Frames {
    /// None yet. O(activations of the trace).
    pub(crate) fn of(trace: &Trace) -> Self {
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

    pub(crate) fn get_mut(&mut self, frame: FrameId) -> Option<&mut FrameState> {
        match self.place(frame) {
            Some(place) => self.near[place].as_deref_mut(),
            None => self.far.get_mut(&frame).map(|state| &mut **state),
        }
    }

    pub(crate) fn meet(&mut self, frame: FrameId, state: impl FnOnce() -> FrameState) {
        match self.place(frame) {
            Some(place) => drop(self.near[place].get_or_insert_with(|| Box::new(state()))),
            None => drop(self.far.entry(frame).or_insert_with(|| Box::new(state()))),
        }
    }

    pub(crate) fn remove(&mut self, frame: FrameId) -> Option<Box<FrameState>> {
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
