//! The loop forest of a function.
//!
//! B. Steensgaard, "Sequentializing Program Dependence Graphs for Irreducible Programs" (1993): every strongly
//! connected component is a loop; without its header it falls apart into the components that are its inner loops. On a
//! reducible graph these are the natural loops, those of one header joined. Deviation: an irreducible loop, one that
//! control enters at several blocks, takes the first of them in reverse postorder as its header and is flagged.

use fixedbitset::FixedBitSet;

use crate::cfg::Cfg;
use crate::entity::{BlockId, EntityId, IdVec, LoopId};
use crate::scc;

/// One loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop {
    /// Where control enters; for an irreducible loop the first such block in reverse postorder.
    pub header: BlockId,
    /// Every block that control can enter the loop at, in block order: just the header in a reducible one.
    pub entries: Vec<BlockId>,
    /// All blocks, header and inner loops included.
    pub blocks: FixedBitSet,
    /// Blocks of the loop with an edge to the header, in block order.
    pub latches: Vec<BlockId>,
    /// Edges that leave the loop, as (block inside, block outside), by the inside block.
    pub exits: Vec<(BlockId, BlockId)>,
    /// The loop right around this one.
    pub parent: Option<LoopId>,
    /// 1 for an outermost loop.
    pub depth: u32,
}

impl Loop {
    /// Whether control can enter it at more than one block.
    pub fn is_irreducible(&self) -> bool {
        self.entries.len() > 1
    }

    /// Whether `block` is in it.
    pub fn contains(&self, block: BlockId) -> bool {
        self.blocks.contains(block.index())
    }

    /// Its blocks in block order.
    pub fn block_ids(&self) -> impl Iterator<Item = BlockId> {
        self.blocks.ones().map(BlockId::from_index)
    }
}

/// All loops of a function that the entry reaches, outer before inner ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopForest {
    loops: IdVec<LoopId, Loop>,
    innermost: IdVec<BlockId, Option<LoopId>>,
}

impl LoopForest {
    /// Finds the loops in O((blocks + edges) * depth) time; block sets take O(loops * blocks) bits.
    pub fn new(cfg: &Cfg) -> Self {
        let count = cfg.block_count();
        let mut forest = Self { loops: IdVec::new(), innermost: IdVec::filled(None, count) };
        let reachable: Vec<usize> = (0..count).filter(|&b| cfg.is_reachable(BlockId::from_index(b))).collect();
        // Regions to look for loops in: the blocks, and the loop they are the rest of.
        let mut regions = vec![(reachable, None)];
        while let Some((region, parent)) = regions.pop() {
            for component in Self::cyclic_components(cfg, &region) {
                let id = forest.add(cfg, &component, parent);
                let header = forest.loops[id].header.index();
                regions.push((component.into_iter().filter(|&b| b != header).collect(), Some(id)));
            }
        }
        forest
    }

    /// The loops of `region` by the position of their first block. Works on indices into the region, so that the
    /// cost is the region's, not the function's.
    fn cyclic_components(cfg: &Cfg, region: &[usize]) -> Vec<Vec<usize>> {
        let within = |b: usize| cfg.successor_indices(region[b]).filter_map(|to| region.binary_search(&to).ok());
        let mut found: Vec<Vec<usize>> = scc::components(region.len(), |_| true, within)
            .into_iter()
            .map(|component| component.into_iter().map(|at| region[at]).collect::<Vec<_>>())
            .filter(|c| c.len() > 1 || cfg.successor_indices(c[0]).any(|to| to == c[0]))
            .collect();
        found.sort_by_key(|c| c.iter().map(|&b| cfg.position(BlockId::from_index(b))).min());
        found
    }

    fn add(&mut self, cfg: &Cfg, component: &[usize], parent: Option<LoopId>) -> LoopId {
        let ids = || component.iter().map(|&b| BlockId::from_index(b));
        let mut blocks = FixedBitSet::with_capacity(cfg.block_count());
        blocks.extend(component.iter().copied());
        let inside = |b: &BlockId| blocks.contains(b.index());
        // Unreachable code may jump into a loop; that is no entry. The entry block has no predecessor to be in a loop.
        let enters = |b: &BlockId| cfg.predecessors(*b).iter().any(|p| !inside(p) && cfg.is_reachable(*p));
        let mut entries: Vec<BlockId> = ids().filter(enters).collect();
        let header = first_in_order(cfg, entries.iter().copied()).or_else(|| first_in_order(cfg, ids()));
        let header = header.expect("components are not empty");
        if entries.is_empty() {
            entries.push(header);
        }
        let latches = cfg.predecessors(header).iter().copied().filter(inside).collect();
        let exits = ids()
            .flat_map(|from| cfg.successors(from).iter().map(move |&to| (from, to)))
            .filter(|(_, to)| !inside(to))
            .collect();
        let depth = parent.map_or(0, |p| self.loops[p].depth) + 1;
        let id = self.loops.push(Loop { header, entries, blocks, latches, exits, parent, depth });
        for &block in component {
            self.innermost[BlockId::from_index(block)] = Some(id);
        }
        id
    }

    /// All loops, outer before inner.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (LoopId, &Loop)> + ExactSizeIterator {
        self.loops.iter()
    }

    /// Number of loops.
    pub fn len(&self) -> usize {
        self.loops.len()
    }

    /// Whether the function has no loop.
    pub fn is_empty(&self) -> bool {
        self.loops.is_empty()
    }

    /// The loop with this id.
    pub fn get(&self, id: LoopId) -> &Loop {
        &self.loops[id]
    }

    /// The innermost loop around `block`.
    pub fn innermost(&self, block: BlockId) -> Option<LoopId> {
        self.innermost[block]
    }

    /// Whether an edge between these blocks leaves some loop.
    pub fn leave_one(&self, from: BlockId, to: BlockId) -> bool {
        self.innermost(from).is_some_and(|l| !self.get(l).contains(to))
    }

    /// The loops around `block`, innermost first.
    pub fn around(&self, block: BlockId) -> impl Iterator<Item = LoopId> {
        std::iter::successors(self.innermost(block), |&id| self.loops[id].parent)
    }

    /// The loop that `block` is the header of.
    pub fn headed_by(&self, block: BlockId) -> Option<LoopId> {
        self.innermost(block).filter(|&id| self.loops[id].header == block)
    }
}

fn first_in_order(cfg: &Cfg, blocks: impl Iterator<Item = BlockId>) -> Option<BlockId> {
    blocks.min_by_key(|&b| cfg.position(b))
}
