//! Tables of what runs gave, as Markdown and CSV.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use super::figure::Figure;
use super::manifest::{Configuration, Reference, Run, TableSpec};
use super::outcome::{Ended, Row};

/// A column of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Column {
    /// The number of threads.
    Threads,
    /// The bound on conditional branches.
    Branches,
    /// A figure in one configuration.
    Figure {
        /// The configuration's name.
        configuration: String,
        /// The figure.
        figure: Figure,
    },
}

impl Column {
    /// Reads `threads`, `branches` or `CONFIGURATION.FIGURE`.
    ///
    /// # Errors
    /// If the text is nothing of the kind; the error says what there is.
    pub(super) fn parse(text: &str, configurations: &BTreeMap<String, Configuration>) -> Result<Self, String> {
        match text {
            "threads" => return Ok(Self::Threads),
            "branches" => return Ok(Self::Branches),
            _ => {}
        }
        let Some((configuration, figure)) = text.split_once('.') else {
            return Err(format!("no column `{text}`; write threads, branches or CONFIGURATION.FIGURE"));
        };
        if !configurations.contains_key(configuration) {
            let known: Vec<_> = configurations.keys().map(String::as_str).collect();
            return Err(format!("no configuration `{configuration}`; there are {}", known.join(", ")));
        }
        let Some(figure) = Figure::from_word(figure) else {
            let known: Vec<_> = Figure::ALL.iter().map(|figure| figure.word()).collect();
            return Err(format!("no figure `{figure}`; there are {}", known.join(", ")));
        };
        Ok(Self::Figure { configuration: configuration.to_owned(), figure })
    }

    fn heading(&self) -> String {
        match self {
            Self::Threads => "threads".to_owned(),
            Self::Branches => "branches".to_owned(),
            Self::Figure { configuration, figure } => format!("{configuration} {}", figure.title()),
        }
    }

    /// As in the manifest.
    fn word(&self) -> String {
        match self {
            Self::Threads => "threads".to_owned(),
            Self::Branches => "branches".to_owned(),
            Self::Figure { configuration, figure } => format!("{configuration}.{}", figure.word()),
        }
    }

    fn cell(&self, run: &Run, rows: &[Row], reference: Option<&Reference>) -> Cell {
        let (configuration, figure) = match self {
            Self::Threads => return Cell::plain((!run.threads.is_empty()).then_some(run.threads.len() as f64)),
            Self::Branches => return Cell::plain(run.branches.map(f64::from)),
            Self::Figure { configuration, figure } => (configuration, *figure),
        };
        let row = rows.iter().find(|row| row.run == run.name && row.configuration == *configuration);
        let reference = reference.and_then(|reference| reference.get(&run.name, configuration, figure));
        let value = match row.map(|row| &row.ended) {
            None => Value::NotRun,
            Some(Ended::Failed(_)) => Value::Failed,
            Some(Ended::Done(outcome)) => match outcome.figures.get(&figure) {
                None => Value::Unknown,
                Some(&number) => Value::Number { number, is_complete: outcome.complete || !figure.is_found() },
            },
        };
        Cell { value, figure: Some(figure), reference }
    }
}

/// A table with its cells.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// Names the files.
    pub name: String,
    title: String,
    columns: Vec<Column>,
    rows: Vec<(String, Vec<Cell>)>,
}

#[derive(Clone, PartialEq, Debug)]
struct Cell {
    value: Value,
    figure: Option<Figure>,
    reference: Option<f64>,
}

#[derive(Clone, PartialEq, Debug)]
enum Value {
    /// The manifest does not ask for it.
    NotRun,
    /// The run gave nothing.
    Failed,
    /// The run gave no such figure.
    Unknown,
    Number {
        number: f64,
        /// Whether there may be more of it.
        is_complete: bool,
    },
}

impl Cell {
    fn plain(number: Option<f64>) -> Self {
        let value = number.map_or(Value::NotRun, |number| Value::Number { number, is_complete: true });
        Self { value, figure: None, reference: None }
    }

    fn show(&self, number: f64) -> String {
        self.figure.map_or_else(|| format!("{number:.0}"), |figure| figure.show(number))
    }

