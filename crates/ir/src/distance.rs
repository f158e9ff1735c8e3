//! How far it is to a return or out of a loop: what "shortest path first" compares (Bergan 3.3.2).
//!
//! Distances are static: the fewest instructions along any way in the graph, each terminator counting one and a call
//! as much as any other instruction.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fixedbitset::FixedBitSet;

use crate::cfg::Cfg;
use crate::entity::{BlockId, EntityId, IdVec, LoopId};
use crate::inst::Terminator;
use crate::loops::LoopForest;
use crate::program::Function;

/// Distances to the ends of a function and of its loops. [`ExitDistances::FAR`] stands for "never".
#[derive(Clone, Debug)]
pub struct ExitDistances {
    to_return: IdVec<BlockId, u32>,
    /// Per loop its blocks, inner loops' included, with their distances out of it, ascending.
    out_of: IdVec<LoopId, Vec<(BlockId, u32)>>,
}

impl ExitDistances {
    /// The distance where no way leads out.
    pub const FAR: u32 = u32::MAX;

    /// The blocks in `avoid` count as absent. Takes O((blocks + edges) * log blocks) per level of loops, and O(blocks)
    /// space per level.
    pub fn new(function: &Function, cfg: &Cfg, loops: &LoopForest, avoid: &FixedBitSet) -> Self {
        let weight = |b: BlockId| u32::try_from(function.blocks[b].insts.len()).unwrap_or(u32::MAX).saturating_add(1);
        let usable = |b: BlockId| !avoid.contains(b.index());
        let mut search = Search { cfg, distance: IdVec::filled(Self::FAR, cfg.block_count()), heap: BinaryHeap::new() };
        let out_of = loops
            .iter()
            .map(|(_, l)| {
                let exits = l.exits.iter().filter(|&&(_, to)| usable(to));
                search.run(exits.map(|&(from, _)| from), weight, |b| usable(b) && l.contains(b));
                let found = l.block_ids().map(|b| (b, search.distance[b])).collect();
                l.block_ids().for_each(|b| search.distance[b] = Self::FAR);
                found
            })
            .collect();
        let returns = function.blocks.iter().filter(|(_, b)| matches!(b.terminator, Terminator::Return(_)));
        search.run(returns.map(|(id, _)| id), weight, usable);
        Self { to_return: search.distance, out_of }
    }

    /// Instructions from the start of `block` to the end of the function.
    pub fn to_return(&self, block: BlockId) -> u32 {
        self.to_return[block]
    }

    /// Instructions from the start of `block` until the loop is left; 0 for a block outside. O(log blocks).
    pub fn out_of(&self, id: LoopId, block: BlockId) -> u32 {
        let blocks = &self.out_of[id];
        blocks.binary_search_by_key(&block, |(b, _)| *b).map_or(0, |at| blocks[at].1)
    }

    /// Instructions behind the edge from `from` to `to` until the innermost loop around `from` is left, or the
    /// function where there is no such loop. 0 for an edge that leaves the loop.
    pub fn of_edge(&self, loops: &LoopForest, from: BlockId, to: BlockId) -> u32 {
        match loops.innermost(from) {
            Some(id) => self.out_of(id, to),
            None => self.to_return(to),
        }
    }
}

/// Dijkstra's algorithm against the edges.
struct Search<'a> {
    cfg: &'a Cfg,
    distance: IdVec<BlockId, u32>,
    heap: BinaryHeap<Reverse<(u32, BlockId)>>,
}

impl Search<'_> {
    /// Distances from the blocks that are `usable` to the end of one of the `goals`, through usable blocks.
    fn run(
        &mut self,
        goals: impl Iterator<Item = BlockId>,
        weight: impl Fn(BlockId) -> u32,
        usable: impl Fn(BlockId) -> bool,
    ) {
        for goal in goals.filter(|&b| usable(b)) {
            self.improve(goal, weight(goal));
        }
        while let Some(Reverse((distance, block))) = self.heap.pop() {
            if distance > self.distance[block] {
                continue;
            }
            for &before in self.cfg.predecessors(block) {
                if usable(before) {
                    self.improve(before, distance.saturating_add(weight(before)));
                }
            }
        }
    }

    fn improve(&mut self, block: BlockId, distance: u32) {
        if distance < self.distance[block] {
            self.distance[block] = distance;
            self.heap.push(Reverse((distance, block)));
        }
    }
}
