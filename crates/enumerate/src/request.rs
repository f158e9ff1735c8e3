//! What is asked for: a program with its inputs, and how to work on it.

use std::collections::BTreeMap;
use std::sync::Arc;

use icsched_ir::Program;
use icsched_machine::{Extern, MemoryErrors};
use icsched_schedule::{Assumption, Enumeration, KeptSearch};
use icsched_symbolic::inputs::InputSpec;

use crate::limits::RunLimits;
use crate::progress::{Journal, Progress};
use crate::search_options::SearchOptions;
use crate::technique::Technique;

/// What to enumerate.
#[derive(Clone, Debug)]
pub struct Request {
    /// The program.
    pub program: Arc<Program>,
    /// Its inputs (D5).
    pub inputs: InputSpec,
    /// What undefined functions do.
    pub externs: BTreeMap<String, Extern>,
    /// Limits of the search.
    pub search: SearchOptions,
    /// Limits of the run.
    pub limits: RunLimits,
    /// Techniques that are off.
    pub without: Vec<Technique>,
    /// What happens behind memory errors.
    pub memory_errors: MemoryErrors,
}

impl Request {
    /// Whether a technique is off.
    pub(crate) fn is_off(&self, technique: Technique) -> bool {
        self.without.contains(&technique)
    }

    /// What is taken for granted of memory errors, if there are some.
    pub fn assumed_of_errors(&self) -> Assumption {
        match self.memory_errors {
            MemoryErrors::Stop => Assumption::NoMemoryErrors,
            MemoryErrors::Continue => Assumption::ContainedErrors,
        }
    }
}

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
