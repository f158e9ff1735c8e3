//! Assignments of values to symbols.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// Values of symbols. A symbol without a value is 0 (an array without one: all elements 0).
///
/// By name, not by handle, so that a model outlives the pool it was found for. Iteration is in order of names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Model {
    /// Per name the values of the symbols of that name, which differ in width (0: the array), in order of width.
    #[serde(with = "values")]
    values: BTreeMap<Arc<str>, SmallVec<[ModelValue; 1]>>,
}

/// The value of one symbol.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModelValue {
    /// Of a bit vector.
    Bv {
        /// Width in bits.
        width: u32,
        /// The value, below 2^`width`.
        bits: u128,
    },
    /// Of an array.
    Array(ArrayValue),
}

/// The value of an array: `entries`, and `default` everywhere else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArrayValue {
    /// Element at every index without an entry.
    pub default: u8,
    /// Elements by index.
    pub entries: BTreeMap<u64, u8>,
}

impl ArrayValue {
    /// The element at an index.
    pub fn get(&self, index: u64) -> u8 {
        self.entries.get(&index).copied().unwrap_or(self.default)
    }
}

impl ModelValue {
    /// Width in bits; 0 for an array.
    pub fn width(&self) -> u32 {
        match self {
            ModelValue::Bv { width, .. } => *width,
            ModelValue::Array(_) => 0,
        }
    }

    /// The low 64 bits of a bit vector; `None` for an array.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            ModelValue::Bv { bits, .. } => Some(*bits as u64),
            ModelValue::Array(_) => None,
        }
    }
}

impl Model {
    /// A model without values: everything is 0.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the value of the bit-vector symbol of this name and width.
    pub fn set(&mut self, name: &str, width: u32, bits: u128) {
        self.insert(name, ModelValue::Bv { width, bits: bits & crate::terms::bits::mask(width) });
    }

    /// Sets the value of the array symbol of this name.
    pub fn set_array(&mut self, name: &str, value: ArrayValue) {
        self.insert(name, ModelValue::Array(value));
    }

    fn insert(&mut self, name: &str, value: ModelValue) {
        let values = match self.values.get_mut(name) {
            Some(values) => values,
            None => self.values.entry(name.into()).or_default(),
        };
        match values.binary_search_by_key(&value.width(), ModelValue::width) {
            Ok(at) => values[at] = value,
            Err(at) => values.insert(at, value),
        }
    }

    /// The value of the symbol of this name; of several with the name the array's, else the narrowest one's.
    pub fn get(&self, name: &str) -> Option<&ModelValue> {
        self.values.get(name)?.first()
    }

    /// The value of the symbol of this name and width (0: the array).
    pub fn get_sized(&self, name: &str, width: u32) -> Option<&ModelValue> {
        self.values.get(name)?.iter().find(|value| value.width() == width)
    }

    /// Names and values in order of names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ModelValue)> {
        self.values.iter().flat_map(|(name, values)| values.iter().map(move |value| (&**name, value)))
    }

    /// Whether no symbol has a value.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Takes over all values of `other`; where both have one, that of `other`.
    pub fn extend(&mut self, other: &Model) {
        for (name, value) in other.iter() {
            self.insert(name, value.clone());
        }
    }
}

/// The values as a map from strings to lists.
mod values {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use smallvec::SmallVec;

    use super::ModelValue;

    type Values = BTreeMap<Arc<str>, SmallVec<[ModelValue; 1]>>;

    pub(super) fn serialize<S: Serializer>(values: &Values, serializer: S) -> Result<S::Ok, S::Error> {
        let plain: BTreeMap<&str, &[ModelValue]> = values.iter().map(|(name, values)| (&**name, &values[..])).collect();
        plain.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Values, D::Error> {
        let plain = BTreeMap::<String, Vec<ModelValue>>::deserialize(deserializer)?;
        Ok(plain.into_iter().map(|(name, values)| (name.into(), values.into())).collect())
    }
}
