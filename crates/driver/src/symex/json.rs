//! The result of `icsched symex` as JSON, a path per line.

use std::io;
use std::path::PathBuf;

use serde::Serialize;

use super::report::{Header, PathReport, Sink, Summary};
use crate::error::DriverError;

/// Writes the document while paths are found: its keys come in the order in which they are known.
#[derive(Debug)]
pub struct JsonWriter<W> {
    to: W,
    name: PathBuf,
    has_paths: bool,
}

impl<W: io::Write> JsonWriter<W> {
    /// A writer to a file of this name.
    pub fn new(to: W, name: PathBuf) -> Self {
        Self { to, name, has_paths: false }
    }

    /// One that goes on with a document of which the beginning is written, and perhaps paths.
    pub fn resumed(to: W, name: PathBuf, has_paths: bool) -> Self {
        Self { to, name, has_paths }
    }

    /// Where it writes to.
    pub fn get_mut(&mut self) -> &mut W {
        &mut self.to
    }

    fn write(&mut self, text: &str) -> Result<(), DriverError> {
        let written = self.to.write_all(text.as_bytes());
        written.map_err(|error| DriverError::Write { path: self.name.clone(), error })
    }
}

/// The members of an object, without its braces.
fn members(of: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(of).expect("plain data has a JSON form");
    text.trim_start_matches("{\n").trim_end_matches("\n}").to_owned()
}

impl<W: io::Write> Sink for JsonWriter<W> {
    fn begin(&mut self, header: &Header) -> Result<(), DriverError> {
        self.write(&format!("{{\n{},\n  \"paths\": [", members(header)))
    }

    fn path(&mut self, path: &PathReport) -> Result<(), DriverError> {
        let separator = if self.has_paths { "," } else { "" };
        self.has_paths = true;
        let path = serde_json::to_string(path).expect("plain data has a JSON form");
        self.write(&format!("{separator}\n    {path}"))
    }

    fn end(&mut self, _: &Header, summary: &Summary) -> Result<(), DriverError> {
        let close = if self.has_paths { "\n  ]" } else { "]" };
        self.write(&format!("{close},\n{}\n}}\n", members(summary)))?;
        self.to.flush().map_err(|error| DriverError::Write { path: self.name.clone(), error })
    }
}
