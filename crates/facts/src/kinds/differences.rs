//! How far apart numbers are that the program compares: difference constraints, as facts that epochs hand on (zones;
//! Miné, A new numerical abstract domain based on difference-bound matrices, 2001). Here only of places that the
//! program compares with each other, or subtracts from each other, and not closed: what follows from several of them,
//! the solver finds where the next epoch begins.
//!
//! A difference wraps as machine words do, and its bounds are those of a signed number of their width. So `next - total
//! <= -1` says that the two are not equal, whatever they are, and stays true when `next` is increased while it is not
//! one less than `total`. Of numbers that the program compares it may be known only that they are not the same: their
//! difference is [any but 0](Bounds::nonzero).

use icsched_smt::{BinOp, Term};

use crate::bounds::Bounds;
use crate::fact_map::FactMap;
use crate::fact_state::FactState;
use crate::join::{Join, Side};
use crate::kind::MapKind;
use crate::place::{Held, Place};
use crate::renaming::Renaming;
use crate::shape::Shape;
use crate::widening::WideningStep;

/// How far apart pairs of places are.
pub struct Differences;

impl MapKind for Differences {
    type Key = (Place, Place);
    type Value = Bounds;

    const NAME: &'static str = "differences";

    fn of(shape: &Shape) -> &FactMap<Self::Key, Self::Value> {
        &shape.differences
    }

    fn of_mut(shape: &mut Shape) -> &mut FactMap<Self::Key, Self::Value> {
        &mut shape.differences
    }

    fn places(&(first, second): &(Place, Place)) -> Vec<Place> {
        vec![first, second]
    }

    /// Numbers are extended to the width of their difference.
    fn is_well_formed(&(first, second): &(Place, Place), apart: &Bounds, width: &dyn Fn(Place) -> Option<u32>) -> bool {
        let is_narrower = |place| width(place).is_some_and(|bits| bits <= apart.width.into());
        apart.width <= 64 && is_narrower(first) && is_narrower(second)
    }

    fn renamed_key(&(first, second): &(Place, Place), names: &Renaming<'_>) -> Option<(Place, Place)> {
        Some((names.place(first)?, names.place(second)?))
    }

    fn said(shape: &Shape, &pair: &(Place, Place)) -> Option<Bounds> {
        shape.difference_of(pair)
    }

    fn joined(a: Bounds, b: Bounds) -> Option<Bounds> {
        (a.width == b.width && a.either(b).say_something()).then(|| a.either(b))
    }

    fn joined_all(join: &mut Join<'_>) {
        join.found.settle_differences();
    }

    fn takes_part(step: &WideningStep<'_>) -> bool {
        matches!(step, WideningStep::ToLimits { .. } | WideningStep::ToThresholds(_))
    }

    fn widen(shape: &mut Shape, before: &Shape, step: &mut WideningStep<'_>) {
        match step {
            WideningStep::ToLimits { moved, .. } if moved.is_empty() => {}
            WideningStep::ToLimits { moved, .. } => shape.widen_differences_of(moved, before),
            WideningStep::ToThresholds(thresholds) => {
                for (&pair, bounds) in shape.differences.iter_mut().filter(|(_, bounds)| !bounds.are_nonzero()) {
                    if let Some(before) = before.difference_of(pair).filter(|&before| bounds.are_wider_than(before))
                        && let Some(thresholds) = thresholds(pair.0, Some(pair.1))
                    {
                        *bounds = bounds.widened(before, &thresholds);
                    }
                }
                shape.differences.retain(|_, bounds| bounds.say_something());
                shape.settle_differences();
            }
            WideningStep::Counters | WideningStep::Remainders => {}
        }
    }

    fn conditions(&(first, second): &(Place, Place), bounds: &Bounds, state: &mut dyn FactState) -> Option<Vec<Term>> {
        let (width, narrow) = (bounds.width, second.width(bounds.width));
        let (a, b) = (state.number(first, width), state.number(second, narrow));
        let pool = state.pool();
        let a = a.filter(|&a| pool.width(a) == u32::from(width))?;
        let b = b.filter(|&b| pool.width(b) == u32::from(narrow))?;
        let b = pool.sext(b, width.into());
        let difference = pool.binary(BinOp::Sub, a, b);
        Some(vec![bounds.hold(pool, difference)])
    }

    fn words(&(first, second): &(Place, Place), bounds: &Bounds, name: &dyn Fn(Place) -> String) -> String {
        match bounds.are_nonzero() {
            true => format!("{} and {} are not the same", name(first), name(second)),
            false => {
                format!("{} - {} is between {} and {}", name(first), name(second), bounds.least, bounds.greatest)
            }
        }
    }
}

impl Join<'_> {
    /// Between which numbers the difference of two places is in one and in the other, if something is known in both.
    pub(crate) fn difference_in_each(&self, pair: (Place, Place)) -> Option<(Bounds, Bounds)> {
        let of = |side: &Side<'_>| side.shape.difference_of(side.own(|names| Differences::renamed_key(&pair, names))?);
        Some((of(&self.a)?, of(&self.b)?))
    }
}

