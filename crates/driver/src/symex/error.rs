//! What can be wrong with a file of inputs.

use thiserror::Error;

/// Why the file that `--witness` names gives no inputs.
#[derive(Debug, Error)]
pub(super) enum WitnessError {
    /// The file is no JSON, or JSON of another form.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The ranges of one entry stand for too many inputs.
    #[error("an input stands for more than {most}")]
    TooMany { most: usize },
}
