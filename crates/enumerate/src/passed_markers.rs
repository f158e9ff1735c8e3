//! Markers that threads pass within an epoch, as long as no input decides how they go on.
//!
//! Where an epoch ends inside of a recursion its stacks are [folded](icsched_machine::folding), and how deep they are
//! is forgotten; where it ends in a loop, what differs from round to round is. For nothing, if all executions go the
//! same way. So an epoch is searched at first as if it had fewer markers. If an input turns out to decide something
//! there, or it takes long, the epoch is searched anew, with more of them. The whole run, and then recursions, are
//! followed a second time, in all the ways that inputs decide: they may be few, as where an input is a size that is
//! at most eight. What has no end is given up after some counts of work, not of time.

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use icsched_epochs::markers::{MarkerKind, Markers};
use icsched_explore::explore;
use icsched_ir::{BlockId, EntityId, FuncId, Origin, Program, ProgramPoint};
use icsched_machine::state::PathLength;
use icsched_machine::step::{FollowedMarkers, Undecided};
use icsched_slicing::SliceDecision;
use icsched_slicing::control::Control;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::budgets::BUDGETS;

/// Which markers threads pass.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
pub(crate) enum Following {
    /// All, in the epoch that the program begins with: if no input matters at all, it has one schedule.
    #[default]
    Everything,
    /// The same, also where inputs decide how the program goes on, if that makes few paths, and these end.
    EverythingInAllWays,
    /// All, where a loop was in front of all markers that is to be summarised.
    EverythingBehindLoops,
    /// Those that are there because functions call, or start, one another.
    Recursions,
    /// The same ones, also where inputs decide how they go on, if that makes few paths.
    Ways,
    /// None.
    Nothing,
}

/// What is followed; nothing by default.
#[derive(Clone, Default, Debug)]
pub(crate) struct Followed {
    /// The functions whose markers are passed.
    pub(crate) marked: Arc<FxHashSet<FuncId>>,
    /// Functions of the program in which no input may decide anything; `None`: in none.
    within: Option<Arc<FxHashSet<FuncId>>>,
    /// How many ways there may be where inputs decide; `None` if they must not.
    ways: Option<Ways>,
    /// Whether the whole program is followed.
    is_everything: bool,
    /// Whether nothing is summarised meanwhile, not even in front of all markers.
    replaces_nothing: bool,
}

/// How much is executed of what inputs decide, in one epoch, at most.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
struct Ways {
    paths: u64,
    /// That threads pass on all of the paths.
    markers: u64,
    /// On all of the paths.
    instructions: u64,
    /// Questions that the solver has no short answer to, on all of the paths.
    solved: u64,
}

/// What was executed of an epoch.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Executed {
    pub(crate) paths: u64,
    /// All of the paths, from where limits count.
    pub(crate) counted: PathLength,
    /// All of the paths up to there.
    pub(crate) undecided: PathLength,
    /// Questions that the solver had no short answer to.
    pub(crate) solved: u64,
    /// Those that were left undecided.
    pub(crate) unknown: u64,
}

impl Followed {
    /// All that has markers. O(markers).
    pub(crate) fn everything(markers: &Markers) -> Self {
        let marked = Arc::new(markers.iter().map(|(point, _)| point.func).collect());
        Self { marked, is_everything: true, ..Self::default() }
    }

    /// Recursions that have markers, those of loops in them included. O(size of the call graph).
    pub(crate) fn recursions(program: &Program, control: &Control, markers: &Markers) -> Self {
        let is_recursive =
            |point: ProgramPoint, kind| kind == MarkerKind::Recursion || control.calls.is_recursive(point.func);
        let marked = markers.iter().filter(|&(point, kind)| is_recursive(point, kind)).map(|(point, _)| point.func);
        let marked: FxHashSet<FuncId> = marked.collect();
        let reached = control.calls.reachable_from(marked.iter().copied());
        let reached = reached.ones().map(FuncId::from_index);
        let within = reached.filter(|&func| program.functions[func].origin == Origin::Program).collect();
        Self { marked: Arc::new(marked), within: Some(Arc::new(within)), ..Self::default() }
    }

    /// The same with inputs that may decide anything.
    pub(crate) fn in_all_ways(&self) -> Self {
        let most = if self.is_everything {
            Ways {
                paths: BUDGETS.whole_run_paths,
                markers: BUDGETS.whole_run_markers,
                instructions: BUDGETS.whole_run_instructions,
                solved: BUDGETS.whole_run_solved,
            }
        } else {
            Ways {
                paths: BUDGETS.recursion_paths,
                markers: BUDGETS.recursion_markers,
                instructions: u64::MAX,
                solved: u64::MAX,
            }
        };
        Self { ways: Some(most).filter(|_| self.is_everything || !self.marked.is_empty()), ..self.clone() }
    }

