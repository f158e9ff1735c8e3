//! What elements of a ring hold that were written last: an end mark in a queue. Facts that epochs hand on.
//!
//! A ring is an array that the program writes at an index which it then increases, modulo a constant, or a number in
//! memory. Which elements those before the index are nobody knows, but what they hold may be known: `slots[(last - 1) %
//! 8] = -1` behind `put(-1)`. With how far apart the two ends of the ring are ([equations](crate::kinds::equations),
//! [ring offsets](crate::kinds::ring_offsets)) it follows that who takes elements out comes to the mark.

use std::collections::BTreeSet;

use icsched_machine::memory::{AddressClass, classify};
use icsched_smt::{CmpOp, Node as TermNode, Term, TermPool};
use rustc_hash::FxHashSet;

use crate::budgets::BUDGETS;
use icsched_machine::memory::ADDRESS_SPACE;

use crate::element::Element;
use crate::fact_map::FactMap;
use crate::fact_state::FactState;
use crate::kind::MapKind;
use crate::place::Place;
use crate::renaming::Renaming;
use crate::shape::Shape;

/// Which constants elements of rings hold.
pub struct Elements;

impl MapKind for Elements {
    type Key = Element;
    type Value = u64;

    const NAME: &'static str = "elements";

    fn of(shape: &Shape) -> &FactMap<Self::Key, Self::Value> {
        &shape.elements
    }

    fn of_mut(shape: &mut Shape) -> &mut FactMap<Self::Key, Self::Value> {
        &mut shape.elements
    }

    fn places(element: &Element) -> Vec<Place> {
        element.places().collect()
    }

    fn is_well_formed(element: &Element, _: &u64, _: &dyn Fn(Place) -> Option<u32>) -> bool {
        let is_offset = |bytes: u64| bytes < ADDRESS_SPACE;
        [4, 8].contains(&element.size) && element.stride > 0 && is_offset(element.stride) && is_offset(element.start)
    }

    fn renamed_key(element: &Element, names: &Renaming<'_>) -> Option<Element> {
        let (array, index) = (names.node(element.array)?, names.place(element.index)?);
        Some(Element { array, index, length: element.length.renamed(names)?, ..*element })
    }

    fn conditions(element: &Element, &bits: &u64, state: &mut dyn FactState) -> Option<Vec<Term>> {
        let mut value = |place: Place| match place {
            Place::Memory(_, _, size) => state.value(place, 8 * size),
            Place::Register(..) => None,
        };
        let index = value(element.index)?;
        let length = match element.length.place() {
            Some(place) => Some(value(place)?),
            None => None,
        };
        let held = state.element(element, index, length)?;
        let pool = state.pool();
        let constant = pool.constant(8 * u32::from(element.size), bits);
        Some(vec![pool.cmp(CmpOp::Eq, held, constant)])
    }

    fn words(element: &Element, bits: &u64, name: &dyn Fn(Place) -> String) -> String {
        format!("element {} before {} is {bits:#x}", element.back, name(element.index))
    }
}

/// Numbers that a term may be: those that it chooses between, and those that it, or a term that it chooses, is known to
/// be equal to. Addresses are none: objects have others in the next epoch.
pub fn constants(pool: &TermPool, term: Term, equal: &[(Term, Term)]) -> Vec<u64> {
    let (mut found, mut seen, mut work) = (BTreeSet::new(), FxHashSet::default(), vec![term]);
    while let Some(next) = work.pop() {
        if !seen.insert(next) || seen.len() > BUDGETS.constant_terms {
            continue;
        }
        match *pool.node(next) {
            TermNode::Ite(_, a, b) => work.extend([a, b]),
            // A choice between constants, as simplified: -1 or 0, 1 or 0.
            TermNode::SExt { arg, .. } if pool.width(arg) == 1 => {
                found.extend([0, u64::MAX.checked_shr(64_u32.saturating_sub(pool.width(next))).unwrap_or_default()]);
            }
            TermNode::ZExt { arg, .. } if pool.width(arg) == 1 => found.extend([0, 1]),
            _ => {}
        }
        let same = equal.iter().filter_map(|&(a, b)| match next {
            _ if a == next => Some(b),
            _ if b == next => Some(a),
            _ => None,
        });
        found.extend(same.chain([next]).filter_map(|term| pool.as_const(term)));
    }
    found.into_iter().filter(|&bits| !is_address(bits)).collect()
}

pub(crate) fn is_address(bits: u64) -> bool {
    matches!(classify(bits), AddressClass::Object(..))
}

#[cfg(test)]
mod tests {
    use icsched_smt::BinOp;

    use super::*;

    #[test]
    fn a_choice_between_two_numbers_may_be_either() {
        let mut pool = TermPool::new();
        let (x, y) = (pool.symbol("x", 32), pool.symbol("y", 32));
        let same = pool.cmp(CmpOp::Eq, x, y);
        let (wide, narrow) = (pool.sext(same, 32), pool.zext(same, 32));
        assert_eq!(constants(&pool, wide, &[]), [0, u32::MAX.into()]);
        assert_eq!(constants(&pool, narrow, &[]), [0, 1]);
        let sum = pool.binary(BinOp::Add, x, y);
        assert!(constants(&pool, sum, &[]).is_empty());
    }
}
