//! Implied values: with `x == 5` put in, products and divisions often lose their unknowns.

use crate::stack::cache::Verdict;
use crate::stack::implied_values::Reduced;
use crate::stack::query::Query;
use crate::stack::tactic::{Run, Tactic};
use crate::terms::model::Model;

/// Puts in the values that conditions imply. Later tactics see what is left.
pub(super) struct ImpliedValues;

impl Tactic for ImpliedValues {
    fn name(&self) -> &'static str {
        "implied values"
    }

    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
        query.reduce(Reduced::new(run.pool, query.conditions));
        if query.rest().is_empty() {
            return Some(run.completed(query, Model::new()));
        }
        let is_contradiction = query.rest().first().is_some_and(|&t| run.pool.is_false(t))
            || query.is_reduced() && query.ranges(run.pool).is_contradiction();
        is_contradiction.then_some(Verdict::Unsat)
    }
}
