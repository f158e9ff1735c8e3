//! A tactic, and the pipeline that runs tactics one after the other.
//!
//! ```text
//! decide: cache -> tactic 1 -> tactic 2 -> ... -> cache
//! ```
//!
//! A tactic answers a query, or leaves it to the next one. It may ask queries of its own, which go through the cache
//! and all tactics in turn. The list of tactics comes from outside: `tactics` has it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::budgets::BUDGETS;
use crate::solver::{Solver, SolverStatistics, UnknownReason};
use crate::stack::cache::{Cache, Verdict, key_of};
use crate::stack::implied_values::Reduced;
use crate::stack::independence::Dependence;
use crate::stack::patience::GivenUp;
use crate::stack::query::Query;
use crate::stack::recent_models::RecentModels;
use crate::stack::scratch::Scratch;
use crate::terms::model::{Model, ModelValue};
use crate::terms::node::Term;
use crate::terms::pool::TermPool;
use crate::terms::smtlib;

/// One way to decide queries.
pub(crate) trait Tactic: Sync {
    /// Its name in the log.
    fn name(&self) -> &'static str;

    /// Decides the query, or leaves it to the next tactic with `None`. What it notes in the query, later ones see.
    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict>;
}

/// A tactic in its place.
pub(crate) struct Row {
    /// The tactic.
    pub(crate) tactic: &'static dyn Tactic,
    /// Why it stands where it does.
    pub(crate) reason: &'static str,
}

/// What is kept between queries about one pool.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Verdicts of earlier queries.
    pub(crate) cache: Cache,
    /// Models of earlier queries.
    pub(crate) recent: RecentModels,
    /// Conditions that were given up on.
    pub(crate) given_up: GivenUp,
    /// Whatever tactics keep.
    pub(crate) scratch: Scratch,
}

/// What tactics work with while a query is decided.
pub(crate) struct Run<'a> {
    /// The pool of the query's terms.
    pub(crate) pool: &'a mut TermPool,
    /// The solver behind all tactics.
    pub(crate) back_end: &'a mut dyn Solver,
    /// What is kept between queries.
    pub(crate) memory: &'a mut Memory,
    /// Counters.
    pub(crate) statistics: &'a mut SolverStatistics,
    /// Whether a query that a short attempt does not decide is left undecided.
    pub(crate) is_impatient: bool,
    /// The tactics, in their order.
    pub(crate) tactics: &'static [Row],
}

impl Run<'_> {
    /// What is known about the conjunction of `conditions`, which are in the order of the path.
    pub(crate) fn decide(&mut self, conditions: &[Term]) -> Verdict {
        let key = key_of(conditions);
        if let Some(verdict) = self.memory.cache.get(&key) {
            self.statistics.cache_hits += 1;
            return verdict;
        }
        if self.back_end.is_interrupted() {
            return Verdict::Unknown(UnknownReason::Interrupted);
        }
        let own_model = self.own_model(conditions);
        let verdict = self.run_tactics(&mut Query::new(conditions, &key, own_model));
        self.memory.cache.insert(key, verdict.clone());
        verdict
    }

    /// The verdict of the first tactic that has one.
    fn run_tactics(&mut self, query: &mut Query<'_>) -> Verdict {
        let start = Instant::now();
        for Row { tactic, .. } in self.tactics {
            if let Some(verdict) = tactic.decide(self, query) {
                log_slow(self.pool, query.conditions, &verdict, tactic.name(), start.elapsed());
                return verdict;
            }
        }
        Verdict::Unknown(query.undecided.unwrap_or(UnknownReason::Other))
    }

    /// A model of all conditions but the newest: the one that was found when the last of them was new. The newest of
    /// them may have been implied, and not asked about; then the model is an older one.
    fn own_model(&self, conditions: &[Term]) -> Option<Arc<Model>> {
        let older = &conditions[..conditions.len() - 1];
        for n in (1..=older.len()).rev().take(BUDGETS.cache.missing_conditions + 1) {
            if let Some(model) = self.memory.cache.model(&key_of(&older[..n])) {
                return older[n..].iter().all(|&t| self.pool.eval_bool(t, model)).then(|| model.clone());
            }
        }
        None
    }

    /// Decides conditions of which nothing is known: what shares no symbols is decided apart.
    pub(crate) fn decide_parts(&mut self, conditions: &[Term]) -> Verdict {
        self.decide_with(&[], conditions)
    }

    /// Decides conditions together with `constraints`, which hold together under some assignment: of what shares no
    /// symbols each part with a condition is decided apart. The model says nothing of the other parts.
    pub(crate) fn decide_with(&mut self, constraints: &[Term], conditions: &[Term]) -> Verdict {
        let all = [constraints, conditions].concat();
        let mut parts = Dependence::new(self.pool, &all);
        let (mut model, mut undecided) = (Model::new(), None);
        while let Some(part) = parts.take_next() {
            if part.last().is_none_or(|&last| last < constraints.len()) {
                continue;
            }
            let terms: Vec<Term> = part.into_iter().map(|index| all[index]).collect();
            match self.decide(&terms) {
                Verdict::Sat(found) => copy_values(self.pool, &terms, &found, &mut model),
                Verdict::Unsat => return Verdict::Unsat,
                Verdict::Unknown(reason) => undecided = undecided.or(Some(reason)),
            }
        }
        undecided.map_or_else(|| self.found(model), Verdict::Unknown)
    }

    /// The verdict of a model of all conditions, which becomes the most recent one.
    pub(crate) fn found(&mut self, model: Model) -> Verdict {
        let model = Arc::new(model);
        self.memory.recent.push(model.clone());
        Verdict::Sat(model)
    }

    /// The same of a model that was found by trying.
    pub(crate) fn guessed(&mut self, model: Model) -> Verdict {
        self.statistics.guesses += 1;
        self.found(model)
    }

    /// The same of a model that an earlier query has.
    pub(crate) fn reused(&mut self, model: Arc<Model>) -> Verdict {
        self.statistics.model_reuse_hits += 1;
        self.memory.recent.use_again(&model);
        Verdict::Sat(model)
    }

    /// The verdict of a model of a query's [rest](Query::rest).
    pub(crate) fn completed(&mut self, query: &Query<'_>, mut model: Model) -> Verdict {
        query.complete(self.pool, &mut model);
        self.found(model)
    }

    /// The same of a model that was found by trying.
    pub(crate) fn completed_guess(&mut self, query: &Query<'_>, model: Model) -> Verdict {
        self.statistics.guesses += 1;
        self.completed(query, model)
    }

    /// The verdict of a query, from the one of its rest, or of a reduction of that.
    pub(crate) fn completed_verdict(&mut self, reduced: Option<&Reduced>, verdict: Verdict) -> Verdict {
        match verdict {
            Verdict::Sat(model) => {
                let mut model = Model::clone(&model);
                if let Some(reduced) = reduced {
                    reduced.complete(self.pool, &mut model);
                }
                self.found(model)
            }
            verdict => verdict,
        }
    }
}

