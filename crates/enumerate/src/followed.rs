//! Recursions that threads follow within an epoch, as long as no input decides how they go on.
//!
//! Where an epoch ends inside of a recursion its stacks are [folded](icsched_symex::folding), and how deep they are is forgotten. For nothing, if all
//! executions go equally deep. So the markers that are there because functions call, or start, one another are passed at first. If an input
//! turns out to decide something there, or the recursion is long, the epoch is searched anew and its recursions end epochs.

use std::sync::Arc;

use fixedbitset::FixedBitSet;
use icsched_ir::{BlockId, EntityId, FuncId, Origin, Program, ProgramPoint};
use icsched_symex::machine::MOST_FOLLOWED;
use rustc_hash::FxHashSet;

use crate::control::Control;
use crate::markers::{MarkerKind, Markers};
use crate::slice::SliceDecision;

/// What is followed; nothing by default.
#[derive(Clone, Default, Debug)]
pub(crate) struct Followed {
    /// The functions whose markers are passed.
    pub(crate) marked: Arc<FxHashSet<FuncId>>,
    /// These, and the program's functions that they call.
    within: Arc<FxHashSet<FuncId>>,
}

impl Followed {
    /// All recursions that have markers, those of loops in them included. O(size of the call graph).
    pub(crate) fn all(program: &Program, control: &Control, markers: &Markers) -> Self {
        let is_recursive =
            |point: ProgramPoint, kind| kind == MarkerKind::Recursion || control.calls.is_recursive(point.func);
        let marked = markers.iter().filter(|&(point, kind)| is_recursive(point, kind)).map(|(point, _)| point.func);
        let marked: FxHashSet<FuncId> = marked.collect();
        let reached = control.calls.reachable_from(marked.iter().copied());
        let reached = reached.ones().map(FuncId::from_index);
        let within = reached.filter(|&func| program.functions[func].origin == Origin::Program).collect();
        Self { marked: Arc::new(marked), within: Arc::new(within) }
    }

    /// Whether what a branch on inputs decides is which calls, or other synchronisation, a followed function comes to next. `passed`:
    /// how many markers were passed. O(size of the function).
    pub(crate) fn is_decided_by(&self, control: &Control, branch: ProgramPoint, passed: u32) -> bool {
        if passed == 0 || !self.marked.contains(&branch.func) {
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

    /// Whether a path shows that a recursion had better not be followed: a slice has decisions there, or it is long.
    pub(crate) fn is_given_up(&self, slice: &[SliceDecision], passed: u32) -> bool {
        let is_there = |decision: &SliceDecision| self.within.contains(&decision.point.func);
        passed > 0 && (passed >= MOST_FOLLOWED || slice.iter().any(is_there))
    }
}
