//! Tables of what runs gave, as Markdown, CSV and pictures.

use std::fmt::{self, Write as _};

use super::column::Column;
use super::figure::Figure;
use super::manifest::{Quoted, Reference, Run, TableSpec};
use super::outcome::{Ended, Outcome, Row};
use super::plot::{Bar, Panel, Picture};

impl Column {
    fn cell(&self, run: &Run, rows: &[Row], reference: Option<&Reference>) -> Cell {
        let ended = |configuration: &str| {
            rows.iter().find(|row| row.run == run.name && row.configuration == configuration).map(|row| &row.ended)
        };
        match self {
            Self::Threads => Cell::plain((!run.threads.is_empty()).then_some(run.threads.len() as f64)),
            Self::Branches => Cell::plain(run.branches.map(f64::from)),
            Self::Figure { configuration, figure } => {
                let of_outcome = |outcome: &Outcome| match outcome.figures.get(figure) {
                    None => Value::Unknown,
                    Some(&number) => Value::Number { number, is_complete: outcome.complete || !figure.is_found() },
                };
                let reference = reference.and_then(|reference| reference.get(&run.name, configuration, *figure));
                let value = Value::of(ended(configuration), of_outcome);
                Cell { value, figure: Some(*figure), reference: reference.cloned() }
            }
            Self::Complete { configuration } => {
                let value = Value::of(ended(configuration), |outcome| Value::Complete(outcome.complete));
                Cell { value, figure: None, reference: None }
            }
        }
    }
}

/// A table with its cells.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// Names the files.
    pub name: String,
    title: String,
    columns: Vec<Column>,
    plot: Vec<Figure>,
    rows: Vec<(String, Vec<Cell>)>,
}

#[derive(Clone, PartialEq, Debug)]
struct Cell {
    value: Value,
    figure: Option<Figure>,
    reference: Option<Quoted>,
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
    /// Whether the result is complete.
    Complete(bool),
}

impl Value {
    fn of(ended: Option<&Ended>, of_outcome: impl FnOnce(&Outcome) -> Self) -> Self {
        match ended {
            None => Self::NotRun,
            Some(Ended::Failed(_)) => Self::Failed,
            Some(Ended::Done(outcome)) => of_outcome(outcome),
        }
    }
}

impl Cell {
    fn plain(number: Option<f64>) -> Self {
        let value = number.map_or(Value::NotRun, |number| Value::Number { number, is_complete: true });
        Self { value, figure: None, reference: None }
    }

    fn show(&self, number: f64) -> String {
        self.figure.map_or_else(|| format!("{number:.0}"), |figure| figure.show(number))
    }

    /// Our value.
    fn ours(&self) -> String {
        match &self.value {
            Value::NotRun => "-".to_owned(),
            Value::Failed => "failed".to_owned(),
            Value::Unknown => "?".to_owned(),
            Value::Number { number, is_complete: true } => self.show(*number),
            Value::Number { number, is_complete: false } => format!("{}+", self.show(*number)),
            Value::Complete(true) => "yes".to_owned(),
            Value::Complete(false) => "no".to_owned(),
        }
    }

    fn text(&self) -> String {
        let ours = self.ours();
        match &self.reference {
            Some(Quoted::Number(number)) => format!("{ours} ({})", self.show(*number)),
            Some(Quoted::Words(words)) => format!("{ours} ({words})"),
            None => ours,
        }
    }

    fn bar(&self, configuration: usize) -> Bar {
        let number = match &self.value {
            Value::Number { number, .. } => Some(*number),
            Value::NotRun | Value::Failed | Value::Unknown | Value::Complete(_) => None,
        };
        let reference = match &self.reference {
            Some(Quoted::Number(number)) => Some(*number),
            Some(Quoted::Words(_)) | None => None,
        };
        Bar { configuration, number, reference, text: self.text() }
    }

    /// The value, in full; nothing where there is none.
    fn csv(&self) -> String {
        match &self.value {
            Value::Number { number, .. } => number.to_string(),
            Value::Complete(is_complete) => is_complete.to_string(),
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
            let is_run = |name: &str| run.configurations.iter().any(|configuration| configuration == name);
            spec.columns.iter().any(|column| column.configuration().is_some_and(is_run))
        };
        let rows = runs.iter().filter(is_asked).map(of_run).collect();
        let TableSpec { name, title, columns, plot } = spec.clone();
        Self { name, title, columns, plot, rows }
    }

    /// The table as a picture in SVG, a panel for each figure; none if there is nothing to draw.
    pub(super) fn svg(&self, source: Option<&str>) -> Option<String> {
        let mut configurations: Vec<&str> = Vec::new();
        let mut figures = self.plot.clone();
        for column in &self.columns {
            let Column::Figure { configuration, figure } = column else { continue };
            if !configurations.contains(&configuration.as_str()) {
                configurations.push(configuration);
            }
            if self.plot.is_empty() && !figures.contains(figure) {
                figures.push(*figure);
            }
        }
        let panels = figures.iter().map(|&figure| self.panel(figure, &configurations)).collect();
        Picture { title: &self.title, source, configurations: &configurations, panels }.svg()
    }

    fn panel(&self, figure: Figure, configurations: &[&str]) -> Panel {
        let bars_of = |cells: &[Cell]| {
            let bar = |(column, cell): (&Column, &Cell)| match column {
                Column::Figure { configuration, figure: other } if *other == figure => {
                    let place = configurations.iter().position(|name| name == configuration);
                    Some(cell.bar(place.expect("every column's configuration is listed")))
                }
                Column::Figure { .. } | Column::Threads | Column::Branches | Column::Complete { .. } => None,
            };
            self.columns.iter().zip(cells).filter_map(bar).collect()
        };
        let rows = self.rows.iter().map(|(name, cells)| (name.clone(), bars_of(cells))).collect();
        Panel { title: figure.word().to_owned(), rows }
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
                line.extend(is_referenced.then(|| match &cell.reference {
                    Some(Quoted::Number(number)) => number.to_string(),
                    Some(Quoted::Words(words)) => words.clone(),
                    None => String::new(),
                }));
            }
            lines.push(line);
        }
        lines.iter().map(|line| line.join(",") + "\n").collect()
    }
}
