//! Reads that are deferred until a decision depends on their values ([`deferred`](super::deferred)).

use icsched_smt::Term;
use rustc_hash::FxHashMap;

use super::contents::{Unknown, Version, Versions};

/// What is deferred.
#[derive(Default)]
pub(crate) struct Deferred {
    pub(crate) versions: Versions,
    pub(crate) symbols: FxHashMap<(Version, Term, u32), Term>,
    pub(crate) reads: FxHashMap<Term, Read>,
    /// The values of those that were asked for, without deferred symbols.
    pub(crate) values: FxHashMap<Term, Term>,
}

/// A read that was deferred.
#[derive(Clone)]
pub(crate) struct Read {
    pub(crate) of: Unknown,
    pub(crate) offset: Term,
    pub(crate) bytes: u32,
}
