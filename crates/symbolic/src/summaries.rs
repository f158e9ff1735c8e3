//! What replaced loops and recursions leave behind, and whether one begins as an earlier one did.

pub(crate) mod beginning;
pub(crate) mod forget;
pub(crate) mod forgotten;
pub(crate) mod reached;
pub(crate) mod repeats;
