//! From a finished path to a schedule, stage by stage.

use icsched_epochs::{EpochFacts, graph};
use icsched_ir::CallStack;
use icsched_machine::{DecisionKind, PathEnd};
use icsched_schedule::{HappensBefore, IncompleteKind, Reason, ScheduleEnd, ScheduleId};
use icsched_slicing::objects::Objects;
use icsched_slicing::{Prepared, Slice, SliceDecision, Sliceable, every_decision};
use icsched_smt::{Answer, Term};
use icsched_symbolic::trace::{OtherSide, TraceEvent};
use rustc_hash::FxHashSet;

use super::assumptions::assumed;
use super::end_facts::{self, PathEnding};
use super::end_kinds::claims_something;
use super::state::{Found, Search};
use crate::constraint::{Conjunction, Disjunction};
use crate::engine::{Engine, Path};
use crate::next_summary::Wanted;
use crate::progress::SchedulePath;
use crate::questions::Questions;
use crate::successors::add_successor;
use crate::tree;
use crate::valid_facts;

/// Receives what paths leave for the next epoch, with what the solver is to be asked about it.
pub(super) type TellEnding<'e> = &'e mut dyn FnMut(PathEnding, Questions);

/// What slicing says of a path.
struct Sliced {
    objects: Objects,
    prepared: Prepared,
    /// The decisions by which the path has left summarised loops, and nobody else could do otherwise.
    ways_out: FxHashSet<usize>,
    slice: Slice,
}

/// A path that has a schedule.
struct Scheduled {
    precondition: Conjunction,
    /// Inputs that follow the schedule until they end the process.
    early_exits: Vec<Conjunction>,
    graph: HappensBefore,
    ends: ScheduleEnd,
    /// The error behind which the path comes to its end, by its place among the errors.
    after_error: Option<usize>,
}

impl Search<'_, '_> {
    /// Makes a schedule of a path that was executed under the constraint `explored`, if it has one of its own.
    pub(super) fn take(&mut self, path: Path, explored: &Conjunction, end: TellEnding<'_>) {
        // Who stops at a stage has said why, or has asked for another search.
        let _ = self.stages(path, explored, end);
    }

    /// The stages; `None` from the one on behind which the path has no schedule.
    fn stages(&mut self, mut path: Path, explored: &Conjunction, end: TellEnding<'_>) -> Option<()> {
        self.note_chosen_objects(&path);
        let mut sliced = self.sliced(&path);
        self.log_slice(&sliced.slice);
        sliced.slice = self.without_known(&path, sliced.slice, &sliced.ways_out, explored);
        self.note_decided(&sliced.slice.decisions);
        self.keeps_following(&path, &sliced.slice)?;
        let precondition = self.covered_precondition(&sliced.slice);
        let (is_told, after_error) = self.note_findings(&path, &sliced.slice);
        let early_exits = self.early_exits(&path, &sliced.slice);
        self.look_beside(&path, &sliced.slice);
        self.expand(&path, &sliced.slice.decisions, &sliced.ways_out, explored);
        self.needs_no_restart()?;
        let ends = self.end_to_tell(&path, &sliced, is_told)?;
        let graph = self.happens_before(&path)?;
        if path.end == PathEnd::Epoch {
            self.ends_epoch(&mut path, sliced, precondition.clone(), end);
        }
        self.add_to_found(&path, Scheduled { precondition, early_exits, graph, ends, after_error });
        Some(())
    }

    /// Notes whether inputs have chosen what the path synchronises on.
    fn note_chosen_objects(&mut self, path: &Path) {
        self.chose_objects |= path
            .decisions
            .iter()
            .any(|(site, decision)| site.kind == DecisionKind::SyncAddress && decision.other != OtherSide::Infeasible);
    }

    /// The precondition slice of a path; every decision where slicing is off.
    fn sliced(&mut self, path: &Path) -> Sliced {
        let objects = Objects::of(&path.state.heap).with_initial(self.engine.initial_objects(&path.state));
        if !self.options.slicing {
            let slice = Slice { decisions: every_decision(self.statics, &path.trace), ..Slice::default() };
            return Sliced { objects, prepared: Prepared::default(), ways_out: FxHashSet::default(), slice };
        }
        let ends = self.engine.abnormal_ends(path);
        let keep_exits = claims_something(&path.end);
        let mut prepared = Prepared::new(self.statics, &objects, &path.trace);
        if self.engine.goes_on_behind_errors() {
            let used_freed = path.errors.iter().any(|error| error.happened && error.kind.is_of_freed());
            prepared.go_on_behind_errors(&path.trace, used_freed);
        }
        let trace = Sliceable { objects: &objects, trace: &path.trace, prepared: &prepared };
        let ways_out = trace.ways_out(self.statics, &mut self.caches);
        let slice = trace.slice(self.statics, &mut self.caches, &ends, keep_exits);
        Sliced { objects, prepared, ways_out, slice }
    }

    fn log_slice(&self, slice: &Slice) {
        for &SliceDecision { point, condition, .. } in &slice.decisions {
            let function = &self.program().functions[point.func].name;
            let at = || graph::place(self.program(), &CallStack(vec![point]));
            tracing::debug!(at = at(), function, condition = self.engine.in_words(condition), "in the slice");
        }
    }

    /// The slice without what always holds: what is known of the state at the beginning, or follows from that and the
    /// conditions before it.
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

    /// Notes where the conditions of a path were decided.
    fn note_decided(&mut self, decisions: &[SliceDecision]) {
        for decision in decisions.iter().filter(|_| self.options.abstraction) {
            if let Some(at) =
                self.innermost_summarisable(Wanted { last_resort: false, activations: 1 }, &[decision.point])
            {
                *self.decided_in.entry(at).or_default() += 1;
            }
        }
    }

