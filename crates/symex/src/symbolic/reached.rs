//! Where the stores of a replaced loop go, by what is known when control comes to it.

use icsched_ir::{Const, Count, Definitions, Function, GlobalId, Leaf, Op, Operand, ValueId};

use super::{SymValue, SymbolicDomain};
use crate::abstraction::{AbstractLoop, LoopStore};
use crate::code::Code;
use crate::domain::MemoryByte;
use crate::memory::{AddressClass, Heap, ObjectId, address, classify, global_object};
use crate::path::SymPath;

/// Most bytes that a loop goes through; so many are in no object.
const MAX_EXTENT: u64 = 1 << 40;

/// Loads, one by the address that the other gives, that are followed to what does not change in a loop.
const MAX_DEPTH: u32 = 4;

/// Bytes of an object: start and end.
pub(super) type Extent = (ObjectId, u64, u64);

/// The state in which control comes to the header of a loop.
pub(super) struct Arrival<'a> {
    pub(super) heap: &'a Heap<SymbolicDomain>,
    pub(super) path: &'a SymPath,
    pub(super) function: &'a Function,
    /// The activation's registers, those of the header's parameters among them.
    pub(super) registers: &'a [SymValue],
}

impl SymbolicDomain {
    /// The bytes that each store of a loop may write; `None` where that is not known. O(stores × loads that their addresses need).
    pub(super) fn extents(&mut self, arrival: &Arrival<'_>, replaced: &AbstractLoop) -> Vec<Option<Extent>> {
        if replaced.effect.stores.is_empty() {
            return Vec::new();
        }
        let definitions = Definitions::new(arrival.function);
        let value = |domain: &mut Self, leaf: Leaf| domain.leaf(arrival, replaced, &definitions, leaf, MAX_DEPTH);
        let known = |domain: &mut Self, leaves: &mut dyn Iterator<Item = Leaf>| {
            leaves.filter_map(|leaf| Some((leaf, value(domain, leaf)?))).collect::<Vec<_>>()
        };
        self.extents_with(arrival, replaced, known)
    }

    fn extents_with(
        &mut self,
        arrival: &Arrival<'_>,
        replaced: &AbstractLoop,
        mut known: impl FnMut(&mut Self, &mut dyn Iterator<Item = Leaf>) -> Vec<(Leaf, u64)>,
    ) -> Vec<Option<Extent>> {
        let rounds = replaced.counted.as_ref().and_then(|counted| {
            let sums = counted.tests.iter().flat_map(|t| [&t.start, &t.step, &t.bound]);
            let values = known(self, &mut sums.flat_map(|sum| sum.terms()).map(|t| t.0));
            counted.repetitions(|leaf| values.iter().find(|v| v.0 == leaf).map(|v| v.1))
        });
        let rounds = match rounds {
            Some(Count::Finite(rounds)) => Some(rounds),
            Some(Count::Endless) | None => None,
        };
        let mut of_store = |store: &LoopStore| {
            let sums = std::iter::once(&store.start).chain(&store.step);
            let values = known(self, &mut sums.flat_map(|sum| sum.terms()).map(|t| t.0));
            let value = |leaf| values.iter().find(|v| v.0 == leaf).map(|v| v.1);
            let start = store.start.evaluate(value)?;
            let step = store.step.as_ref().and_then(|step| step.evaluate(value));
            extent(arrival.heap, start, step.zip(rounds), store.bytes)
        };
        replaced.effect.stores.iter().map(&mut of_store).collect()
    }

    /// What a leaf of an address is when control comes to the loop, if that is a constant.
    fn leaf(
        &mut self,
        arrival: &Arrival<'_>,
        replaced: &AbstractLoop,
        definitions: &Definitions,
        leaf: Leaf,
        depth: u32,
    ) -> Option<u64> {
        match leaf {
            Leaf::Initial(value) => register(arrival, value),
            Leaf::Address(Const::Global { global, offset }) => variable(arrival, global, offset),
            Leaf::Address(_) => None,
            Leaf::Value(value) => {
                let is_inside = definitions.block(value).is_some_and(|block| replaced.blocks.contains(&block));
                if !is_inside {
                    return register(arrival, value);
                }
                // What is computed in the loop, and the same in all iterations.
                let inst = definitions.inst(arrival.function, value)?;
                let operand = |domain: &mut Self, operand: Operand| match operand {
                    Operand::Const(Const::Bits { bits, .. }) => Some(bits),
                    Operand::Const(constant) => domain.leaf(arrival, replaced, definitions, Leaf::Address(constant), 0),
                    Operand::Value(v) => {
                        domain.leaf(arrival, replaced, definitions, Leaf::Value(v), depth.checked_sub(1)?)
                    }
                };
                match &inst.op {
                    Op::Load { address, access } if !access.volatile => {
                        let at = operand(self, *address)?;
                        self.constant_at(arrival, at, u64::from(arrival.function.values[value].ty.bytes()))
                    }
                    Op::Address { base, offset, indices } => {
                        let mut sum = operand(self, *base)?.wrapping_add(offset.cast_unsigned());
                        for index in indices {
                            let by = operand(self, index.index)?.wrapping_mul(index.scale.cast_unsigned());
                            sum = sum.wrapping_add(by);
                        }
                        Some(sum)
                    }
                    _ => None,
                }
            }
        }
    }

    /// The constant of `n` bytes at an address.
    fn constant_at(&mut self, arrival: &Arrival<'_>, at: u64, n: u64) -> Option<u64> {
        let (object, offset) = arrival.heap.check(at, n, false).ok().filter(|_| (1..=8).contains(&n))?;
        let bytes = arrival.heap.bytes(self, arrival.path, object, offset, n);
        bytes.iter().rev().try_fold(0, |word, byte| match byte {
            MemoryByte::Constant(byte) => Some(word << 8 | u64::from(*byte)),
            MemoryByte::Symbolic(_) => None,
        })
    }
}

fn register(arrival: &Arrival<'_>, value: ValueId) -> Option<u64> {
    match arrival.registers.get(Code::slot(value) as usize)? {
        SymValue::Constant(bits) => Some(*bits),
        SymValue::Term(_) => None,
    }
}

/// The address of a variable that all threads share.
fn variable(arrival: &Arrival<'_>, global: GlobalId, offset: i64) -> Option<u64> {
    let is_shared = !arrival.heap.program().globals[global].thread_local;
    is_shared.then(|| address(global_object(global), 0).wrapping_add(offset.cast_unsigned()))
}

/// The bytes of the object at `start` that are written when the address moves by a step so often; all of them where nobody knows that.
fn extent(heap: &Heap<SymbolicDomain>, start: u64, steps: Option<(u64, u64)>, bytes: u64) -> Option<Extent> {
    let AddressClass::Object(id, offset) = classify(start) else { return None };
    let object = heap.object(id).filter(|o| o.is_alive())?;
    let whole = Some((id, 0, object.size));
    let Some((step, rounds)) = steps else { return whole };
    let moved = i128::from(step.cast_signed()) * i128::from(rounds);
    if moved.unsigned_abs() > u128::from(MAX_EXTENT) {
        return whole;
    }
    let (first, last) = (i128::from(offset), i128::from(offset) + moved);
    let clipped = |at: i128| u64::try_from(at.max(0)).unwrap_or(u64::MAX).min(object.size);
    Some((id, clipped(first.min(last)), clipped(first.max(last) + i128::from(bytes))))
}
