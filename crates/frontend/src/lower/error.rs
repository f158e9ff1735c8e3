//! Why something is not lowered.

use thiserror::Error;

/// Why an instruction, a constant or a type is not lowered: the words that `Op::Unsupported` carries to the user.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub(crate) struct Reason(pub(super) String);

impl From<String> for Reason {
    fn from(words: String) -> Self {
        Self(words)
    }
}

impl From<&str> for Reason {
    fn from(words: &str) -> Self {
        Self(words.to_owned())
    }
}
