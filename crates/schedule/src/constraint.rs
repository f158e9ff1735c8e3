//! The inputs under which a schedule can be followed.

use icsched_smt::serial::TermDag;
use serde::{Deserialize, Serialize};

/// The weakest precondition that was found for a schedule (Bergan 3.3.2), for people and for machines.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct InputConstraint {
    /// As a C expression over the program's inputs: `atoi(argv[1]) != 0 && x < 3`; `true` for any input.
    pub c: String,
    /// The same as a term, for the solver, selectors and test inputs. `None` if it was not kept.
    pub dag: Option<TermDag>,
}

impl InputConstraint {
    /// The constraint that every input satisfies.
    pub fn always() -> Self {
        Self::text("true")
    }

    /// A constraint that is only text.
    pub fn text(c: impl Into<String>) -> Self {
        Self { c: c.into(), dag: None }
    }

    /// Whether the text says that every input satisfies it.
    pub fn is_always(&self) -> bool {
        self.c == "true"
    }
}
