//! Which threads places may hold the handles of. What the handle of a thread is that has ended, and was not joined yet, nobody knows; but
//! that it is not that of a thread which lives, so that who joins it does not wait for another one.

use std::collections::{BTreeMap, BTreeSet};

use icsched_pointsto::ObjectId as Abstract;
use icsched_smt::{Term, TermPool};

use super::choices::{Addresses, Threads};
use super::left::Walk;
use super::{Held, Meet, Node, Place, Shape, moved};
use crate::memory::{AddressClass, ObjectId, ObjectKind, address, classify};

/// Places of 64 bits with the threads that live whose handles they may hold; what else they may hold is no handle of one.
pub type Handles = BTreeMap<Place, BTreeSet<u32>>;

impl Threads {
    /// The handles of threads that live, with which thread it is.
    fn handles(&self) -> impl Iterator<Item = (u32, u64)> + '_ {
        let table = self.table;
        let of_slot = move |(&slot, &thread): (&u32, &u32)| {
            table.map(|(table, stride)| (thread, address(table, u64::from(slot) * stride)))
        };
        self.slots.iter().filter_map(of_slot)
    }
}

impl Addresses {
    /// For each thread that lives the condition that a handle is not its own, and whether that is likely: the handle is a choice between
    /// constants, as far as it is one, and its own is none of them. Nothing is said of a handle that is no such choice unless `is_known`
    /// says that something may be known of it.
    pub fn strange(
        &self,
        pool: &mut TermPool,
        handle: Term,
        is_known: impl FnOnce(&mut TermPool) -> bool,
    ) -> Vec<(u32, Term, bool)> {
        let possible = self.constants(pool, handle);
        if possible.is_empty() && !is_known(pool) {
            return Vec::new();
        }
        let differs = |(thread, own): (u32, u64)| {
            let is_likely = !possible.is_empty() && !possible.contains(&own);
            let own = pool.constant(64, own);
            (thread, pool.ne(handle, own), is_likely)
        };
        self.threads.handles().map(differs).collect()
    }
}

impl Shape {
    /// The threads that live whose handles a place may hold, by what is known of it; `None` if that may be any.
    pub fn handles_at(&self, place: Place) -> Option<BTreeSet<u32>> {
        if let Some(known) = self.handles.get(&place) {
            return Some(known.clone());
        }
        let of = |held: &Held| match *held {
            Held::Bits(bits) if matches!(classify(bits), AddressClass::Object(..) | AddressClass::Function(_)) => None,
            Held::Address(Node::Thread(thread), _) => Some(Some(thread)),
            Held::Bits(_) | Held::Address(..) => Some(None),
            Held::Same(_) => None,
        };
        if let Some(choices) = self.choices.get(&place) {
            return choices.iter().map(of).collect::<Option<Vec<_>>>().map(|all| all.into_iter().flatten().collect());
        }
        of(&self.held(place)?.1).map(|thread| thread.into_iter().collect())
    }
}

impl Walk<'_, '_> {
    /// The handle of no thread that lives is not known next time, but that.
    pub(super) fn stranger(&mut self, place: Place, bits: u64) -> Option<Held> {
        let AddressClass::Object(object, _) = classify(bits) else { return None };
        if !self.threads.are_in(object) {
            return None;
        }
        self.left.shape.handles.insert(place, BTreeSet::new());
        let handle = self.machine.domain.pool.constant(64, bits);
        Some(self.same(handle))
    }

    /// Eight bytes at an offset of which nothing is known. Where the path has made the object, and nobody has written there yet, they are the handle
    /// of no thread: a program writes before it reads, or does what C leaves undefined.
    pub(super) fn never_written(
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

impl Meet<'_> {
    /// Which handles places may hold in one or the other.
    pub(super) fn handles(&mut self) {
        let of_a = |&place: &Place| moved(place, |n| self.of_a.get(&n).copied());
        let of_b = |&place: &Place| moved(place, |n| self.of_b.get(&n).copied());
        let (a, b) = (self.a.handles.keys().filter_map(of_a), self.b.handles.keys().filter_map(of_b));
        let of = |place: Place| {
            let in_a = moved(place, |n| self.pairs.get(n as usize).map(|pair| pair.0))?;
            let in_b = moved(place, |n| self.pairs.get(n as usize).map(|pair| pair.1))?;
            let mut threads = self.a.handles_at(in_a)?;
            threads.extend(self.b.handles_at(in_b)?);
            Some((place, threads))
        };
        let found: Handles = a.chain(b).filter_map(of).collect();
        self.found.handles = found;
    }
}

#[cfg(test)]
mod tests {
    use icsched_ir::{EntityId as _, GlobalId};

    use super::*;

    #[test]
    fn a_handle_is_that_of_a_thread_or_of_none_that_lives() {
        let node = Node::Global(GlobalId::from_index(0));
        let place = Place::Memory(node, 8, 8);
        let ended = Shape { handles: [(place, BTreeSet::new())].into(), ..Shape::default() };
        let mut before = Shape::default();
        before.bytes.insert_words(node, &[(8, 0)]);
        assert_eq!(ended.meet(&before).handles, ended.handles);
        assert_eq!(ended.meet(&Shape::default()).handles, Handles::new());
        let living = |thread| {
            let handle = ((node, 8), (8, Held::Address(Node::Thread(thread), 0)));
            Shape { words: [handle].into(), ..Shape::default() }
        };
        let one = living(1).meet(&ended);
        assert_eq!(one.handles, [(place, [1].into())].into());
        assert_eq!(one.meet(&living(2)).handles, [(place, [1, 2].into())].into());
    }
}
