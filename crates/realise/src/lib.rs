//! From a chain of schedules to an input and an order of threads that follow it (`docs/internals/realise.md`).
//!
//! A deadlock in the third epoch is a statement about states nobody has seen. To *realise* it is to find a run from
//! `main` that shows it.
//!
//! - [`Chains`]: which schedules lead from the program's entry to one, the shortest first.
//! - [`Held`], [`Ordered`]: schedulers that hold threads to a happens-before graph, or to an order of synchronisations.
//! - [`Runner`]: runs in the concrete domain.
//! - `twin`: the path of a run in the symbolic domain, with all that inputs decided on it.
//! - [`Realiser`]: looks for inputs, generation by generation (Godefroid, Levin, Molnar 2008).
//!
//! API boundary: nothing here knows what a finding is. What is looked for is the [end](Goal) of a run.
//!
//! Invariant: what is called [realised](Realised::Shown) was shown by a run of the program as it is, in the order that
//! is told.

mod budgets;
mod chain;
mod goal;
mod inputs;
mod realiser;
mod runner;
mod schedulers;
mod twin;

pub use crate::chain::{Chain, Chains, Link};
pub use crate::goal::Goal;
pub use crate::inputs::{given, input_of, test_input_of};
pub use crate::realiser::{Counts, Realised, Realiser, Shown};
pub use crate::runner::{Ended, Runner, order_of};
pub use crate::schedulers::{Held, Ordered};
