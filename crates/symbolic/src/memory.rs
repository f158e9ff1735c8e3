//! Memory that is read and written at addresses that are no constants, or whose contents nobody knows.
//!
//! - [`slots`] reads arrays as choices between slots; [`contents`] says what an object of an initial state holds.
//! - [`unknown`] and [`writes`] read and write these contents, and [`deferred`] puts reads off until they matter.

pub(crate) mod allocate;
pub(crate) mod apart;
pub(crate) mod array;
pub(crate) mod cells;
pub(crate) mod contents;
pub(crate) mod deferred;
pub(crate) mod deferred_reads;
pub(crate) mod known_bytes;
pub(crate) mod offsets;
pub(crate) mod recover;
pub(crate) mod slots;
pub(crate) mod unknown;
pub(crate) mod writes;
