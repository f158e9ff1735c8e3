//! What can be wrong with single words of a manifest.

use thiserror::Error;

/// Why a word of a table's `columns` names no column.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(super) enum ColumnError {
    /// Neither a word for itself nor of the form `CONFIGURATION.FIGURE`.
    #[error("no column `{text}`; write threads, branches or CONFIGURATION.FIGURE")]
    Word { text: String },
    /// The configuration is none of the manifest.
    #[error("no configuration `{name}`; there are {known}")]
    Configuration { name: String, known: String },
    /// There is no such figure.
    #[error("no figure `{name}`; there are {known}")]
    Figure { name: String, known: String },
}

/// Why a `{NAME}` in a run's `threads` stands for no line.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(super) enum MarkError {
    /// A brace is not closed.
    #[error("`{thread}` has `{{` without `}}`")]
    Open { thread: String },
    /// No line has the mark, or several have.
    #[error("{lines} lines end in `//~ {name}`")]
    NotOneLine { name: String, lines: usize },
}
