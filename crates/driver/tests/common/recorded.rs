//! Concrete states, and what they hold.

use icsched_dataflow::Symbol;
use icsched_ir::{CallStack, EntityId as _};
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::memory::{AddressClass, ObjectId, classify};
use icsched_machine::{Frame, MemoryByte, State, Thread, ThreadId};

use crate::common::returned::Returned;

pub(crate) type Concrete = State<ConcreteDomain>;

/// A thread of a recorded state, as a thread of the context.
#[derive(Copy, Clone, Debug)]
pub(crate) struct View {
    pub(crate) thread: ThreadId,
    /// The frame that is the oldest of the context.
    pub(crate) oldest: usize,
}

/// A state of a run, with the threads of the context in its order.
#[derive(Clone)]
pub(crate) struct Recorded {
    pub(crate) state: Concrete,
    pub(crate) views: Vec<View>,
    /// The whole stacks of its threads.
    pub(crate) stacks: Vec<CallStack>,
    /// What was in registers of activations that have returned.
    pub(crate) returned: Returned,
}

impl Recorded {
    pub(crate) fn thread(&self, index: usize) -> &Thread<ConcreteDomain> {
        self.state.thread(self.views[index].thread)
    }

    pub(crate) fn frame(&self, index: usize, depth: usize) -> Option<&Frame> {
        self.thread(index).frames.get(self.views[index].oldest + depth)
    }

    /// Where a register is kept.
    pub(crate) fn slot(&self, index: usize, symbol: Symbol) -> Option<usize> {
        Some(self.frame(index, symbol.frame as usize)?.base as usize + symbol.value.index())
    }
}

/// The object that an address is in or right behind, if it is alive, and the offset.
pub(crate) fn object_at(state: &Concrete, address: u64) -> Option<(ObjectId, u64)> {
    let AddressClass::Object(id, offset) = classify(address) else { return None };
    let object = state.heap.object(id).filter(|o| o.is_alive())?;
    let offset = u64::try_from(offset).ok().filter(|&at| at <= object.size)?;
    Some((id, offset))
}

/// What memory holds; `None` where nothing is.
pub(crate) fn word(state: &Concrete, at: u64, bytes: u64) -> Option<u64> {
    let (object, offset) = state.heap.check(at, bytes, false).ok()?;
    let found = state.heap.bytes(&mut ConcreteDomain, &(), object, offset, bytes);
    let byte = |b: &MemoryByte<_>| match b {
        MemoryByte::Constant(byte) => *byte,
        MemoryByte::Symbolic(never) => match *never {},
    };
    Some(found.iter().rev().fold(0, |word, b| word << 8 | u64::from(byte(b))))
}
