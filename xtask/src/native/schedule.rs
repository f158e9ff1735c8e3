//! Schedules as icsched writes them: the JSON of `enumerate --json` and `show --format json` (`docs/output.md`).

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;

/// A whole result.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Enumeration {
    /// Whether every input is said to be covered.
    pub(super) complete: bool,
    /// The first begins at the program's entry.
    pub(super) epochs: Vec<Epoch>,
    /// Inputs of which nothing is said.
    #[serde(default)]
    pub(super) errors: Vec<MemoryError>,
}

/// A memory error that some inputs cause.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct MemoryError {
    /// For these inputs, as C.
    pub(super) constraint: String,
}

/// A bounded part of an execution.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Epoch {
    /// Its name.
    pub(super) id: String,
    /// The threads that live when it begins.
    pub(super) contexts: Vec<Context>,
    /// Its schedules, or parts of them.
    pub(super) schedules: Vec<Schedule>,
    /// Inputs that end the process on the way, as C.
    pub(super) early_exits: Option<String>,
}

/// Where a thread is when an epoch begins.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Context {
    /// Its number in this epoch.
    pub(super) thread: u64,
}

/// A schedule, or a part of one.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Schedule {
    /// Its name.
    pub(super) id: String,
    /// For which inputs, as C.
    pub(super) constraint: String,
    /// How it ends.
    pub(super) ends: String,
    /// The exit status, if it is the same for all inputs.
    pub(super) status: Option<i64>,
    /// Of a deadlock.
    #[serde(default)]
    pub(super) blocked: Vec<Blocked>,
    /// Its calls.
    pub(super) nodes: Vec<Node>,
    /// Which node happens before which: pairs of thread and number.
    pub(super) edges: Vec<[NodeId; 2]>,
    /// The part that this one continues.
    pub(super) after: Option<usize>,
    /// Where it aborts, or an endless loop is.
    pub(super) at: Option<String>,
}

/// Thread and number in it, from 1.
pub(super) type NodeId = (u64, usize);

/// A call.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Node {
    /// Number of the thread.
    pub(super) thread: u64,
    /// Which of the thread's nodes it is, from 1.
    pub(super) n: usize,
    /// The function, or the kind of atomic access.
    pub(super) op: String,
    /// What it is on, as the source names it.
    pub(super) object: String,
    /// `file.c:12`.
    pub(super) at: String,
    /// Other places at which it may be.
    #[serde(default)]
    pub(super) also_at: Vec<String>,
}

/// A thread that waits for ever.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Blocked {
    /// Number of the thread.
    pub(super) thread: u64,
    /// In this function.
    pub(super) op: String,
    /// On this object.
    pub(super) object: String,
    /// `file.c:12`.
    pub(super) at: String,
}

/// Operation of a node at which no thread waits and nothing happens: an epoch could have ended there.
const MARKER: &str = "pass marker";

/// How a schedule ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ScheduleEnd {
    /// The process exits.
    Exit,
    /// Threads wait for ever.
    Deadlock,
    /// The process aborts.
    Abort,
    /// Undefined behaviour.
    MemoryError,
    /// A thread loops for ever.
    Endless,
    /// This epoch follows.
    Epoch(String),
    /// An input decides what follows, or the rest was cut off.
    Open,
}

impl Schedule {
    /// How it ends.
    ///
    /// # Errors
    /// The word is not one of `docs/output.md`.
    pub(super) fn end(&self) -> Result<ScheduleEnd> {
        if let Some(id) = self.ends.strip_prefix("epoch ") {
            return Ok(ScheduleEnd::Epoch(id.to_owned()));
        }
        Ok(match self.ends.as_str() {
            "exit" => ScheduleEnd::Exit,
            "deadlock" => ScheduleEnd::Deadlock,
            "abort" => ScheduleEnd::Abort,
            "memory-error" => ScheduleEnd::MemoryError,
            "endless" => ScheduleEnd::Endless,
            "input" | "limit" => ScheduleEnd::Open,
            other => bail!("schedule {} ends with {other:?}, which nobody knows", self.id),
        })
    }
}

impl Enumeration {
    /// Reads a result: a file of JSON, or a database, of which `icsched show` makes JSON.
    ///
    /// # Errors
    /// It is neither, or `icsched` does not run.
    pub(super) fn read(file: &Path, icsched: &Path) -> Result<Self> {
        let bytes = std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))?;
        let json = if bytes.starts_with(b"{") {
            bytes
        } else {
            let mut show = Command::new(icsched);
            let output = show.arg("show").arg(file).args(["--format", "json"]).output();
            let output = output.with_context(|| format!("cannot start {}", icsched.display()))?;
            ensure!(
                output.status.success(),
                "{} show {}: {}",
                icsched.display(),
                file.display(),
                String::from_utf8_lossy(&output.stderr).trim_end()
            );
            output.stdout
        };
        Self::parse(&json).with_context(|| format!("{} holds no schedules", file.display()))
    }

    /// # Errors
    /// The text is no result of `enumerate`.
    pub(super) fn parse(json: &[u8]) -> Result<Self> {
        Ok(serde_json::from_slice(json)?)
    }

    /// The epoch with this id.
    pub(super) fn epoch(&self, id: &str) -> Option<&Epoch> {
        self.epochs.iter().find(|epoch| epoch.id == id)
    }
}

impl Epoch {
    /// A schedule by its number from 1, or its id.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn schedule(&self, name: &str) -> Result<usize> {
        let by_number = name.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let by_number = by_number.filter(|&at| at < self.schedules.len());
        let found = by_number.or_else(|| self.schedules.iter().position(|schedule| schedule.id == name));
        found.with_context(|| format!("epoch {} has no schedule {name}; it has {}", self.id, self.schedules.len()))
    }
}

