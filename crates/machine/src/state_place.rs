//! Places whose contents one can ask about in one state.

use icsched_ir::ValueId;

use crate::memory::ObjectId;
use crate::thread::FrameId;

/// A place in one state.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum StatePlace {
    /// Bytes of an object: start and length.
    Memory(ObjectId, u64, u64),
    /// A register of an activation.
    Register(FrameId, ValueId),
}
