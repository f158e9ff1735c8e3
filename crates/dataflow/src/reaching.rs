//! Must-reach reaching definitions of registers and memory (Bergan 2.6.2, figure 2.17).
//!
//! Each module uses those above it in this list alone:
//!
//! - [`facts`]: the lattice of what memory holds.
//! - [`definitions`]: the result, for one thread of a context.
//! - [`initial`]: what memory holds before the program starts.
//! - [`summary`]: what calls are known to do.
//! - [`solver`]: registers and facts of one function while it is solved.
//! - [`kill`], [`call`], [`transfer`]: the flow functions.
//! - [`unroll`], [`choice`]: loops with few iterations, and branches that decide what a merge gets.
//! - [`fixpoint`]: the fixpoint over one function.
//! - [`solved`]: what was found so far.
//! - [`summarise`]: summaries of functions, callees first.
//! - [`entry`]: what holds when functions start, callers first.
//! - [`walk`]: follows a thread of a context down its stack.

pub(crate) mod call;
pub(crate) mod choice;
pub(crate) mod definitions;
pub(crate) mod entry;
pub(crate) mod facts;
pub(crate) mod fixpoint;
pub(crate) mod initial;
pub(crate) mod kill;
pub(crate) mod solved;
pub(crate) mod solver;
pub(crate) mod summarise;
pub(crate) mod summary;
pub(crate) mod transfer;
pub(crate) mod unroll;
pub(crate) mod walk;
