//! What a batch gave: a page, and a file for each table.

use std::fmt::{self, Write as _};
use std::fs;
use std::path::Path;

use serde::Serialize;

use super::manifest::Manifest;
use super::outcome::{Ended, FailureKind, Row};
use super::table::Table;
use crate::error::DriverError;

/// Name and version of the JSON document.
const SCHEMA: &str = "icsched/experiment/1";

/// Reasons for incompleteness that are listed of one row.
const SHOWN_REASONS: usize = 3;

/// The result of a batch.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// What it is about.
    pub title: String,
    /// Every run in every configuration, in the order of the manifest.
    pub rows: Vec<Row>,
    /// The tables.
    pub tables: Vec<Table>,
    /// Whose the references are.
    source: Option<String>,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    title: &'a str,
    /// Whether every row has a result; results can be incomplete in themselves.
    complete: bool,
    rows: &'a [Row],
}

impl Report {
    pub(super) fn new(manifest: &Manifest, rows: Vec<Row>) -> Self {
        let reference = manifest.reference.as_ref();
        let table = |spec| Table::new(spec, &manifest.runs, &rows, reference);
        Self {
            title: manifest.title.clone(),
            tables: manifest.tables.iter().map(table).collect(),
            source: reference.map(|reference| reference.source.clone()),
            rows,
        }
    }

    /// Whether every row has a result.
    pub fn is_complete(&self) -> bool {
        self.rows.iter().all(|row| matches!(row.ended, Ended::Done(_)))
    }

    /// Whether icsched itself was wrong in a run.
    pub fn has_bugs(&self) -> bool {
        let is_bug = |row: &Row| matches!(&row.ended, Ended::Failed(failure) if failure.kind == FailureKind::Bug);
        self.rows.iter().any(is_bug)
    }

    /// The report as one page of Markdown.
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        self.write_markdown(&mut out).expect("writing to a string does not fail");
        out
    }

    fn write_markdown(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "# {}", self.title)?;
        for table in &self.tables {
            write!(out, "\n{}", table.markdown(self.source.as_deref()))?;
        }
        write_list(
            out,
            "Without a result",
            self.grouped(|ended| match ended {
                Ended::Failed(failure) => Some(failure.to_string()),
                Ended::Done(_) => None,
            }),
        )?;
        write_list(
            out,
            "Incomplete (marked + in the tables)",
            self.grouped(|ended| match ended {
                Ended::Done(outcome) if !outcome.complete => Some(shown(&outcome.reasons)),
                Ended::Done(_) | Ended::Failed(_) => None,
            }),
        )
    }

    /// What there is to say of rows, the configurations of a run of which the same is said in one line.
    fn grouped(&self, said: impl Fn(&Ended) -> Option<String>) -> Vec<String> {
        let mut groups: Vec<(&str, Vec<&str>, String)> = Vec::new();
        for row in &self.rows {
            let Some(text) = said(&row.ended) else { continue };
            match groups.iter_mut().find(|(run, _, other)| *run == row.run && *other == text) {
                Some((_, configurations, _)) => configurations.push(&row.configuration),
                None => groups.push((&row.run, vec![&row.configuration], text)),
            }
        }
        let line = |(run, configurations, text): &(&str, Vec<&str>, String)| {
            format!("- {run} ({}): {text}", configurations.join(", "))
        };
        groups.iter().map(line).collect()
    }

    /// The report for programs.
    pub fn json(&self) -> String {
        let Self { title, rows, .. } = self;
        let document = Document { schema: SCHEMA, title, complete: self.is_complete(), rows };
        serde_json::to_string_pretty(&document).expect("plain data has a JSON form") + "\n"
    }

    /// Writes `report.md`, `report.json`, and `NAME.md`, `NAME.csv` and `NAME.svg` for each table.
    pub(super) fn write(&self, directory: &Path) -> Result<(), DriverError> {
        let file = |name: String, text: String| {
            let path = directory.join(name);
            fs::write(&path, text).map_err(|error| DriverError::Write { path, error })
        };
        file("report.md".to_owned(), self.markdown())?;
        file("report.json".to_owned(), self.json())?;
        for table in &self.tables {
            file(format!("{}.md", table.name), table.markdown(self.source.as_deref()))?;
            file(format!("{}.csv", table.name), table.csv())?;
            if let Some(picture) = table.svg(self.source.as_deref()) {
                file(format!("{}.svg", table.name), picture)?;
            }
        }
        Ok(())
    }
}

fn shown(reasons: &[String]) -> String {
    let shown = reasons.iter().take(SHOWN_REASONS).cloned().collect::<Vec<_>>().join("; ");
    match reasons.len().saturating_sub(SHOWN_REASONS) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}

fn write_list(out: &mut String, title: &str, lines: Vec<String>) -> fmt::Result {
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n## {title}\n")?;
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))
}
