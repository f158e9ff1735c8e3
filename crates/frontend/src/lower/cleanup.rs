//! Control flow without the blocks that only -O0 needs.
//!
//! Joins a block with its only successor when it is that block's only predecessor, and drops blocks that nothing leads
//! to. Each instruction stays exactly once, but for those that arms of branches have in common. Functions with block
//! addresses are left alone: their ids are constants elsewhere.

use icsched_ir::{BlockId, EntityId, FuncId, Function, IdVec, Operand, Terminator, ValueId};
use rustc_hash::FxHashMap;

use super::arms::{self, Merged};
use super::locating::Locating;
use super::plan::Plan;
use crate::llvm::Val;

/// Joins straight-line blocks of `function`, lowered from `source`. Says whether it did: not if addresses of blocks are
/// taken.
pub(crate) fn clean(function: &mut Function, plan: &Plan<'_>, source: Val<'_>) -> bool {
    let blocks = source.blocks();
    let is_addressed = blocks.iter().any(|block| plan.ids.contains_key(block) && block.is_address_taken());
    if !is_addressed {
        join_blocks(function);
    }
    !is_addressed
}

/// Makes one way of branches that choose what is synchronised on, or whose [arms] synchronise and do the same, in the
/// functions that are asked for.
pub(crate) fn merge_arms(
    functions: &mut IdVec<FuncId, Function>,
    wanted: &[FuncId],
    synchronises: &impl Fn(FuncId) -> bool,
) {
    let locating = Locating::of(functions, synchronises);
    for &id in wanted {
        let function = &mut functions[id];
        while let Some(Merged { gone, replaced }) = arms::merge(id, function, &locating, synchronises) {
            substitute(function, &replaced);
            keep_blocks(function, &gone);
            renumber_values(function, &replaced);
            join_blocks(function);
        }
    }
}

pub(super) fn join_blocks(function: &mut Function) {
    let mut predecessors = vec![0_usize; function.blocks.len()];
    for block in function.blocks.values() {
        block.terminator.edges().for_each(|edge| predecessors[edge.target.index()] += 1);
    }
    let mut replaced: FxHashMap<ValueId, Operand> = FxHashMap::default();
    let mut gone = vec![false; function.blocks.len()];
    for id in function.blocks.ids() {
        if gone[id.index()] {
            continue;
        }
        while let Some(next) = only_successor(function, id, &predecessors) {
            let Terminator::Jump(edge) = function.blocks[id].terminator.clone() else { break };
            let tail = std::mem::replace(
                &mut function.blocks[next],
                icsched_ir::Block {
                    params: Vec::new(),
                    insts: Vec::new(),
                    terminator: Terminator::Unreachable,
                    terminator_loc: None,
                },
            );
            replaced.extend(tail.params.iter().copied().zip(edge.args));
            let head = &mut function.blocks[id];
            head.insts.extend(tail.insts);
            head.terminator = tail.terminator;
            head.terminator_loc = tail.terminator_loc;
            gone[next.index()] = true;
        }
    }
    substitute(function, &replaced);
    keep_blocks(function, &gone);
    renumber_values(function, &replaced);
}

/// The block to append to `id`, if it ends in a jump there and nothing else leads there.
fn only_successor(function: &Function, id: BlockId, predecessors: &[usize]) -> Option<BlockId> {
    match &function.blocks[id].terminator {
        Terminator::Jump(edge)
            if edge.target != id && edge.target.index() != 0 && predecessors[edge.target.index()] == 1 =>
        {
            Some(edge.target)
        }
        _ => None,
    }
}

pub(super) fn substitute(function: &mut Function, replaced: &FxHashMap<ValueId, Operand>) {
    if replaced.is_empty() {
        return;
    }
    let resolve = |operand: &mut Operand| {
        while let Some(&by) = operand.value().and_then(|id| replaced.get(&id)) {
            *operand = by;
        }
    };
    for (_, block) in function.blocks.iter_mut() {
        for inst in &mut block.insts {
            inst.op.for_each_operand_mut(resolve);
        }
        block.terminator.for_each_operand_mut(resolve);
    }
}

/// Takes out blocks that nothing leads to.
pub(super) fn keep_blocks(function: &mut Function, gone: &[bool]) {
    let mut ids = Vec::with_capacity(gone.len());
    let mut kept = 0;
    for &is_gone in gone {
        ids.push(BlockId::from_index(kept));
        kept += usize::from(!is_gone);
    }
    let blocks = std::mem::replace(&mut function.blocks, IdVec::new());
    let mut new = IdVec::new();
    for (id, block) in blocks.iter() {
        if gone[id.index()] {
            continue;
        }
        let mut block = block.clone();
        block.terminator.edges_mut().for_each(|edge| edge.target = ids[edge.target.index()]);
        new.push(block);
    }
    function.blocks = new;
}

/// Drops the parameters that were replaced: every value of a function has a definition.
pub(super) fn renumber_values(function: &mut Function, replaced: &FxHashMap<ValueId, Operand>) {
    if replaced.is_empty() {
        return;
    }
    let mut ids: IdVec<ValueId, ValueId> = IdVec::new();
    let mut values = IdVec::new();
    for (id, value) in function.values.iter() {
        ids.push(values.next_id());
        if !replaced.contains_key(&id) {
            values.push(value.clone());
        }
    }
    function.values = values;
    let rename = |operand: &mut Operand| {
        if let Operand::Value(id) = operand {
            *id = ids[*id];
        }
    };
    function.params.iter_mut().for_each(|id| *id = ids[*id]);
    for (_, block) in function.blocks.iter_mut() {
        block.params.iter_mut().for_each(|id| *id = ids[*id]);
        for inst in &mut block.insts {
            inst.results.iter_mut().for_each(|id| *id = ids[*id]);
            inst.op.for_each_operand_mut(rename);
        }
        block.terminator.for_each_operand_mut(rename);
    }
}
