//! The domain of inputs that are not known, for the interpreter: symbolic execution of one path (Bergan 2.3 to 2.6).
//!
//! - [`symbolic`]: the domain as the interpreter sees it. Below it are `values` as terms, `memory` that nobody knows,
//!   `pointers`, and `summaries`: what replaced loops leave.
//! - [`initial`]: states in the middle of the program.
//! - [`path`]: what a path assumes; [`inputs`] names inputs, [`print`] writes what is assumed of them as C.
//! - [`request`]: stopping a run, and its solvers, from outside.
//!
//! API boundary: nothing in here chooses a path, and nothing knows what an epoch is.

mod bounds;
mod budgets;
mod domain;
pub mod initial;
pub mod inputs;
mod memory;
pub mod path;
pub mod places;
mod pointers;
pub mod print;
pub mod request;
mod summaries;
pub mod symbolic;
mod values;

/// Traces of symbolic paths.
pub mod trace {
    use icsched_smt::Term;

    pub use icsched_machine::trace::{
        BranchSide, EventMode, EventObject, FrameInfo, Moved, OtherSide, Region, Regions, Repeatable, SyncEvent, Uses,
    };

    use crate::symbolic::SymValue;

    /// A symbolic decision.
    pub type Decision = icsched_machine::trace::Decision<Term>;
    /// One recorded event.
    pub type TraceEvent = icsched_machine::trace::TraceEvent<Term>;
    /// An addition or subtraction that is said not to overflow.
    pub type Sum = icsched_machine::trace::Sum<SymValue>;
    /// The recorded trace of a path.
    pub type Trace = icsched_machine::trace::Trace<SymValue, Term>;
}
