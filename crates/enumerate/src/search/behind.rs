//! What the paths of a schedule leave behind for the epoch that follows.
//!
//! Most of the time of a search goes into these questions, and none of them has to do with other paths, or with what is searched next. So
//! each path's are asked in a thread of their own, with a copy of the terms that there were at its end, and with a solver of their own:
//! the answers are the same whenever they are found, and by whom. What the paths leave is put together in their order.

mod asked;
mod combinations;
mod endings;
mod handles;
mod lost;
mod reduced;
mod turns;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use icsched_ir::ProgramPoint;
use icsched_schedule::EpochId;
use icsched_smt::{Answer, BinOp, CmpOp, Node, Ranges, SolverStatistics, Substitution, Term, TermPool};
use icsched_symex::FrameId;
use icsched_symex::abstraction::Abstractions;
use icsched_symex::shape::{
    self, Activations, Bounds, Combinations, Compared, Deciding, Element, Elements, Equation, Held, Left, MAX_CHOICES,
    Place, Shape, Where,
};
use icsched_symex::sums::MAX_PLACES;
use icsched_symex::symbolic::SymValue;
use icsched_symex::trace::Trace;
use rustc_hash::{FxHashMap, FxHashSet};

use asked::{compared_with, decided, not_passed};
pub(super) use endings::Endings;

use crate::carried::{self, Criterion, Decided, Implied, Valid};
use crate::constraint::Conjunction;
use crate::engine::{Asker, Engine, Path, Questions};
use crate::objects::Objects;
use crate::quiet::{Helps, Replaceable};
use crate::slice::{Caches, Prepared, SliceDecision, Sliceable, Statics};

/// Conditions of one path that are asked about before slices are computed.
const MAX_POSSIBLE: usize = 32;

/// Terms at the end of one path of which bounds are looked for.
const MAX_BOUNDED: usize = 256;

/// Terms at the end of one path that are found to be one of a few addresses.
const MAX_CHOSEN: usize = 32;

/// Those of them that are computed from a number, which may have many values.
const MAX_COMPUTED: usize = 8;

/// Numbers that equations are looked for between, of one path.
const MAX_COUNTED: usize = 24;

/// Constants that an element of a ring may hold.
const MAX_CONSTANTS: usize = 4;

/// Pairs of numbers that are on one side of each other and may be equal, of one path.
const MAX_ORDERED: usize = 16;

/// Sums that are taken not to overflow, for one of them.
const MAX_SUMS: usize = 16;

/// Most operations in such a term.
const MAX_OPERATIONS: usize = 64;

/// Most operations in what a semaphore counts: a choice, where inputs choose among several.
const MAX_OPERATIONS_OF_PERMITS: usize = 256;

/// The end of a path, with all that is needed to say what it leaves behind.
pub(super) struct PathEnding {
    /// The epoch that follows.
    pub(super) next: EpochId,
    /// Whether no thread had ended when it begins.
    pub(super) none_ended: bool,
    pub(super) left: Left,
    /// See [`sums`].
    pub(super) sums: FxHashMap<Term, Vec<Term>>,
    /// Where the activations of live threads are.
    pub(super) points: FxHashMap<FrameId, ProgramPoint>,
    pub(super) trace: Trace,
    pub(super) objects: Objects,
    pub(super) prepared: Prepared,
    pub(super) precondition: Conjunction,
    /// The events of decisions that have not ended the executions which come to the end.
    pub(super) exits: Vec<usize>,
    /// What is decided where exits count as conditions, too.
    pub(super) with_exits: Vec<SliceDecision>,
    /// What else is known because none of them has ended: [`Search::not_elsewhere`](super::Search::not_elsewhere).
    pub(super) not_elsewhere: Vec<Term>,
}

/// How soon bounds of a term are found.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Reasoning {
    Soon,
    /// Not while products or quotients of two unknown numbers are in it.
    WithoutProducts,
    Never,
}

