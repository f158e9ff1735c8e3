//! What the paths of a schedule leave behind for the epoch that follows.
//!
//! Most of the time of a search goes into these questions, and none of them has to do with other paths, or with what is
//! searched next. So each path's are asked in a thread of their own, with a copy of the terms that there were at its
//! end, and with a solver of their own: the answers are the same whenever they are found, and by whom. What the paths
//! leave is put together in their order.

mod bounds;
mod choices;
mod consequences;
mod differences;
mod elements;
mod endings;
mod equations;
mod finder;
mod found;
mod handles;
mod limits;
mod lost_in_loops;
mod overflow;
mod path_conditions;
mod path_ending;
mod reasoning;
mod relations;
mod ring_offsets;
mod simplified;

use std::collections::BTreeMap;

use icsched_facts::{Place, Relation, Shape};
use icsched_slicing::{Caches, Criterion, SliceDecision, Sliceable};
use icsched_smt::{Answer, Term};
use rustc_hash::FxHashSet;

pub(super) use self::endings::Endings;
pub(super) use self::overflow::sums;
pub(super) use self::path_ending::PathEnding;

use self::consequences::Consequences;
use self::finder::Finder;
use self::found::{Found, Seen};
use crate::budgets::BUDGETS;
use crate::valid_facts::{self, Decided, Valid};

/// Finds the facts of one kind, if there are any.
type Find = fn(&mut Finder<'_>, &mut Found<'_, '_>);

/// How the kinds of facts are found, in the order of their table in `icsched_facts`: each rests on what those before it
/// have found.
const FINDERS: [Find; 9] = [
    bounds::find,
    // Of places with bounds.
    limits::find,
    // Not where bounds say as much.
    differences::find,
    // A constant difference is an equation of two terms.
    equations::find,
    ring_offsets::find,
    // Rings are as long as bounds say.
    elements::find,
    choices::find,
    // Not where choices say it.
    handles::find,
    // Columns are numbers with bounds, and choices.
    relations::find,
];

impl Finder<'_> {
    /// What all executions leave behind that follow a path's schedule to its end: no early exit has ended them.
    fn look(mut self, caches: &mut Caches) -> Seen {
        let PathEnding { left, objects, trace, prepared, precondition, points, .. } = self.ending;
        if !self.slicing {
            let relations = self.combines.then(Relation::default);
            let shape = Shape { relations, ..left.shape.clone() };
            return Seen { shape: shape.canonical(), lost: BTreeMap::new(), solver: self.asker.solver_statistics() };
        }
        let conditions = precondition.conditions().iter().chain(&self.ending.not_elsewhere).copied().collect();
        let passed = self.passed(&mut Consequences::of(conditions));
        let mut consequences = Consequences::of(passed);
        let trace = Sliceable { objects, trace, prepared };
        let possible = trace.possible(self.statics, BUDGETS.conditions_before_slices);
        let is_determined =
            possible.is_some_and(|all| all.iter().all(|d| consequences.contain(&mut self.asker, d.condition)));
        let fields = |object| self.statics.aliases.map(|aliases| aliases.fields(objects, object)).unwrap_or_default();
        let Valid { shape, left_out: invalid, lost } = if is_determined {
            Valid { shape: left.shape.clone(), left_out: FxHashSet::default(), lost: Vec::new() }
        } else {
            valid_facts::valid(left, (trace.trace, &fields), points.clone(), |criterion| {
                self.depends(&trace, caches, &mut consequences, criterion)
            })
        };
        let lost = lost_in_loops::loops(self.statics, self.replaced, left, &lost);
        tracing::debug!(next = %self.ending.next.key(), places = invalid.len(), "left out, for they depend on other decisions");
        let valid = |all: &[(Place, Term)]| -> Vec<(Place, Term)> {
            all.iter().filter(|(place, _)| !invalid.contains(place)).copied().collect()
        };
        let in_order = valid(&left.numbers);
        let mut end = Found {
            shape,
            numbers: in_order.iter().copied().collect(),
            in_order,
            narrow: valid(&left.narrow),
            addresses: valid(&left.addresses.places),
            sure: self.ranges(&consequences.conditions),
            consequences,
            trace: &trace,
            caches,
            is_determined,
        };
        FINDERS.iter().for_each(|find| find(&mut self, &mut end));
        Seen { shape: end.shape.canonical(), lost, solver: self.asker.solver_statistics() }
    }

    /// A decision on which places depend that does not follow from what is known, if there is one; `None` if there is
    /// no time to say.
    fn depends(
        &mut self,
        trace: &Sliceable<'_>,
        caches: &mut Caches,
        consequences: &mut Consequences,
        criterion: &Criterion,
    ) -> Option<Option<Decided>> {
        if self.is_late() {
            return None;
        }
        let mut is_other = |d: &SliceDecision| !consequences.contain(&mut self.asker, d.condition);
        let other = trace.depends(self.statics, caches, criterion, &mut is_other)?;
        if let Some(decision) = other.as_ref().filter(|_| tracing::enabled!(tracing::Level::DEBUG)) {
            let at = icsched_epochs::graph::place(self.statics.program, &icsched_ir::CallStack(vec![decision.point]));
            let condition = icsched_symbolic::print::Printer::new(self.asker.pool()).condition(decision.condition);
            tracing::debug!(places = criterion.places.len(), first = ?criterion.places.first(), at, condition, "depends on another decision");
        }
        Some(other.map(|decision| (decision.point, decision.frame)))
    }

    /// The precondition, and that no early exit was taken, as far as all executions of the schedule that come to its
    /// end have decided so: what that depends on must follow from what is known before.
    fn passed(&mut self, consequences: &mut Consequences) -> Vec<Term> {
        let PathEnding { exits, with_exits, .. } = self.ending;
        let mut conditions = consequences.conditions.clone();
        if exits.is_empty() || self.is_late() {
            return conditions;
        }
        let exits: FxHashSet<usize> = exits.iter().copied().collect();
        for decision in with_exits {
            if exits.contains(&decision.event) {
                conditions.push(decision.condition);
            } else if !consequences.contain(&mut self.asker, decision.condition) {
                let negated = self.asker.pool().not(decision.condition);
                if self.asker.check(&conditions, negated) != Answer::Unsat {
                    break;
                }
            }
        }
        conditions
    }
}
