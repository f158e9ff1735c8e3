//! Inputs that become known while a path is executed (design decision D7; Bergan 3.2.1): where on the path each does.

use std::rc::Rc;

use icsched_ir::{CallStack, Origin};

use crate::abstraction::Passage;
use crate::domain::{Domain, MemoryByte};
use crate::machine::Machine;
use crate::memory::ObjectId;
use crate::state::State;
use crate::thread::{FrameId, ThreadId};

/// What becomes known.
pub enum Observed<D: Domain> {
    /// A number from outside.
    Value(D::Value),
    /// Bytes from outside.
    Bytes(Rc<[MemoryByte<D::Byte>]>),
    /// All that an object of unknown size holds.
    Object(ObjectId),
    /// All that a replaced loop leaves behind.
    Loop(Passage),
}

/// An input that became known on a path.
pub struct Observation<D: Domain> {
    /// What.
    pub what: Observed<D>,
    /// Where: the innermost point last.
    pub stack: CallStack,
    /// The thread that knows it first.
    pub thread: ThreadId,
    /// Synchronisation events of the path before.
    pub events: usize,
    /// The activation of the library function that the program has called for it; `None` if it called none.
    pub call: Option<FrameId>,
}

impl<D: Domain> Clone for Observed<D> {
    fn clone(&self) -> Self {
        match self {
            Self::Value(value) => Self::Value(value.clone()),
            Self::Bytes(bytes) => Self::Bytes(Rc::clone(bytes)),
            Self::Object(object) => Self::Object(*object),
            Self::Loop(passage) => Self::Loop(*passage),
        }
    }
}

impl<D: Domain> Clone for Observation<D> {
    fn clone(&self) -> Self {
        Self { what: self.what.clone(), stack: self.stack.clone(), ..*self }
    }
}

impl<D: Domain> Machine<D> {
    /// Notes an input that becomes known here. O(depth of the stack); without effect in the concrete domain.
    pub(crate) fn observe(&self, state: &mut State<D>, what: Observed<D>) {
        if D::SYMBOLIC {
            let observation = self.observation(state, what);
            state.observations.push(observation);
        }
    }

    /// What becomes known by the instruction that the current thread is at.
    pub(crate) fn observation(&self, state: &State<D>, what: Observed<D>) -> Observation<D> {
        let thread = state.current;
        let frames = &state.thread(thread).frames;
        let is_own = |f: &crate::thread::Frame| self.program.functions[f.func].origin == Origin::Program;
        let behind = frames.iter().rposition(is_own).map_or(0, |own| own + 1);
        let call = frames.get(behind).map(|f| f.id);
        let stack = state.stack(&self.code, thread);
        Observation { what, stack, thread, events: state.events.len(), call }
    }
}
