//! Shapes of code that [idioms](crate::idioms) are made of: `for (i = 0; i < n; i++)`, code that is executed once.
//!
//! Each module uses those above it in this list alone:
//!
//! - [`late`]: what may be executed behind a point, and once there are threads.
//! - [`once`]: code that is executed once.
//! - [`injective`]: values that differ by iteration.
//! - [`counted`]: loops that count.
//! - [`generations`]: threads that are created in a loop and joined in a loop.
//! - [`cell`]: variables that are the same for all threads.
//! - [`handover`]: what threads are handed in structures.

pub(crate) mod cell;
pub(crate) mod counted;
pub(crate) mod generations;
pub(crate) mod handover;
pub(crate) mod injective;
pub(crate) mod late;
pub(crate) mod once;
