//! `icsched replay`: shows a finding again.

use std::path::Path;

use icsched_schedule::finding::FINDING_SCHEMA;
use icsched_schedule::{CheckResult, Database, Enumeration, Finding, FindingFile};

use crate::config::EnumerateConfig;
use crate::enumerate::request;
use crate::error::DriverError;

pub use icsched_check::replay::Replayed;

/// Reads a finding: `FILE` of its own, or `PROG.icsdb#K`, the K-th one of the last check that is kept there.
///
/// # Errors
/// If the file cannot be read, or has no such finding.
pub fn read(named: &str) -> Result<FindingFile, DriverError> {
    let is_file = Path::new(named).exists();
    match named.rsplit_once('#').filter(|_| !is_file) {
        Some((database, number)) => of_database(Path::new(database), number),
        None => of_file(Path::new(named)),
    }
}

fn of_database(path: &Path, number: &str) -> Result<FindingFile, DriverError> {
    let check = Database::open(path)?.last_check()?.ok_or_else(|| DriverError::NotFound {
        message: format!("{} has no findings", path.display()),
        help: "`icsched check` keeps what it finds there".to_owned(),
    })?;
    let found = number.parse::<usize>().ok().and_then(|k| check.findings.get(k.checked_sub(1)?));
    let finding = found.cloned().ok_or_else(|| DriverError::NotFound {
        message: format!("{} has no finding `{number}`", path.display()),
        help: format!("it has {}, numbered from 1", check.findings.len()),
    })?;
    let CheckResult { program, digest, options, .. } = check;
    let contents = Database::open(path)?.read()?.contents;
    Ok(FindingFile { schema: FINDING_SCHEMA.to_owned(), program, digest, options, contents, finding })
}

fn of_file(path: &Path) -> Result<FindingFile, DriverError> {
    let text = std::fs::read(path).map_err(|error| DriverError::Read { path: path.to_path_buf(), error })?;
    if crate::show::is_database(path) {
        return Err(DriverError::NotFound {
            message: format!("{} is a database, which may have several findings", path.display()),
            help: format!("name one of them: {}#1", path.display()),
        });
    }
    serde_json::from_slice(&text).map_err(|error| DriverError::NotFound {
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
    let bitcode = config.program.read(&config.limits)?;
    if !digest.is_empty() && Enumeration::digest_of(&bitcode) != digest {
        return Err(DriverError::NotFound {
            message: format!("the finding is not of {}, but of another program", path.display()),
            help: "compile it the same way, or check it again".to_owned(),
        });
    }
    let request = request(config, None, config.limits.deadline())?;
    icsched_check::replay::replay(&request, finding).ok_or_else(|| DriverError::NotFound {
        message: "the finding has no input that a run could be given".to_owned(),
        help: "only a finding that is confirmed can be replayed".to_owned(),
    })
}
