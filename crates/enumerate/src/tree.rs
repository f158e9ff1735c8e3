//! Schedule trees (Bergan 3.2.1): which conditions of an epoch are decided at its start, and which where an input
//! becomes known.
//!
//! Deviations from the paper:
//!
//! - Not only reads are decisions: whatever becomes known on the way is an observed input (design decision D7).
//! - A part of a schedule is the whole happens-before graph from the start of the epoch up to the decision behind it.
//! - Parts of equal graphs that end at the same decision are one part, as schedules are; a decision that makes no
//!   difference before the next one is left to that.

use std::rc::Rc;

use icsched_epochs::graph;
use icsched_ir::Program;
use icsched_machine::abstraction::Passage;
use icsched_machine::observation::Observed;
use icsched_machine::{FrameId, MemoryByte, ObjectKind, State};
use icsched_schedule::{Branch, HappensBefore, Schedule, ScheduleEnd, ScheduleId, TreeNode};
use icsched_smt::{Answer, Term, TermPool};
use icsched_symbolic::symbolic::{RestsOn, SymValue, SymbolicDomain};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::budgets::BUDGETS;
use crate::constraint::{Conjunction, Disjunction};

/// When an input becomes known, as far as that can be compared between paths.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Moment {
    /// The thread that knows it.
    thread: u32,
    /// Nodes that the thread has executed.
    nodes: u32,
    /// The program's line.
    at: String,
    /// How many such moments came before.
    occurrence: u32,
}

/// Conditions that are decided when something becomes known on a path.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Step {
    /// Place in [`PathSteps::moments`].
    moment: usize,
    /// What was synchronised before.
    prefix: HappensBefore,
    conditions: Vec<Term>,
}

/// The conditions of a path in the order in which they can be decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct PathSteps {
    start: Vec<Term>,
    steps: Vec<Step>,
    moments: Rc<[Moment]>,
}

impl PathSteps {
    /// Whether all is known at the start of the epoch.
    fn is_flat(&self) -> bool {
        self.steps.is_empty()
    }
}

/// Why there is no tree.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Flat {
    /// All is known at the start.
    Known,
    /// What executions that cannot be told apart have synchronised is not the same, or not in the same order.
    Order,
    /// A limit was reached.
    Limit,
}

/// What becomes known on one path.
struct Moments {
    moments: Vec<Moment>,
    /// Synchronisation events before each.
    events: Vec<usize>,
    symbols: FxHashMap<Term, usize>,
    loops: FxHashMap<Passage, usize>,
    objects: FxHashMap<u32, usize>,
}

/// Sorts the conditions of a path by when they are known; none if that is not known of one. O(observed inputs +
/// symbols of the conditions + decisions × synchronisation events).
pub(crate) fn steps(
    program: &Program,
    domain: &SymbolicDomain,
    state: &State<SymbolicDomain>,
    conditions: &Conjunction,
) -> Option<PathSteps> {
    let moments = Moments::of(program, domain, state);
    let mut start = Vec::new();
    let mut later = std::collections::BTreeMap::<usize, Vec<Term>>::new();
    let mut known = FxHashMap::default();
    for &condition in conditions.conditions() {
        match moments.known_at(domain, condition, &mut known)? {
            None => start.push(condition),
            Some(moment) => later.entry(moment).or_default().push(condition),
        }
    }
    let steps: Option<Vec<Step>> = later
        .into_iter()
        .map(|(moment, conditions)| {
            let prefix = graph::happens_before_within(program, state, moments.events[moment]).ok()?;
            Some(Step { moment, prefix, conditions })
        })
        .collect();
    let steps = steps?;
    let moments = if steps.is_empty() { Rc::from([]) } else { moments.moments.into() };
    Some(PathSteps { start, steps, moments })
}

