//! The result of `icsched symex` for people.

use std::fmt::{self, Write as _};

use super::report::{PathReport, SymexReport};

/// How much is shown.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct TextOptions {
    /// The trace of each path.
    pub traces: bool,
    /// Only the path with this number.
    pub only: Option<usize>,
}

/// The report as text.
pub fn render(report: &SymexReport, options: TextOptions) -> String {
    let mut out = String::new();
    write_report(&mut out, report, options).expect("writing to a string does not fail");
    out
}

fn write_report(out: &mut String, report: &SymexReport, options: TextOptions) -> fmt::Result {
    for thread in &report.contexts {
        let from = if thread.complete { "" } else { ", called by anybody" };
        let waits = if thread.waiting { "waits at " } else { "" };
        writeln!(out, "thread {}: {waits}{}{from}", thread.thread, thread.stack.join(", called at "))?;
    }
    if report.initial != "true" {
        writeln!(out, "known there: {}", report.initial)?;
    }
    let shown = report.paths.iter().filter(|p| options.only.is_none_or(|only| only == p.path));
    for path in shown {
        write_path(out, path, options)?;
    }
    let totals = report.totals;
    let counts = [
        (totals.finished, "finished"),
        (totals.deadlocks, "deadlocked"),
        (totals.memory_errors, "with memory errors"),
        (totals.aborts, "aborted"),
        (totals.budget, "cut"),
        (totals.stuck, "stuck"),
    ];
    let counts: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    let plural = if totals.paths == 1 { "" } else { "s" };
    writeln!(out, "\n{} path{plural}: {}", totals.paths, counts.join(", "))?;
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
        writeln!(out, "complete, if {}", report.assumptions.join("; if "))?;
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
    writeln!(out, "  if {}", path.constraint)?;
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
