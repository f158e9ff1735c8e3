//! Numbers that are not the same in all states, but never smaller or larger than some: intervals, as facts that epochs
//! hand on.

use std::collections::{BTreeMap, BTreeSet};

use icsched_smt::Term;

use crate::bounds::Bounds;
use crate::budgets::BUDGETS;
use crate::fact_map::FactMap;
use crate::fact_state::FactState;
use crate::fields::Parts;
use crate::join::{Join, Side};
use crate::kind::MapKind;
use crate::place::{Held, Place};
use crate::renaming::Renaming;
use crate::shape::Shape;
use crate::widening::{Idle, WideningStep};

/// Between which numbers places are.
pub struct Intervals;

impl MapKind for Intervals {
    type Key = Place;
    type Value = Bounds;

    const NAME: &'static str = "bounds";

    fn of(shape: &Shape) -> &FactMap<Self::Key, Self::Value> {
        &shape.bounds
    }

    fn of_mut(shape: &mut Shape) -> &mut FactMap<Self::Key, Self::Value> {
        &mut shape.bounds
    }

    fn places(&place: &Place) -> Vec<Place> {
        vec![place]
    }

    fn is_well_formed(_: &Place, bounds: &Bounds, _: &dyn Fn(Place) -> Option<u32>) -> bool {
        (1..=64).contains(&bounds.width)
    }

    fn renamed_key(&place: &Place, names: &Renaming<'_>) -> Option<Place> {
        names.place(place)
    }

    /// The hull of both. If that is one number, the place holds that number.
    fn join(join: &mut Join<'_>) {
        let places = [&join.a, &join.b].map(|side| {
            side.in_join(|names| side.shape.bounds.keys().filter_map(|&at| names.place(at)).collect::<Vec<_>>())
        });
        for place in places.into_iter().flatten() {
            if let (Some(a), Some(b)) = (join.a.bounds_of(place), join.b.bounds_of(place))
                && a.width == b.width
            {
                let hull = a.hull(b);
                if hull.least == hull.greatest {
                    join.found.set(place, hull);
                } else {
                    join.found.add_bounds(place, hull);
                }
            }
        }
    }

    fn takes_part(step: &WideningStep<'_>) -> bool {
        matches!(step, WideningStep::ToLimits { .. } | WideningStep::ToThresholds(_))
    }

    fn widen(shape: &mut Shape, before: &Shape, step: &mut WideningStep<'_>) {
        match step {
            WideningStep::ToLimits { moved, reached } => shape.widen_bounds_to_limits(before, moved, reached),
            WideningStep::ToThresholds(thresholds) => {
                for (&place, bounds) in &mut shape.bounds {
                    if let Some(before) = before.bounds_of(place).filter(|&before| bounds.are_wider_than(before))
                        && let Some(thresholds) = thresholds(place, None)
                    {
                        *bounds = bounds.widened(before, &thresholds);
                    }
                }
                shape.bounds.retain(|_, bounds| bounds.say_something());
            }
            WideningStep::Counters | WideningStep::Remainders => {}
        }
    }

    fn forget_idle(shape: &mut Shape, idle: &Idle<'_>) {
        let places: Vec<Place> = shape.bounds.keys().copied().filter(|&place| idle.contains(shape, place)).collect();
        for place in places {
            shape.forget_bytes(place);
            let whole = shape.whole_number(idle.parts, place).filter(|&(whole, _)| idle.contains(shape, whole));
            if let Some((whole, sign)) = whole {
                shape.forget_bytes(whole);
                shape.bounds.remove(&place);
                shape.bounds.insert(whole, sign);
            } else if let Some(bounds) = shape.bounds.get_mut(&place) {
                *bounds = bounds.of_sign();
            }
        }
        shape.bounds.retain(|_, bounds| bounds.say_something());
    }

    fn conditions(&place: &Place, bounds: &Bounds, state: &mut dyn FactState) -> Option<Vec<Term>> {
        let term = state.value(place, bounds.width)?;
        Some(vec![bounds.hold(state.pool(), term)])
    }

    fn words(&place: &Place, bounds: &Bounds, name: &dyn Fn(Place) -> String) -> String {
        format!("{} is between {} and {}", name(place), bounds.least, bounds.greatest)
    }

