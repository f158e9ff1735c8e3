//! The constraint graph: nodes with their points-to sets, and subset edges between them.
//!
//! Nodes that turn out to be equal are merged (union-find); every id handed in may be one of a merged node. A set
//! grows through [`Graph::add`] alone; what its edges have not passed on is what it has grown by since they did.

use fixedbitset::FixedBitSet;
use icsched_ir::{EntityId, entity_id};
use roaring::RoaringBitmap;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::object::Shift;
use crate::sets::{SetNumber, Sets};

entity_id!(
    /// A pointer of the constraint graph: an SSA value of an instance, or a piece of memory.
    NodeId, "n"
);

impl NodeId {
    pub(crate) const fn at(self) -> usize {
        self.0 as usize
    }
}

/// Sets of at most this many successors are searched without an index.
const FEW: usize = 16;

#[derive(Default)]
pub(crate) struct Node {
    points_to: SetNumber,
    /// What its edges have passed on.
    passed: SetNumber,
    successors: Vec<NodeId>,
    index: Option<Box<FxHashSet<NodeId>>>,
    /// Per way of moving the node that holds what is moved.
    shifts: Vec<(Shift, NodeId)>,
    complex: Option<Box<Complex>>,
}

/// Nodes by the width of an access.
pub(crate) type Ports = SmallVec<[(u32, NodeId); 2]>;

/// Constraints that look into what a node points to.
#[derive(Default)]
pub(crate) struct Complex {
    /// Per width in bytes the node that holds what is loaded.
    pub(crate) loads: Ports,
    /// Per width in bytes the node of what is stored.
    pub(crate) stores: Ports,
    /// Calls through the node.
    pub(crate) calls: Vec<u32>,
    /// Copies of memory from here, and to here.
    pub(crate) copies: Vec<Copy>,
    /// What the constraints have looked into.
    seen: SetNumber,
}

/// One side of a copy of memory.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Copy {
    /// The object that stands for the bytes on their way.
    pub(crate) transfer: crate::ObjectId,
    /// Where the bytes go, or come from.
    pub(crate) into: bool,
    /// How many; `None` if not constant.
    pub(crate) len: Option<u64>,
}

#[derive(Default)]
pub(crate) struct Graph {
    parents: Vec<u32>,
    nodes: Vec<Node>,
    /// Nodes whose delta became non-empty.
    dirty: Vec<NodeId>,
    /// Nodes whose complex constraints have something pending.
    waiting: Vec<NodeId>,
    pub(crate) edges: usize,
    pub(crate) merged: usize,
    pub(crate) sets: Sets,
}

impl Graph {
    pub(crate) fn node(&mut self) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes"));
        self.parents.push(id.0);
        self.nodes.push(Node::default());
        id
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The node that `id` has been merged into.
    pub(crate) fn find(&mut self, id: NodeId) -> NodeId {
        let mut at = id.0;
        while self.parents[at as usize] != at {
            let up = self.parents[self.parents[at as usize] as usize];
            self.parents[at as usize] = up;
            at = up;
        }
        NodeId(at)
    }

    /// [`find`](Self::find) without shortening paths.
    pub(crate) fn representative(&self, id: NodeId) -> NodeId {
        let mut at = id.0;
        while self.parents[at as usize] != at {
            at = self.parents[at as usize];
        }
        NodeId(at)
    }

    pub(crate) fn get(&self, id: NodeId) -> &Node {
        &self.nodes[self.representative(id).at()]
    }

    /// What the node points to.
    pub(crate) fn points_to(&self, id: NodeId) -> &RoaringBitmap {
        self.sets.get(self.get(id).points_to)
    }

    pub(crate) fn complex(&mut self, id: NodeId) -> &mut Complex {
        let id = self.find(id);
        let node = &mut self.nodes[id.at()];
        let seen = node.points_to;
        node.complex.get_or_insert_with(|| Box::new(Complex { seen, ..Complex::default() }))
    }

    /// The number of what the node points to.
    pub(crate) fn set(&self, id: NodeId) -> SetNumber {
        self.get(id).points_to
    }

    /// Adds elements.
    pub(crate) fn add(&mut self, to: NodeId, elements: SetNumber) {
        let to = self.find(to);
        let node = &self.nodes[to.at()];
        let before = node.points_to;
        let now = self.sets.union(before, elements);
        if now == before {
            return;
        }
        let node = &mut self.nodes[to.at()];
        if node.passed == before {
            self.dirty.push(to);
        }
        if let Some(complex) = &node.complex
            && complex.seen == before
        {
            self.waiting.push(to);
        }
        node.points_to = now;
    }

    pub(crate) fn add_one(&mut self, to: NodeId, element: u32) {
        let single = self.sets.single(element);
        self.add(to, single);
    }

    /// Adds the edge `from` is a subset of `to`, and passes on what `from` has.
    pub(crate) fn add_copy(&mut self, from: NodeId, to: NodeId) {
        let (from, to) = (self.find(from), self.find(to));
        if from == to || !self.nodes[from.at()].insert(to) {
            return;
        }
        self.edges += 1;
        self.add(to, self.nodes[from.at()].points_to);
    }