impl Bounds {
    /// Those of the difference of two numbers within bounds, if it cannot wrap; the narrower one is extended.
    fn less(self, other: Self) -> Option<Self> {
        let width = self.width.max(other.width);
        let all = Self::of_width(width);
        let least = self.least.checked_sub(other.greatest).filter(|&n| n >= all.least);
        let greatest = self.greatest.checked_sub(other.least).filter(|&n| n <= all.greatest);
        Some(Self { width, least: least?, greatest: greatest? })
    }

    /// Those of the difference of two numbers that is within one or the other.
    fn either(self, other: Self) -> Self {
        let hull = self.hull(other);
        match self.exclude_zero() && other.exclude_zero() {
            // On which side of 0 it is, and how far away, says less than that it is not 0.
            true if self.are_nonzero() || other.are_nonzero() || !hull.exclude_zero() => Self::nonzero(self.width),
            false if self.are_nonzero() || other.are_nonzero() => Self::of_width(self.width),
            _ => hull,
        }
    }
}

impl Shape {
    /// Between which numbers the difference of two places is, as far as something is known.
    pub fn difference_of(&self, (first, second): (Place, Place)) -> Option<Bounds> {
        if let Some(&known) = self.differences.get(&(first, second)) {
            return Some(known);
        }
        if let (Some(a), Some(b)) = (self.held(first), self.held(second))
            && a == b
            && matches!(a.1, Held::Same(_))
        {
            return Some(Bounds::exactly(a.0, 0));
        }
        self.difference_of_bounds((first, second)).or_else(|| self.are_apart(first, second))
    }

    /// That two places hold different addresses, if they hold constant ones.
    fn are_apart(&self, first: Place, second: Place) -> Option<Bounds> {
        let (a, b) = (self.held(first)?, self.held(second)?);
        let are_addresses = matches!((a, b), ((64, Held::Address(..)), (64, Held::Address(..))));
        (are_addresses && a.1 != b.1).then_some(Bounds::nonzero(64))
    }

    /// Between which numbers the difference of two places is by the bounds of both.
    pub fn difference_of_bounds(&self, (first, second): (Place, Place)) -> Option<Bounds> {
        self.bounds_of(first)?.less(self.bounds_of(second)?)
    }

    /// Whether it is known which number one of two places holds: then bounds of the other one say how far apart they
    /// are.
    pub fn is_settled(&self, (first, second): (Place, Place)) -> bool {
        let is_constant = |place| self.bounds_of(place).is_some_and(|bounds| bounds.least == bounds.greatest);
        is_constant(first) || is_constant(second)
    }

    /// Has differences [that bounds say](Self::is_settled) follow them: else they would get wider later than these.
    fn settle_differences(&mut self) {
        let settled: Vec<(Place, Place)> = self.differences.keys().copied().filter(|&p| self.is_settled(p)).collect();
        for pair in settled {
            match self.difference_of_bounds(pair) {
                Some(bounds) if bounds.say_something() => self.differences.insert(pair, bounds),
                _ => self.differences.remove(&pair),
            };
        }
    }

    /// Differences of some places become what the bounds of both numbers say, if they say anything, on the sides on
    /// which they have got wider than in `before`.
    fn widen_differences_of(&mut self, places: &[Place], before: &Self) {
        let mut wider = Vec::new();
        for (&pair, &now) in &self.differences {
            if now.are_nonzero() || !(places.contains(&pair.0) || places.contains(&pair.1)) {
                continue;
            }
            let known = before.difference_of(pair).filter(|known| !known.are_nonzero());
            if let Some(end) = self.difference_of_bounds(pair).map(|end| end.hull(now)) {
                let is_lower = known.is_none_or(|known| now.least < known.least);
                let is_higher = known.is_none_or(|known| now.greatest > known.greatest);
                let least = if is_lower { end.least } else { now.least };
                let greatest = if is_higher { end.greatest } else { now.greatest };
                wider.push((pair, Bounds { least, greatest, ..now }));
            }
        }
        self.differences.extend(wider);
    }
}

#[cfg(test)]
mod tests {
    use icsched_ir::{EntityId as _, GlobalId};
    use icsched_pointsto::ObjectId as Abstract;

    use super::*;
    use crate::place::Node;

    fn place(node: Node, at: u64) -> Place {
        Place::Memory(node, at, 4)
    }

    fn global() -> Node {
        Node::Global(GlobalId::from_index(0))
    }

    /// A variable with two numbers.
    fn numbers(first: u8, second: u8) -> Shape {
        let bytes = (0..8).map(|at| ((global(), at), [first, 0, 0, 0, second, 0, 0, 0][at as usize]));
        Shape { bytes: bytes.collect(), ..Shape::default() }
    }

    fn apart(pair: (Place, Place), least: i64, greatest: i64) -> FactMap<(Place, Place), Bounds> {
        [(pair, Bounds { width: 32, least, greatest })].into()
    }

