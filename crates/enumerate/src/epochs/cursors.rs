//! Pointers that a loop moves through memory, all of which it reads or writes on its way ([`Cursor`]).

use icsched_ir::{
    BlockId, Const, CountedLoop, Definitions, Edge, Function, IntPredicate, Loop, LoopId, Op, Operand, Terminator,
    ValueId,
};
use icsched_symex::abstraction::Cursor;

use crate::control::FunctionControl;

/// Blocks on the way out of a loop that are looked at.
const MAX_BLOCKS: usize = 4;

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
        let Some((value, step, at)) = address.value().and_then(|address| moving(counted, address)) else { continue };
        let cursor = Cursor { value, step, at, bytes: bytes.into(), ends_at_zero };
        match found.iter_mut().find(|known| known.value == value) {
            Some(known) if ends_at_zero && !known.ends_at_zero => *known = cursor,
            Some(_) => {}
            None => found.push(cursor),
        }
    }
    found
}

/// The pointer that an address is so many bytes behind, with its step, if it moves on.
fn moving(counted: &CountedLoop, address: ValueId) -> Option<(ValueId, u64, i64)> {
    let of_basic = |value| counted.basic.iter().find(|basic| basic.value == value);
    let (basic, at) = match of_basic(address) {
        Some(basic) => (basic, 0),
        None => {
            let derived = counted.derived.iter().find(|derived| derived.value == address && derived.scale == 1)?;
            (of_basic(derived.basic)?, derived.offset.as_constant()?)
        }
    };
    let step = basic.step.as_constant()?;
    (basic.step.bits() == 64 && step.cast_signed() > 0).then_some((basic.value, step, at.cast_signed()))
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
        Op::Cast { op: icsched_ir::CastOp::ZExt | icsched_ir::CastOp::SExt, a } => a.value()?,
        _ => value,
    };
    leaves(function, l, if_zero).then_some(compared)
}

/// Whether control that takes an edge leaves the loop: at once, or where a block tests a constant that it has got.
fn leaves<'f>(function: &'f Function, l: &Loop, mut edge: &'f Edge) -> bool {
    for _ in 0..MAX_BLOCKS {
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
