//! Which explored paths do runs of the program take (Bergan 2.9.1)?
//!
//! A [`PathTree`] holds the paths from a context as a tree of their choices. A concrete state at the context
//! ([`Places::begun_there`](crate::reach::Places::begun_there)) *follows* a path if it executes the same instructions: threads
//! take turns where they do on the path, branches go to the sides that the path takes, the same operations synchronise in the
//! same order on objects that correspond one to one, and the run ends as the path ends. A path that some real state follows
//! is feasible.
//!
//! What a path decides that is no branch (which object an address is of, how many bytes are copied) is compared by what comes
//! of it: two paths that only differ there, without a trace, are both followed.

mod compare;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Instant;

use icsched_ir::{CallStack, ProgramPoint};

use crate::Machine;
use crate::code::Instr;
use crate::concrete::ConcreteDomain;
use crate::explore::{Step, StepKind};
use crate::host::MemoryHost;
use crate::state::State;
use crate::stop::{DecisionKind, ErrorKind, PathEnd, Stop};
use crate::thread::ThreadId;
use crate::trace::SyncEvent;
use compare::{Correspondence, Sync, corresponds, syncs};

/// How a path ends.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Finish {
    /// How; nothing if it was cut there.
    pub kind: Option<FinishKind>,
    /// After so many instructions.
    pub instructions: u64,
}

/// How a path ends that was not cut.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum FinishKind {
    /// The process ends.
    Exit,
    /// It aborts, or an assertion fails.
    Abort,
    /// No thread can go on.
    Deadlock,
    /// Undefined behaviour.
    Error(ErrorKind),
    /// Threads have left the context.
    Left,
    /// Something that is not supported.
    Stuck,
}

impl Finish {
    /// The end of a path; none for a path that there is not.
    pub fn of(end: &PathEnd, instructions: u64) -> Option<Self> {
        (*end != PathEnd::Infeasible).then(|| Self { kind: FinishKind::of(end), instructions })
    }
}

impl FinishKind {
    fn of(end: &PathEnd) -> Option<Self> {
        Some(match end {
            PathEnd::Exit { .. } => Self::Exit,
            PathEnd::Abort { .. } | PathEnd::AssertFailed { .. } => Self::Abort,
            PathEnd::Deadlock { .. } => Self::Deadlock,
            PathEnd::Error(error) => Self::Error(error.kind),
            PathEnd::Unmodelled { .. } | PathEnd::Unsupported { .. } => Self::Stuck,
            PathEnd::LeftContext => Self::Left,
            PathEnd::Limit(_) | PathEnd::Infeasible => return None,
        })
    }
}

type NodeId = usize;

/// What paths have in common up to here.
#[derive(Default, Debug)]
struct Node {
    /// What comes next, if not an end: where, and after how many instructions.
    next: Option<Next>,
    /// Paths that end before that.
    ends: Vec<End>,
    /// Paths through here that no run has followed yet.
    open: usize,
    parent: Option<NodeId>,
}

#[derive(Debug)]
struct Next {
    instructions: u64,
    /// Synchronisation between the step before and this one.
    syncs: Vec<Sync>,
    what: NextKind,
}

#[derive(Debug)]
enum NextKind {
    Switch(BTreeMap<ThreadId, NodeId>),
    Choice { thread: ThreadId, point: Option<ProgramPoint>, kind: DecisionKind, sides: [Option<NodeId>; 2] },
}

#[derive(Debug)]
struct End {
    path: usize,
    finish: Finish,
    syncs: Vec<Sync>,
}

/// Paths from one state, by their choices.
#[derive(Debug)]
pub struct PathTree {
    nodes: Vec<Node>,
    /// By path: whether some run has followed it.
    followed: Vec<bool>,
    /// What runs did that no path does: where, and what.
    strayed: Vec<Stray>,
}

impl Default for PathTree {
    fn default() -> Self {
        Self { nodes: vec![Node::default()], followed: Vec::new(), strayed: Vec::new() }
    }
}

/// Something that a run did and no path.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Stray {
    /// Where the thread was.
    pub stack: CallStack,
    /// What it did.
    pub what: StrayKind,
}

/// How a run parts from all paths.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum StrayKind {
    /// It went to a side that no path takes.
    Side,
    /// It ended where paths go on.
    End,
    /// It went on where paths end.
    NoEnd,
    /// It came to another place, or other threads could go on.
    Elsewhere,
    /// It synchronised otherwise.
    Synchronisation,
}

