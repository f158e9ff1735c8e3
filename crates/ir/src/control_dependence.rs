//! Control dependence.
//!
//! J. Ferrante, K. Ottenstein, J. Warren, "The Program Dependence Graph and Its Use in Optimization" (1987): from each
//! branch edge up the postdominator tree to where the branch's sides meet. Deviations:
//! 1. A side that the postdominator tree leaves out (ignored blocks) counts as absent, so a branch with one side left
//!    decides nothing.
//! 2. The edge to the virtual exit that [`DomTree::postdominators`] gives a loop without end is no outcome of any
//!    branch. So in `for (;;) { if (x) a(); b(); }` only `a()` depends on anything. For this the walk ends where all
//!    successors' chains meet, and not at the branch's own parent in the tree, which is the same block everywhere else.

use crate::cfg::Cfg;
use crate::dominators::DomTree;
use crate::entity::{BlockId, EntityId, IdVec};

/// One outcome of a branch: the block that decides and the block that control goes to.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BranchEdge {
    /// The block that ends in the branch.
    pub from: BlockId,
    /// One of its successors.
    pub to: BlockId,
}

/// Which blocks depend on which outcomes.
///
/// A block depends on an edge when it postdominates the edge's target but not every successor of the branch: this
/// outcome makes it certain, another one does not. A loop's header depends on the edge that stays in the loop. Only
/// blocks of the postdominator tree take part.
///
/// Built in O(edges + dependences); there are at most (edges * depth of the tree) dependences.
#[derive(Clone, Debug)]
pub struct ControlDependence {
    edges: IdVec<BlockId, Vec<BranchEdge>>,
    /// Per edge that something depends on, ascending.
    dependents: Vec<(BranchEdge, Vec<BlockId>)>,
}

impl ControlDependence {
    /// The dependences of the function whose graph and postdominators these are.
    pub fn new(cfg: &Cfg, postdominators: &DomTree) -> Self {
        let count = cfg.block_count();
        let mut edges = IdVec::filled(Vec::new(), count);
        let mut dependents = Vec::new();
        for from in (0..count).map(BlockId::from_index).filter(|&b| postdominators.contains(b)) {
            let sides: Vec<BlockId> =
                cfg.successors(from).iter().copied().filter(|&to| postdominators.contains(to)).collect();
            let [first, others @ ..] = &sides[..] else { continue };
            let join = others.iter().try_fold(*first, |join, &to| postdominators.nearest_common(join, to));
            for &to in &sides {
                let mut blocks: Vec<BlockId> =
                    postdominators.chain(to).take_while(|&block| Some(block) != join).collect();
                if blocks.is_empty() {
                    continue;
                }
                blocks.sort_unstable();
                let edge = BranchEdge { from, to };
                for &block in &blocks {
                    let list: &mut Vec<BranchEdge> = &mut edges[block];
                    list.push(edge);
                }
                dependents.push((edge, blocks));
            }
        }
        for (_, list) in edges.iter_mut() {
            list.sort_unstable();
        }
        dependents.sort_unstable();
        Self { edges, dependents }
    }

    /// The outcomes that `block` depends on, ascending.
    pub fn edges_of(&self, block: BlockId) -> &[BranchEdge] {
        &self.edges[block]
    }

    /// The blocks that depend on `edge`, ascending. O(log edges).
    pub fn dependents(&self, edge: BranchEdge) -> &[BlockId] {
        match self.dependents.binary_search_by_key(&edge, |(edge, _)| *edge) {
            Ok(at) => &self.dependents[at].1,
            Err(_) => &[],
        }
    }
}
