//! The schedule database, `prog.icsdb`: an [`Enumeration`] in an SQLite file.
//!
//! The tables can be read with any SQLite tool; [`schema`] describes them. A file is written whole or not at all, and
//! the same result makes the same bytes, except for the table `statistics`; or epoch by epoch ([`DatabaseWriter`]),
//! where [`Database::dump`] of the same result is the same.

mod error;
mod kept;
mod open;
mod read;
mod schema;
mod stream;
mod write;

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::enumeration::Enumeration;
use crate::finding::CheckResult;

use open::identify;

pub use error::DbError;
pub use kept::{Kept, KeptSearch};
pub use read::CUT_OFF;
pub use schema::SCHEMA_VERSION;
pub use stream::DatabaseWriter;

/// A database file: an existing one that can be read, or a path that can be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Database {
    path: PathBuf,
}

impl Database {
    /// Checks that a database can be written here, before the work of computing one. Writes nothing.
    ///
    /// # Errors
    /// If the path is a directory, its directory is missing or read-only, or there is a file that is no icsched
    /// database: a mistyped name must not cost the user a source file.
    pub fn create(path: impl Into<PathBuf>) -> Result<Self, DbError> {
        let path = path.into();
        match identify(&path) {
            Ok(_) | Err(DbError::Missing(_) | DbError::NewerSchema { .. } | DbError::OlderSchema { .. }) => {}
            Err(DbError::NotADatabase(path)) if fs::metadata(&path).is_ok_and(|file| file.len() == 0) => {}
            Err(DbError::NotADatabase(path) | DbError::ForeignDatabase(path)) => {
                return Err(DbError::WouldOverwrite(path));
            }
            Err(error) => return Err(error),
        }
        write::temporary_file_beside(&path)?;
        Ok(Self { path })
    }

    /// Opens an existing database and checks that this version can read it.
    ///
    /// # Errors
    /// If there is no such file, it is no icsched database, or one of another version.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, DbError> {
        let path = path.into();
        identify(&path)?;
        Ok(Self { path })
    }

    /// Begins a database that is written epoch by epoch: with the header of `start`, and the searches that were kept
    /// from a run with the same `identity`, at most one of an epoch with its result. An old file is replaced, under the
    /// conditions of [`Self::create`].
    ///
    /// # Errors
    /// As for [`Self::create`] and [`Self::write`].
    pub fn begin(
        path: impl Into<PathBuf>,
        identity: &str,
        start: &Enumeration,
        kept: &[KeptSearch],
    ) -> Result<DatabaseWriter, DbError> {
        DatabaseWriter::begin(Self::create(path)?.path, identity, start, kept)
    }

    /// Checks that a file has no finished result of another program than the one at `program`, whose bitcode has this
    /// digest. A program stays the same one if it is compiled anew or moved: the same bytes, or the same path, as far
    /// as both say it, without its extension.
    ///
    /// # Errors
    /// If it has one, or the system does not let the file be read. What is no database, or a damaged one, is for
    /// [`Self::create`].
    pub fn check_same_program(path: impl Into<PathBuf>, program: &str, digest: &str) -> Result<(), DbError> {
        let path = path.into();
        let found = match read::read_program(&path) {
            Ok(found) => found,
            Err(DbError::Io { path, source }) => return Err(DbError::Io { path, source }),
            Err(_) => return Ok(()),
        };
        let is_same = found.digest == digest || is_same_path(Path::new(&found.program), Path::new(program));
        if found.finished && !is_same {
            return Err(DbError::OtherProgram { path, program: found.program });
        }
        Ok(())
    }

    /// What a run with this identity has written to a file, finished or not; `None` if there is no file, or one of
    /// something else, or one that cannot be read.
    ///
    /// # Errors
    /// If somebody is writing the file, or the system does not let it be read.
    pub fn resumable(path: impl Into<PathBuf>, identity: &str) -> Result<Option<Kept>, DbError> {
        let path = path.into();
        let read = || {
            let connection = identify(&path)?;
            let run = read::read_run(&path, &connection)?;
            if identity.is_empty() || run.identity != identity {
                return Ok(None);
            }
            let result = read::read(&path, &connection)?;
            let found = |place: Option<usize>| place.and_then(|place| result.epochs.get(place)).cloned();
            let kept = |(record, place)| KeptSearch { record, result: found(place) };
            let searches = run.searches.into_iter().map(kept).collect();
            Ok(Some(Kept { searches, is_final: run.finished && !run.cut, result }))
        };
        match read() {
            Ok(kept) => Ok(kept),
            Err(
                DbError::Missing(_)
                | DbError::NotADatabase(_)
                | DbError::ForeignDatabase(_)
                | DbError::NewerSchema { .. }
                | DbError::OlderSchema { .. }
                | DbError::Damaged { .. },
            ) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The whole result as JSON, with epochs by their names and without statistics: the same for the same result, in
    /// whatever order the epochs were written.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn dump(&self) -> Result<String, DbError> {
        let mut found = self.read()?;
        found.epochs.sort_by_cached_key(|epoch| epoch.key().to_string());
        found.reasons.sort();
        let mut value = serde_json::to_value(&found).expect("plain data has a JSON form");
        value.as_object_mut().expect("a struct is a JSON object").remove("statistics");
        Ok(serde_json::to_string_pretty(&value).expect("plain data has a JSON form") + "\n")
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the file by one that holds the result. Until that has succeeded the old file stays as it is.
    ///
    /// # Errors
    /// If the file system refuses, or two epochs of the result have one name.
    pub fn write(&self, enumeration: &Enumeration) -> Result<(), DbError> {
        write::write(&self.path, enumeration, &write::Run { finished: true, ..write::Run::default() })
    }

    /// Keeps what a check of this result has found, in place of what one has found before.
    ///
    /// # Errors
    /// If the file is none of this version any more, or cannot be written.
    pub fn keep_check(&self, check: &CheckResult) -> Result<(), DbError> {
        drop(identify(&self.path)?);
        let failed = |source| DbError::Write { path: self.path.clone(), source };
        write::keep_check(&self.path, check).map_err(failed)
    }

    /// What the last check has found; `None` if there was none.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn last_check(&self) -> Result<Option<CheckResult>, DbError> {
        read::read_check(&self.path, &identify(&self.path)?)
    }

    /// Reads the whole result.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn read(&self) -> Result<Enumeration, DbError> {
        read::read(&self.path, &identify(&self.path)?)
    }
}

/// Whether two paths may name one program, from whatever directories they start: one of them is how the other ends, but
/// for the form in which the program is (`.bc`, `.ll`).
fn is_same_path(a: &Path, b: &Path) -> bool {
    let parts = |path: &Path| -> PathBuf {
        path.with_extension("").components().filter(|part| *part != Component::CurDir).collect()
    };
    let (a, b) = (parts(a), parts(b));
    a.ends_with(&b) || b.ends_with(&a)
}
