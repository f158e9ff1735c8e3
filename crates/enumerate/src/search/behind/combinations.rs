//! Which numbers places hold together at the end of a path: all of them, from one assignment of the inputs to the next.

use std::collections::{BTreeMap, BTreeSet};

use icsched_smt::Term;
use icsched_symex::shape::{Bounds, Column, Combinations, MAX_COLUMNS, Place, Shape, among};
use rustc_hash::FxHashMap;

use super::{Behind, Consequences, is_simple};

/// How far numbers may be from each other that are tried. Most of those between may be left out.
const MAX_SPAN: u64 = 255;

/// Assignments that are looked for at the end of one path.
const MAX_MODELS: usize = 256;

impl Behind<'_> {
    /// Which combinations of numbers there are. `numbers` and `narrow` are those that are not constant; those of `narrow` are of registers
    /// that hold no words.
    pub(super) fn combinations(
        &mut self,
        shape: &Shape,
        (numbers, narrow): (&FxHashMap<Place, Term>, &[(Place, Term)]),
        consequences: &mut Consequences,
    ) -> Combinations {
        let mut columns = self.remainders(shape, numbers);
        columns.extend(self.small(shape, (numbers, narrow), consequences));
        columns.truncate(MAX_COLUMNS);
        columns.sort_unstable();
        let mut rows: BTreeSet<Vec<u64>> = BTreeSet::new();
        for _ in 0..MAX_MODELS {
            if self.is_late() || columns.is_empty() {
                break;
            }
            let terms: Vec<Term> = columns.iter().map(|&(_, term)| term).collect();
            let known: Vec<Column> = columns.iter().map(|&(column, _)| column).collect();
            let pool = self.asker.pool();
            let is_known = among(pool, &terms, &rows);
            let another = pool.not(is_known);
            let Ok(found) = self.asker.model(&consequences.conditions, another) else { break };
            let Some(model) = found else { return Combinations::new(&known, &rows) };
            let pool = self.asker.pool();
            rows.insert(terms.iter().map(|&term| pool.eval(term, &model)).collect());
            let limited = Combinations::new(&known, &rows);
            if limited.columns().len() < columns.len() {
                let of: BTreeMap<Column, Term> = columns.into_iter().collect();
                columns = limited.columns().iter().map(|&column| (column, of[&column])).collect();
                rows = limited.into_rows();
            }
        }
        Combinations::default()
    }

    /// What remains of numbers that the program divides by small constants, constant or not.
    fn remainders(&mut self, shape: &Shape, numbers: &FxHashMap<Place, Term>) -> Vec<(Column, Term)> {
        let mut found = Vec::new();
        for (place, width, divisor) in self.compared.remainders(shape, &self.activations()) {
            let column = Column { place, width, modulus: Some(divisor) };
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
            let remainder = column.of(pool, number);
            if is_simple(pool, remainder) {
                found.push((column, remainder));
            }
        }
        found
    }

    /// Numbers that are not far from each other, and that something is decided by: those that are the closest to each other first.
    fn small(
        &mut self,
        shape: &Shape,
        (numbers, narrow): (&FxHashMap<Place, Term>, &[(Place, Term)]),
        consequences: &mut Consequences,
    ) -> Vec<(Column, Term)> {
        let runs = self.activations();
        let near = |(&place, bounds): (&Place, &Bounds)| {
            let span = bounds.span().filter(|&span| span <= MAX_SPAN && numbers.contains_key(&place))?;
            Some((span, place))
        };
        let small: BTreeSet<(u64, Place)> = shape.bounds.iter().filter_map(near).collect();
        let mut found = Vec::new();
        for (_, place) in small {
            if found.len() == MAX_COLUMNS || self.is_late() {
                break;
            }
            if self.deciding.contains_any(place, shape, &runs)
                && let Some(term) = self.number(shape, numbers, place, consequences)
                && is_simple(self.asker.pool(), term)
            {
                let width = u8::try_from(self.asker.pool().width(term)).expect("words have at most 64 bits");
                found.push((Column { place, width, modulus: None }, term));
            }
        }
        for &(place, term) in narrow {
            if self.deciding.contains(place, shape, &runs) && is_simple(self.asker.pool(), term) {
                let width = u8::try_from(self.asker.pool().width(term)).expect("registers have at most 64 bits");
                found.push((Column { place, width, modulus: None }, term));
            }
        }
        found
    }
}
