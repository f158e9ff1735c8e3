//! `icsched replay`: shows a finding again.

use std::path::PathBuf;

use icsched_schedule::{Enumeration, Finding, FindingFile};

use crate::config::EnumerateConfig;
use crate::enumerate::request;
use crate::error::DriverError;

pub use icsched_check::replay::Replayed;

/// Reads a finding from a file of its own.
///
/// # Errors
/// If the file cannot be read, or is none.
pub fn read(path: &PathBuf) -> Result<FindingFile, DriverError> {
    let text = std::fs::read_to_string(path).map_err(|error| DriverError::Read { path: path.clone(), error })?;
    serde_json::from_str(&text).map_err(|error| DriverError::NotFound {
        message: format!("{} is no finding: {error}", path.display()),
        help: "`icsched check -o DIR` writes each finding to a file of its own, DIR/1.json".to_owned(),
    })
}

/// Runs a program with the input of a finding, in its order.
///
/// # Errors
/// If the program cannot be loaded or is another one, or the finding has no input.
pub fn replay(config: &EnumerateConfig, digest: &str, finding: &Finding) -> Result<Replayed, DriverError> {
    let path = &config.program.path;
    let bitcode = std::fs::read(path).map_err(|error| DriverError::Read { path: path.clone(), error })?;
    if !digest.is_empty() && Enumeration::digest_of(&bitcode) != digest {
        return Err(DriverError::NotFound {
            message: format!("the finding is not of {}, but of another program", path.display()),
            help: "compile it the same way, or check it again".to_owned(),
        });
    }
    let request = request(config, config.limits.deadline())?;
    icsched_check::replay::replay(&request, finding).ok_or_else(|| DriverError::NotFound {
        message: "the finding has no input that a run could be given".to_owned(),
        help: "only a finding that is confirmed can be replayed".to_owned(),
    })
}
