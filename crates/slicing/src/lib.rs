//! Precondition slices: which decisions of one path affect what it synchronises (Bergan 3.3.2, figure 3.3).
//!
//! `if (verbose) puts("start"); if (n > 3) lock(&m);` decides twice between inputs. Only the second decision is in the
//! slice: the first one changes nothing that is synchronised.
//!
//! From the bottom up:
//!
//! - Static facts, computed once per program: [`provenance`], [`control`] (with [`function_control`] and
//!   [`stuck_loops`]), [`modref`], [`region`], [`aliases`]; together they are [`Statics`].
//! - Facts of one path: [`objects`], its decisions, executions of loops that a walk passes over ([`Prepared`]).
//! - The walk itself, from the end of the trace to its beginning: what is live where it stands, which branches matter.
//! - [`Sliceable`]: what others ask.
//!
//! API boundary: [`Sliceable::slice`] and [`Sliceable::depends`] take one trace with what is known of its program. A
//! slice depends on nothing else, but for a [`TimeLimit`] that makes it longer, never wrong.
//!
//! Architecture invariant: nothing in this crate knows what an epoch, a search or a request is.

mod abnormal_end;
mod alias_queries;
pub mod aliases;
pub mod branch_sides;
mod budgets;
pub mod control;
mod corrections;
mod criterion;
mod decisions;
mod definitions;
mod dependence;
mod ends_of_process;
mod frames;
pub mod function_control;
mod input_names;
mod live_memory;
mod loop_runs;
pub mod modref;
pub mod mutex_kinds;
pub mod objects;
mod prepared;
pub mod provenance;
pub mod recursions;
pub mod region;
mod reloads;
mod skipping;
mod slice;
mod sliceable;
mod slicer;
mod statics;
pub mod stuck_loops;
mod walk;

pub use crate::abnormal_end::{AbnormalEnd, EndKind};
pub use crate::criterion::Criterion;
pub use crate::decisions::{alone_at_events, call_path, every_decision};
pub use crate::ends_of_process::QuietEnds;
pub use crate::prepared::Prepared;
pub use crate::slice::{Slice, SliceDecision};
pub use crate::sliceable::{Caches, Sliceable};
pub use crate::statics::{Statics, TimeLimit};
