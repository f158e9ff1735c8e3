//! Which side of a branch to follow, shortest path first (Bergan 3.3.2), and where a path is better executed in another way.

use std::sync::Arc;

use icsched_ir::{BlockId, CallStack, EntityId, Program, ProgramPoint, Terminator};
use icsched_smt::TermPool;
use icsched_symex::abstraction::Abstractions;
use icsched_symex::code::Code;
use icsched_symex::explore::{Choice, Strategy};
use icsched_symex::symbolic::SymbolicDomain;
use icsched_symex::thread::{Frame, FrameId};
use icsched_symex::trace::OtherSide;
use icsched_symex::{DecisionKind, State};
use rustc_hash::FxHashMap;

use crate::control::Control;
use crate::followed::{self, Followed};
use crate::quiet::{Replaceable, Wanted, deep_recursion, outermost_quiet_loop, quiet_code, replaces};
use crate::search::Restart;
use crate::slice::Statics;

/// How often a path answers one question in a loop that does not synchronise before the loop is replaced by what it may do; activations
/// of a recursion in which it is asked.
const ROUNDS: u32 = 12;

/// Activations of a recursion, one inside of the other, from which on it goes round.
pub(crate) const NESTED: usize = 2;

/// Answers the questions of one path, and ends it where it is to be executed in another way.
pub(crate) struct ShortestFirst<'a, 'p> {
    pub(crate) statics: &'a Statics<'p>,
    pub(crate) code: Arc<Code>,
    pub(crate) enabled: bool,
    /// How often one loop's question is answered by preference; then the answer is to leave the loop.
    pub(crate) bound: u32,
    pub(crate) asked: FxHashMap<CallStack, u32>,
    /// What is replaced by what it may do, if more can be.
    pub(crate) replaced: Option<Arc<Abstractions>>,
    pub(crate) followed: Followed,
    /// The outermost loops of activations that the path was in when it had last taken long.
    pub(crate) loops: Vec<(FrameId, Replaceable)>,
    /// How often the path has made many terms without that an input has decided anything.
    pub(crate) given_up: u32,
    /// What is to be done before the path goes on.
    pub(crate) wanted: Option<Restart>,
}

/// How often a path goes on that makes many terms which have decided nothing yet: they take memory.
const UNDECIDED_TERMS: u32 = 64;

impl ShortestFirst<'_, '_> {
    /// Whether a path goes on, however long it takes, for no input has decided anything.
    fn is_undecided(&self, state: &State<SymbolicDomain>) -> bool {
        state.is_undecided() && self.followed.goes_on_undecided()
    }

    /// Gives up an attempt at whole runs, which takes long; whether the path is one of those.
    fn ends_attempt(&mut self) -> bool {
        let is_attempt = self.followed.is_everything_in_all_ways();
        if is_attempt {
            self.wanted = Some(Restart::FollowingLess);
        }
        is_attempt
    }

    /// What is to be replaced of that what the points of a stack are in; only recursions, perhaps.
    fn want(&mut self, wanted: Wanted, stack: &CallStack, only_recursion: bool) {
        let Some(replaced) = &self.replaced else { return };
        let points: Vec<ProgramPoint> = stack.0.iter().rev().copied().collect();
        let is_replaced = |of: &Replaceable| replaces(replaced, *of);
        let found = match only_recursion {
            true => deep_recursion(self.statics, is_replaced, wanted, &points),
            false => quiet_code(self.statics, is_replaced, wanted, &points),
        };
        self.wanted = found.map(|wanted| Restart::Replacing(vec![wanted]));
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
        self.wanted = Some(Restart::FollowingLess);
        true
    }

    fn gives_up(&mut self, state: &State<SymbolicDomain>) -> bool {
        if self.is_undecided(state) && self.given_up < UNDECIDED_TERMS {
            self.given_up += 1;
            return false;
        }
        if self.ends_attempt() {
            return true;
        }
        self.want(Wanted { last_resort: false, activations: NESTED }, &state.stack(&self.code, state.current), false);
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
        let quiet =
            |(frame, point): (&Frame, ProgramPoint)| Some((frame.id, outermost_quiet_loop(self.statics, point)?));
        let loops: Vec<(FrameId, Replaceable)> = frames.iter().zip(points).filter_map(quiet).collect();
        // An activation does not come back to a loop that none is around.
        let still = loops.iter().rev().find(|&found| self.loops.contains(found) && !replaces(replaced, found.1));
        self.wanted = still.map(|&(_, found)| Restart::Replacing(vec![found]));
        self.loops = loops;
        self.has_enough()
    }

    fn choose(&mut self, _: &TermPool, choice: &Choice, state: &State<SymbolicDomain>) -> bool {
        let Statics { program, control, .. } = *self.statics;
        match choice.site.kind {
            DecisionKind::Branch => {
                let stack = state.stack(&self.code, choice.site.thread);
                let asked = self.asked.get(&stack).copied().unwrap_or(0);
                if asked >= ROUNDS {
                    self.want(Wanted { last_resort: asked >= self.bound, activations: NESTED }, &stack, false);
                } else {
                    self.want(Wanted { last_resort: false, activations: ROUNDS as usize + 1 }, &stack, true);
                }
                let in_all_ways = self.followed.is_everything_in_all_ways();
                if self.followed.is_decided_by(control, choice.site.point, state.markers_passed())
                    || in_all_ways && followed::is_endless(asked, self.asked.len())
                {
                    self.wanted = Some(Restart::FollowingLess);
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
                // The preferred side has gone round often enough. In a callee of the loop it is the other one that may end it.
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

/// The side of the branch at `point` that leads to the end of the function or loop sooner; `true` for its then edge.
///
/// A side that only ends the process is the last choice: with it the other one's schedule would still be missing
/// (prefix schedules, 3.4.1.1). On a tie the then edge, so that results do not depend on anything but the code.
pub fn shorter_side(program: &Program, control: &Control, point: ProgramPoint) -> bool {
    let Terminator::Branch { then_edge, else_edge, .. } = &program.functions[point.func].blocks[point.block].terminator
    else {
        return true;
    };
    let facts = control.function(point.func);
    let rank = |to: BlockId| (facts.quiet_exit.contains(to.index()), facts.distance(point.block, to));
    rank(then_edge.target) <= rank(else_edge.target)
}

/// The side of the branch at `point` that leaves the innermost loop around it, if just one does; `true` for its then
/// edge.
pub fn leaving_side(program: &Program, control: &Control, point: ProgramPoint) -> Option<bool> {
    let facts = control.function(point.func);
    let around = facts.loops.get(facts.loops.innermost(point.block)?);
    let Terminator::Branch { then_edge, else_edge, .. } = &program.functions[point.func].blocks[point.block].terminator
    else {
        return None;
    };
    match (around.contains(then_edge.target), around.contains(else_edge.target)) {
        (true, false) => Some(false),
        (false, true) => Some(true),
        (true, true) | (false, false) => None,
    }
}
