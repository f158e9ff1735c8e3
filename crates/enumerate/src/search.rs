//! `SearchInEpoch` (Bergan 3.3.2, figure 3.4): the input-covering schedules of one epoch.
//!
//! A worklist of input constraints, starting with `true`. Each is executed along one path; the path's precondition
//! slice gives the constraint under which its schedule can be followed, and for each condition in it the inputs on the
//! other side become a new constraint, unless some schedule covers them already.
//!
//! Deviations from the paper:
//!
//! - Paths with the same happens-before graph and end are one schedule, whose constraint is the disjunction.
//! - "Not yet covered" is a solver query against everything found so far, asked again when a constraint is taken up.
//! - The worklist is a queue: with a limit, the schedules with the fewest decisions are found.
//! - A loop whose condition was taken both ways [`SearchOptions::loop_bound`] times on one path is not followed
//!   further; if inputs remain behind it, that is a reason for incompleteness.

mod assumed;
mod behind;
mod claims;
mod elsewhere;
mod ends;
mod options;
mod relied;
mod restart;
mod result;

use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::thread;

use icsched_ir::{CallStack, Program, ProgramPoint};
use icsched_schedule::{
    EpochId, EpochResult, IncompleteKind, NamedInput, PossibleError, Reason, ScheduleEnd, ScheduleId,
};
use icsched_smt::{Answer, SolverStatistics, Term};
use icsched_symex::request::Activity;
use icsched_symex::trace::{OtherSide, TraceEvent};
use icsched_symex::{DecisionKind, PathEnd};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

pub use options::SearchOptions;
pub(crate) use restart::Restart;

use self::assumed::assumed;
use self::behind::{Endings, PathEnding};
use self::ends::claims_something;
use self::relied::Relied;
use crate::carried;
use crate::constraint::{Conjunction, Disjunction};
use crate::engine::{self, Engine, Path, Questions};
use crate::epochs::job::Work;
use crate::epochs::{Analyses, EpochFacts, Successors, add_successor};
use crate::followed;
use crate::graph;
use crate::objects::Objects;
use crate::pretty::readable;
use crate::progress::{Progress, SchedulePath};
use crate::quiet::{Helps, Replaceable, Wanted, quiet_code};
use crate::reasons::Reasons;
use crate::slice::{Caches, Prepared, Slice, SliceDecision, Sliceable, Statics, call_path, every_decision};
use crate::slots::Slots;
use crate::tree::{self, Flat, PathSteps};

/// An epoch counts as one of many schedules, too, when it has many more paths.
const PATHS_PER_SCHEDULE: u64 = 4;

/// An epoch has many paths for few schedules if it has as many, and so many for each.
const MANY_PATHS: u64 = 128;
const MANY_PATHS_PER_SCHEDULE: u64 = 16;

/// Early exits of one path that are covered with it; inputs of later ones get paths of their own.
const MAX_EARLY_EXITS: usize = 64;

/// A schedule under construction.
struct Found {
    schedule: (icsched_schedule::HappensBefore, ScheduleEnd),
    covers: Disjunction,
    /// Inputs that follow the schedule until they end the process. They need no schedule of their own.
    early_exits: Disjunction,
    /// Inputs that abort on the way: they need no schedule of their own, either, but how this one ends is not told of them.
    failures: Disjunction,
    /// Whether one thread is alive at its end, on all paths.
    alone: bool,
    /// The conditions of each path by when they are known; none where that is not known.
    paths: Vec<Option<PathSteps>>,
    /// Whether what replaced loops have left decides that it ends with an error, on all paths.
    is_open: bool,
    /// The error behind which all of its paths come to its end, by its place among the errors; the first one of a path.
    after_error: Option<usize>,
}

