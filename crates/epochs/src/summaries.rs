//! What loops and recursions may do that are summarised (input abstraction, Bergan 3.4.2).
//!
//! - [`effects`]: what one of them may write, as a whole.
//! - `cursors`, `growing_counters`, `guards`, `latch_tests`: what is known of its rounds.
//! - `inputs`: what it depends on, if it writes nothing.

mod cursors;
pub(crate) mod effects;
mod growing_counters;
mod guards;
mod inputs;
mod latch_tests;

/// Width of addresses.
const ADDRESS: u32 = 64;
