//! How far apart numbers are at the end of a path that the program compares.

use icsched_facts::{Bounds, FactMap, Place, Shape};
use icsched_smt::{Answer, BinOp, CmpOp, Ranges, Term};
use rustc_hash::FxHashMap;

use super::consequences::Consequences;
use super::finder::Finder;
use super::found::Found;
use super::reasoning::is_simple;

/// Finds differences.
pub(super) fn find(finder: &mut Finder<'_>, end: &mut Found<'_, '_>) {
    end.shape.differences = finder.differences(&end.shape, &end.numbers, &mut end.consequences, &mut end.sure);
}

impl Finder<'_> {
    /// Between which numbers places are apart that the program compares. `numbers` are those that are not constant.
    ///
    /// That sums have not overflowed does not count: a number that the program does not depend on may be another one,
    /// but not for each number beside it another one.
    fn differences(
        &mut self,
        shape: &Shape,
        numbers: &FxHashMap<Place, Term>,
        consequences: &mut Consequences,
        sure: &mut Ranges,
    ) -> FactMap<(Place, Place), Bounds> {
        let mut known: FxHashMap<(Term, Term), Bounds> = FxHashMap::default();
        let mut found = FactMap::new();
        for (pair, is_tested) in self.compared.pairs(shape, &self.activations()) {
            let apart = shape.difference_of(pair);
            if shape.is_settled(pair) || apart.is_some_and(|bounds| bounds.least == bounds.greatest) {
                found.extend(apart.filter(|bounds| bounds.say_something()).map(|bounds| (pair, bounds)));
                continue;
            }
            let mut of = |place| self.number(shape, numbers, place, consequences);
            let (Some(a), Some(b)) = (of(pair.0), of(pair.1)) else { continue };
            let width = self.asker.pool().width(a);
            if width < self.asker.pool().width(b) || self.is_late() {
                continue;
            }
            let b = self.asker.pool().sext(b, width);
            let difference = self.asker.pool().binary(BinOp::Sub, a, b);
            if !is_simple(self.asker.pool(), difference) {
                continue;
            }
            let bounds = *known.entry((a, b)).or_insert_with(|| {
                let width = u8::try_from(width).expect("words have at most 64 bits");
                let bounds = self.bounds_under(width, difference, &consequences.conditions, sure);
                // More may be known of them than that they are not the same.
                let of_each = shape.difference_of_bounds(pair).unwrap_or(Bounds::of_width(width));
                let is_of_use = is_tested
                    && !bounds.exclude_zero()
                    && bounds.least <= of_each.least
                    && bounds.greatest >= of_each.greatest;
                let pool = self.asker.pool();
                let same = pool.cmp(CmpOp::Eq, a, b);
                if is_of_use && self.asker.check(&consequences.conditions, same) == Answer::Unsat {
                    return Bounds::nonzero(width);
                }
                bounds
            });
            if bounds.say_something() {
                found.insert(pair, bounds);
            }
        }
        self.remain(&mut found, (shape, numbers), consequences);
        found
    }

    /// Says of numbers of which the program takes remainders, such as the index of a ring, that they are less than what
    /// it divides by, if they are, and not negative.
    fn remain(
        &mut self,
        found: &mut FactMap<(Place, Place), Bounds>,
        (shape, numbers): (&Shape, &FxHashMap<Place, Term>),
        consequences: &mut Consequences,
    ) {
        for pair in self.compared.divided(shape, &self.activations()) {
            if found.contains_key(&pair) || found.contains_key(&(pair.1, pair.0)) || self.is_late() {
                continue;
            }
            let mut of = |place| self.number(shape, numbers, place, consequences);
            let (Some(a), Some(b)) = (of(pair.0), of(pair.1)) else { continue };
            let pool = self.asker.pool();
            let zero = pool.constant(pool.width(a), 0);
            let (below, negative) = (pool.cmp(CmpOp::Slt, a, b), pool.cmp(CmpOp::Slt, a, zero));
            let not_negative = pool.not(negative);
            let is_within = pool.binary(BinOp::And, below, not_negative);
            if is_simple(pool, is_within)
                && consequences.contain(&mut self.asker, is_within)
                && let Some(least) = shape.bounds_of(pair.1).map(|bounds| bounds.greatest.saturating_neg())
                && let Ok(width) = u8::try_from(self.asker.pool().width(a))
            {
                found.insert(pair, Bounds { width, least, greatest: -1 });
            }
        }
    }
}
