//! What can be wrong with a database file.

use std::path::{Path, PathBuf};

use super::schema::SCHEMA_VERSION;
use crate::diagnostic::Diagnostic;

/// Why a database cannot be opened, read or written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what the messages say")]
pub enum DbError {
    /// There is no such file.
    #[error("there is no file `{}`", .0.display())]
    Missing(PathBuf),
    /// The path is a directory.
    #[error("`{}` is a directory", .0.display())]
    Directory(PathBuf),
    /// The path is a device or a pipe.
    #[error("`{}` is a device or a pipe, not a file", .0.display())]
    Special(PathBuf),
    /// Not an SQLite file.
    #[error("`{}` is not a schedule database", .0.display())]
    NotADatabase(PathBuf),
    /// An SQLite file of some other program.
    #[error("`{}` is a database, but not one of schedules", .0.display())]
    ForeignDatabase(PathBuf),
    /// Writing would destroy a file that is not ours.
    #[error("`{}` exists and is not a schedule database", .0.display())]
    WouldOverwrite(PathBuf),
    /// Writing would destroy the result of another program.
    #[error("`{}` has the result of another program, {program}", .path.display())]
    OtherProgram { path: PathBuf, program: String },
    /// Written by a later version of icsched.
    #[error("`{}` has database version {found}; this icsched reads version {SCHEMA_VERSION}", .path.display())]
    NewerSchema { path: PathBuf, found: i64 },
    /// Written by an earlier version of icsched.
    #[error("`{}` has database version {found}; this icsched reads version {SCHEMA_VERSION}", .path.display())]
    OlderSchema { path: PathBuf, found: i64 },
    /// Another process is writing it.
    #[error("the schedule database `{}` is being written", .0.display())]
    Busy(PathBuf),
    /// The content contradicts itself or cannot be read.
    #[error("the schedule database `{}` is damaged: {detail}", .path.display())]
    Damaged { path: PathBuf, detail: String },
    /// Two epochs of a result have one short name.
    #[error("two epochs have the name {0}")]
    DuplicateEpoch(String),
    /// The operating system refuses.
    #[error("cannot access `{}`: {source}", .path.display())]
    Io { path: PathBuf, source: std::io::Error },
    /// SQLite refuses to write.
    #[error("cannot write `{}`: {source}", .path.display())]
    Write { path: PathBuf, source: rusqlite::Error },
}

impl DbError {
    /// A stable word for the kind of error.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Missing(_) => "missing-file",
            Self::Directory(_) => "is-a-directory",
            Self::Special(_) => "not-a-file",
            Self::NotADatabase(_) => "not-a-database",
            Self::ForeignDatabase(_) => "foreign-database",
            Self::WouldOverwrite(_) => "would-overwrite",
            Self::OtherProgram { .. } => "other-program",
            Self::NewerSchema { .. } => "newer-database",
            Self::OlderSchema { .. } => "older-database",
            Self::Busy(_) => "busy-database",
            Self::Damaged { .. } => "damaged-database",
            Self::DuplicateEpoch(_) => "duplicate-epoch",
            Self::Io { .. } => "io",
            Self::Write { .. } => "cannot-write",
        }
    }

    /// Whether icsched itself is wrong.
    pub const fn is_bug(&self) -> bool {
        matches!(self, Self::DuplicateEpoch(_))
    }

    /// What the user can do.
    pub fn help(&self) -> Option<String> {
        let help = match self {
            Self::Missing(_) => "`icsched enumerate PROG.bc -o PROG.icsdb` writes one".into(),
            Self::Directory(_) | Self::Special(_) => "give the path of a file, e.g. `prog.icsdb`".into(),
            Self::NotADatabase(path) => return Some(not_a_database_help(path)),
            Self::ForeignDatabase(_) => "schedule databases are written by `icsched enumerate`".into(),
            Self::WouldOverwrite(_) => "choose another name for the result, or remove the file first".into(),
            Self::OtherProgram { .. } => "name another file with -o, or replace this one with --force".into(),
            Self::NewerSchema { .. } => "use the icsched that wrote it, or a later one".into(),
            Self::OlderSchema { .. } | Self::Damaged { .. } => "run `icsched enumerate` again".into(),
            Self::Busy(_) => "try again when the run that writes it has gone on".into(),
            Self::DuplicateEpoch(_) => "this is a bug in icsched; please report it".into(),
            Self::Io { .. } | Self::Write { .. } => return None,
        };
        Some(help)
    }
}

fn not_a_database_help(path: &Path) -> String {
    match path.extension().and_then(|e| e.to_str()) {
        Some("bc" | "ll") => "this looks like a program; `icsched enumerate` makes a schedule database of it".into(),
        _ => "schedule databases are written by `icsched enumerate` and named `*.icsdb`".into(),
    }
}

impl From<&DbError> for Diagnostic {
    fn from(error: &DbError) -> Self {
        let diagnostic = Diagnostic::error(error.code(), error.to_string());
        match error.help() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}
