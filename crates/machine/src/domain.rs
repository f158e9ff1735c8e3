//! What the step function needs of a value domain (design decision D1; Near).
//!
//! The step function handles constants itself, at machine speed, and asks the domain only when an operand is not a
//! constant. In the concrete domain that never happens: [`Values::as_constant`] is always `Some`, the symbolic arms
//! are dead code, and the associated types for symbolic memory are uninhabited.
//!
//! Memory, threads and states need [`Values`] alone. Above them stand these traits, one for each kind of question:
//!
//! - [`Arithmetic`]: operations on values that are not constant.
//! - [`Decisions`]: what must be decided before a path goes on.
//! - [`Objects`]: what is known of objects and accesses.
//! - [`Inputs`]: values from outside.
//! - [`Summaries`]: loops and calls that are replaced by what they may do.
//! - [`Synchronisation`]: words of synchronisation objects and handles of threads.

mod arithmetic;
mod decisions;
mod inputs;
mod objects;
mod summaries;
mod synchronisation;

pub use arithmetic::Arithmetic;
pub use decisions::{Decisions, Target, Targets};
pub use inputs::{Inputs, Read};
pub use objects::{AllocationSite, Objects};
pub use summaries::{Forgot, Summaries};
pub use synchronisation::{Known, StrangeHandle, Synchronisation};

pub use crate::thread_table::ThreadTable;
pub use crate::values::{MemoryByte, Values};

/// A value domain: answers all questions of the step function.
pub trait Domain: Arithmetic + Decisions + Objects + Inputs + Summaries + Synchronisation {}

impl<D: Arithmetic + Decisions + Objects + Inputs + Summaries + Synchronisation> Domain for D {}