impl Moments {
    fn of(program: &Program, domain: &SymbolicDomain, state: &State<SymbolicDomain>) -> Self {
        let mut this = Self {
            moments: Vec::new(),
            events: Vec::new(),
            symbols: FxHashMap::default(),
            loops: FxHashMap::default(),
            objects: FxHashMap::default(),
        };
        let mut latest: FxHashMap<FrameId, usize> = FxHashMap::default();
        let mut counts: FxHashMap<(u32, u32, String), u32> = FxHashMap::default();
        let mut nodes: FxHashMap<u32, u32> = FxHashMap::default();
        let mut events = state.events.iter().enumerate().peekable();
        for observation in state.observations.iter() {
            while let Some((_, event)) = events.next_if(|(index, _)| *index < observation.events) {
                if let icsched_symbolic::trace::SyncEvent::Node { thread, .. } = event {
                    *nodes.entry(thread.0).or_insert(0) += 1;
                }
            }
            // One call may ask for several inputs. All are known when it is done.
            let again = observation.call.and_then(|call| latest.get(&call).copied());
            let moment = again.unwrap_or_else(|| {
                let (thread, at) = (observation.thread.0, graph::place(program, &observation.stack));
                let nodes = nodes.get(&thread).copied().unwrap_or(0);
                let count = counts.entry((thread, nodes, at.clone())).or_insert(0);
                this.moments.push(Moment { thread, nodes, at, occurrence: *count });
                this.events.push(observation.events);
                *count += 1;
                this.moments.len() - 1
            });
            this.events[moment] = observation.events;
            if let Some(call) = observation.call {
                latest.insert(call, moment);
            }
            let mut term = |term: Term| {
                for &symbol in domain.pool.symbols_of(term).iter() {
                    this.symbols.entry(symbol).or_insert(moment);
                }
            };
            match &observation.what {
                Observed::Value(SymValue::Term(value)) => term(*value),
                Observed::Value(SymValue::Constant(_)) => {}
                Observed::Bytes(bytes) => bytes.iter().for_each(|byte| {
                    if let MemoryByte::Symbolic(byte) = byte {
                        term(*byte);
                    }
                }),
                Observed::Loop(passage) => _ = this.loops.entry(*passage).or_insert(moment),
                Observed::Object(object) => {
                    if let Some(ObjectKind::Initial(root)) = state.heap.object(*object).map(|o| o.kind) {
                        this.objects.entry(root).or_insert(moment);
                    }
                }
            }
        }
        this
    }

    /// The moment at which a term is known: `Some(None)` is the start of the epoch.
    fn known_at(
        &self,
        domain: &SymbolicDomain,
        term: Term,
        known: &mut FxHashMap<Term, Option<usize>>,
    ) -> Option<Option<usize>> {
        let mut latest = None;
        for &symbol in domain.pool.symbols_of(term).iter() {
            let moment = match known.get(&symbol) {
                Some(&moment) => moment,
                None => {
                    // What rests on itself rests on nothing else by that.
                    known.insert(symbol, None);
                    let mut moment = self.symbols.get(&symbol).copied();
                    for rests_on in domain.rests_on(symbol) {
                        let behind = match rests_on {
                            RestsOn::Term(term) => self.known_at(domain, term, known)?,
                            RestsOn::Loop(passage) => Some(*self.loops.get(&passage)?),
                            RestsOn::Object(root) => Some(*self.objects.get(&root)?),
                        };
                        moment = moment.max(behind);
                    }
                    known.insert(symbol, moment);
                    moment
                }
            };
            latest = latest.max(moment);
        }
        Some(latest)
    }
}

/// Paths with the same schedule.
pub(crate) struct Leaf {
    pub(crate) graph: HappensBefore,
    pub(crate) ends: ScheduleEnd,
    pub(crate) paths: Vec<PathSteps>,
}

/// What the tree asks of the search.
pub(crate) trait Asks {
    /// The terms.
    fn pool(&mut self) -> &mut TermPool;
    /// Whether some input satisfies all conditions.
    fn check(&mut self, conditions: &[Term]) -> Answer;
    /// A short condition that is the disjunction for inputs that satisfy `above`, on nothing else than the
    /// disjunction is on. With a leaf, inputs that leave it early may be in it or not.
    fn shorten(&mut self, inputs: Disjunction, above: Term, leaf: Option<ScheduleId>) -> Term;
    /// A condition as it is kept.
    fn describe(&mut self, condition: Term) -> icsched_schedule::InputConstraint;
    /// Whether the time is over.
    fn is_late(&self) -> bool;
}

/// A path that the inputs of a cell may follow.
#[derive(Clone)]
struct Member {
    path: usize,
    /// Steps that were decided.
    decided: usize,
    /// Conditions that can be decided now.
    open: Vec<Term>,
}

