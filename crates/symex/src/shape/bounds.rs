//! Numbers that are not the same in all states, but never smaller or larger than some: intervals, as facts that epochs hand on.

use std::collections::{BTreeMap, BTreeSet};

use icsched_ir::{BinOp, Const, Function, Inst, Op, Operand, Origin, Program, Type, ValueId};
use icsched_smt::{CmpOp, Term, TermPool};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::{Held, Parts, Place, Shape};

/// The least and the greatest number that a place may hold, as signed numbers of its width. If the least is above the greatest, it is
/// [any but 0](Self::nonzero).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Bounds {
    /// Bits of the place, at most 64.
    pub width: u8,
    /// No number is smaller.
    pub least: i64,
    /// No number is larger.
    pub greatest: i64,
}

impl Bounds {
    /// Those of all numbers of so many bits.
    pub const fn of_width(width: u8) -> Self {
        Self { width, least: i64::MIN >> (64 - width), greatest: i64::MAX >> (64 - width) }
    }

    /// All numbers but 0: of the difference of two numbers, that they are not the same.
    pub const fn nonzero(width: u8) -> Self {
        Self { width, least: 1, greatest: -1 }
    }

    /// Whether they are [all numbers but 0](Self::nonzero).
    pub const fn are_nonzero(self) -> bool {
        self.least > self.greatest
    }

    /// Whether 0 is outside of them.
    pub const fn exclude_zero(self) -> bool {
        self.are_nonzero() || self.least > 0 || self.greatest < 0
    }

    /// Those of one number.
    pub(super) const fn exactly(width: u8, bits: u64) -> Self {
        let number = (bits << (64 - width)).cast_signed() >> (64 - width);
        Self { width, least: number, greatest: number }
    }

    /// The tightest ones that both are within.
    #[must_use]
    pub(super) fn hull(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), greatest: self.greatest.max(other.greatest), ..self }
    }

    /// Whether there are numbers outside of them.
    pub fn say_something(self) -> bool {
        self != Self::of_width(self.width)
    }

    /// The same, but as wide as the next of the `thresholds`, ascending, on the side on which `before` was narrower; without one there is no
    /// bound on that side.
    pub(super) fn widened(self, before: Self, thresholds: &[i64]) -> Self {
        let open = Self::of_width(self.width);
        let below = thresholds.iter().rev().find(|&&n| n <= self.least).map_or(open.least, |&n| n.max(open.least));
        let above = thresholds.iter().find(|&&n| n >= self.greatest).map_or(open.greatest, |&n| n.min(open.greatest));
        Self {
            least: if self.least < before.least { below } else { self.least },
            greatest: if self.greatest > before.greatest { above } else { self.greatest },
            ..self
        }
    }

    /// The same, but as wide as `end` on a side on which `before` was narrower, if there is one.
    fn ended(self, before: Self, end: Self) -> Self {
        let open = Self::of_width(self.width);
        let is_lower = self.least < before.least && end.least > open.least;
        let is_higher = self.greatest > before.greatest && end.greatest < open.greatest;
        Self {
            least: if is_lower { self.least.min(end.least) } else { self.least },
            greatest: if is_higher { self.greatest.max(end.greatest) } else { self.greatest },
            ..self
        }
    }

    /// Whether there are numbers within them that are not within others.
    pub(super) fn are_wider_than(self, other: Self) -> bool {
        self.least < other.least || self.greatest > other.greatest
    }

    /// Those of all numbers that have a sign which all within them have.
    fn of_sign(self) -> Self {
        let open = Self::of_width(self.width);
        match (self.least, self.greatest) {
            (0.., _) => Self { least: 0, ..open },
            (_, ..0) => Self { greatest: -1, ..open },
            _ => open,
        }
    }

    /// The condition that a term of their width is within them.
    pub fn hold(self, pool: &mut TermPool, term: Term) -> Term {
        if self.are_nonzero() {
            let zero = pool.constant(self.width.into(), 0);
            return pool.ne(term, zero);
        }
        let limit = |pool: &mut TermPool, number: i64| pool.constant(self.width.into(), number.cast_unsigned());
        let (least, greatest) = (limit(pool, self.least), limit(pool, self.greatest));
        let (above, below) = (pool.cmp(CmpOp::Sle, least, term), pool.cmp(CmpOp::Sle, term, greatest));
        pool.and_all(&[above, below])
    }
}

/// Most numbers that bounds are looked for at.
const MAX_THRESHOLDS: usize = 64;