fn reasoning(pool: &TermPool, term: Term, most: usize) -> Reasoning {
    if pool.has_float(term) {
        return Reasoning::Never;
    }
    let all = pool.postorder(&[term], |_| false);
    if all.len() > most {
        Reasoning::Never
    } else if all.into_iter().any(|t| pool.is_product(t)) {
        Reasoning::WithoutProducts
    } else {
        Reasoning::Soon
    }
}

fn is_simple(pool: &TermPool, term: Term) -> bool {
    reasoning(pool, term, MAX_OPERATIONS) == Reasoning::Soon
}

/// That the sums have not overflowed that numbers at the end of a path were computed from, by number. Behind the first epoch nothing
/// happens that C leaves undefined, so a number is one that the program may depend on, or it does not matter which one it is. But it
/// may matter that it is equal to another one: only what counts for all places where a number is does for one of them.
pub(super) fn sums(engine: &mut Engine, path: &Path, left: &Left) -> FxHashMap<Term, Vec<Term>> {
    if engine.is_entry() || path.trace.sums.is_empty() {
        return FxHashMap::default();
    }
    let (mut terms, mut places): (Vec<(Term, usize)>, Vec<Where>) = (Vec::new(), Vec::new());
    let mut seen = FxHashSet::default();
    for &(place, term) in &left.numbers {
        if places.len() == MAX_PLACES {
            break;
        }
        if !seen.insert(term) || !is_simple(engine.pool(), term) {
            continue;
        }
        let equal: Option<Vec<Where>> = left.shape.equal_to(place).map(|place| left.find(place)).collect();
        let Some(equal) = equal.filter(|equal| places.len() + equal.len() <= MAX_PLACES) else { continue };
        places.extend(&equal);
        terms.push((term, equal.len()));
    }
    let mut behind = engine.sums_behind(path, &places).into_iter();
    let mut common = FxHashMap::default();
    for (term, count) in terms {
        let all: Vec<Vec<Term>> = behind.by_ref().take(count).collect();
        let Some((first, others)) = all.split_first() else { continue };
        let is_common = |condition: &&Term| others.iter().all(|other| other.contains(condition));
        let mut conditions: Vec<Term> = first.iter().filter(is_common).copied().collect();
        conditions.retain(|&condition| is_simple(engine.pool(), condition));
        conditions.sort_unstable();
        conditions.dedup();
        conditions.truncate(MAX_SUMS);
        if !conditions.is_empty() {
            common.insert(term, conditions);
        }
    }
    common
}

/// What follows from what holds in all executions that come to the end.
struct Consequences {
    conditions: Vec<Term>,
    known: FxHashSet<Term>,
    implied: Implied,
}

impl Consequences {
    fn of(conditions: Vec<Term>) -> Self {
        let known = conditions.iter().copied().collect();
        Self { conditions, known, implied: Implied::default() }
    }

    fn contain(&mut self, asker: &mut Asker, condition: Term) -> bool {
        if self.known.contains(&condition) {
            return true;
        }
        let follows = self.implied.holds(condition, || {
            let negated = asker.pool().not(condition);
            asker.check(&self.conditions, negated) == Answer::Unsat
        });
        if follows {
            self.known.insert(condition);
        }
        follows
    }
}

/// What is known when an end was looked at.
struct Seen {
    shape: Shape,
    /// What had better be replaced: [`lost`].
    lost: BTreeMap<Replaceable, Helps>,
    solver: SolverStatistics,
}

/// The questions about one end.
struct Behind<'a> {
    statics: &'a Statics<'a>,
    replaced: &'a Abstractions,
    /// The numbers at which bounds are looked for, ascending.
    thresholds: Vec<i64>,
    compared: &'a Compared,
    deciding: &'a Deciding,
    slicing: bool,
    combines: bool,
    is_over: &'a AtomicBool,
    ending: &'a PathEnding,
    asker: Asker,
    /// What remainders are in other words: see [`reduced`].
    remainders: Substitution,
}

