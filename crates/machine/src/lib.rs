//! The interpreter: one step function, generic over a value domain (design decision D1; Bergan 2.3 to 2.6).
//!
//! - [`code`]: the program in a pre-decoded register form.
//! - [`memory`], [`thread`], [`state`]: what a step changes; cheap to clone, because paths fork.
//! - [`step`]: executes instructions until a decision is needed or the path ends.
//! - [`values`], [`domain`]: what memory and the machine need of values; [`concrete`] is the domain of plain runs.
//! - [`scheduler`], [`host`], [`observe`]: what is plugged in.
//! - [`trace`]: what a path leaves.
//!
//! API boundary: the machine never chooses a path, and knows neither symbols nor epochs.

pub mod abstraction;
pub mod arith;
mod budgets;
pub mod code;
pub mod concrete;
mod definedness;
pub mod domain;
pub mod exec;
pub mod folding;
pub mod host;
mod ids;
mod libm;
pub mod log;
pub mod memory;
pub mod names;
pub mod observation;
pub mod observe;
mod outcomes;
mod record;
pub mod scheduler;
mod seen;
mod shadow;
mod spin_watch;
pub mod state;
pub mod state_place;
pub mod step;
pub mod stop;
pub mod thread;
mod thread_order;
pub mod thread_table;
pub mod trace;
pub mod values;

pub use domain::{Domain, Known, Target, Targets};
pub use exec::{ExecLimits, ExecResult, exec};
pub use memory::{Details, Heap, Object, ObjectId, ObjectKind};
pub use state::State;
pub use step::{Answers, Extern, GivenInputs, Machine, Options, Switching, SyncObjects};
pub use stop::{
    BlockedThread, DecisionKind, DecisionSite, ErrorKind, Limit, MemoryErrors, PathEnd, ProgramError, Stop, StopSignal,
    failed_assertion,
};
pub use thread::{Bottom, CallOutcome, Frame, FrameId, Thread, ThreadId, ThreadStatus};
pub use values::{MemoryByte, Values};
