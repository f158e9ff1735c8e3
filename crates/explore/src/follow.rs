//! Which explored paths do runs of the program take (Bergan 2.9.1)?
//!
//! A [`PathTree`] holds the paths from a context as a tree of what the program itself did on them: which sides its
//! conditional branches took, and which threads went on. A concrete state at the context
//! ([`Places::begun_there`](crate::reach::Places::begun_there)) *follows* a path if its run does the same: threads take
//! turns as on the path, all branches of the program go to the same sides, between two turns the same operations
//! synchronise in the same order on objects that correspond one to one, and the run ends as the path ends. A path that
//! some real state follows is feasible.
//!
//! What models execute inside is not compared: for known strings and numbers they take other ways than for unknown
//! ones. Nor is what a path decides that is no branch (which object an address is of). Two paths that only differ there
//! are both followed.

mod compare;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Instant;

use icsched_ir::{CallStack, Program, ProgramPoint};

use crate::budgets::BUDGETS;
use crate::explore::{Step, StepKind};
use compare::{Correspondence, Sync, begins, corresponds, syncs};
use icsched_machine::Machine;
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::domain::Domain;
use icsched_machine::host::MemoryHost;
use icsched_machine::observe::Observer;
use icsched_machine::state::State;
use icsched_machine::stop::{ErrorKind, PathEnd, Stop};
use icsched_machine::thread::ThreadId;
use icsched_symbolic::trace::{BranchSide, SyncEvent};

/// How a path ends.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Finish {
    /// It was cut.
    Cut,
    /// The process ends.
    Exit,
    /// It aborts, or an assertion fails.
    Abort,
    /// No thread can go on.
    Deadlock,
    /// Some threads go round for ever, and no other one can go on.
    Endless,
    /// Undefined behaviour.
    Error(ErrorKind),
    /// Threads have left the context.
    Left,
    /// Something that is not supported.
    Stuck,
}

impl Finish {
    /// The end of a path; none for a path that there is not.
    pub fn of(end: &PathEnd) -> Option<Self> {
        Some(match end {
            PathEnd::Exit { .. } => Self::Exit,
            PathEnd::Abort { .. } | PathEnd::AssertFailed { .. } => Self::Abort,
            PathEnd::Deadlock { .. } => Self::Deadlock,
            PathEnd::Endless { .. } => Self::Endless,
            PathEnd::Error(error) => Self::Error(error.kind),
            PathEnd::Unmodelled { .. } | PathEnd::Unsupported { .. } => Self::Stuck,
            PathEnd::LeftContext => Self::Left,
            PathEnd::Limit(_) | PathEnd::Epoch | PathEnd::GoesRound => Self::Cut,
            PathEnd::Infeasible => return None,
        })
    }
}

/// A path, as far as it is compared.
#[derive(Copy, Clone, Debug)]
pub struct Followed<'a> {
    /// What it chose; only switches count.
    pub steps: &'a [Step],
    /// Where the branches of the program went.
    pub sides: &'a [BranchSide],
    /// Its synchronisation.
    pub events: &'a [SyncEvent],
    /// How it ends.
    pub finish: Finish,
}

type NodeId = usize;

/// What paths have in common up to here.
#[derive(Default, Debug)]
struct Node {
    /// Branches of the program that come next.
    sides: BTreeMap<BranchSide, NodeId>,
    /// Turns that come next.
    turns: Vec<Turn>,
    /// Paths that end before that.
    ends: Vec<End>,
    /// Paths through here that no run has followed yet.
    open: usize,
    parent: Option<NodeId>,
}

/// Which threads go on, where some thread synchronised like this since the turn before.
#[derive(Debug)]
struct Turn {
    syncs: Vec<Sync>,
    threads: BTreeMap<ThreadId, NodeId>,
}

#[derive(Debug)]
struct End {
    path: usize,
    finish: Finish,
    syncs: Vec<Sync>,
}

/// Paths from one state, by what the program did on them.
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

/// Where the branches of a run go.
#[derive(Default)]
struct Sides(Vec<BranchSide>);

impl<D: Domain> Observer<D> for Sides {
    fn is_active(&self) -> bool {
        false
    }

    fn branch(&mut self, side: BranchSide) {
        self.0.push(side);
    }
}

