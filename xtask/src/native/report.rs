//! What an exploration has found, as text and as JSON.

use std::io::Write;
use std::path::Path;

use anyhow::Result;
use serde::Serialize;

use super::end::End;
use super::ends::{Ends, Found};
use super::explore::Explored;

/// What was found, as JSON has it.
#[derive(Serialize)]
pub(super) struct Report<'a> {
    schema: &'static str,
    program: String,
    arguments: &'a [String],
    /// All interleavings were explored.
    pub(super) complete: bool,
    reasons: Vec<&'a str>,
    runs: u64,
    ends: Vec<&'a Found>,
    races: Vec<&'a str>,
}

impl<'a> Report<'a> {
    pub(super) fn new(program: &Path, arguments: &'a [String], explored: &'a Explored, ends: &'a Ends) -> Self {
        Self {
            schema: "icsched/explore-native/1",
            program: program.display().to_string(),
            arguments,
            complete: explored.reasons.is_empty(),
            reasons: explored.reasons.iter().map(String::as_str).collect(),
            runs: explored.runs,
            ends: ends.all().collect(),
            races: ends.races.iter().map(String::as_str).collect(),
        }
    }

    /// Whether there is an end that no program wants.
    pub(super) fn is_bad(&self) -> bool {
        self.ends.iter().any(|found| found.end.is_bad())
    }

    pub(super) fn print(&self, out: &mut dyn Write) -> Result<()> {
        let runs = usize::try_from(self.runs)?;
        let all = if self.complete { "all interleavings" } else { "not all interleavings" };
        writeln!(out, "{}: {}, {}; {all}", self.program, many(self.ends.len(), "end"), many(runs, "run"))?;
        for reason in &self.reasons {
            writeln!(out, "  not all: {reason}")?;
        }
        for race in &self.races {
            writeln!(out, "  data race: {race}")?;
        }
        for (number, found) in (1..).zip(&self.ends) {
            writeln!(out, "\nEnd {number}: {} ({})", found.end, many(usize::try_from(found.runs)?, "run"))?;
            if let End::Deadlock { blocked } | End::Endless { blocked, .. } = &found.end {
                blocked.iter().try_for_each(|place| writeln!(out, "  blocked  {place}"))?;
            }
            if let End::Endless { looping, .. } = &found.end {
                looping.iter().try_for_each(|place| writeln!(out, "  looping  {place}"))?;
            }
            found.order.iter().try_for_each(|line| writeln!(out, "  {line}"))?;
        }
        Ok(())
    }
}

fn many(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}
