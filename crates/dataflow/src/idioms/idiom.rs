//! What an idiom is: a coding pattern that says something of all threads of a context together.

use crate::barriers::answers::Barriers;
use crate::context::Context;
use crate::patterns::handover::Handovers;
use crate::reaching::solved::Reaching;
use crate::reaching::walk::Walk;
use crate::state::{Range, Relation};

/// A coding pattern, such as `a[i] = i; pthread_create(.., &a[i])`, that makes known what threads have in common.
///
/// A member has a file of its own in this folder and a row in [the table](super::table), and nothing else. What it
/// remembers between contexts is in its own fields. It may only say what holds in every concrete state at the context.
pub(crate) trait Idiom {
    /// Adds what the pattern says of the threads of a context to what idioms above it in the table have found.
    fn recognise(&mut self, inputs: &mut Inputs<'_, '_, '_>, threads: &Threads<'_>, found: &mut Invariants);
}

/// The analyses that idioms may ask.
pub(crate) struct Inputs<'a, 'm, 'p> {
    pub(crate) reaching: &'a mut Reaching<'m, 'p>,
    pub(crate) barriers: &'a mut Barriers,
    pub(crate) handovers: &'a mut Handovers,
}

/// The threads of a context.
pub(crate) struct Threads<'w> {
    pub(crate) context: &'w Context,
    /// Per thread, the ways down its stack.
    pub(crate) walks: &'w [Vec<Walk>],
}

/// What idioms have found.
#[derive(Default)]
pub(crate) struct Invariants {
    /// What holds between threads, or within one.
    pub(crate) relations: Vec<Relation>,
    /// Per thread, what its numbers are between; empty if nothing was found.
    pub(crate) ranges: Vec<Vec<Range>>,
    /// What every barrier expects at least; 0 if that is not known.
    pub(crate) least_expected: u64,
    /// What every barrier expects at most, if that is known.
    pub(crate) most_expected: Option<u64>,
}

impl Invariants {
    /// Adds a relation, unless it is there.
    pub(crate) fn relate(&mut self, relation: Relation) {
        if !self.relations.contains(&relation) {
            self.relations.push(relation);
        }
    }
}
