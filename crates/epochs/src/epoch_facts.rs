//! What holds whenever an epoch begins.

use std::ops::Range;

use icsched_facts::{Shape, Widening};
use serde::{Deserialize, Serialize};

/// What holds whenever an epoch begins, beside what [dataflow analysis](icsched_dataflow) knows of its context.
/// Ordered: a fact that does not hold is less.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
pub struct EpochFacts {
    /// No thread has ended ([`Context::none_ended`](icsched_dataflow::Context::none_ended)).
    pub none_ended: bool,
    /// What memory and registers hold.
    pub shape: Shape,
}

impl EpochFacts {
    /// What holds at program entry.
    pub fn at_entry() -> Self {
        Self { none_ended: true, ..Self::default() }
    }

    /// What is kept after having got weaker several times, last from `before` ([`Shape::widened`]).
    pub fn widened(self, before: &Self, further: Option<Widening<'_>>) -> Self {
        Self { shape: self.shape.widened(&before.shape, further), ..self }
    }

    /// What both say.
    pub fn join(&self, other: &Self) -> Self {
        Self { none_ended: self.none_ended && other.none_ended, shape: self.shape.join(&other.shape) }
    }

    /// Whether these may be what others become. What follows from these only when they are joined with the others is
    /// theirs.
    pub fn are_weaker_than(&self, other: &Self) -> bool {
        let joined = other.join(self);
        joined.none_ended == self.none_ended && joined.shape.holds_all_of(&self.shape)
    }

    /// The same, where the other's threads of each range may be taken in any order: in that in which they have most
    /// in common with these.
    pub fn join_alike(&self, other: &Self, alike: &[Range<u32>]) -> Self {
        match other.shape.aligned(&self.shape, alike) {
            Some(shape) => self.join(&Self { shape, ..*other }),
            None => self.join(other),
        }
    }
}
