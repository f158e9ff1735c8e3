//! Large queries, such as a choice among all elements of an array: bits are set soon beside what it takes to lay them
//! all out.

use std::sync::Arc;

use crate::budgets::{BUDGETS, SearchEffort};
use crate::search::guess::Guesser;
use crate::search::local_search::LocalSearch;
use crate::stack::cache::Verdict;
use crate::stack::query::Query;
use crate::stack::tactic::{Run, Tactic};
use crate::terms::model::Model;

/// Tries the plainest model of a large query, and a local search.
pub(super) struct LargeQuery;

impl Tactic for LargeQuery {
    fn name(&self) -> &'static str {
        "large query"
    }

    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
        let budget = BUDGETS.large;
        let nodes = run.pool.postorder(query.rest(), |_| false).len();
        if !(budget.least_nodes..=budget.most_nodes).contains(&nodes) {
            return None;
        }
        let effort = SearchEffort { nodes, evaluations: budget.evaluations_per_node * nodes as u64 };
        let none: [Arc<Model>; 0] = [];
        let model = Guesser::plainest(run.pool, query.rest(), nodes)
            .or_else(|| run.memory.scratch.of::<LocalSearch>().search(run.pool, query.rest(), &none, effort))?;
        Some(run.completed_guess(query, model))
    }
}