/// How many bytes before or behind a number constants may limit it.
const LANDMARKS: u64 = 64;

/// No further apart is a number from a bound of another one that it is the sum or the difference of: generators of random numbers add larger
/// ones.
const FARTHEST_STEP: u64 = 1 << 16;

/// The numbers at which bounds are looked for, ascending: those that the program compares with or divides by, and their neighbours
/// (widening with thresholds; Blanchet et al., A static analyzer for large safety-critical software, 2003).
pub fn thresholds(program: &Program) -> Vec<i64> {
    let mut found = vec![-1, 0, 1];
    for (_, function) in program.functions.iter().filter(|(_, f)| f.origin == Origin::Program) {
        let sums = sums_with_constants(function);
        for inst in function.blocks.iter().flat_map(|(_, block)| &block.insts) {
            found.extend(ends_of_range(&inst.op, &sums).into_iter().flat_map(beside));
            let (operands, farthest) = match &inst.op {
                Op::IntCompare { a, b, .. } => ([*a, *b], u64::MAX),
                Op::Binary { op: BinOp::Add | BinOp::Sub, a, b, .. } => ([*a, *b], FARTHEST_STEP),
                Op::Binary { op, a, b, .. } if limits(*op) => ([*a, *b], u64::MAX),
                _ => continue,
            };
            for operand in operands {
                if let Operand::Const(Const::Bits { ty: Type::Int(width @ (32 | 64)), bits }) = operand {
                    let number = Bounds::exactly(width, bits).least;
                    if number.unsigned_abs() <= farthest {
                        found.extend(beside(number));
                    }
                }
            }
        }
    }
    found.sort_unstable_by_key(|number| (number.unsigned_abs(), *number));
    found.dedup();
    found.truncate(MAX_THRESHOLDS);
    found.sort_unstable();
    found
}

/// Where the results of masks and remainders by constants begin and end, ascending: a number that gets larger from epoch to epoch, and is the
/// index of a ring, gets no larger than that.
pub fn ends_of_results(program: &Program) -> Vec<i64> {
    let mut found = Vec::new();
    for (_, function) in program.functions.iter().filter(|(_, f)| f.origin == Origin::Program) {
        for inst in function.blocks.iter().flat_map(|(_, block)| &block.insts) {
            let Op::Binary { op, b: Operand::Const(Const::Bits { ty: Type::Int(width @ (32 | 64)), bits }), .. } =
                inst.op
            else {
                continue;
            };
            let by = Bounds::exactly(width, bits).least;
            match op {
                BinOp::And if by > 0 => found.push(by),
                BinOp::URem if by > 0 => found.push(by - 1),
                BinOp::SRem if by != 0 && by != i64::MIN => found.extend([by.abs() - 1, 1 - by.abs()]),
                _ => {}
            }
        }
    }
    found.sort_unstable_by_key(|number| (number.unsigned_abs(), *number));
    found.dedup();
    found.truncate(MAX_THRESHOLDS);
    found.sort_unstable();
    found
}

/// A number, and its neighbours.
const fn beside(number: i64) -> [i64; 3] {
    [number.saturating_sub(1), number, number.saturating_add(1)]
}

/// The values of a function that are sums with a constant, and these.
fn sums_with_constants(function: &Function) -> FxHashMap<ValueId, u64> {
    let of_inst = |inst: &Inst| match inst.op {
        Op::Binary { op: BinOp::Add, a: _, b: Operand::Const(Const::Bits { bits, .. }), .. } => {
            Some((*inst.results.first()?, bits))
        }
        _ => None,
    };
    function.blocks.iter().flat_map(|(_, block)| &block.insts).filter_map(of_inst).collect()
}

/// Where a number begins and ends of which it is asked whether it is within a range, as compilers ask that: `1 <= n && n <= 64` is
/// `n - 1 < 64` without signs.
fn ends_of_range(op: &Op, sums: &FxHashMap<ValueId, u64>) -> Vec<i64> {
    let Op::IntCompare {
        a: Operand::Value(sum),
        b: Operand::Const(Const::Bits { ty: Type::Int(width @ (32 | 64)), bits }),
        ..
    } = *op
    else {
        return Vec::new();
    };
    let Some(addend) = sums.get(&sum) else { return Vec::new() };
    let mask = u64::MAX >> (64 - width);
    [0_u64, bits].map(|end| Bounds::exactly(width, end.wrapping_sub(*addend) & mask).least).to_vec()
}

