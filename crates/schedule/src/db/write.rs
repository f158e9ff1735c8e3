//! Writing a database.

use std::path::Path;

use icsched_ir::EntityId;
use rusqlite::{Connection, OptionalExtension as _, Transaction, params};
use serde::Serialize;
use tempfile::NamedTempFile;

use super::DbError;
use super::schema::{APPLICATION_ID, CHECK, CONTENTS, CREATE, LOOP, RECURSION, SCHEMA_VERSION, VARIES};
use crate::constraint::{InputConstraint, NamedInput};
use crate::enumeration::{Enumeration, EpochResult, Statistics};
use crate::finding::CheckResult;
use crate::graph::{HappensBefore, HbNode, NodeOutcome};
use crate::reason::Reason;
use crate::searched_with::{SearchedWith, Summarisable, Summarised};
use crate::tree::Schedule;

/// A new empty file in the directory of `path`, with the permissions of an ordinary file. Removed when dropped.
pub(super) fn temporary_file_beside(path: &Path) -> Result<NamedTempFile, DbError> {
    let directory = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".icsdb-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(directory).map_err(|source| DbError::Io { path: path.to_path_buf(), source })
}

/// What a file has beside a result.
#[derive(Default)]
pub(super) struct Run<'a> {
    pub(super) identity: &'a str,
    pub(super) finished: bool,
    pub(super) cut: bool,
    /// Records, with the place of the epoch whose result each has found.
    pub(super) searches: Vec<(&'a str, Option<usize>)>,
}

/// Writes the whole file beside its place and moves it there.
pub(super) fn write(path: &Path, enumeration: &Enumeration, run: &Run<'_>) -> Result<(), DbError> {
    check_names(&enumeration.epochs)?;
    let file = temporary_file_beside(path)?;
    fill(file.path(), enumeration, run).map_err(|source| DbError::Write { path: path.to_path_buf(), source })?;
    let io_error = |source| DbError::Io { path: path.to_path_buf(), source };
    file.as_file().sync_all().map_err(io_error)?;
    file.persist(path).map_err(|e| io_error(e.error))?;
    sync_directory(path).map_err(io_error)
}

/// Makes the new name of a file last.
fn sync_directory(path: &Path) -> std::io::Result<()> {
    if cfg!(unix) {
        let directory = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::File::open(directory)?.sync_all()?;
    }
    Ok(())
}

/// Keeps the result of a check in a file that is there.
pub(super) fn keep_check(path: &Path, check: &CheckResult) -> rusqlite::Result<()> {
    let connection = Connection::open(path)?;
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", params![CHECK, json(check)])?;
    connection.close().map_err(|(_, error)| error)
}

/// Names of epochs are what schedules refer to.
fn check_names(epochs: &[EpochResult]) -> Result<(), DbError> {
    let mut seen = std::collections::BTreeSet::new();
    match epochs.iter().map(EpochResult::key).find(|key| !seen.insert(*key)) {
        Some(twice) => Err(DbError::DuplicateEpoch(twice.to_string())),
        None => Ok(()),
    }
}

/// Writes an empty file; without the run's reasons and statistics if it is not finished.
fn fill(path: &Path, enumeration: &Enumeration, run: &Run<'_>) -> rusqlite::Result<()> {
    let mut connection = Connection::open(path)?;
    // Nobody sees the file before it is complete, so nothing needs to be undone.
    connection.pragma_update(None, "journal_mode", "OFF")?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(CREATE)?;
    write_meta(&transaction, enumeration, run)?;
    for (number, epoch) in enumeration.epochs.iter().enumerate() {
        add_epoch(&transaction, number, epoch)?;
    }
    for (record, epoch) in &run.searches {
        add_search(&transaction, *epoch, record)?;
    }
    if run.finished {
        add_reasons(&transaction, None, &enumeration.reasons)?;
        write_statistics(&transaction, &enumeration.statistics)?;
    }
    transaction.commit()?;
    connection.close().map_err(|(_, error)| error)
}