    fn unless_overflow(&place: &Place) -> Option<Place> {
        Some(place)
    }
}

impl Side<'_> {
    /// Between which numbers a place of the join is in this shape.
    pub(crate) fn bounds_of(&self, place: Place) -> Option<Bounds> {
        self.shape.bounds_of(self.own(|names| names.place(place))?)
    }
}

impl Shape {
    /// The places that hold the same unknown value as a place, it among them; at least that one. O(places).
    pub fn equal_to(&self, place: Place) -> impl Iterator<Item = Place> + '_ {
        let held = match place {
            Place::Memory(node, at, size) => self.memory(node, at, size),
            Place::Register(thread, depth, value) => self.registers.get(&(thread, depth, value)).map(|&(_, held)| held),
        };
        let class = held.filter(|held| matches!(held, Held::Same(_)));
        let words = self.words.iter().map(|(&(node, at), &(size, held))| (Place::Memory(node, at, size), held));
        let registers = self
            .registers
            .iter()
            .map(|(&(thread, depth, value), &(_, held))| (Place::Register(thread, depth, value), held));
        let others = words.chain(registers).filter(move |&(other, held)| Some(held) == class && other != place);
        std::iter::once(place).chain(others.map(|(other, _)| other))
    }

    /// Between which numbers a place holds one; `None` if nothing is known.
    pub fn bounds_of(&self, place: Place) -> Option<Bounds> {
        if let Some(&bounds) = self.bounds.get(&place) {
            return Some(bounds);
        }
        match place {
            Place::Memory(node, at, size) => match self.memory(node, at, size)? {
                Held::Bits(bits) => Some(Bounds::exactly(8 * size, bits)),
                Held::Address(..) | Held::Same(_) => None,
            },
            Place::Register(thread, depth, value) => match *self.registers.get(&(thread, depth, value))? {
                (width, Held::Bits(bits)) => Some(Bounds::exactly(width, bits)),
                _ => None,
            },
        }
    }

    /// Widens bounds to where they may end, if that is known. Else, a number that has got larger a second time is taken
    /// to be limited by the next constant in the same object, the length of a ring beside its indices; without one,
    /// what nothing limits is any number.
    fn widen_bounds_to_limits(&mut self, before: &Self, moved: &mut Vec<Place>, reached: &mut BTreeSet<Place>) {
        let mut wider_bounds = BTreeMap::new();
        for (&place, &bounds) in &self.bounds {
            let Some(before) = before.bounds_of(place) else { continue };
            let open = Bounds::of_width(bounds.width);
            let told = self.limits.get(&place).copied();
            let end = told.unwrap_or(open);
            let is_told = bounds.greatest <= end.greatest && end.greatest < open.greatest;
            let is_again = before.least < before.greatest;
            let limit = if is_told || !is_again { None } else { self.limit_beside(place, bounds.greatest) };
            // Nothing limits what counts on.
            let counts_on = is_again && limit.is_none() && told.is_some_and(|end| end.greatest == open.greatest);
            let end = Bounds { greatest: limit.unwrap_or(end.greatest), ..end };
            let mut wider = bounds.ended(before, end);
            if counts_on && bounds.greatest > before.greatest {
                wider.greatest = open.greatest;
            }
            if wider != bounds {
                wider_bounds.insert(place, wider);
            }
            let is_below = bounds.least == before.least || (end.least > open.least && end.least <= bounds.least);
            let is_above =
                bounds.greatest == before.greatest || (end.greatest < open.greatest && end.greatest >= bounds.greatest);
            if wider != bounds || (is_below && is_above) {
                reached.insert(place);
            }
        }
        moved.extend(wider_bounds.keys());
        self.bounds.extend(wider_bounds);
    }

    /// The least number above another one that is a constant near a place in the same object, or one less than that.
    fn limit_beside(&self, place: Place, above: i64) -> Option<i64> {
        let Place::Memory(node, at, size) = place else { return None };
        let from =
            at.saturating_sub(BUDGETS.neighbourhood) - at.saturating_sub(BUDGETS.neighbourhood) % u64::from(size);
        let constants = (from..=at + BUDGETS.neighbourhood).step_by(size.into()).filter_map(|near| {
            match self.memory(node, near, size)? {
                Held::Bits(bits) => Some(Bounds::exactly(8 * size, bits).least),
                Held::Address(..) | Held::Same(_) => None,
            }
        });
        constants.flat_map(|n| [n.saturating_sub(1), n]).filter(|&n| n >= above).min()
    }

    /// The number of eight bytes that four bytes are the lower half of, and what the constant upper half says of it.
    fn whole_number(&self, parts: Parts<'_>, place: Place) -> Option<(Place, Bounds)> {
        let Place::Memory(node, at, 4) = place else { return None };
        let is_whole = at.is_multiple_of(8) && parts.has_number(self, node, at, 8);
        let upper = is_whole.then(|| self.memory(node, at + 4, 4)).flatten()?;
        let Held::Bits(upper) = upper else { return None };
        Some((Place::Memory(node, at, 8), Bounds::exactly(64, upper << 32).of_sign()))
    }

    /// Forgets what single bytes hold of numbers in fields of their own that have bounds: a counter loses one after the
    /// other.
    pub fn forget_parts(&mut self, parts: Parts<'_>) {
        let is_part =
            |place: &Place| matches!(*place, Place::Memory(node, at, size) if parts.has_number(self, node, at, size));
        let known: Vec<Place> = self.bounds.keys().copied().filter(is_part).collect();
        known.into_iter().for_each(|place| self.forget_bytes(place));
    }

    fn forget_bytes(&mut self, place: Place) {
        if let Place::Memory(node, at, size) = place {
            (at..at + u64::from(size)).for_each(|at| self.bytes.remove(&(node, at)));
        }
    }

    /// Notes bounds if they say something.
    pub(crate) fn add_bounds(&mut self, place: Place, bounds: Bounds) {
        if bounds.say_something() {
            self.bounds.insert(place, bounds);
        }
    }
}

