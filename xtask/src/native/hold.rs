//! Holds a run to a schedule: a thread executes a call only when it is its next node and all that happens before that
//! node is done. Where an epoch ends, one of the schedules of the next one is followed in the same way.
//!
//! Which thread is which at the beginning of an epoch a result does not say (`docs/limitations.md`), nor can conditions
//! on the state there be evaluated. So each schedule, and each way to give its threads to those that live, is tried in
//! turn.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context as _, Result, bail};

use super::end::End;
use super::names::Names;
use super::objects::{Done, Objects};
use super::schedule::{Enumeration, Epoch, Graph, GraphNode, Node, NodeId, Schedule, ScheduleEnd};
use super::server::{Mode, Request, Server};
use super::trace::{CANCELLED, Choice, FIRST_WAITER, Kind, Pending, Run, RunEnd, State, Step, TIMED_OUT, Touched};

/// A schedule that a state may follow, with the thread that each of its threads is.
type Candidate<'a> = (&'a Schedule, BTreeMap<u64, u64>);

/// Runs that are made to find the threads and schedules of further epochs.
const MOST_ATTEMPTS: usize = 400;
/// Ways to go on that are tried at the beginning of one epoch.
const MOST_CANDIDATES: usize = 200;

/// What came of holding a run to a schedule.
#[derive(Clone, Debug)]
pub(super) enum Held {
    /// It was followed to its end. The program's end, if it has come to one.
    Followed(Option<End>),
    /// The process ended on the way.
    Early(End),
    /// It could not be followed.
    Left(Departure),
    /// Nobody knows: there are more ways to go on in further epochs than are tried.
    Open,
}

/// Where a schedule could not be followed.
#[derive(Clone, Debug)]
pub(super) struct Departure {
    /// What kind of fault it is.
    pub(super) fault: Fault,
    /// In words.
    pub(super) why: String,
    /// What was done until then, one line for each call.
    pub(super) order: Vec<String>,
}

/// Kinds of wrong results.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Fault {
    /// The run does something else than the schedule has.
    CannotFollow,
    /// Two calls on one object are in no order in the schedule.
    MissingOrder,
    /// The run ends in a deadlock, the schedule does not.
    MissedDeadlock,
    /// The schedule ends in a deadlock, the run does not.
    ImpossibleDeadlock,
    /// The run ends in another way than the schedule.
    WrongEnd,
    /// No schedule is for these inputs.
    Uncovered,
    /// No input that was tried comes to the schedule's end.
    NeverFollowed,
    /// The schedule is no graph, or its epoch is missing.
    Malformed,
}

/// Holds runs of one program with certain arguments.
pub(super) struct Holder<'a, 'n> {
    /// The program.
    pub(super) server: &'a mut Server,
    /// Its names.
    pub(super) names: &'a mut Names<'n>,
    /// The result with the schedules.
    pub(super) result: &'a Enumeration,
    /// Arguments from `argv[1]` on.
    pub(super) arguments: &'a [String],
    /// Whether calls must be at the lines of the schedule. Optimisers merge calls of several lines, so this is for
    /// bitcode of `-O0`.
    pub(super) lines: bool,
    /// The schedule that ends in a deadlock which the latest run has come to, or would have if it had gone on.
    pub(super) deadlock: Option<String>,
}

impl Holder<'_, '_> {
    /// Holds a run to a schedule of the first epoch; then to those of further epochs that are named, or to any that can
    /// be followed.
    ///
    /// # Errors
    /// The program cannot be run any more.
    pub(super) fn hold(&mut self, first: usize, named: &[String]) -> Result<Held> {
        let mut decisions: Vec<Decision> = Vec::new();
        let mut deepest: Option<(usize, Held)> = None;
        for _ in 0..MOST_ATTEMPTS {
            let (held, depth, taken) = self.attempt(first, named, decisions)?;
            if !matches!(held, Held::Left(_)) {
                return Ok(held);
            }
            if deepest.as_ref().is_none_or(|(known, _)| depth > *known) {
                deepest = Some((depth, held));
            }
            decisions = taken;
            while decisions.last().is_some_and(|last| last.taken + 1 >= last.candidates) {
                decisions.pop();
            }
            match decisions.last_mut() {
                Some(last) => last.taken += 1,
                None => return Ok(deepest.expect("at least one attempt was made").1),
            }
        }
        Ok(Held::Open)
    }

