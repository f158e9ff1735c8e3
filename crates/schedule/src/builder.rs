//! Builds the happens-before graph of one execution from its synchronisation, in the order it was executed.
//!
//! Which accesses to one object are ordered: an exclusive one after every access since, and including, the last
//! exclusive one; a shared one after the last exclusive one only. Edges that follow from others are removed with vector
//! clocks: O(nodes * threads^2) plus the direct predecessors. The clock of a node is kept until the last node that
//! waits for it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use icsched_ir::ProgramPoint;
use smallvec::SmallVec;

use crate::graph::{HappensBefore, HbEdge, HbNode, NodeId, NodeOutcome};

/// How an access to an object is ordered against the others.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum AccessMode {
    /// Against every other access.
    Exclusive,
    /// Not against other shared accesses.
    Shared,
}

impl AccessMode {
    /// The mode that the models' `__ics_event(object, mode)` means: 0 is exclusive, 1 shared.
    pub const fn from_code(mode: u64) -> Option<Self> {
        match mode {
            0 => Some(Self::Exclusive),
            1 => Some(Self::Shared),
            _ => None,
        }
    }
}

/// What a node says besides its place; see the fields of the same names in [`HbNode`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields are those of HbNode")]
pub struct NodeLabel {
    pub op: Arc<str>,
    pub object: Arc<str>,
    pub at: Arc<str>,
    pub point: Option<ProgramPoint>,
}

/// The orders asked for contradict each other: a node would have to happen before itself.
///
/// Only [`HbBuilder::order`] can cause it, when other threads' nodes came after the thread's latest one.
#[derive(Debug, Copy, Clone, PartialEq, Eq, thiserror::Error)]
#[error("node {0} would happen before itself")]
pub struct CyclicOrder(pub NodeId);

/// Index of a node in order of execution.
type Index = u32;

/// Position of a node in a list of all.
const fn at(index: Index) -> usize {
    index as usize
}

#[derive(Clone, Default, Debug)]
struct ThreadState {
    latest: Option<Index>,
    count: u32,
    /// What the thread's first node waits for.
    created_by: Option<Index>,
}

#[derive(Clone, Default, Debug)]
struct ObjectState {
    last_exclusive: Option<Index>,
    shared_since: Vec<Index>,
}

#[derive(Clone, Debug)]
struct PendingNode {
    id: NodeId,
    label: NodeLabel,
    /// Nodes of any thread that it waits for directly, its thread's previous one included; ascending.
    after: SmallVec<[Index; 2]>,
}

/// Collects one execution's synchronisation. A clone goes on by itself, for an execution that forks.
#[derive(Clone, Default, Debug)]
pub struct HbBuilder {
    nodes: Vec<PendingNode>,
    threads: BTreeMap<u32, ThreadState>,
    objects: BTreeMap<u64, ObjectState>,
}

impl HbBuilder {
    /// An execution that has not synchronised yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// `parent` creates `child`: the latest node of `parent` happens before everything in `child`. So the creating call
    /// makes its own node first. Thread 0 needs no creation.
    pub fn create_thread(&mut self, parent: u32, child: u32) {
        let created_by = self.threads.get(&parent).and_then(|t| t.latest.or(t.created_by));
        self.threads.entry(child).or_default().created_by = created_by;
    }

    /// `thread` accesses the object that `object_key` stands for (its address), which is a new node.
    pub fn event(&mut self, thread: u32, object_key: u64, mode: AccessMode, label: NodeLabel) -> NodeId {
        let index = Index::try_from(self.nodes.len()).expect("fewer than 2^32 nodes");
        let state = self.threads.entry(thread).or_default();
        state.count += 1;
        let id = NodeId { thread, n: state.count };
        let after = state.latest.replace(index).or(state.created_by).into_iter().collect();
        self.nodes.push(PendingNode { id, label, after });
        self.access(index, object_key, mode);
        id
    }

    /// Orders the latest node of `thread` on one more object. Without effect if the thread has no node.
    pub fn order(&mut self, thread: u32, object_key: u64, mode: AccessMode) {
        if let Some(index) = self.threads.get(&thread).and_then(|state| state.latest) {
            self.access(index, object_key, mode);
        }
    }

