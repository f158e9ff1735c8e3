//! Dominator and postdominator trees.
//!
//! K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm" (2001). Deviations:
//! 1. Postdominators are dominators of the reversed graph with one virtual exit, to which every block without
//!    successors leads. A part of the graph that cannot reach an exit (an endless loop) has no postdominators by the
//!    definition; here one block of each strongly connected component that control cannot leave, the first in reverse
//!    postorder (a loop's header), gets an edge to the virtual exit. So inside `for (;;) {…}` joins still postdominate
//!    their branches, as in a loop that ends.
//! 2. Ancestor queries take O(1) by preorder intervals of the finished tree.

use fixedbitset::FixedBitSet;

use crate::cfg::Cfg;
use crate::entity::{BlockId, EntityId};
use crate::scc;

const NONE: u32 = u32::MAX;

/// A dominator or postdominator tree over a function's blocks.
///
/// Only blocks that the entry reaches (and, for postdominators, that are not ignored) are in it. Built in
/// O(blocks * nesting) in practice.
#[derive(Clone, Debug)]
pub struct DomTree {
    /// Per block, and last the virtual root: its parent, itself for the root, [`NONE`] when not in the tree.
    parent: Vec<u32>,
    /// Per block and virtual root: first and one past the last preorder number of its subtree.
    interval: Vec<(u32, u32)>,
}

impl DomTree {
    /// `a` dominates `b` when every path from the entry to `b` goes through `a`.
    pub fn dominators(cfg: &Cfg) -> Self {
        let root = cfg.block_count();
        let mut graph = Graph::new(root + 1);
        if root > 0 {
            graph.edge(root, 0);
        }
        for &block in cfg.reverse_postorder() {
            for &to in cfg.successors(block) {
                graph.edge(block.index(), to.index());
            }
        }
        Self::new(&graph, root)
    }

    /// `a` postdominates `b` when every path from `b` to an end of the function goes through `a`. The blocks in
    /// `ignore` count as absent: paths into them are not paths. A block all of whose successors are ignored is an end
    /// of the function. See the module's comment on endless loops.
    pub fn postdominators(cfg: &Cfg, ignore: &FixedBitSet) -> Self {
        let exit = cfg.block_count();
        let keep = |b: usize| !ignore.contains(b) && cfg.is_reachable(BlockId::from_index(b));
        let mut graph = Graph::new(exit + 1);
        // Components come callees first, so whether a component leaves for another one that reaches the exit is
        // known: every component that has a way out reaches the exit.
        for component in scc::components(exit, keep, |b| cfg.successor_indices(b)) {
            let mut has_way_out = false;
            for &block in &component {
                let mut has_successor = false;
                for to in cfg.successor_indices(block).filter(|&to| keep(to)) {
                    graph.edge(to, block);
                    has_successor = true;
                    has_way_out |= component.binary_search(&to).is_err();
                }
                if !has_successor {
                    graph.edge(exit, block);
                    has_way_out = true;
                }
            }
            if !has_way_out {
                let first = component.iter().copied().min_by_key(|&b| cfg.position(BlockId::from_index(b)));
                graph.edge(exit, first.expect("components are not empty"));
            }
        }
        Self::new(&graph, exit)
    }

    fn new(graph: &Graph, root: usize) -> Self {
        let order = graph.reverse_postorder(root);
        let mut position = vec![NONE; graph.successors.len()];
        for (&node, at) in order.iter().zip(0..) {
            position[node] = at;
        }
        let mut parent = vec![NONE; graph.successors.len()];
        parent[root] = index(root);
        let mut changed = true;
        while changed {
            changed = false;
            for &node in &order[1..] {
                let known = graph.predecessors[node].iter().map(|&p| index(p)).filter(|&p| parent[p as usize] != NONE);
                let new = known.reduce(|a, b| intersect(&parent, &position, a, b)).expect("visited from a parent");
                if parent[node] != new {
                    parent[node] = new;
                    changed = true;
                }
            }
        }
        let interval = intervals(&parent, &order);
        Self { parent, interval }
    }

    /// Whether `block` is in the tree.
    pub fn contains(&self, block: BlockId) -> bool {
        self.parent[block.index()] != NONE
    }

    /// Whether `a` (post)dominates `b`; every block in the tree does itself. False when one is not in the tree. O(1).
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        let (from, to) = self.interval[a.index()];
        let (at, _) = self.interval[b.index()];
        self.contains(a) && self.contains(b) && from <= at && at < to
    }

    /// Whether `a` (post)dominates `b` and is another block.
    pub fn strictly_dominates(&self, a: BlockId, b: BlockId) -> bool {
        a != b && self.dominates(a, b)
    }

    /// The closest strict (post)dominator. `None` for the entry, for a block whose only postdominator is the virtual
    /// exit, and for a block that is not in the tree.
    pub fn immediate(&self, block: BlockId) -> Option<BlockId> {
        let parent = self.parent[block.index()];
        (parent != NONE && parent as usize != self.root()).then(|| BlockId::from_index(parent as usize))
    }

    /// `block`, its immediate (post)dominator, that one's, and so on to the root; empty when not in the tree.
    pub fn chain(&self, block: BlockId) -> impl Iterator<Item = BlockId> {
        std::iter::successors(self.contains(block).then_some(block), |&b| self.immediate(b))
    }

    /// The closest block that (post)dominates both; `None` when only the virtual root does, or when one is not in the
    /// tree.
    pub fn nearest_common(&self, a: BlockId, b: BlockId) -> Option<BlockId> {
        self.chain(a).find(|&d| self.dominates(d, b))
    }

    fn root(&self) -> usize {
        self.parent.len() - 1
    }
}

fn index(node: usize) -> u32 {
    u32::try_from(node).expect("fewer than 2^32 blocks")
}

fn intersect(parent: &[u32], position: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while position[a as usize] > position[b as usize] {
            a = parent[a as usize];
        }
        while position[b as usize] > position[a as usize] {
            b = parent[b as usize];
        }
    }
    a
}

/// Preorder intervals of the tree. `order` lists every node after its parent.
fn intervals(parent: &[u32], order: &[usize]) -> Vec<(u32, u32)> {
    let mut size = vec![1u32; parent.len()];
    for &node in order[1..].iter().rev() {
        size[parent[node] as usize] += size[node];
    }
    let mut interval = vec![(0, 0); parent.len()];
    // Where the next child's interval starts, per node.
    let mut next = vec![1u32; parent.len()];
    interval[order[0]] = (0, size[order[0]]);
    for &node in &order[1..] {
        let up = parent[node] as usize;
        let start = next[up];
        next[up] += size[node];
        next[node] = start + 1;
        interval[node] = (start, start + size[node]);
    }
    interval
}

/// A graph of plain indices, the last of which is the root.
struct Graph {
    successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
}

impl Graph {
    fn new(count: usize) -> Self {
        Self { successors: vec![Vec::new(); count], predecessors: vec![Vec::new(); count] }
    }

    fn edge(&mut self, from: usize, to: usize) {
        self.successors[from].push(to);
        self.predecessors[to].push(from);
    }

    fn reverse_postorder(&self, root: usize) -> Vec<usize> {
        let mut seen = vec![false; self.successors.len()];
        seen[root] = true;
        let mut order = Vec::new();
        let mut stack = vec![(root, 0)];
        while let Some((node, at)) = stack.last_mut() {
            let Some(&next) = self.successors[*node].get(*at) else {
                order.push(*node);
                stack.pop();
                continue;
            };
            *at += 1;
            if !seen[next] {
                seen[next] = true;
                stack.push((next, 0));
            }
        }
        order.reverse();
        order
    }
}