/// Whether an operand of an operation is where its result may begin or end.
const fn limits(op: BinOp) -> bool {
    matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem | BinOp::And)
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

    /// Bounds that have got wider than those of `before`, where all that is known now was known, too, become as wide as the next of some
    /// numbers, ascending; without one there is no bound on that side. `limits` gives the numbers for a place, or for the difference of two;
    /// none for what is left as it is.
    pub fn widen_bounds<'t>(
        &mut self,
        before: &Self,
        mut limits: impl FnMut(Place, Option<Place>) -> Option<&'t [i64]>,
    ) {
        if self.bounds.is_empty() && self.differences.is_empty() {
            return;
        }
        let before = before.numbered_as(self);
        for (&place, bounds) in &mut self.bounds {
            if let Some(before) = before.bounds_of(place).filter(|&before| bounds.are_wider_than(before))
                && let Some(limits) = limits(place, None)
            {
                *bounds = bounds.widened(before, limits);
            }
        }
        self.bounds.retain(|_, bounds| bounds.say_something());
        self.widen_differences(&before, limits);
    }

    /// Bounds that have got wider than those of `before` become as wide as they may be [in the end](Self::ends), if that is known, and
    /// differences that have, as follows from the bounds of both numbers. Else, a number that has got larger a second time is taken to
    /// be limited by the next constant in the same object, the length of a ring beside its indices; without one, what nothing limits is any
    /// number. The places whose bounds are as wide now.
    pub fn widen_to_ends(&mut self, before: &Self) -> BTreeSet<Place> {
        if self.bounds.is_empty() {
            return BTreeSet::new();
        }
        let before = before.numbered_as(self);
        let (mut moved, mut ended) = (BTreeMap::new(), BTreeSet::new());
        for (&place, &bounds) in &self.bounds {
            let Some(before) = before.bounds_of(place) else { continue };
            let open = Bounds::of_width(bounds.width);
            let told = self.ends.get(&place).copied();
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
                moved.insert(place, wider);
            }
            let is_below = bounds.least == before.least || (end.least > open.least && end.least <= bounds.least);
            let is_above =
                bounds.greatest == before.greatest || (end.greatest < open.greatest && end.greatest >= bounds.greatest);
            if wider != bounds || (is_below && is_above) {
                ended.insert(place);
            }
        }
        self.bounds.extend(moved.iter().map(|(&place, &wider)| (place, wider)));
        if !moved.is_empty() {
            let places: Vec<Place> = moved.keys().copied().collect();
            self.widen_differences_of(&places, &before);
        }
        ended
    }

    /// The least number above another one that is a constant near a place in the same object, or one less than that.
    fn limit_beside(&self, place: Place, above: i64) -> Option<i64> {
        let Place::Memory(node, at, size) = place else { return None };
        let from = at.saturating_sub(LANDMARKS) - at.saturating_sub(LANDMARKS) % u64::from(size);
        let constants =
            (from..=at + LANDMARKS).step_by(size.into()).filter_map(|near| match self.memory(node, near, size)? {
                Held::Bits(bits) => Some(Bounds::exactly(8 * size, bits).least),
                Held::Address(..) | Held::Same(_) => None,
            });
        constants.flat_map(|n| [n.saturating_sub(1), n]).filter(|&n| n >= above).min()
    }

    /// Keeps nothing but the signs of numbers that are not constant, where nothing is decided by any part of them. If the upper half of a number
    /// of eight bytes, in a field of its own, is constant, it is one number all the same: it would lose that half in the end.
    pub fn forget_idle(&mut self, parts: Parts<'_>, is_idle: impl Fn(&Self, Place) -> bool) {
        let is_idle_in = |shape: &Self, place: Place| match place {
            Place::Memory(node, at, size) => {
                (at..at + u64::from(size)).all(|at| is_idle(shape, Place::Memory(node, at, 1)))
            }
            Place::Register(..) => is_idle(shape, place),
        };
        let idle: Vec<Place> = self.bounds.keys().copied().filter(|&place| is_idle_in(self, place)).collect();
        for place in idle {
            self.forget_bytes(place);
            let whole = self.whole(parts, place).filter(|(whole, _)| is_idle_in(self, *whole));
            if let Some((whole, sign)) = whole {
                self.forget_bytes(whole);
                self.bounds.remove(&place);
                self.bounds.insert(whole, sign);
            } else if let Some(bounds) = self.bounds.get_mut(&place) {
                *bounds = bounds.of_sign();
            }
        }
        self.bounds.retain(|_, bounds| bounds.say_something());
        if let Some(mut all) = self.combinations.take() {
            all.retain(|column| !column.places().any(|place| is_idle_in(self, place)));
            self.combinations = Some(all);
        }
    }

    /// The number of eight bytes that four bytes are the lower half of, and what the constant upper half says of it.
    fn whole(&self, parts: Parts<'_>, place: Place) -> Option<(Place, Bounds)> {
        let Place::Memory(node, at, 4) = place else { return None };
        let is_whole = at.is_multiple_of(8) && parts.has_number(self, node, at, 8);
        let upper = is_whole.then(|| self.memory(node, at + 4, 4)).flatten()?;
        let Held::Bits(upper) = upper else { return None };
        Some((Place::Memory(node, at, 8), Bounds::exactly(64, upper << 32).of_sign()))
    }

    /// Forgets what single bytes hold of numbers in fields of their own that have bounds: a counter loses one after the other.
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
}

