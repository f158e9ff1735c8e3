//! What is found at the end of a path.

use std::collections::BTreeMap;

use icsched_epochs::summarisable::{Helps, Summarisable};
use icsched_facts::{Place, Shape};
use icsched_slicing::{Caches, Sliceable};
use icsched_smt::{Ranges, SolverStatistics, Term};
use rustc_hash::FxHashMap;

use super::consequences::Consequences;

/// What is known when an end was looked at.
pub(super) struct Seen {
    pub(super) shape: Shape,
    /// What had better be replaced: [`lost_in_loops`](super::lost_in_loops).
    pub(super) lost: BTreeMap<Summarisable, Helps>,
    pub(super) solver: SolverStatistics,
}

/// What is known of one end, to which the finders add facts.
pub(super) struct Found<'f, 't> {
    /// The facts so far.
    pub(super) shape: Shape,
    /// What places hold that are neither constants nor addresses, in the order in which they are looked at.
    pub(super) in_order: Vec<(Place, Term)>,
    /// The same by place.
    pub(super) numbers: FxHashMap<Place, Term>,
    /// What registers hold that are neither, and no words.
    pub(super) narrow: Vec<(Place, Term)>,
    /// What places hold that hold addresses.
    pub(super) addresses: Vec<(Place, Term)>,
    pub(super) consequences: Consequences,
    /// What is certain of numbers where that holds.
    pub(super) sure: Ranges,
    pub(super) trace: &'f Sliceable<'t>,
    pub(super) caches: &'f mut Caches,
    /// Whether no decision can go another way.
    pub(super) is_determined: bool,
}
