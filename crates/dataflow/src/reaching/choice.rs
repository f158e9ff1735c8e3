//! Which branch decides along which of two edges control comes to a block (the gating functions of K. Ottenstein, R.
//! Ballance, A. MacCabe, "The program dependence web", 1990, for two edges).

use icsched_ir::{BlockId, Edge, Operand, Terminator};

use crate::structure::Structure;

/// An edge, with the block that it comes from.
pub(crate) type From<'f> = (BlockId, &'f Edge);

/// The condition that decides along which of its two edges control comes to a block: the first one if it holds.
///
/// The branch is the one that dominates the block. Each of the edges is its own, or behind one of its sides, which
/// control gets to by the branch alone. So the edge is behind the side that control went to last.
pub(crate) fn choice<'f>(
    structure: &Structure,
    function: &'f icsched_ir::Function,
    block: BlockId,
) -> Option<(Operand, [From<'f>; 2])> {
    let predecessors = structure.cfg.predecessors(block);
    if predecessors.len() > 2 {
        return None;
    }
    let decider = structure.dominators.immediate(block)?;
    let Terminator::Branch { condition, then_edge, else_edge } = &function.blocks[decider].terminator else {
        return None;
    };
    let is_behind = |side: &Edge, other: &Edge, from: BlockId| {
        let start = side.target;
        start != other.target
            && structure.cfg.predecessors(start) == [decider]
            && structure.dominators.dominates(start, from)
    };
    let mut found: [Option<From<'f>>; 2] = [None, None];
    let mut froms = predecessors.to_vec();
    froms.dedup();
    for from in froms {
        for edge in function.blocks[from].terminator.edges().filter(|e| e.target == block) {
            let side = if from == decider {
                usize::from(std::ptr::eq(edge, else_edge))
            } else if is_behind(then_edge, else_edge, from) {
                0
            } else if is_behind(else_edge, then_edge, from) {
                1
            } else {
                return None;
            };
            if found[side].replace((from, edge)).is_some() {
                return None;
            }
        }
    }
    let [Some(then), Some(other)] = found else { return None };
    Some((*condition, [then, other]))
}
