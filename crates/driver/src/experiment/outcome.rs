//! What became of a run, and the file that keeps it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use icsched_schedule::Enumeration;
use serde::{Deserialize, Serialize};

use super::figure::Figure;
use super::job::Job;
use crate::error::DriverError;

/// Name and version of a result file.
const SCHEMA: &str = "icsched/experiment-run/1";

/// A run in one configuration, and what became of it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Row {
    /// The run's name.
    pub run: String,
    /// The configuration's name.
    pub configuration: String,
    /// How it ended.
    #[serde(flatten)]
    pub ended: Ended,
}

/// How a run ended.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// With a result.
    Done(Outcome),
    /// Without one.
    Failed(Failure),
}

/// The result of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// Whether it is complete.
    pub complete: bool,
    /// Why not.
    pub reasons: Vec<String>,
    /// The figures that the command gives.
    pub figures: BTreeMap<Figure, f64>,
}

/// Why a run gave no result.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// What kind of failure.
    pub kind: FailureKind,
    /// In one sentence.
    pub message: String,
}

/// Kinds of failures.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The program does not compile, the manifest asks for what is not there.
    NotRunnable,
    /// A limit was reached before there was anything to say.
    Limit,
    /// icsched ended as it should not.
    Crash,
    /// icsched itself says that it is wrong.
    Bug,
    /// The batch was stopped.
    Stopped,
}

impl Failure {
    pub(super) fn not_runnable(message: impl Into<String>) -> Self {
        Self { kind: FailureKind::NotRunnable, message: message.into() }
    }

    /// Whether another try would end alike.
    fn is_final(&self) -> bool {
        match self.kind {
            FailureKind::Limit | FailureKind::Crash | FailureKind::Bug => true,
            FailureKind::NotRunnable | FailureKind::Stopped => false,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Kept {
    schema: String,
    /// Digest of what the result depends on.
    key: String,
    ended: Ended,
}

/// A result file.
pub(super) struct ResultFile {
    path: PathBuf,
    key: String,
}

impl ResultFile {
    /// The file of a job whose program is `bitcode`. Another program, option or limit is another result.
    pub(super) fn of(job: &Job<'_>, bitcode: &[u8], directory: &Path) -> Self {
        let mut input = serde_json::to_vec(&(job.run, job.configuration)).expect("plain data has a JSON form");
        input.extend_from_slice(bitcode);
        let path = directory.join(format!("{}.result.json", job.name()));
        Self { path, key: Enumeration::digest_of(&input) }
    }

    /// What is kept of an earlier batch. A file that is damaged, or of another job, is none.
    pub(super) fn read(&self) -> Option<Ended> {
        let kept: Kept = serde_json::from_slice(&fs::read(&self.path).ok()?).ok()?;
        (kept.schema == SCHEMA && kept.key == self.key).then_some(kept.ended)
    }

    /// Keeps what would come out again; forgets what was there otherwise.
    pub(super) fn write(&self, ended: &Ended) -> Result<(), DriverError> {
        let failed = |error| DriverError::Write { path: self.path.clone(), error };
        if matches!(ended, Ended::Failed(failure) if !failure.is_final()) {
            return match fs::remove_file(&self.path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(failed(error)),
                _ => Ok(()),
            };
        }
        let kept = Kept { schema: SCHEMA.to_owned(), key: self.key.clone(), ended: ended.clone() };
        let text = serde_json::to_string_pretty(&kept).expect("plain data has a JSON form") + "\n";
        // A batch that is killed here must not leave half a file.
        let partial = self.path.with_extension("partial");
        fs::write(&partial, text).and_then(|()| fs::rename(&partial, &self.path)).map_err(failed)
    }
}
