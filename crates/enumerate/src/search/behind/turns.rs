//! How far apart the ends of rings are at the end of a path.

use std::collections::BTreeMap;

use icsched_smt::{BinOp, CmpOp, Term};
use icsched_symex::shape::{Bounds, Element, Place, Shape, Turn, Turns};
use rustc_hash::FxHashMap;

use super::{Behind, Consequences, is_simple};

/// By how much the first index may be farther than a count says, or less far: as much as threads have put in or taken out that was not
/// counted yet.
const MAX_APART: i32 = 4;

/// Semaphores that may count what is in a ring.
const MAX_PERMITS: usize = 4;

impl Behind<'_> {
    /// How far apart the ends of rings are, as far as that is the same in all executions. As for [differences](Self::differences), that sums
    /// have not overflowed does not count.
    pub(super) fn turns(
        &mut self,
        shape: &Shape,
        numbers: &FxHashMap<Place, Term>,
        consequences: &mut Consequences,
    ) -> Turns {
        let mut found = Turns::new();
        let ending = self.ending;
        let permits = self.compared.permits(shape, &self.activations());
        for &turn in &ending.left.turns {
            let counts = permits.iter().copied().map(Some).filter(|_| turn.count.is_none()).take(MAX_PERMITS);
            for count in [turn.count].into_iter().chain(counts) {
                let turn = Turn { count, ..turn };
                let by = self.turn(&turn, shape, numbers, consequences);
                found.extend(by.map(|by| (turn, by)));
            }
        }
        found
    }

    fn turn(
        &mut self,
        turn: &Turn,
        shape: &Shape,
        numbers: &FxHashMap<Place, Term>,
        consequences: &mut Consequences,
    ) -> Option<i32> {
        let terms = turn.places().map(|place| self.number(shape, numbers, place, consequences));
        let terms: Vec<Term> = terms.collect::<Option<_>>()?;
        let (sum, length) = turn.sum(self.asker.pool(), &terms)?;
        if self.is_late() || !is_simple(self.asker.pool(), sum) || !is_simple(self.asker.pool(), length) {
            return None;
        }
        let nearest_first = (0..=MAX_APART).flat_map(|by| [by, -by]);
        nearest_first.into_iter().find(|&by| {
            let pool = self.asker.pool();
            let holds = turn.holds(pool, &terms, by);
            holds.is_some_and(|holds| consequences.contain(&mut self.asker, holds))
        })
    }

    /// Says of numbers of which the program takes remainders, such as the index of a ring, that they are less than what it divides by, if they
    /// are, and not negative.
    pub(super) fn remain(
        &mut self,
        found: &mut BTreeMap<(Place, Place), Bounds>,
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

    /// Whether an element of a ring is inside of it, whatever the index is: where the length of the ring is no constant, that is to be asked.
    pub(super) fn is_inside(
        &mut self,
        element: &Element,
        (shape, numbers): (&Shape, &FxHashMap<Place, Term>),
        consequences: &mut Consequences,
    ) -> bool {
        let Some(length) = element.length.place() else { return true };
        let index = self.number(shape, numbers, element.index, consequences);
        let length = self.number(shape, numbers, length, consequences);
        let (Some(index), Some(length)) = (index, length) else { return false };
        let pool = self.asker.pool();
        let width = pool.width(index);
        let Some(length) = element.length.term(pool, width, Some(length)) else { return false };
        let back = pool.constant(width, element.back);
        let conditions = [pool.cmp(CmpOp::Ult, index, length), pool.cmp(CmpOp::Ule, back, length)];
        let inside = pool.binary(BinOp::And, conditions[0], conditions[1]);
        is_simple(pool, inside) && consequences.contain(&mut self.asker, inside)
    }
}
