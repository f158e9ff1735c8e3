//! Runs the threads of an epoch as a happens-before graph allows.
//!
//! A thread runs only while all that its next node waits for is done: then its next library call, or atomic access, may
//! be that node. Which of several such threads runs is chosen at random, and again after each node. When all nodes are
//! done, the threads go on to where the epoch ends for them, without another node.

use std::collections::BTreeMap;
use std::sync::Arc;

use icsched_epochs::graph;
use icsched_ir::Origin;
use icsched_machine::step::EpochLength;
use icsched_machine::{PathEnd, Stop, ThreadId};
use icsched_schedule::{HappensBefore, HbEdge, NodeId, ScheduleEnd};
use icsched_symbolic::trace::SyncEvent;

use crate::common::random::Random;
use crate::coverage::run::Run;

/// Instructions of one epoch.
const MAX_INSTRUCTIONS: u64 = 200_000;

/// How an epoch ended that was followed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Followed {
    /// As the schedule says, at another epoch.
    Epoch,
    /// As it says.
    End,
    /// The process ended while the run followed the schedule.
    Early,
    /// What happened next cannot be compared.
    Cut(String),
}

/// A graph that is followed.
pub(crate) struct Follower<'a> {
    run: &'a mut Run,
    graph: &'a HappensBefore,
    ends: &'a ScheduleEnd,
    predecessors: BTreeMap<NodeId, Vec<NodeId>>,
    /// The schedule's threads by the run's.
    names: BTreeMap<ThreadId, u32>,
    /// Nodes that are done, by the schedule's threads.
    done: BTreeMap<u32, u32>,
    /// Events of the run that were looked at.
    seen: usize,
}

impl<'a> Follower<'a> {
    /// `threads` are those of the run, in the order of the schedule's.
    pub(crate) fn new(run: &'a mut Run, threads: &[ThreadId], graph: &'a HappensBefore, ends: &'a ScheduleEnd) -> Self {
        let names = threads.iter().copied().zip(0..).collect();
        let predecessors = graph.predecessors();
        Self { run, graph, ends, predecessors, names, done: BTreeMap::new(), seen: 0 }
    }

    /// Follows the graph to the schedule's end.
    ///
    /// # Errors
    /// Where the run leaves the graph.
    pub(crate) fn follow(&mut self, random: &mut Random) -> Result<Followed, String> {
        self.run.begin_epoch();
        self.pass_markers();
        let last = self.run.state.instructions + MAX_INSTRUCTIONS;
        let mut excluded = Vec::new();
        while self.run.state.instructions < last {
            let enabled: Vec<ThreadId> =
                self.run.state.live_threads().filter(|t| t.is_enabled()).map(|t| t.id).collect();
            let ready: Vec<ThreadId> = enabled.iter().copied().filter(|&t| self.is_ready(t)).collect();
            let end = if !ready.is_empty() {
                self.burst(random.pick(&ready), random)?
            } else if self.nodes_done() < self.graph.nodes().len() {
                return Err(format!("no thread can do its next node; {}", self.progress()));
            } else {
                let rest: Vec<ThreadId> = enabled.iter().copied().filter(|t| !excluded.contains(t)).collect();
                if rest.is_empty() {
                    return Err("every thread goes on to another node, but the schedule is over".to_owned());
                }
                let thread = random.pick(&rest);
                let saved = (self.run.save(), self.seen, self.done.clone(), self.names.clone());
                match self.burst(thread, random) {
                    Ok(end) => end,
                    // What other threads do before one ends the process is not all in the schedule.
                    Err(_) if ends_process(self.ends) => {
                        self.run.restore(&saved.0);
                        (self.seen, self.done, self.names) = (saved.1, saved.2, saved.3);
                        excluded.push(thread);
                        None
                    }
                    Err(how) => return Err(how),
                }
            };
            if let Some(end) = end {
                return self.finish(&end);
            }
        }
        Ok(Followed::Cut("many instructions".to_owned()))
    }

    /// The run's threads pass the markers that the schedule's pass.
    fn pass_markers(&mut self) {
        let of_schedule = graph::passes(self.graph);
        let named = |(&thread, name): (&ThreadId, &u32)| Some((thread, of_schedule.get(&ThreadId(*name))?.clone()));
        let passes = Arc::new(self.names.iter().filter_map(named).collect());
        self.run.machine.options.epoch_length = EpochLength::Given { passes, at_once: true };
    }

