//! Searching models by evaluation: assignments are tried, and changed where conditions do not hold.
//!
//! `repair` changes a few symbols of a model, `local_search` walks from model to model, `guess` tries many assignments.
//! Each only ever finds models: that none was found says nothing.

pub(crate) mod dense_evaluation;
pub(crate) mod guess;
pub(crate) mod invert;
pub(crate) mod local_search;
pub(crate) mod random;
pub(crate) mod repair;
pub(crate) mod undo;
