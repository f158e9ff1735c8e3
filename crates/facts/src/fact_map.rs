//! Facts that say one thing about each of some keys, as which numbers places are between.

use std::collections::BTreeMap;
use std::collections::btree_map::{Iter, IterMut};
use std::fmt::Debug;
use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The facts of one kind, by key, in the order of the keys.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FactMap<K, V> {
    facts: BTreeMap<K, V>,
}

impl<K, V> FactMap<K, V> {
    /// No facts.
    pub const fn new() -> Self {
        Self { facts: BTreeMap::new() }
    }
}

impl<K, V> Deref for FactMap<K, V> {
    type Target = BTreeMap<K, V>;

    fn deref(&self) -> &Self::Target {
        &self.facts
    }
}

impl<K, V> DerefMut for FactMap<K, V> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.facts
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for FactMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(facts: I) -> Self {
        Self { facts: facts.into_iter().collect() }
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for FactMap<K, V> {
    fn from(facts: [(K, V); N]) -> Self {
        facts.into_iter().collect()
    }
}

impl<'f, K, V> IntoIterator for &'f FactMap<K, V> {
    type Item = (&'f K, &'f V);
    type IntoIter = Iter<'f, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.facts.iter()
    }
}

impl<'f, K, V> IntoIterator for &'f mut FactMap<K, V> {
    type Item = (&'f K, &'f mut V);
    type IntoIter = IterMut<'f, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.facts.iter_mut()
    }
}

impl<K, V> Default for FactMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Debug, V: Debug> Debug for FactMap<K, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.facts.fmt(f)
    }
}

/// As a list of pairs: keys of JSON objects are strings.
impl<K: Serialize, V: Serialize> Serialize for FactMap<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.facts)
    }
}

impl<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>> Deserialize<'de> for FactMap<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let facts = Vec::<(K, V)>::deserialize(deserializer)?;
        Ok(facts.into_iter().collect())
    }
}

/// Keys that have other values, or none.
pub(crate) fn change_of_map<K: Ord + Clone, V: PartialEq + Clone>(
    from: &BTreeMap<K, V>,
    to: &BTreeMap<K, V>,
) -> Vec<(K, Option<V>)> {
    let lost = from.keys().filter(|key| !to.contains_key(key)).map(|key| (key.clone(), None));
    let new = to.iter().filter(|(key, value)| from.get(key) != Some(value));
    lost.chain(new.map(|(key, value)| (key.clone(), Some(value.clone())))).collect()
}

/// The map with other values.
pub(crate) fn changed_map<K: Ord + Clone, V: Clone>(
    from: &BTreeMap<K, V>,
    change: Vec<(K, Option<V>)>,
) -> BTreeMap<K, V> {
    let mut changed = from.clone();
    for (key, value) in change {
        match value {
            Some(value) => changed.insert(key, value),
            None => changed.remove(&key),
        };
    }
    changed
}
