//! Guesses: a query is evaluated under many assignments. Branches on a hash are what bit-blasting is worst at, and
//! nearly every input goes through nearly every one of them.

use crate::budgets::{BUDGETS, GuessEffort};
use crate::search::guess::Guesser;
use crate::stack::cache::Verdict;
use crate::stack::patience;
use crate::stack::query::Query;
use crate::stack::tactic::{Run, Tactic};

/// Before the back end is asked: less work than asking.
pub(super) struct LightGuess;

/// Of a query that counts as a hash.
pub(super) struct HashGuess;

/// When the back end did not know in a short time; solves for the rarest condition, too.
pub(super) struct DeepGuess;

impl Tactic for LightGuess {
    fn name(&self) -> &'static str {
        "light guess"
    }

    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
        guess(run, query, BUDGETS.guess.light)
    }
}

impl Tactic for HashGuess {
    fn name(&self) -> &'static str {
        "hash guess"
    }

    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
        patience::is_hash(run.pool, query.conditions).then(|| guess(run, query, BUDGETS.guess.hash))?
    }
}

impl Tactic for DeepGuess {
    fn name(&self) -> &'static str {
        "deep guess"
    }

    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
        if run.back_end.is_interrupted() {
            return None;
        }
        let deep = BUDGETS.guess.deep;
        let evaluations = run.memory.given_up.fewer_evaluations(query.key, deep.evaluations);
        guess(run, query, GuessEffort { evaluations, ..deep })
    }
}

/// Guesses a model, starting from the path's own and recent ones under which the older conditions hold.
fn guess(run: &mut Run<'_>, query: &Query<'_>, effort: GuessEffort) -> Option<Verdict> {
    let (_, older) = query.conditions.split_last()?;
    let bases = run.memory.recent.satisfying(run.pool, query.own_model.clone(), older);
    let model = run.memory.scratch.of::<Guesser>().guess(run.pool, query.conditions, &bases, effort)?;
    Some(run.guessed(model))
}
