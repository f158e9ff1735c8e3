//! Cubes: a query with disjunctions is split until there are none.

use crate::bounds::order::Orders;
use crate::bounds::ranges::Ranges;
use crate::budgets::BUDGETS;
use crate::stack::cache::Verdict;
use crate::stack::propagate::Propagator;
use crate::stack::query::Query;
use crate::stack::tactic::{Run, Tactic};
use crate::terms::node::Term;

/// Splits the shortest disjunction, each disjunct where the ones before it do not hold. What is left of a choice falls
/// apart into parts, most of which were decided for other choices and other queries.
pub(super) struct Cubes;

impl Tactic for Cubes {
    fn name(&self) -> &'static str {
        "cubes"
    }

    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
        run.memory.scratch.of::<Propagator>().shortest_clause(run.pool, query.rest())?;
        let mut left = Left { cubes: BUDGETS.cubes.cubes, choices: BUDGETS.cubes.choices };
        let verdict = split(run, query.rest(), &mut left)?;
        Some(run.completed_verdict(query.reduction(), verdict))
    }
}

/// What is left of the budget.
struct Left {
    cubes: u32,
    choices: u32,
}

/// Decides a conjunction by splitting its disjunctions. Nothing if the budget is used up, or a cube is undecided.
fn split(run: &mut Run<'_>, terms: &[Term], left: &mut Left) -> Option<Verdict> {
    let Some((at, disjuncts)) = run.memory.scratch.of::<Propagator>().shortest_clause(run.pool, terms) else {
        left.cubes = left.cubes.checked_sub(1)?;
        let verdict = run.decide_parts(terms);
        return (!matches!(verdict, Verdict::Unknown(_))).then_some(verdict);
    };
    let mut chosen = terms.to_vec();
    for disjunct in disjuncts {
        left.choices = left.choices.checked_sub(1)?;
        chosen[at] = disjunct;
        if let Some(rest) = run.memory.scratch.of::<Propagator>().propagate(run.pool, &chosen)
            && !Orders::are_circular(run.pool, &rest)
            && !Ranges::contradict(run.pool, &rest)
            && let Verdict::Sat(model) = split(run, &rest, left)?
        {
            return Some(Verdict::Sat(model));
        }
        // The others are looked at where this one does not hold.
        chosen.push(run.pool.not(disjunct));
    }
    Some(Verdict::Unsat)
}
