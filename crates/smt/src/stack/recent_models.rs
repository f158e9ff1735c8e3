//! The models of the last queries: most queries hold under one of them.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::budgets::BUDGETS;
use crate::terms::eval::Evaluation;
use crate::terms::model::Model;
use crate::terms::node::Term;
use crate::terms::pool::TermPool;

/// Models, the most recent one first, each with the values of the terms that were evaluated under it.
#[derive(Debug)]
pub(crate) struct RecentModels(VecDeque<(Arc<Model>, Evaluation)>);

impl Default for RecentModels {
    /// The first one is that everything is zero.
    fn default() -> Self {
        Self(VecDeque::from([(Arc::new(Model::new()), Evaluation::default())]))
    }
}

impl RecentModels {
    /// Adds a model as the most recent one.
    pub(crate) fn push(&mut self, model: Arc<Model>) {
        self.push_evaluated((model, Evaluation::default()));
    }

    fn push_evaluated(&mut self, model: (Arc<Model>, Evaluation)) {
        self.0.push_front(model);
        self.0.truncate(BUDGETS.cache.recent_models);
    }

    /// Makes a model the most recent one.
    pub(crate) fn use_again(&mut self, model: &Arc<Model>) {
        let at = self.0.iter().position(|(m, _)| Arc::ptr_eq(m, model));
        let known = at.and_then(|at| self.0.remove(at)).unwrap_or_else(|| (model.clone(), Evaluation::default()));
        self.push_evaluated(known);
    }

    /// The most recent model under which all conditions hold.
    pub(crate) fn find(&mut self, pool: &TermPool, conditions: &[Term]) -> Option<Arc<Model>> {
        let holds = |(model, known): &mut (Arc<Model>, Evaluation)| {
            if known.len() > BUDGETS.cache.remembered_values {
                *known = Evaluation::default();
            }
            // What is known not to hold need not be found out again, nor what else does.
            let fails = conditions.iter().any(|&t| known.value(t) == Some(0));
            !fails && conditions.iter().rev().all(|&t| pool.eval_with(t, model, known) == 1)
        };
        self.0.iter_mut().find_map(|entry| holds(entry).then(|| entry.0.clone()))
    }

    /// Models that a local search starts from: `own`, if there is one, and the most recent ones.
    pub(crate) fn with_own(&self, own: Option<Arc<Model>>) -> Vec<Arc<Model>> {
        let recent = self.0.iter().map(|(model, _)| model.clone());
        own.into_iter().chain(recent).take(BUDGETS.guess.bases).collect()
    }

    /// Models that a guess starts from: `own`, if there is one, and those under which `conditions` hold; the most
    /// recent one if there are none.
    pub(crate) fn satisfying(
        &mut self,
        pool: &TermPool,
        own: Option<Arc<Model>>,
        conditions: &[Term],
    ) -> Vec<Arc<Model>> {
        let holds = |(model, known): &mut (Arc<Model>, Evaluation)| {
            conditions.iter().all(|&t| pool.eval_with(t, model, known) == 1).then(|| model.clone())
        };
        let recent = self.0.iter_mut().filter_map(holds);
        let mut models: Vec<Arc<Model>> = own.into_iter().chain(recent).take(BUDGETS.guess.bases).collect();
        if models.is_empty() {
            models.extend(self.0.front().map(|(model, _)| model.clone()));
        }
        models
    }
}
