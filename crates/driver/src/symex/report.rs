//! The result of `icsched symex`; its keys are stable (`icsched/symex/1`).

use std::path::Path;

use icsched_schedule::Reason;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::error::DriverError;

/// Name and version of the document.
pub(super) const SCHEMA: &str = "icsched/symex/1";

/// What is known before any path.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct Header {
    /// Name and version of the document.
    pub schema: &'static str,
    /// The program's file.
    pub program: String,
    /// What is taken for granted.
    pub assumptions: Vec<String>,
    /// The threads.
    pub contexts: Vec<ContextThread>,
    /// What is known before any path (facts and choices of none): constraints that all paths share.
    #[serde(serialize_with = "joined")]
    #[schemars(with = "String")]
    pub initial: Vec<String>,
}

impl Header {
    /// Of a program of which nothing is known.
    pub fn new(program: &Path) -> Self {
        let program = program.display().to_string();
        Self { schema: SCHEMA, program, assumptions: Vec::new(), contexts: Vec::new(), initial: Vec::new() }
    }
}

/// What is known when no more paths are looked for.
#[derive(Clone, PartialEq, Default, Debug, Serialize, JsonSchema)]
pub struct Summary {
    /// Whether every path within the context was found.
    pub complete: bool,
    /// Why not.
    pub reasons: Vec<Reason>,
    /// Counts.
    pub totals: Totals,
    /// What real runs do of the paths, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witness: Option<WitnessReport>,
    /// What it took.
    pub statistics: Statistics,
}

/// Takes what is found as soon as it is: nobody keeps the paths. Errors end the exploration.
pub trait Sink {
    /// What is known before any path. Once, first.
    ///
    /// # Errors
    /// If it cannot be written.
    fn begin(&mut self, header: &Header) -> Result<(), DriverError>;

    /// A path. They come in the order of their numbers.
    ///
    /// # Errors
    /// If it cannot be written.
    fn path(&mut self, path: &PathReport) -> Result<(), DriverError>;

    /// The rest. Once, last.
    ///
    /// # Errors
    /// If it cannot be written.
    fn end(&mut self, header: &Header, summary: &Summary) -> Result<(), DriverError>;

    /// Called now and then, with the paths that were found and those that were begun.
    fn progress(&mut self, paths: usize, waiting: usize) {
        let _ = (paths, waiting);
    }
}

/// A conjunction as one C condition.
fn joined<S: Serializer>(conjuncts: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&conjunction(conjuncts))
}

/// The conjunction of C conditions; `true` of none.
pub(super) fn conjunction(conjuncts: &[String]) -> String {
    if conjuncts.is_empty() { "true".to_owned() } else { conjuncts.join(" && ") }
}

/// Where a thread is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct ContextThread {
    /// Its number.
    pub thread: usize,
    /// Its calls, innermost first.
    pub stack: Vec<String>,
    /// Whether the outermost of them is the thread's first; else anybody may have called it.
    pub complete: bool,
    /// Whether it waits.
    pub waiting: bool,
}

/// How a path ends.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ends {
    /// The process ends, or all that is known of it: threads have returned from their oldest known frames.
    Finished,
    /// No thread can go on.
    Deadlock,
    /// Some threads go round for ever without synchronising, and no other thread can go on.
    Endless,
    /// Something that C does not allow.
    MemoryError,
    /// `abort`, or an assertion failed.
    Abort,
    /// A limit.
    Budget,
    /// Something that is not supported or has no model.
    Stuck,
}

impl Ends {
    /// As it is written in the document.
    pub const fn name(self) -> &'static str {
        match self {
            Ends::Finished => "finished",
            Ends::Deadlock => "deadlock",
            Ends::Endless => "endless",
            Ends::MemoryError => "memory-error",
            Ends::Abort => "abort",
            Ends::Budget => "budget",
            Ends::Stuck => "stuck",
        }
    }
}

