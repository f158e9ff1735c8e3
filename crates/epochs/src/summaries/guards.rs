//! What is true where control comes to a loop from outside, for it has come by branches that ask for it.

use std::collections::BTreeSet;

use icsched_ir::{BlockId, Function, Terminator, ValueId};
use icsched_slicing::function_control::FunctionControl;

use crate::budgets::BUDGETS;

/// Conditions of branches that all ways to the header from outside take to the same side, each with that side: as
/// they were when the branch was executed last, and so are the values that they were computed from. O(depth of the
/// header among dominators).
pub(super) fn of_loop(
    function: &Function,
    control: &FunctionControl,
    blocks: &BTreeSet<BlockId>,
    header: BlockId,
) -> Vec<(ValueId, bool)> {
    let FunctionControl { cfg, dominators, .. } = control;
    let mut found = Vec::new();
    for block in dominators.chain(header).filter(|&block| block != header) {
        let Terminator::Branch { condition, then_edge, else_edge } = &function.blocks[block].terminator else {
            continue;
        };
        // Whether one edge of the branch is the only way to the header from outside.
        let is_only = |target: BlockId, other: BlockId| {
            let mut ways = cfg.predecessors(target).iter().filter(|&from| target != header || !blocks.contains(from));
            target != other && dominators.dominates(target, header) && ways.all(|&from| from == block)
        };
        let (taken, passed) = (then_edge.target, else_edge.target);
        let side = match (is_only(taken, passed), is_only(passed, taken)) {
            (true, false) => true,
            (false, true) => false,
            _ => continue,
        };
        found.extend(condition.value().map(|condition| (condition, side)));
        if found.len() >= BUDGETS.loop_guards {
            break;
        }
    }
    found
}
