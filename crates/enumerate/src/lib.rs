//! Input-covering schedules: epoch markers and the search (Bergan 3.3, 3.4).
//!
//! - [`specialise`]: folds code that this program cannot reach.
//! - [`markers`]: where epochs end.
//! - [`search`]: the worklist of uncovered inputs of one epoch; which of a path's decisions matter,
//!   [`icsched_slicing`] says.
//!
//! - [`progress`]: what a search tells while it goes on.
//!
//! API boundary: [`enumerate`] takes a [`Request`] and returns a value; the result depends on nothing else, except that
//! limits can cut it short, which it then says.

mod analyses;
mod answer;
mod beginnings;
mod budgets;
pub mod constraint;
mod engine;
mod epoch_facts;
mod epochs;
mod error;
mod folding;
pub mod graph;
mod kept_answers;
mod limit_reasons;
mod limits;
pub mod markers;
pub mod memory;
mod mutex_kinds;
mod passed_markers;
mod pipeline;
mod plan;
pub mod progress;
mod questions;
mod readable;
mod reasons;
mod request;
mod restart;
mod search;
mod search_options;
mod shared;
mod slots;
pub mod specialise;
mod statics;
pub mod strategy;
mod summarisable;
mod technique;
mod threads;
mod tree;
mod valid_facts;

use icsched_schedule::Enumeration;

pub use icsched_machine::step::Undecided;

pub use crate::error::EnumerateError;
pub use crate::limit_reasons::words as limit_words;
pub use crate::limits::{RunLimits, UNDECIDED};
pub use crate::progress::{Counts, Journal, Progress, SchedulePath, SearchedEpoch, Working};
pub use crate::request::{Outcome, Request, Run};
pub use crate::search_options::SearchOptions;
pub use crate::technique::Technique;

use crate::pipeline::search_with;

/// Enumerates the input-covering schedules of a program from its entry.
///
/// # Errors
/// If the program cannot be started with these inputs; says why.
pub fn enumerate(request: &Request) -> Result<Enumeration, EnumerateError> {
    let (journal, progress) = (&mut (), &mut ());
    Ok(enumerate_by(request, Run { jobs: 1, kept: Vec::new(), journal, progress })?.result)
}

/// [`enumerate`] by workers, with what an earlier run has found.
///
/// # Errors
/// The same.
pub fn enumerate_by(request: &Request, run: Run<'_>) -> Result<Outcome, EnumerateError> {
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
pub fn enumerate_with(request: &Request, progress: &mut dyn Progress) -> Result<Enumeration, EnumerateError> {
    Ok(search_with(request, 1, progress, |shared, _, progress| epochs::search(shared, progress))?.result)
}
