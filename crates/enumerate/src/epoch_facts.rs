//! What holds whenever an epoch begins.

use std::collections::BTreeMap;
use std::ops::Range;

use icsched_facts::{Shape, Widening};
use icsched_schedule::EpochId;

/// What holds whenever an epoch begins, beside what [dataflow analysis](icsched_dataflow) knows of its context.
/// Ordered: a fact that does not hold is less.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub(crate) struct EpochFacts {
    /// No thread has ended ([`Context::none_ended`](icsched_dataflow::Context::none_ended)).
    pub(crate) none_ended: bool,
    /// What memory and registers hold.
    pub(crate) shape: Shape,
}

impl EpochFacts {
    /// What holds at program entry.
    pub(crate) fn at_entry() -> Self {
        Self { none_ended: true, ..Self::default() }
    }

    /// What is kept after having got weaker several times, last from `before` ([`Shape::widened`]).
    pub(crate) fn widened(self, before: &Self, further: Option<Widening<'_>>) -> Self {
        Self { shape: self.shape.widened(&before.shape, further), ..self }
    }

    /// What both say.
    pub(crate) fn join(&self, other: &Self) -> Self {
        Self { none_ended: self.none_ended && other.none_ended, shape: self.shape.join(&other.shape) }
    }

    /// Whether these may be what others become. What follows from these only when they are joined with the others is
    /// theirs.
    pub(crate) fn are_weaker_than(&self, other: &Self) -> bool {
        let joined = other.join(self);
        joined.none_ended == self.none_ended && joined.shape.holds_all_of(&self.shape)
    }

    /// The same, where the other's threads of each range may be taken in any order: in that in which they have most
    /// in common with these.
    pub(crate) fn join_alike(&self, other: &Self, alike: &[Range<u32>]) -> Self {
        match other.shape.aligned(&self.shape, alike) {
            Some(shape) => self.join(&Self { shape, ..*other }),
            None => self.join(other),
        }
    }
}

/// The successors of an epoch that were found, with what holds there.
pub(crate) type Successors = BTreeMap<EpochId, EpochFacts>;

/// Adds a way to an epoch. With `symbolic_threads` those of its threads that have the same stack may be in any order.
pub(crate) fn add_successor(successors: &mut Successors, epoch: EpochId, holds: EpochFacts, symbolic_threads: bool) {
    let alike = if symbolic_threads { epoch.alike() } else { Vec::new() };
    successors.entry(epoch).and_modify(|known| *known = known.join_alike(&holds, &alike)).or_insert(holds);
}
