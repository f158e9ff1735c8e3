//! The solver stack in front of a back end: a cache, and the pipeline that runs tactics on what the cache does not
//! know.
//!
//! `tactic` has the trait and the pipeline, `caching_solver` the public solver; the other files are what they work
//! with.

pub(crate) mod cache;
pub(crate) mod caching_solver;
pub(crate) mod implied_values;
pub(crate) mod independence;
pub(crate) mod patience;
pub(crate) mod propagate;
pub(crate) mod query;
pub(crate) mod recent_models;
pub(crate) mod scratch;
pub(crate) mod tactic;