    /// The node of what `from` holds, moved, and whether it is new: then nothing has been passed on yet. `to` becomes
    /// that node, or one with it; if it is not given, one is made.
    pub(crate) fn moved(&mut self, from: NodeId, shift: Shift, to: Option<NodeId>) -> (NodeId, bool) {
        let from = self.find(from);
        if let Some(&(_, known)) = self.nodes[from.at()].shifts.iter().find(|s| s.0 == shift) {
            if let Some(to) = to {
                self.merge(known, to);
            }
            return (known, false);
        }
        let to = to.unwrap_or_else(|| self.node());
        self.nodes[from.at()].shifts.push((shift, to));
        self.edges += 1;
        (to, true)
    }

    /// The same for what is loaded through `address`.
    pub(crate) fn loaded(&mut self, address: NodeId, width: u32, to: Option<NodeId>) -> (NodeId, bool) {
        let known = self.complex(address).loads.iter().find(|l| l.0 == width).map(|l| l.1);
        if let Some(known) = known {
            if let Some(to) = to {
                self.merge(known, to);
            }
            return (known, false);
        }
        let to = to.unwrap_or_else(|| self.node());
        self.complex(address).loads.push((width, to));
        (to, true)
    }

    /// The node of what is stored through `address`, and whether it is new.
    pub(crate) fn stored(&mut self, address: NodeId, width: u32) -> (NodeId, bool) {
        if let Some(known) = self.complex(address).stores.iter().find(|s| s.0 == width) {
            return (known.1, false);
        }
        let port = self.node();
        self.complex(address).stores.push((width, port));
        (port, true)
    }

    /// What is new in the node since the last call, to be passed on.
    pub(crate) fn take_delta(&mut self, id: NodeId) -> SetNumber {
        let node = &mut self.nodes[id.at()];
        let before = std::mem::replace(&mut node.passed, node.points_to);
        self.sets.difference(node.points_to, before)
    }

    /// What the node's constraints have not looked into.
    pub(crate) fn take_pending(&mut self, id: NodeId) -> SetNumber {
        let node = &mut self.nodes[id.at()];
        let Some(complex) = &mut node.complex else { return SetNumber::EMPTY };
        let before = std::mem::replace(&mut complex.seen, node.points_to);
        self.sets.difference(node.points_to, before)
    }

    /// Passes `delta` on along the copy edges.
    pub(crate) fn pass_on(&mut self, from: NodeId, delta: SetNumber) {
        let mut successors = std::mem::take(&mut self.nodes[from.at()].successors);
        let mut stale = false;
        for to in &mut successors {
            let now = self.find(*to);
            stale |= now != *to;
            *to = now;
            if now != from {
                self.add(now, delta);
            }
        }
        let node = &mut self.nodes[from.at()];
        node.successors = successors;
        if stale {
            node.tidy(from);
        }
    }

    /// The moving edges of a node.
    pub(crate) fn shifts(&self, id: NodeId) -> &[(Shift, NodeId)] {
        &self.get(id).shifts
    }

    /// Makes a moving edge one that moves otherwise. Passes nothing on.
    pub(crate) fn change_shift(&mut self, from: NodeId, old: Shift, new: Shift) {
        let from = self.find(from);
        let shifts = &mut self.nodes[from.at()].shifts;
        let Some(at) = shifts.iter().position(|s| s.0 == old) else { return };
        match shifts.iter().find(|s| s.0 == new).map(|s| s.1) {
            Some(known) => {
                let (_, to) = shifts.swap_remove(at);
                self.merge(known, to);
            }
            None => shifts[at].0 = new,
        }
    }

    /// The representatives of the nodes that have something to pass on, each once, ascending.
    pub(crate) fn take_dirty(&mut self) -> Vec<NodeId> {
        let mut dirty = std::mem::take(&mut self.dirty);
        for id in &mut dirty {
            *id = self.find(*id);
        }
        dirty.sort_unstable();
        dirty.dedup();
        dirty.retain(|id| self.nodes[id.at()].passed != self.nodes[id.at()].points_to);
        dirty
    }

    /// The same for pending complex constraints.
    pub(crate) fn take_waiting(&mut self) -> Vec<NodeId> {
        let mut waiting = std::mem::take(&mut self.waiting);
        for id in &mut waiting {
            *id = self.find(*id);
        }
        waiting.sort_unstable();
        waiting.dedup();
        waiting
    }

    /// Makes one node of two; the sets of both reach the edges and constraints of both. What is computed alike from
    /// both becomes one as well.
    pub(crate) fn merge(&mut self, a: NodeId, b: NodeId) {
        let mut equal = vec![(a, b)];
        while let Some((a, b)) = equal.pop() {
            self.merge_two(a, b, &mut equal);
        }
    }

