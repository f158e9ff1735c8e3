//! Questions to the solver about a path.

use std::borrow::Cow;

use icsched_smt::{Answer, CmpOp, Model, Ranges, SolverStatistics, Substitution, Term, UnknownReason};
use rustc_hash::FxHashSet;

use super::value::SymValue;
use crate::budgets::BUDGETS;
use crate::domain::{GaveUp, SymbolicDomain, unsupported};
use crate::path::SymPath;
use crate::trace::OtherSide;
use icsched_machine::stop::{DecisionKind, PathEnd, Stop};

impl SymbolicDomain {
    /// Whether a condition can hold on a path. What the solver gives up on counts as [`OtherSide::Unknown`] and is
    /// remembered for [`take_gave_up`](Self::take_gave_up).
    pub fn feasible(&mut self, path: &SymPath, condition: Term) -> OtherSide {
        if let Some(bits) = self.pool.as_const(condition) {
            return if bits != 0 { OtherSide::Feasible } else { OtherSide::Infeasible };
        }
        if self.is_observed(condition) {
            return self.feasible_outcome(path, condition);
        }
        let known = self.told(path);
        match self.solver.check(&mut self.pool, &known, condition) {
            Answer::Sat => OtherSide::Feasible,
            Answer::Unsat => OtherSide::Infeasible,
            Answer::Unknown(reason) => {
                self.gave_up.push(GaveUp { reason });
                OtherSide::Unknown
            }
        }
    }

    /// The same for a condition on floating-point numbers, comparisons of which are inputs of their own: which outcomes
    /// can be together is not known, but which cannot, because of the conditions that they are in.
    fn feasible_outcome(&mut self, path: &SymPath, condition: Term) -> OtherSide {
        let negation = self.pool.not(condition);
        match () {
            () if path.constraints().contains(&condition) => return OtherSide::Feasible,
            () if path.constraints().contains(&negation) => return OtherSide::Infeasible,
            () => {}
        }
        let outcome = self.pool.without_floats(condition);
        let known = self.told(path);
        match self.solver.check(&mut self.pool, &known, outcome) {
            Answer::Unsat => OtherSide::Infeasible,
            Answer::Sat | Answer::Unknown(_) => OtherSide::Unknown,
        }
    }

