//! Asks the solver about the end of one path: what finders of all kinds of facts need.

use std::sync::atomic::{AtomicBool, Ordering};

use icsched_epochs::{Analyses, Statics};
use icsched_facts::{Activations, Bounds, Compared, Deciding, Place, Shape};
use icsched_machine::abstraction::Abstractions;
use icsched_smt::{Answer, Node, Ranges, Substitution, Term};
use rustc_hash::FxHashMap;

use super::consequences::Consequences;
use super::path_conditions::compared_with;
use super::path_ending::PathEnding;
use crate::questions::{Asker, Questions};
use crate::valid_facts;

/// What questions about all ends of an epoch's paths have in common.
pub(super) struct Context<'a, 'p> {
    pub(super) statics: &'a Statics<'a>,
    pub(super) analyses: &'a Analyses<'p>,
    pub(super) replaced: &'a Abstractions,
    pub(super) slicing: bool,
    pub(super) combines: bool,
    pub(super) is_over: &'a AtomicBool,
}

/// The questions about one end.
pub(super) struct Finder<'a> {
    pub(super) statics: &'a Statics<'a>,
    pub(super) replaced: &'a Abstractions,
    /// The numbers at which bounds are looked for, ascending.
    pub(super) thresholds: Vec<i64>,
    pub(super) compared: &'a Compared,
    pub(super) deciding: &'a Deciding,
    pub(super) slicing: bool,
    pub(super) combines: bool,
    pub(super) is_over: &'a AtomicBool,
    pub(super) ending: &'a PathEnding,
    pub(super) asker: Asker,
    /// What remainders are in other words: see [`simplified`](super::simplified).
    pub(super) remainders: Substitution,
}

impl<'a> Finder<'a> {
    pub(super) fn new(context: &Context<'a, '_>, ending: &'a PathEnding, questions: Questions) -> Self {
        let mut asker = questions.asker();
        let mut thresholds = context.analyses.thresholds.to_vec();
        thresholds.extend(compared_with(asker.pool(), &ending.trace));
        thresholds.sort_unstable();
        thresholds.dedup();
        Self {
            statics: context.statics,
            replaced: context.replaced,
            thresholds,
            compared: &context.analyses.compared,
            deciding: &context.analyses.deciding,
            combines: context.combines,
            slicing: context.slicing,
            is_over: context.is_over,
            ending,
            asker,
            remainders: Substitution::new(),
        }
    }

    /// Without time to ask nothing is known.
    pub(super) fn is_late(&self) -> bool {
        self.is_over.load(Ordering::Relaxed) || self.asker.is_late()
    }

    /// What runs in the threads, by thread and depth.
    pub(super) fn activations(&self) -> Activations {
        let PathEnding { points, left, .. } = self.ending;
        left.activations().filter_map(|(at, frame)| Some((at, points.get(&frame)?.func))).collect()
    }

    /// What a place holds that is a number, constant or not, and depends on no sum that may overflow.
    pub(super) fn number(
        &mut self,
        shape: &Shape,
        numbers: &FxHashMap<Place, Term>,
        place: Place,
        consequences: &mut Consequences,
    ) -> Option<Term> {
        if let Some(&term) =
            numbers.get(&place).filter(|_| shape.bounds.get(&place).is_none_or(|b| b.least < b.greatest))
        {
            return self.is_certain(term, consequences).then(|| self.reduced(term, consequences));
        }
        let bounds = shape.bounds_of(place).filter(|b| b.least == b.greatest)?;
        Some(self.asker.pool().constant(bounds.width.into(), bounds.least.cast_unsigned()))
    }

    /// Whether no sum that a term is computed by overflows, under some conditions.
    pub(super) fn is_certain(&mut self, term: Term, consequences: &mut Consequences) -> bool {
        let mut sums = self.ending.sums.get(&term).into_iter().flatten();
        sums.all(|&sum| consequences.contain(&mut self.asker, sum))
    }

    /// What is certain of numbers under some conditions, and where the epoch begins.
    pub(super) fn ranges(&mut self, conditions: &[Term]) -> Ranges {
        let known = self.asker.known().to_vec();
        Ranges::under(self.asker.pool(), known.iter().chain(conditions).copied())
    }

    /// The bounds of a term under some conditions, of which `sure` is certain.
    pub(super) fn bounds_under(&mut self, width: u8, term: Term, conditions: &[Term], sure: &mut Ranges) -> Bounds {
        let pool = self.asker.pool();
        // A number that has not changed keeps its bounds, and one that has got smaller mostly does.
        let mut among = self.thresholds.clone();
        for symbol in pool.postorder(&[term], |_| false) {
            if matches!(pool.node(symbol), Node::Symbol { .. }) && pool.width(symbol) == u32::from(width) {
                let (least, greatest) = sure.signed(pool, symbol);
                among.extend([least, greatest].into_iter().filter_map(|end| i64::try_from(end).ok()));
            }
        }
        among.sort_unstable();
        among.dedup();
        let sure = sure.signed(pool, term);
        valid_facts::bounds(width, &among, sure, |bounds| self.is_within(bounds, term, conditions))
    }

    /// Whether a number is within bounds for certain.
    pub(super) fn is_within(&mut self, bounds: Bounds, term: Term, conditions: &[Term]) -> bool {
        let holds = bounds.hold(self.asker.pool(), term);
        let outside = self.asker.pool().not(holds);
        self.asker.check(conditions, outside) == Answer::Unsat
    }
}