    fn merge_two(&mut self, a: NodeId, b: NodeId, equal: &mut Vec<(NodeId, NodeId)>) {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return;
        }
        let weight = |n: &Node| n.successors.len() + n.shifts.len();
        let (keep, gone) = if weight(&self.nodes[a.at()]) >= weight(&self.nodes[b.at()]) { (a, b) } else { (b, a) };
        let old = std::mem::take(&mut self.nodes[gone.at()]);
        self.parents[gone.at()] = keep.0;
        self.merged += 1;
        let node = &mut self.nodes[keep.at()];
        match (&mut node.complex, old.complex) {
            (_, None) => {}
            (none @ None, of_old) => *none = of_old,
            (Some(complex), Some(other)) => {
                join(&mut complex.loads, other.loads, equal);
                join(&mut complex.stores, other.stores, equal);
                complex.calls.extend(other.calls);
                complex.copies.extend(other.copies);
                complex.dedup();
                complex.seen = self.sets.intersection(complex.seen, other.seen);
            }
        }
        let together = self.sets.union(node.points_to, old.points_to);
        node.points_to = together;
        node.passed = self.sets.intersection(node.passed, old.passed);
        if node.passed != together {
            self.dirty.push(keep);
        }
        if node.complex.as_ref().is_some_and(|c| c.seen != together) {
            self.waiting.push(keep);
        }
        let node = &mut self.nodes[keep.at()];
        for to in old.successors {
            if to != keep && to != gone {
                node.insert(to);
            }
        }
        join(&mut node.shifts, old.shifts, equal);
    }

    /// The successors over copy edges, and over moving edges too if `all`; stale ids.
    pub(crate) fn successor(&self, id: NodeId, at: usize, all: bool) -> Option<NodeId> {
        let node = &self.nodes[id.at()];
        match node.successors.get(at) {
            Some(&to) => Some(to),
            None if all => node.shifts.get(at - node.successors.len()).map(|s| s.1),
            None => None,
        }
    }
}

impl Graph {
    /// Per node the number of its set, and the sets; equal sets are stored once.
    pub(crate) fn into_sets(self) -> (Vec<u32>, Vec<RoaringBitmap>) {
        let numbers = (0..self.nodes.len()).map(|at| self.set(NodeId::from_index(at))).collect::<Vec<_>>();
        let mut new = vec![u32::MAX; self.sets.len()];
        let mut all = self.sets.into_sets();
        let mut sets = Vec::new();
        let numbers = numbers.into_iter().map(|set| {
            let number = &mut new[set.index()];
            if *number == u32::MAX {
                *number = u32::try_from(sets.len()).expect("fewer sets than nodes");
                sets.push(std::mem::take(&mut all[set.index()]));
            }
            *number
        });
        (numbers.collect(), sets)
    }

    /// Frees the sets that no node has any more, if there are many sets.
    pub(crate) fn free_sets(&mut self) {
        if !self.sets.is_crowded() {
            return;
        }
        let mut used = FixedBitSet::with_capacity(self.sets.len());
        for node in &self.nodes {
            let seen = node.complex.as_ref().map(|c| c.seen);
            used.extend([node.points_to, node.passed].into_iter().chain(seen).map(|set| set.index()));
        }
        self.sets.keep(&used);
    }

    /// Whether nothing is left to pass on or to look into.
    pub(crate) fn is_settled(&self) -> bool {
        self.dirty.is_empty() && self.waiting.is_empty()
    }

    /// Whether a moving edge leads from the node to itself.
    pub(crate) fn moves_to_itself(&self, id: NodeId) -> bool {
        self.nodes[id.at()].shifts.iter().any(|s| self.representative(s.1) == id)
    }
}

impl Node {
    fn insert(&mut self, to: NodeId) -> bool {
        if let Some(index) = &mut self.index {
            let new = index.insert(to);
            if new {
                self.successors.push(to);
            }
            return new;
        }
        if self.successors.contains(&to) {
            return false;
        }
        self.successors.push(to);
        if self.successors.len() > FEW {
            self.index = Some(Box::new(self.successors.iter().copied().collect()));
        }
        true
    }

    /// Drops what merging made superfluous from the successors.
    fn tidy(&mut self, own: NodeId) {
        self.successors.sort_unstable();
        self.successors.dedup();
        self.successors.retain(|&to| to != own);
        self.index = (self.successors.len() > FEW).then(|| Box::new(self.successors.iter().copied().collect()));
    }
}

impl Complex {
    fn dedup(&mut self) {
        self.calls.sort_unstable();
        self.calls.dedup();
    }
}

/// Adds `others` to a table; nodes with one key are to be merged.
fn join<K: PartialEq>(
    table: &mut (impl Extend<(K, NodeId)> + AsRef<[(K, NodeId)]>),
    others: impl IntoIterator<Item = (K, NodeId)>,
    equal: &mut Vec<(NodeId, NodeId)>,
) {
    for (key, node) in others {
        match table.as_ref().iter().find(|known| known.0 == key) {
            Some(known) => equal.push((known.1, node)),
            None => table.extend([(key, node)]),
        }
    }
}
