//! What a watched run came to.

use icsched_machine::PathEnd;

/// What a watched run came to.
#[derive(Debug)]
pub struct Report {
    /// What the analysis had missed, one per place and kind, in order of the code.
    pub misses: Vec<Miss>,
    /// How much was compared.
    pub count: Count,
    /// How the run ended; `None` if its time was up.
    pub end: Option<PathEnd>,
    /// Instructions executed.
    pub instructions: u64,
}

/// Something that happened and that the analysis excludes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Miss {
    /// Where, what, and what the analysis says instead.
    pub text: String,
    /// How often it happened.
    pub times: u64,
}

/// How much was compared.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct Count {
    /// Accesses to memory.
    pub accesses: u64,
    /// Accesses that could not be compared, since a call on the way to them had been missed.
    pub skipped: u64,
    /// Calls and thread creations.
    pub calls: u64,
    /// Pairs of an instance and an instruction in it that accessed memory.
    pub places: usize,
}
