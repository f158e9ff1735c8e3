//! The solver in front of the solver: answers what needs no solving. After KLEE (Cadar et al., OSDI 2008, 3.3), with
//! these deviations: of subsets of cached queries only the path's own are looked up (its model is what the next condition
//! is tried with), of supersets none (the models of recent queries find most of what they would), and answers "unknown" are cached too, because asking again costs a timeout.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

use crate::cases::cases;
use crate::eval::Evaluation;
use crate::finite::{Finite, Tried};
use crate::given_up::{self, GivenUp, Patience};
use crate::guess::{Effort, Guesser};
use crate::implied::Reduced;
use crate::independence::{Dependence, Slicer};
use crate::local_search::{self, LocalSearch};
use crate::model::{Model, ModelValue};
use crate::node::Term;
use crate::order::Orders;
use crate::pool::TermPool;
use crate::propagate::Propagator;
use crate::ranges::Ranges;
use crate::relax::relax;
use crate::repair::Repairer;
use crate::solver::{Answer, Solver, SolverStatistics, UnknownReason};

/// Entries after which the older half of the cache is given up.
const MAX_ENTRIES: usize = 1 << 16;
/// Models tried on a query before it is solved.
const MAX_RECENT: usize = 16;
/// Values remembered per recent model.
const MAX_REMEMBERED: usize = 1 << 17;

/// Models that a guess starts from.
const MAX_BASES: usize = 3;
/// Newest constraints that may be missing in the query whose model is built on.
const MAX_MISSING: usize = 3;
/// Terms evaluated where values are tried: before anything else, and where no model was found.
const FEW: usize = 1 << 12;
const MORE: usize = 1 << 16;
/// Nodes of a query that is large, and of one that is too large to guess about; how often each node is evaluated.
const LARGE: usize = 1_000;
const TOO_LARGE: usize = 50_000;
const EVALUATIONS: u64 = 32;
/// The guess before the back end is asked: less work than asking.
const LIGHT: Effort = Effort { nodes: 2_000, evaluations: 10_000, invert: false };
/// The guess before the back end is asked about hashes, of which it hardly ever knows anything.
const MIXED: Effort = Effort { evaluations: 200_000, ..LIGHT };
/// The guess when the back end did not know in a short time.
const DEEP: Effort = Effort { nodes: 50_000, evaluations: 8_000_000, invert: true };
/// The local search before the back end is asked, and when it did not know in a short time.
const QUICK: local_search::Effort = local_search::Effort { nodes: 20_000, evaluations: 5_000 };
const LONG: local_search::Effort = local_search::Effort { nodes: 50_000, evaluations: 2_000_000 };
/// Cases of cases of a query, and how many of them are decided before it is left to others.
const MAX_NESTING: u32 = 2;
const MAX_CASES: u32 = 1024;
/// Conjunctions without disjunctions that a query is split into, and the choices on the way.
const MAX_CUBES: u32 = 16;
const MAX_CHOICES: u32 = 256;
/// Queries that take longer are told of in the log.
const SLOW: Duration = Duration::from_millis(20);
/// The first limit for the back end.
const SHORT: Duration = Duration::from_millis(40);

/// The limit for conditions without products, quotients and remainders: where it is short, it is in vain.
const RELAXED: Duration = Duration::from_millis(300);

/// What is known about a set of constraints.
#[derive(Clone, Debug)]
enum Known {
    Sat(Arc<Model>),
    Unsat,
    Unknown(UnknownReason),
}

impl Known {
    fn answer(&self) -> Answer {
        match *self {
            Known::Sat(_) => Answer::Sat,
            Known::Unsat => Answer::Unsat,
            Known::Unknown(reason) => Answer::Unknown(reason),
        }
    }
}

