//! Places that hold one of a few addresses, which of them nobody knows: an element of an array of pointers that an
//! input has chosen, the node of a list where a thread is. Sets of constants, as facts that epochs hand on.

use std::ops::Bound;

use icsched_smt::{CmpOp, Term};

use crate::bounds::Bounds;
use crate::budgets::BUDGETS;
use crate::fact_map::FactMap;
use crate::fact_state::FactState;
use crate::join::Join;
use crate::kind::MapKind;
use crate::place::{Held, Place};
use crate::renaming::Renaming;
use crate::shape::Shape;

/// Which constants places hold one of: at least two different ones, ascending, one of them an address.
pub struct Choices;

impl MapKind for Choices {
    type Key = Place;
    type Value = Vec<Held>;

    const NAME: &'static str = "choices";

    fn of(shape: &Shape) -> &FactMap<Self::Key, Self::Value> {
        &shape.choices
    }

    fn of_mut(shape: &mut Shape) -> &mut FactMap<Self::Key, Self::Value> {
        &mut shape.choices
    }

    fn places(&place: &Place) -> Vec<Place> {
        vec![place]
    }

    fn renamed_key(&place: &Place, names: &Renaming<'_>) -> Option<Place> {
        names.place(place)
    }

    fn renamed_value(choices: &Vec<Held>, names: &Renaming<'_>) -> Option<Vec<Held>> {
        let mut renamed: Vec<Held> = choices.iter().map(|&held| names.held(held)).collect::<Option<_>>()?;
        renamed.sort_unstable();
        Some(renamed)
    }

    fn said(shape: &Shape, &place: &Place) -> Option<Vec<Held>> {
        shape.choices_of(place)
    }

    fn joined(mut a: Vec<Held>, b: Vec<Held>) -> Option<Vec<Held>> {
        a.extend(b);
        a.sort_unstable();
        a.dedup();
        ((2..=BUDGETS.choices).contains(&a.len()) && a.iter().any(Held::points)).then_some(a)
    }

    /// Places that hold different constants.
    fn other_keys(join: &Join<'_>) -> Vec<Place> {
        join.differ.clone()
    }

    /// Which addresses that nobody knows are not the same in one and the other: two threads that wait in the same
    /// places each have something of their own, whichever is whose.
    fn joined_all(join: &mut Join<'_>) {
        let pairs: Vec<(Place, Place)> = join.found.overlapping().collect();
        for pair in pairs {
            if let Some((a, b)) = join.difference_in_each(pair)
                && a.exclude_zero()
                && b.exclude_zero()
            {
                join.found.differences.entry(pair).or_insert(Bounds::nonzero(64));
            }
        }
    }

    fn conditions(&place: &Place, choices: &Vec<Held>, state: &mut dyn FactState) -> Option<Vec<Term>> {
        let mut constants = state.constants(choices)?;
        let term = state.value(place, 64)?;
        let pool = state.pool();
        let is_one = |&bits: &u64| {
            let constant = pool.constant(64, bits);
            pool.cmp(CmpOp::Eq, term, constant)
        };
        let guards: Vec<Term> = constants.iter().map(is_one).collect();
        let any = pool.or_all(&guards);
        constants.sort_unstable();
        state.note_alternatives(term, constants);
        Some(vec![any])
    }

    fn words(&place: &Place, choices: &Vec<Held>, name: &dyn Fn(Place) -> String) -> String {
        format!("{} is one of {} addresses", name(place), choices.len())
    }
}

impl Shape {
    /// What a place may hold, if that is one of a few constants.
    pub(crate) fn choices_of(&self, place: Place) -> Option<Vec<Held>> {
        if let Some(choices) = self.choices.get(&place) {
            return Some(choices.clone());
        }
        self.held(place).filter(|(_, held)| !matches!(held, Held::Same(_))).map(|(_, held)| vec![held])
    }

