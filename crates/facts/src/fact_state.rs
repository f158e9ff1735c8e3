//! What facts say of a state, in its terms: where an epoch begins, and where facts are proved.

use icsched_smt::{Term, TermPool};

use crate::element::Element;
use crate::place::{Held, Place};

/// A fact in words, given what places are called.
pub type Words<'a> = dyn Fn(&dyn Fn(Place) -> String) -> String + 'a;

/// What one fact says of a state.
pub struct Statement<'a> {
    /// The conditions that hold, all of them.
    pub conditions: Vec<Term>,
    /// Whether something is not there that the fact is about: the conditions then say less than the fact.
    pub is_partial: bool,
    /// The place that this may be untrue of if a sum has overflowed that it was computed from.
    pub unless_overflow: Option<Place>,
    /// The fact in words, given what places are called.
    pub words: &'a Words<'a>,
}

impl<'a> Statement<'a> {
    /// A condition, or that something is missing.
    pub fn of(condition: Option<Term>, words: &'a Words<'a>) -> Self {
        let is_partial = condition.is_none();
        Self { conditions: condition.into_iter().collect(), is_partial, unless_overflow: None, words }
    }
}

/// A state in which facts are read.
pub trait FactState {
    /// The terms of the state.
    fn pool(&mut self) -> &mut TermPool;

    /// What a place of so many bits holds.
    fn value(&mut self, place: Place, width: u8) -> Option<Term>;

    /// The same of a number that is related to others; of so many bits or more. Whoever proves facts may take another
    /// number for one that has overflowed.
    fn number(&mut self, place: Place, width: u8) -> Option<Term>;

    /// The constant that a place holds.
    fn constant(&self, held: Held) -> Option<u64>;

    /// The constants that a place may hold; `None` if nothing can be said because some of them are not there.
    fn constants(&self, held: &[Held]) -> Option<Vec<u64>>;

    /// What an element holds at an index, in an array of some length if that is no constant.
    fn element(&mut self, element: &Element, index: Term, length: Option<Term>) -> Option<Term>;

    /// How many threads there are.
    fn threads(&self) -> u32;

    /// Takes up what a fact says.
    fn say(&mut self, statement: Statement<'_>);

    /// A term is one of these constants, ascending.
    fn note_alternatives(&mut self, term: Term, constants: Vec<u64>) {
        let _ = (term, constants);
    }
}
