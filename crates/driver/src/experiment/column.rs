//! The columns that a manifest asks for.

use super::error::ColumnError;
use super::figure::Figure;

/// A column of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Column {
    /// The number of threads.
    Threads,
    /// The bound on conditional branches.
    Branches,
    /// A figure in one configuration.
    Figure {
        /// The configuration's name.
        configuration: String,
        /// The figure.
        figure: Figure,
    },
    /// Whether the result in one configuration is complete.
    Complete {
        /// The configuration's name.
        configuration: String,
    },
}

/// How [`Column::Complete`] is called.
const COMPLETE: &str = "complete";

impl Column {
    /// Reads `threads`, `branches`, `CONFIGURATION.FIGURE` or `CONFIGURATION.complete`.
    ///
    /// # Errors
    /// If the text is nothing of the kind, or of a configuration that is not among these; the error says what there is.
    pub(super) fn parse(text: &str, configurations: &[&str]) -> Result<Self, ColumnError> {
        match text {
            "threads" => return Ok(Self::Threads),
            "branches" => return Ok(Self::Branches),
            _ => {}
        }
        let Some((configuration, figure)) = text.split_once('.') else {
            return Err(ColumnError::Word { text: text.to_owned() });
        };
        if !configurations.contains(&configuration) {
            let known = configurations.join(", ");
            return Err(ColumnError::Configuration { name: configuration.to_owned(), known });
        }
        if figure == COMPLETE {
            return Ok(Self::Complete { configuration: configuration.to_owned() });
        }
        let Some(figure) = Figure::from_word(figure) else {
            let known: Vec<_> = Figure::ALL.iter().map(|figure| figure.word()).chain([COMPLETE]).collect();
            return Err(ColumnError::Figure { name: figure.to_owned(), known: known.join(", ") });
        };
        Ok(Self::Figure { configuration: configuration.to_owned(), figure })
    }

    /// What stands above it.
    pub(super) fn heading(&self) -> String {
        match self {
            Self::Threads => "threads".to_owned(),
            Self::Branches => "branches".to_owned(),
            Self::Figure { configuration, figure } => format!("{configuration} {}", figure.title()),
            Self::Complete { configuration } => format!("{configuration} {COMPLETE}"),
        }
    }

    /// As in the manifest.
    pub(super) fn word(&self) -> String {
        match self {
            Self::Threads => "threads".to_owned(),
            Self::Branches => "branches".to_owned(),
            Self::Figure { configuration, figure } => format!("{configuration}.{}", figure.word()),
            Self::Complete { configuration } => format!("{configuration}.{COMPLETE}"),
        }
    }

    /// The configuration whose results it shows.
    pub(super) fn configuration(&self) -> Option<&str> {
        match self {
            Self::Threads | Self::Branches => None,
            Self::Figure { configuration, .. } | Self::Complete { configuration } => Some(configuration),
        }
    }
}
