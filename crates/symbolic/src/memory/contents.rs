//! Contents of an object of an initial state: its root, and all that was written since.

use std::rc::Rc;

use icsched_smt::Term;
use rustc_hash::FxHashMap;

use super::cells::{Bytes, Cells};
use crate::initial::root::{Fresh, RootId};
use icsched_machine::domain::MemoryByte;

/// Contents of an object of the initial state.
#[derive(Clone, Debug)]
pub(crate) struct Unknown {
    pub(crate) root: RootId,
    /// Written at constant offsets, before the first of `writes` or where none of them may have written.
    pub(crate) cells: Cells,
    /// Later writes, from the first one at an offset that is no constant on.
    pub(crate) writes: Writes,
    /// The number of the contents, if some of `cells` were written after the first of `writes`.
    pub(crate) version: Option<Version>,
}

impl Unknown {
    pub(crate) fn new(root: RootId) -> Self {
        Self { root, cells: Cells::default(), writes: Writes::default(), version: None }
    }

    /// Whether nothing was written.
    pub(crate) fn is_untouched(&self) -> bool {
        self.cells.is_empty() && self.writes.is_empty()
    }

    /// What was written, if all of it was at constant offsets.
    pub(crate) fn constant_cells(&self) -> Option<Vec<(u64, MemoryByte<Term>)>> {
        let cells = || self.cells.iter().map(|(at, byte)| (at, byte.clone())).collect();
        self.writes.is_empty().then(cells)
    }
}

/// One write.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) offset: Term,
    pub(crate) what: What,
    pub(crate) guard: Option<Term>,
}

impl Write {
    /// Whether nothing is left of an earlier write: wherever both are, this one has written all of it.
    pub(crate) fn covers(&self, earlier: &Self) -> bool {
        match (&self.what, &earlier.what) {
            (What::Bytes(later), What::Bytes(bytes)) => {
                self.guard.is_none() && self.offset == earlier.offset && later.len() >= bytes.len()
            }
            _ => false,
        }
    }
}

/// What is written.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// These bytes, at most eight.
    Bytes(Bytes),
    /// One byte, `len` times.
    Fill { byte: MemoryByte<Term>, len: Term },
    /// `len` bytes from `start` on of other contents, or of earlier ones of the same object.
    Copy { from: Unknown, start: Term, len: Term },
}

/// Writes, the latest first; shared between the states of paths.
#[derive(Clone, Default, Debug)]
pub(crate) struct Writes(pub(crate) Option<Rc<Latest>>);

#[derive(Debug)]
pub(crate) struct Latest {
    pub(crate) write: Write,
    pub(crate) before: Writes,
    pub(crate) count: usize,
    pub(crate) version: Version,
}

impl Drop for Latest {
    /// One after the other: there may be more than the stack has room for.
    fn drop(&mut self) {
        let mut rest = self.before.0.take();
        while let Some(mut only) = rest.and_then(|latest| Rc::try_unwrap(latest).ok()) {
            rest = only.before.0.take();
        }
    }
}

impl Writes {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |latest| latest.count)
    }

    /// The writes, the latest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Write> {
        std::iter::successors(self.0.as_deref(), |latest| latest.before.0.as_deref()).map(|latest| &latest.write)
    }
}

/// Contents of an object: the same number for the same writes to the same root.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Version(pub(crate) usize);

/// A root, what its bytes are if they are none of the initial state, and what was written at constant offsets.
pub(crate) type FirstKey = (RootId, Option<Fresh>, Vec<(u64, MemoryByte<Term>)>);

/// The numbers of contents that were met.
#[derive(Default)]
pub(crate) struct Versions {
    pub(crate) first: FxHashMap<FirstKey, Version>,
    pub(crate) later: FxHashMap<(Version, WriteKey), Version>,
}

/// A write by which contents are told apart.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct WriteKey {
    pub(crate) offset: Term,
    pub(crate) guard: Option<Term>,
    pub(crate) what: WhatKey,
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) enum WhatKey {
    Bytes(Bytes),
    Fill(MemoryByte<Term>, Term),
    Copy(Version, Term, Term),
}
