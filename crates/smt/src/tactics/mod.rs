//! The tactics: each a way to decide queries, in one file of its own, and the table that says in which order they run.
//!
//! `docs/how-to/add-a-tactic.md` says how to add one.

mod back_end;
mod cases;
mod contradiction;
mod cubes;
mod equations;
mod few_values;
mod guess;
mod implied_values;
mod integers;
mod large_query;
mod local_search;
mod newest_alone;
mod own_model;
mod propagation;
mod recent_models;
mod relax;
mod repair;

use crate::stack::tactic::{Row, Tactic};

/// All tactics in the order in which they run, each with the reason for its place. The order reaches results: it
/// decides which model of a query is found.
pub(crate) const TACTICS: &[Row] = &[
    row(&own_model::OwnModel, "evaluates one condition; answers one of the two sides of most branches"),
    row(&repair::Repair, "a few evaluations; answers most of the other sides"),
    row(&recent_models::RecentModel, "evaluations alone, but of all conditions under up to 16 models"),
    row(&propagation::Propagation, "makes conditions fewer and shorter, so it comes before all that reads them"),
    row(&contradiction::Contradiction, "linear in the conditions, and the ranges it computes serve later tactics"),
    row(&few_values::FewValues, "needs ranges; evaluates less than a millisecond, and shows contradictions, too"),
    row(&newest_alone::NewestAlone, "mostly cached; finds contradictions that no search for a model ends on"),
    row(&guess::LightGuess, "finds models in less time than the back end takes to be told of the query"),
    row(&local_search::QuickSearch, "finds models where guesses do not: values that depend on each other"),
    row(&implied_values::ImpliedValues, "rewrites the query for all that follows; no use for a search of models"),
    row(&few_values::AllFewValues, "what implied values leave has fewer unknowns; takes up to 16 times as long"),
    row(&cubes::Cubes, "the tactics below read conjunctions; most cubes are cached"),
    row(&cases::Cases, "only where products or quotients are told apart by few values; most cases are cached"),
    row(&integers::Integers, "a short question to the simplex; contradictions of sums alone"),
    row(&equations::Equations, "rewrites the query once more, and decides what is left from the start"),
    row(&guess::HashGuess, "20 light guesses, spent where the back end hardly ever knows an answer"),
    row(&large_query::LargeQuery, "a model before thousands of bits are laid out for the back end"),
    row(&relax::Relaxation, "the back end without products and quotients: contradictions that need none"),
    row(&back_end::ShortAttempt, "the back end; most of its answers take less than 40 ms"),
    row(&local_search::LongSearch, "what the back end did not know soon may be easy to satisfy"),
    row(&guess::DeepGuess, "takes longer than a local search; solves for a rare condition of a hash"),
    row(&back_end::LongAttempt, "the last resort, so it always has a verdict"),
];

const fn row(tactic: &'static dyn Tactic, reason: &'static str) -> Row {
    Row { tactic, reason }
}

/// The names of the tactics in the order in which they run, each with the reason for its place.
pub fn tactics() -> impl Iterator<Item = (&'static str, &'static str)> {
    TACTICS.iter().map(|row| (row.tactic.name(), row.reason))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_tactic_has_a_name_of_its_own_and_a_reason() {
        let names: BTreeSet<&str> = tactics().map(|(name, _)| name).collect();
        assert_eq!(names.len(), TACTICS.len());
        assert!(tactics().all(|(_, reason)| !reason.is_empty()));
    }

    #[test]
    fn the_back_end_is_asked_last_as_it_always_has_a_verdict() {
        assert_eq!(tactics().last().map(|(name, _)| name), Some("long attempt"));
    }
}
