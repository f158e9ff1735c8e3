//! One run in one configuration.

use std::path::{Path, PathBuf};

use super::manifest::{Configuration, Run};

/// What is to be run.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The run.
    pub run: &'a Run,
    /// The name of the configuration.
    pub configuration_name: &'a str,
    /// The configuration.
    pub configuration: &'a Configuration,
    /// The run's program.
    pub bitcode: &'a Path,
    /// The run's threads, as `icsched` takes them.
    pub threads: &'a [String],
    /// Where files of the run may be left.
    pub directory: &'a Path,
}

impl Job<'_> {
    /// Names the job's files.
    pub fn name(&self) -> String {
        format!("{}.{}", self.run.name, self.configuration_name)
    }

    /// Whether real runs are made: infeasible paths are counted where nothing is turned off.
    pub(super) fn has_witness(&self) -> bool {
        !self.run.witness.is_empty() && self.configuration.without.is_empty()
    }

    /// A file of the job.
    pub(super) fn file(&self, extension: &str) -> PathBuf {
        self.directory.join(format!("{}.{extension}", self.name()))
    }
}
