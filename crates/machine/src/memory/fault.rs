//! What is wrong with an access.

use crate::stop::{ErrorKind, Stop};
use crate::values::Values;

/// An access that the program must not make.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryFault {
    /// What is wrong.
    pub kind: ErrorKind,
    /// One sentence.
    pub message: String,
}

impl<D: Values> From<MemoryFault> for Stop<D> {
    fn from(fault: MemoryFault) -> Self {
        Stop::Fault { kind: fault.kind, message: fault.message }
    }
}
