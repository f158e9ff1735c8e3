//! The schedule database, `prog.icsdb`: an [`Enumeration`] in an SQLite file.
//!
//! The tables can be read with any SQLite tool; [`schema`] describes them. A file is written whole or not at all, and
//! the same result makes the same bytes, except for the table `statistics`.

mod error;
mod read;
mod schema;
mod write;

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use crate::enumeration::Enumeration;

pub use error::DbError;
pub use schema::SCHEMA_VERSION;

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

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces the file by one that holds the result. Until that has succeeded the old file stays as it is.
    ///
    /// # Errors
    /// If the file system refuses, or two epochs of the result have one name.
    pub fn write(&self, enumeration: &Enumeration) -> Result<(), DbError> {
        write::write(&self.path, enumeration)
    }

    /// Reads the whole result.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn read(&self) -> Result<Enumeration, DbError> {
        read::read(&self.path, &identify(&self.path)?)
    }
}

/// Opens the file for reading and checks what it is.
fn identify(path: &Path) -> Result<Connection, DbError> {
    let owned = || path.to_path_buf();
    let io_error = |source| DbError::Io { path: owned(), source };
    match fs::metadata(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Err(DbError::Missing(owned())),
        Err(e) => return Err(io_error(e)),
        Ok(metadata) if metadata.is_dir() => return Err(DbError::Directory(owned())),
        // Replacing a device by a file would destroy it, and reading one may never end.
        Ok(metadata) if !metadata.is_file() => return Err(DbError::Special(owned())),
        Ok(_) => {}
    }
    let mut start = Vec::new();
    File::open(path).and_then(|file| file.take(16).read_to_end(&mut start)).map_err(io_error)?;
    if start != b"SQLite format 3\0" {
        return Err(DbError::NotADatabase(owned()));
    }
    let damaged = |source| DbError::Damaged { path: owned(), detail: format!("{source}") };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(damaged)?;
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).map_err(damaged);
    if pragma("application_id")? != schema::APPLICATION_ID {
        return Err(DbError::ForeignDatabase(owned()));
    }
    match pragma("user_version")? {
        SCHEMA_VERSION => Ok(connection),
        found if found > SCHEMA_VERSION => Err(DbError::NewerSchema { path: owned(), found }),
        found => Err(DbError::OlderSchema { path: owned(), found }),
    }
}