impl StrayKind {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Side => "takes a side of a branch that no path takes",
            Self::End => "ends where paths go on",
            Self::NoEnd => "goes on where paths end",
            Self::Elsewhere => "is elsewhere than the paths",
            Self::Synchronisation => "synchronises otherwise than the paths",
        }
    }
}

/// What runs states.
struct World<'a> {
    machine: &'a mut Machine<ConcreteDomain>,
    /// The operating system is no part of a state.
    host: &'a Rc<RefCell<MemoryHost>>,
    deadline: Option<Instant>,
}

impl PathTree {
    /// Adds a path: its steps, its synchronisation events, its end. Paths have the numbers 0, 1, ...
    pub fn insert(&mut self, steps: &[Step], events: &[SyncEvent], finish: Finish) {
        let path = self.followed.len();
        self.followed.push(false);
        let mut at = 0;
        let mut seen = 0;
        self.nodes[at].open += 1;
        for step in steps {
            let until = step.events.min(events.len());
            let child = self.child(at, step, || syncs(events[seen..until].iter()));
            seen = until;
            self.nodes[child].open += 1;
            at = child;
        }
        self.nodes[at].ends.push(End { path, finish, syncs: syncs(events[seen..].iter()) });
    }

    fn child(&mut self, at: NodeId, step: &Step, between: impl FnOnce() -> Vec<Sync>) -> NodeId {
        let new = self.nodes.len();
        let next = self.nodes[at].next.get_or_insert_with(|| Next {
            instructions: step.instructions,
            syncs: between(),
            what: match &step.what {
                StepKind::Switch => NextKind::Switch(BTreeMap::new()),
                StepKind::Choice { kind, .. } => {
                    NextKind::Choice { thread: step.thread, point: step.point, kind: *kind, sides: [None; 2] }
                }
            },
        });
        let child = match (&mut next.what, &step.what) {
            (NextKind::Switch(threads), _) => *threads.entry(step.thread).or_insert(new),
            (NextKind::Choice { sides, .. }, StepKind::Choice { taken, .. }) => {
                *sides[usize::from(*taken)].get_or_insert(new)
            }
            (NextKind::Choice { .. }, StepKind::Switch) => {
                unreachable!("paths that are the same so far choose the same")
            }
        };
        if child == new {
            self.nodes.push(Node { parent: Some(at), ..Node::default() });
        }
        child
    }

    /// By path: whether some run has followed it.
    pub fn followed(&self) -> &[bool] {
        &self.followed
    }

    /// Whether every path has been followed.
    pub fn is_done(&self) -> bool {
        self.nodes[0].open == 0
    }

    /// What runs did that no path does, each once.
    pub fn strayed(&self) -> &[Stray] {
        &self.strayed
    }

    /// Lets a state that is at the context take all paths that it takes, or some if it gets too late. The host is the machine's.
    pub fn follow(
        &mut self,
        machine: &mut Machine<ConcreteDomain>,
        host: &Rc<RefCell<MemoryHost>>,
        state: &State<ConcreteDomain>,
        deadline: Option<Instant>,
    ) {
        let before = host.borrow().clone();
        let mut world = World { machine, host, deadline };
        self.visit(&mut world, 0, state.clone(), 0, &Correspondence::new());
        *host.borrow_mut() = before;
    }

