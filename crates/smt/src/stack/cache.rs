//! The cache of verdicts: what earlier queries were answered, by the exact set of their conditions.
//!
//! After KLEE (Cadar et al., OSDI 2008, 3.3), with these deviations:
//!
//! 1. Of subsets of cached queries only the path's own are looked up: a path's own model is what the next condition is
//!    tried with. Supersets are not looked up, since the models of recent queries find most of what they would.
//! 2. The verdict "unknown" is cached, too: asking again costs a time limit.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::budgets::BUDGETS;
use crate::solver::{Answer, UnknownReason};
use crate::terms::model::Model;
use crate::terms::node::Term;

/// What is known about a set of conditions.
#[derive(Clone, Debug)]
pub(crate) enum Verdict {
    /// They hold together under this model.
    Sat(Arc<Model>),
    /// They contradict each other.
    Unsat,
    /// They were given up on.
    Unknown(UnknownReason),
}

impl Verdict {
    /// The verdict without its model.
    pub(crate) fn answer(&self) -> Answer {
        match *self {
            Verdict::Sat(_) => Answer::Sat,
            Verdict::Unsat => Answer::Unsat,
            Verdict::Unknown(reason) => Answer::Unknown(reason),
        }
    }
}

/// The conditions of a query as a sorted set: the same for the same conditions in any order.
pub(crate) fn key_of(conditions: &[Term]) -> Box<[Term]> {
    let mut key = conditions.to_vec();
    key.sort_unstable();
    key.dedup();
    key.into()
}

/// Verdicts by sorted set of conditions, in two generations. What is used moves to the young one; the old one is
/// dropped when the young one is full.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    young: FxHashMap<Box<[Term]>, Verdict>,
    old: FxHashMap<Box<[Term]>, Verdict>,
}

impl Cache {
    /// The verdict of a set of conditions, which counts as used.
    pub(crate) fn get(&mut self, key: &[Term]) -> Option<Verdict> {
        if let Some(verdict) = self.young.get(key) {
            return Some(verdict.clone());
        }
        let (key, verdict) = self.old.remove_entry(key)?;
        self.insert(key, verdict.clone());
        Some(verdict)
    }

    /// The model of a set of conditions, which does not count as used.
    pub(crate) fn model(&self, key: &[Term]) -> Option<&Arc<Model>> {
        match self.young.get(key).or_else(|| self.old.get(key))? {
            Verdict::Sat(model) => Some(model),
            Verdict::Unsat | Verdict::Unknown(_) => None,
        }
    }

    /// Adds a verdict.
    pub(crate) fn insert(&mut self, key: Box<[Term]>, verdict: Verdict) {
        if self.young.len() >= BUDGETS.cache.entries / 2 {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, verdict);
    }

    /// Forgets what was given up on: it deserves another try.
    pub(crate) fn forget_undecided(&mut self) {
        for generation in [&mut self.young, &mut self.old] {
            generation.retain(|_, verdict| !matches!(verdict, Verdict::Unknown(_)));
        }
    }
}
