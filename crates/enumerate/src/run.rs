//! How a request is worked on, and what comes of it.

use icsched_schedule::{Enumeration, KeptSearch};

use crate::progress::{Journal, Progress};

/// How to enumerate: nothing of this changes the result.
pub struct Run<'a> {
    /// Most threads that search at the same time, at least 1.
    pub jobs: usize,
    /// Searches that an earlier run with the same request has [kept](Journal::keep).
    pub kept: Vec<KeptSearch>,
    /// Keeps those of this one.
    pub journal: &'a mut dyn Journal,
    /// Is told how far it is.
    pub progress: &'a mut dyn Progress,
}

/// What was enumerated.
#[derive(Debug)]
pub struct Outcome {
    /// The result.
    pub result: Enumeration,
    /// Whether the user or a limit of the whole run (time, memory) ended the search: then another run may find more.
    pub is_cut: bool,
}