    fn text(&self) -> String {
        let ours = match &self.value {
            Value::NotRun => "-".to_owned(),
            Value::Failed => "failed".to_owned(),
            Value::Unknown => "?".to_owned(),
            Value::Number { number, is_complete: true } => self.show(*number),
            Value::Number { number, is_complete: false } => format!("{}+", self.show(*number)),
        };
        match self.reference {
            Some(reference) => format!("{ours} ({})", self.show(reference)),
            None => ours,
        }
    }

    /// The value, in full; nothing where there is none.
    fn csv(&self) -> String {
        match &self.value {
            Value::Number { number, .. } => number.to_string(),
            Value::NotRun | Value::Failed | Value::Unknown => String::new(),
        }
    }
}

impl Table {
    /// The table of a specification. Runs for which it has no figure are left out.
    pub(super) fn new(spec: &TableSpec, runs: &[Run], rows: &[Row], reference: Option<&Reference>) -> Self {
        let of_run = |run: &Run| {
            let cells = spec.columns.iter().map(|column| column.cell(run, rows, reference)).collect();
            (run.name.clone(), cells)
        };
        let is_asked = |run: &&Run| {
            spec.columns.iter().any(|column| match column {
                Column::Threads | Column::Branches => false,
                Column::Figure { configuration, .. } => run.configurations.contains(configuration),
            })
        };
        let rows = runs.iter().filter(is_asked).map(of_run).collect();
        Self { name: spec.name.clone(), title: spec.title.clone(), columns: spec.columns.clone(), rows }
    }

    fn has_references(&self, column: usize) -> bool {
        self.rows.iter().any(|(_, cells)| cells[column].reference.is_some())
    }

    /// The table in Markdown, aligned so that it can be read as it is.
    pub(super) fn markdown(&self, source: Option<&str>) -> String {
        let mut out = String::new();
        self.write_markdown(&mut out, source).expect("writing to a string does not fail");
        out
    }

    fn write_markdown(&self, out: &mut String, source: Option<&str>) -> fmt::Result {
        writeln!(out, "## {}\n", self.title)?;
        let headings = std::iter::once(String::new()).chain(self.columns.iter().map(Column::heading));
        let mut lines: Vec<Vec<String>> = vec![headings.collect()];
        lines.extend(
            self.rows
                .iter()
                .map(|(name, cells)| std::iter::once(name.clone()).chain(cells.iter().map(Cell::text)).collect()),
        );
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0).max(3);
        let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
        for (number, line) in lines.iter().enumerate() {
            let padded = line.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| match column {
                0 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
            writeln!(out, "| {} |", padded.collect::<Vec<_>>().join(" | "))?;
            if number == 0 {
                let rule = widths.iter().enumerate().map(|(column, &width)| match column {
                    0 => "-".repeat(width),
                    _ => "-".repeat(width - 1) + ":",
                });
                writeln!(out, "| {} |", rule.collect::<Vec<_>>().join(" | "))?;
            }
        }
        match source {
            Some(source) if (0..self.columns.len()).any(|column| self.has_references(column)) => {
                writeln!(out, "\nIn brackets: {source}.")
            }
            _ => Ok(()),
        }
    }

    /// The table as comma-separated values: numbers in full, references in columns of their own.
    pub(super) fn csv(&self) -> String {
        let referenced: Vec<bool> = (0..self.columns.len()).map(|column| self.has_references(column)).collect();
        let mut heading = vec!["run".to_owned()];
        for (column, &is_referenced) in self.columns.iter().zip(&referenced) {
            heading.push(column.word());
            heading.extend(is_referenced.then(|| column.word() + ".reference"));
        }
        let mut lines = vec![heading];
        for (name, cells) in &self.rows {
            let mut line = vec![name.clone()];
            for (cell, &is_referenced) in cells.iter().zip(&referenced) {
                line.push(cell.csv());
                line.extend(is_referenced.then(|| cell.reference.map(|number| number.to_string()).unwrap_or_default()));
            }
            lines.push(line);
        }
        lines.iter().map(|line| line.join(",") + "\n").collect()
    }
}