#[cfg(test)]
mod tests {
    use icsched_ir::{EntityId as _, GlobalId};

    use super::*;
    use crate::fields::{Fields, Parts};
    use crate::place::Node;

    fn place() -> Place {
        Place::Memory(Node::Global(GlobalId::from_index(0)), 4, 4)
    }

    fn number(n: u8) -> Shape {
        let bytes =
            (4..8).map(|at| ((Node::Global(GlobalId::from_index(0)), at), if at == 4 { n } else { 0 })).collect();
        Shape { bytes, ..Shape::default() }
    }

    fn between(least: i64, greatest: i64) -> Shape {
        Shape { bounds: [(place(), Bounds { width: 32, least, greatest })].into(), ..Shape::default() }
    }

    #[test]
    fn what_two_shapes_say_is_between_the_bounds_of_both() {
        assert_eq!(number(3).join(&number(7)).bounds, between(3, 7).bounds);
        assert_eq!(number(3).join(&number(3)).bounds, Shape::default().bounds);
        assert_eq!(number(9).join(&between(1, 4)).bounds, between(1, 9).bounds);
        assert_eq!(between(1, 4).join(&number(9)).bounds, between(1, 9).bounds);
        assert_eq!(between(1, 4).join(&Shape::default()).bounds, Shape::default().bounds);
    }

    #[test]
    fn bounds_that_get_wider_are_given_up() {
        let mut wider = between(0, 9);
        wider.widen_to_thresholds(&between(0, 4), |_, _| Some([].into()));
        assert_eq!(wider.bounds, between(0, i32::MAX.into()).bounds);
        let mut both = between(-1, 9);
        both.widen_to_thresholds(&between(0, 4), |_, _| Some([].into()));
        assert!(both.bounds.is_empty());
        let mut next = between(-2, 9);
        next.widen_to_thresholds(&between(0, 4), |_, _| Some([-1, 0, 8, 12, 20].into()));
        assert_eq!(next.bounds, between(i32::MIN.into(), 12).bounds);
    }

