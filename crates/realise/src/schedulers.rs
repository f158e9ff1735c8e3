//! Schedulers that hold threads to a happens-before graph, or to an order of synchronisations.
//!
//! Both choose where the machine lets threads be chosen: in front of each synchronisation, and where a thread waits or
//! ends. So they do in the concrete and in the symbolic domain what a search did.

use std::collections::BTreeMap;
use std::sync::Arc;

use icsched_epochs::graph::THREAD_END;
use icsched_machine::scheduler::{Cooperative, Scheduler, SchedulingPoint, next_enabled};
use icsched_machine::step::Pass;
use icsched_machine::{State, ThreadId, Values};
use icsched_schedule::{HappensBefore, NodeId};
use icsched_symbolic::trace::SyncEvent;

use crate::budgets::BUDGETS;

/// Holds threads to an order of synchronisations: the k-th of the run is that of the k-th thread here, where that can
/// be. Behind the end of the order threads run as they always do.
pub struct Ordered {
    order: Arc<[ThreadId]>,
    /// Events of the run that were looked at.
    seen: usize,
    /// Synchronisations among them.
    done: usize,
    /// Who is about to end the process.
    exiting: Option<ThreadId>,
}

impl Ordered {
    /// From the beginning of a run.
    pub fn new(order: Arc<[ThreadId]>) -> Self {
        Self { order, seen: 0, done: 0, exiting: None }
    }
}

/// Whether an event is a synchronisation of the program: that a thread passes an epoch marker is none.
pub(crate) fn is_synchronisation(event: &SyncEvent) -> Option<ThreadId> {
    match event {
        SyncEvent::Node { thread, operation, .. } if Pass::of_operation(operation).is_none() => Some(*thread),
        SyncEvent::Node { .. } | SyncEvent::Create { .. } | SyncEvent::Order { .. } => None,
    }
}

impl<D: Values> Scheduler<D> for Ordered {
    fn choose(&mut self, state: &State<D>, why: SchedulingPoint) -> ThreadId {
        let new = state.events.iter().skip(self.seen);
        self.done += new.filter(|event| is_synchronisation(event).is_some()).count();
        self.seen = state.events.len();
        if why == SchedulingPoint::Exit {
            self.exiting = Some(state.current);
        }
        let polls = matches!(why, SchedulingPoint::Pause | SchedulingPoint::Fairness);
        let next = self.order.get(self.done).copied().filter(|&thread| can_run(state, thread));
        let own = |thread: ThreadId| polls && thread == state.current;
        match (next, next.filter(|&thread| !own(thread))) {
            (_, Some(thread)) => thread,
            (next, None) => {
                let other = Cooperative.choose(state, why);
                // Who polls goes on rather than that the process ends before the order does.
                next.filter(|_| Some(other) == self.exiting).unwrap_or(other)
            }
        }
    }
}

/// Lets all other threads run on where the process is about to end: until they wait or end, or have polled for long.
#[derive(Default)]
pub(crate) struct ExitsLast {
    exiting: Option<ThreadId>,
    polls: usize,
}

impl<D: Values> Scheduler<D> for ExitsLast {
    fn choose(&mut self, state: &State<D>, why: SchedulingPoint) -> ThreadId {
        if why == SchedulingPoint::Exit {
            self.exiting = Some(state.current);
        }
        let Some(exiting) = self.exiting else { return Cooperative.choose(state, why) };
        self.polls += usize::from(matches!(why, SchedulingPoint::Pause | SchedulingPoint::Fairness));
        let first = Cooperative.choose(state, why);
        if first != exiting || self.polls > BUDGETS.polls_before_exit {
            return first;
        }
        let others = state.live_threads().filter(|thread| thread.is_enabled() && thread.id != exiting);
        others.map(|thread| thread.id).next().unwrap_or(exiting)
    }
}

fn can_run<D: Values>(state: &State<D>, thread: ThreadId) -> bool {
    thread.index() < state.threads.len() && state.thread(thread).is_enabled()
}