/// The search of one epoch.
pub(crate) struct Search<'s, 'p> {
    statics: &'s Statics<'p>,
    analyses: Option<&'s Analyses<'p>>,
    engine: &'s mut Engine,
    options: &'s SearchOptions,
    progress: &'s mut dyn Progress,
    caches: Caches,
    found: IndexMap<ScheduleId, Found>,
    /// Negated preconditions of all paths so far, also of those that ended in nothing that could be scheduled.
    uncovered: Vec<Term>,
    worklist: VecDeque<Conjunction>,
    /// Constraints that the loop bound kept from being explored.
    cut: Vec<(Conjunction, ProgramPoint)>,
    reasons: Reasons,
    errors: IndexMap<(String, String, bool), Disjunction>,
    relied: Relied,
    max_live_threads: u32,
    paths: u64,
    none_ended: bool,
    successors: Successors,
    lost: BTreeMap<Replaceable, Helps>,
    /// What the solvers had to do that were asked about the ends of paths.
    behind: SolverStatistics,
    slots: Arc<Slots>,
    /// Branches behind which the process ends that were looked at.
    exits_seen: FxHashSet<ProgramPoint>,
    /// What was found by executing the other sides of decisions that only exits depend on, by their constraints.
    aside: FxHashMap<Vec<Term>, Option<Term>>,
    wanted: Option<Replaceable>,
    /// Whether something was followed that had better not be.
    follows_less: bool,
    /// Whether inputs have chosen what some path synchronises on.
    chose_objects: bool,
    /// How many conditions of paths were decided in loops that do not synchronise, by the loop.
    decided_in: BTreeMap<Replaceable, u64>,
}

impl<'s, 'p> Search<'s, 'p> {
    pub(crate) fn new(
        statics: &'s Statics<'p>,
        analyses: Option<&'s Analyses<'p>>,
        engine: &'s mut Engine,
        options: &'s SearchOptions,
        progress: &'s mut dyn Progress,
        slots: Arc<Slots>,
    ) -> Self {
        Self {
            statics,
            analyses,
            engine,
            options,
            progress,
            caches: Caches::default(),
            found: IndexMap::new(),
            uncovered: Vec::new(),
            worklist: VecDeque::from([Conjunction::default()]),
            cut: Vec::new(),
            reasons: Reasons::default(),
            errors: IndexMap::new(),
            relied: Relied::default(),
            max_live_threads: 1,
            paths: 0,
            none_ended: false,
            successors: Successors::new(),
            lost: BTreeMap::new(),
            behind: SolverStatistics::default(),
            slots,
            exits_seen: FxHashSet::default(),
            aside: FxHashMap::default(),
            wanted: None,
            follows_less: false,
            chose_objects: false,
            decided_in: BTreeMap::new(),
        }
    }

