//! What elements of rings hold at the end of a path.

use icsched_facts::{Element, FactMap, Place, Shape};
use icsched_machine::state_place::StatePlace;
use icsched_smt::{BinOp, CmpOp, Term};
use icsched_symbolic::symbolic::SymValue;
use rustc_hash::FxHashMap;

use super::consequences::Consequences;
use super::finder::Finder;
use super::found::Found;
use super::reasoning::is_simple;
use crate::budgets::BUDGETS;
use icsched_slicing::Criterion;

/// Finds elements.
pub(super) fn find(finder: &mut Finder<'_>, end: &mut Found<'_, '_>) {
    let Found { shape, numbers, consequences, trace, caches, is_determined, .. } = end;
    let elements = finder.elements((shape, numbers), consequences, |finder, consequences, criterion| {
        *is_determined || finder.depends(trace, caches, consequences, criterion) == Some(None)
    });
    shape.elements = elements;
}

impl Finder<'_> {
    /// What elements of rings hold that are constant. `is_valid` says whether places are the same in all executions of
    /// the schedule.
    fn elements(
        &mut self,
        (shape, numbers): (&Shape, &FxHashMap<Place, Term>),
        consequences: &mut Consequences,
        mut is_valid: impl FnMut(&mut Self, &mut Consequences, &Criterion) -> bool,
    ) -> FactMap<Element, u64> {
        let ending = self.ending;
        let mut found = FactMap::new();
        let known = self.asker.known().to_vec();
        let equal = icsched_facts::equalities(self.asker.pool(), &known);
        // By ring.
        let mut valid: FxHashMap<Element, bool> = FxHashMap::default();
        for &(element, value, object) in &ending.left.elements {
            let is_next = element.back == 1 || found.contains_key(&Element { back: element.back - 1, ..element });
            if !is_next || self.is_late() {
                continue;
            }
            let bits = match value {
                SymValue::Constant(bits) => Some(bits),
                SymValue::Term(term) => {
                    let term = self.reduced(term, consequences);
                    self.constant(term, &equal, consequences)
                }
            };
            let Some(bits) = bits else { continue };
            let is_same = valid.entry(Element { back: 1, ..element }).or_insert_with(|| {
                // Which element it is must not be taken to be another one because a sum does not overflow.
                if self.number(shape, numbers, element.index, consequences).is_none() {
                    return false;
                }
                let most = element.length.place().and_then(|length| shape.bounds_of(length));
                let most = most.and_then(|bounds| u64::try_from(bounds.greatest).ok());
                let Some(bytes) = element.bytes_of(object, most) else { return false };
                let ring = ending.left.find_bytes(element.array, element.start, bytes);
                let places = element.places().map(|place| ending.left.find(place)).chain([ring]);
                let Some(places) = places.collect::<Option<Vec<StatePlace>>>() else { return false };
                is_valid(self, consequences, &Criterion { places, points: ending.points.clone() })
            });
            if *is_same && self.is_inside(&element, (shape, numbers), consequences) {
                found.insert(element, bits);
            }
        }
        found
    }

    /// The constant that a term is under what is known, if there is one.
    fn constant(&mut self, term: Term, equal: &[(Term, Term)], consequences: &mut Consequences) -> Option<u64> {
        let width = self.asker.pool().width(term);
        let all = icsched_facts::constants(self.asker.pool(), term, equal);
        all.into_iter().take(BUDGETS.element_constants).find(|&bits| {
            let pool = self.asker.pool();
            let constant = pool.constant(width, bits);
            let same = pool.cmp(CmpOp::Eq, term, constant);
            consequences.contain(&mut self.asker, same)
        })
    }

    /// Whether an element of a ring is inside of it, whatever the index is: where the length of the ring is no
    /// constant, that is to be asked.
    fn is_inside(
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