    #[test]
    fn only_signs_are_kept_of_numbers_that_nothing_is_decided_by() {
        let mut wider = between(1, 2);
        wider.bytes = number(0).bytes;
        wider.forget_idle(Parts::default(), |_, place| !matches!(place, Place::Memory(_, 4..8, 1)));
        assert_eq!(
            (wider.bounds.clone(), wider.bytes.len()),
            (between(1, 2).bounds, 4),
            "something is decided by them"
        );
        wider.forget_idle(Parts::default(), |_, _| true);
        assert_eq!((wider.bounds, wider.bytes.len()), (between(0, i32::MAX.into()).bounds, 0));
        let mut any = between(-1, 1);
        any.forget_idle(Parts::default(), |_, _| true);
        assert!(any.bounds.is_empty());
    }

    #[test]
    fn of_a_number_that_nothing_is_decided_by_no_half_is_kept() {
        let global = GlobalId::from_index(0);
        let fields = Fields::of_global(global, &[0]);
        let lower = Place::Memory(Node::Global(global), 0, 4);
        let counter = |fields: &Fields| {
            let bounds = [(lower, Bounds { width: 32, least: 0, greatest: 1 })].into();
            let mut counter = Shape { bytes: number(0).bytes, bounds, ..Shape::default() };
            counter.forget_idle(Parts { fields, ..Parts::default() }, |_, _| true);
            (counter.bounds, counter.bytes.len())
        };
        let whole = Place::Memory(Node::Global(global), 0, 8);
        assert_eq!(counter(&fields), ([(whole, Bounds { width: 64, least: 0, greatest: i64::MAX })].into(), 0));
        // Something else begins in the middle.
        let halves = [(lower, Bounds { width: 32, least: 0, greatest: i32::MAX.into() })];
        assert_eq!(counter(&Fields::of_global(global, &[0, 4])), (halves.into(), 4));
    }

    #[test]
    fn bounds_that_get_wider_end_where_they_may_end() {
        let mut wider = between(0, 2);
        wider.limits.insert(place(), Bounds { width: 32, least: i32::MIN.into(), greatest: 9 });
        wider.widen_to_limits(&between(0, 1));
        assert_eq!(wider.bounds, between(0, 9).bounds);
        // What did not get wider stays.
        wider.widen_to_limits(&between(0, 9));
        assert_eq!(wider.bounds, between(0, 9).bounds);
        // Nothing limits it: that it got larger a second time is enough.
        let any = Bounds { width: 32, least: i32::MIN.into(), greatest: i32::MAX.into() };
        let mut counter = between(0, 2);
        counter.limits.insert(place(), any);
        counter.widen_to_limits(&between(0, 1));
        assert_eq!(counter.bounds, between(0, i32::MAX.into()).bounds);
        let mut flag = between(0, 1);
        flag.limits.insert(place(), any);
        flag.widen_to_limits(&number(0));
        assert_eq!(flag.bounds, between(0, 1).bounds);
        let mut lower = between(-1, 2);
        lower.limits.insert(place(), Bounds { width: 32, least: -8, greatest: 9 });
        lower.widen_to_limits(&between(0, 2));
        assert_eq!(lower.bounds, between(-8, 2).bounds);
    }

    #[test]
    fn a_number_beside_a_constant_is_limited_by_it() {
        let beside = |bounds: (i64, i64), limit: u8| {
            let mut shape = between(bounds.0, bounds.1);
            let bytes =
                (12..16).map(|at| ((Node::Global(GlobalId::from_index(0)), at), if at == 12 { limit } else { 0 }));
            shape.bytes = bytes.collect();
            shape
        };
        let mut index = beside((0, 2), 9);
        index.widen_to_limits(&beside((0, 1), 9));
        assert_eq!(index.bounds, between(0, 8).bounds);
        let mut count = beside((0, 9), 9);
        count.widen_to_limits(&beside((0, 8), 9));
        assert_eq!(count.bounds, between(0, 9).bounds);
        let mut more = beside((0, 10), 9);
        more.widen_to_limits(&beside((0, 9), 9));
        assert_eq!(more.bounds, between(0, 10).bounds);
        // Numbers that were constants have got larger once: it may be the last time.
        let mut first = beside((0, 1), 9);
        first.widen_to_limits(&number(0));
        assert_eq!(first.bounds, between(0, 1).bounds);
    }
}