fn insert(transaction: &Transaction<'_>, table: &str, row: &[&dyn rusqlite::ToSql]) -> rusqlite::Result<()> {
    let places = vec!["?"; row.len()].join(", ");
    transaction.prepare_cached(&format!("INSERT INTO {table} VALUES ({places})"))?.execute(row)?;
    Ok(())
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data has a JSON form")
}

/// The number behind those in a column.
fn next(transaction: &Transaction<'_>, table: &str, column: &str) -> rusqlite::Result<usize> {
    let query = format!("SELECT coalesce(max({column}) + 1, 0) FROM {table}");
    transaction.prepare_cached(&query)?.query_row([], |row| row.get(0))
}

fn write_meta(transaction: &Transaction<'_>, enumeration: &Enumeration, run: &Run<'_>) -> rusqlite::Result<()> {
    let Enumeration {
        program,
        digest,
        options,
        contents,
        assumptions,
        epochs: _,
        reasons: _,
        epoch_markers,
        statistics: _,
    } = enumeration;
    let rows = [
        ("schema", format!("icsched/database/{SCHEMA_VERSION}")),
        ("tool_version", env!("CARGO_PKG_VERSION").to_owned()),
        ("program", program.clone()),
        ("digest", digest.clone()),
        ("options", json(options)),
        (CONTENTS, json(contents)),
        ("assumptions", json(assumptions)),
        ("epoch_markers", epoch_markers.to_string()),
        ("complete", (run.finished && enumeration.is_complete()).to_string()),
        ("finished", run.finished.to_string()),
        ("cut", run.cut.to_string()),
        ("identity", run.identity.to_owned()),
    ];
    rows.iter().try_for_each(|(key, value)| insert(transaction, "meta", params![key, value]))
}

/// Adds the record of a search, with the number of the epoch whose result it has found.
pub(super) fn add_search(transaction: &Transaction<'_>, epoch: Option<usize>, record: &str) -> rusqlite::Result<()> {
    let number = next(transaction, "searches", "search")?;
    insert(transaction, "searches", params![number, epoch, record])
}

/// The tables that have rows of epochs, in an order in which these can be deleted.
const TABLES_OF_EPOCHS: [&str; 9] =
    ["nodes", "edges", "schedules", "reasons", "errors", "inputs", "beginnings", "summaries", "epochs"];

/// The number for an epoch: that of the one with this name, which is taken out, or one behind all others.
pub(super) fn make_place(transaction: &Transaction<'_>, epoch: &EpochResult) -> rusqlite::Result<usize> {
    let name = epoch.key().to_string();
    let mut query = transaction.prepare_cached("SELECT epoch FROM epochs WHERE id = ?")?;
    let Some(number) = query.query_row([name], |row| row.get::<_, usize>(0)).optional()? else {
        return next(transaction, "epochs", "epoch");
    };
    transaction.prepare_cached("UPDATE searches SET epoch = NULL WHERE epoch = ?")?.execute([number])?;
    for table in TABLES_OF_EPOCHS {
        transaction.prepare_cached(&format!("DELETE FROM {table} WHERE epoch = ?"))?.execute([number])?;
    }
    Ok(number)
}