impl<'a> Behind<'a> {
    fn new(endings: &'a Endings<'_, '_>, ending: &'a PathEnding, questions: Questions) -> Self {
        let mut asker = questions.asker();
        let mut thresholds = endings.analyses.thresholds.to_vec();
        thresholds.extend(compared_with(asker.pool(), &ending.trace));
        thresholds.sort_unstable();
        thresholds.dedup();
        Self {
            statics: endings.statics,
            replaced: &endings.replaced,
            thresholds,
            compared: &endings.analyses.compared,
            deciding: &endings.analyses.deciding,
            combines: endings.combines,
            slicing: endings.slicing,
            is_over: &endings.is_over,
            ending,
            asker,
            remainders: Substitution::new(),
        }
    }

    /// Without time to ask nothing is known.
    fn is_late(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || self.asker.is_late()
    }

    /// What all executions leave behind that follow a path's schedule to its end: no early exit has ended them.
    fn look(mut self, caches: &mut Caches) -> Seen {
        let PathEnding { left, objects, trace, prepared, precondition, points, .. } = self.ending;
        if !self.slicing {
            let combinations = self.combines.then(Combinations::default);
            let shape = Shape { combinations, ..left.shape.clone() };
            return Seen { shape: shape.canonical(), lost: BTreeMap::new(), solver: self.asker.solver_statistics() };
        }
        let conditions = precondition.conditions().iter().chain(&self.ending.not_elsewhere).copied().collect();
        let passed = self.passed(&mut Consequences::of(conditions));
        let mut consequences = Consequences::of(passed);
        let trace = Sliceable { objects, trace, prepared };
        let possible = trace.possible(self.statics, MAX_POSSIBLE);
        let is_determined =
            possible.is_some_and(|all| all.iter().all(|d| consequences.contain(&mut self.asker, d.condition)));
        let fields = |object| self.statics.aliases.map(|aliases| aliases.fields(objects, object)).unwrap_or_default();
        let Valid { mut shape, left_out: invalid, lost } = if is_determined {
            Valid { shape: left.shape.clone(), left_out: FxHashSet::default(), lost: Vec::new() }
        } else {
            carried::valid(left, (trace.trace, &fields), points.clone(), |criterion| {
                self.depends(&trace, caches, &mut consequences, criterion)
            })
        };
        let lost = lost::loops(self.statics, self.replaced, left, &lost);
        tracing::debug!(next = %self.ending.next.key(), places = invalid.len(), "left out, for they depend on other decisions");
        let numbers = left.numbers.iter().filter(|(place, _)| !invalid.contains(place));
        let mut sure = self.ranges(&consequences.conditions);
        shape.bounds = self.bounds(numbers.clone(), &mut consequences, &mut sure);
        shape.ends = self.ends(&shape, numbers.clone(), &mut sure);
        let numbers = numbers.copied().collect();
        shape.differences = self.differences(&shape, &numbers, &mut consequences, &mut sure);
        shape.equations = self.equations(&shape, &numbers, &mut consequences);
        shape.turns = self.turns(&shape, &numbers, &mut consequences);
        shape.elements = self.elements((&shape, &numbers), &mut consequences, |behind, consequences, criterion| {
            is_determined || behind.depends(&trace, caches, consequences, criterion) == Some(None)
        });
        let addresses = left.addresses.places.iter().filter(|(place, _)| !invalid.contains(place));
        self.choices(&mut shape, addresses.clone(), &consequences.conditions);
        self.distinct(&mut shape, addresses.clone(), &consequences.conditions);
        self.handles(&mut shape, addresses.clone(), &mut consequences);
        if self.combines {
            let narrow = left.narrow.iter().filter(|(place, _)| !invalid.contains(place));
            let narrow: Vec<(Place, Term)> = narrow.copied().collect();
            let known = (&mut consequences, &mut sure);
            let addresses = addresses.copied().collect();
            shape.combinations = Some(self.combinations(&mut shape, (&numbers, &narrow), &addresses, known));
        }
        Seen { shape: shape.canonical(), lost, solver: self.asker.solver_statistics() }
    }

