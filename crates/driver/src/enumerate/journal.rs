//! Keeps what a search finds in the schedule database, epoch by epoch.

use std::path::PathBuf;

use icsched_enumerate::Journal;
use icsched_schedule::{Database, DatabaseWriter, DbError, Enumeration, EpochResult, Kept, KeptSearch};

use crate::config::{DatabaseConfig, EnumerateConfig};

/// The database of a run. Until the first epoch is found, an old file stays as it is.
pub(super) struct DatabaseJournal {
    path: PathBuf,
    identity: String,
    start: Enumeration,
    kept: Vec<KeptSearch>,
    complete: Option<Enumeration>,
    writer: Option<DatabaseWriter>,
    /// Nothing more can be written for now.
    refused: bool,
}

impl DatabaseJournal {
    /// Looks what earlier runs have left.
    ///
    /// # Errors
    /// If another process is writing the file, or it cannot be read.
    pub(super) fn new(
        config: &EnumerateConfig,
        database: &DatabaseConfig,
        start: &Enumeration,
    ) -> Result<Self, DbError> {
        let identity = identity(config, database, start);
        let kept = if database.resume { Database::resumable(&database.path, &identity)? } else { None };
        let (kept, complete) = match kept {
            Some(Kept { result, is_final: true, .. }) => (Vec::new(), Some(result)),
            Some(Kept { searches, .. }) => (searches, None),
            None => (Vec::new(), None),
        };
        let (path, start) = (database.path.clone(), start.clone());
        Ok(Self { path, identity, start, kept, complete, writer: None, refused: false })
    }

    /// The result, if all of it is there.
    pub(super) fn take_final(&mut self) -> Option<Enumeration> {
        self.complete.take()
    }

    /// Searches that are there.
    pub(super) fn kept(&self) -> &[KeptSearch] {
        &self.kept
    }

    fn begun(&self) -> Result<DatabaseWriter, DbError> {
        Database::begin(&self.path, &self.identity, &self.start, &self.kept)
    }

    /// Writes the result.
    ///
    /// # Errors
    /// If that cannot be.
    pub(super) fn finish(mut self, result: &Enumeration, is_cut: bool) -> Result<(), DbError> {
        let writer = match self.writer.take() {
            Some(writer) => writer,
            None => self.begun()?,
        };
        writer.finish(result, is_cut)
    }

    fn commit(&mut self, record: &str, result: Option<&EpochResult>) -> Result<(), DbError> {
        if self.writer.is_none() {
            self.writer = Some(self.begun()?);
        }
        self.writer.as_mut().map_or(Ok(()), |writer| writer.commit(result, record))
    }
}

impl Journal for DatabaseJournal {
    fn begin(&mut self, header: &Enumeration) {
        let Enumeration { program, digest, options, contents, .. } = std::mem::take(&mut self.start);
        self.start = Enumeration { program, digest, options, contents, ..header.clone() };
    }

    fn keep(&mut self, record: &str, result: Option<&EpochResult>) -> bool {
        if self.refused {
            return false;
        }
        if let Err(error) = self.commit(record, result) {
            // The search is worth more than its record; whether the result can be written is seen at the end.
            tracing::warn!(%error, "an epoch cannot be written");
            self.refused = true;
        }
        !self.refused
    }
}

/// All that decides a result: the program, what it is called, its options, and who searches. Empty if not all of that
/// is known.
fn identity(config: &EnumerateConfig, database: &DatabaseConfig, start: &Enumeration) -> String {
    if start.digest.is_empty() || database.made_by.is_empty() {
        return String::new();
    }
    let parts = [start.digest.as_str(), config.inputs.program.as_str(), database.made_by.as_str()];
    let all: Vec<&str> = parts.into_iter().chain(start.options.iter().map(String::as_str)).collect();
    let text = serde_json::to_string(&all).expect("plain data has a JSON form");
    Enumeration::digest_of(text.as_bytes())
}
