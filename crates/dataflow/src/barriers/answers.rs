//! All that is known of a program's barriers.

use super::arrivals::Arrivals;
use super::counts::BarrierCounts;
use super::only_barrier::find_only_barrier;
use super::participants::are_all_expected;
use crate::patterns::cell::Cell;
use crate::reaching::solved::Reaching;
use crate::state::{BarrierCount, Count};

/// What is known of the barriers of one program. Answers are kept.
#[derive(Default)]
pub(crate) struct Barriers {
    pub(crate) counts: BarrierCounts,
    pub(crate) arrivals: Arrivals,
    /// The barrier that all waits are at, if there is one, once that was asked.
    #[allow(clippy::option_option, reason = "not asked, or no such barrier")]
    only: Option<Option<Cell>>,
}

impl Barriers {
    /// The barrier that all waits of the program are at.
    pub(crate) fn only(&mut self, reaching: &mut Reaching<'_, '_>) -> Option<Cell> {
        *self.only.get_or_insert_with(|| find_only_barrier(reaching))
    }

    /// Whether the barrier that all waits are at expects all threads that wait anywhere, and always did.
    pub(crate) fn is_for_all(&mut self, reaching: &mut Reaching<'_, '_>) -> bool {
        let counts: Vec<BarrierCount> = self.counts.all(reaching);
        // Another entry could be for the same barrier.
        let [BarrierCount { count, .. }] = counts[..] else { return false };
        count != Count::Any && are_all_expected(&mut reaching.view, count)
    }
}
