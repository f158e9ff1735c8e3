//! Why a program cannot be started.

use thiserror::Error;

/// Why a program cannot be started.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum StartError {
    /// There is nothing to begin with.
    #[error("the program has no main function")]
    NoMain,
    /// What happens before `main` needs something that it does not get; says what.
    #[error("the program cannot be started: {0}")]
    NoStart(String),
}
