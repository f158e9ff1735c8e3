//! Writing a database epoch by epoch, so that what is found survives the end of the process.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, Transaction};

use super::error::DbError;
use super::kept::KeptSearch;
use super::{read, write};
use crate::enumeration::{Enumeration, EpochResult};

/// A database that is being written. Each epoch is on the disk when [`Self::commit`] returns. A file that is not
/// [finished](Self::finish) can be read; the result then says that the run was cut off.
#[derive(Debug)]
pub struct DatabaseWriter {
    path: PathBuf,
    identity: String,
    connection: Connection,
}

impl DatabaseWriter {
    /// Replaces the file at `path` by one with the header of `start` and the searches that were kept, which is not
    /// finished. Until that has succeeded the old file stays as it is.
    pub(super) fn begin(
        path: PathBuf,
        identity: &str,
        start: &Enumeration,
        kept: &[KeptSearch],
    ) -> Result<Self, DbError> {
        let (mut epochs, mut searches) = (Vec::new(), Vec::new());
        for KeptSearch { record, result } in kept {
            searches.push((record.as_str(), result.is_some().then_some(epochs.len())));
            epochs.extend(result.clone());
        }
        let run = write::Run { identity, searches, ..write::Run::default() };
        write::write(&path, &Enumeration { epochs, ..start.clone() }, &run)?;
        let refused = |source| DbError::Write { path: path.clone(), source };
        let connection = Connection::open(&path).map_err(refused)?;
        // A rollback journal: the database stays one file between transactions.
        connection.pragma_update(None, "journal_mode", "DELETE").map_err(refused)?;
        connection.pragma_update(None, "synchronous", "FULL").map_err(refused)?;
        Ok(Self { path, identity: identity.to_owned(), connection })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Adds the result of an epoch, if there is one, with the record of its search, in one transaction. An earlier
    /// result of the epoch is replaced.
    ///
    /// # Errors
    /// If the file system refuses. The file then is as it was before.
    pub fn commit(&mut self, epoch: Option<&EpochResult>, record: &str) -> Result<(), DbError> {
        let add = |transaction: &Transaction<'_>| {
            let Some(epoch) = epoch else { return write::add_search(transaction, None, record) };
            let number = write::make_place(transaction, epoch)?;
            write::add_epoch(transaction, number, epoch)?;
            write::add_search(transaction, Some(number), record)
        };
        let committed = self.connection.transaction().and_then(|transaction| {
            add(&transaction)?;
            transaction.commit()
        });
        committed.map_err(|source| DbError::Write { path: self.path.clone(), source })
    }

    /// Replaces the file by one with the whole result: the same bytes for the same result and identity, whatever was
    /// committed when, except for statistics. If the run was cut, what was kept for the next one stays.
    ///
    /// # Errors
    /// If the file system refuses, or two epochs of the result have one name. The file is not finished then.
    pub fn finish(self, result: &Enumeration, is_cut: bool) -> Result<(), DbError> {
        let Self { path, identity, connection } = self;
        let (mut searches, mut committed) = (Vec::new(), Vec::new());
        if is_cut {
            searches = read::read_run(&path, &connection)?.searches;
            committed = read::read(&path, &connection)?.epochs;
        }
        connection.close().map_err(|(_, source)| DbError::Write { path: path.clone(), source })?;
        // The result may have an epoch that was searched anew, and that search was cut.
        let place = |place: usize| {
            let found = committed.get(place)?;
            result.epochs.iter().position(|epoch| epoch == found)
        };
        let searches = searches.iter().map(|(record, number)| (record.as_str(), number.and_then(place))).collect();
        write::write(&path, result, &write::Run { identity: &identity, finished: true, cut: is_cut, searches })
    }
}
