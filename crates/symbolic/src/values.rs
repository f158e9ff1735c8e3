//! Values as terms: what operations on them give, what numbers they can be, and what the solver says of them.

pub(crate) mod float;
pub(crate) mod integer;
pub(crate) mod ops;
pub(crate) mod solve;
pub(crate) mod strings;
pub(crate) mod truth;
pub(crate) mod value;
