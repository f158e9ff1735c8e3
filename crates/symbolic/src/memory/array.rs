//! Contents of objects that were accessed at symbolic offsets.

use std::cell::OnceCell;
use std::rc::Rc;

use icsched_smt::Term;

use super::contents::Unknown;
use crate::initial::root::RootId;
use icsched_machine::domain::MemoryByte;

/// Contents of an object that was accessed at a symbolic offset.
#[derive(Clone, Debug)]
pub struct SymArray {
    pub(crate) form: Form,
}

#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// Byte by byte; the array term is made when an access needs it.
    Bytes { bytes: Rc<[MemoryByte<Term>]>, term: Rc<OnceCell<Term>> },
    /// As an array term.
    Term(Term),
    /// Of the initial state in the middle of the program.
    Unknown(Unknown),
}

impl SymArray {
    pub(crate) fn from_bytes(bytes: &[MemoryByte<Term>]) -> Self {
        SymArray { form: Form::Bytes { bytes: bytes.into(), term: Rc::default() } }
    }

    /// The contents of a root.
    pub(crate) fn of_root(root: RootId) -> Self {
        SymArray { form: Form::Unknown(Unknown::new(root)) }
    }

    /// The contents of a root where some bytes hold something else.
    pub(crate) fn with_bytes(root: RootId, bytes: Vec<(u64, MemoryByte<Term>)>) -> Self {
        let cells = bytes.into_iter().collect();
        SymArray { form: Form::Unknown(Unknown { cells, ..Unknown::new(root) }) }
    }

    /// The contents of an object of the initial state.
    pub(crate) fn unknown(&self) -> Option<&Unknown> {
        match &self.form {
            Form::Unknown(unknown) => Some(unknown),
            Form::Bytes { .. } | Form::Term(_) => None,
        }
    }

    /// The root that these are contents of.
    pub fn root(&self) -> Option<RootId> {
        match &self.form {
            Form::Unknown(unknown) => Some(unknown.root),
            Form::Bytes { .. } | Form::Term(_) => None,
        }
    }
}
