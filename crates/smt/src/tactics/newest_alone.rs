//! The newest condition with its neighbours alone: a contradiction that many paths have is found once.

use crate::stack::cache::Verdict;
use crate::stack::query::Query;
use crate::stack::tactic::{Run, Tactic};
use crate::terms::node::Term;

/// Decides the newest condition together with those that speak of nothing but what it does. They are few, and the same
/// on many paths, so that the answer is often known already.
pub(super) struct NewestAlone;

impl Tactic for NewestAlone {
    fn name(&self) -> &'static str {
        "newest alone"
    }

    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
        let (&newest, others) = query.conditions.split_last()?;
        let symbols = run.pool.symbols_of(newest);
        let is_near = |&&t: &&Term| run.pool.symbols_of(t).iter().all(|s| symbols.binary_search(s).is_ok());
        let mut near: Vec<Term> = others.iter().filter(is_near).copied().collect();
        if near.len() == others.len() {
            return None;
        }
        near.push(newest);
        matches!(run.decide(&near), Verdict::Unsat).then_some(Verdict::Unsat)
    }
}
