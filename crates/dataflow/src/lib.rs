//! What must hold when the threads of a program are at given points (Bergan 2.3.3, 2.4.2, 2.6.2).
//!
//! - [`Context`]: where the threads are.
//! - [`Icfg`]: how control gets there.
//! - [`Analysis`]: must-reach reaching definitions of registers and memory, [`Definitions`] for one thread of a context.
//! - [`termination`]: whether loops and recursions end.
//! - [`InitialState`]: all that is known of the states at a context, for all its threads together.
//!
//! Everything that is said must hold in every concrete state at the context, whatever other threads have done in between; what may be
//! otherwise is not said. `docs/dataflow.md` has the algorithm and its deviations.
//!
//! API boundary: facts are about registers of the context's frames and about memory; nothing in here knows symbolic execution.

mod abandoned;
mod agreement;
mod alignment;
mod analysis;
mod arrivals;
mod barriers;
mod choice;
mod context;
mod counter;
mod creation;
mod definitions;
mod distinct;
mod entry;
mod expr;
mod facts;
mod fold;
mod function;
mod generations;
mod handed;
mod handover;
mod held;
mod icfg;
mod initial;
mod interference;
mod locks;
mod lockset;
mod matching;
mod participants;
mod place;
mod present;
mod same;
mod stacks;
mod state;
mod statics;
mod summary;
mod symbol;
pub mod termination;
mod transfer;
mod unroll;
mod waits;

pub use analysis::Analysis;
pub use context::{Context, ContextError, Status, ThreadContext};
pub use definitions::{Definitions, PlaceDefinition};
pub use expr::{Expr, ExprId, ExprPool};
pub use icfg::{Edge, EdgeKind, Icfg};
pub use place::{Base, Place};
pub use stacks::{StackError, parse_stack};
pub use state::{BarrierCount, Count, HeldLock, InitialState, Options, Range, Relation, RelationKind, ThreadFacts};
pub use statics::{KnownBytes, Statics};
pub use symbol::{CallPath, FrameIndex, PathId, Symbol};
pub use waits::WaitError;
