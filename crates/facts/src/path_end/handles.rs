//! Handles of threads that have ended, at the end of a path.

use std::collections::BTreeSet;

use icsched_machine::memory::{AddressClass, ObjectId, ObjectKind, classify};
use icsched_pointsto::ObjectId as Abstract;

use super::Walk;
use crate::place::{Held, Node, Place};

impl Walk<'_, '_> {
    /// The handle of no thread that lives is not known next time, but that.
    pub(crate) fn stranger(&mut self, place: Place, bits: u64) -> Option<Held> {
        let AddressClass::Object(object, _) = classify(bits) else { return None };
        if !self.threads.are_in(object) {
            return None;
        }
        self.left.shape.handles.insert(place, BTreeSet::new());
        let handle = self.machine.domain.pool.constant(64, bits);
        Some(self.same(handle))
    }

    /// Eight bytes at an offset of which nothing is known. Where the path has made the object, and nobody has written
    /// there yet, they are the handle of no thread: a program writes before it reads, or does what C leaves undefined.
    pub(crate) fn never_written(
        &mut self,
        node: Node,
        at: u64,
        (object, start): (ObjectId, u64),
        holders: &[Abstract],
    ) {
        let heap = &self.state.heap;
        let table = self.threads.table.and_then(|(table, _)| match heap.object(table)?.kind {
            ObjectKind::Global(global) => self.pointers.variable(global),
            _ => None,
        });
        let is_made = heap.contents_of(object).is_none();
        if is_made && table.is_some_and(|table| self.pointers.may_hold_address(holders, start + at, &[table])) {
            let place = Place::Memory(node, at, 8);
            let unknown = self.machine.domain.pool.symbol(&format!("never written at {place:?}"), 64);
            let held = self.same(unknown);
            self.left.shape.handles.insert(place, BTreeSet::new());
            self.left.shape.words.insert((node, at), (8, held));
        }
    }
}
