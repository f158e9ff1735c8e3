//! A query on its way through the tactics.

use std::sync::Arc;

use crate::bounds::ranges::Ranges;
use crate::solver::UnknownReason;
use crate::stack::implied_values::Reduced;
use crate::terms::model::Model;
use crate::terms::node::Term;
use crate::terms::pool::TermPool;

/// The conditions of a query, and what tactics have found out about them.
#[derive(Debug)]
pub(crate) struct Query<'a> {
    /// The conditions as they were asked, in the order of the path. The last one is the newest.
    pub(crate) conditions: &'a [Term],
    /// The same as a sorted set.
    pub(crate) key: &'a [Term],
    /// A model of all conditions but the newest, from the cache.
    pub(crate) own_model: Option<Arc<Model>>,
    /// Whether terms of few values have more of them than were tried.
    pub(crate) has_untried_values: bool,
    /// Why the back end did not decide the query, if it was asked.
    pub(crate) undecided: Option<UnknownReason>,
    /// What is left where implied values are put in.
    reduced: Option<Reduced>,
    /// What the rest says of the numbers that terms are.
    ranges: Option<Ranges>,
}

impl<'a> Query<'a> {
    pub(crate) fn new(conditions: &'a [Term], key: &'a [Term], own_model: Option<Arc<Model>>) -> Self {
        Query { conditions, key, own_model, has_untried_values: false, undecided: None, reduced: None, ranges: None }
    }

    /// The conditions that are left to be decided: all of them, or what implied values leave of them.
    pub(crate) fn rest(&self) -> &[Term] {
        self.reduced.as_ref().map_or(self.conditions, |reduced| &reduced.terms)
    }

    /// Whether values were put in, so that the rest is not what was asked.
    pub(crate) fn is_reduced(&self) -> bool {
        self.reduced.as_ref().is_some_and(|reduced| !reduced.is_all())
    }

    /// The rest with the symbols that it replaces.
    pub(crate) fn reduction(&self) -> Option<&Reduced> {
        self.reduced.as_ref()
    }

    /// From now on, the rest is this.
    pub(crate) fn reduce(&mut self, reduced: Reduced) {
        if !reduced.is_all() {
            self.ranges = None;
        }
        self.reduced = Some(reduced);
    }

    /// What the rest says of the numbers that terms are.
    pub(crate) fn ranges(&mut self, pool: &TermPool) -> &mut Ranges {
        self.rest_with_ranges(pool).1
    }

    /// The rest, and what it says of the numbers that terms are.
    pub(crate) fn rest_with_ranges(&mut self, pool: &TermPool) -> (&[Term], &mut Ranges) {
        let rest = self.reduced.as_ref().map_or(self.conditions, |reduced| &reduced.terms[..]);
        (rest, self.ranges.get_or_insert_with(|| Ranges::under(pool, rest.iter().copied())))
    }

    /// Makes a model of the rest one of all conditions.
    pub(crate) fn complete(&self, pool: &TermPool, model: &mut Model) {
        if let Some(reduced) = &self.reduced {
            reduced.complete(pool, model);
        }
        debug_assert!(self.conditions.iter().all(|&t| pool.eval_bool(t, model)));
    }
}
