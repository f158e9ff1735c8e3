//! Branches that only correct a number: `if (n < 1) n = 1;`. Nothing is synchronised on either side, so that one path
//! stands for both, and the next epoch knows nothing of `n`: what the path leaves is not what all executions leave.
//! Where that matters, both ways are paths of their own, of one schedule; what they leave have in common is that `n`
//! is at least 1.

use icsched_ir::{Block, BlockId, Edge, FuncId, Op, Origin, Terminator};

use crate::budgets::BUDGETS;
use crate::statics::Statics;

/// Whether the branch at the end of a block is one: outside of loops, and what its sides do but for going on together
/// is to compute and to store.
pub(crate) fn corrects(statics: &Statics<'_>, func: FuncId, block: BlockId) -> bool {
    let function = &statics.program.functions[func];
    let Terminator::Branch { then_edge, else_edge, .. } = &function.blocks[block].terminator else { return false };
    let control = statics.control.function(func);
    if function.origin != Origin::Program || control.loops.around(block).next().is_some() {
        return false;
    }
    // Where a side goes on, if it is one block.
    let side = |edge: &Edge| {
        let body = &function.blocks[edge.target];
        let has_one_way = control.cfg.predecessors(edge.target).len() == 1;
        match &body.terminator {
            Terminator::Jump(next) if has_one_way && is_plain(body) => Some(next.target),
            _ => None,
        }
    };
    let (first, second) = (side(then_edge), side(else_edge));
    let is_diamond = first.is_some() && first == second;
    is_diamond || first == Some(else_edge.target) || second == Some(then_edge.target)
}

fn is_plain(block: &Block) -> bool {
    let is_plain = |op: &Op| op.is_computation() || matches!(op, Op::Load { .. } | Op::Store { .. });
    block.insts.len() <= BUDGETS.correction_instructions && block.insts.iter().all(|inst| is_plain(&inst.op))
}