/// What a run did from one turn to where paths part from it, or to the next turn.
struct Stretch {
    /// The nodes that it went through, the first included.
    nodes: Vec<NodeId>,
    /// The first branch behind the last node, if it executed one.
    parted: Option<BranchSide>,
    /// How it stopped, if it did before that.
    stop: Option<Stop<ConcreteDomain>>,
}

impl PathTree {
    /// Adds a path. Paths have the numbers 0, 1, ...
    pub fn insert(&mut self, path: Followed<'_>) {
        let number = self.followed.len();
        self.followed.push(false);
        let (mut at, mut branches, mut seen) = (0, 0, 0);
        self.nodes[at].open += 1;
        for step in path.steps.iter().filter(|step| step.what == StepKind::Switch) {
            let until = usize::try_from(step.branches).unwrap_or(usize::MAX).min(path.sides.len());
            at = self.descend(at, &path.sides[branches..until]);
            branches = until;
            let until = step.events.min(path.events.len());
            let syncs = syncs(path.events[seen..until].iter());
            seen = until;
            at = self.turn(at, syncs, step.thread);
        }
        at = self.descend(at, &path.sides[branches..]);
        let syncs = syncs(path.events[seen..].iter());
        self.nodes[at].ends.push(End { path: number, finish: path.finish, syncs });
    }

    fn new_node(&mut self, parent: NodeId) -> NodeId {
        self.nodes.push(Node { parent: Some(parent), ..Node::default() });
        self.nodes.len() - 1
    }

    fn descend(&mut self, mut at: NodeId, sides: &[BranchSide]) -> NodeId {
        for side in sides {
            let child = self.nodes[at].sides.get(side).copied();
            let child = child.unwrap_or_else(|| self.new_node(at));
            self.nodes[at].sides.insert(*side, child);
            self.nodes[child].open += 1;
            at = child;
        }
        at
    }

    fn turn(&mut self, at: NodeId, syncs: Vec<Sync>, thread: ThreadId) -> NodeId {
        let found = self.nodes[at].turns.iter().position(|turn| turn.syncs == syncs);
        let index = found.unwrap_or_else(|| {
            self.nodes[at].turns.push(Turn { syncs, threads: BTreeMap::new() });
            self.nodes[at].turns.len() - 1
        });
        let child = self.nodes[at].turns[index].threads.get(&thread).copied();
        let child = child.unwrap_or_else(|| self.new_node(at));
        self.nodes[at].turns[index].threads.insert(thread, child);
        self.nodes[child].open += 1;
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

    /// Lets a state that is at the context take all paths that it takes, or some if it gets too late. The host is the
    /// machine's.
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

    /// Goes on from a node, which is behind a turn or the first one. `seen` synchronisation events of the run came
    /// before.
    fn visit(
        &mut self,
        world: &mut World<'_>,
        node: NodeId,
        mut state: State<ConcreteDomain>,
        seen: usize,
        known: &Correspondence,
    ) {
        if self.nodes[node].open == 0 || world.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return;
        }
        let stretch = self.run(world.machine, node, &mut state);
        let run = syncs(state.events.iter().skip(seen));
        let mut found = false;
        for &node in &stretch.nodes {
            let is_cut = |end: &&End| end.finish == Finish::Cut && begins(&end.syncs, &run, &mut known.clone());
            found |= self.take(node, is_cut);
        }
        let Stretch { nodes, parted, stop } = stretch;
        let last = nodes[nodes.len() - 1];
        match (parted, stop) {
            (Some(side), _) if !found => self.part(world.machine, last, side),
            (None, Some(Stop::Switch)) => {
                let mut any = found;
                for index in 0..self.nodes[last].turns.len() {
                    any |= self.turns(world, (last, index), &state, &run, known);
                }
                if !any {
                    let is_place = !self.nodes[last].turns.is_empty();
                    let what = if is_place { StrayKind::Synchronisation } else { self.without_end(last) };
                    self.stray(state.stack(&world.machine.code, state.current), what);
                }
            }
            (None, Some(Stop::End(end))) => {
                let Some(finish) = Finish::of(&end).filter(|&finish| finish != Finish::Cut) else { return };
                let is_this = |end: &&End| end.finish == finish && corresponds(&end.syncs, &run, &mut known.clone());
                if !self.take(last, is_this) && !found {
                    self.stray(state.stack(&world.machine.code, state.current), StrayKind::End);
                }
            }
            (None, Some(Stop::Fault { kind, .. })) => {
                let is_this =
                    |end: &&End| end.finish == Finish::Error(kind) && corresponds(&end.syncs, &run, &mut known.clone());
                if !self.take(last, is_this) && !found {
                    self.stray(state.stack(&world.machine.code, state.current), StrayKind::End);
                }
            }
            (None, Some(_)) if !found => {
                self.stray(state.stack(&world.machine.code, state.current), StrayKind::Elsewhere);
            }
            _ => {}
        }
    }

