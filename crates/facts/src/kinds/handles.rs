//! Which threads places may hold the handles of. What the handle of a thread is that has ended, and was not joined yet,
//! nobody knows; but that it is not that of a thread which lives, so that who joins it does not wait for another one.

use std::collections::BTreeSet;

use icsched_machine::memory::{AddressClass, classify};
use icsched_smt::Term;

use crate::fact_map::FactMap;
use crate::fact_state::FactState;
use crate::kind::MapKind;
use crate::place::{Held, Node, Place};
use crate::renaming::Renaming;
use crate::shape::Shape;

/// The threads that live whose handles places of 64 bits may hold; what else they may hold is no handle of one.
pub struct Handles;

impl MapKind for Handles {
    type Key = Place;
    type Value = BTreeSet<u32>;

    const NAME: &'static str = "handles";

    fn of(shape: &Shape) -> &FactMap<Self::Key, Self::Value> {
        &shape.handles
    }

    fn of_mut(shape: &mut Shape) -> &mut FactMap<Self::Key, Self::Value> {
        &mut shape.handles
    }

    fn places(&place: &Place) -> Vec<Place> {
        vec![place]
    }

    fn renamed_key(&place: &Place, names: &Renaming<'_>) -> Option<Place> {
        names.place(place)
    }

    fn renamed_value(threads: &BTreeSet<u32>, names: &Renaming<'_>) -> Option<BTreeSet<u32>> {
        Some(threads.iter().map(|&thread| names.thread(thread)).collect())
    }

    fn said(shape: &Shape, &place: &Place) -> Option<BTreeSet<u32>> {
        shape.handles_at(place)
    }

    fn joined(mut a: BTreeSet<u32>, b: BTreeSet<u32>) -> Option<BTreeSet<u32>> {
        a.extend(b);
        Some(a)
    }

    fn conditions(&place: &Place, threads: &BTreeSet<u32>, state: &mut dyn FactState) -> Option<Vec<Term>> {
        let handle = state.value(place, 64)?;
        let others = (0..state.threads()).filter(|thread| !threads.contains(thread));
        let owned: Vec<u64> =
            others.filter_map(|thread| state.constant(Held::Address(Node::Thread(thread), 0))).collect();
        let pool = state.pool();
        let differs = |own: u64| {
            let own = pool.constant(64, own);
            pool.ne(handle, own)
        };
        Some(owned.into_iter().map(differs).collect())
    }

    fn words(&place: &Place, threads: &BTreeSet<u32>, name: &dyn Fn(Place) -> String) -> String {
        format!("{} is the handle of no thread that lives but {threads:?}", name(place))
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
        assert_eq!(ended.join(&before).handles, ended.handles);
        assert_eq!(ended.join(&Shape::default()).handles, FactMap::new());
        let living = |thread| {
            let handle = ((node, 8), (8, Held::Address(Node::Thread(thread), 0)));
            Shape { words: [handle].into(), ..Shape::default() }
        };
        let one = living(1).join(&ended);
        assert_eq!(one.handles, [(place, [1].into())].into());
        assert_eq!(one.join(&living(2)).handles, [(place, [1, 2].into())].into());
    }
}