    /// The same, as long as nothing is to be summarised.
    pub(crate) fn without_replacing(&self) -> Self {
        Self { replaces_nothing: true, ..self.clone() }
    }

    /// The markers that a machine passes.
    pub(crate) fn markers(&self, undecided: Undecided) -> FollowedMarkers {
        let (most, most_instructions) = if self.lets_inputs_decide() {
            (BUDGETS.passed_markers, BUDGETS.passed_instructions_in_one_way)
        } else {
            (BUDGETS.passed_markers, BUDGETS.passed_instructions)
        };
        FollowedMarkers { functions: Arc::clone(&self.marked), most, most_instructions, undecided }
    }

    /// How many questions that the solver has no short answer to one path may ask before it is better not to follow.
    pub(crate) fn most_solved(&self) -> u64 {
        if self.marked.is_empty() { u64::MAX } else { BUDGETS.passed_solved }
    }

    /// Whether limits do not count before an input has decided something.
    pub(crate) fn is_everything(&self) -> bool {
        self.is_everything
    }

    /// Whether a path goes on for long as it is, without anything replaced, until an input has decided something.
    pub(crate) fn goes_on_undecided(&self) -> bool {
        self.is_everything && (self.replaces_nothing || self.ways.is_some())
    }

    /// Whether it is better not to follow what inputs decide, after so much. `undecided`: how long a path may be
    /// before.
    pub(crate) fn are_many_ways(&self, executed: Executed, undecided: Undecided) -> bool {
        self.ways.is_some_and(|most| {
            executed.paths >= most.paths
                || u64::from(executed.counted.markers) >= most.markers
                || executed.counted.instructions >= most.instructions
                || undecided.is_reached(executed.undecided)
                || executed.solved >= most.solved
                || self.is_everything && executed.unknown > 0
        })
    }

    /// Whether inputs may decide how something goes on that is followed.
    pub(crate) fn lets_inputs_decide(&self) -> bool {
        self.ways.is_some()
    }

    /// Whether to follow less before something is summarised, after so many markers: inputs matter then.
    pub(crate) fn ends_before_replacing(&self, passed: u32) -> bool {
        self.is_everything && self.ways.is_none() && (passed > 0 || self.replaces_nothing)
    }

    /// Whether all markers are passed, also where inputs decide.
    pub(crate) fn is_everything_in_all_ways(&self) -> bool {
        self.is_everything && self.ways.is_some()
    }

    /// Whether what a branch on inputs decides is which calls, or other synchronisation, a followed function comes to
    /// next. `passed`: how many markers were passed. O(size of the function).
    pub(crate) fn is_decided_by(&self, control: &Control, branch: ProgramPoint, passed: u32) -> bool {
        if passed == 0 || self.lets_inputs_decide() || !self.marked.contains(&branch.func) {
            return false;
        }
        let facts = control.function(branch.func);
        let join = facts.postdominators.immediate(branch.block);
        let mut seen = FixedBitSet::with_capacity(facts.cfg.block_count());
        let mut work: Vec<BlockId> = facts.cfg.successors(branch.block).to_vec();
        while let Some(block) = work.pop() {
            if Some(block) == join || seen.put(block.index()) {
                continue;
            }
            if facts.may_synchronise.contains(block.index()) {
                return true;
            }
            work.extend_from_slice(facts.cfg.successors(block));
        }
        false
    }

    /// Whether a decision of a slice is in what is followed.
    pub(crate) fn concerns(&self, decision: &SliceDecision) -> bool {
        self.ways.is_none() && self.within.as_ref().is_none_or(|within| within.contains(&decision.point.func))
    }
}

/// What ends a path on which all is followed: it shows that this takes long.
pub(crate) fn limits_in_all_ways(limits: explore::Limits) -> explore::Limits {
    explore::Limits {
        decided: true,
        rounds: BUDGETS.whole_run_questions_of_branch,
        terms: BUDGETS.whole_run_terms,
        long: (BUDGETS.whole_run_long_instructions, BUDGETS.whole_run_long_events),
        solved: BUDGETS.whole_run_solved_on_path,
        ..limits
    }
}

/// Whether a path on which all is followed seems to have no end: how often inputs have decided a branch of it, and
/// how many branches.
pub(crate) fn is_endless(rounds: u32, branches: usize) -> bool {
    rounds >= BUDGETS.whole_run_decisions_of_branch || branches >= BUDGETS.whole_run_branches
}
