//! `icsched show`: reading databases back.

use std::io::Read as _;
use std::path::Path;

use icsched_schedule::{CUT_OFF, Database, Enumeration};

use crate::error::DriverError;

/// Whether a result can be written to this path later; nothing is written.
///
/// # Errors
/// If the directory is missing or closed, or the file is something else than a database.
pub fn check_writable(path: &Path) -> Result<(), DriverError> {
    Database::create(path)?;
    Ok(())
}

/// Whether a file is a database, of whatever version.
pub fn is_database(path: &Path) -> bool {
    const MAGIC: &[u8; 16] = b"SQLite format 3\0";
    let mut begin = [0; 16];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut begin));
    read.is_ok() && begin == *MAGIC
}

/// Reads the result in a database.
///
/// # Errors
/// If the file is not a database of this version.
pub fn read(path: &Path) -> Result<Enumeration, DriverError> {
    Ok(Database::open(path)?.read()?)
}

/// Reads what is there of a run that did not come to its end. Why it did not is for others to say.
///
/// # Errors
/// If the file is not a database of this version.
pub fn unfinished(path: &Path) -> Result<Enumeration, DriverError> {
    let mut found = read(path)?;
    found.reasons.retain(|reason| reason.message != CUT_OFF);
    Ok(found)
}

/// All that a database says but what its search has cost, in one order: the same text for the same result.
///
/// # Errors
/// If the file is not a database of this version.
pub fn dump(path: &Path) -> Result<String, DriverError> {
    Ok(Database::open(path)?.dump()?)
}
