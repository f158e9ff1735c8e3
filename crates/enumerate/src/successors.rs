//! Which epochs follow one, with what holds where they begin.

use std::collections::BTreeMap;

use icsched_epochs::EpochFacts;
use icsched_schedule::EpochId;

/// The successors of an epoch that were found, with what holds there.
pub(crate) type Successors = BTreeMap<EpochId, EpochFacts>;

/// Adds a way to an epoch. With `symbolic_threads` those of its threads that have the same stack may be in any order.
pub(crate) fn add_successor(successors: &mut Successors, epoch: EpochId, holds: EpochFacts, symbolic_threads: bool) {
    let alike = if symbolic_threads { epoch.alike() } else { Vec::new() };
    successors.entry(epoch).and_modify(|known| *known = known.join_alike(&holds, &alike)).or_insert(holds);
}
