//! `icsched verify`: proves a database again.

use std::time::Instant;

use icsched_enumerate::Progress;
use icsched_schedule::Enumeration;
use icsched_symbolic::request::Activity;

use crate::config::EnumerateConfig;
use crate::enumerate::request;
use crate::error::DriverError;

pub use icsched_verify::{Cover, EpochCheck, Fault, FaultKind, Verification};

/// A verification with what it cost.
#[derive(Debug)]
pub struct Verified {
    /// What was found.
    pub result: Verification,
    /// Wall-clock seconds.
    pub seconds: f64,
}

/// Checks a database that was made of the program with these options. For each schedule at most `max_paths` paths are
/// executed.
///
/// # Errors
/// If the program cannot be loaded, or is not the one that the database was made from.
pub fn verify(
    config: &EnumerateConfig,
    database: &Enumeration,
    max_paths: usize,
    progress: &mut dyn Progress,
) -> Result<Verified, DriverError> {
    let start = Instant::now();
    let deadline = config.limits.deadline();
    let path = &config.program.path;
    let bitcode = config.program.read(&config.limits)?;
    if Enumeration::digest_of(&bitcode) != database.digest {
        let message = format!("the database was not made from {}, but from another program", path.display());
        let help = format!("it was made from {}; compile it the same way, or enumerate again", database.program);
        return Err(DriverError::NotFound { message, help });
    }
    let request = request(config, None, deadline)?;
    let result = icsched_verify::verify(&request, database, max_paths, &mut Shown(progress))
        .map_err(|error| DriverError::Inputs(error.to_string()))?;
    Ok(Verified { result, seconds: start.elapsed().as_secs_f64() })
}

/// Shows how far a verification is as a search does.
struct Shown<'p>(&'p mut dyn Progress);

impl icsched_verify::Progress for Shown<'_> {
    fn doing(&mut self, activity: Activity) {
        self.0.doing(activity);
    }

    fn checked(&mut self, paths: u64, left: usize, schedules: usize) {
        self.0.path(paths, left, schedules);
    }
}
