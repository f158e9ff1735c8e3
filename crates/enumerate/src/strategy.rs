//! Which side of a branch to follow, shortest path first (Bergan 3.3.2), and where a path is better executed in
//! another way.

use std::sync::Arc;

use icsched_epochs::Statics;
use icsched_epochs::summarisable::{Summarisable, is_summarised};
use icsched_explore::explore::{Choice, Strategy};
use icsched_ir::{CallStack, ProgramPoint};
use icsched_machine::abstraction::Abstractions;
use icsched_machine::code::Code;
use icsched_machine::thread::{Frame, FrameId};
use icsched_machine::{DecisionKind, State};
use icsched_slicing::branch_sides::{leaving_side, shorter_side};
use icsched_smt::TermPool;
use icsched_symbolic::symbolic::SymbolicDomain;
use icsched_symbolic::trace::OtherSide;
use rustc_hash::FxHashMap;

use crate::budgets::BUDGETS;
use crate::next_summary::{Wanted, deep_recursion, innermost_summarisable, outermost_summarisable_loop};
use crate::passed_markers::{self, Followed};
use crate::restart::Restart;

/// Answers the questions of one path, and ends it where it is to be executed in another way.
pub(crate) struct ShortestFirst<'a, 'p> {
    pub(crate) statics: &'a Statics<'p>,
    pub(crate) code: Arc<Code>,
    pub(crate) enabled: bool,
    /// How often one loop's question is answered by preference; then the answer is to leave the loop.
    pub(crate) bound: u32,
    pub(crate) asked: FxHashMap<CallStack, u32>,
    /// What is summarised already; `None` if nothing more may be.
    pub(crate) replaced: Option<Arc<Abstractions>>,
    pub(crate) followed: Followed,
    /// The outermost loops of activations that the path was in when it had last taken long.
    pub(crate) loops: Vec<(FrameId, Summarisable)>,
    /// How often the path has made many terms without that an input has decided anything.
    pub(crate) given_up: u32,
    /// What is to be done before the path goes on.
    pub(crate) wanted: Option<Restart>,
}

impl ShortestFirst<'_, '_> {
    /// Whether a path goes on, however long it takes, for no input has decided anything.
    fn is_undecided(&self, state: &State<SymbolicDomain>) -> bool {
        state.is_undecided() && self.followed.goes_on_undecided()
    }

    /// Gives up an attempt at whole runs, which takes long; whether the path is one of those.
    fn ends_attempt(&mut self) -> bool {
        let is_attempt = self.followed.is_everything_in_all_ways();
        if is_attempt {
            self.wanted = Some(Restart::PassFewerMarkers);
        }
        is_attempt
    }

    /// Chooses the loop or recursion around the points of a stack to summarise next, and requests a restart.
    fn want(&mut self, wanted: Wanted, stack: &CallStack, only_recursion: bool) {
        let Some(replaced) = &self.replaced else { return };
        let points: Vec<ProgramPoint> = stack.0.iter().rev().copied().collect();
        let is_replaced = |of: &Summarisable| is_summarised(replaced, *of);
        let found = match only_recursion {
            true => deep_recursion(self.statics, is_replaced, wanted, &points),
            false => innermost_summarisable(self.statics, is_replaced, wanted, &points),
        };
        self.wanted = found.map(|wanted| Restart::Summarise(vec![wanted]));
    }
}

impl Strategy for ShortestFirst<'_, '_> {
    fn has_enough(&self) -> bool {
        self.wanted.is_some()
    }

    fn asks_much(&mut self, state: &State<SymbolicDomain>) -> bool {
        if state.markers_passed() == 0 {
            return self.ends_attempt();
        }
        // Behind a marker that is not passed what has become hard is forgotten.
        self.wanted = Some(Restart::PassFewerMarkers);
        true
    }

    fn gives_up(&mut self, state: &State<SymbolicDomain>) -> bool {
        if self.is_undecided(state) && self.given_up < BUDGETS.undecided_terms {
            self.given_up += 1;
            return false;
        }
        if self.ends_attempt() {
            return true;
        }
        self.want(
            Wanted { last_resort: false, activations: BUDGETS.nested_activations },
            &state.stack(&self.code, state.current),
            false,
        );
        self.has_enough()
    }

    fn takes_long(&mut self, state: &State<SymbolicDomain>) -> bool {
        if self.is_undecided(state) {
            return false;
        }
        if self.ends_attempt() {
            return true;
        }
        let Some(replaced) = &self.replaced else { return false };
        let frames = &state.thread(state.current).frames;
        let points = state.stack(&self.code, state.current).0;
        let quiet = |(frame, point): (&Frame, ProgramPoint)| {
            Some((frame.id, outermost_summarisable_loop(self.statics, point)?))
        };
        let loops: Vec<(FrameId, Summarisable)> = frames.iter().zip(points).filter_map(quiet).collect();
        // An activation does not come back to a loop that none is around.
        let still = loops.iter().rev().find(|&found| self.loops.contains(found) && !is_summarised(replaced, found.1));
        self.wanted = still.map(|&(_, found)| Restart::Summarise(vec![found]));
        self.loops = loops;
        self.has_enough()
    }

    fn choose(&mut self, _: &TermPool, choice: &Choice, state: &State<SymbolicDomain>) -> bool {
        let (program, control) = (self.statics.program, self.statics.control);
        match choice.site.kind {
            DecisionKind::Branch => {
                let stack = state.stack(&self.code, choice.site.thread);
                let asked = self.asked.get(&stack).copied().unwrap_or(0);
                if asked >= BUDGETS.loop_rounds {
                    self.want(
                        Wanted { last_resort: asked >= self.bound, activations: BUDGETS.nested_activations },
                        &stack,
                        false,
                    );
                } else {
                    self.want(
                        Wanted { last_resort: false, activations: BUDGETS.loop_rounds as usize + 1 },
                        &stack,
                        true,
                    );
                }
                let in_all_ways = self.followed.is_everything_in_all_ways();
                if self.followed.is_decided_by(control, choice.site.point, state.markers_passed())
                    || in_all_ways && passed_markers::is_endless(asked, self.asked.len())
                {
                    self.wanted = Some(Restart::PassFewerMarkers);
                }
                let count = self.asked.entry(stack).or_insert(0);
                *count += 1;
                let preferred = match (choice.when_true, choice.when_false) {
                    // Nothing behind an undecided side is certain; a side that can be taken for sure is better.
                    (OtherSide::Unknown, OtherSide::Feasible) => false,
                    (OtherSide::Feasible, OtherSide::Unknown) => true,
                    // What has no bound shows that soon.
                    _ => !self.enabled || shorter_side(program, control, choice.site.point) != in_all_ways,
                };
                if *count <= self.bound {
                    return preferred;
                }
                // The preferred side has gone round often enough. In a callee of the loop it is the other one that
                // may end it.
                leaving_side(program, control, choice.site.point).unwrap_or(!preferred)
            }
            DecisionKind::InBounds
            | DecisionKind::Alive
            | DecisionKind::Divisor
            | DecisionKind::Valid
            | DecisionKind::SyncAddress
            | DecisionKind::CallTarget
            | DecisionKind::Concretise
            | DecisionKind::Wake
            | DecisionKind::PassesCall
            | DecisionKind::Rounds
            | DecisionKind::Assume
            | DecisionKind::Other => true,
        }
    }
}
