//! What memory must hold at a point: the lattice of `R_heap` (figure 2.17).

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::budgets::BUDGETS;
use crate::expr::ExprId;
use crate::place::{Frames, Place, Reach};
use crate::view::ProgramView;

/// What one place holds.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub(crate) value: ExprId,
    pub(crate) reach: Rc<Reach>,
}

/// Places and what they must hold. Cloning is O(1), the first change after it O(places).
#[derive(Clone, Default, Debug)]
pub(crate) struct Facts(Rc<BTreeMap<Place, Fact>>);

impl PartialEq for Facts {
    fn eq(&self, other: &Self) -> bool {
        let pairs = |facts: &Self| facts.0.len();
        Rc::ptr_eq(&self.0, &other.0)
            || pairs(self) == pairs(other)
                && self.iter().zip(other.iter()).all(|((p, f), (q, g))| p == q && f.value == g.value)
    }
}

impl Facts {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Place, &Fact)> {
        self.0.iter()
    }

    pub(crate) fn get(&self, place: Place) -> Option<&Fact> {
        self.0.get(&place)
    }

    pub(crate) fn clear(&mut self) {
        if !self.0.is_empty() {
            self.0 = Rc::default();
        }
    }

    /// Remembers what a place holds, in place of what is known of the same bytes.
    pub(crate) fn insert(&mut self, place: Place, fact: Fact) {
        if self.0.len() < BUDGETS.places || self.0.contains_key(&place) {
            Rc::make_mut(&mut self.0).insert(place, fact);
        }
    }

    /// Forgets the places for which `keep` is false.
    pub(crate) fn retain(&mut self, keep: impl Fn(&Place, &Fact) -> bool) {
        if !self.0.iter().all(|(place, fact)| keep(place, fact)) {
            Rc::make_mut(&mut self.0).retain(|place, fact| keep(place, fact));
        }
    }

    /// Keeps what holds in both (the merge of figure 2.17).
    pub(crate) fn join(&mut self, other: &Facts) {
        if !Rc::ptr_eq(&self.0, &other.0) {
            self.retain(|place, fact| other.get(*place).is_some_and(|f| f.value == fact.value));
        }
    }
    /// Remembers that a place holds a value, if enough is known of the place to see when that ends.
    pub(crate) fn define(&mut self, view: &mut ProgramView<'_, '_>, frames: &Frames, place: Place, value: ExprId) {
        let Some(reach) = view.reach(frames, place) else { return };
        if !view.is_written_any_time(&reach, u64::from(place.bytes)) {
            self.insert(place, Fact { value, reach });
        }
    }
}

/// What holds when a function starts.
#[derive(Clone, PartialEq, Default, Debug)]
pub(crate) struct Entry {
    /// The parameters' values, where they are more than a symbol.
    pub(crate) params: Vec<Option<ExprId>>,
    pub(crate) facts: Facts,
}

impl Entry {
    /// Keeps what holds in both; whether that is less.
    pub(crate) fn join(&mut self, other: &Entry) -> bool {
        let before = self.clone();
        self.facts.join(&other.facts);
        for (at, value) in self.params.iter_mut().enumerate() {
            *value = value.filter(|_| other.params.get(at).copied().flatten() == *value);
        }
        *self != before
    }
}
