//! What is asked for: a program with its inputs, limits, and techniques that are off.

use std::collections::BTreeMap;
use std::sync::Arc;

use icsched_ir::Program;
use icsched_machine::{Extern, MemoryErrors};
use icsched_schedule::Assumption;
use icsched_slicing::QuietEnds;
use icsched_symbolic::inputs::InputSpec;

use crate::limits::RunLimits;
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
    pub fn is_off(&self, technique: Technique) -> bool {
        self.without.contains(&technique)
    }

    /// Which ends of the process need no schedule of their own.
    pub fn quiet_ends(&self) -> QuietEnds {
        match (self.is_off(Technique::PrefixSchedules), self.is_off(Technique::PrefixFailures)) {
            (true, _) => QuietEnds::None,
            (false, true) => QuietEnds::Exits,
            (false, false) => QuietEnds::All,
        }
    }

    /// What is taken for granted of memory errors, if there are some.
    pub fn assumed_of_errors(&self) -> Assumption {
        match self.memory_errors {
            MemoryErrors::Stop => Assumption::NoMemoryErrors,
            MemoryErrors::Continue => Assumption::ContainedErrors,
        }
    }
}
