//! The interpreter: one step function, generic over a value domain (design decision D1; Bergan 2.3 to 2.6).
//!
//! - [`code`]: the program in a pre-decoded register form.
//! - [`memory`], [`thread`], [`state`]: what a step changes; cheap to clone, because paths fork.
//! - [`machine`]: executes instructions until a decision is needed or the path ends.
//! - [`domain`]: what the machine needs of values; [`concrete`] is the domain of plain runs.
//! - [`scheduler`], [`host`], [`observe`]: what is plugged in.
//! - [`symbolic`], [`path`]: the domain of inputs that are not known; [`inputs`] names them, [`print`] writes what is
//!   assumed of them as C.
//! - [`reach`]: runs from the program's entry to a context; [`follow`]: what runs from there do of what was explored.
//! - [`explore`]: runs paths of the symbolic domain and decides what the machine can't; [`trace`] is what they leave, and [`sums`]
//!   says what numbers at their ends were computed from.
//!
//! API boundary: the machine never chooses a path, [`explore`] leaves real choices to its caller, and nothing in here knows
//! what an epoch is.

pub mod abstraction;
pub mod arith;
mod bounds;
pub mod code;
pub mod concrete;
mod definedness;
pub mod domain;
pub mod exec;
pub mod explore;
pub mod folding;
pub mod follow;
pub mod host;
pub mod initial;
pub mod inputs;
mod libm;
pub mod log;
pub mod machine;
pub mod memory;
pub mod names;
pub mod observation;
pub mod observe;
pub mod path;
mod places;
pub mod print;
pub mod reach;
mod record;
pub mod request;
pub mod scheduler;
mod shadow;
pub mod shape;
mod snapshot;
pub mod state;
pub mod stop;
pub mod sums;
pub mod symbolic;
pub mod thread;
mod told;
pub mod trace;

pub use domain::{Domain, Known, MemoryByte, Target, Targets};
pub use exec::{ExecLimits, ExecResult, exec};
pub use machine::{Extern, Machine, Options, Switching, SyncObjects};
pub use memory::{Details, Heap, Object, ObjectId, ObjectKind};
pub use state::State;
pub use stop::{
    BlockedThread, DecisionKind, DecisionSite, ErrorKind, Limit, MemoryErrors, PathEnd, ProgramError, Stop,
};
pub use thread::{Bottom, Frame, FrameId, Thread, ThreadId, ThreadStatus};
pub use told::Told;
