//! What can be wrong with a command or its input.

use std::path::PathBuf;

use icsched_frontend::{LoadError, LoadStop, SourceError};
use icsched_machine::stop::Limit;
use icsched_schedule::{DbError, Diagnostic};
use icsched_symbolic::request::Activity;

/// An error that ends a command: with exit status 2, but for those of [`is_stop`](DriverError::is_stop) and
/// [`is_bug`](DriverError::is_bug).
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    /// The program could not be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// There is no bitcode of the program.
    #[error(transparent)]
    Source(SourceError),
    /// The database could not be read or written.
    #[error(transparent)]
    Database(#[from] DbError),
    /// A file could not be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A file could not be written.
    #[error("cannot write {}: {error}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A manifest of experiments is wrong.
    #[error("{message}")]
    Manifest {
        /// The file.
        path: PathBuf,
        /// Where in it, from 1.
        line: Option<usize>,
        /// What.
        message: String,
    },
    /// Inputs that do not fit together.
    #[error("{0}")]
    Inputs(String),
    /// A limit, or the user, ended the command before there was anything to say.
    #[error("stopped while {}", activity.words())]
    Stopped {
        /// Which one.
        limit: Limit,
        /// What was being done.
        activity: Activity,
    },
    /// Something that is not there was asked for.
    #[error("{message}")]
    NotFound {
        /// What.
        message: String,
        /// What there is.
        help: String,
    },
}

impl From<SourceError> for DriverError {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Load(error) => Self::Load(error),
            other => Self::Source(other),
        }
    }
}

impl DriverError {
    /// Which limit ended the command before there was anything to say, and while doing what; nothing is wrong then.
    pub fn stopped_by(&self) -> Option<(Limit, Activity)> {
        match self {
            DriverError::Load(LoadError::Stopped { stop, .. }) => Some(match stop {
                LoadStop::Time => (Limit::Time, Activity::Loading),
                LoadStop::Memory => (Limit::Memory, Activity::Loading),
                LoadStop::Interrupted => (Limit::Interrupted, Activity::Loading),
            }),
            DriverError::Stopped { limit, activity } => Some((*limit, *activity)),
            _ => None,
        }
    }

    /// Whether icsched itself is wrong.
    pub fn is_bug(&self) -> bool {
        match self {
            DriverError::Load(error) => error.is_internal(),
            DriverError::Database(error) => error.is_bug(),
            DriverError::Source(_)
            | DriverError::Read { .. }
            | DriverError::Write { .. }
            | DriverError::Manifest { .. }
            | DriverError::Inputs(_)
            | DriverError::Stopped { .. }
            | DriverError::NotFound { .. } => false,
        }
    }

    /// The error for people.
    pub fn diagnostic(&self) -> Diagnostic {
        match self {
            DriverError::Load(e) => Diagnostic::error("load", e.to_string()).help(e.help()),
            DriverError::Source(e) => Diagnostic::error("load", e.to_string()).help(e.help()),
            DriverError::Database(e) => {
                let diagnostic = Diagnostic::error("database", e.to_string());
                match e.help() {
                    Some(help) => diagnostic.help(help),
                    None => diagnostic,
                }
            }
            DriverError::Read { .. } => Diagnostic::error("read", self.to_string()),
            DriverError::Write { .. } => Diagnostic::error("write", self.to_string()),
            DriverError::Manifest { path, line, .. } => {
                let at = path.display().to_string() + &line.map(|line| format!(":{line}")).unwrap_or_default();
                Diagnostic::error("manifest", self.to_string()).at(at)
            }
            DriverError::Inputs(_) => Diagnostic::error("inputs", self.to_string()),
            DriverError::Stopped { .. } => Diagnostic::warning("limit", self.to_string()),
            DriverError::NotFound { help, .. } => Diagnostic::error("not-found", self.to_string()).help(help.clone()),
        }
    }
}
