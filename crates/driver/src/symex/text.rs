//! The result of `icsched symex` for people.

use std::fmt::{self, Write as _};
use std::io;

use super::report::{Header, PathReport, Sink, Summary, conjunction};
use crate::error::DriverError;

/// Columns of a constraint that is written on one line.
const WIDTH: usize = 120;
/// Conjuncts of a constraint that are shown.
const MAX_CONJUNCTS: usize = 16;
/// Characters of a conjunct that are shown.
const MAX_CONJUNCT: usize = 400;

/// How much is shown.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct TextOptions {
    /// The trace of each path.
    pub traces: bool,
    /// What each path takes for granted.
    pub assumed: bool,
    /// Only the path with this number, all of it.
    pub only: Option<usize>,
}

/// Writes the text while paths are found.
#[derive(Debug)]
pub struct TextWriter<W> {
    to: W,
    options: TextOptions,
}

impl<W: io::Write> TextWriter<W> {
    /// A writer to standard output.
    pub fn new(to: W, options: TextOptions) -> Self {
        Self { to, options }
    }

    fn print(&mut self, write: impl FnOnce(&mut String) -> fmt::Result) -> Result<(), DriverError> {
        let mut text = String::new();
        write(&mut text).expect("writing to a string does not fail");
        let written = self.to.write_all(text.as_bytes()).and_then(|()| self.to.flush());
        written.map_err(|error| DriverError::Write { path: "standard output".into(), error })
    }
}

impl<W: io::Write> Sink for TextWriter<W> {
    fn begin(&mut self, header: &Header) -> Result<(), DriverError> {
        self.print(|out| write_header(out, header))
    }

    fn path(&mut self, path: &PathReport) -> Result<(), DriverError> {
        let options = self.options;
        if options.only.is_some_and(|only| only != path.path) {
            return Ok(());
        }
        self.print(|out| write_path(out, path, options))
    }

    fn end(&mut self, header: &Header, summary: &Summary) -> Result<(), DriverError> {
        self.print(|out| write_summary(out, header, summary))
    }
}

fn write_header(out: &mut String, header: &Header) -> fmt::Result {
    for thread in &header.contexts {
        let from = if thread.complete { "" } else { ", called by anybody" };
        let waits = if thread.waiting { "waits at " } else { "" };
        writeln!(out, "thread {}: {waits}{}{from}", thread.thread, thread.stack.join(", called at "))?;
    }
    if header.initial.is_empty() { Ok(()) } else { write_conjuncts(out, "known there:", &header.initial, None) }
}

/// A conjunction: on one line if it is short, else a conjunct per line, and no more than so many of them.
fn write_conjuncts(out: &mut String, before: &str, conjuncts: &[String], most: Option<usize>) -> fmt::Result {
    let whole = conjunction(conjuncts);
    if before.len() + whole.len() < WIDTH || conjuncts.len() == 1 && whole.len() <= MAX_CONJUNCT {
        return writeln!(out, "{before} {whole}");
    }
    let indent = " ".repeat(before.len() - before.trim_start().len());
    let shown = most.unwrap_or(usize::MAX).min(conjuncts.len());
    for (i, conjunct) in conjuncts[..shown].iter().enumerate() {
        let start = if i == 0 { before } else { &format!("{indent}  &&") };
        match conjunct.char_indices().nth(MAX_CONJUNCT).filter(|_| most.is_some()) {
            Some((end, _)) => writeln!(out, "{start} {}...", &conjunct[..end])?,
            None => writeln!(out, "{start} {conjunct}")?,
        }
    }
    match conjuncts.len() - shown {
        0 => Ok(()),
        more => writeln!(out, "{indent}  && ... ({more} more: --explain, --json)"),
    }
}

fn write_summary(out: &mut String, header: &Header, report: &Summary) -> fmt::Result {
    let totals = report.totals;
    let counts = [
        (totals.finished, "finished"),
        (totals.deadlocks, "deadlocked"),
        (totals.endless, "endless"),
        (totals.memory_errors, "with memory errors"),
        (totals.aborts, "aborted"),
        (totals.budget, "cut"),
        (totals.stuck, "stuck"),
    ];
    let counts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    let plural = if totals.paths == 1 { "" } else { "s" };
    let colon = if counts.is_empty() { "" } else { ": " };
    writeln!(out, "\n{} path{plural}{colon}{}", totals.paths, counts.join(", "))?;
    if let Some(witness) = &report.witness {
        writeln!(
            out,
            "{} taken and {} not taken by {} real runs, of which {} came here in {} states ({:.2} s)",
            witness.witnessed, witness.unwitnessed, witness.runs, witness.arrived, witness.states, witness.seconds
        )?;
        for stray in &witness.strayed {
            writeln!(out, "  {stray}")?;
        }
    }
    if report.complete {
        writeln!(out, "complete, if {}", header.assumptions.join("; if "))?;
    } else {
        writeln!(out, "not complete:")?;
        for reason in &report.reasons {
            let at = reason.at.as_ref().map(|at| format!("{at}: ")).unwrap_or_default();
            writeln!(out, "  {at}{}", reason.message)?;
        }
    }
    let statistics = &report.statistics;
    writeln!(
        out,
        "{:.2} s ({:.2} s before the first path, {:.2} s in the solver), {} instructions, {} MiB",
        statistics.seconds,
        statistics.analysis_seconds,
        statistics.solver_seconds,
        statistics.instructions,
        statistics.peak_mib
    )
}

fn write_path(out: &mut String, path: &PathReport, options: TextOptions) -> fmt::Result {
    write!(out, "\npath {}: {}", path.path, path.ends.name())?;
    if let Some(at) = &path.at {
        write!(out, " at {at}")?;
    }
    if let Some(message) = &path.message {
        write!(out, ": {message}")?;
    }
    writeln!(
        out,
        "{}{}",
        if path.certain { "" } else { " (may be infeasible: the solver gave up)" },
        if path.witnessed == Some(false) { " (no real run takes it)" } else { "" }
    )?;
    let most = if options.only.is_some() { None } else { Some(MAX_CONJUNCTS) };
    write_conjuncts(out, "  if", &path.constraint, most)?;
    if let Some(assumed) = path.assumed.as_ref().filter(|assumed| options.assumed && !assumed.is_empty()) {
        write_conjuncts(out, "  assuming", assumed, most)?;
    }
    if let Some(state) = &path.state {
        writeln!(out, "  for example")?;
        for (name, value) in state {
            writeln!(out, "    {name} = {value}")?;
        }
    }
    if !options.traces && path.trace.iter().all(|s| s.state.is_empty()) {
        return Ok(());
    }
    for step in &path.trace {
        let what = step.what.as_deref().unwrap_or("goes on");
        writeln!(out, "  {} thread {} {}: {what}", step.at, step.thread, step.event)?;
        for line in &step.state {
            writeln!(out, "      {line}")?;
        }
    }
    Ok(())
}
