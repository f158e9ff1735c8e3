//! Happens-before graphs (Bergan 3.2).
//!
//! Nodes are the synchronisation statements that were executed, labelled with (program counter, thread, dynamic
//! counter); memory accesses are no nodes, since data-race freedom is assumed. Program order within a thread is given
//! by the counter; the edges listed are those between threads, without the ones that follow from others.
//!
//! Deviations from 3.2: the program counter does not belong to a schedule's identity, so paths that come to the same
//! operation in different ways are one schedule; a node keeps all places that it may stand for. A place is source text
//! plus an optional [`ProgramPoint`], so that a schedule can be read without its program.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use icsched_ir::ProgramPoint;
use serde::{Deserialize, Serialize};

/// Names a node: its thread and its place in that thread.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "(u32, u32)", from = "(u32, u32)")]
pub struct NodeId {
    /// Thread number, 0 for the main thread.
    pub thread: u32,
    /// Counts the nodes of the thread, from 1.
    pub n: u32,
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("T{}.{}", self.thread, self.n))
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<NodeId> for (u32, u32) {
    fn from(id: NodeId) -> Self {
        (id.thread, id.n)
    }
}

impl From<(u32, u32)> for NodeId {
    fn from((thread, n): (u32, u32)) -> Self {
        Self { thread, n }
    }
}

/// Where the program calls a synchronisation operation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Place {
    /// `file.c:88`; without debug information any text that is stable.
    pub at: Arc<str>,
    /// The program's call, where it is known.
    pub point: Option<ProgramPoint>,
}

/// What a synchronisation operation returns to the program.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeOutcome {
    /// Nobody knows: it has not returned where the schedule ends, or returns no number.
    #[default]
    Unknown,
    /// This number, in all executions of the schedule that were seen.
    Returns(i64),
    /// Not the same in all of them, or what inputs decide.
    Varies,
}

impl NodeOutcome {
    /// Whether nobody knows it.
    pub fn is_unknown(&self) -> bool {
        *self == Self::Unknown
    }

    /// That of two executions together.
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown, known) | (known, Self::Unknown) => known,
            (a, b) if a == b => a,
            _ => Self::Varies,
        }
    }
}

/// One executed synchronisation statement.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HbNode {
    /// The thread that executed it.
    pub thread: u32,
    /// Its place among the nodes of the thread, from 1.
    pub n: u32,
    /// The library function called, e.g. `pthread_mutex_lock`. Nodes share texts: there may be millions.
    pub op: Arc<str>,
    /// The object it is about, as the source names it; empty when it has no name. For readers: not part of a
    /// schedule's identity.
    pub object: Arc<str>,
    /// Where the program calls it: `file.c:88`; without debug information any text that is stable.
    pub at: Arc<str>,
    /// The program's call, where it is known.
    pub point: Option<ProgramPoint>,
    /// What the call returns.
    #[serde(default, skip_serializing_if = "NodeOutcome::is_unknown")]
    pub outcome: NodeOutcome,
    /// Where other executions of the schedule call it, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<Place>,
}

impl HbNode {
    /// The node's name.
    pub fn id(&self) -> NodeId {
        NodeId { thread: self.thread, n: self.n }
    }

    /// Whether both are the same operation in the sense of a schedule's identity, wherever the program calls it.
    pub fn same_label(&self, other: &Self) -> bool {
        self.id() == other.id() && self.op == other.op && self.object == other.object
    }

    /// Where the program calls it: the first place that was found, then the others.
    pub fn places(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.at).chain(self.elsewhere.iter().map(|place| &*place.at))
    }

    /// Says that it may also be called where `other` is, and return what that does.
    fn add_places(&mut self, other: &Self) {
        self.outcome = self.outcome.or(other.outcome);
        let first = Place { at: other.at.clone(), point: other.point };
        for place in std::iter::once(&first).chain(&other.elsewhere) {
            if self.places().all(|at| *at != *place.at) {
                self.elsewhere.push(place.clone());
            }
        }
        self.elsewhere.sort();
    }
}

