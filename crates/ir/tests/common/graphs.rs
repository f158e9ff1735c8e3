//! Graphs, and definitions about them computed by removing blocks and searching.

use fixedbitset::FixedBitSet;
use icsched_ir::{BlockId, Cfg, EntityId, Function};
use proptest::prelude::*;

pub(crate) fn b(index: usize) -> BlockId {
    BlockId::from_index(index)
}

/// Blocks that `from` reaches without entering `without`, itself included.
pub(crate) fn reach(cfg: &Cfg, from: BlockId, without: &FixedBitSet) -> FixedBitSet {
    let mut found = FixedBitSet::with_capacity(cfg.block_count());
    let mut work = vec![from];
    while let Some(block) = work.pop() {
        if !without.contains(block.index()) && !found.put(block.index()) {
            work.extend(cfg.successors(block));
        }
    }
    found
}

pub(crate) fn set(count: usize, blocks: impl IntoIterator<Item = usize>) -> FixedBitSet {
    let mut set = FixedBitSet::with_capacity(count);
    set.extend(blocks);
    set
}

pub(crate) fn functions() -> impl Strategy<Value = Function> {
    let edges = proptest::collection::vec(0..12usize, 0..3);
    proptest::collection::vec(edges, 1..12).prop_map(|edges| super::graph(&edges))
}

/// Postdominance with some blocks left out, by its definition.
pub(crate) struct Postdominance<'a> {
    cfg: &'a Cfg,
    ignore: &'a FixedBitSet,
    reached: Vec<FixedBitSet>,
}

impl<'a> Postdominance<'a> {
    pub(crate) fn new(cfg: &'a Cfg, ignore: &'a FixedBitSet) -> Self {
        let reached = (0..cfg.block_count()).map(|x| reach(cfg, b(x), ignore)).collect();
        Self { cfg, ignore, reached }
    }

    /// Whether the entry reaches the block and it is not left out.
    pub(crate) fn is_present(&self, x: BlockId) -> bool {
        self.cfg.is_reachable(x) && !self.ignore.contains(x.index())
    }

    /// A loop that control cannot leave ends, for this purpose, at its first block.
    fn is_end(&self, x: usize) -> bool {
        let Self { cfg, ignore, reached } = self;
        let leads_nowhere = cfg.successors(b(x)).iter().all(|s| ignore.contains(s.index()));
        let is_trap = reached[x].ones().all(|y| reached[y].contains(x));
        leads_nowhere || is_trap && reached[x].ones().all(|y| cfg.position(b(x)) <= cfg.position(b(y)))
    }

    /// Whether every way from `y` to an end goes through `x`.
    pub(crate) fn holds(&self, x: BlockId, y: BlockId) -> bool {
        let mut without = self.ignore.clone();
        without.grow_and_insert(x.index());
        let is_cut = !reach(self.cfg, y, &without).ones().any(|z| self.is_end(z));
        self.is_present(x) && self.is_present(y) && is_cut
    }
}
