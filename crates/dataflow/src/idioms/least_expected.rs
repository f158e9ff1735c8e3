//! What every barrier expects at least: so many threads of the context may wait at barriers at one time.
//!
//! Nothing is known unless [never more threads wait](crate::barriers::participants) than the only barrier expects.

use icsched_pointsto::InstanceId;

use super::idiom::{Idiom, Inputs, Invariants, Threads};
use crate::barriers::participants::are_all_expected;
use crate::reaching::walk::Walk;
use crate::state::{BarrierCount, Count};

/// Counts the threads of the context that may wait at barriers.
#[derive(Default)]
pub(crate) struct LeastExpected;

impl Idiom for LeastExpected {
    fn recognise(&mut self, inputs: &mut Inputs<'_, '_, '_>, threads: &Threads<'_>, found: &mut Invariants) {
        let count = match inputs.barriers.counts.all(inputs.reaching)[..] {
            [BarrierCount { count, .. }] if count != Count::Any => count,
            _ => return,
        };
        let view = &mut inputs.reaching.view;
        let arrives = |instance: InstanceId| view.interference.may_arrive(instance);
        let waits = |ways: &&Vec<_>| !ways.is_empty() && ways.iter().all(|walk: &Walk| arrives(walk.chain[0]));
        let number = threads.walks.iter().filter(waits).count() as u64;
        if number > 0 && are_all_expected(view, count) {
            found.least_expected = number;
        }
    }
}