/// A cache in front of a solver: independence slicing, exact cache, reuse of recent models, guessed models.
///
/// **`constraints` must be satisfiable** in every query, as a path condition is that grew by branches found feasible: a
/// query is answered from the constraints that share symbols with `extra`, and the dropped ones are taken to have a
/// solution. When an undecided branch was followed the assumption may be wrong; answers then err towards `Sat`
/// only. [`Solver::model`] solves all constraints and notices.
#[derive(Debug)]
pub struct CachingSolver<S> {
    inner: S,
    statistics: SolverStatistics,
    pool: Option<u64>,
    /// Keys are sorted sets of terms. Two generations: what is used moves to the young one.
    young: FxHashMap<Box<[Term]>, Known>,
    old: FxHashMap<Box<[Term]>, Known>,
    recent: VecDeque<(Arc<Model>, Evaluation)>,
    guesser: Guesser,
    repairer: Repairer,
    local_search: LocalSearch,
    slicer: Slicer,
    propagator: Propagator,
    finite: Finite,
    given_up: GivenUp,
    /// Queries under way that are decided case by case.
    nesting: u32,
    /// Their cases so far.
    cases: u32,
    /// Whether a query that a short attempt does not decide is left undecided.
    is_impatient: bool,
}

impl<S: Solver> CachingSolver<S> {
    /// A cache in front of `inner`.
    pub fn new(inner: S) -> Self {
        CachingSolver {
            inner,
            statistics: SolverStatistics::default(),
            pool: None,
            young: FxHashMap::default(),
            old: FxHashMap::default(),
            recent: VecDeque::new(),
            guesser: Guesser::default(),
            repairer: Repairer::default(),
            local_search: LocalSearch::default(),
            slicer: Slicer::default(),
            propagator: Propagator::default(),
            finite: Finite::default(),
            given_up: GivenUp::default(),
            is_impatient: false,
            nesting: 0,
            cases: 0,
        }
    }

    /// The solver behind the cache.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    /// The solver behind the cache, to change its limits.
    pub fn inner_mut(&mut self) -> &mut S {
        &mut self.inner
    }

    /// Whether all `conditions` hold together under some assignment; nothing is taken for granted of them. They may grow from call to call at their
    /// end.
    pub fn check_all(&mut self, pool: &mut TermPool, conditions: &[Term]) -> Answer {
        self.statistics.queries += 1;
        self.meet(pool);
        let answer = match self.propagator.propagate(pool, conditions) {
            Some(left) => self.decide_parts(pool, &left).answer(),
            None => Answer::Unsat,
        };
        self.count(answer)
    }

    /// Forgets everything when the pool is not the one of the last query.
    fn meet(&mut self, pool: &TermPool) {
        if self.pool != Some(pool.identity()) {
            self.pool = Some(pool.identity());
            self.young.clear();
            self.old.clear();
            self.recent.clear();
            self.given_up.clear();
            self.guesser = Guesser::default();
            self.repairer = Repairer::default();
            self.local_search = LocalSearch::default();
            self.slicer = Slicer::default();
            self.propagator = Propagator::default();
            // The first guess: everything is zero.
            self.recent.push_back((Arc::new(Model::new()), Evaluation::default()));
        }
    }

    /// What is known about the conjunction of `terms`, which are in the order of the path.
    fn decide(&mut self, pool: &mut TermPool, terms: &[Term]) -> Known {
        let mut key = terms.to_vec();
        key.sort_unstable();
        key.dedup();
        let key: Box<[Term]> = key.into();
        if let Some(known) = self.young.get(&key) {
            self.statistics.cache_hits += 1;
            return known.clone();
        }
        let known = if let Some(known) = self.old.remove(&key) {
            self.statistics.cache_hits += 1;
            known
        } else if self.inner.is_interrupted() {
            return Known::Unknown(UnknownReason::Interrupted);
        } else {
            self.search(pool, terms, &key)
        };
        if self.young.len() >= MAX_ENTRIES / 2 {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, known.clone());
        known
    }