#[cfg(test)]
mod tests {
    use icsched_ir::{EntityId as _, GlobalId};

    use super::super::Fields;
    use super::super::Node;
    use super::*;

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
        assert_eq!(number(3).meet(&number(7)).bounds, between(3, 7).bounds);
        assert_eq!(number(3).meet(&number(3)).bounds, Shape::default().bounds);
        assert_eq!(number(9).meet(&between(1, 4)).bounds, between(1, 9).bounds);
        assert_eq!(between(1, 4).meet(&number(9)).bounds, between(1, 9).bounds);
        assert_eq!(between(1, 4).meet(&Shape::default()).bounds, Shape::default().bounds);
    }

    #[test]
    fn bounds_that_get_wider_are_given_up() {
        let mut wider = between(0, 9);
        wider.widen_bounds(&between(0, 4), |_, _| Some(&[]));
        assert_eq!(wider.bounds, between(0, i32::MAX.into()).bounds);
        let mut both = between(-1, 9);
        both.widen_bounds(&between(0, 4), |_, _| Some(&[]));
        assert!(both.bounds.is_empty());
        let mut next = between(-2, 9);
        next.widen_bounds(&between(0, 4), |_, _| Some(&[-1, 0, 8, 12, 20]));
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
        wider.ends.insert(place(), Bounds { width: 32, least: i32::MIN.into(), greatest: 9 });
        wider.widen_to_ends(&between(0, 1));
        assert_eq!(wider.bounds, between(0, 9).bounds);
        // What did not get wider stays.
        wider.widen_to_ends(&between(0, 9));
        assert_eq!(wider.bounds, between(0, 9).bounds);
        // Nothing limits it: that it got larger a second time is enough.
        let any = Bounds { width: 32, least: i32::MIN.into(), greatest: i32::MAX.into() };
        let mut counter = between(0, 2);
        counter.ends.insert(place(), any);
        counter.widen_to_ends(&between(0, 1));
        assert_eq!(counter.bounds, between(0, i32::MAX.into()).bounds);
        let mut flag = between(0, 1);
        flag.ends.insert(place(), any);
        flag.widen_to_ends(&number(0));
        assert_eq!(flag.bounds, between(0, 1).bounds);
        let mut lower = between(-1, 2);
        lower.ends.insert(place(), Bounds { width: 32, least: -8, greatest: 9 });
        lower.widen_to_ends(&between(0, 2));
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
        index.widen_to_ends(&beside((0, 1), 9));
        assert_eq!(index.bounds, between(0, 8).bounds);
        let mut count = beside((0, 9), 9);
        count.widen_to_ends(&beside((0, 8), 9));
        assert_eq!(count.bounds, between(0, 9).bounds);
        let mut more = beside((0, 10), 9);
        more.widen_to_ends(&beside((0, 9), 9));
        assert_eq!(more.bounds, between(0, 10).bounds);
        // Numbers that were constants have got larger once: it may be the last time.
        let mut first = beside((0, 1), 9);
        first.widen_to_ends(&number(0));
        assert_eq!(first.bounds, between(0, 1).bounds);
    }

    #[test]
    fn numbers_are_signed() {
        assert_eq!(Bounds::exactly(32, 0xffff_ffff), Bounds { width: 32, least: -1, greatest: -1 });
        assert_eq!(Bounds::of_width(64), Bounds { width: 64, least: i64::MIN, greatest: i64::MAX });
    }
}
