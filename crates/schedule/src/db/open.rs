//! Opening a file of which it is not known yet what it is.

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::Path;

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::error::DbError;
use super::schema::{APPLICATION_ID, SCHEMA_VERSION};

/// Opens the file for reading and checks what it is.
pub(super) fn identify(path: &Path) -> Result<Connection, DbError> {
    let (connection, found) = open_any(path)?;
    let owned = || path.to_path_buf();
    match found {
        SCHEMA_VERSION => Ok(connection),
        found if found > SCHEMA_VERSION => Err(DbError::NewerSchema { path: owned(), found }),
        found => Err(DbError::OlderSchema { path: owned(), found }),
    }
}

/// Opens a database of schedules of any version, and says which.
pub(super) fn open_any(path: &Path) -> Result<(Connection, i64), DbError> {
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
    let damaged = |source: rusqlite::Error| match source.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy) => DbError::Busy(owned()),
        _ => DbError::Damaged { path: owned(), detail: source.to_string() },
    };
    recover(path).map_err(damaged)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(damaged)?;
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).map_err(damaged);
    if pragma("application_id")? != APPLICATION_ID {
        return Err(DbError::ForeignDatabase(owned()));
    }
    let version = pragma("user_version")?;
    Ok((connection, version))
}

/// Takes back what a process that ended within a transaction has left in the file. Only one that may write can do that.
fn recover(path: &Path) -> rusqlite::Result<()> {
    let mut journal = path.as_os_str().to_owned();
    journal.push("-journal");
    if !Path::new(&journal).exists() {
        return Ok(());
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.pragma_query_value(None, "schema_version", |_| Ok(()))
}
