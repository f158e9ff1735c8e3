//! The solver in front of the solver: it takes queries apart, and runs the cache and the tactics on what is left.

use std::sync::Arc;
use std::time::Duration;

use crate::solver::{Answer, Solver, SolverStatistics, UnknownReason};
use crate::stack::cache::Verdict;
use crate::stack::independence::Slicer;
use crate::stack::propagate::Propagator;
use crate::stack::tactic::{Memory, Run};
use crate::tactics::TACTICS;
use crate::terms::model::Model;
use crate::terms::node::Term;
use crate::terms::pool::TermPool;

/// A solver stack in front of a solver: independence slicing, a cache of answers, and the tactics of `tactics`.
///
/// **`constraints` must be satisfiable** in every query, as a path condition is that grew by branches found feasible: a
/// query is answered from the constraints that share symbols with `extra`, and the dropped ones are taken to have a
/// solution. When an undecided branch was followed the assumption may be wrong; answers then err towards `Sat`
/// only. [`Solver::model`] solves all constraints and notices.
#[derive(Debug)]
pub struct CachingSolver<S> {
    inner: S,
    statistics: SolverStatistics,
    /// The pool of the last query.
    pool: Option<u64>,
    slicer: Slicer,
    memory: Memory,
    /// Whether a query that a short attempt does not decide is left undecided.
    is_impatient: bool,
}

impl<S: Solver> CachingSolver<S> {
    /// A stack in front of `inner`.
    pub fn new(inner: S) -> Self {
        CachingSolver {
            inner,
            statistics: SolverStatistics::default(),
            pool: None,
            slicer: Slicer::default(),
            memory: Memory::default(),
            is_impatient: false,
        }
    }

    /// The solver behind the stack.
    pub fn inner(&self) -> &S {
        &self.inner
    }

    /// The solver behind the stack, to change its limits.
    pub fn inner_mut(&mut self) -> &mut S {
        &mut self.inner
    }

    /// Whether all `conditions` hold together under some assignment; nothing is taken for granted of them. They may
    /// grow from call to call at their end.
    pub fn check_all(&mut self, pool: &mut TermPool, conditions: &[Term]) -> Answer {
        self.begin(pool);
        let answer = match self.memory.scratch.of::<Propagator>().propagate(pool, conditions) {
            Some(left) => self.run(pool).decide_parts(&left).answer(),
            None => Answer::Unsat,
        };
        self.count(answer)
    }

    /// Counts a query, and forgets everything when the pool is not the one of the last query.
    fn begin(&mut self, pool: &TermPool) {
        self.statistics.queries += 1;
        if self.pool != Some(pool.identity()) {
            self.pool = Some(pool.identity());
            self.slicer = Slicer::default();
            self.memory = Memory::default();
        }
    }

    fn run<'a>(&'a mut self, pool: &'a mut TermPool) -> Run<'a> {
        Run {
            pool,
            back_end: &mut self.inner,
            memory: &mut self.memory,
            statistics: &mut self.statistics,
            is_impatient: self.is_impatient,
            tactics: TACTICS,
        }
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

impl<S: Solver> Solver for CachingSolver<S> {
    fn check(&mut self, pool: &mut TermPool, constraints: &[Term], extra: Term) -> Answer {
        self.begin(pool);
        if let Some(answer) = self.trivial(pool, constraints, extra) {
            return answer;
        }
        let conjuncts = pool.conjuncts(extra);
        let answer = match conjuncts[..] {
            [single] => {
                let terms = self.slicer.slice(pool, constraints, single);
                self.run(pool).decide(&terms).answer()
            }
            _ => self.run(pool).decide_with(constraints, &conjuncts).answer(),
        };
        self.count(answer)
    }

    fn model(
        &mut self,
        pool: &mut TermPool,
        constraints: &[Term],
        extra: Term,
    ) -> Result<Option<Model>, UnknownReason> {
        self.begin(pool);
        let mut all: Vec<Term> = constraints.to_vec();
        all.push(extra);
        if all.iter().any(|&t| pool.is_false(t)) {
            return Ok(None);
        }
        all.retain(|&t| !pool.is_true(t));
        match self.run(pool).decide_parts(&all) {
            Verdict::Sat(model) => Ok(Some(Arc::unwrap_or_clone(model))),
            Verdict::Unsat => Ok(None),
            Verdict::Unknown(reason) => {
                self.count(Answer::Unknown(reason));
                Err(reason)
            }
        }
    }

    fn set_impatient(&mut self, is_impatient: bool) {
        if self.is_impatient && !is_impatient {
            self.memory.cache.forget_undecided();
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