    /// Whether markers are passed as before; else the epoch is searched again, with fewer of them passed.
    fn keeps_following(&mut self, path: &Path, slice: &Slice) -> Option<()> {
        self.follows_less |= is_given_up(self.engine, path, &slice.decisions);
        (!self.follows_less).then_some(())
    }

    /// The precondition of a path, which counts as covered from here on.
    fn covered_precondition(&mut self, slice: &Slice) -> Conjunction {
        let conditions: Vec<Term> = slice.decisions.iter().map(|d| d.condition).collect();
        let precondition = Conjunction::new(conditions);
        let term = self.engine.pool().and_all(precondition.conditions());
        self.cover(term);
        precondition
    }

    /// Notes what a path has found beside a schedule: errors, what it relies on, why it is incomplete. Whether its
    /// end is told, and the error behind which it comes there.
    fn note_findings(&mut self, path: &Path, slice: &Slice) -> (bool, Option<usize>) {
        // Some activation, in a state that nobody knows: what it does is found only as far as it is not supported.
        let looks = path.state.looks_into_call();
        self.relied.add(self.statics, path, slice);
        let is_told = !looks && !self.goes_on_where_nobody_comes(path);
        let after_error = if is_told { self.note_errors(path) } else { None };
        self.note_doubted_loops(path, slice);
        let stack = self.engine.current_stack(&path.state);
        self.reasons.add_path(self.program(), path, &slice.decisions, &stack);
        (is_told, after_error)
    }

    /// Whether the search goes on; else the epoch is searched again with something summarised.
    fn needs_no_restart(&self) -> Option<()> {
        self.wanted.is_none().then_some(())
    }

    /// How a path ends, if that is the end of a schedule.
    fn end_to_tell(&mut self, path: &Path, sliced: &Sliced, is_told: bool) -> Option<ScheduleEnd> {
        let Sliced { objects, prepared, slice, .. } = sliced;
        if !is_told || self.is_taken_not_to_happen(path, slice) {
            return None;
        }
        let ends = self.told_end(path, (objects, prepared), slice);
        (!matches!(ends, ScheduleEnd::Limit)).then_some(ends)
    }

    /// What a path has synchronised. A graph that cannot be made is a reason for incompleteness.
    fn happens_before(&mut self, path: &Path) -> Option<HappensBefore> {
        self.max_live_threads =
            self.max_live_threads.max(graph::max_live_threads(&path.state, self.engine.initial_threads()));
        match graph::happens_before(self.program(), &path.state) {
            Ok(graph) => Some(graph),
            Err(error) => {
                self.reasons.add(Reason { kind: IncompleteKind::Unsupported, message: error.to_string(), at: None });
                None
            }
        }
    }

    /// A path has come to the next epoch: what it leaves behind is told to `end`, with its trace.
    fn ends_epoch(&mut self, path: &mut Path, sliced: Sliced, precondition: Conjunction, end: TellEnding<'_>) {
        let Sliced { objects, prepared, slice, .. } = sliced;
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
        let left = self.engine.left(&path.state, &threads, &analyses.pointers);
        let ending = PathEnding {
            next,
            none_ended,
            sums: end_facts::sums(self.engine, path, &left),
            left,
            points: valid_facts::points(&path.state, self.engine.code()),
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

    /// Tells a schedule, and joins it with those of other paths that have the same graph and end.
    fn add_to_found(&mut self, path: &Path, scheduled: Scheduled) {
        let is_open = self.is_error_open(path);
        let Scheduled { precondition, early_exits: early, graph, ends, after_error } = scheduled;
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

    /// Whether a path ends with an error that is one for some of what a summarised loop may leave, be it the condition
    /// that is not met or a value that was chosen among others on the way.
    fn is_error_open(&self, path: &Path) -> bool {
        let PathEnd::Error(_) = path.end else { return false };
        let last = path.decisions.last().filter(|(site, decision)| site.kind.is_of_error() && !decision.taken);
        let chosen = path.decisions.iter().filter(|(site, decision)| site.kind.chooses_value() && decision.taken);
        let mut conditions = last.into_iter().chain(chosen).map(|(_, decision)| decision.condition);
        conditions.any(|condition| self.engine.domain().is_left_by_loop(condition))
    }
}

/// Whether a path shows that fewer markers had better be passed: it is long, or an input decides something in what is
/// followed. What holds for all inputs is no decision.
fn is_given_up(engine: &mut Engine, path: &Path, slice: &[SliceDecision]) -> bool {
    let (followed, passed) = (engine.followed().clone(), path.state.markers_passed());
    let is_attempt = followed.is_everything_in_all_ways() || engine.has_no_end();
    if !is_attempt && (followed.marked.is_empty() || passed == 0) {
        return false;
    }
    // Another search would end at once.
    if engine.is_stopped() {
        return false;
    }
    // With more markers it may not come to a limit, and what is in front of something unsupported is known.
    let is_cut = match path.end {
        PathEnd::Limit(_) | PathEnd::Unsupported { .. } | PathEnd::Unmodelled { .. } => true,
        PathEnd::Epoch => !followed.markers(engine.limits().undecided).has_room(&path.state),
        _ => false,
    };
    let is_decided = |decision: &SliceDecision| {
        let other = engine.pool().not(decision.condition);
        engine.check(&[], other) != Answer::Unsat
    };
    is_cut || slice.iter().filter(|decision| followed.concerns(decision)).any(is_decided)
}
