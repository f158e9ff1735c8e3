//! The inputs under which a schedule can be followed.

use icsched_smt::serial::TermDag;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A name in the text of constraints that C cannot compute: `open#2`, `stdin`, `sum@1`.
///
/// If each is replaced by a variable of its type, the text is C.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize, JsonSchema)]
pub struct NamedInput {
    /// As it stands in the text.
    pub name: String,
    /// The C type that it is read as: `int`, `char[]` for an array of bytes, `_Bool` for something that is true or not.
    #[serde(rename = "type")]
    pub ty: String,
    /// What it is, in words: `what the second open() returns`.
    pub meaning: String,
    /// Where the program reads it, `file.c:88`, if that is one place.
    pub at: Option<String>,
}

impl NamedInput {
    /// Whether a text has the name, not as a part of a longer word.
    pub fn is_in(name: &str, text: &str) -> bool {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        text.match_indices(name).any(|(at, _)| {
            let (before, after) = (text[..at].chars().next_back(), text[at + name.len()..].chars().next());
            let joins =
                |inner: Option<char>, outer: Option<char>| inner.is_some_and(is_word) && outer.is_some_and(is_word);
            !joins(name.chars().next(), before) && !joins(name.chars().next_back(), after)
        })
    }
}

/// The weakest precondition that was found for a schedule (Bergan 3.3.2), for people and for machines.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct InputConstraint {
    /// As a C expression over the program's inputs: `atoi(argv[1]) != 0 && x < 3`; `true` for any input.
    pub c: String,
    /// The same as a term, for the solver, selectors and test inputs. `None` if it was not kept.
    pub dag: Option<TermDag>,
}

impl InputConstraint {
    /// The constraint that every input satisfies.
    pub fn always() -> Self {
        Self::text("true")
    }

    /// A constraint that is only text.
    pub fn text(c: impl Into<String>) -> Self {
        Self { c: c.into(), dag: None }
    }

    /// Whether the text says that every input satisfies it.
    pub fn is_always(&self) -> bool {
        self.c == "true"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_part_of_a_longer_word() {
        assert!(NamedInput::is_in("n", "n > 3 && m == 1"));
        assert!(NamedInput::is_in("open#2", "(open#2 & 1) != 0"));
        assert!(!NamedInput::is_in("n", "open#2 > 3"));
        assert!(!NamedInput::is_in("open#2", "open#23 > 3"));
    }
}
