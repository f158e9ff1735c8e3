//! What a kind of fact is.
//!
//! For example, that a number is between two others (`Intervals`). A kind says how its facts are joined, widened,
//! renamed, kept, written down, and what they mean in a state; nobody else needs to know. Most kinds say one thing
//! about each of some keys: they implement [`MapKind`], and [`Kind`] follows. A kind whose facts hang together
//! implements [`Kind`] itself. All kinds are listed in `table.rs`, and nowhere else.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::hash::Hash;

use icsched_smt::Term;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::fact_map::{FactMap, change_of_map, changed_map};
use crate::fact_state::{FactState, Statement};
use crate::join::{Join, Side};
use crate::place::Place;
use crate::renaming::Renaming;
use crate::shape::Shape;
use crate::widening::{Idle, WideningStep};

/// A kind of fact.
pub trait Kind {
    /// All facts of the kind that a shape has.
    type Facts;

    /// How these facts differ from others, as it is written down.
    type Change: Serialize + DeserializeOwned;

    /// What both shapes say of this kind, in [`Join::found`]. Kinds before this one in the table have been joined
    /// already.
    fn join(join: &mut Join<'_>);

    /// Whether a shape says all of what another one says of this kind.
    fn holds(shape: &Shape, other: &Shape) -> bool;

    /// Whether a step of widening may change facts of this kind. If not, [`Self::widen`] is not called.
    fn takes_part(facts: &Self::Facts, step: &WideningStep<'_>) -> bool {
        let _ = (facts, step);
        false
    }

    /// Whether facts that were read from a file have the form that facts of the kind have, where registers and memory
    /// are so wide.
    fn are_well_formed(facts: &Self::Facts, width: &dyn Fn(Place) -> Option<u32>) -> bool {
        let _ = (facts, width);
        true
    }

    /// Gives up what got weaker since `before`, which has the same names for objects.
    fn widen(shape: &mut Shape, before: &Shape, step: &mut WideningStep<'_>) {
        let _ = (shape, before, step);
    }

    /// Gives up what is known of numbers that decide nothing.
    fn forget_idle(shape: &mut Shape, idle: &Idle<'_>) {
        let _ = (shape, idle);
    }

    /// Keeps facts all of whose places are kept.
    fn retain(facts: &mut Self::Facts, keep: &mut dyn FnMut(Place) -> bool);

    /// The same with other names for objects and threads, without what has no name.
    fn renamed(facts: &Self::Facts, names: &Renaming<'_>) -> Self::Facts;

    /// The places that facts are about.
    fn places(facts: &Self::Facts) -> Vec<Place>;

    /// Says each fact in turn to a state, in its terms.
    fn to_terms(facts: &Self::Facts, state: &mut dyn FactState);

    /// Writes the facts to the log.
    fn log(facts: &Self::Facts);

    /// What is to be changed to get others.
    fn change_to(facts: &Self::Facts, others: &Self::Facts) -> Self::Change;

    /// The others.
    fn changed(facts: &Self::Facts, change: Self::Change) -> Self::Facts;
}

/// A kind that says one thing about each of some keys.
pub trait MapKind: Sized + 'static {
    /// What a fact is about.
    type Key: Clone + Debug + Ord + Hash + Serialize + DeserializeOwned;
    /// What it says.
    type Value: Clone + Debug + Ord + Hash + Serialize + DeserializeOwned;

    /// Its name in the log.
    const NAME: &'static str;

    /// The facts of a shape.
    fn of(shape: &Shape) -> &FactMap<Self::Key, Self::Value>;

    /// The same, to be changed.
    fn of_mut(shape: &mut Shape) -> &mut FactMap<Self::Key, Self::Value>;

    /// The places that a fact is about.
    fn places(key: &Self::Key) -> Vec<Place>;

    /// A key with other names.
    fn renamed_key(key: &Self::Key, names: &Renaming<'_>) -> Option<Self::Key>;

    /// What is said, with other names.
    fn renamed_value(value: &Self::Value, names: &Renaming<'_>) -> Option<Self::Value> {
        let _ = names;
        Some(value.clone())
    }

    /// What a shape says of a key, which may follow from facts of other kinds.
    fn said(shape: &Shape, key: &Self::Key) -> Option<Self::Value> {
        Self::of(shape).get(key).cloned()
    }

    /// What two shapes both say of a key of which one says `a` and the other `b`.
    fn joined(a: Self::Value, b: Self::Value) -> Option<Self::Value> {
        (a == b).then_some(a)
    }

    /// Keys of which both shapes may say something, though neither does so as a fact of this kind.
    fn other_keys(join: &Join<'_>) -> Vec<Self::Key> {
        let _ = join;
        Vec::new()
    }

    /// What both shapes say: of each key of one of them, what is [joined](Self::joined).
    fn join(join: &mut Join<'_>) {
        let mut keys: BTreeSet<Self::Key> = Self::other_keys(join).into_iter().collect();
        for side in [&join.a, &join.b] {
            keys.extend(side.in_join(|names| {
                Self::of(side.shape).keys().filter_map(|key| Self::renamed_key(key, names)).collect::<Vec<_>>()
            }));
        }
        let mut found = BTreeMap::new();
        for key in keys {
            let of = |side: &Side<'_>| {
                let own = side.own(|names| Self::renamed_key(&key, names))?;
                let said = Self::said(side.shape, &own)?;
                side.in_join(|names| Self::renamed_value(&said, names))
            };
            if let (Some(a), Some(b)) = (of(&join.a), of(&join.b))
                && let Some(joined) = Self::joined(a, b)
            {
                found.insert(key, joined);
            }
        }
        Self::of_mut(&mut join.found).extend(found);
        Self::joined_all(join);
    }

    /// All facts of the kind are joined.
    fn joined_all(join: &mut Join<'_>) {
        let _ = join;
    }

    /// See [`Kind::takes_part`].
    fn takes_part(step: &WideningStep<'_>) -> bool {
        let _ = step;
        false
    }

    /// See [`Kind::are_well_formed`].
    fn is_well_formed(key: &Self::Key, value: &Self::Value, width: &dyn Fn(Place) -> Option<u32>) -> bool {
        let _ = (key, value, width);
        true
    }

    /// See [`Kind::widen`].
    fn widen(shape: &mut Shape, before: &Shape, step: &mut WideningStep<'_>) {
        let _ = (shape, before, step);
    }

    /// See [`Kind::forget_idle`].
    fn forget_idle(shape: &mut Shape, idle: &Idle<'_>) {
        let _ = (shape, idle);
    }

    /// The conditions that a fact means in a state; `None` if something is not there that it is about.
    fn conditions(key: &Self::Key, value: &Self::Value, state: &mut dyn FactState) -> Option<Vec<Term>>;

    /// The fact in words.
    fn words(key: &Self::Key, value: &Self::Value, name: &dyn Fn(Place) -> String) -> String;

    /// See [`Statement::unless_overflow`].
    fn unless_overflow(key: &Self::Key) -> Option<Place> {
        let _ = key;
        None
    }
}

impl<K: MapKind> Kind for K {
    type Facts = FactMap<K::Key, K::Value>;
    type Change = Vec<(K::Key, Option<K::Value>)>;

