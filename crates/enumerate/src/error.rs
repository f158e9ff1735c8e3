//! Why there is no result at all.

use thiserror::Error;

/// Why a program cannot be enumerated.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum EnumerateError {
    /// There is nothing to begin with.
    #[error("the program has no main function")]
    NoMain,
    /// What happens before `main` needs something that it does not get; says what.
    #[error("the program cannot be started: {0}")]
    NoStart(String),
}
