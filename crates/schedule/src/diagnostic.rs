//! The one form in which anything is told to the user: refused input, warnings, findings.
//!
//! Libraries have `thiserror` enums of their own; they become diagnostics where they leave the library. Rendering is in
//! the report crate.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How bad it is.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// The result may be less than was asked for.
    Warning,
    /// There is no result.
    Error,
}

impl Severity {
    /// The severity as one word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A message with its place and what to do.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A stable word for the kind of message, e.g. `not-a-database`.
    pub code: &'static str,
    /// Where: `file.c:88`, or the file the message is about.
    pub at: Option<String>,
    /// What is wrong, as one sentence without a full stop.
    pub message: String,
    /// More about it, each a sentence.
    pub notes: Vec<String>,
    /// What the user can do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// A warning.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    /// A message without place, notes and help.
    pub fn new(severity: Severity, code: &'static str, message: impl Into<String>) -> Self {
        Self { severity, code, at: None, message: message.into(), notes: Vec::new(), help: None }
    }

    /// The same with its place.
    #[must_use]
    pub fn at(mut self, at: impl Into<String>) -> Self {
        self.at = Some(at.into());
        self
    }

    /// The same with one more note.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// The same with what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The first line of it: `file.c:88: error: message`.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(at) = &self.at {
            write!(f, "{at}: ")?;
        }
        write!(f, "{}: {}", self.severity.word(), self.message)
    }
}

impl std::error::Error for Diagnostic {}