    /// Runs a state from a turn on, as long as some path does the same.
    fn run(&self, machine: &mut Machine<ConcreteDomain>, node: NodeId, state: &mut State<ConcreteDomain>) -> Stretch {
        let mut sides = Sides::default();
        let mut stretch = Stretch { nodes: vec![node], parted: None, stop: None };
        let (mut at, mut silent) = (0, 0);
        loop {
            let stop = machine.run(state, &mut sides, BUDGETS.follow_interval).err();
            silent += BUDGETS.follow_interval;
            while let Some(&side) = sides.0.get(at) {
                let last = stretch.nodes[stretch.nodes.len() - 1];
                let Some(&child) = self.nodes[last].sides.get(&side) else {
                    stretch.parted = Some(side);
                    return stretch;
                };
                stretch.nodes.push(child);
                (at, silent) = (at + 1, 0);
            }
            if stop.is_some() || silent >= BUDGETS.silent_instructions {
                stretch.stop = stop;
                return stretch;
            }
        }
    }

    /// Lets the threads take turns that took them on paths; whether there are such paths.
    fn turns(
        &mut self,
        world: &mut World<'_>,
        (node, turn): (NodeId, usize),
        state: &State<ConcreteDomain>,
        run: &[Sync],
        known: &Correspondence,
    ) -> bool {
        let mut known = known.clone();
        let turn = &self.nodes[node].turns[turn];
        let enabled: Vec<ThreadId> = state.live_threads().filter(|t| t.is_enabled()).map(|t| t.id).collect();
        if !corresponds(&turn.syncs, run, &mut known) || !enabled.iter().eq(turn.threads.keys()) {
            return false;
        }
        let host = world.host.borrow().clone();
        for (thread, child) in turn.threads.clone() {
            *world.host.borrow_mut() = host.clone();
            let mut state = state.clone();
            state.go_on_with(thread);
            let seen = state.events.len();
            self.visit(world, child, state, seen, &known);
        }
        true
    }

    /// Takes the paths that end at a node in this way; whether there are any.
    fn take(&mut self, node: NodeId, is_end: impl Fn(&&End) -> bool) -> bool {
        let found: Vec<usize> = self.nodes[node].ends.iter().filter(is_end).map(|end| end.path).collect();
        for &path in &found {
            if std::mem::replace(&mut self.followed[path], true) {
                continue;
            }
            let mut at = Some(node);
            while let Some(id) = at {
                self.nodes[id].open -= 1;
                at = self.nodes[id].parent;
            }
        }
        !found.is_empty()
    }

    /// A run executed a branch that no path executes so.
    fn part(&mut self, machine: &Machine<ConcreteDomain>, node: NodeId, side: BranchSide) {
        let is_there = |other: &BranchSide| (other.func, other.from) == (side.func, side.from);
        let what = if self.nodes[node].sides.keys().any(is_there) { StrayKind::Side } else { self.without_end(node) };
        let point = terminator(&machine.program, side);
        self.stray(CallStack(vec![point]), what);
    }

    /// What a run does that goes on otherwise behind a node.
    fn without_end(&self, node: NodeId) -> StrayKind {
        let Node { sides, turns, ends, .. } = &self.nodes[node];
        let is_end = sides.is_empty() && turns.is_empty() && !ends.is_empty();
        if is_end { StrayKind::NoEnd } else { StrayKind::Elsewhere }
    }

    fn stray(&mut self, stack: CallStack, what: StrayKind) {
        let stray = Stray { stack, what };
        if !self.strayed.contains(&stray) {
            self.strayed.push(stray);
        }
    }
}

fn terminator(program: &Program, side: BranchSide) -> ProgramPoint {
    let last = program.functions[side.func].blocks[side.from].insts.len();
    ProgramPoint { func: side.func, block: side.from, inst: u32::try_from(last).expect("fewer than 2^32 instructions") }
}
