//! What a printer of terms keeps while it prints.

use std::cell::{Cell, RefCell};

use icsched_smt::{Term, TermPool};

use super::addresses::Places;
use crate::budgets::BUDGETS;

/// Prints terms of one pool.
pub struct Printer<'p> {
    pub(super) pool: &'p TermPool,
    /// What addresses mean.
    pub(super) places: Option<&'p dyn Places>,
    /// Whether what is printed was asked for by accesses: that an object of unknown size is large enough says nothing
    /// then.
    pub(super) of_accesses: bool,
    pub(super) budget: Cell<u32>,
    pub(super) depth: Cell<u32>,
    /// Expressions that may yet be tried with all values of a byte.
    pub(super) tried: Cell<u32>,
    /// Whether numbers of 64 bits may be addresses here.
    pub(super) has_pointers: Cell<bool>,
    /// Conditions that hold where what is being printed is evaluated.
    pub(super) known: RefCell<Vec<(Term, bool)>>,
    /// Names printed so far that are no C.
    pub(super) names: RefCell<Vec<InputName>>,
}

/// A name in a text that is no C.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputName {
    /// As it stands in the text.
    pub name: String,
    /// The C type that it is read as: `int`, `char[]`, `_Bool`.
    pub ty: String,
    /// The symbol that it is, or one of the bytes that are its elements; `None` for an address and for a relation of
    /// pointers.
    pub symbol: Option<Term>,
}

impl<'p> Printer<'p> {
    /// A printer with a fresh budget.
    pub fn new(pool: &'p TermPool) -> Self {
        Printer {
            pool,
            places: None,
            of_accesses: false,
            budget: Cell::new(BUDGETS.printed_nodes),
            depth: Cell::new(BUDGETS.printed_depth),
            tried: Cell::new(BUDGETS.tabulated),
            has_pointers: Cell::new(true),
            known: RefCell::default(),
            names: RefCell::default(),
        }
    }

    /// The same, with what addresses mean.
    pub fn with_places(pool: &'p TermPool, places: &'p dyn Places) -> Self {
        Printer { places: Some(places), ..Printer::new(pool) }
    }

    /// For conditions that accesses asked for.
    #[must_use]
    pub fn of_accesses(self) -> Self {
        Printer { of_accesses: true, ..self }
    }
}