    /// One run, with the decisions that were made before; gives how far it came, and all decisions.
    fn attempt(
        &mut self,
        first: usize,
        named: &[String],
        decisions: Vec<Decision>,
    ) -> Result<(Held, usize, Vec<Decision>)> {
        let epoch = self.result.epochs.first().context("the result has no epoch")?;
        let schedule = epoch.schedules.get(first).context("the first epoch has no such schedule")?;
        let follower = Follower {
            names: &mut *self.names,
            result: self.result,
            lines: self.lines,
            named,
            decisions,
            decided: 0,
            departure: None,
            part: Part::default(),
            seen: 0,
            epochs: 0,
            leaves_early: false,
        };
        let mut follower = follower;
        if let Err(error) = follower.begin(schedule, BTreeMap::from([(0, 0)])) {
            let why = error.to_string();
            return Ok((Held::Left(Departure { fault: Fault::Malformed, why, order: Vec::new() }), 0, Vec::new()));
        }
        let request = Request { mode: Mode::Ask, prefix: &[], asleep: &[], arguments: self.arguments };
        let run = self.server.run(&request, &mut |state, steps| follower.choose(state, steps))?;
        let depth = run.steps.len();
        let held = follower.verdict(&run);
        let ends_in_deadlock = follower.part.end == Some(ScheduleEnd::Deadlock);
        self.deadlock = follower.part.schedule.filter(|_| ends_in_deadlock).map(|schedule| schedule.id.clone());
        Ok((held, depth, follower.decisions))
    }
}

/// Which of the ways to begin an epoch is tried, of how many.
#[derive(Clone, Debug)]
struct Decision {
    taken: usize,
    candidates: usize,
}

/// What is followed in the current epoch.
#[derive(Default)]
struct Part<'a> {
    schedule: Option<&'a Schedule>,
    end: Option<ScheduleEnd>,
    graph: HashMap<u64, Vec<GraphNode>>,
    /// The schedule's name of each thread of the run.
    names: BTreeMap<u64, u64>,
    /// Nodes that each of the schedule's threads has done.
    done: HashMap<u64, usize>,
    objects: Objects,
    order: Done,
}

impl Part<'_> {
    fn next(&self, thread: u64) -> Option<(&GraphNode, NodeId)> {
        let thread = *self.names.get(&thread)?;
        let done = self.done.get(&thread).copied().unwrap_or(0);
        Some((self.graph.get(&thread)?.get(done)?, (thread, done + 1)))
    }

    /// Whether all that a thread has left in the schedule is its end: one node on itself, behind others on what it
    /// gives back then.
    fn ends_next(&self, thread: u64) -> bool {
        let Some(&name) = self.names.get(&thread) else { return false };
        let done = self.done.get(&name).copied().unwrap_or(0);
        let left = self.graph.get(&name).and_then(|nodes| nodes.get(done..)).unwrap_or_default();
        let Some((last, others)) = left.split_last() else { return false };
        last.node.object == format!("thread {name}") && others.iter().all(|other| other.node.op == last.node.op)
    }

    fn is_ready(&self, node: &GraphNode, thread: u64) -> bool {
        let done = |other: &u64| self.done.get(other).copied().unwrap_or(0);
        node.before.iter().all(|(other, &count)| *other == thread || done(other) >= count)
    }

    fn is_done(&self) -> bool {
        self.graph.iter().all(|(thread, nodes)| self.done.get(thread).copied().unwrap_or(0) == nodes.len())
    }
}