    /// Number of nodes so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node yet.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn access(&mut self, index: Index, object_key: u64, mode: AccessMode) {
        let object = self.objects.entry(object_key).or_default();
        let after = &mut self.nodes[at(index)].after;
        after.extend(object.last_exclusive);
        match mode {
            AccessMode::Exclusive => {
                after.extend(object.shared_since.drain(..));
                object.last_exclusive = Some(index);
            }
            AccessMode::Shared => object.shared_since.push(index),
        }
        after.retain(|&mut before| before != index);
        after.sort_unstable();
        after.dedup();
    }

    /// The graph of everything collected.
    ///
    /// # Errors
    /// If the orders asked for contradict each other.
    pub fn finish(self) -> Result<HappensBefore, CyclicOrder> {
        let order = self.execution_order()?;
        let mut edges = self.reduced_edges(&order);
        edges.sort_unstable();
        let mut nodes: Vec<_> = self.nodes.into_iter().map(PendingNode::into_node).collect();
        nodes.sort_unstable_by_key(HbNode::id);
        Ok(HappensBefore::from_parts(nodes, edges).expect("the builder makes canonical graphs"))
    }

    fn indices(&self) -> std::ops::Range<Index> {
        0..Index::try_from(self.nodes.len()).expect("fewer than 2^32 nodes")
    }

    /// The nodes with every one behind those it waits for: almost always the order in which they came.
    fn execution_order(&self) -> Result<Vec<Index>, CyclicOrder> {
        if self.indices().zip(&self.nodes).all(|(i, node)| node.after.last().is_none_or(|last| *last < i)) {
            return Ok(self.indices().collect());
        }
        let mut waiting: Vec<_> = self.nodes.iter().map(|node| node.after.len()).collect();
        let mut followers = vec![Vec::new(); self.nodes.len()];
        for (i, node) in self.indices().zip(&self.nodes) {
            node.after.iter().for_each(|&before| followers[at(before)].push(i));
        }
        let mut ready: BTreeSet<_> = self.indices().filter(|&i| waiting[at(i)] == 0).collect();
        let mut order = Vec::with_capacity(self.nodes.len());
        while let Some(i) = ready.pop_first() {
            order.push(i);
            for &follower in &followers[at(i)] {
                waiting[at(follower)] -= 1;
                if waiting[at(follower)] == 0 {
                    ready.insert(follower);
                }
            }
        }
        match waiting.iter().position(|&n| n > 0) {
            Some(i) => Err(CyclicOrder(self.nodes[i].id)),
            None => Ok(order),
        }
    }

    /// The edges between threads that do not follow from others. The clock of a node holds, per thread, the counter of
    /// the last node that happens before it or is it.
    fn reduced_edges(&self, order: &[Index]) -> Vec<HbEdge> {
        let lanes: BTreeMap<u32, usize> =
            self.threads.keys().enumerate().map(|(lane, &thread)| (thread, lane)).collect();
        let last_uses = self.last_uses(order);
        let mut clocks = vec![Vec::new(); self.nodes.len()];
        let mut edges = Vec::new();
        for (position, &i) in order.iter().enumerate() {
            let node = &self.nodes[at(i)];
            let mut clock = vec![0u32; lanes.len()];
            let after = self.latest_per_thread(&node.after);
            for &before in &after {
                let from = self.nodes[at(before)].id;
                let lane = lanes[&from.thread];
                let follows = after.iter().any(|&other| other != before && clocks[at(other)][lane] >= from.n);
                if from.thread != node.id.thread && !follows {
                    edges.push(HbEdge { from, to: node.id });
                }
                join(&mut clock, &clocks[at(before)]);
            }
            clock[lanes[&node.id.thread]] = node.id.n;
            clocks[at(i)] = clock;
            for &before in node.after.iter().filter(|&&before| last_uses[at(before)] == position) {
                clocks[at(before)] = Vec::new();
            }
        }
        edges
    }

    /// The position in an order of the last node that waits for each node; its own if there is none.
    fn last_uses(&self, order: &[Index]) -> Vec<usize> {
        let mut last = vec![0; self.nodes.len()];
        for (position, &i) in order.iter().enumerate() {
            last[at(i)] = position;
            self.nodes[at(i)].after.iter().for_each(|&before| last[at(before)] = position);
        }
        last
    }

    /// Of nodes of one thread only the last can give an edge.
    fn latest_per_thread(&self, nodes: &[Index]) -> SmallVec<[Index; 4]> {
        let mut latest: SmallVec<[Index; 4]> = SmallVec::from_slice(nodes);
        let id = |index: &Index| self.nodes[at(*index)].id;
        latest.sort_unstable_by_key(|index| std::cmp::Reverse(id(index)));
        latest.dedup_by_key(|index| id(index).thread);
        latest.reverse();
        latest
    }
}

impl PendingNode {
    fn into_node(self) -> HbNode {
        let NodeLabel { op, object, at, point } = self.label;
        HbNode {
            thread: self.id.thread,
            n: self.id.n,
            op,
            object,
            at,
            point,
            elsewhere: Vec::new(),
            outcome: NodeOutcome::Unknown,
        }
    }
}

fn join(clock: &mut [u32], other: &[u32]) {
    clock.iter_mut().zip(other).for_each(|(a, b)| *a = (*a).max(*b));
}