    #[test]
    fn what_is_known_of_one_side_comes_from_its_numbers() {
        let pair = (place(global(), 0), place(global(), 4));
        let known = Shape { differences: apart(pair, -9, -1), ..Shape::default() };
        assert_eq!(known.join(&numbers(3, 5)).differences, apart(pair, -9, -1));
        assert_eq!(known.join(&numbers(5, 5)).differences, apart(pair, -9, 0));
        assert_eq!(numbers(7, 5).join(&known).differences, [(pair, Bounds::nonzero(32))].into(), "it is not 0");
        let equal = |at| ((global(), at), (4, Held::Same(0)));
        let same = Shape { words: [equal(0), equal(4)].into(), ..Shape::default() };
        assert_eq!(known.join(&same).differences, apart(pair, -9, 0));
        assert!(known.join(&Shape::default()).differences.is_empty());
        assert!(numbers(3, 5).join(&numbers(4, 5)).differences.is_empty(), "nobody has asked for it");
    }

    #[test]
    fn numbers_that_are_not_the_same_stay_so() {
        let pair = (place(global(), 0), place(global(), 4));
        let nonzero: FactMap<(Place, Place), Bounds> = [(pair, Bounds::nonzero(32))].into();
        let known = Shape { differences: nonzero.clone(), ..Shape::default() };
        assert_eq!(known.join(&numbers(3, 5)).differences, nonzero);
        assert_eq!(numbers(5, 3).join(&known).differences, nonzero);
        assert_eq!(known.join(&known).differences, nonzero);
        let below = Shape { differences: apart(pair, -9, -1), ..Shape::default() };
        assert_eq!(known.join(&below).differences, nonzero);
        assert_eq!(below.join(&numbers(5, 3)).differences, nonzero, "one is smaller, or the other");
        assert!(known.join(&numbers(5, 5)).differences.is_empty());
        let near = Shape { differences: apart(pair, -1, 1), ..Shape::default() };
        assert!(known.join(&near).differences.is_empty());
        let mut wider = known.clone();
        wider.widen_to_thresholds(&below, |_, _| Some([].into()));
        assert_eq!(wider.differences, nonzero);
    }

    #[test]
    fn a_difference_that_may_wrap_is_none() {
        let (x, y) = (place(global(), 0), place(global(), 4));
        let bounds = |least, greatest| Bounds { width: 32, least, greatest };
        let mut shape =
            Shape { bounds: [(x, bounds(0, i32::MAX.into())), (y, bounds(1, 7))].into(), ..Shape::default() };
        assert_eq!(shape.difference_of((x, y)), Some(bounds(-7, i64::from(i32::MAX) - 1)));
        shape.bounds.insert(y, bounds(-1, 7));
        assert_eq!(shape.difference_of((x, y)), None);
        assert_eq!(shape.difference_of((y, x)), Some(bounds(-1 - i64::from(i32::MAX), 7)));
    }

    #[test]
    fn objects_from_the_heap_have_other_numbers() {
        let object = |at: u32| (place(Node::Heap(at), 0), place(Node::Heap(at), 4));
        let shape = |number: u32, heap: usize| Shape {
            words: [((global(), 0), (8, Held::Address(Node::Heap(number), 0)))].into(),
            differences: apart(object(number), -5, number.into()),
            heap: vec![Abstract::from_index(7); heap],
            ..Shape::default()
        };
        let met = shape(0, 1).join(&shape(1, 2));
        assert_eq!(met.differences, apart(object(0), -5, 1));
        let mut wider = met;
        wider.widen_to_thresholds(&shape(0, 1), |_, _| Some([-8, 3].into()));
        assert_eq!(wider.differences, apart(object(0), -5, 3));
    }

    #[test]
    fn differences_from_constants_follow_bounds() {
        let pair = (place(Node::Global(GlobalId::from_index(0)), 0), place(Node::Global(GlobalId::from_index(0)), 4));
        let (first, second) = pair;
        let between = |least, greatest| Bounds { width: 32, least, greatest };
        // `count` is at most `limit`, which is 10.
        let of = |greatest: i64| {
            let mut shape = Shape { differences: apart(pair, -10, -1), ..Shape::default() };
            shape.bounds.insert(first, between(0, greatest));
            shape.set(second, between(10, 10));
            shape
        };
        assert!(of(5).is_settled(pair));
        assert_eq!(of(5).canonical().differences, apart(pair, -10, -5));
        // As soon as bounds are wider, so is the difference, and nothing is left to get wider.
        let mut wider = of(7).canonical();
        wider.bounds.insert(first, between(0, 9));
        wider.widen_to_thresholds(&of(7).canonical(), |_, _| None);
        assert_eq!(wider.differences, apart(pair, -10, -1));
        // Only the side that got wider follows bounds.
        let both = |least| Shape {
            bounds: [(first, between(0, 9)), (second, between(5, 20))].into(),
            differences: apart(pair, least, -1),
            ..Shape::default()
        };
        let mut lower = both(-8);
        lower.widen_differences_of(&[first], &both(-7));
        assert_eq!(lower.differences, apart(pair, -20, -1));
    }
}
