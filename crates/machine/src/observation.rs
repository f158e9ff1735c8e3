//! Inputs that become known while a path is executed (design decision D7; Bergan 3.2.1): where on the path each does.

use std::rc::Rc;

use icsched_ir::CallStack;

use crate::abstraction::Passage;
use crate::memory::ObjectId;
use crate::thread::{FrameId, ThreadId};
use crate::values::{MemoryByte, Values};

/// What becomes known.
pub enum Observed<D: Values> {
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
pub struct Observation<D: Values> {
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

impl<D: Values> Clone for Observed<D> {
    fn clone(&self) -> Self {
        match self {
            Self::Value(value) => Self::Value(value.clone()),
            Self::Bytes(bytes) => Self::Bytes(Rc::clone(bytes)),
            Self::Object(object) => Self::Object(*object),
            Self::Loop(passage) => Self::Loop(*passage),
        }
    }
}

impl<D: Values> Clone for Observation<D> {
    fn clone(&self) -> Self {
        Self { what: self.what.clone(), stack: self.stack.clone(), ..*self }
    }
}
