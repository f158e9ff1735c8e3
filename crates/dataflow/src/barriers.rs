//! What is known of the barriers of a program (Bergan 2.5.3, 2.5.4).
//!
//! Each module uses those above it in this list alone:
//!
//! - [`counts`]: how many threads barriers may have been told to expect.
//! - [`arrivals`]: how often code arrives at barriers.
//! - [`only_barrier`]: whether all waits are at one barrier.
//! - [`participants`]: whether no more threads wait than are expected.
//! - [`answers`]: all of it together.

pub(crate) mod answers;
pub(crate) mod arrivals;
pub(crate) mod counts;
pub(crate) mod only_barrier;
pub(crate) mod participants;
