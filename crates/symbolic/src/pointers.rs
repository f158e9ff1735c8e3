//! Where addresses may point that are no constants, and the objects that pointers of an initial state are exposed to.

pub(crate) mod alternative;
pub(crate) mod pointer;
pub(crate) mod resolve;
