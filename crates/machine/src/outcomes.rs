//! What library calls return, for the nodes that they made: the *outcome* of a node.
//!
//! For example, `pthread_barrier_wait` returns another number in one of the threads. Whoever holds a program to a
//! schedule has to return the same.

use icsched_ir::Type;
use smallvec::smallvec;

use crate::ids::FrameId;
use crate::thread::{CallOutcome, OpenCall, Thread};
use crate::values::Values;

impl<D: Values> Thread<D> {
    /// The next node is one of a library call with this activation.
    pub(crate) fn opens(&mut self, frame: FrameId) {
        let node = self.nodes + 1;
        match self.open_calls.last_mut().filter(|open| open.frame == frame) {
            Some(open) => open.nodes.push(node),
            None => self.open_calls.push(OpenCall { frame, nodes: smallvec![node] }),
        }
    }

    /// Whether an activation is a library call that has made nodes.
    #[inline]
    pub(crate) fn has_open(&self, frame: FrameId) -> bool {
        self.open_calls.last().is_some_and(|open| open.frame == frame)
    }

    /// The innermost library call that has made nodes returns these values.
    pub(crate) fn closes(&mut self, values: &[(D::Value, Type)]) {
        let Some(open) = self.open_calls.pop() else { return };
        let [(value, Type::Int(bits))] = values else { return };
        let unused = 64 - u32::from(*bits).min(64);
        let value = D::as_constant(value).map(|number| (number << unused).cast_signed() >> unused);
        open.nodes.into_iter().for_each(|node| self.outcomes.push(CallOutcome { node, value }));
    }

    /// Activations are gone without that they returned.
    pub(crate) fn forget_open(&mut self) {
        let frames = &self.frames;
        self.open_calls.retain(|open| frames.iter().any(|frame| frame.id == open.frame));
    }
}
