//! What was found, as a schedule tree or as a flat set.

use icsched_schedule::{IncompleteKind, InputConstraint, Reason, Schedule, ScheduleId, ScheduleTree};
use icsched_smt::{Answer, Term, TermPool};
use rustc_hash::FxHashSet;

use super::end_kinds::is_claimed;
use super::state::{Found, Search};
use crate::budgets::BUDGETS;
use crate::constraint::{Conjunction, Disjunction};
use crate::readable::readable;
use crate::tree::{Asks, Flat, Leaf, PathSteps, TreeBuilder};

impl Search<'_, '_> {
    /// The preconditions together must admit every input; what else is wrong must not be called complete.
    pub(super) fn check_cover(&mut self) {
        if !self.reasons.is_empty() {
            return;
        }
        if self.found.is_empty() && self.paths == 0 {
            let message =
                "nothing that is known where an epoch begins is true of any input: a fault of icsched".to_owned();
            self.reasons.add(Reason { kind: IncompleteKind::Limit, message, at: None });
            return;
        }
        let always = self.engine.pool().bool(true);
        match self.engine.check_growing(&self.uncovered, always) {
            // Every constraint was partitioned and every part explored: that is what makes the cover complete. The
            // query is a second look.
            Answer::Unsat | Answer::Unknown(_) => {}
            Answer::Sat => {
                let message = "some inputs follow none of the schedules that were found".to_owned();
                self.reasons.add(Reason { kind: IncompleteKind::Limit, message, at: None });
            }
        }
    }

    /// The schedules as a tree, with the whole condition of each leaf.
    pub(super) fn tree(&mut self) -> Result<(ScheduleTree, Vec<Term>), Flat> {
        let leaf = |found: &Found| {
            let paths = found.paths.iter().cloned().collect::<Option<Vec<PathSteps>>>().ok_or(Flat::Order)?;
            let (graph, ends) = found.schedule.clone();
            Ok(Leaf { graph, ends, paths })
        };
        let leaves: Vec<Leaf> = self.found.values().map(leaf).collect::<Result<_, Flat>>()?;
        let mut builder = TreeBuilder::new(self, &leaves);
        let root = builder.build()?;
        let conditions = builder.conditions;
        Ok((ScheduleTree { root }, conditions))
    }

    /// A disjunction as the shortest condition that was found for it; it may include inputs of `anyway`.
    pub(super) fn condition(&mut self, mut covers: Disjunction, anyway: &Disjunction) -> Term {
        let pool = self.engine.pool();
        let core = covers.term(pool);
        let extra = anyway.term(pool);
        let allowed = pool.or_all(&[core, extra]);
        let elsewhere = pool.not(extra);
        let needed = pool.and_all(&[core, elsewhere]);
        if self.engine.is_stopped() {
            // No time to make it readable; it is right as it is.
            return core;
        }
        let outside = self.engine.pool().not(allowed);
        let always = self.engine.check(&[], outside) == Answer::Unsat;
        let limits = self.engine.limits().clone();
        let (pool, solver) = self.engine.pool_and_solver();
        if always {
            pool.bool(true)
        } else if pool.has_float(allowed) {
            core // No solver can say what of it is needed.
        } else if let Some(term) = readable(pool, solver, &[core, needed], allowed) {
            term
        } else {
            covers.simplify((pool, solver), anyway, &|| limits.is_over());
            covers.term(pool)
        }
    }

    /// The inputs of a leaf as its paths say it, if that is the same for inputs that satisfy `above`.
    fn as_found(&mut self, inputs: Disjunction, covers: &Disjunction, above: Term) -> Disjunction {
        let pool = self.engine.pool();
        let term = inputs.term(pool);
        let mut found = Disjunction::default();
        for conjunction in covers.disjuncts() {
            let all = pool.and_all(conjunction.conditions());
            if is_about(pool, all, &[term, above]) {
                found.add(conjunction.clone());
            }
        }
        let other = found.term(pool);
        let (neither, not_found) = (pool.not(term), pool.not(other));
        let (more, less) = (pool.and_all(&[other, neither]), pool.and_all(&[term, not_found]));
        let differ = pool.or_all(&[more, less]);
        if self.engine.check(&[above], differ) == Answer::Unsat { found } else { inputs }
    }

    /// All schedules as if they were decided at the start, with the condition of each.
    pub(super) fn flat(&mut self) -> (ScheduleTree, Vec<Term>) {
        let (mut schedules, mut conditions) = (Vec::new(), Vec::new());
        let none = Disjunction::default();
        for (_, found) in std::mem::take(&mut self.found) {
            let (graph, ends) = found.schedule;
            let anyway = if is_claimed(&ends) { &none } else { &found.early_exits };
            let condition = self.condition(found.covers, anyway);
            schedules.push(Schedule::new(self.engine.describe(condition), graph, ends));
            conditions.push(condition);
        }
        (ScheduleTree::flat(schedules), conditions)
    }

