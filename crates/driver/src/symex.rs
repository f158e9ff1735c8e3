//! `icsched symex`: the paths from a program context (Bergan chapter 2).

mod collect;
mod config;
mod error;
mod explain;
mod json;
mod paths;
mod report;
mod schema;
mod start;
mod states;
mod text;
mod whole;
mod witness;

use crate::error::DriverError;

pub use config::{SymexConfig, Technique, ThreadSpec};
pub use json::JsonWriter;
pub use report::{
    ContextThread, Ends, Header, PathReport, Sink, Statistics, StepReport, Summary, Totals, WitnessReport,
};
pub use schema::schema;
pub use text::{TextOptions, TextWriter};
pub use witness::WitnessInput;

/// Executes all paths from a context, or from the program's entry, and hands them to the sink as they are found.
///
/// # Errors
/// If the program cannot be loaded, a thread is at no place of it, or the sink fails. Everything else that goes wrong
/// is a reason for incompleteness in the summary.
pub fn symex(config: &SymexConfig, sink: &mut dyn Sink) -> Result<Summary, DriverError> {
    let started = std::time::Instant::now();
    let summary = match &config.from_start {
        Some(inputs) => whole::explore(config, inputs, sink, started),
        None => paths::explore(config, sink, started),
    }?;
    match config.explain {
        Some(path) if path > summary.totals.paths => Err(DriverError::NotFound {
            message: format!("--explain {path}: {} paths were found", summary.totals.paths),
            help: "paths have the numbers that they have without --explain".to_owned(),
        }),
        _ => Ok(summary),
    }
}
