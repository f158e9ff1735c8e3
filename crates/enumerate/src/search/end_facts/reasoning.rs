//! Which terms are simple enough to ask the solver about.

use icsched_smt::{Term, TermPool};

use crate::budgets::BUDGETS;

/// How soon bounds of a term are found.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Reasoning {
    Soon,
    /// Not while products or quotients of two unknown numbers are in it.
    WithoutProducts,
    Never,
}

pub(super) fn reasoning(pool: &TermPool, term: Term, most: usize) -> Reasoning {
    if pool.has_float(term) {
        return Reasoning::Never;
    }
    let all = pool.postorder(&[term], |_| false);
    if all.len() > most {
        Reasoning::Never
    } else if all.into_iter().any(|t| pool.is_product(t)) {
        Reasoning::WithoutProducts
    } else {
        Reasoning::Soon
    }
}

pub(super) fn is_simple(pool: &TermPool, term: Term) -> bool {
    reasoning(pool, term, BUDGETS.term_operations) == Reasoning::Soon
}