    /// A decision on which places depend that does not follow from what is known, if there is one; `None` if there is no time to say.
    fn depends(
        &mut self,
        trace: &Sliceable<'_>,
        caches: &mut Caches,
        consequences: &mut Consequences,
        criterion: &Criterion,
    ) -> Option<Option<Decided>> {
        if self.is_late() {
            return None;
        }
        let mut is_other = |d: &SliceDecision| !consequences.contain(&mut self.asker, d.condition);
        let other = trace.depends(self.statics, caches, criterion, &mut is_other)?;
        if let Some(decision) = other.as_ref().filter(|_| tracing::enabled!(tracing::Level::DEBUG)) {
            let at = crate::graph::place(self.statics.program, &icsched_ir::CallStack(vec![decision.point]));
            let condition = icsched_symex::print::Printer::new(self.asker.pool()).condition(decision.condition);
            tracing::debug!(places = criterion.places.len(), first = ?criterion.places.first(), at, condition, "depends on another decision");
        }
        Some(other.map(|decision| (decision.point, decision.frame)))
    }

    /// The precondition, and that no early exit was taken, as far as all executions of the schedule that come to its end have decided
    /// so: what that depends on must follow from what is known before.
    fn passed(&mut self, consequences: &mut Consequences) -> Vec<Term> {
        let PathEnding { exits, with_exits, .. } = self.ending;
        let mut conditions = consequences.conditions.clone();
        if exits.is_empty() || self.is_late() {
            return conditions;
        }
        let exits: FxHashSet<usize> = exits.iter().copied().collect();
        for decision in with_exits {
            if exits.contains(&decision.event) {
                conditions.push(decision.condition);
            } else if !consequences.contain(&mut self.asker, decision.condition) {
                let negated = self.asker.pool().not(decision.condition);
                if self.asker.check(&conditions, negated) != Answer::Unsat {
                    break;
                }
            }
        }
        conditions
    }