    /// Goes on from a node; whether the run is that of some path, as far as that was looked at.
    fn visit(
        &mut self,
        world: &mut World<'_>,
        node: NodeId,
        mut state: State<ConcreteDomain>,
        mut seen: usize,
        known: &Correspondence,
    ) -> bool {
        let Node { next, ends, open, .. } = &self.nodes[node];
        if *open == 0 || world.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return true;
        }
        let last = ends.iter().map(|e| e.finish.instructions + u64::from(e.finish.kind.is_some())).max();
        let until = next.as_ref().map(|n| n.instructions).or(last).unwrap_or(0);
        let budget = until.saturating_sub(state.instructions);
        match world.machine.run(&mut state, &mut (), budget) {
            Ok(()) => {}
            Err(Stop::End(end)) => return self.end(world.machine, node, &state, seen, known, &end),
            Err(_) => return self.stray(world.machine, &state, StrayKind::Elsewhere),
        }
        let Some(next) = &self.nodes[node].next else { return self.cut(world.machine, node, &state, seen, known) };
        let mut known = known.clone();
        if !corresponds(&next.syncs, &state, &mut seen, &mut known) {
            return self.stray(world.machine, &state, StrayKind::Synchronisation);
        }
        match &next.what {
            NextKind::Switch(threads) => {
                let threads = threads.clone();
                self.switches(world, &threads, &state, seen, &known)
            }
            NextKind::Choice { thread, point, kind, sides } => {
                if state.switching || state.current != *thread || state.point(&world.machine.code) != *point {
                    return self.stray(world.machine, &state, StrayKind::Elsewhere);
                }
                let sides = *sides;
                let taken = side(world.machine, &state).filter(|_| *kind == DecisionKind::Branch);
                let tried = sides.into_iter().zip([false, true]).filter(|s| taken.is_none_or(|taken| taken == s.1));
                let children: Vec<NodeId> = tried.filter_map(|(child, _)| child).collect();
                if children.is_empty() {
                    return self.stray(world.machine, &state, StrayKind::Side);
                }
                let strays = self.strayed.len();
                let mut any = false;
                let host = world.host.borrow().clone();
                for &child in &children {
                    *world.host.borrow_mut() = host.clone();
                    any |= self.visit(world, child, state.clone(), seen, &known);
                }
                if any && children.len() > 1 {
                    // It is on one of them; that it is not on the others says nothing.
                    self.strayed.truncate(strays);
                }
                any
            }
        }
    }

    fn switches(
        &mut self,
        world: &mut World<'_>,
        threads: &BTreeMap<ThreadId, NodeId>,
        state: &State<ConcreteDomain>,
        seen: usize,
        known: &Correspondence,
    ) -> bool {
        let enabled: Vec<ThreadId> = state.live_threads().filter(|t| t.is_enabled()).map(|t| t.id).collect();
        if !state.switching || !enabled.iter().eq(threads.keys()) {
            return self.stray(world.machine, state, StrayKind::Elsewhere);
        }
        let mut any = false;
        let host = world.host.borrow().clone();
        for (&thread, &child) in threads {
            *world.host.borrow_mut() = host.clone();
            let mut state = state.clone();
            state.go_on_with(thread);
            any |= self.visit(world, child, state, seen, known);
        }
        any
    }

    fn end(
        &mut self,
        machine: &Machine<ConcreteDomain>,
        node: NodeId,
        state: &State<ConcreteDomain>,
        seen: usize,
        known: &Correspondence,
        end: &PathEnd,
    ) -> bool {
        let Some(finish) = Finish::of(end, state.instructions) else { return true };
        let is_found = finish.kind.is_none() || self.ends(node, finish, state, seen, known);
        if is_found { true } else { self.stray(machine, state, StrayKind::End) }
    }

    /// The run is where the last path through a node was cut, or it went on where that has ended.
    fn cut(
        &mut self,
        machine: &Machine<ConcreteDomain>,
        node: NodeId,
        state: &State<ConcreteDomain>,
        seen: usize,
        known: &Correspondence,
    ) -> bool {
        let finish = Finish { kind: None, instructions: state.instructions };
        if self.ends(node, finish, state, seen, known) { true } else { self.stray(machine, state, StrayKind::NoEnd) }
    }

    /// Takes the paths that end here so; whether there are any.
    fn ends(
        &mut self,
        node: NodeId,
        finish: Finish,
        state: &State<ConcreteDomain>,
        seen: usize,
        known: &Correspondence,
    ) -> bool {
        let alike = self.nodes[node].ends.iter().filter(|end| end.finish == finish);
        let fits = |end: &&End| corresponds(&end.syncs, state, &mut { seen }, &mut known.clone());
        let found: Vec<usize> = alike.filter(fits).map(|end| end.path).collect();
        for &path in &found {
            self.mark(path, node);
        }
        !found.is_empty()
    }

    fn mark(&mut self, path: usize, node: NodeId) {
        if std::mem::replace(&mut self.followed[path], true) {
            return;
        }
        let mut at = Some(node);
        while let Some(id) = at {
            self.nodes[id].open -= 1;
            at = self.nodes[id].parent;
        }
    }

    fn stray(&mut self, machine: &Machine<ConcreteDomain>, state: &State<ConcreteDomain>, what: StrayKind) -> bool {
        let stray = Stray { stack: state.stack(&machine.code, state.current), what };
        if !self.strayed.contains(&stray) {
            self.strayed.push(stray);
        }
        false
    }
}

/// The side to which a branch goes that comes next.
fn side(machine: &Machine<ConcreteDomain>, state: &State<ConcreteDomain>) -> Option<bool> {
    let thread = state.current_thread();
    let frame = thread.top()?;
    match machine.code.functions[frame.func].instrs[frame.pc as usize] {
        Instr::Branch { condition, .. } => Some(thread.registers[(frame.base + condition) as usize] & 1 != 0),
        _ => None,
    }
}