    fn nodes_done(&self) -> usize {
        self.done.values().map(|&n| n as usize).sum()
    }

    fn is_done(&self, node: &NodeId) -> bool {
        self.done.get(&node.thread).is_some_and(|&n| n >= node.n)
    }

    fn next(&self, thread: ThreadId) -> Option<NodeId> {
        let &thread = self.names.get(&thread)?;
        Some(NodeId { thread, n: self.done.get(&thread).copied().unwrap_or(0) + 1 })
    }

    /// Whether a thread has a next node, and may do it.
    fn is_ready(&self, thread: ThreadId) -> bool {
        let node = self.next(thread).filter(|&id| self.graph.node(id).is_some());
        node.is_some_and(|id| self.predecessors.get(&id).is_none_or(|all| all.iter().all(|p| self.is_done(p))))
    }

    /// Lets a thread run until it has done a node and is back in the program, or cannot go on; how the epoch ended, if
    /// it did.
    fn burst(&mut self, thread: ThreadId, random: &mut Random) -> Result<Option<PathEnd>, String> {
        self.run.state.go_on_with(thread);
        let (first, last) = (self.nodes_done(), self.run.state.instructions + MAX_INSTRUCTIONS);
        while self.run.state.instructions < last {
            let Run { machine, state, returned, .. } = &mut *self.run;
            returned.watch(machine, state);
            let stopped = machine.run(state, &mut (), 1);
            self.look()?;
            match stopped {
                Ok(()) => {}
                Err(Stop::End(end)) => return Ok(Some(*end)),
                Err(stop) => {
                    return Ok(Some(PathEnd::Unsupported { what: format!("{stop:?}"), stack: Default::default() }));
                }
            }
            let state = &self.run.state;
            if state.current != thread || !state.current_thread().is_enabled() {
                break;
            }
            let top = state.current_thread().top();
            let in_program = top.is_some_and(|f| self.run.machine.program.functions[f.func].origin == Origin::Program);
            if in_program && (self.nodes_done() > first || random.chance(2)) {
                break;
            }
        }
        Ok(None)
    }

    /// Looks at what the run has synchronised since the last look.
    fn look(&mut self) -> Result<(), String> {
        while let Some(event) = self.run.state.events.get(self.seen) {
            self.seen += 1;
            match event {
                SyncEvent::Create { parent, child } => {
                    let (parent, child) = (*parent, *child);
                    let named = self.names.get(&parent).copied().and_then(|thread| {
                        let n = self.done.get(&thread).copied()?;
                        self.graph.node(NodeId { thread, n })?.object.strip_prefix("thread ")?.parse::<u32>().ok()
                    });
                    let Some(name) = named else {
                        return Err(format!("thread {parent} creates a thread without a node"));
                    };
                    self.names.insert(child, name);
                    self.pass_markers();
                }
                SyncEvent::Node { thread, operation, stack, object_name, .. } => {
                    let program = &self.run.machine.program;
                    let own = stack.0.iter().any(|p| program.functions[p.func].origin == Origin::Program);
                    let at = if own { graph::place(program, stack) } else { String::new() };
                    let text = format!("{operation} of {object_name} at {at} by thread {thread}");
                    let id = self.next(*thread).ok_or_else(|| format!("{text}, which is no thread of the schedule"))?;
                    let Some(node) = self.graph.node(id) else {
                        return Err(format!("{text}: there is no node {id}; {}", self.progress()));
                    };
                    if node.places().all(|place| place != at) || (own && node.op != *operation) {
                        return Err(format!("{text}: node {id} is {} of {} at {}", node.op, node.object, node.at));
                    }
                    if let Some(missing) = self.predecessors.get(&id).into_iter().flatten().find(|p| !self.is_done(p)) {
                        return Err(format!("{text}: node {id} is behind {missing}"));
                    }
                    self.done.insert(id.thread, id.n);
                }
                SyncEvent::Order { .. } => {}
            }
        }
        Ok(())
    }