    /// Says which addresses places hold one of, under some conditions.
    fn choices<'n>(
        &mut self,
        shape: &mut Shape,
        addresses: impl Iterator<Item = &'n (Place, Term)>,
        conditions: &[Term],
    ) {
        let mut known: FxHashMap<Term, Option<Vec<Held>>> = FxHashMap::default();
        let (mut chosen, mut tries) = (0, MAX_COMPUTED);
        for &(place, term) in addresses {
            let found = known.entry(term).or_insert_with(|| {
                let few = chosen < MAX_CHOSEN && !self.is_late();
                let found = if few { self.chosen(term, conditions, &mut tries) } else { None };
                chosen += usize::from(found.is_some());
                found
            });
            match found.as_deref() {
                Some([]) | None => {}
                Some(&[only]) => shape.hold(place, only),
                Some(choices) => drop(shape.choices.insert(place, choices.to_vec())),
            }
        }
    }

    /// Says which places that hold one of a few addresses do not hold the same, under some conditions.
    fn distinct<'n>(
        &mut self,
        shape: &mut Shape,
        addresses: impl Iterator<Item = &'n (Place, Term)>,
        conditions: &[Term],
    ) {
        let terms: FxHashMap<Place, Term> = addresses.copied().collect();
        let pairs: Vec<(Place, Place)> = shape.overlapping().collect();
        for pair in pairs {
            let (Some(&a), Some(&b)) = (terms.get(&pair.0), terms.get(&pair.1)) else { continue };
            if a == b || self.is_late() {
                continue;
            }
            let same = self.asker.pool().cmp(CmpOp::Eq, a, b);
            if self.asker.check(conditions, same) == Answer::Unsat {
                shape.differences.entry(pair).or_insert(Bounds::nonzero(64));
            }
        }
    }

    /// The constants that a term may be under some conditions, if they are few. `tries` is how many more terms may be looked at of which it is not
    /// plain that they are one of a few.
    fn chosen(&mut self, term: Term, conditions: &[Term], tries: &mut usize) -> Option<Vec<Held>> {
        let addresses = &self.ending.left.addresses;
        let mut candidates = addresses.candidates(self.asker.pool(), term);
        if candidates.is_empty() && *tries > 0 {
            candidates = self.computed(term, conditions, tries)?;
        }
        if candidates.is_empty() {
            return None;
        }
        let mut guards = Vec::new();
        for &(bits, _) in &candidates {
            let pool = self.asker.pool();
            let constant = pool.constant(64, bits);
            guards.push(pool.cmp(CmpOp::Eq, term, constant));
        }
        let pool = self.asker.pool();
        let any = pool.or_all(&guards);
        let none = pool.not(any);
        if self.asker.check(conditions, none) != Answer::Unsat {
            return None;
        }
        let guarded = candidates.into_iter().zip(guards);
        let possible = guarded.filter(|&(_, guard)| self.asker.check(conditions, guard) != Answer::Unsat);
        let mut held: Vec<Held> = possible.map(|((_, held), _)| held).collect();
        held.sort_unstable();
        (held.len() <= MAX_CHOICES && held.iter().any(Held::points)).then_some(held)
    }

    /// The addresses that a term is under some conditions which one unknown number says: an element of an array; none if they are many.
    fn computed(&mut self, term: Term, conditions: &[Term], tries: &mut usize) -> Option<Vec<(u64, Held)>> {
        let pool = self.asker.pool();
        if pool.width(term) != 64 || matches!(pool.node(term), Node::Symbol { .. }) || pool.only_symbol(term).is_none()
        {
            return None;
        }
        *tries -= 1;
        let mut found = Vec::new();
        let mut others = conditions.to_vec();
        loop {
            let always = self.asker.pool().bool(true);
            let Some(model) = self.asker.model(&others, always).ok()? else { break };
            let pool = self.asker.pool();
            let bits = pool.eval(term, &model);
            if found.len() == MAX_CHOICES {
                return None;
            }
            found.push((bits, self.ending.left.addresses.held(bits)?));
            let constant = pool.constant(64, bits);
            others.push(pool.ne(term, constant));
        }
        Some(found)
    }

    /// Between which numbers places are that hold these terms, under some conditions, and those of the sums behind each term.
    fn bounds<'n>(
        &mut self,
        numbers: impl Iterator<Item = &'n (Place, Term)>,
        consequences: &mut Consequences,
        sure: &mut Ranges,
    ) -> BTreeMap<Place, Bounds> {
        let conditions = &consequences.conditions.clone();
        let mut known: FxHashMap<Term, Bounds> = FxHashMap::default();
        let mut found = BTreeMap::new();
        let permits = self.compared.permits(&self.ending.left.shape, &self.activations());
        for &(place, term) in numbers {
            let is_new = !known.contains_key(&term);
            let pool = self.asker.pool();
            let most = if permits.contains(&place) { MAX_OPERATIONS_OF_PERMITS } else { MAX_OPERATIONS };
            let reasoning = if is_new { reasoning(pool, term, most) } else { Reasoning::Soon };
            // Of `free[a * b % n]` it is of interest which numbers were written there, not where that is.
            let is_choice = matches!(pool.node(term), Node::Ite(..));
            // A ring's index goes on, or back to 0.
            let whole = match reasoning {
                Reasoning::WithoutProducts if !is_choice => self.reduced(term, consequences),
                _ => term,
            };
            let reasoning = if whole == term { reasoning } else { Reasoning::Soon };
            let is_asked = match reasoning {
                Reasoning::Soon => true,
                Reasoning::WithoutProducts => is_choice,
                Reasoning::Never => false,
            };
            if is_new && (!is_asked || known.len() == MAX_BOUNDED || self.is_late()) {
                continue;
            }
            let bounds = *known.entry(term).or_insert_with(|| {
                let width = u8::try_from(self.asker.pool().width(term)).expect("words have at most 64 bits");
                let ending = self.ending;
                if reasoning == Reasoning::WithoutProducts {
                    let all: Vec<Term> = [term].iter().chain(conditions).copied().collect();
                    let all = self.asker.pool().without_products(&all);
                    let mut sure = self.ranges(&all[1..]);
                    return self.bounds_under(width, all[0], &all[1..], &mut sure);
                }
                // If a sum overflows for certain, there is no number that the place might as well hold.
                let sums = ending.sums.get(&term).filter(|sums| {
                    let overflow_free = self.asker.pool().and_all(sums);
                    self.asker.check(conditions, overflow_free) != Answer::Unsat
                });
                if let Some(sums) = sums {
                    let all: Vec<Term> = conditions.iter().chain(sums).copied().collect();
                    let mut sure = self.ranges(&all);
                    return self.bounds_under(width, whole, &all, &mut sure);
                }
                self.bounds_under(width, whole, conditions, sure)
            });
            tracing::trace!(?place, bounds.least, bounds.greatest, "a number at the end");
            if bounds.say_something() {
                found.insert(place, bounds);
            }
        }
        found
    }

    /// Between which numbers places are apart that the program compares. `numbers` are those that are not constant.
    ///
    /// That sums have not overflowed does not count: a number that the program does not depend on may be another one, but not
    /// for each number beside it another one.
    fn differences(
        &mut self,
        shape: &Shape,
        numbers: &FxHashMap<Place, Term>,
        consequences: &mut Consequences,
        sure: &mut Ranges,
    ) -> BTreeMap<(Place, Place), Bounds> {
        let mut known: FxHashMap<(Term, Term), Bounds> = FxHashMap::default();
        let mut found = BTreeMap::new();
        for (pair, is_tested) in self.compared.pairs(shape, &self.activations()) {
            let apart = shape.difference_of(pair);
            if shape.is_settled(pair) || apart.is_some_and(|bounds| bounds.least == bounds.greatest) {
                found.extend(apart.filter(|bounds| bounds.say_something()).map(|bounds| (pair, bounds)));
                continue;
            }
            let mut of = |place| self.number(shape, numbers, place, consequences);
            let (Some(a), Some(b)) = (of(pair.0), of(pair.1)) else { continue };
            let width = self.asker.pool().width(a);
            if width < self.asker.pool().width(b) || self.is_late() {
                continue;
            }
            let b = self.asker.pool().sext(b, width);
            let difference = self.asker.pool().binary(BinOp::Sub, a, b);
            if !is_simple(self.asker.pool(), difference) {
                continue;
            }
            let bounds = *known.entry((a, b)).or_insert_with(|| {
                let width = u8::try_from(width).expect("words have at most 64 bits");
                let bounds = self.bounds_under(width, difference, &consequences.conditions, sure);
                // More may be known of them than that they are not the same.
                let of_each = shape.difference_of_bounds(pair).unwrap_or(Bounds::of_width(width));
                let is_of_use = is_tested
                    && !bounds.exclude_zero()
                    && bounds.least <= of_each.least
                    && bounds.greatest >= of_each.greatest;
                let pool = self.asker.pool();
                let same = pool.cmp(CmpOp::Eq, a, b);
                if is_of_use && self.asker.check(&consequences.conditions, same) == Answer::Unsat {
                    return Bounds::nonzero(width);
                }
                bounds
            });
            if bounds.say_something() {
                found.insert(pair, bounds);
            }
        }
        self.remain(&mut found, (shape, numbers), consequences);
        found
    }

    /// What runs in the threads, by thread and depth.
    fn activations(&self) -> Activations {
        let PathEnding { points, left, .. } = self.ending;
        left.activations().filter_map(|(at, frame)| Some((at, points.get(&frame)?.func))).collect()
    }

    /// Which sums of numbers that the program compares are constant. As for [differences](Self::differences), that sums have not
    /// overflowed does not count.
    fn equations(
        &mut self,
        shape: &Shape,
        numbers: &FxHashMap<Place, Term>,
        consequences: &mut Consequences,
    ) -> Vec<Equation> {
        let (mut held, mut constant) = (Vec::new(), Vec::new());
        for place in self.compared.counted(shape, &self.activations()) {
            let term = self.number(shape, numbers, place, consequences);
            let term = term.map(|term| self.without_choices(term, consequences));
            held.extend(term.map(|term| (place, term)));
            // That bounds say what a number is says what it is computed from.
            if let (Some(term), Some(&computed)) = (term, numbers.get(&place))
                && self.asker.pool().as_const(term).is_some()
                && self.is_certain(computed, consequences)
            {
                constant.push((self.reduced(computed, consequences), term));
            }
            if held.len() == MAX_COUNTED {
                break;
            }
        }
        if held.len() < 2 || self.is_late() {
            return Vec::new();
        }
        let conditions = [self.asker.known(), &consequences.conditions].concat();
        let mut equal = shape::equalities(self.asker.pool(), &conditions);
        equal.extend(constant);
        equal.extend(self.products(&held, &consequences.conditions));
        for (&(first, second), bounds) in shape.differences.iter().filter(|(_, b)| b.least == b.greatest) {
            let of = |place: Place| held.iter().find(|(known, _)| *known == place).map(|&(_, term)| term);
            if let (Some(a), Some(b)) = (of(first), of(second)) {
                let pool = self.asker.pool();
                let b = pool.sext(b, pool.width(a));
                let apart = pool.constant(bounds.width.into(), bounds.least.cast_unsigned());
                equal.push((a, pool.binary(BinOp::Add, b, apart)));
            }
        }
        let mut asked = 0;
        let mut ordered = shape::ordered(self.asker.pool(), &conditions);
        // What holds a constant is mostly known by its bounds.
        ordered.sort_by_key(|&(a, b)| [a, b].iter().any(|&term| self.asker.pool().as_const(term).is_some()));
        for (a, b) in ordered {
            if asked == MAX_ORDERED || self.is_late() {
                break;
            }
            let pool = self.asker.pool();
            let same = pool.cmp(CmpOp::Eq, a, b);
            if is_simple(pool, same) {
                asked += 1;
                if consequences.contain(&mut self.asker, same) {
                    equal.push((a, b));
                }
            }
        }
        shape::between(self.asker.pool(), &held, &equal)
    }

    /// What elements of rings hold that are constant. `is_valid` says whether places are the same in all executions of the schedule.
    fn elements(
        &mut self,
        (shape, numbers): (&Shape, &FxHashMap<Place, Term>),
        consequences: &mut Consequences,
        mut is_valid: impl FnMut(&mut Self, &mut Consequences, &Criterion) -> bool,
    ) -> Elements {
        let ending = self.ending;
        let mut found = Elements::new();
        let known = self.asker.known().to_vec();
        let equal = shape::equalities(self.asker.pool(), &known);
        // By ring.
        let mut valid: FxHashMap<Element, bool> = FxHashMap::default();
        for &(element, value, object) in &ending.left.elements {
            let is_next = element.back == 1 || found.contains_key(&Element { back: element.back - 1, ..element });
            if !is_next || self.is_late() {
                continue;
            }
            let bits = match value {
                SymValue::Constant(bits) => Some(bits),
                SymValue::Term(term) => {
                    let term = self.reduced(term, consequences);
                    self.constant(term, &equal, consequences)
                }
            };
            let Some(bits) = bits else { continue };
            let is_same = valid.entry(Element { back: 1, ..element }).or_insert_with(|| {
                // Which element it is must not be taken to be another one because a sum does not overflow.
                if self.number(shape, numbers, element.index, consequences).is_none() {
                    return false;
                }
                let most = element.length.place().and_then(|length| shape.bounds_of(length));
                let most = most.and_then(|bounds| u64::try_from(bounds.greatest).ok());
                let Some(bytes) = element.bytes_of(object, most) else { return false };
                let ring = ending.left.find_bytes(element.array, element.start, bytes);
                let places = element.places().map(|place| ending.left.find(place)).chain([ring]);
                let Some(places) = places.collect::<Option<Vec<Where>>>() else { return false };
                is_valid(self, consequences, &Criterion { places, points: ending.points.clone() })
            });
            if *is_same && self.is_inside(&element, (shape, numbers), consequences) {
                found.insert(element, bits);
            }
        }
        found
    }

    /// The constant that a term is under what is known, if there is one.
    fn constant(&mut self, term: Term, equal: &[(Term, Term)], consequences: &mut Consequences) -> Option<u64> {
        let width = self.asker.pool().width(term);
        let all = shape::constants(self.asker.pool(), term, equal);
        all.into_iter().take(MAX_CONSTANTS).find(|&bits| {
            let pool = self.asker.pool();
            let constant = pool.constant(width, bits);
            let same = pool.cmp(CmpOp::Eq, term, constant);
            consequences.contain(&mut self.asker, same)
        })
    }

    /// What a place holds that is a number, constant or not, and depends on no sum that may overflow.
    fn number(
        &mut self,
        shape: &Shape,
        numbers: &FxHashMap<Place, Term>,
        place: Place,
        consequences: &mut Consequences,
    ) -> Option<Term> {
        if let Some(&term) =
            numbers.get(&place).filter(|_| shape.bounds.get(&place).is_none_or(|b| b.least < b.greatest))
        {
            return self.is_certain(term, consequences).then(|| self.reduced(term, consequences));
        }
        let bounds = shape.bounds_of(place).filter(|b| b.least == b.greatest)?;
        Some(self.asker.pool().constant(bounds.width.into(), bounds.least.cast_unsigned()))
    }

    /// Whether no sum that a term is computed by overflows, under some conditions.
    fn is_certain(&mut self, term: Term, consequences: &mut Consequences) -> bool {
        let mut sums = self.ending.sums.get(&term).into_iter().flatten();
        sums.all(|&sum| consequences.contain(&mut self.asker, sum))
    }

    /// What is certain of numbers under some conditions, and where the epoch begins.
    fn ranges(&mut self, conditions: &[Term]) -> Ranges {
        let known = self.asker.known().to_vec();
        Ranges::under(self.asker.pool(), known.iter().chain(conditions).copied())
    }

    /// Where bounds may end of places whose numbers change from epoch to epoch: what the path has asked leaves to a number, if what is known
    /// of it where the epoch begins is forgotten. A guess, on which nothing depends but how soon bounds are as wide as they get.
    fn ends<'n>(
        &mut self,
        shape: &Shape,
        numbers: impl Iterator<Item = &'n (Place, Term)>,
        sure: &mut Ranges,
    ) -> BTreeMap<Place, Bounds> {
        let (known, pool) = (self.asker.known().to_vec(), self.asker.pool());
        let mut asked = decided(&self.ending.trace);
        for at in 0..asked.len() {
            asked.extend(not_passed(pool, asked[at], sure));
        }
        let mut found: FxHashMap<Term, Bounds> = FxHashMap::default();
        let mut ends = BTreeMap::new();
        for &(place, term) in numbers {
            let Some(bounds) = shape.bounds.get(&place).filter(|_| !matches!(pool.node(term), Node::Symbol { .. }))
            else {
                continue;
            };
            let end = *found.entry(term).or_insert_with(|| {
                let symbols = pool.symbols_of(term);
                let is_other = |fact: &&Term| pool.symbols_of(**fact).iter().all(|s| !symbols.contains(s));
                let conditions: Vec<Term> = known.iter().filter(is_other).chain(&asked).copied().collect();
                let range = Ranges::under(pool, conditions.iter().copied()).signed(pool, term);
                carried::rounded(bounds.width, &self.thresholds, range)
            });
            tracing::trace!(?place, end.least, end.greatest, "where a number may end");
            ends.insert(place, end);
        }
        ends
    }

    /// The bounds of a term under some conditions, of which `sure` is certain.
    fn bounds_under(&mut self, width: u8, term: Term, conditions: &[Term], sure: &mut Ranges) -> Bounds {
        let pool = self.asker.pool();
        // A number that has not changed keeps its bounds, and one that has got smaller mostly does.
        let mut among = self.thresholds.clone();
        for symbol in pool.postorder(&[term], |_| false) {
            if matches!(pool.node(symbol), Node::Symbol { .. }) && pool.width(symbol) == u32::from(width) {
                let (least, greatest) = sure.signed(pool, symbol);
                among.extend([least, greatest].into_iter().filter_map(|end| i64::try_from(end).ok()));
            }
        }
        among.sort_unstable();
        among.dedup();
        let sure = sure.signed(pool, term);
        carried::bounds(width, &among, sure, |bounds| self.is_within(bounds, term, conditions))
    }

    /// Whether a number is within bounds for certain.
    fn is_within(&mut self, bounds: Bounds, term: Term, conditions: &[Term]) -> bool {
        let holds = bounds.hold(self.asker.pool(), term);
        let outside = self.asker.pool().not(holds);
        self.asker.check(conditions, outside) == Answer::Unsat
    }
}
