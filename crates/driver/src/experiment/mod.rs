//! `icsched experiment`: batches of runs in several configurations, and tables of what they gave.
//!
//! A [`Manifest`] lists runs and tables. Each run is made in each of its configurations by a [`Runner`], one after the
//! other; every result has a file in the output directory, so that a batch that was stopped goes on where it was. A run
//! without a result is a row that says why.

mod column;
mod error;
mod figure;
mod job;
mod manifest;
mod outcome;
mod plot;
mod prepare;
mod report;
mod runner;
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use column::Column;
pub use figure::Figure;
pub use job::Job;
pub use manifest::{Command, Configuration, Manifest, Quoted, Reference, Run, TableSpec};
pub use outcome::{Ended, Failure, FailureKind, Outcome, Row};
pub use report::Report;
pub use runner::{Commands, Runner};
pub use table::Table;

use crate::config::StopRequest;
use crate::error::DriverError;
use outcome::ResultFile;

/// How a batch is run.
#[derive(Clone, Debug)]
pub struct ExperimentConfig {
    /// The manifest.
    pub manifest: PathBuf,
    /// Where results and tables are written.
    pub output: PathBuf,
    /// Compiles programs.
    pub clang: PathBuf,
    /// Runs everything again.
    pub force: bool,
    /// Names of the runs to make; all of them if empty. The tables have what is kept of the others.
    pub only: Vec<String>,
    /// Asked from outside to stop after the run that is under way.
    pub stop: Arc<StopRequest>,
}

/// Is told how a batch goes on.
pub trait BatchProgress {
    /// A job, the `number`th of `of` from 1, begins.
    fn begins(&mut self, number: usize, of: usize, run: &str, configuration: &str);
    /// The job ended; `kept` if it had been run before.
    fn ended(&mut self, row: &Row, kept: bool);
}

/// Runs a batch and writes its results.
///
/// # Errors
/// If the manifest is wrong or results cannot be written. A run that fails is no error but a row of the report.
pub fn experiment(
    config: &ExperimentConfig,
    runner: &dyn Runner,
    progress: &mut dyn BatchProgress,
) -> Result<Report, DriverError> {
    let manifest = Manifest::read(&config.manifest)?;
    for name in &config.only {
        if !manifest.runs.iter().any(|run| run.name == *name) {
            let known: Vec<_> = manifest.runs.iter().map(|run| run.name.as_str()).collect();
            return Err(DriverError::NotFound {
                message: format!("the manifest has no run `{name}`"),
                help: format!("it has {}", known.join(", ")),
            });
        }
    }
    let batch = Batch { config, runner, directory: config.output.join("runs") };
    make_directory(&batch.directory)?;
    let rows = batch.rows(&manifest, progress)?;
    let report = Report::new(&manifest, rows);
    report.write(&config.output)?;
    Ok(report)
}

fn make_directory(path: &Path) -> Result<(), DriverError> {
    fs::create_dir_all(path).map_err(|error| DriverError::Write { path: path.to_path_buf(), error })
}

struct Batch<'a> {
    config: &'a ExperimentConfig,
    runner: &'a dyn Runner,
    directory: PathBuf,
}

impl Batch<'_> {
    fn rows(&self, manifest: &Manifest, progress: &mut dyn BatchProgress) -> Result<Vec<Row>, DriverError> {
        let of = manifest.runs.iter().map(|run| run.configurations.len()).sum();
        let mut rows: Vec<Row> = Vec::new();
        for run in &manifest.runs {
            let prepared = self.prepare(run);
            for name in &run.configurations {
                let number = rows.len() + 1;
                let mut announce = || progress.begins(number, of, &run.name, name);
                let (ended, kept) = match &prepared {
                    Ok(prepared) => {
                        let job = prepared.job(run, name, &manifest.configurations[name], &self.directory);
                        self.job(&job, &prepared.bytes, &mut announce)?
                    }
                    Err(failure) => (Ended::Failed(failure.clone()), false),
                };
                rows.push(Row { run: run.name.clone(), configuration: name.clone(), ended });
                progress.ended(rows.last().expect("it was just pushed"), kept);
            }
        }
        Ok(rows)
    }

    fn prepare(&self, run: &Run) -> Result<Prepared, Failure> {
        let threads = prepare::threads(run)?;
        let bitcode = prepare::bitcode(run, &self.config.clang, &self.directory)?;
        let bytes = fs::read(&bitcode)
            .map_err(|error| Failure::not_runnable(format!("cannot read {}: {error}", bitcode.display())))?;
        Ok(Prepared { threads, bitcode, bytes })
    }

    /// What became of a job, and whether that is what was kept of it.
    fn job(&self, job: &Job<'_>, bytes: &[u8], announce: &mut dyn FnMut()) -> Result<(Ended, bool), DriverError> {
        let file = ResultFile::of(job, bytes, &self.directory);
        let is_wanted = self.config.only.is_empty() || self.config.only.contains(&job.run.name);
        let is_fresh = is_wanted && self.config.force;
        if let Some(kept) = file.read().filter(|_| !is_fresh) {
            return Ok((kept, true));
        }
        let stopped = |message: &str| {
            let failure = Failure { kind: FailureKind::Stopped, message: message.to_owned() };
            Ok((Ended::Failed(failure), false))
        };
        if !is_wanted {
            return stopped("not asked for (--only)");
        }
        if self.config.stop.asked().is_some() {
            return stopped("the batch was stopped before");
        }
        announce();
        let ended = match self.runner.run(job) {
            Ok(outcome) => Ended::Done(outcome),
            Err(failure) => Ended::Failed(failure),
        };
        file.write(&ended)?;
        Ok((ended, false))
    }
}

/// What all configurations of a run share.
struct Prepared {
    threads: Vec<String>,
    bitcode: PathBuf,
    bytes: Vec<u8>,
}

impl Prepared {
    fn job<'a>(
        &'a self,
        run: &'a Run,
        name: &'a str,
        configuration: &'a Configuration,
        directory: &'a Path,
    ) -> Job<'a> {
        let Self { threads, bitcode, .. } = self;
        Job { run, configuration_name: name, configuration, bitcode, threads, directory }
    }
}
