//! The control-flow graph of a function.

use smallvec::SmallVec;

use crate::entity::{BlockId, EntityId, IdVec};
use crate::program::Function;

/// Successors, predecessors and a reverse postorder of a function's blocks. Built in O(blocks + edges).
#[derive(Clone, Debug)]
pub struct Cfg {
    successors: IdVec<BlockId, SmallVec<[BlockId; 2]>>,
    predecessors: IdVec<BlockId, SmallVec<[BlockId; 2]>>,
    order: Vec<BlockId>,
    position: IdVec<BlockId, Option<u32>>,
}

impl Cfg {
    /// The graph of `function`; empty for a declaration. Edges to blocks that do not exist are left out, so that the
    /// verifier can use it on broken input.
    pub fn new(function: &Function) -> Self {
        let count = function.blocks.len();
        let mut successors = IdVec::filled(SmallVec::new(), count);
        let mut predecessors = IdVec::filled(SmallVec::new(), count);
        for (id, block) in function.blocks.iter() {
            let targets: &mut SmallVec<[BlockId; 2]> = &mut successors[id];
            for edge in block.terminator.edges() {
                if edge.target.index() < count && !targets.contains(&edge.target) {
                    targets.push(edge.target);
                    predecessors[edge.target].push(id);
                }
            }
        }
        let order = reverse_postorder(&successors);
        let mut position = IdVec::filled(None, count);
        for (&block, at) in order.iter().zip(0..) {
            position[block] = Some(at);
        }
        Self { successors, predecessors, order, position }
    }

    /// Number of blocks, unreachable ones included.
    pub fn block_count(&self) -> usize {
        self.successors.len()
    }

    /// Where control can go from `block`: then before else, a target of both edges once.
    pub fn successors(&self, block: BlockId) -> &[BlockId] {
        &self.successors[block]
    }

    /// Where control can come from, in block order, each block once; unreachable blocks are among them.
    pub fn predecessors(&self, block: BlockId) -> &[BlockId] {
        &self.predecessors[block]
    }

    /// The blocks that the entry reaches, each before its successors except along back edges.
    pub fn reverse_postorder(&self) -> &[BlockId] {
        &self.order
    }

    /// Position in the [reverse postorder](Self::reverse_postorder), `None` when unreachable.
    pub fn position(&self, block: BlockId) -> Option<usize> {
        self.position[block].map(|p| p as usize)
    }

    /// Whether the entry reaches `block`.
    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.position[block].is_some()
    }

    /// The successors as plain indices, for the algorithms shared by several graphs.
    pub(crate) fn successor_indices(&self, block: usize) -> impl Iterator<Item = usize> {
        self.successors[BlockId::from_index(block)].iter().map(|b| b.index())
    }
}

fn reverse_postorder(successors: &IdVec<BlockId, SmallVec<[BlockId; 2]>>) -> Vec<BlockId> {
    let mut order = Vec::with_capacity(successors.len());
    let mut seen = IdVec::filled(false, successors.len());
    let Some(entry) = successors.ids().next() else { return order };
    seen[entry] = true;
    // A block and the number of its successors not yet visited; taking the last one first makes the final order list
    // a branch's then side before its else side.
    let mut stack = vec![(entry, successors[entry].len())];
    while let Some((block, left)) = stack.last_mut() {
        if *left == 0 {
            order.push(*block);
            stack.pop();
            continue;
        }
        *left -= 1;
        let next = successors[*block][*left];
        if !seen[next] {
            seen[next] = true;
            stack.push((next, successors[next].len()));
        }
    }
    order.reverse();
    order
}