    /// Decides what was not asked before, the cheapest way first.
    fn search(&mut self, pool: &mut TermPool, terms: &[Term], key: &[Term]) -> Known {
        let base = self.base(pool, terms);
        if let Some(model) = &base {
            if self.repairer.holds(pool, terms[terms.len() - 1], model) {
                self.statistics.model_reuse_hits += 1;
                self.use_again(model);
                return Known::Sat(model.clone());
            }
            if let Some(repaired) = self.repairer.repair(pool, terms, model) {
                return self.guessed(repaired);
            }
        }
        match self.reuse_model(pool, key) {
            Some(model) => {
                self.statistics.model_reuse_hits += 1;
                self.use_again(&model);
                Known::Sat(model)
            }
            None => {
                let start = Instant::now();
                let known = self.solve(pool, terms, key, base);
                tell(pool, terms, &known, start.elapsed());
                known
            }
        }
    }

    /// A model of all terms but the newest: the one that was found when the last of them was new. The newest of them may
    /// have been implied, and not asked about; then the model is an older one.
    fn base(&self, pool: &TermPool, terms: &[Term]) -> Option<Arc<Model>> {
        let constraints = &terms[..terms.len() - 1];
        for n in (1..=constraints.len()).rev().take(MAX_MISSING + 1) {
            let mut key = constraints[..n].to_vec();
            key.sort_unstable();
            key.dedup();
            if let Some(Known::Sat(model)) = self.young.get(&key[..]).or_else(|| self.old.get(&key[..])) {
                return constraints[n..].iter().all(|&t| pool.eval_bool(t, model)).then(|| model.clone());
            }
        }
        None
    }

    /// Looks for a model for a short time, then asks.
    fn solve(&mut self, pool: &mut TermPool, terms: &[Term], key: &[Term], base: Option<Arc<Model>>) -> Known {
        let Some(left) = self.propagator.propagate(pool, terms) else { return Known::Unsat };
        if left != terms {
            let known = self.decide_parts(pool, &left);
            if !matches!(known, Known::Unknown(_)) {
                return known;
            }
        }
        let mut ranges = Ranges::under(pool, terms.iter().copied());
        if ranges.is_contradiction() || disordered(pool, terms) {
            return Known::Unsat;
        }
        let is_unfinished = match self.finite.decide(pool, terms, &mut ranges, FEW) {
            Tried::Contradiction => return Known::Unsat,
            Tried::Model(model) => return self.guessed(model),
            Tried::Nothing => false,
            Tried::Unfinished => true,
        };
        if self.contradicts_nearby(pool, terms) {
            return Known::Unsat;
        }
        if let Some(known) = self.guess(pool, terms, base.clone(), LIGHT) {
            return known;
        }
        if let Some(known) = self.search_locally(pool, terms, base.clone(), QUICK) {
            return known;
        }
        let reduced = Reduced::new(pool, terms);
        let Some((&extra, constraints)) = reduced.terms.split_last() else {
            return self.completed(pool, terms, &reduced, Model::new());
        };
        if reduced.is_false(pool) {
            return Known::Unsat;
        }
        if !reduced.is_all() {
            ranges = Ranges::under(pool, reduced.terms.iter().copied());
            if ranges.is_contradiction() {
                return Known::Unsat;
            }
        }
        if is_unfinished || !reduced.is_all() {
            match self.finite.decide(pool, &reduced.terms, &mut ranges, MORE) {
                Tried::Contradiction => return Known::Unsat,
                Tried::Model(model) => return self.completed_guess(pool, terms, &reduced, model),
                Tried::Nothing | Tried::Unfinished => {}
            }
        }
        let of_cubes = self.decide_by_cubes(pool, &reduced.terms);
        if let Some(known) = of_cubes.or_else(|| self.decide_by_cases(pool, &reduced.terms)) {
            return match known {
                Known::Sat(model) => self.completed(pool, terms, &reduced, Model::clone(&model)),
                known => known,
            };
        }
        if self.inner.contradict_as_integers(pool, &mut ranges, &reduced.terms) {
            return Known::Unsat;
        }
        if let Some(known) = self.decide_solved(pool, terms, &reduced) {
            return known;
        }
        if given_up::is_mix(pool, terms)
            && let Some(known) = self.guess(pool, terms, base.clone(), MIXED)
        {
            return known;
        }
        if let Some(known) = self.guess_reduced(pool, terms, &reduced) {
            return known;
        }
        let failures = self.given_up.within(key);
        let short = SHORT / 2u32.pow(failures.min(2));
        let relaxed = RELAXED / 2u32.pow(failures.min(4));
        if self.contradicts(pool, &reduced.terms, relaxed) {
            return Known::Unsat;
        }
        let mut outcome = self.inner.model_within(pool, constraints, extra, short);
        if let Err(reason) = outcome
            && reason != UnknownReason::Interrupted
            && !self.is_impatient
        {
            if let Some(known) = self.search_longer(pool, terms, base, failures) {
                return known;
            }
            if reason == UnknownReason::Timeout {
                outcome = match given_up::patience(pool, &reduced.terms, failures, self.inner.time_limit()) {
                    Patience::Own => self.inner.model(pool, constraints, extra),
                    Patience::Limit(limit) => self.inner.model_within(pool, constraints, extra, limit),
                    Patience::None => outcome,
                };
            }
        }
        match outcome {
            Ok(Some(model)) => self.completed(pool, terms, &reduced, model),
            Ok(None) => Known::Unsat,
            Err(reason) => {
                if reason == UnknownReason::Timeout && !self.is_impatient {
                    self.given_up.add(&terms[..terms.len() - 1]);
                }
                Known::Unknown(reason)
            }
        }
    }

