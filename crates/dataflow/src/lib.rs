//! What must hold when the threads of a program are at given points (Bergan 2.3.3, 2.4.2, 2.6.2).
//!
//! - [`Context`]: where the threads are.
//! - [`Analysis`]: asks. It owns the analyses below and puts their answers together; none of them knows it.
//! - [`Definitions`]: must-reach reaching definitions of registers and memory, for one thread of a context
//!   (`reaching`).
//! - [`InitialState`]: all that is known of the states at a context, for all its threads together. Beside definitions
//!   these are locks that are held (`locks`), what barriers expect (`barriers`), and what threads have in common
//!   (`idioms`, made of `patterns`).
//! - [`Icfg`], `structure`, `expr`, `place`, `view`: the shared basics. They use none of the analyses.
//! - [`termination`]: whether loops and recursions end.
//! - `budgets`: all limits.
//!
//! Everything that is said must hold in every concrete state at the context, whatever other threads have done in
//! between; what may be otherwise is not said. `docs/internals/dataflow.md` has the algorithm and its deviations.
//!
//! API boundary: facts are about registers of the context's frames and about memory; nothing in here knows symbolic
//! execution.

mod analysis;
mod barriers;
mod budgets;
mod code;
mod context;
mod creations;
mod expr;
mod fold;
mod icfg;
mod idioms;
mod interference;
mod lock_effect;
mod locks;
mod patterns;
mod place;
mod reaching;
mod stacks;
mod state;
mod statics;
mod structure;
mod symbol;
pub mod termination;
mod view;
mod waits;

pub use analysis::Analysis;
pub use context::{Context, ContextError, Status, ThreadContext};
pub use expr::{Expr, ExprId, ExprPool};
pub use icfg::{Edge, EdgeKind, Icfg};
pub use place::{Base, Place};
pub use reaching::definitions::{Definitions, PlaceDefinition};
pub use stacks::{StackError, parse_stack};
pub use state::{BarrierCount, Count, HeldLock, InitialState, Options, Range, Relation, RelationKind, ThreadFacts};
pub use statics::{KnownBytes, Statics};
pub use symbol::{CallPath, FrameIndex, PathId, Symbol};
pub use waits::WaitError;
