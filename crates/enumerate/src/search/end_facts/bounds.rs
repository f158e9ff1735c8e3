//! Between which numbers places are at the end of a path.

use icsched_facts::{Bounds, FactMap, Place};
use icsched_smt::{Answer, Node, Ranges, Term};
use rustc_hash::FxHashMap;

use super::consequences::Consequences;
use super::finder::Finder;
use super::found::Found;
use super::reasoning::{Reasoning, reasoning};
use crate::budgets::BUDGETS;

/// Finds bounds.
pub(super) fn find(finder: &mut Finder<'_>, end: &mut Found<'_, '_>) {
    end.shape.bounds = finder.bounds(end.in_order.iter(), &mut end.consequences, &mut end.sure);
}

impl Finder<'_> {
    /// Between which numbers places are that hold these terms, under some conditions, and those of the sums behind each
    /// term.
    fn bounds<'n>(
        &mut self,
        numbers: impl Iterator<Item = &'n (Place, Term)>,
        consequences: &mut Consequences,
        sure: &mut Ranges,
    ) -> FactMap<Place, Bounds> {
        let conditions = &consequences.conditions.clone();
        let mut known: FxHashMap<Term, Bounds> = FxHashMap::default();
        let mut found = FactMap::new();
        let permits = self.compared.permits(&self.ending.left.shape, &self.activations());
        for &(place, term) in numbers {
            let is_new = !known.contains_key(&term);
            let pool = self.asker.pool();
            let most = if permits.contains(&place) { BUDGETS.permit_operations } else { BUDGETS.term_operations };
            let reasoning = if is_new { reasoning(pool, term, most) } else { Reasoning::Soon };
            // Of `free[a * b % n]` it is of interest which numbers were written there, not where that is.
            let is_choice = matches!(pool.node(term), Node::Ite(..));
            // A ring's index goes on, or back to 0.
            let whole = match reasoning {
                Reasoning::WithoutProducts if !is_choice => self.reduced(term, consequences),
                _ => term,
            };
            let reasoning = if whole == term { reasoning } else { Reasoning::Soon };
            let is_asked = match reasoning {
                Reasoning::Soon => true,
                Reasoning::WithoutProducts => is_choice,
                Reasoning::Never => false,
            };
            if is_new && (!is_asked || known.len() == BUDGETS.bounded_terms || self.is_late()) {
                continue;
            }
            let bounds = *known.entry(term).or_insert_with(|| {
                let width = u8::try_from(self.asker.pool().width(term)).expect("words have at most 64 bits");
                let ending = self.ending;
                if reasoning == Reasoning::WithoutProducts {
                    let all: Vec<Term> = [term].iter().chain(conditions).copied().collect();
                    let all = self.asker.pool().without_products(&all);
                    let mut sure = self.ranges(&all[1..]);
                    return self.bounds_under(width, all[0], &all[1..], &mut sure);
                }
                // If a sum overflows for certain, there is no number that the place might as well hold.
                let sums = ending.sums.get(&term).filter(|sums| {
                    let overflow_free = self.asker.pool().and_all(sums);
                    self.asker.check(conditions, overflow_free) != Answer::Unsat
                });
                if let Some(sums) = sums {
                    let all: Vec<Term> = conditions.iter().chain(sums).copied().collect();
                    let mut sure = self.ranges(&all);
                    return self.bounds_under(width, whole, &all, &mut sure);
                }
                self.bounds_under(width, whole, conditions, sure)
            });
            tracing::trace!(?place, bounds.least, bounds.greatest, "a number at the end");
            if bounds.say_something() {
                found.insert(place, bounds);
            }
        }
        found
    }
}