/// Inputs that are not told apart so far.
#[derive(Clone)]
struct Cell {
    /// What was decided before the decision that is looked at.
    before: Vec<Term>,
    /// What is decided there.
    here: Vec<Term>,
    members: Vec<Member>,
}

/// A branch under construction.
struct Group {
    graph: HappensBefore,
    ends: ScheduleEnd,
    cells: Vec<Cell>,
}

/// Builds the tree of an epoch.
pub(crate) struct TreeBuilder<'a, A> {
    asks: &'a mut A,
    leaves: &'a [Leaf],
    /// The paths and their leaves.
    paths: Vec<(usize, &'a PathSteps)>,
    /// Of each schedule that was made, the inputs that come to it.
    pub(crate) conditions: Vec<Term>,
}

impl<'a, A: Asks> TreeBuilder<'a, A> {
    pub(crate) fn new(asks: &'a mut A, leaves: &'a [Leaf]) -> Self {
        let of = |(i, leaf): (usize, &'a Leaf)| leaf.paths.iter().map(move |path| (i, path));
        let paths = leaves.iter().enumerate().flat_map(of).collect();
        Self { asks, leaves, paths, conditions: Vec::new() }
    }

    /// The tree; its leaves' whole conditions are in [`conditions`](Self::conditions) then.
    pub(crate) fn build(&mut self) -> Result<TreeNode, Flat> {
        if self.paths.iter().all(|(_, path)| path.is_flat()) {
            return Err(Flat::Known);
        }
        let member =
            |(path, (_, steps)): (usize, &(usize, &PathSteps))| Member { path, decided: 0, open: steps.start.clone() };
        let members = self.paths.iter().enumerate().map(member).collect();
        let always = self.asks.pool().bool(true);
        self.node(vec![Cell { before: Vec::new(), here: Vec::new(), members }], always, false)
    }

    /// The decision among the inputs of some cells; all satisfy `above`. With `one`, they are the only ones that do.
    fn node(&mut self, cells: Vec<Cell>, above: Term, one: bool) -> Result<TreeNode, Flat> {
        let mut split = Vec::new();
        for cell in cells {
            self.split(cell, &mut split)?;
        }
        let mut groups: IndexMap<ScheduleId, Group> = IndexMap::new();
        for mut cell in split {
            let (graph, ends) = self.part(&mut cell)?;
            let group = groups.entry(ScheduleId::of(&graph, &ends));
            let group = group.or_insert_with(|| Group { graph: graph.clone(), ends, cells: Vec::new() });
            group.graph.add_places(&graph);
            group.cells.push(cell);
        }
        let mut branches = Vec::new();
        for (id, Group { graph, ends, cells }) in groups {
            let is_inner = matches!(ends, ScheduleEnd::Input { .. });
            let mut inputs = Disjunction::default();
            for cell in &cells {
                let before = if one { &[][..] } else { &cell.before };
                inputs.add(Conjunction::new(before.iter().chain(&cell.here).copied().collect()));
            }
            let constraint = self.asks.shorten(inputs, above, (!is_inner).then_some(id));
            let all = self.asks.pool().and_all(&[above, constraint]);
            let next = if is_inner {
                let one = cells.len() == 1;
                let next = cells.into_iter().map(|cell| self.advanced(cell)).collect();
                self.node(next, all, one)?
            } else {
                self.conditions.push(all);
                TreeNode::default()
            };
            branches.push(Branch { schedule: Schedule::new(self.asks.describe(constraint), graph, ends), next });
        }
        (0..branches.len()).for_each(|i| collapse(&mut branches, i));
        Ok(TreeNode { branches })
    }

    /// Decides one open condition after the other until the inputs of each cell follow the same paths as far as is
    /// known.
    fn split(&mut self, cell: Cell, done: &mut Vec<Cell>) -> Result<(), Flat> {
        let mut work = vec![cell];
        while let Some(mut cell) = work.pop() {
            if self.asks.is_late() || done.len() + work.len() > BUDGETS.tree_cells {
                return Err(Flat::Limit);
            }
            let is_decided = |m: &Member| m.open.is_empty() && m.decided == self.paths[m.path].1.steps.len();
            if let Some(member) = cell.members.iter().find(|m| is_decided(m)) {
                cell.members = vec![member.clone()];
            }
            let Some(condition) = cell.members.iter().find_map(|m| m.open.first().copied()) else {
                if !cell.members.is_empty() {
                    done.push(cell);
                }
                continue;
            };
            let negated = self.asks.pool().not(condition);
            let holds = self.is_possible(&cell, condition).then(|| side(&cell, condition, negated));
            // If one side is not possible, all inputs are on the other.
            let fails = (holds.is_none() || self.is_possible(&cell, negated)).then(|| side(&cell, negated, condition));
            work.extend(fails.into_iter().chain(holds));
        }
        Ok(())
    }

    fn is_possible(&mut self, cell: &Cell, condition: Term) -> bool {
        let all: Vec<Term> = cell.before.iter().chain(&cell.here).copied().chain([condition]).collect();
        // Undecided counts as possible: a branch that no input takes does no harm.
        self.asks.check(&all) != Answer::Unsat
    }

    /// The part of a schedule that the inputs of a cell follow next. Its members are asked what they decide behind
    /// that.
    fn part(&mut self, cell: &mut Cell) -> Result<(HappensBefore, ScheduleEnd), Flat> {
        let next = |m: &Member| self.paths[m.path].1.steps.get(m.decided);
        let moment = |m: &Member, step: &Step| self.paths[m.path].1.moments[step.moment].clone();
        let mut candidates = Vec::new();
        for member in &cell.members {
            let Some(step) = next(member) else {
                let leaf = &self.leaves[self.paths[member.path].0];
                return Ok((leaf.graph.clone(), leaf.ends.clone()));
            };
            let found = (moment(member, step), &step.prefix);
            if !candidates.contains(&found) {
                candidates.push(found);
            }
        }
        // The one that no member says is behind another.
        let is_first = |candidate: &&(Moment, &HappensBefore)| {
            cell.members.iter().all(|m| {
                let (steps, own) = (self.paths[m.path].1, next(m).map_or(usize::MAX, |s| s.moment));
                steps.moments.iter().position(|moment| *moment == candidate.0).is_none_or(|at| at <= own)
            })
        };
        let Some((first, prefix)) = candidates.iter().find(is_first).cloned() else { return Err(Flat::Order) };
        let begins = |m: &Member| prefix.is_prefix_of(&self.leaves[self.paths[m.path].0].graph);
        if !cell.members.iter().all(begins) {
            return Err(Flat::Order);
        }
        let mut prefix = prefix.clone();
        cell.members.iter().for_each(|m| prefix.add_places(&self.leaves[self.paths[m.path].0].graph));
        for member in &mut cell.members {
            let steps = self.paths[member.path].1;
            if let Some(step) = steps.steps.get(member.decided).filter(|s| steps.moments[s.moment] == first) {
                if !step.prefix.is_same(&prefix) {
                    return Err(Flat::Order);
                }
                member.open.clone_from(&step.conditions);
                member.decided += 1;
            }
        }
        Ok((prefix, ScheduleEnd::Input { thread: first.thread, at: first.at }))
    }

    /// A cell behind the part that it follows: what it was decided by is known, and what its members have to decide
    /// next without that.
    fn advanced(&mut self, cell: Cell) -> Cell {
        let Cell { mut before, here, mut members } = cell;
        before.extend(here);
        let known: FxHashSet<Term> = before.iter().copied().collect();
        members.iter_mut().for_each(|m| m.open.retain(|condition| !known.contains(condition)));
        Cell { before, here: Vec::new(), members }
    }
}

/// The inputs of a cell for which `holds` does, and so its negation `fails` does not.
fn side(cell: &Cell, holds: Term, fails: Term) -> Cell {
    let mut side = cell.clone();
    side.here.push(holds);
    side.members.retain(|m| !m.open.contains(&fails));
    side.members.iter_mut().for_each(|m| m.open.retain(|&condition| condition != holds));
    side
}

/// Where the decision behind a part decides nothing, the part goes on to the next one; not where it would be like
/// another part then.
fn collapse(branches: &mut [Branch], i: usize) {
    let [only] = &branches[i].next.branches[..] else { return };
    let is_taken = branches.iter().any(|b| b.schedule.id == only.schedule.id);
    if !only.schedule.constraint.is_always() || is_taken {
        return;
    }
    let only = branches[i].next.branches.pop().expect("there is one");
    let Branch { schedule: Schedule { graph, ends, .. }, next } = only;
    let constraint = branches[i].schedule.constraint.clone();
    branches[i] = Branch { schedule: Schedule::new(constraint, graph, ends), next };
}