    /// Whether the newest term contradicts those that speak of nothing but what it does. They are few, and the same on many paths,
    /// so that the answer is often known already.
    fn contradicts_nearby(&mut self, pool: &mut TermPool, terms: &[Term]) -> bool {
        let Some((&newest, others)) = terms.split_last() else { return false };
        let symbols = pool.symbols_of(newest);
        let is_near = |&&t: &&Term| pool.symbols_of(t).iter().all(|s| symbols.binary_search(s).is_ok());
        let mut near: Vec<Term> = others.iter().filter(is_near).copied().collect();
        if near.len() == others.len() {
            return false;
        }
        near.push(newest);
        matches!(self.decide(pool, &near), Known::Unsat)
    }

    /// Decides conditions of which nothing is known: what shares no symbols is decided apart.
    fn decide_parts(&mut self, pool: &mut TermPool, conditions: &[Term]) -> Known {
        self.decide_with(pool, &[], conditions)
    }

    /// Decides conditions together with `constraints`, which hold together under some assignment: of what shares no symbols each part with a
    /// condition is decided apart. The model says nothing of the other parts.
    fn decide_with(&mut self, pool: &mut TermPool, constraints: &[Term], conditions: &[Term]) -> Known {
        let all = [constraints, conditions].concat();
        let mut parts = Dependence::new(pool, &all);
        let (mut model, mut undecided) = (Model::new(), None);
        while let Some(part) = parts.take_next() {
            if part.last().is_none_or(|&last| last < constraints.len()) {
                continue;
            }
            let terms: Vec<Term> = part.into_iter().map(|index| all[index]).collect();
            match self.decide(pool, &terms) {
                Known::Sat(found) => copy_values(pool, &terms, &found, &mut model),
                Known::Unsat => return Known::Unsat,
                Known::Unknown(reason) => undecided = undecided.or(Some(reason)),
            }
        }
        undecided.map_or_else(|| self.found(model), Known::Unknown)
    }

    /// Decides what is left where equations are solved, if there are any.
    fn decide_solved(&mut self, pool: &mut TermPool, terms: &[Term], reduced: &Reduced) -> Option<Known> {
        let solved = reduced.solved(pool)?;
        if solved.is_false(pool) {
            return Some(Known::Unsat);
        }
        Some(match self.decide_parts(pool, &solved.terms) {
            Known::Sat(model) => self.completed(pool, terms, &solved, Model::clone(&model)),
            known => known,
        })
    }

    /// Decides by splitting disjunctions until there are none: what is left of a choice falls apart into parts, most of which were decided for other
    /// choices and other queries. Nothing if there is no disjunction, or that would take long.
    fn decide_by_cubes(&mut self, pool: &mut TermPool, terms: &[Term]) -> Option<Known> {
        self.propagator.shortest_clause(pool, terms)?;
        let mut budget = Budget { cubes: MAX_CUBES, choices: MAX_CHOICES };
        self.split(pool, terms, &mut budget)
    }

