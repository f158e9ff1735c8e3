//! `icsched show`: reading databases back.

use std::path::Path;

use icsched_schedule::{Database, Enumeration};

use crate::error::DriverError;

/// Whether a result can be written to this path later; nothing is written.
///
/// # Errors
/// If the directory is missing or closed, or the file is something else than a database.
pub fn check_writable(path: &Path) -> Result<(), DriverError> {
    Database::create(path)?;
    Ok(())
}

/// Reads the result in a database.
///
/// # Errors
/// If the file is not a database of this version.
pub fn read(path: &Path) -> Result<Enumeration, DriverError> {
    Ok(Database::open(path)?.read()?)
}

/// All that a database says but what its search has cost, in one order: the same text for the same result.
///
/// # Errors
/// If the file is not a database of this version.
pub fn dump(path: &Path) -> Result<String, DriverError> {
    Ok(Database::open(path)?.dump()?)
}
