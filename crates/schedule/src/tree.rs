//! Schedules and the tree they form (Bergan 3.2.1).

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::constraint::InputConstraint;
use crate::end::ScheduleEnd;
use crate::graph::HappensBefore;
use crate::hash::{Hasher, ShortHash};

/// Names a schedule by its content: equal for equal graphs that end alike, whatever the constraint and the run.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScheduleId(pub ShortHash);

impl ScheduleId {
    /// Hashes each node's thread, counter, function and object, all edges, and the end as far as it belongs to
    /// the schedule: not the exit status, not messages.
    ///
    /// Places do not belong to it: a failure that is logged under one lock is one schedule, wherever it is logged.
    /// Objects belong to it although a program counter would do for following it (Bergan 3.2): whether `lock(&a)` and
    /// `lock(&b)` are one call with a selected argument is up to the compiler's optimiser.
    pub fn of(graph: &HappensBefore, ends: &ScheduleEnd) -> Self {
        let mut hasher = Hasher::new("schedule");
        hasher.number(graph.nodes().len() as u64);
        for node in graph.nodes() {
            hasher.number(node.thread.into()).number(node.n.into()).text(&node.op).text(&node.object);
        }
        hasher.number(graph.edges().len() as u64);
        for id in graph.edges().iter().flat_map(|edge| [edge.from, edge.to]) {
            hasher.number(id.thread.into()).number(id.n.into());
        }
        hash_end(&mut hasher, ends);
        Self(hasher.finish())
    }
}

fn hash_end(hasher: &mut Hasher, ends: &ScheduleEnd) {
    hasher.text(ends.keyword());
    match ends {
        ScheduleEnd::Exit { status: _ } | ScheduleEnd::Limit => {}
        ScheduleEnd::Deadlock { blocked } => {
            for thread in blocked {
                hasher.number(thread.thread.into()).text(&thread.op).text(&thread.at);
            }
        }
        ScheduleEnd::Endless { loops, blocked: _ } => {
            for endless in loops {
                hasher.number(endless.thread.into()).text(&endless.at);
            }
        }
        ScheduleEnd::Epoch(key) => {
            hasher.text(&key.to_string());
        }
        ScheduleEnd::Input { thread, at } => {
            hasher.number((*thread).into()).text(at);
        }
        ScheduleEnd::Abort { message: _, at } | ScheduleEnd::MemoryError { message: _, at } => {
            hasher.text(at);
        }
    }
}

impl fmt::Display for ScheduleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A happens-before graph, the inputs that can follow it, and what is behind it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Schedule {
    /// Its name; see [`ScheduleId::of`].
    pub id: ScheduleId,
    /// The inputs.
    pub constraint: InputConstraint,
    /// What is behind the last nodes.
    pub ends: ScheduleEnd,
    /// The order of the synchronisation.
    pub graph: HappensBefore,
    /// Place of an error among those of its epoch: all executions that follow the schedule to its end have gone on
    /// behind it.
    #[serde(default)]
    pub after_error: Option<usize>,
}

impl Schedule {
    /// A schedule under its proper name.
    pub fn new(constraint: InputConstraint, graph: HappensBefore, ends: ScheduleEnd) -> Self {
        Self { id: ScheduleId::of(&graph, &ends), constraint, ends, graph, after_error: None }
    }
}

/// A point at which input decides how an execution goes on: the branches' constraints cover what can come here.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct TreeNode {
    /// In canonical order.
    pub branches: Vec<Branch>,
}

/// One way to go on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Branch {
    /// The part of the execution up to the next decision, and when to take it.
    pub schedule: Schedule,
    /// What follows; without branches unless the schedule ends at [`ScheduleEnd::Input`].
    pub next: TreeNode,
}

/// The schedules of one epoch. The root is decided at its start.
#[derive(Clone, PartialEq, Default, Debug, Serialize, Deserialize)]
pub struct ScheduleTree {
    /// The decision at the start of the epoch.
    pub root: TreeNode,
}

impl ScheduleTree {
    /// Schedules that are all decided at the start of the epoch, in the order given.
    pub fn flat(schedules: impl IntoIterator<Item = Schedule>) -> Self {
        let leaf = |schedule| Branch { schedule, next: TreeNode::default() };
        Self { root: TreeNode { branches: schedules.into_iter().map(leaf).collect() } }
    }

    /// Every part of a schedule, parents first, each with the place of its parent in this order.
    pub fn parts(&self) -> Vec<(Option<usize>, &Schedule)> {
        fn walk<'a>(node: &'a TreeNode, parent: Option<usize>, parts: &mut Vec<(Option<usize>, &'a Schedule)>) {
            for branch in &node.branches {
                let here = parts.len();
                parts.push((parent, &branch.schedule));
                walk(&branch.next, Some(here), parts);
            }
        }
        let mut parts = Vec::new();
        walk(&self.root, None, &mut parts);
        parts
    }

    /// Says of each part behind which error it is.
    pub fn set_after_errors(&mut self, of: impl Fn(&Schedule) -> Option<usize>) {
        fn walk(node: &mut TreeNode, of: &impl Fn(&Schedule) -> Option<usize>) {
            for branch in &mut node.branches {
                branch.schedule.after_error = of(&branch.schedule);
                walk(&mut branch.next, of);
            }
        }
        walk(&mut self.root, &of);
    }

    /// The inverse of [`parts`](Self::parts); `None` if a parent is not before its child.
    pub fn from_parts(parts: Vec<(Option<usize>, Schedule)>) -> Option<Self> {
        let mut children: Vec<Vec<Branch>> = parts.iter().map(|_| Vec::new()).collect();
        let mut roots = Vec::new();
        for (place, (parent, schedule)) in parts.into_iter().enumerate().rev() {
            let branches = children.pop().expect("one list of children per part").into_iter().rev().collect();
            let branch = Branch { schedule, next: TreeNode { branches } };
            match parent {
                None => roots.push(branch),
                Some(parent) if parent < place => children[parent].push(branch),
                Some(_) => return None,
            }
        }
        roots.reverse();
        Some(Self { root: TreeNode { branches: roots } })
    }

    /// Every leaf once, in the order of [`parts`](Self::parts), with the constraints on the way to it from the root,
    /// its own last: an input follows it if it satisfies all of them, each where it is decided.
    pub fn ways(&self) -> Vec<(Vec<&InputConstraint>, &Schedule)> {
        let parts = self.parts();
        let way = |mut at: usize| {
            let mut way = vec![&parts[at].1.constraint];
            while let Some(parent) = parts[at].0 {
                way.push(&parts[parent].1.constraint);
                at = parent;
            }
            way.reverse();
            way
        };
        let mut inner = vec![false; parts.len()];
        parts.iter().filter_map(|(parent, _)| *parent).for_each(|parent| inner[parent] = true);
        (0..parts.len()).filter(|&at| !inner[at]).map(|at| (way(at), parts[at].1)).collect()
    }

    /// The schedules: leaves of the same name are one. By name.
    pub fn schedules(&self) -> BTreeMap<ScheduleId, &Schedule> {
        self.leaves().map(|schedule| (schedule.id, schedule)).collect()
    }

    /// The parts at which executions end. Several may be the same schedule: decided at different events.
    pub fn leaves(&self) -> impl Iterator<Item = &Schedule> {
        let parts = self.parts();
        let mut inner = vec![false; parts.len()];
        parts.iter().filter_map(|(parent, _)| *parent).for_each(|parent| inner[parent] = true);
        parts.into_iter().zip(inner).filter(|(_, inner)| !inner).map(|((_, schedule), _)| schedule)
    }
}
