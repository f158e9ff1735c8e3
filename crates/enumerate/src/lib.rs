//! Input-covering schedules: epoch markers and the search (Bergan 3.3, 3.4).
//!
//! - [`search`]: the worklist of uncovered inputs of one epoch; which of a path's decisions matter,
//!   [`icsched_slicing`] says.
//!
//! - [`progress`]: what a search tells while it goes on.
//!
//! API boundary: [`enumerate`] takes a [`Request`] and returns a value; the result depends on nothing else, except that
//! limits can cut it short, which it then says.

mod answer;
mod budgets;
pub mod constraint;
mod engine;
mod epochs;
mod kept_answers;
mod next_summary;
mod passed_markers;
mod pipeline;
mod plan;
pub mod progress;
mod questions;
mod readable;
mod reasons;
mod restart;
mod run;
mod search;
mod shared;
mod slots;
mod strategy;
mod successors;
mod tree;
mod valid_facts;

use icsched_epochs::{Request, StartError};
use icsched_schedule::Enumeration;

use crate::pipeline::search_with;
pub use crate::progress::{Counts, Journal, Progress, SchedulePath, SearchedEpoch, Working};
pub use crate::run::{Outcome, Run};

/// Enumerates the input-covering schedules of a program from its entry.
///
/// # Errors
/// If the program cannot be started with these inputs; says why.
pub fn enumerate(request: &Request) -> Result<Enumeration, StartError> {
    let (journal, progress) = (&mut (), &mut ());
    Ok(enumerate_by(request, Run { jobs: 1, kept: Vec::new(), journal, progress })?.result)
}

/// [`enumerate`] by workers, with what an earlier run has found.
///
/// # Errors
/// The same.
pub fn enumerate_by(request: &Request, run: Run<'_>) -> Result<Outcome, StartError> {
    let Run { jobs, kept, journal, progress } = run;
    search_with(request, jobs, progress, |shared, header, progress| {
        epochs::workers::search(shared, jobs, header, kept, (journal, progress))
    })
}

/// [`enumerate`] in this thread, telling about each path and epoch what is not plain data. What the solver leaves
/// undecided may be something else than there.
///
/// # Errors
/// The same.
pub fn enumerate_with(request: &Request, progress: &mut dyn Progress) -> Result<Enumeration, StartError> {
    Ok(search_with(request, 1, progress, |shared, _, progress| epochs::search(shared, progress))?.result)
}
