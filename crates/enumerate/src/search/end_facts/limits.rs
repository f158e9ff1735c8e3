//! Where bounds may end that get wider from epoch to epoch.

use icsched_facts::{Bounds, FactMap, Place, Shape};
use icsched_smt::{Node, Ranges, Term};
use rustc_hash::FxHashMap;

use super::finder::Finder;
use super::found::Found;
use super::path_conditions::{decided, not_passed};
use crate::valid_facts;

/// Finds limits of widening.
pub(super) fn find(finder: &mut Finder<'_>, end: &mut Found<'_, '_>) {
    end.shape.limits = finder.limits(&end.shape, end.in_order.iter(), &mut end.sure);
}

impl Finder<'_> {
    /// Where bounds may end of places whose numbers change from epoch to epoch: what the path has asked leaves to a
    /// number, if what is known of it where the epoch begins is forgotten. A guess, on which nothing depends but how
    /// soon bounds are as wide as they get.
    fn limits<'n>(
        &mut self,
        shape: &Shape,
        numbers: impl Iterator<Item = &'n (Place, Term)>,
        sure: &mut Ranges,
    ) -> FactMap<Place, Bounds> {
        let (known, pool) = (self.asker.known().to_vec(), self.asker.pool());
        let mut asked = decided(&self.ending.trace);
        for at in 0..asked.len() {
            asked.extend(not_passed(pool, asked[at], sure));
        }
        let mut found: FxHashMap<Term, Bounds> = FxHashMap::default();
        let mut limits = FactMap::new();
        for &(place, term) in numbers {
            let Some(bounds) = shape.bounds.get(&place).filter(|_| !matches!(pool.node(term), Node::Symbol { .. }))
            else {
                continue;
            };
            let end = *found.entry(term).or_insert_with(|| {
                let symbols = pool.symbols_of(term);
                let is_other = |fact: &&Term| pool.symbols_of(**fact).iter().all(|s| !symbols.contains(s));
                let conditions: Vec<Term> = known.iter().filter(is_other).chain(&asked).copied().collect();
                let range = Ranges::under(pool, conditions.iter().copied()).signed(pool, term);
                valid_facts::rounded(bounds.width, &self.thresholds, range)
            });
            tracing::trace!(?place, end.least, end.greatest, "where a number may end");
            limits.insert(place, end);
        }
        limits
    }
}
