//! Markers that threads pass within an epoch, as long as no input decides how they go on.
//!
//! Where an epoch ends inside of a recursion its stacks are [folded](icsched_symex::folding), and how deep they are is forgotten; where it ends in a
//! loop, what differs from round to round is. For nothing, if all executions go the same way. So an epoch is searched at first as if it had
//! fewer markers. If an input turns out to decide something there, or it takes long, the epoch is searched anew, with more of them. The whole run,
//! and then recursions, are followed a second time, in all the ways that inputs decide: they may be few, as where an input is a size that is at
//! most eight. What has no end is given up after some counts of work, not of time.

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use icsched_ir::{BlockId, EntityId, FuncId, Origin, Program, ProgramPoint};
use icsched_smt::Answer;
use icsched_symex::machine::{FollowedMarkers, Undecided};
use icsched_symex::state::PathLength;
use icsched_symex::{PathEnd, explore};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::control::Control;
use crate::engine::{Engine, Path};
use crate::markers::{MarkerKind, Markers};
use crate::slice::SliceDecision;

/// How many markers threads pass on one path, at most, because they are followed, and how many instructions are
/// executed on it. Where all is followed, what comes before the first decision of an input does not count: see
/// [`RunLimits::undecided`](crate::RunLimits::undecided).
const MOST: (u32, u64) = (512, 1 << 22);

/// The same where inputs decide how what is followed goes on: sizes that have no bound soon make paths that are longer.
const MOST_IN_ONE_WAY: (u32, u64) = (512, 1 << 21);

/// How much that may be: of recursions.
const MOST_WAYS: Ways = Ways { paths: 64, markers: 2048, instructions: u64::MAX, solved: u64::MAX };

/// The same where all is followed.
const MOST_WAYS_OF_ALL: Ways = Ways { paths: 32, markers: 1024, instructions: 1 << 18, solved: MOST_SOLVED.1 };

/// How often one branch of one activation may be decided then on a path, and how many of them.
const MOST_DECISIONS: (u32, usize) = (32, 256);

/// How often a path asks about one branch then, also where there is one answer only.
const ASKED: u32 = 64;

/// How many terms a path makes then.
const TERMS: usize = 10_000;

/// How many instructions it executes, and how many events its trace has.
const LONG: (u64, usize) = (1 << 17, 1 << 15);

/// How many questions its solver has no short answer to, on one path and on all of them.
const MOST_SOLVED: (u64, u64) = (3, 16);

/// How many there may be on one path that passes markers, also where no input decides what it goes on with.
const MOST_SOLVED_ON_PATH: u64 = 64;

/// Which markers threads pass.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize)]
pub(crate) enum Following {
    /// All, in the epoch that the program begins with: if no input matters at all, it has one schedule.
    #[default]
    Everything,
    /// The same, also where inputs decide how the program goes on, if that makes few paths, and these end.
    EverythingInAllWays,
    /// All, where a loop was in front of all markers that is to be replaced.
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
    /// Whether nothing is replaced meanwhile, not even in front of all markers.
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
        let most = if self.is_everything { MOST_WAYS_OF_ALL } else { MOST_WAYS };
        Self { ways: Some(most).filter(|_| self.is_everything || !self.marked.is_empty()), ..self.clone() }
    }

    /// The same, as long as nothing is to be replaced.
    pub(crate) fn without_replacing(&self) -> Self {
        Self { replaces_nothing: true, ..self.clone() }
    }

    /// The markers that a machine passes.
    pub(crate) fn markers(&self, undecided: Undecided) -> FollowedMarkers {
        let (most, most_instructions) = if self.lets_inputs_decide() { MOST_IN_ONE_WAY } else { MOST };
        FollowedMarkers { functions: Arc::clone(&self.marked), most, most_instructions, undecided }
    }

    /// How many questions that the solver has no short answer to one path may ask before it is better not to follow.
    pub(crate) fn most_solved(&self) -> u64 {
        if self.marked.is_empty() { u64::MAX } else { MOST_SOLVED_ON_PATH }
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

    /// Whether to follow less before something is replaced, after so many markers: inputs matter then.
    pub(crate) fn ends_before_replacing(&self, passed: u32) -> bool {
        self.is_everything && self.ways.is_none() && (passed > 0 || self.replaces_nothing)
    }

    /// Whether all markers are passed, also where inputs decide.
    pub(crate) fn is_everything_in_all_ways(&self) -> bool {
        self.is_everything && self.ways.is_some()
    }

    /// Whether what a branch on inputs decides is which calls, or other synchronisation, a followed function comes to next. `passed`:
    /// how many markers were passed. O(size of the function).
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
    fn concerns(&self, decision: &SliceDecision) -> bool {
        self.ways.is_none() && self.within.as_ref().is_none_or(|within| within.contains(&decision.point.func))
    }
}

/// What ends a path on which all is followed: it shows that this takes long.
pub(crate) fn limits_in_all_ways(limits: explore::Limits) -> explore::Limits {
    explore::Limits { decided: true, rounds: ASKED, terms: TERMS, long: LONG, solved: MOST_SOLVED.0, ..limits }
}

/// Whether a path on which all is followed seems to have no end: how often inputs have decided a branch of it, and how many branches.
pub(crate) fn is_endless(rounds: u32, branches: usize) -> bool {
    rounds >= MOST_DECISIONS.0 || branches >= MOST_DECISIONS.1
}

/// Whether a path shows that fewer markers had better be passed: it is long, or an input decides something in what is followed. What holds
/// for all inputs is no decision.
pub(crate) fn is_given_up(engine: &mut Engine, path: &Path, slice: &[SliceDecision]) -> bool {
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
