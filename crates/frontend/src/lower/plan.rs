//! Which blocks a function will have, before any of them is lowered.
//!
//! Block addresses in initialisers need the ids of blocks early. Blocks that cannot be reached get none. The order is
//! reverse postorder, so that each definition is lowered before its uses (except by phis), and the extra blocks that a
//! `switch` or computed `goto` is spread over follow the block they belong to.

use icsched_ir::{BlockId, EntityId};
use inkwell::llvm_sys::LLVMOpcode;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::llvm::{Bb, Val};

/// The blocks of one function.
#[derive(Clone)]
pub(crate) struct Plan<'m> {
    /// Reachable blocks in reverse postorder, each with the ids of its extra blocks.
    pub(crate) order: Vec<(Bb<'m>, Vec<BlockId>)>,
    /// Ids of the reachable blocks.
    pub(crate) ids: FxHashMap<Bb<'m>, BlockId>,
    /// Number of blocks, extra ones included.
    pub(crate) count: usize,
}

impl<'m> Plan<'m> {
    pub(crate) fn of(function: Val<'m>) -> Self {
        let mut plan = Self { order: Vec::new(), ids: FxHashMap::default(), count: 0 };
        for block in reverse_postorder(function) {
            plan.ids.insert(block, BlockId::from_index(plan.count));
            plan.count += 1;
            let extra = block.terminator().map_or(0, extra_blocks);
            plan.order.push((block, (plan.count..plan.count + extra).map(BlockId::from_index).collect()));
            plan.count += extra;
        }
        plan
    }
}

/// The targets that the IR's terminator will have: none for terminators that are not lowered. A call that may throw has
/// the one of its return.
pub(crate) fn lowered_successors(terminator: Val<'_>) -> Vec<Bb<'_>> {
    match terminator.opcode() {
        LLVMOpcode::LLVMBr | LLVMOpcode::LLVMSwitch | LLVMOpcode::LLVMIndirectBr => terminator.successors(),
        // Nothing that is modelled throws, and assembly that jumps is not lowered.
        LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr => terminator.successors().into_iter().take(1).collect(),
        _ => Vec::new(),
    }
}

/// The groups of a `switch`: for each target other than the default one, the case values that lead there, in order of
/// the first of them.
pub(crate) fn switch_groups<'m>(switch: Val<'m>) -> Vec<(Bb<'m>, Vec<Val<'m>>)> {
    let default = switch.successors()[0];
    let mut groups: Vec<(Bb<'m>, Vec<Val<'m>>)> = Vec::new();
    let mut positions = FxHashMap::default();
    for (value, target) in switch.switch_cases() {
        if target == default {
            continue;
        }
        let position = *positions.entry(target).or_insert(groups.len());
        if position == groups.len() {
            groups.push((target, Vec::new()));
        }
        groups[position].1.push(value);
    }
    groups
}

/// The distinct targets of a computed `goto`.
pub(crate) fn goto_targets(goto: Val<'_>) -> Vec<Bb<'_>> {
    let mut seen = FxHashSet::default();
    goto.successors().into_iter().filter(|&target| seen.insert(target)).collect()
}

fn extra_blocks(terminator: Val<'_>) -> usize {
    match terminator.opcode() {
        LLVMOpcode::LLVMSwitch => switch_groups(terminator).len().saturating_sub(1),
        LLVMOpcode::LLVMIndirectBr => goto_targets(terminator).len(),
        _ => 0,
    }
}

fn reverse_postorder(function: Val<'_>) -> Vec<Bb<'_>> {
    let Some(&entry) = function.blocks().first() else { return Vec::new() };
    let mut seen = FxHashSet::from_iter([entry]);
    let mut postorder = Vec::new();
    // Successors are taken last to first, so that in the result the first one comes first.
    let mut stack = vec![(entry, successors_of(entry))];
    while let Some((block, pending)) = stack.last_mut() {
        let block = *block;
        match pending.pop() {
            Some(next) if seen.insert(next) => stack.push((next, successors_of(next))),
            Some(_) => {}
            None => {
                postorder.push(block);
                stack.pop();
            }
        }
    }
    postorder.reverse();
    postorder
}

fn successors_of(block: Bb<'_>) -> Vec<Bb<'_>> {
    block.terminator().map_or(Vec::new(), lowered_successors)
}
