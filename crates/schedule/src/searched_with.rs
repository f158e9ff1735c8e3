//! What the paths of an epoch were executed with, so that others need not search again to execute some of them.

use std::fmt;
use std::sync::Arc;

use icsched_ir::{BlockId, FuncId};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// What the paths of an epoch were executed with.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct SearchedWith {
    /// What holds whenever the epoch begins. Only the crate `facts` looks into it.
    pub facts: Json,
    /// The loops and recursions that are summarised, in the order in which they were.
    pub summarised: Vec<Summarised>,
    /// Whether it is left open which objects synchronisation is on (Bergan 3.4.1.5).
    pub objects_open: bool,
    /// What the names in constraints stand for, in the order in which paths came to it. Only the crate `symbolic` looks
    /// into it.
    pub names: Json,
}

/// Code that can be summarised: replaced by what it may do (input abstraction, Bergan 3.4.2).
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Summarisable {
    /// A loop, by its function and header.
    Loop(FuncId, BlockId),
    /// Functions that call each other, by the first of them.
    Recursion(FuncId),
}

/// A loop or a recursion that is summarised.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Summarised {
    /// Which.
    pub code: Summarisable,
    /// Where it is: `file.c:88`.
    pub at: String,
}

/// A value of another crate as JSON text: kept, compared and handed on, and not looked into here.
#[derive(Clone, PartialEq, Eq)]
pub struct Json(Arc<str>);

impl Json {
    /// A value as JSON.
    pub fn of(value: &impl Serialize) -> Self {
        Self(serde_json::to_string(value).expect("plain data has a JSON form").into())
    }

    /// A text, if it is JSON.
    ///
    /// # Errors
    /// If it is not.
    pub fn from_text(text: String) -> Result<Self, serde_json::Error> {
        serde_json::from_str::<serde::de::IgnoredAny>(&text)?;
        Ok(Self(text.into()))
    }

    /// The value.
    ///
    /// # Errors
    /// If it is not of this type.
    pub fn value<'a, T: Deserialize<'a>>(&'a self) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.0)
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// `null`.
impl Default for Json {
    fn default() -> Self {
        Self("null".into())
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let value: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        value.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Self(value.get().into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stays_what_it_is() {
        let json = Json::of(&vec![(1, "a"), (2, "b")]);
        assert_eq!(json.text(), r#"[[1,"a"],[2,"b"]]"#);
        assert_eq!(json.value::<Vec<(u8, String)>>().expect("as written").len(), 2);
        let text = serde_json::to_string(&json).expect("JSON");
        assert_eq!(serde_json::from_str::<Json>(&text).expect("JSON"), json);
        assert_eq!(serde_json::to_value(&json).expect("JSON")[1][0], 2);
        assert!(Json::from_text("[1,".to_owned()).is_err());
    }
}