struct Follower<'a, 'n> {
    names: &'a mut Names<'n>,
    result: &'a Enumeration,
    lines: bool,
    named: &'a [String],
    decisions: Vec<Decision>,
    decided: usize,
    departure: Option<(Fault, String)>,
    part: Part<'a>,
    /// Steps of the run that were accounted for.
    seen: usize,
    epochs: usize,
    /// Whether inputs end the process on the way in this epoch, of which nobody knows whether this is one.
    leaves_early: bool,
}

/// How soon a choice is made; what is no node of the schedule comes first, the end of the process last.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Rank {
    Silent,
    Node,
    Pause,
    Cancelled,
    End,
}

impl<'a> Follower<'a, '_> {
    fn begin(&mut self, schedule: &'a Schedule, names: BTreeMap<u64, u64>) -> Result<()> {
        let graph = Graph::of(schedule)?;
        let end = schedule.end()?;
        self.part = Part { schedule: Some(schedule), end: Some(end), graph: graph.threads, names, ..Part::default() };
        self.epochs += 1;
        Ok(())
    }

    fn depart(&mut self, fault: Fault, why: String) {
        if self.departure.is_none() {
            self.departure = Some((fault, why));
        }
    }

    /// The next choice, or `None` to stop.
    fn choose(&mut self, state: &State, steps: &[Step]) -> Option<Choice> {
        self.account(state, steps);
        if self.departure.is_some() {
            return None;
        }
        while self.part.is_done()
            && let Some(ScheduleEnd::Epoch(id)) = &self.part.end
        {
            let id = id.clone();
            if !self.enter(&id, state) {
                return None;
            }
        }
        if self.part.end == Some(ScheduleEnd::Open) && self.part.is_done() {
            return None;
        }
        let mut best: Option<(Rank, Choice)> = None;
        for pending in state.threads.iter().filter(|pending| !pending.blocked) {
            if let Some(found) = self.best_of(pending, steps)
                && best.is_none_or(|(rank, _)| found.0 < rank)
            {
                best = Some(found);
            }
        }
        if best.is_none() {
            let why = self.stuck(state);
            self.depart(Fault::CannotFollow, why);
        }
        best.map(|(_, choice)| choice)
    }

    /// The way in which a thread may go on now.
    fn best_of(&mut self, pending: &Pending, steps: &[Step]) -> Option<(Rank, Choice)> {
        let kind = self.names.operation(pending).kind;
        let usual = |rank| Some((rank, Choice { thread: pending.thread, variant: 0 }));
        match kind {
            Kind::Start | Kind::Volatile => return usual(Rank::Silent),
            Kind::Yield | Kind::Endless | Kind::TestCancel => return usual(Rank::Pause),
            Kind::ProcessExit | Kind::Abort => return usual(Rank::End),
            _ => {}
        }
        let has = |variant: u64| pending.ways.iter().any(|way| way.variant == variant);
        let cancelled = Choice { thread: pending.thread, variant: CANCELLED };
        let ready = self.part.next(pending.thread).is_some_and(|(node, id)| self.part.is_ready(node, id.0))
            && self.mismatch(pending).is_none();
        if !ready {
            return has(CANCELLED).then_some((Rank::Cancelled, cancelled));
        }
        let variant = if kind == Kind::Signal && pending.ways[0].variant >= FIRST_WAITER {
            first_in_line(pending, steps)
        } else {
            [0, TIMED_OUT, CANCELLED].into_iter().find(|&variant| has(variant))?
        };
        Some((Rank::Node, Choice { thread: pending.thread, variant }))
    }

    /// Why a thread's operation is not its next node; `None` if it is.
    fn mismatch(&mut self, pending: &Pending) -> Option<String> {
        let line = self.names.line(pending);
        let operation = self.names.operation(pending);
        let place = self.names.place(pending, &[]);
        let (next, _) = match self.part.next(pending.thread) {
            Some(next) => next,
            None => return Some(format!("{place} is no call of the schedule")),
        };
        let node = &next.node;
        let expected = format!("the schedule has {}({}) at {}", node.op, node.object, node.at);
        if operation.kind == Kind::Exit {
            return (!self.part.ends_next(pending.thread)).then(|| format!("{place}, where {expected}"));
        }
        if node.op != operation.name {
            return Some(format!("{place}, where {expected}"));
        }
        if !is_at(self.lines, node, &line) {
            return Some(format!("{place}, where {expected}"));
        }
        self.wrong_object(pending, node.object.clone()).map(|why| format!("{place}: {why}"))
    }

    fn wrong_object(&mut self, pending: &Pending, name: String) -> Option<String> {
        if let Some(number) = name.strip_prefix("thread ").and_then(|number| number.parse::<u64>().ok()) {
            let thread = self.names.thread_of(pending)?;
            let known = *self.part.names.get(&thread)?;
            return (known != number).then(|| format!("it is about thread {known} of the schedule, not {number}"));
        }
        if let Some(thread) = self.names.thread_of(pending) {
            // Threads that ended before this epoch have no numbers in it.
            if name.starts_with("ended thread ") && !self.part.names.contains_key(&thread) {
                return None;
            }
            return Some(format!("it is about a thread, the schedule has {name}"));
        }
        self.part.objects.agree(&name, pending.object, self.names).err().map(|mismatch| mismatch.to_string())
    }

    /// Accounts for the steps that were made since.
    fn account(&mut self, state: &State, steps: &[Step]) {
        for step in &steps[self.seen..] {
            self.done(step);
        }
        if self.seen < steps.len()
            && let Some(last) = steps.last()
        {
            self.behind(last, state);
        }
        self.seen = steps.len();
    }

    /// A step was made: if it was a node, it is done.
    fn done(&mut self, step: &Step) {
        let pending = step.pending();
        let kind = self.names.operation(pending).kind;
        let variant = step.choice.variant;
        let waits = matches!(kind, Kind::SemWait | Kind::Join) && variant == CANCELLED;
        if kind.is_silent() || waits || kind == Kind::Wake && variant == TIMED_OUT {
            return;
        }
        let Some((_, id)) = self.part.next(pending.thread) else { return };
        let nodes = &self.part.graph[&id.0];
        // What a thread's end gives back are nodes of their own.
        let last = if kind == Kind::Exit { nodes.len() } else { id.1 };
        self.part.done.insert(id.0, last);
        let id = (id.0, last);
        let node = nodes[last - 1].clone();
        let none = Touched::Words(Vec::new());
        let touched = step.state.way(step.choice).map_or(&none, |way| &way.touched);
        if kind == Kind::Signal {
            self.wake(step, id);
        }
        if let Err(other) = self.part.order.add(&node, id, pending, kind, touched) {
            self.unordered(&node, id, other);
        }
    }

    fn unordered(&mut self, node: &GraphNode, id: NodeId, other: NodeId) {
        let first = &self.part.graph[&other.0][other.1 - 1].node;
        let second = &node.node;
        let why = format!(
            "the schedule does not say that T{}.{} {} at {} comes before T{}.{} {} at {}",
            other.0, first.n, first.op, first.at, id.0, second.n, second.op, second.at
        );
        self.depart(Fault::MissingOrder, why);
    }

    /// Remembers whom a signal wakes.
    fn wake(&mut self, step: &Step, id: NodeId) {
        let pending = step.pending();
        let chosen = step.choice.variant.checked_sub(FIRST_WAITER);
        for waiter in &step.state.threads {
            let waits = self.names.operation(waiter).kind == Kind::Wake && waiter.object == pending.object;
            let all = self.names.operation(pending).name.ends_with("broadcast");
            if waits
                && (all || chosen == Some(waiter.thread))
                && let Some(&name) = self.part.names.get(&waiter.thread)
            {
                self.part.order.leads_to(name, id);
            }
        }
    }

    /// What the state behind a step says of it: which thread was created, whether a barrier was opened.
    fn behind(&mut self, step: &Step, state: &State) {
        if state.threads.is_empty() {
            return;
        }
        let pending = step.pending();
        let own = self.part.names.get(&pending.thread).copied();
        let Some(id) = own.map(|own| (own, self.part.done.get(&own).copied().unwrap_or(0))) else { return };
        let Some(node) = id.1.checked_sub(1).and_then(|at| self.part.graph.get(&id.0)?.get(at)).cloned() else {
            return;
        };
        match self.names.operation(pending).kind {
            Kind::Create => {
                let new = state.threads.iter().find(|thread| !self.part.names.contains_key(&thread.thread));
                let name = node.node.object.strip_prefix("thread ").and_then(|number| number.parse().ok());
                if let (Some(new), Some(name)) = (new, name) {
                    self.part.names.insert(new.thread, name);
                    self.part.order.leads_to(name, id);
                }
            }
            Kind::Arrive => {
                let waits = state
                    .thread(pending.thread)
                    .is_some_and(|now| self.names.operation(now).kind == Kind::Leave && now.object == pending.object);
                if !waits && let Err(other) = self.part.order.release(pending.object, &node, id) {
                    self.unordered(&node, id, other);
                }
            }
            _ => {}
        }
    }

    /// Begins the next epoch; `false` if there is nothing to follow.
    fn enter(&mut self, id: &str, state: &State) -> bool {
        let named = self.named.get(self.epochs - 1).map(String::as_str);
        if named.is_none() && !self.named.is_empty() {
            return false;
        }
        let Some(epoch) = self.result.epoch(id) else {
            self.depart(Fault::Malformed, format!("epoch {id} follows, and is not in the result"));
            return false;
        };
        let candidates = match self.candidates(epoch, named, state) {
            Ok(candidates) => candidates,
            Err(error) => {
                self.depart(Fault::CannotFollow, error.to_string());
                return false;
            }
        };
        let decision = match self.decisions.get(self.decided) {
            Some(decision) => decision.taken,
            None => {
                self.decisions.push(Decision { taken: 0, candidates: candidates.len() });
                0
            }
        };
        self.decided += 1;
        let Some((schedule, names)) = candidates.into_iter().nth(decision) else {
            self.depart(Fault::CannotFollow, format!("no schedule of epoch {id} fits what the threads do next"));
            return false;
        };
        self.leaves_early = epoch.early_exits.is_some();
        match self.begin(schedule, names) {
            Ok(()) => true,
            Err(error) => {
                self.depart(Fault::Malformed, error.to_string());
                false
            }
        }
    }

    /// Schedules of an epoch with the threads that may be meant, as far as their first calls fit.
    fn candidates(&mut self, epoch: &'a Epoch, named: Option<&str>, state: &State) -> Result<Vec<Candidate<'a>>> {
        if epoch.contexts.len() != state.threads.len() {
            let (said, live) = (epoch.contexts.len(), state.threads.len());
            bail!("epoch {} begins with {said} threads, and {live} live", epoch.id);
        }
        let which = named.map(|name| epoch.schedule(name)).transpose()?;
        let mut found = Vec::new();
        for (at, schedule) in epoch.schedules.iter().enumerate() {
            let end = schedule.end()?;
            if which.is_some_and(|which| which != at) || which.is_none() && end == ScheduleEnd::Open {
                continue;
            }
            let graph = Graph::of(schedule)?;
            let mut names = BTreeMap::new();
            self.assign(epoch, schedule, &graph, state, &mut names, &mut found);
        }
        Ok(found)
    }

    /// Gives the schedule's threads to those that live, in all ways.
    fn assign(
        &mut self,
        epoch: &Epoch,
        schedule: &'a Schedule,
        graph: &Graph,
        state: &State,
        names: &mut BTreeMap<u64, u64>,
        found: &mut Vec<(&'a Schedule, BTreeMap<u64, u64>)>,
    ) {
        let Some(context) = epoch.contexts.get(names.len()) else {
            found.push((schedule, names.clone()));
            return;
        };
        for pending in &state.threads {
            if found.len() >= MOST_CANDIDATES || names.contains_key(&pending.thread) {
                continue;
            }
            if self.may_be(pending, graph.of_thread(context.thread), schedule, context.thread) {
                names.insert(pending.thread, context.thread);
                self.assign(epoch, schedule, graph, state, names, found);
                names.remove(&pending.thread);
            }
        }
    }

    /// Whether a thread's next call may be the first of these nodes, or the one in which it is blocked.
    fn may_be(&mut self, pending: &Pending, nodes: &[GraphNode], schedule: &Schedule, thread: u64) -> bool {
        let operation = self.names.operation(pending);
        if operation.kind.is_silent() {
            return true;
        }
        let (lines, line) = (self.lines, self.names.line(pending));
        let blocked = schedule.blocked.iter().find(|blocked| blocked.thread == thread);
        match nodes.first() {
            Some(GraphNode { node, .. }) => {
                operation.kind == Kind::Exit && node.object.starts_with("thread ")
                    || node.op == operation.name && is_at(lines, node, &line)
            }
            None => blocked.is_none_or(|blocked| blocked.op == operation.name && (!lines || blocked.at == line)),
        }
    }

    /// Why nobody can go on: the first thread that has nodes left, or does what is none.
    fn stuck(&mut self, state: &State) -> String {
        for pending in &state.threads {
            let silent = self.names.operation(pending).kind.is_silent();
            if !pending.blocked
                && !silent
                && let Some(why) = self.mismatch(pending)
            {
                return why;
            }
        }
        for pending in &state.threads {
            let place = self.names.place(pending, &[]);
            let Some((node, id)) = self.part.next(pending.thread) else { continue };
            if pending.blocked && self.part.is_ready(node, id.0) {
                return format!("{place} is blocked, where the schedule goes on with it");
            }
        }
        for pending in state.threads.iter().filter(|pending| !pending.blocked) {
            let place = self.names.place(pending, &[]);
            if self.part.next(pending.thread).is_some() {
                return format!("{place} would have to wait for calls that never come");
            }
        }
        "nothing can go on".to_owned()
    }

    fn verdict(&mut self, run: &Run) -> Held {
        let last = State::default();
        self.account(run.last.as_ref().unwrap_or(&last), &run.steps);
        let ended = self.names.end(run);
        // Where no thread can go on nobody is asked: it may be where an epoch begins.
        while matches!(ended, Some(End::Deadlock { .. }))
            && self.departure.is_none()
            && self.part.is_done()
            && let Some(ScheduleEnd::Epoch(id)) = self.part.end.clone()
        {
            if !self.enter(&id, run.last.as_ref().unwrap_or(&last)) {
                break;
            }
        }
        if self.departure.is_none()
            && let Some((fault, why)) = self.wrong_end(run, ended.as_ref())
        {
            self.depart(fault, why);
        }
        if let Some((fault, why)) = self.departure.take() {
            return Held::Left(Departure { fault, why, order: self.names.order(run) });
        }
        match ended {
            Some(end) if !self.part.is_done() => Held::Early(end),
            ended => Held::Followed(ended),
        }
    }

    /// What is wrong with how the run has ended.
    fn wrong_end(&mut self, run: &Run, ended: Option<&End>) -> Option<(Fault, String)> {
        let expected = self.part.end.clone()?;
        let schedule = self.part.schedule?;
        let said = match &expected {
            ScheduleEnd::Exit => "the schedule ends with exit".to_owned(),
            _ => format!("the schedule ends with {}", schedule.ends),
        };
        let Some(ended) = ended else {
            let stopped = run.end == RunEnd::Stopped && self.part.is_done();
            let why = format!("the run was cut off ({:?})", run.end);
            return (!stopped).then_some((Fault::CannotFollow, why));
        };
        let done = self.part.is_done();
        let wrong =
            |fault| Some((fault, format!("the run {ended}; {said}{}", if done { "" } else { ", and has more calls" })));
        match (ended, expected) {
            (End::Deadlock { .. }, ScheduleEnd::Deadlock) if done => self.wrong_deadlock(run, schedule),
            (End::Deadlock { .. }, ScheduleEnd::Open | ScheduleEnd::MemoryError) if done => None,
            (End::Deadlock { .. }, _) if done => wrong(Fault::MissedDeadlock),
            (End::Deadlock { .. }, _) => {
                let state = run.last.clone().unwrap_or_default();
                Some((Fault::CannotFollow, self.stuck(&state)))
            }
            (End::Endless { .. }, ScheduleEnd::Endless | ScheduleEnd::Open) if done => None,
            (End::Endless { .. }, _) => wrong(Fault::WrongEnd),
            (End::Exit { .. } | End::Abort { .. }, ScheduleEnd::Deadlock) if !done && self.leaves_early => None,
            // What is said of a deadlock is said of inputs that come there.
            (_, ScheduleEnd::Deadlock) => wrong(Fault::ImpossibleDeadlock),
            (End::Exit { status }, ScheduleEnd::Exit) if done => {
                let other = schedule.status.is_some_and(|said| said & 0xff != i64::from(*status));
                other.then(|| (Fault::WrongEnd, format!("the run {ended}; the schedule says {:?}", schedule.status)))
            }
            (End::Abort { at }, ScheduleEnd::Abort) => {
                let other = schedule.at.as_ref().is_some_and(|said| self.lines && said != at && !at.is_empty());
                other.then(|| (Fault::WrongEnd, format!("the run {ended}; {said} at {:?}", schedule.at)))
            }
            (End::Crash { .. }, ScheduleEnd::MemoryError) => None,
            (End::Crash { .. }, _) => wrong(Fault::WrongEnd),
            (End::Exit { .. } | End::Abort { .. }, ScheduleEnd::Endless) => wrong(Fault::WrongEnd),
            (End::Exit { .. }, ScheduleEnd::Abort) | (End::Abort { .. }, ScheduleEnd::Exit) if done => {
                wrong(Fault::WrongEnd)
            }
            (End::Exit { .. } | End::Abort { .. }, _) => None,
        }
    }

    /// Whether the threads that are blocked are those of the schedule, in the same calls.
    fn wrong_deadlock(&mut self, run: &Run, schedule: &Schedule) -> Option<(Fault, String)> {
        let state = run.last.clone().unwrap_or_default();
        if state.threads.len() != schedule.blocked.len() {
            let (live, said) = (state.threads.len(), schedule.blocked.len());
            return Some((Fault::WrongEnd, format!("{live} threads are blocked, the schedule says {said}")));
        }
        for pending in &state.threads {
            let place = self.names.place(pending, &[]);
            let name = self.part.names.get(&pending.thread);
            let Some(said) = schedule.blocked.iter().find(|blocked| Some(&blocked.thread) == name) else {
                return Some((Fault::WrongEnd, format!("{place} is blocked, of which the schedule says nothing")));
            };
            let same_line = !self.lines || said.at.is_empty() || place.at.is_empty() || said.at == place.at;
            let wrong = self.wrong_object(pending, said.object.clone());
            if said.op != place.op || !same_line || wrong.is_some() {
                let why = format!("{place} is blocked, the schedule says {}({}) at {}", said.op, said.object, said.at);
                return Some((Fault::WrongEnd, why));
            }
        }
        None
    }
}

/// Whether a call may be at a line: one of its node, if lines count and are known.
fn is_at(lines: bool, node: &Node, line: &String) -> bool {
    !lines || line.is_empty() || node.at.is_empty() || node.at == *line || node.also_at.contains(line)
}

/// The waiter that has begun to wait first.
fn first_in_line(pending: &Pending, steps: &[Step]) -> u64 {
    let began = |variant: u64| {
        let waiter = variant - FIRST_WAITER;
        steps.iter().rposition(|step| step.choice.thread == waiter).unwrap_or(0)
    };
    let variants = pending.ways.iter().map(|way| way.variant).filter(|&variant| variant >= FIRST_WAITER);
    variants.min_by_key(|&variant| began(variant)).unwrap_or(0)
}