    /// Pairs of places that may hold the same address by what is known of each.
    pub fn overlapping(&self) -> impl Iterator<Item = (Place, Place)> + '_ {
        let later = |first: Place| self.choices.range((Bound::Excluded(first), Bound::Unbounded));
        let pairs = self
            .choices
            .iter()
            .flat_map(move |(&first, a)| later(first).map(move |(&second, b)| (first, a, second, b)));
        let shared =
            pairs.filter(|(_, a, _, b)| a.iter().any(|held| matches!(held, Held::Address(..)) && b.contains(held)));
        shared.map(|(first, _, second, _)| (first, second)).take(BUDGETS.distinct_pairs)
    }
}

#[cfg(test)]
mod tests {
    use icsched_ir::{EntityId as _, GlobalId, ValueId};
    use icsched_pointsto::ObjectId as Abstract;

    use super::*;
    use crate::place::Node;

    fn global(n: usize) -> Node {
        Node::Global(GlobalId::from_index(n))
    }

    fn cursor() -> (u32, u32, ValueId) {
        (0, 0, ValueId::from_index(3))
    }

    /// An array with the addresses of objects from the heap, and a register with one of something.
    fn with_cursor(objects: u32, held: Held) -> Shape {
        let address = |n: u32| ((global(0), 8 * u64::from(n)), (8, Held::Address(Node::Heap(n), 0)));
        Shape {
            words: (0..objects).map(address).collect(),
            registers: [(cursor(), (64, held))].into(),
            heap: vec![Abstract::from_index(7); objects as usize],
            ..Shape::default()
        }
    }

    fn choices(shape: &Shape) -> Option<&[Held]> {
        let (thread, depth, value) = cursor();
        shape.choices.get(&Place::Register(thread, depth, value)).map(Vec::as_slice)
    }

    #[test]
    fn what_two_shapes_say_is_one_of_what_each_says() {
        let variable = |n: usize| Held::Address(global(n), 4);
        let (first, second, third) = (variable(1), variable(2), Held::Bits(0));
        let two = with_cursor(0, first).join(&with_cursor(0, second));
        assert_eq!(choices(&two), Some(&[first, second][..]));
        let three = two.join(&with_cursor(0, third));
        assert_eq!(choices(&three), Some(&[third, first, second][..]));
        assert_eq!(three.join(&two), three);
        assert_eq!(choices(&three.join(&with_cursor(0, Held::Same(0)))), None);
        assert_eq!(choices(&with_cursor(0, third).join(&with_cursor(0, Held::Bits(9)))), None);
        let many = (1..=BUDGETS.choices + 1).map(|n| with_cursor(0, variable(n)));
        assert_eq!(choices(&many.reduce(|a, b| a.join(&b)).expect("there are some")), None);
    }

    #[test]
    fn functions_are_choices_and_numbers_are_not() {
        let function =
            |n: usize| Held::Bits(icsched_machine::memory::function_address(icsched_ir::FuncId::from_index(n)));
        let two = with_cursor(0, function(1)).join(&with_cursor(0, function(2)));
        assert_eq!(choices(&two), Some(&[function(1), function(2)][..]));
        let numbers = with_cursor(0, Held::Bits(3)).join(&with_cursor(0, Held::Bits(4)));
        assert_eq!(choices(&numbers), None);
    }

    #[test]
    fn objects_from_the_heap_are_those_of_the_join() {
        let object = |n| Held::Address(Node::Heap(n), 0);
        let (thread, depth, value) = cursor();
        let mut chosen = with_cursor(3, Held::Same(0));
        chosen.choices.insert(Place::Register(thread, depth, value), vec![object(1), object(2)]);
        let mut reversed = chosen.clone();
        for (n, (_, held)) in (0..).zip(reversed.words.values_mut()) {
            *held = object(2 - n);
        }
        let met = chosen.join(&reversed);
        assert_eq!(choices(&met), Some(&[object(0), object(1), object(2)][..]));
        // An object that is not in both is no choice.
        chosen.words.remove(&(global(0), 16));
        assert_eq!(choices(&chosen.canonical()), None);
    }
}
