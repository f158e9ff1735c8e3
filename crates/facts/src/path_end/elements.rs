//! What elements of rings hold at the end of a path.

use icsched_smt::{BinOp, Term};

use icsched_machine::Machine;
use icsched_machine::memory::ObjectId;
use icsched_machine::state::State;
use icsched_machine::values::{MemoryByte, Values as _};
use icsched_symbolic::symbolic::{SymValue, SymbolicDomain};

use super::{Walk, peek};
use crate::budgets::BUDGETS;
use crate::element::{Element, Length};
use crate::kinds::elements::is_address;
use crate::place::Place;

/// What an element of a ring holds, where the index is a term, and so is the length, if it is no constant; and the
/// ring's object starts at an offset of another one.
pub fn element(
    machine: &mut Machine<SymbolicDomain>,
    state: &State<SymbolicDomain>,
    element: &Element,
    (index, length): (Term, Option<Term>),
    (array, start): (ObjectId, u64),
) -> Option<SymValue> {
    let bytes = state.heap.object(array).filter(|found| found.is_alive())?.size;
    if element.length.place().is_none() {
        element.bytes_of(bytes.checked_sub(start)?, None)?;
    }
    let domain = &mut machine.domain;
    let offset = element.offset(&mut domain.pool, index, length)?;
    let start = domain.pool.constant(64, start);
    let offset = domain.pool.binary(BinOp::Add, offset, start);
    let offset = domain.value(offset);
    match (state.heap.contents_of(array), offset) {
        (None, SymValue::Constant(at)) => {
            at.checked_add(element.size.into()).filter(|&end| end <= bytes)?;
            let held = peek(domain, &state.heap, array, at, element.size.into());
            let held: Vec<MemoryByte<Term>> = held.into_iter().collect::<Option<_>>()?;
            Some(domain.join_bytes(&held))
        }
        (None, SymValue::Term(_)) => None,
        (Some(contents), _) => {
            // Only of unknown contents: of others the path would say which element it is, by decisions that other
            // executions make otherwise.
            let at_once = contents.root().is_some();
            Some(domain.array_load(&state.path, contents, bytes, &offset, element.size.into(), at_once))
        }
    }
}

impl Walk<'_, '_> {
    /// What elements of rings hold that were written, or of which something was known.
    pub(crate) fn elements(&mut self) {
        let rings = self.pointers.rings.elements(&self.left.shape.heap);
        for first in rings.into_iter().take(BUDGETS.rings) {
            let most = match first.length {
                Length::Known(length) => BUDGETS.elements_before_index.min(length),
                Length::At(_) => BUDGETS.elements_before_index,
            };
            for back in 1..=most {
                let element = Element { back, ..first };
                let Some((value, bytes)) = self.element(&element) else { break };
                self.left.elements.push((element, value, bytes));
            }
        }
    }

    /// The number at a place in memory.
    fn number_at(&mut self, place: Place) -> Option<Term> {
        let Place::Memory(node, at, size) = place else { return None };
        let &(object, start) = self.left.objects.get(&node)?;
        let bytes = peek(&mut self.machine.domain, &self.state.heap, object, start + at, size.into());
        let bytes: Vec<MemoryByte<Term>> = bytes.into_iter().collect::<Option<_>>()?;
        let number = self.machine.domain.join_bytes(&bytes);
        Some(self.machine.domain.term(&number, 8 * u32::from(size)))
    }

    fn element(&mut self, element: &Element) -> Option<(SymValue, u64)> {
        let index = self.number_at(element.index)?;
        let length = match element.length.place() {
            Some(place) => Some(self.number_at(place)?),
            None => None,
        };
        let &array = self.left.objects.get(&element.array)?;
        let contents = self.state.heap.contents_of(array.0);
        if let Some((contents, root)) = contents.and_then(|contents| Some((contents, contents.root()?)))
            && !self.machine.domain.is_of_interest(root, contents)
        {
            return None;
        }
        let size = self.state.heap.object(array.0).filter(|found| found.is_alive())?.size;
        let bytes = size.checked_sub(array.1)?;
        // Parts of addresses are no numbers.
        let site = self.state.heap.object(array.0).map(|found| self.pointers.of_kind(found.kind, found.site))?;
        let at = |n: u64| (array.1 + element.start + n * element.stride) & !7;
        if element.size < 8 && (0..2).any(|n| self.pointers.may_hold(&site, at(n))) {
            return None;
        }
        let value = super::element(self.machine, self.state, element, (index, length), array)?;
        Some((value, bytes)).filter(|(value, _)| !matches!(*value, SymValue::Constant(bits) if is_address(bits)))
    }
}
