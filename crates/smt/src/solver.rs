//! The solver interface of Bergan's figure 2.4, with "don't know" as a third answer.

use std::time::Duration;

use crate::bounds::ranges::Ranges;
use crate::terms::model::Model;
use crate::terms::node::Term;
use crate::terms::pool::TermPool;

/// Whether a query has a solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a satisfying assignment.
    Sat,
    /// There is none.
    Unsat,
    /// Not decided. To be treated as possibly satisfiable and reported, never as `Unsat`.
    Unknown(UnknownReason),
}

/// Whether a condition follows from the constraints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Validity {
    /// It holds under every assignment that satisfies the constraints.
    Valid,
    /// It fails under some assignment that satisfies the constraints.
    Invalid,
    /// Not decided.
    Unknown(UnknownReason),
}

/// Why a query was not decided.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum UnknownReason {
    /// The limit of the query was reached.
    Timeout,
    /// The solver's limit of steps or of memory was reached.
    ResourceLimit,
    /// The query has an operator the solver is not given ([`FpOp::FRem`](crate::FpOp::FRem)).
    Unsupported,
    /// The solver was interrupted from outside.
    Interrupted,
    /// The solver gave up for reasons of its own, or its model did not satisfy the query.
    Other,
}

/// Counters of a solver since it was made.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SolverStatistics {
    /// Queries asked of this solver.
    pub queries: u64,
    /// Queries that reached the back end.
    pub solved: u64,
    /// Queries (or independent parts of them) answered from the cache.
    pub cache_hits: u64,
    /// Queries (or parts) answered by a model found earlier.
    pub model_reuse_hits: u64,
    /// Queries (or parts) answered by a model that was guessed.
    pub guesses: u64,
    /// Queries not decided.
    pub unknown: u64,
    /// Time spent in the back end.
    pub solver_time: Duration,
}

impl SolverStatistics {
    /// Seconds spent in the back end.
    pub fn solver_seconds(&self) -> f64 {
        self.solver_time.as_secs_f64()
    }

    /// Adds the counters of another solver.
    pub fn add(&mut self, other: &SolverStatistics) {
        self.queries += other.queries;
        self.solved += other.solved;
        self.cache_hits += other.cache_hits;
        self.model_reuse_hits += other.model_reuse_hits;
        self.guesses += other.guesses;
        self.unknown += other.unknown;
        self.solver_time += other.solver_time;
    }

    /// What has been counted since `before`, an earlier state of the same counters.
    #[must_use]
    pub fn since(&self, before: &SolverStatistics) -> SolverStatistics {
        SolverStatistics {
            queries: self.queries - before.queries,
            solved: self.solved - before.solved,
            cache_hits: self.cache_hits - before.cache_hits,
            model_reuse_hits: self.model_reuse_hits - before.model_reuse_hits,
            guesses: self.guesses - before.guesses,
            unknown: self.unknown - before.unknown,
            solver_time: self.solver_time.saturating_sub(before.solver_time),
        }
    }
}

/// A decision procedure for conjunctions of `Bv(1)` terms.
///
/// `constraints` is a path condition: it grows and shrinks like a stack between queries, which solvers exploit by
/// keeping what the last query and this one have in common at the front.
pub trait Solver {
    /// Whether `constraints` and `extra` hold together under some assignment.
    fn check(&mut self, pool: &mut TermPool, constraints: &[Term], extra: Term) -> Answer;

    /// An assignment under which `constraints` and `extra` hold together; `None` when there is none. Symbols it does
    /// not mention are 0. The model has been checked with [`TermPool::eval`].
    ///
    /// # Errors
    ///
    /// The reason when the query was not decided.
    fn model(&mut self, pool: &mut TermPool, constraints: &[Term], extra: Term)
    -> Result<Option<Model>, UnknownReason>;

    /// [`Solver::model`] that gives up after `limit` when the solver's own limit is longer. A solver without limits may
    /// ignore it.
    ///
    /// # Errors
    ///
    /// The reason when the query was not decided.
    fn model_within(
        &mut self,
        pool: &mut TermPool,
        constraints: &[Term],
        extra: Term,
        limit: Duration,
    ) -> Result<Option<Model>, UnknownReason> {
        let _ = limit;
        self.model(pool, constraints, extra)
    }

    /// Whether comparisons of sums among conditions contradict each other as integers. `ranges` are those under the
    /// conditions. False where that is not found soon, and by a solver that knows no integers.
    fn contradict_as_integers(&mut self, pool: &TermPool, ranges: &mut Ranges, terms: &[Term]) -> bool {
        let _ = (pool, ranges, terms);
        false
    }

    /// Whether queries that are not decided soon are left undecided from now on. A solver with one way to decide
    /// ignores it.
    fn set_impatient(&mut self, is_impatient: bool) {
        let _ = is_impatient;
    }

    /// Whether somebody asked queries to [end](crate::Interrupt): then those that take time stay undecided.
    fn is_interrupted(&self) -> bool {
        false
    }

    /// The limit of a query; `None` when there is none, or the solver has none.
    fn time_limit(&self) -> Option<Duration> {
        None
    }

    /// Counters since the solver was made.
    fn statistics(&self) -> SolverStatistics;

    /// `isSat(C, e)` of figure 2.4: another name of [`Solver::check`].
    fn is_sat(&mut self, pool: &mut TermPool, constraints: &[Term], extra: Term) -> Answer {
        self.check(pool, constraints, extra)
    }

    /// `mayBeTrue(C, e)` of figure 2.4.
    fn may_be_true(&mut self, pool: &mut TermPool, constraints: &[Term], condition: Term) -> Answer {
        self.check(pool, constraints, condition)
    }

    /// `mustBeTrue(C, e)` of figure 2.4: whether the negation of `condition` has no solution. Under constraints without
    /// a solution everything is valid.
    fn must_be_true(&mut self, pool: &mut TermPool, constraints: &[Term], condition: Term) -> Validity {
        let negation = pool.not(condition);
        match self.check(pool, constraints, negation) {
            Answer::Sat => Validity::Invalid,
            Answer::Unsat => Validity::Valid,
            Answer::Unknown(reason) => Validity::Unknown(reason),
        }
    }

    /// The least unsigned value of `term` under `constraints`; `None` when they have no solution.
    ///
    /// One query per bit. Unlike a model it depends on nothing but the query, so it is what to concretise to when the
    /// result has to be the same in every run.
    ///
    /// # Errors
    ///
    /// The reason when one of the queries was not decided.
    fn least_value(
        &mut self,
        pool: &mut TermPool,
        constraints: &[Term],
        term: Term,
    ) -> Result<Option<u128>, UnknownReason> {
        if let Some(bits) = pool.as_const_wide(term) {
            return Ok(Some(bits));
        }
        let mut constraints = constraints.to_vec();
        let certain = pool.bool(true);
        if self.model(pool, &constraints, certain)?.is_none() {
            return Ok(None);
        }
        let mut value = 0;
        for bit in (0..pool.width(term)).rev() {
            let set = pool.extract(term, bit, bit);
            let clear = pool.not(set);
            let kept = match self.check(pool, &constraints, clear) {
                Answer::Sat => clear,
                Answer::Unsat => {
                    value |= 1 << bit;
                    set
                }
                Answer::Unknown(reason) => return Err(reason),
            };
            constraints.push(kept);
        }
        Ok(Some(value))
    }
}