/// One path.
#[derive(Clone, PartialEq, Debug, Serialize, JsonSchema)]
pub struct PathReport {
    /// Its number, from 1.
    pub path: usize,
    /// On what of the initial state it is taken, as conjuncts in C: what was decided on the way, and for an error, what
    /// makes it one.
    #[serde(serialize_with = "joined")]
    #[schemars(with = "String")]
    pub constraint: Vec<String>,
    /// What else it takes: that accesses are no errors, and what models assume. Only if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed: Option<Vec<String>>,
    /// How it ends.
    pub ends: Ends,
    /// What happened there, if there is something to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Where it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Conditional branches of the program itself that were executed, whatever they depend on.
    pub branches: u64,
    /// Instructions executed.
    pub instructions: u64,
    /// What was chosen and what synchronised, in order; empty if it was not asked for.
    pub trace: Vec<StepReport>,
    /// An initial state that takes the path: what memory and registers hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Vec<(String, String)>>,
    /// Whether it is known that some initial state takes it; the solver may have given up.
    pub certain: bool,
    /// Whether some real run takes it, if there were any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub witnessed: Option<bool>,
}

/// Which paths real runs of the program take.
#[derive(Clone, PartialEq, Default, Debug, Serialize, JsonSchema)]
pub struct WitnessReport {
    /// Runs from the program's entry.
    pub runs: usize,
    /// Those that came to the context.
    pub arrived: usize,
    /// States at the context.
    pub states: usize,
    /// Paths that some run takes from there.
    pub witnessed: usize,
    /// The others. That many are infeasible if the inputs and runs show all that the program does, and fewer otherwise.
    pub unwitnessed: usize,
    /// What runs do there and no path does: nothing if the paths are complete.
    pub strayed: Vec<String>,
    /// What it took.
    pub seconds: f64,
}

/// A step of a path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, JsonSchema)]
pub struct StepReport {
    /// The thread.
    pub thread: u32,
    /// `lu.c:88`.
    pub at: String,
    /// `branch`, `choice`, `sync` or `switch`.
    pub event: &'static str,
    /// For a branch, whether its condition held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken: Option<bool>,
    /// The condition as it holds, or what was synchronised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// What the state was, if that was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub state: Vec<String>,
}

/// Counts of paths.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Totals {
    /// All.
    pub paths: usize,
    /// Those that end so.
    pub finished: usize,
    /// Those that end so.
    pub deadlocks: usize,
    /// Those that end so.
    pub endless: usize,
    /// Those that end so.
    pub memory_errors: usize,
    /// Those that end so.
    pub aborts: usize,
    /// Those that end so.
    pub budget: usize,
    /// Those that end so.
    pub stuck: usize,
    /// How many are infeasible, if that was counted.
    pub infeasible: Option<usize>,
}

impl Totals {
    /// Whether a path ends in a way that is worth to be told.
    pub fn is_something_found(&self) -> bool {
        self.deadlocks + self.endless + self.memory_errors + self.aborts > 0
    }

    /// One path more that ends so.
    pub fn count(&mut self, ends: Ends) {
        self.paths += 1;
        *match ends {
            Ends::Finished => &mut self.finished,
            Ends::Deadlock => &mut self.deadlocks,
            Ends::Endless => &mut self.endless,
            Ends::MemoryError => &mut self.memory_errors,
            Ends::Abort => &mut self.aborts,
            Ends::Budget => &mut self.budget,
            Ends::Stuck => &mut self.stuck,
        } += 1;
    }
}

/// What a run took.
#[derive(Copy, Clone, PartialEq, Default, Debug, Serialize, JsonSchema)]
pub struct Statistics {
    /// In all.
    pub seconds: f64,
    /// Before the first path: loading and analyses.
    pub analysis_seconds: f64,
    /// Paths.
    pub paths: usize,
    /// Instructions of all paths; what paths share counts once.
    pub instructions: u64,
    /// In the solver.
    pub solver_seconds: f64,
    /// Questions to it.
    pub solver_queries: u64,
    /// Most memory of the process.
    pub peak_mib: u64,
}
