//! `icsched show`: reading databases back.

use std::path::Path;

use icsched_schedule::{Database, Enumeration};

use crate::error::DriverError;

/// Writes a result to a database, replacing what was there.
///
/// # Errors
/// If the file cannot be written.
pub fn save(result: &Enumeration, path: &Path) -> Result<(), DriverError> {
    Ok(Database::create(path)?.write(result)?)
}

/// Reads the result in a database.
///
/// # Errors
/// If the file is not a database of this version.
pub fn read(path: &Path) -> Result<Enumeration, DriverError> {
    Ok(Database::open(path)?.read()?)
}
