//! Which sums of numbers are constant at the end of a path.

use icsched_facts::{Equation, Place, Shape};
use icsched_smt::{BinOp, CmpOp, Term};
use rustc_hash::FxHashMap;

use super::consequences::Consequences;
use super::finder::Finder;
use super::found::Found;
use super::reasoning::is_simple;
use crate::budgets::BUDGETS;

/// Finds equations.
pub(super) fn find(finder: &mut Finder<'_>, end: &mut Found<'_, '_>) {
    end.shape.equations = finder.equations(&end.shape, &end.numbers, &mut end.consequences);
}

impl Finder<'_> {
    /// Which sums of numbers that the program compares are constant. As for [differences](Self::differences), that sums
    /// have not overflowed does not count.
    fn equations(
        &mut self,
        shape: &Shape,
        numbers: &FxHashMap<Place, Term>,
        consequences: &mut Consequences,
    ) -> Vec<Equation> {
        let (mut held, mut constant) = (Vec::new(), Vec::new());
        for place in self.compared.counted(shape, &self.activations()) {
            let term = self.number(shape, numbers, place, consequences);
            let term = term.map(|term| self.without_choices(term, consequences));
            held.extend(term.map(|term| (place, term)));
            // That bounds say what a number is says what it is computed from.
            if let (Some(term), Some(&computed)) = (term, numbers.get(&place))
                && self.asker.pool().as_const(term).is_some()
                && self.is_certain(computed, consequences)
            {
                constant.push((self.reduced(computed, consequences), term));
            }
            if held.len() == BUDGETS.equation_numbers {
                break;
            }
        }
        if held.len() < 2 || self.is_late() {
            return Vec::new();
        }
        let conditions = [self.asker.known(), &consequences.conditions].concat();
        let mut equal = icsched_facts::equalities(self.asker.pool(), &conditions);
        equal.extend(constant);
        equal.extend(self.products(&held, &consequences.conditions));
        for (&(first, second), bounds) in shape.differences.iter().filter(|(_, b)| b.least == b.greatest) {
            let of = |place: Place| held.iter().find(|(known, _)| *known == place).map(|&(_, term)| term);
            if let (Some(a), Some(b)) = (of(first), of(second)) {
                let pool = self.asker.pool();
                let b = pool.sext(b, pool.width(a));
                let apart = pool.constant(bounds.width.into(), bounds.least.cast_unsigned());
                equal.push((a, pool.binary(BinOp::Add, b, apart)));
            }
        }
        let mut asked = 0;
        let mut ordered = icsched_facts::ordered(self.asker.pool(), &conditions);
        // What holds a constant is mostly known by its bounds.
        ordered.sort_by_key(|&(a, b)| [a, b].iter().any(|&term| self.asker.pool().as_const(term).is_some()));
        for (a, b) in ordered {
            if asked == BUDGETS.ordered_pairs || self.is_late() {
                break;
            }
            let pool = self.asker.pool();
            let same = pool.cmp(CmpOp::Eq, a, b);
            if is_simple(pool, same) {
                asked += 1;
                if consequences.contain(&mut self.asker, same) {
                    equal.push((a, b));
                }
            }
        }
        icsched_facts::between(self.asker.pool(), &held, &equal)
    }
}
