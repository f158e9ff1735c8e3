//! The state of the search of one epoch: what was found, what remains to be explored, what is asked of the solver.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use icsched_epochs::summarisable::{Helps, Summarisable};
use icsched_epochs::{Analyses, SearchOptions, Statics};
use icsched_ir::{Program, ProgramPoint};
use icsched_schedule::{IncompleteKind, Reason, ScheduleEnd, ScheduleId};
use icsched_slicing::Caches;
use icsched_smt::{Answer, SolverStatistics, Term};
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};

use super::loops_relied_on::Relied;
use crate::answer::Work;
use crate::constraint::{Conjunction, Disjunction};
use crate::engine::Engine;
use crate::next_summary::{Wanted, innermost_summarisable};
use crate::progress::Progress;
use crate::reasons::Reasons;
use crate::slots::Slots;
use crate::successors::Successors;
use crate::tree::PathSteps;

/// A schedule under construction.
pub(super) struct Found {
    pub(super) schedule: (icsched_schedule::HappensBefore, ScheduleEnd),
    pub(super) covers: Disjunction,
    /// Inputs that follow the schedule until they end the process. They need no schedule of their own.
    pub(super) early_exits: Disjunction,
    /// Inputs that abort on the way: they need no schedule of their own, either, but how this one ends is not told of
    /// them.
    pub(super) failures: Disjunction,
    /// Whether one thread is alive at its end, on all paths.
    pub(super) alone: bool,
    /// The conditions of each path by when they are known; none where that is not known.
    pub(super) paths: Vec<Option<PathSteps>>,
    /// Whether what summarised loops have left decides that it ends with an error, on all paths.
    pub(super) is_open: bool,
    /// The error behind which all of its paths come to its end, by its place among the errors; the first one of a path.
    pub(super) after_error: Option<usize>,
}

/// The search of one epoch.
pub(crate) struct Search<'s, 'p> {
    pub(super) statics: &'s Statics<'p>,
    pub(super) analyses: Option<&'s Analyses<'p>>,
    pub(super) engine: &'s mut Engine,
    pub(super) options: &'s SearchOptions,
    pub(super) progress: &'s mut dyn Progress,
    pub(super) caches: Caches,
    pub(super) found: IndexMap<ScheduleId, Found>,
    /// Negated preconditions of all paths so far, also of those that ended in nothing that could be scheduled.
    pub(super) uncovered: Vec<Term>,
    pub(super) worklist: VecDeque<Conjunction>,
    /// Constraints that the loop bound kept from being explored.
    pub(super) cut: Vec<(Conjunction, ProgramPoint)>,
    pub(super) reasons: Reasons,
    pub(super) errors: IndexMap<(String, String, bool), Disjunction>,
    pub(super) relied: Relied,
    pub(super) max_live_threads: u32,
    pub(super) paths: u64,
    pub(super) none_ended: bool,
    pub(super) successors: Successors,
    pub(super) lost: BTreeMap<Summarisable, Helps>,
    /// What the solvers had to do that were asked about the ends of paths.
    pub(super) behind: SolverStatistics,
    pub(super) slots: Arc<Slots>,
    /// Branches behind which the process ends that were looked at.
    pub(super) exits_seen: FxHashSet<ProgramPoint>,
    /// Sides of branches that were executed, or [looked at](Self::look_beside), where that is wanted.
    pub(super) sides_seen: FxHashSet<(ProgramPoint, bool)>,
    /// How often others were asked for.
    pub(super) sides_tried: FxHashMap<(ProgramPoint, bool), u32>,
    /// What was found by executing the other sides of decisions that only exits depend on, by their constraints.
    pub(super) aside: FxHashMap<Vec<Term>, Option<Term>>,
    pub(super) wanted: Option<Summarisable>,
    /// Whether something was followed that had better not be.
    pub(super) follows_less: bool,
    /// Whether inputs have chosen what some path synchronises on.
    pub(super) chose_objects: bool,
    /// How many conditions of paths were decided in loops that do not synchronise, by the loop.
    pub(super) decided_in: BTreeMap<Summarisable, u64>,
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
            sides_seen: FxHashSet::default(),
            sides_tried: FxHashMap::default(),
            aside: FxHashMap::default(),
            wanted: None,
            follows_less: false,
            chose_objects: false,
            decided_in: BTreeMap::new(),
        }
    }

    pub(super) fn program(&self) -> &'p Program {
        self.statics.program
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

    /// A limit that ends the search, as a reason.
    pub(super) fn stopped(&self) -> Option<Reason> {
        if self.paths >= self.options.max_paths as u64 {
            let message = format!(
                "{} paths were executed and inputs remain uncovered; more with --max-paths",
                self.options.max_paths
            );
            return Some(Reason { kind: IncompleteKind::Limit, message, at: None });
        }
        self.engine.stop_reason()
    }

    pub(super) fn cover(&mut self, precondition: Term) {
        let outside = self.engine.pool().not(precondition);
        if !self.uncovered.contains(&outside) {
            self.uncovered.push(outside);
        }
    }

    pub(super) fn is_covered(&mut self, constraint: &Conjunction) -> bool {
        let term = self.engine.pool().and_all(constraint.conditions());
        match self.engine.check_growing(&self.uncovered, term) {
            Answer::Unsat => true,
            // Undecided counts as uncovered: it is explored, and whether it was feasible is asked again there.
            Answer::Sat | Answer::Unknown(_) => false,
        }
    }

    /// The innermost loop or recursion around these points that does not synchronise and is not summarised yet.
    pub(super) fn innermost_summarisable(&self, wanted: Wanted, points: &[ProgramPoint]) -> Option<Summarisable> {
        innermost_summarisable(self.statics, |of| self.engine.summarises(*of), wanted, points)
    }
}