    fn program(&self) -> &'p Program {
        self.statics.program
    }

    /// Explores until every input is covered or a limit is reached. `none_ended`: no thread has at the beginning.
    pub(crate) fn explore(&mut self, none_ended: bool) -> Result<(), Restart> {
        self.none_ended = none_ended;
        let slots = Arc::clone(&self.slots);
        let Some(analyses) = self.analyses else {
            let explored = self.follow_paths(&mut |_, _| {});
            return explored.or_else(|restart| self.keep_at_the_end(restart));
        };
        let endings = Endings::new(self.statics, analyses, &slots, (self.options, self.engine.replaced()));
        let explored = thread::scope(|scope| {
            let explored = self.follow_paths(&mut |ending, questions| endings.add(scope, ending, questions));
            let explored = explored.or_else(|restart| self.keep_at_the_end(restart));
            match explored {
                Ok(()) => {
                    self.engine.begin(Activity::Ends);
                    endings.prepare_beginnings();
                    endings.work_off();
                }
                Err(_) => endings.give_up(),
            }
            explored
        });
        // Of an epoch that is searched again it is chance what was asked.
        if explored.is_ok() {
            self.engine.be_patient();
            let (successors, lost, solver) = endings.into_successors();
            (self.successors, self.lost) = (successors, lost);
            self.behind.add(&solver);
        }
        explored
    }

    fn follow_paths(&mut self, end: &mut dyn FnMut(PathEnding, Questions)) -> Result<(), Restart> {
        while let Some(constraint) = self.worklist.pop_front() {
            if let Some(reason) = self.engine.stop_reason() {
                self.reasons.add(reason);
                break;
            }
            if self.is_covered(&constraint) {
                continue;
            }
            if let Some(reason) = self.stopped() {
                if self.engine.followed().is_everything_in_all_ways() && !self.engine.is_stopped() {
                    return Err(Restart::FollowingLess);
                }
                self.reasons.add(reason);
                break;
            }
            self.paths += 1;
            self.engine.begin(Activity::Path(self.paths));
            let path = self.execute(constraint.conditions()).map_err(|restart| self.engine.instead_of(restart))?;
            tracing::info!(path = self.paths, waiting = self.worklist.len(), schedules = self.found.len(), "path");
            self.engine.begin(Activity::Slicing(self.paths));
            if engine::is_feasible(&path) {
                self.take(path, &constraint, end);
            } else {
                self.exclude(&path, &constraint);
            }
            self.progress.path(self.paths, self.worklist.len(), self.found.len());
            if let Some(wanted) = self.wanted {
                return Err(self.engine.instead_of(Restart::Replacing(vec![wanted])));
            }
            if self.follows_less || self.engine.has_many_ways(self.paths, self.cut.is_empty()) {
                return Err(Restart::FollowingLess);
            }
            if self.has_too_many_objects() {
                return Err(Restart::Conservatively);
            }
            if let Some(wanted) = self.code_of_many_paths() {
                return Err(self.engine.instead_of(Restart::Replacing(vec![wanted])));
            }
        }
        Ok(())
    }

    /// Executes a path. It begins anew where the solver gives up, and goes on there if nothing can be done about it.
    fn execute(&mut self, constraint: &[Term]) -> Result<Path, Restart> {
        let mut decided = self.options.abstraction;
        loop {
            let path = self.engine.execute(self.statics, constraint, decided);
            if let Some(wanted) = self.engine.take_wanted() {
                return Err(wanted);
            }
            let given_up = self.engine.given_up(&path);
            if !decided || given_up.is_empty() || self.engine.is_stopped() {
                return Ok(path);
            }
            // What a loop is left with is easier to reason about than what it has done.
            let wanted = Wanted { last_resort: true, activations: 2 };
            let innermost_first = |stack: &CallStack| stack.0.iter().rev().copied().collect::<Vec<_>>();
            if let Some(found) = given_up.iter().find_map(|stack| self.quiet_code(wanted, &innermost_first(stack))) {
                return Err(Restart::Replacing(vec![found]));
            }
            decided = self.engine.go_on_at(given_up);
        }
    }

    /// Which epochs follow, with what holds there.
    pub(crate) fn successors(&mut self) -> Successors {
        std::mem::take(&mut self.successors)
    }

    /// How much work it was so far.
    pub(crate) fn work(&self) -> Work {
        let mut solver = self.engine.solver_statistics();
        solver.add(&self.behind);
        Work { paths: self.paths, instructions: self.engine.instructions(), solver }
    }

    /// Whether a limit of the whole run may have had a part in what was found so far.
    pub(crate) fn is_cut(&self) -> bool {
        self.engine.is_stopped() || self.reasons.has_limit_of_run()
    }

    /// Whether there are so many schedules that it is better to leave open which objects they synchronise on.
    fn has_too_many_objects(&self) -> bool {
        let SearchOptions { conservative, conservative_after: most, .. } = *self.options;
        let many = self.found.len() > most || self.paths > PATHS_PER_SCHEDULE * most as u64;
        conservative && self.chose_objects && many && self.engine.decides_objects()
    }

    /// Where most conditions were decided, if most paths lead to schedules that were known: what a loop without synchronisation has
    /// computed matters for them, but not how.
    fn code_of_many_paths(&self) -> Option<Replaceable> {
        let many = self.paths >= MANY_PATHS.max(MANY_PATHS_PER_SCHEDULE * self.found.len() as u64);
        let most = || self.decided_in.iter().max_by_key(|(at, n)| (**n, Reverse(**at))).map(|(&at, _)| at);
        if many { most() } else { None }
    }

    /// Notes where the conditions of a path were decided.
    fn note_decided(&mut self, decisions: &[SliceDecision]) {
        for decision in decisions.iter().filter(|_| self.options.abstraction) {
            if let Some(at) = self.quiet_code(Wanted { last_resort: false, activations: 1 }, &[decision.point]) {
                *self.decided_in.entry(at).or_default() += 1;
            }
        }
    }

    /// A limit that ends the search, as a reason.
    fn stopped(&self) -> Option<Reason> {
        if self.paths >= self.options.max_paths as u64 {
            let message = format!(
                "{} paths were executed and inputs remain uncovered; more with --max-paths",
                self.options.max_paths
            );
            return Some(Reason { kind: IncompleteKind::Limit, message, at: None });
        }
        self.engine.stop_reason()
    }

    fn cover(&mut self, precondition: Term) {
        let outside = self.engine.pool().not(precondition);
        if !self.uncovered.contains(&outside) {
            self.uncovered.push(outside);
        }
    }

    fn is_covered(&mut self, constraint: &Conjunction) -> bool {
        let term = self.engine.pool().and_all(constraint.conditions());
        match self.engine.check_growing(&self.uncovered, term) {
            Answer::Unsat => true,
            // Undecided counts as uncovered: it is explored, and whether it was feasible is asked again there.
            Answer::Sat | Answer::Unknown(_) => false,
        }
    }

    /// No input follows this path to its end (a bound of an input excludes it), so nothing need cover it.
    fn exclude(&mut self, path: &Path, constraint: &Conjunction) {
        let decisions = every_decision(self.statics, &path.trace);
        let conditions: Vec<Term> = decisions.iter().map(|d| d.condition).collect();
        let term = self.engine.pool().and_all(&conditions);
        // From the entry on, all states that are excluded are so by a condition that the path itself takes for granted. What something that is
        // replaced has left is as little known as the state at the beginning of another epoch.
        let knows_all = self.engine.is_entry() && path.state.path.forgotten().is_empty();
        let by_bound = path.decisions.last().is_some_and(|(site, decision)| {
            site.kind == DecisionKind::Assume && (!knows_all || decision.other != OtherSide::Feasible)
        });
        let excluded = if self.engine.is_entry() {
            self.engine.check(constraint.conditions(), term)
        } else {
            // What is known of the state counts, too.
            self.engine.check(path.state.path.constraints(), term)
        };
        if !by_bound && excluded == Answer::Sat {
            let message = "a path was given up as impossible although inputs may follow it".to_owned();
            let stack = self.engine.current_stack(&path.state);
            let at = Some(graph::place(self.program(), &stack));
            self.reasons.add(Reason { kind: IncompleteKind::UnresolvedPointer, message, at });
        }
        let ways_out = self.ways_out(path);
        for (_, fact) in assumed(self.engine.pool(), path, &ways_out, constraint) {
            self.engine.learn(fact);
        }
        // Nothing is said of inputs that the path was not executed under.
        let all: Vec<Term> = constraint.conditions().iter().copied().chain([term]).collect();
        let term = self.engine.pool().and_all(&all);
        self.cover(term);
        self.expand(path, &decisions, &ways_out, constraint);
    }

    fn take(&mut self, mut path: Path, constraint: &Conjunction, end: &mut dyn FnMut(PathEnding, Questions)) {
        self.chose_objects |= path
            .decisions
            .iter()
            .any(|(site, decision)| site.kind == DecisionKind::SyncAddress && decision.other != OtherSide::Infeasible);
        let objects = Objects::of(&path.state.heap).with_initial(self.engine.initial_objects(&path.state));
        let mut prepared = Prepared::default();
        let mut ways_out = FxHashSet::default();
        let slice = if self.options.slicing {
            let ends = self.engine.abnormal_ends(&path);
            let keep_exits = claims_something(&path.end);
            prepared = Prepared::new(self.statics, &objects, &path.trace);
            if self.engine.goes_on_behind_errors() {
                let used_freed = path.errors.iter().any(|error| error.happened && error.kind.is_of_freed());
                prepared.go_on_behind_errors(&path.trace, used_freed);
            }
            let trace = Sliceable { objects: &objects, trace: &path.trace, prepared: &prepared };
            ways_out = trace.ways_out(self.statics, &mut self.caches);
            trace.slice(self.statics, &mut self.caches, &ends, keep_exits)
        } else {
            Slice { decisions: every_decision(self.statics, &path.trace), ..Slice::default() }
        };
        for &SliceDecision { point, condition, .. } in &slice.decisions {
            let function = &self.program().functions[point.func].name;
            let at = || graph::place(self.program(), &CallStack(vec![point]));
            tracing::debug!(at = at(), function, condition = self.engine.in_words(condition), "in the slice");
        }
        let slice = self.without_known(&path, slice, &ways_out, constraint);
        self.note_decided(&slice.decisions);
        if followed::is_given_up(self.engine, &path, &slice.decisions) {
            self.follows_less = true;
            return;
        }
        let conditions: Vec<Term> = slice.decisions.iter().map(|d| d.condition).collect();
        let precondition = Conjunction::new(conditions);
        let term = self.engine.pool().and_all(precondition.conditions());
        self.cover(term);
        // Some activation, in a state that nobody knows: what it does is found only as far as it is not supported.
        let looks = path.state.looks_into_call();
        self.relied.add(self.statics, &path, &slice);
        let is_told = !looks && !self.goes_on_where_nobody_comes(&path);
        let after_error = if is_told { self.note_errors(&path) } else { None };
        self.note_doubted_loops(&path, &slice);
        let stack = self.engine.current_stack(&path.state);
        self.reasons.add_path(self.program(), &path, &slice.decisions, &stack);
        let early = self.early_exits(&path, &slice);
        self.expand(&path, &slice.decisions, &ways_out, constraint);
        if self.wanted.is_some() {
            // The epoch is searched again.
            return;
        }
        if !is_told || self.is_taken_not_to_happen(&path, &slice) {
            return;
        }
        let ends = self.told_end(&path, (&objects, &prepared), &slice);
        if matches!(ends, ScheduleEnd::Limit) {
            return;
        }
        self.max_live_threads =
            self.max_live_threads.max(graph::max_live_threads(&path.state, self.engine.initial_threads()));
        let graph = match graph::happens_before(self.program(), &path.state) {
            Ok(graph) => graph,
            Err(error) => {
                self.reasons.add(Reason { kind: IncompleteKind::Unsupported, message: error.to_string(), at: None });
                return;
            }
        };
        if path.end == PathEnd::Epoch {
            self.ends_epoch(&mut path, (objects, prepared), slice, precondition.clone(), end);
        }
        let is_open = self.is_error_open(&path);
        let told = SchedulePath {
            state: &path.state,
            precondition: &precondition,
            early_exits: &early,
            graph: &graph,
            ends: &ends,
        };
        self.progress.schedule(&told);
        let id = ScheduleId::of(&graph, &ends);
        let steps = tree::steps(self.statics.program, self.engine.domain(), &path.state, &precondition);
        if let Some(found) = self.found.get_mut(&id) {
            found.schedule.0.add_places(&graph);
            found.schedule.1.is_also(&ends);
        }
        // A graph may have millions of nodes: it is not copied.
        let found = self.found.entry(id).or_insert_with(|| Found {
            schedule: (graph, ends),
            covers: Disjunction::default(),
            early_exits: Disjunction::default(),
            failures: Disjunction::default(),
            alone: true,
            paths: Vec::new(),
            is_open: true,
            after_error,
        });
        found.is_open &= is_open;
        found.after_error = found.after_error.zip(after_error).map(|(a, b)| a.min(b));
        found.alone &= path.state.live_threads().count() <= 1;
        if !found.paths.contains(&steps) {
            found.paths.push(steps);
        }
        found.covers.add(precondition);
        early.into_iter().for_each(|conjunction| found.early_exits.add(conjunction));
    }

    /// Whether a path ends with an error that is one for some of what a replaced loop may leave, be it the condition that is not met or a
    /// value that was chosen among others on the way.
    fn is_error_open(&self, path: &Path) -> bool {
        let PathEnd::Error(_) = path.end else { return false };
        let last = path.decisions.last().filter(|(site, decision)| site.kind.is_of_error() && !decision.taken);
        let chosen = path.decisions.iter().filter(|(site, decision)| site.kind.chooses_value() && decision.taken);
        let mut conditions = last.into_iter().chain(chosen).map(|(_, decision)| decision.condition);
        conditions.any(|condition| self.engine.domain().is_left_by_loop(condition))
    }

    /// A path has come to the next epoch: what it leaves behind is told to `end`, with its trace.
    fn ends_epoch(
        &mut self,
        path: &mut Path,
        (objects, prepared): (Objects, Prepared),
        slice: Slice,
        precondition: Conjunction,
        end: &mut dyn FnMut(PathEnding, Questions),
    ) {
        let next = graph::epoch(self.engine.code(), &path.state);
        let all_live = path.state.live_threads().count() == path.state.threads.len();
        let none_ended = self.none_ended && all_live;
        let Some(analyses) = self.analyses else {
            let holds = EpochFacts { none_ended, ..EpochFacts::default() };
            add_successor(&mut self.successors, next, holds, self.options.symbolic_threads);
            return;
        };
        let threads = self.engine.code().threads_in_order(&path.state);
        let with_exits = self.with_exits(path, &objects, &prepared);
        let not_elsewhere = self.not_elsewhere(path, &slice, &with_exits);
        let left = self.engine.left(&path.state, &threads, analyses);
        let ending = PathEnding {
            next,
            none_ended,
            sums: behind::sums(self.engine, path, &left),
            left,
            points: carried::points(&path.state, self.engine.code()),
            trace: std::mem::take(&mut path.trace),
            objects,
            prepared,
            precondition,
            exits: slice.exits,
            with_exits,
            not_elsewhere,
        };
        end(ending, self.engine.questions());
    }

    /// The slice without what always holds: what is known of the state at the beginning, or follows from that and the conditions before it.
    fn without_known(
        &mut self,
        path: &Path,
        mut slice: Slice,
        ways_out: &FxHashSet<usize>,
        explored: &Conjunction,
    ) -> Slice {
        for (_, fact) in assumed(self.engine.pool(), path, ways_out, explored) {
            tracing::debug!(fact = self.engine.in_words(fact), "taken for granted");
            self.engine.learn(fact);
        }
        if self.engine.is_entry() {
            return slice;
        }
        let mut before = Vec::new();
        slice.decisions.retain(|decision| {
            let TraceEvent::Decision { decision: taken, .. } = &path.trace.events[decision.event] else { return true };
            if taken.other == OtherSide::Infeasible && !self.engine.is_late() {
                let other = self.engine.pool().not(decision.condition);
                if self.engine.check_behind(&before, other) == Answer::Unsat {
                    return false;
                }
            }
            before.push(decision.condition);
            true
        });
        slice
    }

    /// The inputs that leave the path early by ending the process; they count as covered.
    ///
    /// The exit's own condition is in terms of what every decision before it led to. So all of them are conditions, and
    /// an exit behind one that is neither in the slice nor an exit itself is left to be found by a path of its own.
    fn early_exits(&mut self, path: &Path, slice: &Slice) -> Vec<Conjunction> {
        if slice.early_exits.is_empty() {
            return Vec::new();
        }
        let known: FxHashSet<usize> = slice.decisions.iter().chain(&slice.early_exits).map(|d| d.event).collect();
        let decisions = every_decision(self.statics, &path.trace);
        let exits: FxHashSet<usize> = slice.early_exits.iter().map(|d| d.event).collect();
        let (mut all, mut before, mut asked) = (Vec::new(), Vec::new(), FxHashSet::default());
        for decision in decisions.iter().take_while(|d| known.contains(&d.event)) {
            if !asked.insert(decision.condition) {
                // Asked before and answered the same: no input leaves here.
                continue;
            }
            if exits.contains(&decision.event) {
                let other_side = self.engine.pool().not(decision.condition);
                let conjunction = Conjunction::new(before.iter().copied().chain([other_side]).collect());
                let term = self.engine.pool().and_all(conjunction.conditions());
                self.cover(term);
                self.look_at_exit(decision.point, &conjunction);
                all.push(conjunction);
                if all.len() == MAX_EARLY_EXITS {
                    break;
                }
            }
            before.push(decision.condition);
        }
        all
    }

    /// Queues the inputs on the other side of each condition (lines 21 to 28 of figure 3.4). Together with what the
    /// path covers they are all inputs of `explored`, the constraint that the path was executed under.
    fn expand(&mut self, path: &Path, slice: &[SliceDecision], ways_out: &FxHashSet<usize>, explored: &Conjunction) {
        let mut prefix: Vec<Term> = explored.conditions().to_vec();
        let mut known: FxHashSet<Term> = prefix.iter().copied().collect();
        let facts = assumed(self.engine.pool(), path, ways_out, explored);
        let mut facts = facts.into_iter().peekable();
        for decision in slice {
            while let Some((_, fact)) = facts.next_if(|(event, _)| *event < decision.event) {
                prefix.push(fact);
            }
            if !known.insert(decision.condition) {
                continue;
            }
            let negated = self.engine.pool().not(decision.condition);
            let constraint = Conjunction::new(prefix.iter().copied().chain([negated]).collect());
            // The other side is one path: it ends where the call would return.
            let is_look = matches!(&path.trace.events[decision.event], TraceEvent::Decision { decision, .. }
                if decision.kind == DecisionKind::PassesCall);
            if is_look {
                self.worklist.push_back(constraint);
                prefix.push(decision.condition);
                continue;
            }
            if self.options.abstraction && decision.repeat >= self.options.abstract_after {
                self.wanted = self.wanted.or_else(|| self.code_to_replace(path, decision));
            }
            if decision.repeat >= self.options.loop_bound {
                self.cut.push((constraint, self.turning_point(path, decision)));
            } else {
                self.worklist.push_back(constraint);
            }
            prefix.push(decision.condition);
        }
    }

    /// The innermost loop or recursion around a decision that does not synchronise and was not replaced.
    fn code_to_replace(&self, path: &Path, decision: &SliceDecision) -> Option<Replaceable> {
        let calls = call_path(&path.trace, decision.frame);
        let last_resort = decision.repeat >= self.options.loop_bound;
        let activations = if last_resort { 1 } else { self.options.abstract_after as usize + 1 };
        let points: Vec<ProgramPoint> = std::iter::once(decision.point).chain(calls.iter().copied()).collect();
        self.quiet_code(Wanted { last_resort, activations }, &points)
    }

    fn quiet_code(&self, wanted: Wanted, points: &[ProgramPoint]) -> Option<Replaceable> {
        quiet_code(self.statics, |of| self.engine.replaces(*of), wanted, points)
    }

    /// Where a decision that is made again and again goes round: in its own loop, or in that of a caller.
    fn turning_point(&self, path: &Path, decision: &SliceDecision) -> ProgramPoint {
        let control = self.statics.control;
        let calls = call_path(&path.trace, decision.frame);
        let mut points = std::iter::once(decision.point).chain(calls.iter().copied());
        let goes_round = |p: &ProgramPoint| {
            control.calls.is_recursive(p.func) || control.function(p.func).loops.innermost(p.block).is_some()
        };
        points.find(goes_round).unwrap_or(decision.point)
    }

    /// Loops that were cut while inputs behind the cut remain uncovered.
    fn report_cut(&mut self) {
        let mut reported = FxHashSet::default();
        for (constraint, point) in std::mem::take(&mut self.cut) {
            // Without time to ask, the inputs behind the cut count as uncovered.
            let covered = |search: &mut Self| !search.engine.is_stopped() && search.is_covered(&constraint);
            if reported.contains(&point) || covered(self) {
                continue;
            }
            reported.insert(point);
            self.reasons.add_loop(self.statics, point, self.options.loop_bound);
        }
    }

    /// What was found, for others.
    pub(crate) fn finish(&mut self, id: EpochId, contexts: Vec<icsched_schedule::ThreadContext>) -> EpochResult {
        self.report_cut();
        self.check_cover();
        if self.options.prefixes {
            self.drop_prefixes();
        }
        let (mut early, none) = (Disjunction::default(), Disjunction::default());
        for found in self.found.values_mut() {
            early.add_all(&found.early_exits);
            early.add_all(&found.failures);
            // Who ends the process on the way may do so with another status.
            if let ScheduleEnd::Exit { status } = &mut found.schedule.1 {
                *status = status.filter(|_| found.early_exits.disjuncts().is_empty());
            }
        }
        let behind: FxHashMap<ScheduleId, Option<usize>> =
            self.found.iter().map(|(&id, found)| (id, found.after_error)).collect();
        let (mut tree, conditions) = match if self.options.trees { self.tree() } else { Err(Flat::Known) } {
            Ok(found) => found,
            Err(why) => {
                if why != Flat::Known {
                    tracing::info!(epoch = %id.key(), ?why, "what becomes known later counts as known at the start");
                }
                self.flat()
            }
        };
        tree.set_after_errors(|schedule| behind.get(&schedule.id).copied().flatten());
        let early_exits = self.early_exits_beside(&early, &conditions);
        if conditions.is_empty() && early_exits.is_none() {
            self.reasons.add_nothing_found();
        }
        let mut errors = Vec::new();
        for ((message, at, is_open), when) in std::mem::take(&mut self.errors) {
            let condition = self.condition(when, &none);
            errors.push(PossibleError { message, at, constraint: self.engine.describe(condition), is_open });
        }
        let parts = tree.parts().into_iter().map(|(_, schedule)| &schedule.constraint);
        let told: Vec<&str> =
            parts.chain(&early_exits).chain(errors.iter().map(|e| &e.constraint)).map(|told| &*told.c).collect();
        let inputs = self.engine.inputs(&contexts, |name| told.iter().any(|text| NamedInput::is_in(name, text)));
        EpochResult {
            id,
            contexts,
            tree,
            early_exits,
            reasons: std::mem::take(&mut self.reasons).into_sorted(),
            errors,
            inputs,
            infeasible_removed: 0,
            max_live_threads: self.max_live_threads,
            assumed: self.relied.assumed(self.statics, self.analyses.map(|a| a.termination)),
        }
    }

    /// A disjunction as the shortest condition that was found for it; it may include inputs of `anyway`.
    fn condition(&mut self, mut covers: Disjunction, anyway: &Disjunction) -> Term {
        let pool = self.engine.pool();
        let core = covers.term(pool);
        let extra = anyway.term(pool);
        let allowed = pool.or_all(&[core, extra]);
        let elsewhere = pool.not(extra);
        let needed = pool.and_all(&[core, elsewhere]);
        if self.engine.is_stopped() {
            // No time to make it readable; it is right as it is.
            return core;
        }
        let outside = self.engine.pool().not(allowed);
        let always = self.engine.check(&[], outside) == Answer::Unsat;
        let limits = self.engine.limits().clone();
        let (pool, solver) = self.engine.pool_and_solver();
        if always {
            pool.bool(true)
        } else if pool.has_float(allowed) {
            core // No solver can say what of it is needed.
        } else if let Some(term) = readable(pool, solver, &[core, needed], allowed) {
            term
        } else {
            covers.simplify((pool, solver), anyway, &|| limits.is_over());
            covers.term(pool)
        }
    }

    /// A schedule that ends with the process is not needed if a longer one begins with it (prefix schedules, 3.4.1.1):
    /// when its inputs can follow the longer one, or when no other thread is alive at its end that could tell the two
    /// apart, or when it ends with an error of which nobody knows whether an input causes it. Its inputs then end the longer one early.
    fn drop_prefixes(&mut self) {
        let ids: Vec<ScheduleId> = self.found.keys().copied().collect();
        for short in ids {
            let Found { schedule: (graph, ends), covers, early_exits, failures, alone, is_open, .. } =
                &self.found[&short];
            if !self.may_be_prefix(ends) {
                continue;
            }
            let fails = matches!(ends, ScheduleEnd::Abort { .. });
            let (graph, ends, covers, exits) = (graph.clone(), ends.clone(), covers.clone(), early_exits.clone());
            let (alone, is_open, failures) = (*alone, *is_open, failures.clone());
            let longer: Vec<ScheduleId> = self
                .found
                .iter()
                .filter(|(_, f)| !f.schedule.0.is_same(&graph) && graph.is_prefix_of(&f.schedule.0))
                .map(|(id, _)| *id)
                .collect();
            for long in longer {
                if alone || is_open || self.implies(&covers, long) {
                    if let ScheduleEnd::MemoryError { message, at } = self.found[&short].schedule.1.clone() {
                        self.errors.entry((message, at, is_open)).or_default().add_all(&covers);
                    }
                    let found = self.found.get_mut(&long).expect("just listed");
                    found.schedule.0.add_places(&graph);
                    if !matches!(ends, ScheduleEnd::MemoryError { .. }) {
                        found.schedule.1.is_also(&ends);
                    }
                    found.early_exits.add_all(&exits);
                    found.failures.add_all(&failures);
                    if alone || is_open {
                        let ways_out = if fails { &mut found.failures } else { &mut found.early_exits };
                        ways_out.add_all(&covers);
                    }
                    self.found.shift_remove(&short);
                    break;
                }
            }
        }
    }

    fn implies(&mut self, covers: &Disjunction, schedule: ScheduleId) -> bool {
        if self.engine.is_late() {
            return false;
        }
        let inputs = covers.term(self.engine.pool());
        let other = self.found[&schedule].covers.term(self.engine.pool());
        let outside = self.engine.pool().not(other);
        self.engine.check(&[inputs], outside) == Answer::Unsat
    }
}