    fn finish(&self, end: &PathEnd) -> Result<Followed, String> {
        let all = self.nodes_done() == self.graph.nodes().len();
        let state = &self.run.state;
        let followed = match end {
            PathEnd::Exit { .. } | PathEnd::Abort { .. } | PathEnd::AssertFailed { .. } | PathEnd::Error(_) => {
                if all && ends_process(self.ends) { Followed::End } else { Followed::Early }
            }
            PathEnd::Epoch => match self.ends {
                ScheduleEnd::Epoch(key) if all && *key == self.run.epoch().key() => Followed::Epoch,
                _ => {
                    let here = self.run.epoch();
                    return Err(format!("the run comes to epoch {} ({here}); {}", here.key(), self.progress()));
                }
            },
            PathEnd::Deadlock { blocked } => {
                let name = |t: &ThreadId| self.names.get(t).copied().unwrap_or(u32::MAX);
                let mut here: Vec<(u32, &str)> =
                    blocked.iter().map(|b| (name(&b.thread), b.operation.as_str())).collect();
                here.sort_unstable();
                let ScheduleEnd::Deadlock { blocked } = self.ends else {
                    return Err(format!("the run ends in a deadlock: {here:?}; {}", self.progress()));
                };
                let mut there: Vec<(u32, &str)> = blocked.iter().map(|b| (b.thread, b.op.as_str())).collect();
                there.sort_unstable();
                if !all || here != there {
                    return Err(format!("the run ends in a deadlock of {here:?}, the schedule in one of {there:?}"));
                }
                Followed::End
            }
            PathEnd::Unmodelled { .. }
            | PathEnd::Unsupported { .. }
            | PathEnd::Limit(_)
            | PathEnd::LeftContext
            | PathEnd::GoesRound
            | PathEnd::Endless { .. }
            | PathEnd::Infeasible => return Ok(Followed::Cut(format!("{end:?}").chars().take(60).collect())),
        };
        let own = graph::happens_before(&self.run.machine.program, state).map_err(|e| e.to_string())?;
        let renamed = |id: NodeId| {
            let thread = self.names.get(&ThreadId(id.thread)).copied().unwrap_or(u32::MAX);
            NodeId { thread, n: id.n }
        };
        let mut here: Vec<HbEdge> =
            own.edges().iter().map(|e| HbEdge { from: renamed(e.from), to: renamed(e.to) }).collect();
        here.sort_unstable();
        let there: Vec<HbEdge> = self.graph.edges().iter().copied().filter(|e| self.is_done(&e.to)).collect();
        // Control blocks of threads that were joined are used again: which creation is behind which join is chance.
        let creates = |e: &&HbEdge| self.graph.node(e.to).is_some_and(|n| n.op.contains("create"));
        let beyond = |edges: &[HbEdge], known: &[HbEdge]| -> Vec<HbEdge> {
            edges.iter().filter(|e| !creates(e) && !follows(known, e)).copied().collect()
        };
        let (extra, mut missing) = (beyond(&here, &there), beyond(&there, &here));
        // Where a schedule leaves open which object a node is on, it orders more than a run does.
        let is_open =
            |id: NodeId| self.graph.node(id).is_some_and(|n| n.object.contains(" or ") || n.object.contains("[*]"));
        missing.retain(|e| !is_open(e.from) && !is_open(e.to));
        if !extra.is_empty() || !missing.is_empty() {
            return Err(format!("the run has edges {extra:?} that the schedule has not, and lacks {missing:?}"));
        }
        Ok(followed)
    }

    fn progress(&self) -> String {
        format!("done {:?} of {}, threads {:?}", self.done, self.graph.nodes().len(), self.names)
    }
}

/// Whether an edge is one of these, or follows from them and the order in threads.
fn follows(edges: &[HbEdge], edge: &HbEdge) -> bool {
    // The least node of each thread that is known to be behind the edge's first.
    let mut behind = BTreeMap::from([(edge.from.thread, edge.from.n)]);
    loop {
        let before = behind.clone();
        for e in edges.iter().filter(|e| before.get(&e.from.thread).is_some_and(|&n| e.from.n >= n)) {
            let least = behind.entry(e.to.thread).or_insert(e.to.n);
            *least = e.to.n.min(*least);
        }
        if behind == before {
            return behind.get(&edge.to.thread).is_some_and(|&n| edge.to.n >= n);
        }
    }
}

/// Whether the process ends behind a schedule.
pub(crate) fn ends_process(ends: &ScheduleEnd) -> bool {
    match ends {
        ScheduleEnd::Exit { .. } | ScheduleEnd::Abort { .. } | ScheduleEnd::MemoryError { .. } => true,
        ScheduleEnd::Deadlock { .. }
        | ScheduleEnd::Endless { .. }
        | ScheduleEnd::Epoch(_)
        | ScheduleEnd::Input { .. }
        | ScheduleEnd::Limit => false,
    }
}