    /// The same with what is left of a budget.
    fn split(&mut self, pool: &mut TermPool, terms: &[Term], budget: &mut Budget) -> Option<Known> {
        let Some((at, disjuncts)) = self.propagator.shortest_clause(pool, terms) else {
            budget.cubes = budget.cubes.checked_sub(1)?;
            let known = self.decide_parts(pool, terms);
            return (!matches!(known, Known::Unknown(_))).then_some(known);
        };
        let mut chosen = terms.to_vec();
        for disjunct in disjuncts {
            budget.choices = budget.choices.checked_sub(1)?;
            chosen[at] = disjunct;
            if let Some(left) = self.propagator.propagate(pool, &chosen)
                && !contradict(pool, &left)
                && let Known::Sat(model) = self.split(pool, &left, budget)?
            {
                return Some(Known::Sat(model));
            }
            // The others are looked at where this one does not hold.
            chosen.push(pool.not(disjunct));
        }
        Some(Known::Unsat)
    }

    /// Decides each case of its own, if there are any and they can be told apart by the amount of a shift. What is left of them is the same
    /// for many queries of a path.
    fn decide_by_cases(&mut self, pool: &mut TermPool, terms: &[Term]) -> Option<Known> {
        if self.nesting >= MAX_NESTING || self.is_impatient {
            return None;
        }
        let cases = cases(pool, terms)?;
        if self.nesting == 0 {
            self.cases = 0;
        }
        self.nesting += 1;
        let mut known = Some(Known::Unsat);
        for case in cases {
            self.cases += 1;
            if self.cases > MAX_CASES {
                known = None;
                break;
            }
            match self.decide(pool, &case) {
                Known::Sat(model) if terms.iter().all(|&t| pool.eval_bool(t, &model)) => {
                    known = Some(Known::Sat(model));
                    break;
                }
                Known::Unsat => {}
                Known::Sat(_) | Known::Unknown(_) => {
                    known = None;
                    break;
                }
            }
        }
        self.nesting -= 1;
        known
    }

    /// Whether conditions contradict each other whatever their products and quotients are.
    fn contradicts(&mut self, pool: &mut TermPool, terms: &[Term], limit: Duration) -> bool {
        let relaxed = relax(pool, terms).unwrap_or_default();
        let Some((&extra, constraints)) = relaxed.split_last() else { return false };
        pool.is_false(extra) || matches!(self.inner.model_within(pool, constraints, extra, limit), Ok(None))
    }

    /// Looks for a model for as long as the back end may take; less after failures under the same constraints.
    fn search_longer(
        &mut self,
        pool: &TermPool,
        terms: &[Term],
        base: Option<Arc<Model>>,
        failures: u32,
    ) -> Option<Known> {
        if self.inner.is_interrupted() {
            return None;
        }
        let less = |evaluations: u64| (evaluations >> failures.min(63)).max(evaluations / 64);
        let long = local_search::Effort { evaluations: less(LONG.evaluations), ..LONG };
        let deep = Effort { evaluations: less(DEEP.evaluations), ..DEEP };
        let found = self.search_locally(pool, terms, base.clone(), long);
        found.or_else(|| self.guess(pool, terms, base, deep))
    }

    /// Guesses a model of what is left of a query that is large: bits are set soon beside what it takes to lay them all out.
    fn guess_reduced(&mut self, pool: &TermPool, terms: &[Term], reduced: &Reduced) -> Option<Known> {
        let nodes = pool.postorder(&reduced.terms, |_| false).len();
        if !(LARGE..=TOO_LARGE).contains(&nodes) {
            return None;
        }
        let effort = local_search::Effort { nodes, evaluations: EVALUATIONS * nodes as u64 };
        let none: [Arc<Model>; 0] = [];
        let plain = Guesser::plainest(pool, &reduced.terms, nodes);
        let model = plain.or_else(|| self.local_search.search(pool, &reduced.terms, &none, effort))?;
        Some(self.completed_guess(pool, terms, reduced, model))
    }