/// Adds an epoch with all it has.
pub(super) fn add_epoch(transaction: &Transaction<'_>, number: usize, epoch: &EpochResult) -> rusqlite::Result<()> {
    let EpochResult { id, contexts, tree, early_exits, reasons, errors, inputs, assumed, searched_with, .. } = epoch;
    let (removed, threads) = (epoch.infeasible_removed, epoch.max_live_threads);
    let (id, key) = (json(id), id.key().to_string());
    let early = early_exits.as_ref().map(|constraint| &constraint.c);
    let early_dag = early_exits.as_ref().and_then(|constraint| constraint.dag.as_ref()).map(json);
    let assumed = json(assumed);
    let row = params![number, key, id, json(contexts), removed, threads, early, early_dag, assumed];
    insert(transaction, "epochs", row)?;
    for (place, (parent, schedule)) in tree.parts().into_iter().enumerate() {
        let Schedule { id, constraint, ends, graph, after_error } = schedule;
        let InputConstraint { c, dag } = constraint;
        let dag = dag.as_ref().map(json);
        let (id, word) = (id.to_string(), ends.to_string());
        let row = params![number, place, parent, id, c, dag, word, json(ends), after_error];
        insert(transaction, "schedules", row)?;
        write_graph(transaction, number, place, graph)?;
    }
    let first = next(transaction, "errors", "error")?;
    for (error, place) in errors.iter().zip(first..) {
        let InputConstraint { c, dag } = &error.constraint;
        let row = params![place, number, error.message, error.at, c, dag.as_ref().map(json), error.is_open];
        insert(transaction, "errors", row)?;
    }
    let first = next(transaction, "inputs", "input")?;
    for (input, place) in inputs.iter().zip(first..) {
        let NamedInput { name, ty, meaning, at } = input;
        insert(transaction, "inputs", params![place, number, name, ty, meaning, at])?;
    }
    write_beginning(transaction, number, searched_with)?;
    add_reasons(transaction, Some(number), reasons)
}

/// What the paths of an epoch were executed with.
fn write_beginning(transaction: &Transaction<'_>, epoch: usize, with: &SearchedWith) -> rusqlite::Result<()> {
    let SearchedWith { facts, summarised, objects_open, names } = with;
    insert(transaction, "beginnings", params![epoch, objects_open, facts.text(), names.text()])?;
    for (place, Summarised { code, at }) in summarised.iter().enumerate() {
        let (kind, func, block) = match code {
            Summarisable::Loop(func, header) => (LOOP, func, Some(header.index())),
            Summarisable::Recursion(func) => (RECURSION, func, None),
        };
        insert(transaction, "summaries", params![epoch, place, kind, func.index(), block, at])?;
    }
    Ok(())
}

fn write_graph(
    transaction: &Transaction<'_>,
    epoch: usize,
    schedule: usize,
    graph: &HappensBefore,
) -> rusqlite::Result<()> {
    for node in graph.nodes() {
        let [func, block, inst] = match node.point {
            Some(point) => [point.func.index(), point.block.index(), point.inst as usize].map(Some),
            None => [None; 3],
        };
        let elsewhere = (!node.elsewhere.is_empty()).then(|| json(&node.elsewhere));
        let HbNode { thread, n, op, object, at, outcome, .. } = node;
        let outcome = match outcome {
            NodeOutcome::Unknown => None,
            NodeOutcome::Returns(number) => Some(number.to_string()),
            NodeOutcome::Varies => Some(VARIES.to_owned()),
        };
        let row = params![epoch, schedule, thread, n, op, object, at, func, block, inst, elsewhere, outcome];
        insert(transaction, "nodes", row)?;
    }
    graph.edges().iter().try_for_each(|edge| {
        let row = params![epoch, schedule, edge.from.thread, edge.from.n, edge.to.thread, edge.to.n];
        insert(transaction, "edges", row)
    })
}

/// Adds reasons of the run, or of an epoch.
fn add_reasons(transaction: &Transaction<'_>, epoch: Option<usize>, reasons: &[Reason]) -> rusqlite::Result<()> {
    let first = next(transaction, "reasons", "reason")?;
    reasons.iter().zip(first..).try_for_each(|(reason, number)| {
        let Reason { kind, message, at } = reason;
        insert(transaction, "reasons", params![number, epoch, kind.word(), message, at])
    })
}

fn write_statistics(transaction: &Transaction<'_>, statistics: &Statistics) -> rusqlite::Result<()> {
    let statistics = serde_json::to_value(statistics).expect("plain data has a JSON form");
    let fields = statistics.as_object().expect("a struct is a JSON object");
    fields.iter().try_for_each(|(key, value)| match value.as_i64() {
        Some(count) => insert(transaction, "statistics", params![key, count]),
        None => insert(transaction, "statistics", params![key, value.as_f64()]),
    })
}