/// `from` happens before `to`, and both are in different threads.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "(NodeId, NodeId)", from = "(NodeId, NodeId)")]
pub struct HbEdge {
    /// The earlier node.
    pub from: NodeId,
    /// The later node.
    pub to: NodeId,
}

impl fmt::Debug for HbEdge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}", self.from, self.to)
    }
}

impl From<HbEdge> for (NodeId, NodeId) {
    fn from(edge: HbEdge) -> Self {
        (edge.from, edge.to)
    }
}

impl From<(NodeId, NodeId)> for HbEdge {
    fn from((from, to): (NodeId, NodeId)) -> Self {
        Self { from, to }
    }
}

/// Why nodes and edges that came from outside are no happens-before graph.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// The nodes are not sorted, or a thread's counters are not 1, 2, 3, ...
    #[error("node {0} is out of order")]
    NodeOrder(NodeId),
    /// The edges are not sorted, or one is listed twice.
    #[error("edge {0:?} is out of order")]
    EdgeOrder(HbEdge),
    /// An edge within one thread, or to a node that does not exist.
    #[error("edge {0:?} does not connect two threads")]
    Dangling(HbEdge),
    /// The nodes cannot be executed in any order.
    #[error("node {0} happens before itself")]
    Cyclic(NodeId),
}

/// A happens-before graph in canonical form: nodes by (thread, n), edges by (from, to) and only those between threads
/// that do not follow from program order and other edges.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct HappensBefore {
    nodes: Vec<HbNode>,
    edges: Vec<HbEdge>,
}