    fn completed_guess(&mut self, pool: &TermPool, terms: &[Term], reduced: &Reduced, model: Model) -> Known {
        self.statistics.guesses += 1;
        self.completed(pool, terms, reduced, model)
    }

    /// A model of what was left of a query, made one of the query.
    fn completed(&mut self, pool: &TermPool, terms: &[Term], reduced: &Reduced, mut model: Model) -> Known {
        reduced.complete(pool, &mut model);
        debug_assert!(terms.iter().all(|&t| pool.eval_bool(t, &model)));
        self.found(model)
    }

    fn found(&mut self, model: Model) -> Known {
        let model = Arc::new(model);
        self.recent.push_front((model.clone(), Evaluation::default()));
        self.recent.truncate(MAX_RECENT);
        Known::Sat(model)
    }

    fn guessed(&mut self, model: Model) -> Known {
        self.statistics.guesses += 1;
        self.found(model)
    }

    /// Guesses a model, starting from `base` and recent ones under which the constraints hold.
    fn guess(&mut self, pool: &TermPool, terms: &[Term], base: Option<Arc<Model>>, effort: Effort) -> Option<Known> {
        let constraints = &terms[..terms.len() - 1];
        let holds = |(model, known): &mut (Arc<Model>, Evaluation)| {
            constraints.iter().all(|&t| pool.eval_with(t, model, known) == 1).then(|| model.clone())
        };
        let recent = self.recent.iter_mut().filter_map(holds);
        let mut bases: Vec<Arc<Model>> = base.into_iter().chain(recent).take(MAX_BASES).collect();
        if bases.is_empty() {
            bases.extend(self.recent.front().map(|(model, _)| model.clone()));
        }
        let model = self.guesser.guess(pool, terms, &bases, effort)?;
        Some(self.guessed(model))
    }

    /// Searches a model from `base` and recent ones.
    fn search_locally(
        &mut self,
        pool: &TermPool,
        terms: &[Term],
        base: Option<Arc<Model>>,
        effort: local_search::Effort,
    ) -> Option<Known> {
        let recent = self.recent.iter().map(|(model, _)| model.clone());
        let bases: Vec<Arc<Model>> = base.into_iter().chain(recent).take(MAX_BASES).collect();
        let model = self.local_search.search(pool, terms, &bases, effort)?;
        Some(self.guessed(model))
    }

    /// Makes a model the most recent one.
    fn use_again(&mut self, model: &Arc<Model>) {
        let at = self.recent.iter().position(|(m, _)| Arc::ptr_eq(m, model));
        let known = at.and_then(|at| self.recent.remove(at)).unwrap_or_else(|| (model.clone(), Evaluation::default()));
        self.recent.push_front(known);
        self.recent.truncate(MAX_RECENT);
    }

    /// A recent model under which all terms hold.
    fn reuse_model(&mut self, pool: &TermPool, terms: &[Term]) -> Option<Arc<Model>> {
        let holds = |(model, known): &mut (Arc<Model>, Evaluation)| {
            if known.len() > MAX_REMEMBERED {
                *known = Evaluation::default();
            }
            // What is known not to hold need not be found out again, nor what else does.
            let fails = terms.iter().any(|&t| known.value(t) == Some(0));
            !fails && terms.iter().rev().all(|&t| pool.eval_with(t, model, known) == 1)
        };
        self.recent.iter_mut().find_map(|entry| holds(entry).then(|| entry.0.clone()))
    }

    /// The answer that needs no look at the constraints' meaning.
    fn trivial(&self, pool: &mut TermPool, constraints: &[Term], extra: Term) -> Option<Answer> {
        if pool.is_false(extra) {
            return Some(Answer::Unsat);
        }
        if pool.is_true(extra) || constraints.contains(&extra) {
            return Some(Answer::Sat);
        }
        let negation = pool.not(extra);
        constraints.contains(&negation).then_some(Answer::Unsat)
    }

    fn count(&mut self, answer: Answer) -> Answer {
        self.statistics.unknown += u64::from(matches!(answer, Answer::Unknown(_)));
        answer
    }
}

/// What splitting disjunctions may take.
struct Budget {
    cubes: u32,
    choices: u32,
}

