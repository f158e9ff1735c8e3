//! `Search` (Bergan 3.3.3, figure 3.5): all bounded epochs that may be reached, from the one at program entry on.
//!
//! - [`job`]: the search of one epoch, which depends on nothing but its [`Job`].
//! - [`fixpoint`]: which jobs there are, and in which order their results count.
//! - [`workers`]: jobs in threads of their own.
//! - [`record`]: finished jobs as text, for a run that goes on with them.

pub(crate) mod fixpoint;
pub(crate) mod job;
pub(crate) mod record;
pub(crate) mod workers;

use std::collections::BTreeMap;
use std::sync::Arc;

use icsched_epochs::StartError;

use crate::answer::{Finished, Found};
use crate::epochs::fixpoint::Fixpoint;
use crate::plan::Job;
use crate::progress::Progress;
use crate::shared::Shared;

/// Searches all epochs in this thread, one after the other.
///
/// # Errors
/// If the program cannot be started with these inputs.
pub(crate) fn search(shared: &Shared<'_>, progress: &mut dyn Progress) -> Result<Found, StartError> {
    let _slot = shared.slots.take();
    let (fixpoint, results) = search_by(Fixpoint::new(shared)?, shared, progress)?;
    let again = fixpoint.again_with_combinations(shared, &results)?;
    let found = fixpoint.into_found(results);
    let Some(again) = again else { return Ok(found) };
    progress.begin_again();
    let (fixpoint, results) = search_by(again, shared, progress)?;
    let (found, is_better) = found.or(fixpoint.into_found(results));
    progress.end_again(is_better);
    Ok(found)
}

fn search_by(
    mut fixpoint: Fixpoint,
    shared: &Shared<'_>,
    progress: &mut dyn Progress,
) -> Result<(Fixpoint, BTreeMap<Job, Finished>), StartError> {
    let mut results = BTreeMap::new();
    while let Some(job) = fixpoint.next() {
        if let Some(reason) = shared.request.limits.stop_reason(shared.program) {
            fixpoint.stop(reason);
            break;
        }
        let finished = job::run(shared, &job, progress, |searched| fixpoint.take(shared, &job, Arc::new(searched)))?;
        results.insert(job, finished);
    }
    Ok((fixpoint, results))
}
