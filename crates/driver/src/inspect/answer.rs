//! How an answer is written, piece by piece.

use std::cell::{Cell, RefCell};
use std::io;

use serde::Serialize;

use super::asked::Inspected;
use crate::config::Limit;
use crate::error::DriverError;
use crate::{Reason, limit_words};

/// Where an answer goes, piece by piece: that of a large program may be larger than memory.
pub type Out<'o> = &'o mut dyn io::Write;

pub(super) fn told(written: io::Result<()>) -> Result<(), DriverError> {
    written.map_err(|error| DriverError::Write { path: "the answer".into(), error })
}

pub(super) fn write_json(document: &impl Serialize, out: Out<'_>) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, document)?;
    out.write_all(b"\n")
}

/// A list whose members are made while it is written, and dropped then. It can be written once.
pub(super) struct Listed<I>(RefCell<Option<I>>);

impl<I> Listed<I> {
    pub(super) fn new(members: I) -> Self {
        Self(RefCell::new(Some(members)))
    }

    /// The members; nothing of them is left then.
    pub(super) fn take(&self) -> impl Iterator<Item = I::Item>
    where
        I: Iterator,
    {
        self.0.take().into_iter().flatten()
    }
}

impl<I: Iterator<Item: Serialize>> Serialize for Listed<I> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.take())
    }
}

/// Whether a limit has ended the lists of an answer that is being written.
pub(super) struct Cut<'i> {
    inspected: &'i Inspected,
    pub(super) by: Cell<Option<Limit>>,
}

impl<'i> Cut<'i> {
    pub(super) fn new(inspected: &'i Inspected) -> Self {
        Self { inspected, by: Cell::new(None) }
    }

    /// Whether there may be one more member. Once there may not, none follows.
    pub(super) fn goes_on(&self) -> bool {
        if self.by.get().is_none() && self.inspected.is_over() {
            self.by.set(Some(self.inspected.limits.stop.asked().unwrap_or(Limit::Time)));
        }
        self.by.get().is_none()
    }

    /// Why not all is there, in a list that is empty if it is.
    pub(super) fn reasons(&self) -> Vec<Reason> {
        let reason = |limit| {
            let (kind, message) = limit_words(limit);
            Reason { kind, message: message.to_owned(), at: None }
        };
        self.by.get().map(reason).into_iter().collect()
    }
}

/// The key `complete` of a document, behind its lists: it is known when they are written.
pub(super) struct Complete<'c>(pub(super) &'c Cut<'c>);

impl Serialize for Complete<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.reasons().is_empty().serialize(serializer)
    }
}

/// The key `reasons`, in the same way.
pub(super) struct Reasons<'c>(pub(super) &'c Cut<'c>);

impl Serialize for Reasons<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.reasons().serialize(serializer)
    }
}

pub(super) fn json(document: &impl Serialize) -> String {
    serde_json::to_string_pretty(document).expect("plain data has a JSON form") + "\n"
}