/// How far a run has followed a schedule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) struct Progress {
    /// Nodes of the schedule that are done.
    pub done: usize,
    /// Events of the run when it did something else for the first time.
    pub left_at: Option<usize>,
}

/// Holds threads to the happens-before graph of a schedule: a thread runs only while all is done that its next node
/// waits for.
pub struct Held {
    graph: HappensBefore,
    predecessors: BTreeMap<NodeId, Vec<NodeId>>,
    /// The schedule's threads by the run's.
    names: BTreeMap<ThreadId, u32>,
    /// The number of the schedule's next thread that is created.
    next_name: u32,
    /// Nodes that are done, by the schedule's threads.
    done: BTreeMap<u32, u32>,
    /// Events of the run that were looked at.
    seen: usize,
    progress: Progress,
}

impl Held {
    /// From where the run is, which has had so many events; its threads in the order of the schedule's.
    pub fn new(graph: &HappensBefore, threads: &[ThreadId], events: usize) -> Self {
        let names: BTreeMap<ThreadId, u32> = threads.iter().copied().zip(0..).collect();
        Self {
            graph: graph.clone(),
            predecessors: graph.predecessors(),
            next_name: u32::try_from(threads.len()).unwrap_or(u32::MAX),
            names,
            done: BTreeMap::new(),
            seen: events,
            progress: Progress::default(),
        }
    }

    /// How far a run has followed a graph, from where it had had so many events.
    pub(crate) fn compare<D: Values>(
        graph: &HappensBefore,
        threads: &[ThreadId],
        events: usize,
        state: &State<D>,
    ) -> Progress {
        let mut held = Self::new(graph, threads, events);
        held.look(state);
        held.progress
    }

    /// Looks at what the run has done since the last look.
    fn look<D: Values>(&mut self, state: &State<D>) {
        for (at, event) in state.events.iter().enumerate().skip(self.seen) {
            match event {
                SyncEvent::Create { child, .. } => {
                    self.names.entry(*child).or_insert(self.next_name);
                    self.next_name += 1;
                }
                SyncEvent::Node { thread, operation, .. } => {
                    let name = self.names.get(thread).copied().unwrap_or(u32::MAX);
                    let n = self.done.entry(name).or_insert(0);
                    *n += 1;
                    let own = self.graph.node(NodeId { thread: name, n: *n });
                    match own.is_some_and(|node| node.op == *operation || *node.op == *THREAD_END) {
                        true => self.progress.done += 1,
                        false => self.progress.left_at = self.progress.left_at.or(Some(at)),
                    }
                }
                SyncEvent::Order { .. } => {}
            }
        }
        self.seen = state.events.len();
    }

    fn is_done(&self, node: &NodeId) -> bool {
        self.done.get(&node.thread).is_some_and(|&n| n >= node.n)
    }

    /// Whether a thread has a next node, and may do it.
    fn is_ready(&self, thread: ThreadId) -> bool {
        let Some(&name) = self.names.get(&thread) else { return false };
        let id = NodeId { thread: name, n: self.done.get(&name).copied().unwrap_or(0) + 1 };
        self.graph.node(id).is_some()
            && self.predecessors.get(&id).is_none_or(|all| all.iter().all(|p| self.is_done(p)))
    }
}

impl<D: Values> Scheduler<D> for Held {
    fn choose(&mut self, state: &State<D>, why: SchedulingPoint) -> ThreadId {
        self.look(state);
        let stays = why == SchedulingPoint::Yield && self.is_ready(state.current);
        if stays && can_run(state, state.current) {
            return state.current;
        }
        let first = next_enabled(state).unwrap_or(state.current);
        let enabled: Vec<ThreadId> = state.live_threads().filter(|t| t.is_enabled()).map(|t| t.id).collect();
        let (before, after) = enabled.split_at(enabled.partition_point(|&thread| thread < first));
        let ready = after.iter().chain(before).copied().find(|&thread| self.is_ready(thread));
        ready.unwrap_or_else(|| Cooperative.choose(state, why))
    }
}