    fn join(join: &mut Join<'_>) {
        K::join(join);
    }

    fn holds(shape: &Shape, other: &Shape) -> bool {
        K::of(other).iter().all(|(key, value)| K::of(shape).get(key) == Some(value))
    }

    fn takes_part(facts: &Self::Facts, step: &WideningStep<'_>) -> bool {
        !facts.is_empty() && K::takes_part(step)
    }

    fn are_well_formed(facts: &Self::Facts, width: &dyn Fn(Place) -> Option<u32>) -> bool {
        facts.iter().all(|(key, value)| K::is_well_formed(key, value, width))
    }

    fn widen(shape: &mut Shape, before: &Shape, step: &mut WideningStep<'_>) {
        K::widen(shape, before, step);
    }

    fn forget_idle(shape: &mut Shape, idle: &Idle<'_>) {
        K::forget_idle(shape, idle);
    }

    fn retain(facts: &mut Self::Facts, keep: &mut dyn FnMut(Place) -> bool) {
        facts.retain(|key, _| K::places(key).into_iter().all(&mut *keep));
    }

    fn renamed(facts: &Self::Facts, names: &Renaming<'_>) -> Self::Facts {
        let of =
            |(key, value): (&K::Key, &K::Value)| Some((K::renamed_key(key, names)?, K::renamed_value(value, names)?));
        facts.iter().filter_map(of).collect()
    }

    fn places(facts: &Self::Facts) -> Vec<Place> {
        facts.keys().flat_map(K::places).collect()
    }

    fn to_terms(facts: &Self::Facts, state: &mut dyn FactState) {
        for (key, value) in facts {
            let conditions = K::conditions(key, value, state);
            let words = |name: &dyn Fn(Place) -> String| K::words(key, value, name);
            let statement = Statement {
                is_partial: conditions.is_none(),
                conditions: conditions.unwrap_or_default(),
                unless_overflow: K::unless_overflow(key),
                words: &words,
            };
            state.say(statement);
        }
    }

    fn log(facts: &Self::Facts) {
        for (key, value) in facts {
            tracing::trace!(kind = K::NAME, ?key, ?value, "a fact");
        }
    }

    fn change_to(facts: &Self::Facts, others: &Self::Facts) -> Self::Change {
        change_of_map(facts, others)
    }

    fn changed(facts: &Self::Facts, change: Self::Change) -> Self::Facts {
        changed_map(facts, change).into_iter().collect()
    }
}