    /// The early exits that satisfy none of the schedules' final `conditions`, `None` if all satisfy one: with them the
    /// result covers what the search covered. It holds early exits only, but may hold some that satisfy one too.
    pub(super) fn early_exits_beside(&mut self, early: &Disjunction, conditions: &[Term]) -> Option<InputConstraint> {
        let pool = self.engine.pool();
        let all = early.term(pool);
        let within = pool.or_all(conditions);
        let beside = pool.not(within);
        let needed = pool.and_all(&[all, beside]);
        if pool.as_const(needed) == Some(0) {
            return None;
        }
        if self.engine.is_stopped() || self.engine.pool().has_float(needed) {
            return Some(self.engine.describe(all));
        }
        if self.engine.check(&[], needed) == Answer::Unsat {
            return None;
        }
        let (pool, solver) = self.engine.pool_and_solver();
        if let Some(term) = readable(pool, solver, &[needed], all) {
            return Some(self.engine.describe(term));
        }
        // Where nothing else is left over, the opposite of what the schedules say is as good.
        let elsewhere = self.engine.pool().not(all);
        let only_exits = self.engine.check(&[beside], elsewhere) == Answer::Unsat;
        let opposite = only_exits.then(|| self.engine.describe(beside));
        if opposite.is_some() && early.disjuncts().len() > BUDGETS.simplified_exits {
            return opposite;
        }
        let simplified = self.simplified_beside(early, beside);
        let simplified = self.engine.describe(simplified);
        Some(opposite.filter(|opposite| opposite.c.len() < simplified.c.len()).unwrap_or(simplified))
    }

    /// Those of the early exits that are needed for the inputs `beside` all schedules' constraints, simplified.
    fn simplified_beside(&mut self, early: &Disjunction, beside: Term) -> Term {
        let mut needed = Disjunction::default();
        for exit in early.disjuncts() {
            let go_on = !self.engine.is_stopped();
            if !go_on || self.engine.check(exit.conditions(), beside) != Answer::Unsat {
                needed.add(exit.clone());
            }
        }
        let limits = self.engine.limits().clone();
        let (pool, solver) = self.engine.pool_and_solver();
        if needed.disjuncts().len() <= BUDGETS.simplified_exits {
            needed.simplify((pool, solver), early, &|| limits.is_over());
        }
        needed.term(pool)
    }
}

impl Asks for Search<'_, '_> {
    fn pool(&mut self) -> &mut TermPool {
        self.engine.pool()
    }

    fn check(&mut self, conditions: &[Term]) -> Answer {
        let always = self.engine.pool().bool(true);
        self.engine.check(conditions, always)
    }

    fn shorten(&mut self, inputs: Disjunction, above: Term, leaf: Option<ScheduleId>) -> Term {
        let elsewhere = self.engine.pool().not(above);
        let mut anyway = Disjunction::default();
        if !self.engine.pool().is_false(elsewhere) {
            anyway.add(Conjunction::new(vec![elsewhere]));
        }
        let found = leaf.and_then(|leaf| self.found.get(&leaf));
        let Some((covers, exits)) = found.map(|found| {
            let exits = if is_claimed(&found.schedule.1) { Disjunction::default() } else { found.early_exits.clone() };
            (found.covers.clone(), exits)
        }) else {
            return self.condition(inputs, &anyway);
        };
        let inputs = self.as_found(inputs, &covers, above);
        if !exits.disjuncts().is_empty() {
            let known = inputs.term(self.engine.pool());
            let mut all = anyway.clone();
            all.add_all(&exits);
            let term = self.condition(inputs.clone(), &all);
            if is_about(self.engine.pool(), term, &[known, above]) {
                return term;
            }
        }
        self.condition(inputs, &anyway)
    }

    fn describe(&mut self, condition: Term) -> InputConstraint {
        self.engine.describe(condition)
    }

    fn is_late(&self) -> bool {
        self.engine.is_stopped()
    }
}

/// Whether a term has no symbols but those of some others.
fn is_about(pool: &TermPool, term: Term, others: &[Term]) -> bool {
    let known: FxHashSet<Term> = others.iter().flat_map(|&other| pool.symbols_of(other).to_vec()).collect();
    pool.symbols_of(term).iter().all(|symbol| known.contains(symbol))
}
