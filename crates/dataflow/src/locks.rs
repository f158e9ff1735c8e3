//! Which locks the threads of a context may hold (Bergan 2.5.1, 2.5.4).
//!
//! Each module uses those above it in this list alone:
//!
//! - [`lattice`]: what code does to all locks of a thread.
//! - [`solver`]: the fixpoint over one function.
//! - [`summarise`]: summaries of functions, callees first.
//! - [`entry`]: what may be held when functions start.
//! - [`held`]: what the threads of a context may hold.
//! - [`abandoned`]: what threads that have ended may have left taken.

pub(crate) mod abandoned;
pub(crate) mod entry;
pub(crate) mod held;
pub(crate) mod lattice;
pub(crate) mod solver;
pub(crate) mod summarise;
