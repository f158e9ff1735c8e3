//! Paths: forks, decides and follows them; one path or all (Bergan 2.3, 2.7, 3.3).
//!
//! - [`explore`]: runs paths of the symbolic domain and decides what the machine can't.
//! - [`reach`]: runs from the program's entry to a context.
//! - [`follow`]: what runs from a context do of what was explored.
//! - [`sums`]: says what numbers at the ends of paths were computed from.
//!
//! API boundary: [`explore`] leaves real choices to its caller, and nothing in here knows what an epoch is.

mod budgets;
pub mod explore;
pub mod follow;
pub mod reach;
mod snapshot;
pub mod sums;
mod told;

pub use snapshot::Snapshot;
pub use told::Told;