/// Logs a query that took long.
fn log_slow(pool: &TermPool, conditions: &[Term], verdict: &Verdict, tactic: &str, took: Duration) {
    if took < BUDGETS.patience.slow || !tracing::enabled!(tracing::Level::DEBUG) {
        return;
    }
    let answer = match verdict {
        Verdict::Sat(_) => "sat",
        Verdict::Unsat => "unsat",
        Verdict::Unknown(_) => "unknown",
    };
    let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    tracing::debug!(ms, answer, tactic, terms = conditions.len(), "slow query");
    if let Ok(script) = smtlib::script(pool, conditions) {
        tracing::trace!("{}", script.text);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::node::CmpOp;
    use crate::z3_backend::Z3Solver;

    /// Refutes what has one condition.
    struct OneCondition;

    /// Refutes what the conditions without the newest one contradict already.
    struct OlderConditions;

    impl Tactic for OneCondition {
        fn name(&self) -> &'static str {
            "one condition"
        }

        fn decide(&self, _: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
            (query.conditions.len() == 1).then_some(Verdict::Unsat)
        }
    }

    impl Tactic for OlderConditions {
        fn name(&self) -> &'static str {
            "older conditions"
        }

        fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
            // A query of its own goes through all tactics.
            let (_, older) = query.conditions.split_last()?;
            matches!(run.decide(older), Verdict::Unsat).then_some(Verdict::Unsat)
        }
    }

    #[test]
    fn tactics_run_in_order_and_their_verdicts_are_cached() {
        const TABLE: &[Row] =
            &[Row { tactic: &OneCondition, reason: "first" }, Row { tactic: &OlderConditions, reason: "second" }];
        let mut pool = TermPool::new();
        let [x, y] = ["x", "y"].map(|name| pool.symbol(name, 8));
        let conditions = [pool.cmp(CmpOp::Ult, x, y), pool.cmp(CmpOp::Slt, y, x)];
        let (mut back_end, mut memory, mut statistics) =
            (Z3Solver::default(), Memory::default(), SolverStatistics::default());
        let mut run = Run {
            pool: &mut pool,
            back_end: &mut back_end,
            memory: &mut memory,
            statistics: &mut statistics,
            is_impatient: false,
            tactics: TABLE,
        };
        assert!(matches!(run.decide(&conditions), Verdict::Unsat));
        assert_eq!(run.statistics.cache_hits, 0);
        // Both the query and the one that was asked on the way.
        for asked in [&conditions[..], &conditions[..1]] {
            assert!(matches!(run.decide(asked), Verdict::Unsat));
        }
        assert_eq!(run.statistics.cache_hits, 2);
        run.tactics = &[];
        assert!(matches!(run.decide(&conditions[1..]), Verdict::Unknown(UnknownReason::Other)));
    }
}
