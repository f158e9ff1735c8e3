//! What the paths of a schedule leave behind for the epoch that follows.

use std::collections::BTreeMap;

use icsched_schedule::EpochKey;
use icsched_smt::{Answer, BinOp, Node, Term, TermPool};
use icsched_symex::shape::{Bounds, Place, Shape};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Search;
use crate::carried::{self, Implied};
use crate::constraint::Conjunction;
use crate::engine::{Engine, Path};
use crate::epochs::{EpochFacts, add_successor};
use crate::graph;
use crate::objects::Objects;
use crate::slice::{SliceDecision, precondition_slice};

/// Paths that wait until the search of an epoch is known not to be in vain: each keeps its state and its trace.
pub(super) const MAX_BEHIND: usize = 32;

/// Terms at the end of one path of which bounds are looked for.
const MAX_BOUNDED: usize = 32;

/// Most operations in such a term.
const MAX_OPERATIONS: usize = 64;

/// Whether bounds of a term are soon found: no product or quotient of two unknown numbers is in it.
fn is_simple(pool: &TermPool, term: Term) -> bool {
    let all = pool.postorder(&[term], |_| false);
    let is_product = |&t: &Term| match *pool.node(t) {
        Node::Binary(BinOp::Mul | BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem, a, b) => {
            pool.as_const_wide(a).is_none() && pool.as_const_wide(b).is_none()
        }
        _ => false,
    };
    !pool.has_float(term) && all.len() <= MAX_OPERATIONS && !all.iter().any(is_product)
}

/// What follows from a precondition.
struct Consequences<'c> {
    precondition: &'c Conjunction,
    known: FxHashSet<Term>,
    implied: Implied,
}

impl<'c> Consequences<'c> {
    fn of(precondition: &'c Conjunction) -> Self {
        let known = precondition.conditions().iter().copied().collect();
        Self { precondition, known, implied: Implied::default() }
    }

    fn contain(&mut self, engine: &mut Engine, condition: Term) -> bool {
        if self.known.contains(&condition) {
            return true;
        }
        let follows = self.implied.holds(condition, || {
            let negated = engine.pool().not(condition);
            engine.check(self.precondition.conditions(), negated) == Answer::Unsat
        });
        if follows {
            self.known.insert(condition);
        }
        follows
    }
}

/// A path that ends where another epoch begins.
pub(super) struct Behind {
    pub(super) path: Path,
    pub(super) objects: Objects,
    pub(super) precondition: Conjunction,
    pub(super) early_exits: Vec<SliceDecision>,
}

impl Search<'_, '_> {
    /// Finds the facts that paths leave for the epochs behind them. Nothing is said of those of a search that is to stop.
    pub(super) fn look_behind(&mut self) {
        for behind in std::mem::take(&mut self.behind) {
            let state = &behind.path.state;
            let next = graph::epoch(self.engine.code(), state);
            let all_live = state.live_threads().count() == state.threads.len();
            let is_late = self.engine.stop_reason().is_some();
            let shape = if is_late { Shape::default() } else { self.shape_behind(&behind, next.key()) };
            let holds = EpochFacts { none_ended: self.facts.none_ended && all_live, shape };
            let alike = if self.options.symbolic_threads { next.alike() } else { Vec::new() };
            add_successor(&mut self.successors, next, holds, &alike);
        }
    }

    /// What all executions leave behind for the epoch `next` that follow a path's schedule to its end: none of its early exits has ended
    /// them.
    fn shape_behind(&mut self, behind: &Behind, next: EpochKey) -> Shape {
        let Behind { path, objects, precondition, early_exits } = behind;
        let Some(analyses) = self.analyses else { return Shape::default() };
        let threads = self.engine.code().threads_in_order(&path.state);
        let left = self.engine.left(&path.state, &threads, analyses);
        if !self.options.slicing {
            return left.shape.canonical();
        }
        let points = carried::points(&path.state, self.engine.code());
        let mut consequences = Consequences::of(precondition);
        let (mut shape, invalid) = carried::valid(&left, points, |criterion| {
            let slice =
                precondition_slice(self.statics, &mut self.caches, objects, &path.trace, None, false, Some(criterion));
            slice.decisions.iter().any(|decision| !consequences.contain(self.engine, decision.condition))
        });
        let numbers = left.numbers.iter().filter(|(place, _)| !invalid.contains(place));
        let passed = self.passed(path, objects, &mut consequences, early_exits);
        shape.bounds = self.bounds(numbers, &passed, next);
        shape.canonical()
    }

    /// The precondition, and that no early exit was taken, as far as all executions of the schedule that come to its end have decided
    /// so: what that depends on must follow from what is known before.
    fn passed(
        &mut self,
        path: &Path,
        objects: &Objects,
        consequences: &mut Consequences<'_>,
        early_exits: &[SliceDecision],
    ) -> Vec<Term> {
        let mut conditions = consequences.precondition.conditions().to_vec();
        if early_exits.is_empty() {
            return conditions;
        }
        let all = precondition_slice(self.statics, &mut self.caches, objects, &path.trace, None, true, None);
        let exits: FxHashSet<usize> = early_exits.iter().map(|exit| exit.event).collect();
        for decision in &all.decisions {
            if exits.contains(&decision.event) {
                conditions.push(decision.condition);
            } else if !consequences.contain(self.engine, decision.condition) {
                let negated = self.engine.pool().not(decision.condition);
                if self.engine.check(&conditions, negated) != Answer::Unsat {
                    break;
                }
            }
        }
        conditions
    }

    /// Between which numbers places are that hold these terms, under some conditions. Bounds of a term that some path to the epoch has
    /// left are not found tighter on another one: the epoch would keep the wider ones.
    fn bounds<'a>(
        &mut self,
        numbers: impl Iterator<Item = &'a (Place, Term)>,
        conditions: &[Term],
        next: EpochKey,
    ) -> BTreeMap<Place, Bounds> {
        let Some(analyses) = self.analyses else { return BTreeMap::new() };
        let mut known: FxHashMap<Term, Bounds> = FxHashMap::default();
        let mut found = BTreeMap::new();
        for &(place, term) in numbers {
            if !known.contains_key(&term) && (known.len() == MAX_BOUNDED || !is_simple(self.engine.pool(), term)) {
                continue;
            }
            let bounds = *known.entry(term).or_insert_with(|| {
                let width = u8::try_from(self.engine.pool().width(term)).expect("words have at most 64 bits");
                let mut within = |bounds: Bounds| {
                    let holds = bounds.hold(self.engine.pool(), term);
                    let outside = self.engine.pool().not(holds);
                    self.engine.check(conditions, outside) == Answer::Unsat
                };
                let left = self.bounded.get(&(next, term)).copied();
                let bounds = match left.filter(|&left| !left.say_something() || within(left)) {
                    Some(left) => left,
                    None => carried::bounds(width, &analyses.thresholds, within),
                };
                self.bounded.insert((next, term), bounds);
                bounds
            });
            if bounds.say_something() {
                found.insert(place, bounds);
            }
        }
        found
    }
}
