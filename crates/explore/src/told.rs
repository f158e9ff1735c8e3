//! What the constraints of a path say, for people.

use icsched_smt::{Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::explore::{PathOutcome, Step, StepKind};
use icsched_machine::stop::DecisionKind;
use icsched_symbolic::path::push_conjuncts;
use icsched_symbolic::trace::OtherSide;

/// Constraints by why they are there, each in the order in which they came. What follows from those before it is in
/// neither list.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Told {
    /// What was chosen, where there were two sides: what makes the path this one. With what is not asked the solver
    /// (design decision D7).
    pub decided: Vec<Term>,
    /// What is taken for granted: accesses that are no errors, and what models assume.
    pub assumed: Vec<Term>,
}

impl PathOutcome {
    /// What some of the path's constraints say; `steps` are those that led there.
    pub fn told(&self, pool: &TermPool, constraints: &[Term], steps: &[Step]) -> Told {
        let mut decided = Vec::new();
        for step in steps {
            if let StepKind::Choice { condition, .. } = step.what {
                push_conjuncts(pool, condition, &mut decided);
            }
        }
        let chosen: FxHashSet<Term> = decided.iter().copied().collect();
        // Whether the decision that brought a constraint had no other side. Nobody looks for one of what models assume.
        let mut forced: FxHashMap<Term, bool> = FxHashMap::default();
        for (site, decision) in &self.decisions {
            let is_forced = decision.other == OtherSide::Infeasible && site.kind != DecisionKind::Assume;
            let mut conjuncts = Vec::new();
            push_conjuncts(pool, decision.condition, &mut conjuncts);
            for conjunct in conjuncts {
                forced.entry(conjunct).or_insert(is_forced);
            }
        }
        let is_told = |c: &Term| chosen.contains(c) || forced.get(c) == Some(&true);
        Told { assumed: constraints.iter().copied().filter(|c| !is_told(c)).collect(), decided }
    }
}