    /// What the solver is told of a path. Where comparisons of floating-point numbers are inputs of their own, it hears
    /// of none.
    fn told<'p>(&mut self, path: &'p SymPath) -> Cow<'p, [Term]> {
        let (constraints, outcomes) = (path.constraints(), path.outcomes());
        if !self.observes_floats() || outcomes.is_empty() && !constraints.iter().any(|&c| self.pool.has_float(c)) {
            return Cow::Borrowed(constraints);
        }
        let mut known: Vec<Term> = constraints.iter().map(|&condition| self.pool.without_floats(condition)).collect();
        known.extend(outcomes);
        Cow::Owned(known)
    }

    /// Whether the outcome of a condition counts as an input of its own: in runs that begin in the middle of the
    /// program, one on floating-point numbers that nobody knows (design decision D7). Solvers give up on most of them.
    pub fn is_observed(&self, condition: Term) -> bool {
        self.observes_floats() && self.pool.has_float(condition)
    }

    /// Whether that is so of all conditions on floating-point numbers.
    pub fn observes_floats(&self) -> bool {
        self.origins.is_some()
    }

    /// Inputs that satisfy a path and a condition; `None` when there are none. What is [observed](Self::is_observed)
    /// has the values that [`Self::value_in`] says.
    pub fn model(&mut self, path: &SymPath, condition: Term) -> Result<Option<Model>, UnknownReason> {
        let known = self.told(path);
        let condition = if self.is_observed(condition) { self.pool.without_floats(condition) } else { condition };
        self.solver.model(&mut self.pool, &known, condition)
    }

    /// What a term is under inputs that satisfy a path.
    fn value_in(&mut self, model: &Model, t: Term) -> u64 {
        let t = if self.is_observed(t) { self.pool.without_floats(t) } else { t };
        self.pool.eval(t, model)
    }

    /// Values that satisfy some constraints.
    pub fn model_of(&mut self, constraints: &[Term]) -> Result<Option<Model>, UnknownReason> {
        let always = self.pool.bool(true);
        self.solver.model(&mut self.pool, constraints, always)
    }

    /// What the solver gave up on since the last call.
    pub fn take_gave_up(&mut self) -> Vec<GaveUp> {
        std::mem::take(&mut self.gave_up)
    }

    /// From now on, leaves undecided what the solver does not decide soon, or not any more.
    pub fn set_impatient(&mut self, is_impatient: bool) {
        self.solver.set_impatient(is_impatient);
    }

    /// Counters of the solver.
    pub fn solver_statistics(&self) -> SolverStatistics {
        self.solver.statistics()
    }

    /// All values a term can have on a path, ascending; `None` when there are more than `limit` or the solver gave up.
    pub(crate) fn feasible_values(&mut self, path: &SymPath, t: Term, limit: usize) -> Option<Vec<u64>> {
        let mut values = Vec::new();
        let mut others = self.pool.bool(true);
        while let Some(model) = self.model(path, others).ok()? {
            if values.len() == limit {
                return None;
            }
            let value = self.value_in(&model, t);
            values.push(value);
            let here = self.equals(t, value);
            let elsewhere = self.pool.not(here);
            others = self.pool.and_all(&[others, elsewhere]);
        }
        values.sort_unstable();
        Some(values)
    }

    /// The value that a term must be held to: asks for the decision `t == candidate` for one feasible candidate after
    /// the other. Constants in the arms of a choice are tried in the order of the choice, else the solver picks.
    pub(crate) fn one_value(&mut self, path: &SymPath, t: Term, kind: DecisionKind) -> Result<u64, Stop<Self>> {
        let mut alternatives = if kind.holds_address() { self.alternatives(path, t) } else { Default::default() };
        if let Some(pointer) = self.hidden.take() {
            return Err(Stop::Hidden { pointer: SymValue::Term(pointer) });
        }
        for guard in self.dangling(&mut alternatives) {
            self.take_for_granted(guard)?;
        }
        let exposed = alternatives.iter().filter(|a| a.exposed && a.rest.is_none()).map(|a| a.constant);
        let candidates: Vec<u64> = exposed.chain(self.constant_arms(t)).collect();
        for candidate in candidates {
            let equal = self.equals(t, candidate);
            if path.decided(equal) == Some(false) {
                continue;
            }
            if self.granted(equal) == Some(true) {
                return Ok(candidate);
            }
            let is_possible = path.decided(equal) == Some(true) || self.feasible(path, equal) != OtherSide::Infeasible;
            if is_possible && self.ask(equal, kind)? {
                return Ok(candidate);
            }
        }
        // All functions that it may be were tried: what is left is an address of no function, whichever it is.
        if kind == DecisionKind::CallTarget && alternatives.iter().all(|a| a.exposed) {
            for object in alternatives.iter().filter(|a| a.rest.is_some()) {
                if object.guard.is_some_and(|guard| self.feasible(path, guard) != OtherSide::Infeasible) {
                    return Ok(object.constant);
                }
            }
        }
        let tried = self.candidates.get(&t).cloned().unwrap_or_default();
        for candidate in tried {
            let equal = self.equals(t, candidate);
            if path.decided(equal) == Some(true) {
                self.ask(equal, kind)?;
                return Ok(candidate);
            }
        }
        let any = self.pool.bool(true);
        let candidate = self.candidate(path, t, any)?;
        self.candidates.entry(t).or_default().push(candidate);
        let equal = self.equals(t, candidate);
        // `t == candidate` can simplify to true when the candidate is the only value.
        if self.ask(equal, kind)? { Ok(candidate) } else { Err(unsupported("a value with no candidates".to_owned())) }
    }

    /// The only value that a path leaves to a term, if bounds that comparisons give to numbers below it show that, and
    /// the condition that these numbers are what they must be: a loop up to `n` that has ended behind its third round
    /// says what `n - 1` is.
    pub(crate) fn only_value(&mut self, path: &SymPath, t: Term) -> Option<(u64, Term)> {
        let order = self.pool.postorder(&[t], |_| false);
        if order.len() > BUDGETS.pinned_terms {
            return None;
        }
        let mut ranges = Ranges::under(&self.pool, path.constraints().iter().copied());
        let (mut known, mut conditions) = (Substitution::new(), Vec::new());
        let mut constant: FxHashSet<Term> = FxHashSet::default();
        for term in order {
            let width = self.pool.width(term);
            if self.pool.as_const_wide(term).is_some() {
                constant.insert(term);
            } else if (8..=64).contains(&width)
                && let (least, greatest) = ranges.signed(&self.pool, term)
                && least == greatest
            {
                let value = self.pool.constant(width, (least as u64) & (u64::MAX >> (64 - width)));
                let mut operands = self.pool.node(term).children().peekable();
                let follows = operands.peek().is_some() && operands.all(|operand| constant.contains(&operand));
                if !follows {
                    conditions.push(self.pool.cmp(CmpOp::Eq, term, value));
                }
                known.insert(term, value);
                constant.insert(term);
            }
        }
        if conditions.is_empty() {
            return None;
        }
        let value = self.pool.substitute_all(&[t], &known)[0];
        Some((self.pool.as_const(value)?, self.pool.and_all(&conditions)))
    }

    /// The value of a term in some model of the path and a condition.
    pub(crate) fn candidate(&mut self, path: &SymPath, t: Term, condition: Term) -> Result<u64, Stop<Self>> {
        match self.model(path, condition) {
            Ok(Some(model)) => Ok(self.value_in(&model, t)),
            Ok(None) => Err(Stop::End(Box::new(PathEnd::Infeasible))),
            Err(reason) => {
                self.gave_up.push(GaveUp { reason });
                Err(unsupported(format!("the solver found no value for an address or size ({reason:?})")))
            }
        }
    }
}