/// Whether conditions contradict each other at sight.
fn contradict(pool: &TermPool, terms: &[Term]) -> bool {
    disordered(pool, terms) || Ranges::contradict(pool, terms)
}

/// Whether nothing can be in the order that conditions say.
fn disordered(pool: &TermPool, terms: &[Term]) -> bool {
    Orders::of(pool, terms.iter().copied()).contradict(pool, terms)
}

/// Tells of a query that took long.
fn tell(pool: &TermPool, terms: &[Term], known: &Known, took: Duration) {
    if took < SLOW || !tracing::enabled!(tracing::Level::DEBUG) {
        return;
    }
    let answer = match known {
        Known::Sat(_) => "sat",
        Known::Unsat => "unsat",
        Known::Unknown(_) => "unknown",
    };
    let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    tracing::debug!(ms, answer, terms = terms.len(), "slow query");
    if let Ok(script) = crate::smtlib::script(pool, terms) {
        tracing::trace!("{}", script.text);
    }
}

impl<S: Solver> Solver for CachingSolver<S> {
    fn check(&mut self, pool: &mut TermPool, constraints: &[Term], extra: Term) -> Answer {
        self.statistics.queries += 1;
        self.meet(pool);
        if let Some(answer) = self.trivial(pool, constraints, extra) {
            return answer;
        }
        let conjuncts = pool.conjuncts(extra);
        let answer = match conjuncts[..] {
            [single] => {
                let terms = self.slicer.slice(pool, constraints, single);
                self.decide(pool, &terms).answer()
            }
            _ => self.decide_with(pool, constraints, &conjuncts).answer(),
        };
        self.count(answer)
    }

    fn model(
        &mut self,
        pool: &mut TermPool,
        constraints: &[Term],
        extra: Term,
    ) -> Result<Option<Model>, UnknownReason> {
        self.statistics.queries += 1;
        self.meet(pool);
        let mut all: Vec<Term> = constraints.to_vec();
        all.push(extra);
        if all.iter().any(|&t| pool.is_false(t)) {
            return Ok(None);
        }
        all.retain(|&t| !pool.is_true(t));
        match self.decide_parts(pool, &all) {
            Known::Sat(model) => Ok(Some(Arc::unwrap_or_clone(model))),
            Known::Unsat => Ok(None),
            Known::Unknown(reason) => {
                self.count(Answer::Unknown(reason));
                Err(reason)
            }
        }
    }

    fn set_impatient(&mut self, is_impatient: bool) {
        if self.is_impatient && !is_impatient {
            // It deserves another try.
            for known in [&mut self.young, &mut self.old] {
                known.retain(|_, known| !matches!(known, Known::Unknown(_)));
            }
        }
        self.is_impatient = is_impatient;
    }

    fn is_interrupted(&self) -> bool {
        self.inner.is_interrupted()
    }

    fn time_limit(&self) -> Option<Duration> {
        self.inner.time_limit()
    }

    fn statistics(&self) -> SolverStatistics {
        let inner = self.inner.statistics();
        SolverStatistics {
            queries: self.statistics.queries,
            unknown: self.statistics.unknown,
            cache_hits: self.statistics.cache_hits + inner.cache_hits,
            model_reuse_hits: self.statistics.model_reuse_hits + inner.model_reuse_hits,
            guesses: self.statistics.guesses + inner.guesses,
            solved: inner.solved,
            solver_time: inner.solver_time,
        }
    }
}

/// Copies the values of the symbols in `terms`: a reused model may hold values of other parts' symbols.
fn copy_values(pool: &TermPool, terms: &[Term], from: &Model, to: &mut Model) {
    for &t in terms {
        for &symbol in pool.symbols_of(t).iter() {
            let name = pool.symbol_name(symbol).expect("symbols have names");
            match from.get_sized(name, pool.width(symbol)) {
                Some(ModelValue::Bv { width, bits }) => to.set(name, *width, *bits),
                Some(ModelValue::Array(array)) => to.set_array(name, array.clone()),
                None => {}
            }
        }
    }
}