/// The happens-before graph of a schedule, without markers.
#[derive(Clone, Debug)]
pub(super) struct Graph {
    /// Nodes of each thread, in their order.
    pub(super) threads: HashMap<u64, Vec<GraphNode>>,
}

/// A node and what happens before it.
#[derive(Clone, Debug)]
pub(super) struct GraphNode {
    /// The node.
    pub(super) node: Node,
    /// How many nodes of each thread happen before it, its own included.
    pub(super) before: BTreeMap<u64, usize>,
}

impl Graph {
    /// The graph of a schedule. O(nodes * threads + edges).
    ///
    /// # Errors
    /// An edge leads to no node, nodes are not numbered from 1, or the graph has a cycle.
    pub(super) fn of(schedule: &Schedule) -> Result<Self> {
        let mut nodes: HashMap<u64, Vec<&Node>> = HashMap::new();
        for node in &schedule.nodes {
            let of_thread = nodes.entry(node.thread).or_default();
            of_thread.push(node);
            ensure!(node.n == of_thread.len(), "T{}.{} is not the next node of its thread", node.thread, node.n);
        }
        let mut incoming: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
        for &[from, to] in &schedule.edges {
            for (thread, n) in [from, to] {
                let known = nodes.get(&thread).is_some_and(|nodes| (1..=nodes.len()).contains(&n));
                ensure!(known, "an edge leads to T{thread}.{n}, which there is not");
            }
            incoming.entry(to).or_default().push(from);
        }
        let clocks = clocks(&nodes, &incoming)?;
        Ok(Self { threads: nodes.iter().map(|(&thread, nodes)| (thread, without_markers(nodes, &clocks))).collect() })
    }

    /// Nodes of a thread.
    pub(super) fn of_thread(&self, thread: u64) -> &[GraphNode] {
        self.threads.get(&thread).map(Vec::as_slice).unwrap_or_default()
    }
}

type Clocks = HashMap<NodeId, BTreeMap<u64, usize>>;

/// How many calls of each thread, markers not counted, happen before each node, itself included.
fn clocks(nodes: &HashMap<u64, Vec<&Node>>, incoming: &HashMap<NodeId, Vec<NodeId>>) -> Result<Clocks> {
    let mut clocks: Clocks = HashMap::new();
    let mut threads: Vec<u64> = nodes.keys().copied().collect();
    threads.sort_unstable();
    let mut done: HashMap<u64, usize> = HashMap::new();
    let total: usize = nodes.values().map(Vec::len).sum();
    while clocks.len() < total {
        let known = clocks.len();
        for &thread in &threads {
            while let Some(&node) = nodes[&thread].get(done.get(&thread).copied().unwrap_or(0)) {
                let id = (thread, node.n);
                let sources = incoming.get(&id).map(Vec::as_slice).unwrap_or_default();
                if !sources.iter().all(|source| clocks.contains_key(source)) {
                    break;
                }
                let mut clock = clocks.get(&(thread, node.n - 1)).cloned().unwrap_or_default();
                for source in sources {
                    for (&other, &count) in &clocks[source] {
                        let own = clock.entry(other).or_default();
                        *own = count.max(*own);
                    }
                }
                *clock.entry(thread).or_default() += usize::from(node.op != MARKER);
                clocks.insert(id, clock);
                *done.entry(thread).or_default() += 1;
            }
        }
        ensure!(clocks.len() > known, "the order of the schedule has a cycle");
    }
    Ok(clocks)
}

fn without_markers(nodes: &[&Node], clocks: &Clocks) -> Vec<GraphNode> {
    let calls = nodes.iter().filter(|node| node.op != MARKER);
    calls.map(|&node| GraphNode { node: node.clone(), before: clocks[&(node.thread, node.n)].clone() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(nodes: &[(u64, usize, &str)], edges: &[[NodeId; 2]]) -> Schedule {
        let node = |&(thread, n, op): &(u64, usize, &str)| Node {
            thread,
            n,
            op: op.to_owned(),
            object: String::new(),
            at: String::new(),
            also_at: Vec::new(),
        };
        Schedule {
            id: "x".to_owned(),
            constraint: "true".to_owned(),
            ends: "exit".to_owned(),
            status: None,
            blocked: Vec::new(),
            nodes: nodes.iter().map(node).collect(),
            edges: edges.to_vec(),
            after: None,
            at: None,
        }
    }

    #[test]
    fn order_is_transitive_and_markers_count_for_nothing() {
        let nodes = [(0, 1, "a"), (0, 2, MARKER), (1, 1, "b"), (2, 1, MARKER), (2, 2, "c")];
        let graph = Graph::of(&schedule(&nodes, &[[(0, 2), (1, 1)], [(1, 1), (2, 1)]])).expect("a graph");
        assert_eq!(graph.of_thread(0).len(), 1);
        let last = &graph.of_thread(2)[0];
        assert_eq!((last.before[&0], last.before[&1], last.before[&2]), (1, 1, 1));
    }

    #[test]
    fn what_is_no_graph() {
        let nodes = [(0, 1, "a"), (1, 1, "b")];
        let error = |nodes: &[_], edges: &[_]| Graph::of(&schedule(nodes, edges)).expect_err("no graph").to_string();
        assert_eq!(error(&nodes, &[[(0, 1), (1, 1)], [(1, 1), (0, 1)]]), "the order of the schedule has a cycle");
        assert_eq!(error(&nodes, &[[(0, 1), (1, 2)]]), "an edge leads to T1.2, which there is not");
        assert_eq!(error(&[(0, 2, "a")], &[]), "T0.2 is not the next node of its thread");
    }
}
