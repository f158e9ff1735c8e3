//! Which numbers places hold together at the end of a path: all of them, from one assignment of the inputs to the next.

use std::collections::{BTreeMap, BTreeSet};

use icsched_facts::{BUDGETS as OF_FACTS, Bounds, Column, Place, Relation, Shape, among};
use icsched_smt::{CmpOp, Ranges, Term};
use rustc_hash::FxHashMap;

use super::consequences::Consequences;
use super::finder::Finder;
use super::found::Found;
use super::reasoning::is_simple;
use crate::budgets::BUDGETS;

/// Finds relations, if they are asked for.
pub(super) fn find(finder: &mut Finder<'_>, end: &mut Found<'_, '_>) {
    if finder.combines {
        let addresses = end.addresses.iter().copied().collect();
        let known = (&mut end.consequences, &mut end.sure);
        let found = finder.relations(&mut end.shape, (&end.numbers, &end.narrow), &addresses, known);
        end.shape.relations = Some(found);
    }
}

impl Finder<'_> {
    /// Which combinations of numbers there are. `numbers` and `narrow` are those that are not constant; those of
    /// `narrow` are of registers that hold no words. `addresses` are what places hold that hold addresses.
    fn relations(
        &mut self,
        shape: &mut Shape,
        (numbers, narrow): (&FxHashMap<Place, Term>, &[(Place, Term)]),
        addresses: &FxHashMap<Place, Term>,
        (consequences, sure): (&mut Consequences, &mut Ranges),
    ) -> Relation {
        let mut columns = self.apart(shape, numbers, consequences, sure);
        columns.extend(self.remainders(shape, numbers));
        columns.extend(self.small(shape, (numbers, narrow), consequences));
        columns.truncate(OF_FACTS.number_columns);
        columns.extend(self.identities(shape, addresses));
        columns.sort_unstable();
        let mut rows: BTreeSet<Vec<u64>> = BTreeSet::new();
        for _ in 0..BUDGETS.models_of_path {
            if self.is_late() || columns.is_empty() {
                break;
            }
            let terms: Vec<Term> = columns.iter().map(|&(_, term)| term).collect();
            let known: Vec<Column> = columns.iter().map(|&(column, _)| column).collect();
            let pool = self.asker.pool();
            let is_known = among(pool, &terms, &rows);
            let another = pool.not(is_known);
            let Ok(found) = self.asker.model(&consequences.conditions, another) else { break };
            let Some(model) = found else { return Relation::new(&known, &rows) };
            let pool = self.asker.pool();
            rows.insert(terms.iter().map(|&term| pool.eval(term, &model)).collect());
            let limited = Relation::new(&known, &rows);
            if limited.columns().len() < columns.len() {
                let of: BTreeMap<Column, Term> = columns.into_iter().collect();
                columns = limited.columns().iter().map(|&column| (column, of[&column])).collect();
                rows = limited.into_rows();
            }
        }
        Relation::default()
    }

    /// Whether places hold what they may, by which it is known which thread is which.
    fn identities(&mut self, shape: &Shape, addresses: &FxHashMap<Place, Term>) -> Vec<(Column, Term)> {
        let of_left = &self.ending.left.addresses;
        let mut found = Vec::new();
        for (place, choices) in shape.identities() {
            let Some(&term) = addresses.get(&place) else { continue };
            for &held in choices {
                let Some(bits) = of_left.constant(held) else { continue };
                let pool = self.asker.pool();
                let constant = pool.constant(64, bits);
                found.push((Column::identity(place, held), pool.cmp(CmpOp::Eq, term, constant)));
            }
        }
        found.truncate(OF_FACTS.identity_columns);
        found
    }

    /// What remains of numbers that the program divides by small constants, constant or not.
    fn remainders(&mut self, shape: &Shape, numbers: &FxHashMap<Place, Term>) -> Vec<(Column, Term)> {
        let mut found = Vec::new();
        for (place, width, divisor) in self.compared.remainders(shape, &self.activations()) {
            let column = Column { modulus: Some(divisor), ..Column::at(place, width) };
            let constant = shape.bounds_of(place).filter(|b| b.width == width && b.least == b.greatest);
            let pool = self.asker.pool();
            let number = match constant {
                Some(bounds) => Some(pool.constant(width.into(), bounds.least.cast_unsigned())),
                // If a sum has overflowed, it may be another number, with any remainder.
                None => numbers.get(&place).copied().filter(|_| {
                    shape.bounds_of(place).is_none_or(|b| b.span().is_none_or(|span| span >= divisor.into()))
                }),
            };
            let Some(number) = number.filter(|&number| pool.width(number) == u32::from(width)) else { continue };
            let remainder = column.of(pool, number, None);
            if is_simple(pool, remainder) {
                found.push((column, remainder));
            }
        }
        found
    }

    /// How far numbers are apart that the program compares, constant or not, if that is not far. Differences wrap as
    /// words do, and are true of sums that overflow. What is said of such a sum else is not, so nothing is: it might be
    /// taken for another number than the one that it is so far apart from.
    fn apart(
        &mut self,
        shape: &mut Shape,
        numbers: &FxHashMap<Place, Term>,
        consequences: &mut Consequences,
        sure: &mut Ranges,
    ) -> Vec<(Column, Term)> {
        let mut found = Vec::new();
        for ((first, second), is_tested) in self.compared.pairs(shape, &self.activations()) {
            if !is_tested || self.is_late() {
                continue;
            }
            let (Some(a), Some(b)) = (self.held(shape, numbers, first), self.held(shape, numbers, second)) else {
                continue;
            };
            let pool = self.asker.pool();
            let Ok(width) = u8::try_from(pool.width(a)) else { continue };
            if pool.width(b) != u32::from(width) {
                continue;
            }
            let column = Column { less: Some(second), ..Column::at(first, width) };
            let apart = column.of(pool, a, Some(b));
            if !is_simple(pool, apart) {
                continue;
            }
            let overflows = |finder: &mut Self, place, consequences: &mut Consequences| {
                finder.number(shape, numbers, place, consequences).is_none()
            };
            let overflowing = [(first, a), (second, b)].map(|(place, _)| overflows(self, place, consequences));
            let bounds = match overflowing {
                [false, false] => shape.difference_of((first, second)),
                _ => Some(self.bounds_under(width, apart, &consequences.conditions, sure)),
            };
            if bounds.and_then(Bounds::span).is_none_or(|span| span > BUDGETS.column_distance) {
                continue;
            }
            found.push((column, apart));
            for (term, _) in [a, b].into_iter().zip(overflowing).filter(|(_, overflows)| *overflows) {
                shape.bounds.retain(|place, _| numbers.get(place) != Some(&term));
            }
        }
        found
    }

    /// What a place holds that is a number, constant or not, whether sums have overflowed that it was computed from or
    /// not.
    fn held(&mut self, shape: &Shape, numbers: &FxHashMap<Place, Term>, place: Place) -> Option<Term> {
        let constant = shape.bounds_of(place).filter(|bounds| bounds.least == bounds.greatest);
        let pool = self.asker.pool();
        let constant = constant.map(|bounds| pool.constant(bounds.width.into(), bounds.least.cast_unsigned()));
        constant.or_else(|| numbers.get(&place).copied())
    }

    /// Numbers that are not far from each other, and that something is decided by: those that are the closest to each
    /// other first.
    fn small(
        &mut self,
        shape: &Shape,
        (numbers, narrow): (&FxHashMap<Place, Term>, &[(Place, Term)]),
        consequences: &mut Consequences,
    ) -> Vec<(Column, Term)> {
        let runs = self.activations();
        let near = |(&place, bounds): (&Place, &Bounds)| {
            let span = bounds.span().filter(|&span| span <= BUDGETS.column_span && numbers.contains_key(&place))?;
            Some((span, place))
        };
        let small: BTreeSet<(u64, Place)> = shape.bounds.iter().filter_map(near).collect();
        let mut found = Vec::new();
        for (_, place) in small {
            if found.len() == OF_FACTS.number_columns || self.is_late() {
                break;
            }
            if self.deciding.contains_any(place, shape, &runs)
                && let Some(term) = self.number(shape, numbers, place, consequences)
                && is_simple(self.asker.pool(), term)
            {
                let width = u8::try_from(self.asker.pool().width(term)).expect("words have at most 64 bits");
                found.push((Column::at(place, width), term));
            }
        }
        for &(place, term) in narrow {
            if self.deciding.contains(place, shape, &runs) && is_simple(self.asker.pool(), term) {
                let width = u8::try_from(self.asker.pool().width(term)).expect("registers have at most 64 bits");
                found.push((Column::at(place, width), term));
            }
        }
        found
    }
}
