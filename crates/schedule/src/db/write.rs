//! Writing a database.

use std::path::Path;

use icsched_ir::EntityId;
use rusqlite::{Connection, Transaction, params};
use serde::Serialize;
use tempfile::NamedTempFile;

use super::DbError;
use super::schema::{APPLICATION_ID, CREATE, SCHEMA_VERSION};
use crate::constraint::InputConstraint;
use crate::enumeration::{Enumeration, EpochResult};
use crate::graph::HappensBefore;
use crate::reason::Reason;
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

/// Writes the whole file beside its place and moves it there.
pub(super) fn write(path: &Path, enumeration: &Enumeration) -> Result<(), DbError> {
    let mut seen = std::collections::BTreeSet::new();
    if let Some(twice) = enumeration.epochs.iter().map(EpochResult::key).find(|key| !seen.insert(*key)) {
        return Err(DbError::DuplicateEpoch(twice.to_string()));
    }
    let file = temporary_file_beside(path)?;
    fill(file.path(), enumeration).map_err(|source| DbError::Write { path: path.to_path_buf(), source })?;
    let io_error = |source| DbError::Io { path: path.to_path_buf(), source };
    file.as_file().sync_all().map_err(io_error)?;
    file.persist(path).map_err(|e| io_error(e.error))?;
    Ok(())
}

fn fill(path: &Path, enumeration: &Enumeration) -> rusqlite::Result<()> {
    let mut connection = Connection::open(path)?;
    // Nobody sees the file before it is complete, so nothing needs to be undone.
    connection.pragma_update(None, "journal_mode", "OFF")?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(CREATE)?;
    write_meta(&transaction, enumeration)?;
    let mut errors = 0;
    for (number, epoch) in enumeration.epochs.iter().enumerate() {
        write_epoch(&transaction, number, epoch)?;
        for error in &epoch.errors {
            let InputConstraint { c, dag } = &error.constraint;
            let row = params![errors, number, error.message, error.at, c, dag.as_ref().map(json)];
            insert(&transaction, "errors", row)?;
            errors += 1;
        }
    }
    write_reasons(&transaction, enumeration)?;
    write_statistics(&transaction, enumeration)?;
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

fn write_meta(transaction: &Transaction<'_>, enumeration: &Enumeration) -> rusqlite::Result<()> {
    let Enumeration { program, digest, options, assumptions, epochs: _, reasons: _, epoch_markers, statistics: _ } =
        enumeration;
    let rows = [
        ("schema", format!("icsched/database/{SCHEMA_VERSION}")),
        ("tool_version", env!("CARGO_PKG_VERSION").to_owned()),
        ("program", program.clone()),
        ("digest", digest.clone()),
        ("options", json(options)),
        ("assumptions", json(assumptions)),
        ("epoch_markers", epoch_markers.to_string()),
        ("complete", enumeration.is_complete().to_string()),
    ];
    rows.iter().try_for_each(|(key, value)| insert(transaction, "meta", params![key, value]))
}

fn write_epoch(transaction: &Transaction<'_>, number: usize, epoch: &EpochResult) -> rusqlite::Result<()> {
    let EpochResult { id, contexts, tree, early_exits, reasons: _, errors: _, infeasible_removed, max_live_threads } =
        epoch;
    let (id, key) = (json(id), id.key().to_string());
    let early = early_exits.as_ref().map(|constraint| &constraint.c);
    let early_dag = early_exits.as_ref().and_then(|constraint| constraint.dag.as_ref()).map(json);
    let row = params![number, key, id, json(contexts), infeasible_removed, max_live_threads, early, early_dag];
    insert(transaction, "epochs", row)?;
    for (place, (parent, schedule)) in tree.parts().into_iter().enumerate() {
        let Schedule { id, constraint, ends, graph } = schedule;
        let InputConstraint { c, dag } = constraint;
        let dag = dag.as_ref().map(json);
        let row = params![number, place, parent, id.to_string(), c, dag, ends.to_string(), json(ends)];
        insert(transaction, "schedules", row)?;
        write_graph(transaction, number, place, graph)?;
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
        let row = params![epoch, schedule, node.thread, node.n, node.op, node.object, node.at, func, block, inst];
        insert(transaction, "nodes", row)?;
    }
    graph.edges().iter().try_for_each(|edge| {
        let row = params![epoch, schedule, edge.from.thread, edge.from.n, edge.to.thread, edge.to.n];
        insert(transaction, "edges", row)
    })
}

fn write_reasons(transaction: &Transaction<'_>, enumeration: &Enumeration) -> rusqlite::Result<()> {
    let of_run = enumeration.reasons.iter().map(|reason| (None, reason));
    let of_epochs = enumeration.epochs.iter().enumerate();
    let of_epochs =
        of_epochs.flat_map(|(number, epoch)| epoch.reasons.iter().map(move |reason| (Some(number), reason)));
    of_run.chain(of_epochs).enumerate().try_for_each(|(number, (epoch, reason))| {
        let Reason { kind, message, at } = reason;
        insert(transaction, "reasons", params![number, epoch, kind.word(), message, at])
    })
}

fn write_statistics(transaction: &Transaction<'_>, enumeration: &Enumeration) -> rusqlite::Result<()> {
    let statistics = serde_json::to_value(enumeration.statistics).expect("plain data has a JSON form");
    let fields = statistics.as_object().expect("a struct is a JSON object");
    fields.iter().try_for_each(|(key, value)| match value.as_i64() {
        Some(count) => insert(transaction, "statistics", params![key, count]),
        None => insert(transaction, "statistics", params![key, value.as_f64()]),
    })
}
