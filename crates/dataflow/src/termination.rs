//! Whether loops and recursions end.
//!
//! Code that does not synchronise is replaced by what it may do, or left out of a schedule, as if it ended: whether
//! that is so is asked here. A loop *ends* if no run of it goes round for ever, provided that each round ends; a
//! recursion if no chain of calls is endless. Runs that do what C leaves undefined, an access outside of an object or a
//! signed sum that overflows, count as ended there.
//!
//! Each module uses those above it in this list alone:
//!
//! - [`verdict`]: the answer.
//! - [`flow`], [`scope`]: control structure of a function, and the part of it that is repeated.
//! - [`code`], [`effects`]: the program, and what its code may do besides computing.
//! - [`counting`]: a test whose numbers are known.
//! - [`value`], [`round`], [`memory`]: one round as terms, in words that wrap around as they do.
//! - [`evaluator`], [`operation`], [`access`], [`evaluate`]: makes these terms.
//! - [`links`], [`fresh`], [`preserve`], [`rings`]: whether links between objects form no ring.
//! - [`measure`], [`start`], [`proof`]: what gets smaller, and that it does, by a solver.
//! - [`ranking`]: ranking arguments over two rounds, one right behind the other (Cook, Podelski, Rybalchenko,
//!   "Proving program termination", 2011, gives an overview).
//! - [`answers`]: the questions that one can ask.
//! - [`rests`]: what inner loops and calls add to that.
//!
//! Deviations: measures are those that the loop's own comparisons suggest, and no others are synthesised; of what held
//! before a loop nothing is used but what does not change in it.

mod access;
mod answers;
mod code;
mod counting;
mod effects;
mod evaluate;
mod evaluator;
mod flow;
mod fresh;
mod links;
mod measure;
mod memory;
mod operation;
mod preserve;
mod proof;
mod ranking;
mod rests;
mod rings;
mod round;
mod scope;
mod start;
mod value;
mod verdict;

pub use answers::Termination;
pub use rests::{Rests, Unproved};
pub use verdict::{Reason, Verdict};
