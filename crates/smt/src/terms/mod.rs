//! Terms: made, simplified, evaluated, substituted, and written out.
//!
//! `pool` owns them; `simplify` has the constructors with their rules; `table` is what the pool is built on.

pub(crate) mod bits;
pub(crate) mod divisions;
pub(crate) mod eval;
mod float;
mod hardness;
mod interned;
pub(crate) mod model;
pub(crate) mod node;
pub(crate) mod pool;
mod range;
mod range_rules;
pub mod serial;
pub(crate) mod simplify;
pub mod smtlib;
pub(crate) mod substitute;
mod symbols;
mod table;
mod walk;
