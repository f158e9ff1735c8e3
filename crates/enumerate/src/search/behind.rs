//! What the paths of a schedule leave behind for the epoch that follows.

use std::collections::BTreeMap;

use icsched_smt::{Answer, BinOp, Node, Term, TermPool};
use icsched_symex::shape::{Bounds, Left, Place, Shape, Where};
use icsched_symex::sums::MAX_PLACES;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Search;
use crate::carried::{self, Implied};
use crate::constraint::Conjunction;
use crate::engine::{Engine, Path};
use crate::objects::Objects;
use crate::slice::{SliceDecision, precondition_slice};

/// Terms at the end of one path of which bounds are looked for.
const MAX_BOUNDED: usize = 32;

/// Sums that are taken not to overflow, for one of them.
const MAX_SUMS: usize = 16;

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

impl Search<'_, '_> {
    /// What all executions leave behind that follow a path's schedule to its end: none of `early_exits` has ended them.
    pub(super) fn shape_behind(
        &mut self,
        path: &Path,
        objects: &Objects,
        precondition: &Conjunction,
        early_exits: &[SliceDecision],
    ) -> Shape {
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
        let numbers: Vec<(Place, Term)> =
            left.numbers.iter().filter(|(place, _)| !invalid.contains(place)).copied().collect();
        let sums = self.sums(path, &left, &numbers);
        let passed = self.passed(path, objects, &mut consequences, early_exits);
        shape.bounds = self.bounds(&numbers, &passed, &sums);
        shape.canonical()
    }

    /// That the sums have not overflowed that numbers at the end of a path were computed from, by number. Behind the first epoch nothing
    /// happens that C leaves undefined, so a number is one that the program may depend on, or it does not matter which one it is. But it
    /// may matter that it is equal to another one: only what counts for all places where a number is does for one of them.
    fn sums(&mut self, path: &Path, left: &Left, numbers: &[(Place, Term)]) -> FxHashMap<Term, Vec<Term>> {
        if self.engine.is_entry() || path.trace.sums.is_empty() {
            return FxHashMap::default();
        }
        let (mut terms, mut places): (Vec<(Term, usize)>, Vec<Where>) = (Vec::new(), Vec::new());
        for &(place, term) in numbers {
            if terms.iter().all(|(known, _)| *known != term) {
                let equal: Option<Vec<Where>> = left.shape.equal_to(place).map(|place| left.find(place)).collect();
                let Some(equal) = equal else { continue };
                if places.len() + equal.len() > MAX_PLACES {
                    break;
                }
                places.extend(&equal);
                terms.push((term, equal.len()));
            }
        }
        let mut behind = self.engine.sums_behind(path, &places).into_iter();
        let mut common = FxHashMap::default();
        for (term, count) in terms {
            let all: Vec<Vec<Term>> = behind.by_ref().take(count).collect();
            let Some((first, others)) = all.split_first() else { continue };
            let is_common = |&&condition: &&Term| others.iter().all(|other| other.contains(&condition));
            let mut conditions: Vec<Term> = first.iter().filter(is_common).copied().collect();
            conditions.retain(|&condition| is_simple(self.engine.pool(), condition));
            conditions.sort_unstable();
            conditions.dedup();
            conditions.truncate(MAX_SUMS);
            common.insert(term, conditions);
        }
        common
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

    /// Between which numbers places are that hold these terms, under some conditions, and for each term those of `sums`.
    fn bounds(
        &mut self,
        numbers: &[(Place, Term)],
        conditions: &[Term],
        sums: &FxHashMap<Term, Vec<Term>>,
    ) -> BTreeMap<Place, Bounds> {
        let Some(analyses) = self.analyses else { return BTreeMap::new() };
        let mut known: FxHashMap<Term, Bounds> = FxHashMap::default();
        let mut found = BTreeMap::new();
        for &(place, term) in numbers {
            if !known.contains_key(&term) && (known.len() == MAX_BOUNDED || !is_simple(self.engine.pool(), term)) {
                continue;
            }
            let bounds = *known.entry(term).or_insert_with(|| {
                let mut under = |conditions: &[Term]| {
                    let width = u8::try_from(self.engine.pool().width(term)).expect("words have at most 64 bits");
                    carried::bounds(width, &analyses.thresholds, |bounds| {
                        let holds = bounds.hold(self.engine.pool(), term);
                        let outside = self.engine.pool().not(holds);
                        self.engine.check(conditions, outside) == Answer::Unsat
                    })
                };
                match sums.get(&term).filter(|sums| !sums.is_empty()) {
                    None => under(conditions),
                    Some(sums) => {
                        let all: Vec<Term> = conditions.iter().chain(sums).copied().collect();
                        // If a sum overflows for certain, there is no number that the place might as well hold.
                        Some(under(&all)).filter(|b| b.least <= b.greatest).unwrap_or_else(|| under(conditions))
                    }
                }
            });
            if bounds.say_something() {
                found.insert(place, bounds);
            }
        }
        found
    }
}
