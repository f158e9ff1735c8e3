//! Pointers and indices that a loop moves through memory, all of which it reads or writes on its way ([`Cursor`]).

use icsched_ir::{
    Affine, BlockId, CastOp, Const, CountedLoop, Definitions, Edge, Function, IntPredicate, Leaf, Loop, LoopId, Op,
    Operand, Terminator, Type, ValueId,
};
use icsched_machine::abstraction::Cursor;
use icsched_slicing::function_control::FunctionControl;

use super::ADDRESS;
use crate::budgets::BUDGETS;

/// The loop of which they are sought.
struct Sought<'a> {
    function: &'a Function,
    definitions: &'a Definitions,
    around: &'a Loop,
    counted: &'a CountedLoop,
}

/// Those of one loop. O(instructions of the loop).
pub(super) fn of_loop(
    function: &Function,
    control: &FunctionControl,
    id: LoopId,
    counted: &CountedLoop,
) -> Vec<Cursor> {
    let l = control.loops.get(id);
    if l.is_irreducible() {
        return Vec::new();
    }
    let definitions = Definitions::new(function);
    let each = |block: &BlockId| l.latches.iter().all(|&latch| control.dominators.dominates(*block, latch));
    let blocks: Vec<BlockId> = l.block_ids().filter(each).collect();
    let ending: Vec<ValueId> = blocks.iter().filter_map(|&b| ends_at_zero(function, &definitions, l, b)).collect();
    let sought = Sought { function, definitions: &definitions, around: l, counted };
    let mut found: Vec<Cursor> = Vec::new();
    for inst in blocks.iter().flat_map(|&block| &function.blocks[block].insts) {
        let (address, bytes, ends_at_zero) = match inst.op {
            Op::Load { address, access } if !access.volatile => {
                let value = inst.results[0];
                (address, function.values[value].ty.bytes(), ending.contains(&value))
            }
            Op::Store { address, value: Operand::Value(value), .. } => {
                (address, function.values[value].ty.bytes(), false)
            }
            _ => continue,
        };
        let Some(cursor) = address.value().and_then(|address| sought.moving(address)) else { continue };
        let cursor = Cursor { bytes: bytes.into(), ends_at_zero, ..cursor };
        match found.iter_mut().find(|known| known.value == cursor.value && known.base == cursor.base) {
            Some(known) if ends_at_zero && !known.ends_at_zero => *known = cursor,
            Some(_) => {}
            None => found.push(cursor),
        }
    }
    found
}

impl Sought<'_> {
    /// The access at an address that moves on in each iteration.
    fn moving(&self, address: ValueId) -> Option<Cursor> {
        let (found, bits) = self.pointer(address).or_else(|| self.element(address))?;
        let step = &self.counted.basic.iter().find(|basic| basic.value == found.value)?.step;
        // What is cut before it is used does not move on as it does.
        let step = step.as_constant().filter(|_| step.bits() == bits)?;
        let grows = step != 0 && step >> (bits - 1) == 0 && found.scale.cast_signed() > 0;
        grows.then_some(Cursor { step, ..found })
    }

    /// A pointer that moves, or an element of which the index has the width of an address.
    fn pointer(&self, address: ValueId) -> Option<(Cursor, u32)> {
        if self.is_basic(address) {
            return Some((of_value(address), ADDRESS));
        }
        let derived = self.counted.derived.iter().find(|derived| derived.value == address)?;
        let base = match derived.offset.terms() {
            [] => None,
            &[(leaf, 1)] => Some(leaf),
            _ => return None,
        };
        let is_pointer = self.function.values[derived.basic].ty == Type::Ptr;
        if is_pointer != base.is_none() || (is_pointer && derived.scale != 1) {
            return None;
        }
        let at = derived.offset.addend().cast_signed();
        Some((Cursor { scale: derived.scale, base, at, ..of_value(derived.basic) }, ADDRESS))
    }

    /// An element of which the index is narrower than an address.
    fn element(&self, address: ValueId) -> Option<(Cursor, u32)> {
        let Op::Address { base, offset, indices } = self.defined(address)? else { return None };
        let ([index], base) = (indices.as_slice(), Affine::operand(*base, ADDRESS)?) else { return None };
        let &[(leaf, 1)] = base.terms() else { return None };
        let is_inside = |value| self.definitions.block(value).is_some_and(|block| self.around.contains(block));
        if matches!(leaf, Leaf::Value(value) if is_inside(value)) {
            return None;
        }
        let &Op::Cast { op: extension @ (CastOp::ZExt | CastOp::SExt), a } = self.defined(index.index.value()?)? else {
            return None;
        };
        let narrow = a.value()?;
        let derived = self.counted.derived.iter().find(|derived| derived.value == narrow && derived.scale == 1);
        let (value, addend) = match derived {
            Some(derived) => (derived.basic, derived.offset.as_constant()?),
            None => (narrow, 0),
        };
        let at = base.addend().wrapping_add(offset.cast_unsigned()).cast_signed();
        let scale = index.scale.cast_unsigned();
        let found = Cursor { addend, extension: Some(extension), scale, base: Some(leaf), at, ..of_value(value) };
        Some((found, self.function.values[narrow].ty.bits()))
    }

    fn is_basic(&self, value: ValueId) -> bool {
        self.counted.basic.iter().any(|basic| basic.value == value)
    }

    fn defined(&self, value: ValueId) -> Option<&Op> {
        self.definitions.inst(self.function, value).map(|inst| &inst.op)
    }
}

/// The access of a byte where a pointer points that moves.
const fn of_value(value: ValueId) -> Cursor {
    Cursor { value, step: 0, addend: 0, extension: None, scale: 1, base: None, at: 0, bytes: 1, ends_at_zero: false }
}

/// The value that a block compares with zero, and leaves the loop if it is.
fn ends_at_zero(function: &Function, definitions: &Definitions, l: &Loop, block: BlockId) -> Option<ValueId> {
    let Terminator::Branch { condition, then_edge, else_edge } = &function.blocks[block].terminator else {
        return None;
    };
    let defined = |value: ValueId| definitions.inst(function, value).map(|inst| &inst.op);
    let &Op::IntCompare { predicate, a, b: Operand::Const(Const::Bits { bits: 0, .. }) } = defined(condition.value()?)?
    else {
        return None;
    };
    let if_zero = match predicate {
        IntPredicate::Eq => then_edge,
        IntPredicate::Ne => else_edge,
        _ => return None,
    };
    let value = a.value()?;
    let compared = match defined(value)? {
        Op::Cast { op: CastOp::ZExt | CastOp::SExt, a } => a.value()?,
        _ => value,
    };
    leaves(function, l, if_zero).then_some(compared)
}

/// Whether control that takes an edge leaves the loop: at once, or where a block tests a constant that it has got.
fn leaves<'f>(function: &'f Function, l: &Loop, mut edge: &'f Edge) -> bool {
    for _ in 0..BUDGETS.exit_blocks {
        if !l.contains(edge.target) {
            return true;
        }
        if edge.target == l.header {
            return false;
        }
        let block = &function.blocks[edge.target];
        edge = match &block.terminator {
            Terminator::Jump(next) => next,
            Terminator::Branch { condition, then_edge, else_edge } => {
                let at = condition.value().and_then(|value| block.params.iter().position(|&param| param == value));
                match at.map(|at| edge.args[at]) {
                    Some(Operand::Const(Const::Bits { bits: 0, .. })) => else_edge,
                    Some(Operand::Const(Const::Bits { .. })) => then_edge,
                    _ => return false,
                }
            }
            _ => return false,
        };
    }
    false
}
