//! The ends that runs come to, each with one order that leads there.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::end::End;
use super::names::Names;
use super::race;
use super::trace::Run;

/// An end with how often it came and the shortest order that led there.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Found {
    /// The end.
    #[serde(flatten)]
    pub(super) end: End,
    /// Runs that came to it.
    pub(super) runs: u64,
    /// The order of one run, one line for each call.
    pub(super) order: Vec<String>,
}

/// So many runs are searched for data races.
const RUNS_WITH_RACES: usize = 200;

/// All ends.
#[derive(Debug, Default)]
pub(super) struct Ends {
    found: BTreeMap<End, Found>,
    /// Data races of the first runs, in words.
    pub(super) races: BTreeSet<String>,
    runs: usize,
}

impl Ends {
    /// Adds what a run came to.
    pub(super) fn add(&mut self, run: &Run, names: &mut Names<'_>) {
        self.runs += 1;
        if self.runs <= RUNS_WITH_RACES {
            self.races.extend(race::races(run, names));
        }
        let Some(end) = names.end(run) else { return };
        if let Some(found) = self.found.get_mut(&end) {
            found.runs += 1;
            return;
        }
        let order = names.order(run);
        self.found.insert(end.clone(), Found { end, runs: 1, order });
    }

    /// The ends, in a fixed order.
    pub(super) fn all(&self) -> impl Iterator<Item = &Found> {
        self.found.values()
    }
}