impl HappensBefore {
    /// Checks and wraps a graph that is in canonical form already. That the edges are reduced is not checked.
    ///
    /// # Errors
    /// If the order is not the canonical one, an edge is none between two threads of the graph, or there is a cycle.
    pub fn from_parts(nodes: Vec<HbNode>, edges: Vec<HbEdge>) -> Result<Self, GraphError> {
        let mut previous = NodeId { thread: 0, n: 0 };
        for id in nodes.iter().map(HbNode::id) {
            let next = id.thread == previous.thread && id.n == previous.n + 1;
            let first = id.thread > previous.thread && id.n == 1;
            if !next && !first {
                return Err(GraphError::NodeOrder(id));
            }
            previous = id;
        }
        if let Some(pair) = edges.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(GraphError::EdgeOrder(pair[1]));
        }
        let graph = Self { nodes, edges };
        let missing = |id| graph.node(id).is_none();
        match graph.edges.iter().find(|e| e.from.thread == e.to.thread || missing(e.from) || missing(e.to)) {
            Some(edge) => return Err(GraphError::Dangling(*edge)),
            None => graph.topological_order().map_err(GraphError::Cyclic)?,
        };
        Ok(graph)
    }

    /// The nodes by (thread, n).
    pub fn nodes(&self) -> &[HbNode] {
        &self.nodes
    }

    /// The edges by (from, to).
    pub fn edges(&self) -> &[HbEdge] {
        &self.edges
    }

    /// Where a node is in [`nodes`](Self::nodes).
    pub fn position(&self, id: NodeId) -> Option<usize> {
        self.nodes.binary_search_by_key(&id, HbNode::id).ok()
    }

    /// The node of this name.
    pub fn node(&self, id: NodeId) -> Option<&HbNode> {
        self.position(id).map(|i| &self.nodes[i])
    }

    /// The threads that have nodes, each with them, by thread number.
    pub fn threads(&self) -> Vec<(u32, &[HbNode])> {
        self.nodes.chunk_by(|a, b| a.thread == b.thread).map(|nodes| (nodes[0].thread, nodes)).collect()
    }

    /// The other threads' nodes that each node directly waits for; nodes that wait for none are left out.
    pub fn predecessors(&self) -> BTreeMap<NodeId, Vec<NodeId>> {
        let mut map = BTreeMap::<_, Vec<_>>::new();
        for edge in &self.edges {
            map.entry(edge.to).or_default().push(edge.from);
        }
        map
    }

    /// Positions of all nodes in an order in which they can be executed: the one that stays in a thread as long as
    /// possible and then goes on with the next one that can, by number and cyclic.
    pub fn linearization(&self) -> Vec<usize> {
        self.topological_order().expect("a happens-before graph has no cycle")
    }

    /// Kahn's algorithm, O(threads) per switch of threads; on a cycle the first node that cannot be executed.
    fn topological_order(&self) -> Result<Vec<usize>, NodeId> {
        let threads = self.threads();
        let mut incoming = self.edges.clone();
        incoming.sort_unstable_by_key(|edge| (edge.to, edge.from));
        let lane_of = |thread: u32| threads.binary_search_by_key(&thread, |&(number, _)| number);
        let mut lanes = Vec::with_capacity(threads.len());
        let (mut first, mut rest) = (0, &incoming[..]);
        for &(thread, nodes) in &threads {
            let (own, others) = rest.split_at(rest.partition_point(|edge| edge.to.thread <= thread));
            lanes.push(Lane { first, left: nodes, incoming: own });
            (first, rest) = (first + nodes.len(), others);
        }
        let mut done = vec![0; threads.len()];
        let mut order = Vec::with_capacity(self.nodes.len());
        loop {
            let before = order.len();
            for (number, lane) in lanes.iter_mut().enumerate() {
                let is_done = |id: NodeId, done: &[u32]| lane_of(id.thread).is_ok_and(|lane| done[lane] >= id.n);
                while let Some(position) = lane.advance(|id| is_done(id, &done)) {
                    done[number] = self.nodes[position].n;
                    order.push(position);
                }
            }
            if order.len() == before {
                return lanes.iter().find_map(|lane| lane.left.first()).map_or(Ok(order), |node| Err(node.id()));
            }
        }
    }

    /// Says what calls return.
    pub fn set_outcomes(&mut self, of: impl Fn(NodeId) -> NodeOutcome) {
        self.nodes.iter_mut().for_each(|node| node.outcome = of(node.id()));
    }

    /// Whether both are the same order of the same operations, wherever the program calls them.
    pub fn is_same(&self, other: &Self) -> bool {
        self.nodes.len() == other.nodes.len() && self.is_prefix_of(other)
    }

    /// Says of its nodes that executions may also call them where `other` has them; O(nodes log nodes).
    pub fn add_places(&mut self, other: &Self) {
        for node in &mut self.nodes {
            if let Some(same) = other.node(node.id()).filter(|same| same.same_label(node)) {
                node.add_places(same);
            }
        }
    }

    /// Whether an execution that follows `other` follows `self` first: each thread's nodes here are the first ones it
    /// has there, and they wait for the same nodes.
    pub fn is_prefix_of(&self, other: &Self) -> bool {
        let labels_match = self.nodes.iter().all(|n| other.node(n.id()).is_some_and(|o| n.same_label(o)));
        labels_match && other.edges.iter().filter(|edge| self.node(edge.to).is_some()).eq(&self.edges)
    }
}

/// What is left of a thread while nodes are put in order.
struct Lane<'a> {
    /// The position of its next node.
    first: usize,
    left: &'a [HbNode],
    /// Edges to nodes that are left, by those.
    incoming: &'a [HbEdge],
}

impl Lane<'_> {
    /// Takes the next node, if all that it waits for is done; its position.
    fn advance(&mut self, is_done: impl Fn(NodeId) -> bool) -> Option<usize> {
        let (node, left) = self.left.split_first()?;
        let to_it = self.incoming.iter().take_while(|edge| edge.to <= node.id()).count();
        let (own, others) = self.incoming.split_at(to_it);
        if !own.iter().all(|edge| is_done(edge.from)) {
            return None;
        }
        let position = self.first;
        (self.first, self.left, self.incoming) = (position + 1, left, others);
        Some(position)
    }
}

impl<'de> Deserialize<'de> for HappensBefore {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Parts {
            nodes: Vec<HbNode>,
            edges: Vec<HbEdge>,
        }
        let Parts { nodes, edges } = Parts::deserialize(deserializer)?;
        Self::from_parts(nodes, edges).map_err(serde::de::Error::custom)
    }
}
