//! How wide bounds may get in the end, where a number gets larger from epoch to epoch: guesses of what the program asks
//! of it. They say nothing of any state; they only say how soon bounds are as wide as they get.

use std::collections::BTreeSet;

use icsched_smt::Term;

use crate::bounds::Bounds;
use crate::fact_map::FactMap;
use crate::fact_state::FactState;
use crate::join::{Join, Side};
use crate::kind::MapKind;
use crate::place::Place;
use crate::renaming::Renaming;
use crate::shape::Shape;

/// Between which numbers places may be in the end.
pub struct WideningLimits;

impl MapKind for WideningLimits {
    type Key = Place;
    type Value = Bounds;

    const NAME: &'static str = "widening limits";

    fn of(shape: &Shape) -> &FactMap<Self::Key, Self::Value> {
        &shape.limits
    }

    fn of_mut(shape: &mut Shape) -> &mut FactMap<Self::Key, Self::Value> {
        &mut shape.limits
    }

    fn places(&place: &Place) -> Vec<Place> {
        vec![place]
    }

    fn is_well_formed(_: &Place, bounds: &Bounds, _: &dyn Fn(Place) -> Option<u32>) -> bool {
        (1..=64).contains(&bounds.width)
    }

    fn renamed_key(&place: &Place, names: &Renaming<'_>) -> Option<Place> {
        names.place(place)
    }

    /// Those of places that have bounds in both shapes: where only one has a limit, that of the other one is its
    /// bounds.
    fn join(join: &mut Join<'_>) {
        let places: BTreeSet<Place> = [&join.a, &join.b]
            .into_iter()
            .flat_map(|side| {
                side.in_join(|names| side.shape.limits.keys().filter_map(|&at| names.place(at)).collect::<Vec<_>>())
            })
            .collect();
        for place in places {
            let limit = |side: &Side<'_>| {
                let own = side.own(|names| names.place(place))?;
                side.shape.limits.get(&own).copied()
            };
            if let (Some(a), Some(b)) = (join.a.bounds_of(place), join.b.bounds_of(place))
                && a.width == b.width
                && a.hull(b).least != a.hull(b).greatest
            {
                join.found.limits.insert(place, limit(&join.a).unwrap_or(a).hull(limit(&join.b).unwrap_or(b)));
            }
        }
    }

    fn conditions(_: &Place, _: &Bounds, _: &mut dyn FactState) -> Option<Vec<Term>> {
        Some(Vec::new())
    }

    fn words(&place: &Place, limit: &Bounds, name: &dyn Fn(Place) -> String) -> String {
        format!("{} may get as small as {} and as large as {}", name(place), limit.least, limit.greatest)
    }
}
