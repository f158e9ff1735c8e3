//! What the search of one epoch does, and what it leaves out.

use icsched_slicing::QuietEnds;

/// Limits of a search.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// How often the condition of one loop may be decided by inputs on one path.
    pub loop_bound: u32,
    /// Most paths to execute.
    pub max_paths: usize,
    /// Reduce preconditions by slicing.
    pub slicing: bool,
    /// Drop schedules that are prefixes of others and end with the process in one of these ways.
    pub quiet_ends: QuietEnds,
    /// Execute each side of branches that decide no synchronisation once, for what goes wrong there.
    pub looks_beside: bool,
    /// Decide where an input becomes known what it decides (3.2.1).
    pub trees: bool,
    /// How often the condition of a loop that does not synchronise may be decided by inputs on one path before the
    /// loop is summarised: replaced by what it may do (input abstraction, Bergan 3.4.2).
    pub abstract_after: u32,
    /// Whether loops are summarised at all.
    pub abstraction: bool,
    /// How many schedules an epoch may have before it is left open which objects synchronisation is on (Bergan
    /// 3.4.1.5).
    pub conservative_after: usize,
    /// Whether that is left open at all.
    pub conservative: bool,
    /// Whether threads with the same stack at the beginning of an epoch are told apart by nothing else (Bergan
    /// 3.4.1.3).
    pub symbolic_threads: bool,
    /// Whether it is looked for which numbers places hold together at the ends of paths.
    pub combines: bool,
    /// Most epochs to search.
    pub max_epochs: usize,
    /// Instructions that a thread executes at least in an epoch before a marker ends it (Bergan 3.5).
    pub epoch_instructions: u64,
    /// How many instructions less than another a thread may have executed in an epoch, if it is not to pass its
    /// marker (Bergan 3.5).
    pub epoch_balance: Option<u64>,
    /// How many innermost activations of a recursion the names of epochs tell apart, at least 1.
    pub fold_depth: usize,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self {
            loop_bound: 32,
            max_paths: 16_384,
            slicing: true,
            quiet_ends: QuietEnds::All,
            looks_beside: false,
            trees: true,
            symbolic_threads: true,
            combines: false,
            max_epochs: 4096,
            epoch_instructions: 0,
            epoch_balance: None,
            fold_depth: 1,
            abstract_after: 3,
            abstraction: true,
            conservative_after: 8,
            conservative: true,
        }
    }
}
