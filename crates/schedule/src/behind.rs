//! Which schedules are behind an error (`--memory-errors=continue`): what they say is about executions that have done
//! something undefined before.

use std::collections::BTreeMap;

use crate::end::ScheduleEnd;
use crate::enumeration::{Enumeration, PossibleError};
use crate::epoch::EpochKey;
use crate::tree::Schedule;

/// An error of a result: the place of its epoch, and its own among the errors of that.
pub type ErrorPlace = (usize, usize);

/// The errors behind which epochs are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Behind {
    /// Per epoch: an error behind which all executions are that come to it.
    epochs: Vec<Option<ErrorPlace>>,
}

impl Behind {
    /// Looks through a result. Linear in its schedules.
    pub fn of(result: &Enumeration) -> Self {
        let places: BTreeMap<EpochKey, usize> = result.epochs.iter().enumerate().map(|(at, e)| (e.key(), at)).collect();
        let next = |schedule: &Schedule| match &schedule.ends {
            ScheduleEnd::Epoch(key) => places.get(key).copied(),
            _ => None,
        };
        // None: nothing leads there as far as is known.
        let mut found: Vec<Option<Option<ErrorPlace>>> = vec![None; result.epochs.len()];
        // First all that can be reached without an error, then what is behind one.
        for errors in [false, true] {
            let mut work: Vec<usize> = match errors {
                false => (0..found.len().min(1)).collect(),
                true => (0..found.len()).rev().filter(|&at| found[at].is_some()).collect(),
            };
            work.iter().filter(|_| !errors).for_each(|&at| found[at] = Some(None));
            while let Some(at) = work.pop() {
                let before = found[at].flatten();
                for leaf in result.epochs[at].tree.leaves().filter(|leaf| errors || leaf.after_error.is_none()) {
                    let Some(to) = next(leaf).filter(|&to| found[to].is_none()) else { continue };
                    found[to] = Some(before.or(leaf.after_error.map(|error| (at, error))));
                    work.push(to);
                }
            }
        }
        Self { epochs: found.into_iter().map(Option::flatten).collect() }
    }

    /// The error behind which a schedule of an epoch is, be it one of that epoch or of one before.
    pub fn schedule(&self, epoch: usize, schedule: &Schedule) -> Option<ErrorPlace> {
        let before = self.epochs.get(epoch).copied().flatten();
        before.or(schedule.after_error.map(|error| (epoch, error)))
    }
}

impl Enumeration {
    /// The error at a place.
    pub fn error_at(&self, (epoch, error): ErrorPlace) -> Option<&PossibleError> {
        self.epochs.get(epoch)?.errors.get(error)
    }
}
