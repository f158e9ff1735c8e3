//! Reading a database. Everything is checked on the way: a file can be changed by anyone.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use icsched_ir::{BlockId, EntityId, FuncId, ProgramPoint};
use rusqlite::{Connection, Row};
use serde::de::DeserializeOwned;

use super::error::DbError;
use super::open::open_any;
use super::schema::{CHECK, CONTENTS, LOOP, RECURSION, VARIES};
use crate::constraint::{InputConstraint, NamedInput};
use crate::enumeration::{Enumeration, EpochResult, PossibleError, Statistics};
use crate::epoch::EpochId;
use crate::finding::CheckResult;
use crate::graph::{HappensBefore, HbEdge, HbNode, NodeId, NodeOutcome};
use crate::reason::{IncompleteKind, Reason};
use crate::searched_with::{Json, SearchedWith, Summarisable, Summarised};
use crate::tree::{Schedule, ScheduleId, ScheduleTree};

/// Why a result in a database that is not finished is not complete.
pub const CUT_OFF: &str = "the run was cut off before it had written all epochs";

/// What is wrong, for [`DbError::Damaged`].
struct Damage(String);

type Result<T> = std::result::Result<T, Damage>;

impl From<rusqlite::Error> for Damage {
    fn from(error: rusqlite::Error) -> Self {
        Self(error.to_string())
    }
}

/// Reads the whole file.
pub(super) fn read(path: &Path, connection: &Connection) -> std::result::Result<Enumeration, DbError> {
    read_enumeration(connection).map_err(|Damage(detail)| DbError::Damaged { path: path.to_path_buf(), detail })
}

/// What [`read_run`] finds beside the result.
pub(super) struct RunState {
    pub(super) finished: bool,
    pub(super) cut: bool,
    pub(super) identity: String,
    /// Records, with the place of the epoch whose result each has found.
    pub(super) searches: Vec<(String, Option<usize>)>,
}

/// Of which program the result in a file is.
pub(super) struct ProgramOf {
    pub(super) program: String,
    pub(super) digest: String,
    pub(super) finished: bool,
}

/// Reads of which program the result is. All versions say it alike.
pub(super) fn read_program(path: &Path) -> std::result::Result<ProgramOf, DbError> {
    let (connection, _) = open_any(path)?;
    let found = || {
        let meta = read_meta(&connection)?;
        // Early versions had no unfinished results.
        let finished = meta.get("finished").is_none_or(|finished| finished == "true");
        Ok(ProgramOf { program: text(&meta, "program")?, digest: text(&meta, "digest")?, finished })
    };
    found().map_err(|Damage(detail)| DbError::Damaged { path: path.to_path_buf(), detail })
}

/// Reads what a file has beside the result.
pub(super) fn read_run(path: &Path, connection: &Connection) -> std::result::Result<RunState, DbError> {
    let state = || {
        let meta = read_meta(connection)?;
        let query = "SELECT record_json, epoch FROM searches ORDER BY search";
        let searches = rows(connection, query, |row| Ok((row.get(0)?, row.get(1)?)))?;
        let identity = text(&meta, "identity")?;
        Ok(RunState { finished: flag(&meta, "finished")?, cut: flag(&meta, "cut")?, identity, searches })
    };
    state().map_err(|Damage(detail)| DbError::Damaged { path: path.to_path_buf(), detail })
}

/// Reads what the last check has found.
pub(super) fn read_check(path: &Path, connection: &Connection) -> std::result::Result<Option<CheckResult>, DbError> {
    let check = || read_meta(connection)?.get(CHECK).map(|text| json(CHECK, text)).transpose();
    check().map_err(|Damage(detail)| DbError::Damaged { path: path.to_path_buf(), detail })
}

fn rows<T>(connection: &Connection, query: &str, mut row: impl FnMut(&Row<'_>) -> Result<T>) -> Result<Vec<T>> {
    let mut result = Vec::new();
    each_row(connection, query, |next| {
        result.push(row(next)?);
        Ok(())
    })?;
    Ok(result)
}

fn each_row(connection: &Connection, query: &str, mut row: impl FnMut(&Row<'_>) -> Result<()>) -> Result<()> {
    let mut statement = connection.prepare(query)?;
    let mut rows = statement.query([])?;
    while let Some(next) = rows.next()? {
        row(next)?;
    }
    Ok(())
}

fn json<T: DeserializeOwned>(what: &str, text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| Damage(format!("{what}: {error}")))
}

type Meta = BTreeMap<String, String>;

fn read_meta(connection: &Connection) -> Result<Meta> {
    let meta = rows(connection, "SELECT key, value FROM meta", |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(meta.into_iter().collect())
}

fn text(meta: &Meta, key: &str) -> Result<String> {
    meta.get(key).cloned().ok_or_else(|| Damage(format!("no `{key}` in the table meta")))
}

fn flag(meta: &Meta, key: &str) -> Result<bool> {
    json(key, &text(meta, key)?)
}

fn read_enumeration(connection: &Connection) -> Result<Enumeration> {
    let meta = read_meta(connection)?;
    let text = |key: &str| text(&meta, key);
    let finished = flag(&meta, "finished")?;
    let mut enumeration = Enumeration {
        program: text("program")?,
        digest: text("digest")?,
        options: json("options", &text("options")?)?,
        contents: meta.get(CONTENTS).map(|contents| json(CONTENTS, contents)).transpose()?.unwrap_or_default(),
        assumptions: json("assumptions", &text("assumptions")?)?,
        epochs: read_epochs(connection)?,
        reasons: Vec::new(),
        epoch_markers: json("epoch_markers", &text("epoch_markers")?)?,
        statistics: if finished { read_statistics(connection)? } else { Statistics::default() },
    };
    read_reasons(connection, &mut enumeration)?;
    read_errors(connection, &mut enumeration.epochs)?;
    read_inputs(connection, &mut enumeration.epochs)?;
    if !finished {
        let message = CUT_OFF.to_owned();
        enumeration.reasons.push(Reason { kind: IncompleteKind::Interrupted, message, at: None });
    }
    Ok(enumeration)
}

fn read_epochs(connection: &Connection) -> Result<Vec<EpochResult>> {
    let mut trees = read_trees(connection)?;
    let mut beginnings = read_beginnings(connection)?;
    let query = "SELECT epoch, id, stacks_json, contexts_json, infeasible_removed, max_live_threads,
                 early_exits, early_exits_json, assumed_json FROM epochs ORDER BY epoch";
    rows(connection, query, |row| {
        let id: EpochId = json("stacks_json", row.get_ref(2)?.as_str().map_err(|e| Damage(e.to_string()))?)?;
        let (name, number) = (row.get::<_, String>(1)?, row.get::<_, usize>(0)?);
        if id.key().to_string() != name {
            return Err(Damage(format!("epoch {name} has the stacks of epoch {}", id.key())));
        }
        Ok(EpochResult {
            contexts: json("contexts_json", &row.get::<_, String>(3)?)?,
            tree: trees.remove(&number).unwrap_or_default(),
            early_exits: optional_constraint(row, 6)?,
            reasons: Vec::new(),
            errors: Vec::new(),
            inputs: Vec::new(),
            infeasible_removed: row.get(4)?,
            max_live_threads: row.get(5)?,
            assumed: json("assumed_json", &row.get::<_, String>(8)?)?,
            searched_with: beginnings
                .remove(&number)
                .ok_or_else(|| Damage(format!("epoch {name} has no beginning")))?,
            id,
        })
    })
}

/// What the paths of each epoch were executed with.
fn read_beginnings(connection: &Connection) -> Result<BTreeMap<usize, SearchedWith>> {
    let query = "SELECT epoch, kind, func, block, at FROM summaries ORDER BY epoch, summary";
    let mut summaries = BTreeMap::<usize, Vec<Summarised>>::new();
    each_row(connection, query, |row| {
        let func = FuncId::from_index(row.get::<_, u32>(2)? as usize);
        let block = row.get::<_, Option<u32>>(3)?.map(|block| BlockId::from_index(block as usize));
        let kind = row.get::<_, String>(1)?;
        let code = match (kind.as_str(), block) {
            (LOOP, Some(header)) => Summarisable::Loop(func, header),
            (RECURSION, None) => Summarisable::Recursion(func),
            _ => return Err(Damage(format!("`{kind}` cannot be summarised"))),
        };
        summaries.entry(row.get(0)?).or_default().push(Summarised { code, at: row.get(4)? });
        Ok(())
    })?;
    let text = |what: &str, text: String| Json::from_text(text).map_err(|error| Damage(format!("{what}: {error}")));
    let query = "SELECT epoch, objects_open, facts_json, names_json FROM beginnings";
    let found = rows(connection, query, |row| {
        let epoch = row.get(0)?;
        let with = SearchedWith {
            facts: text("facts_json", row.get(2)?)?,
            summarised: summaries.remove(&epoch).unwrap_or_default(),
            objects_open: row.get(1)?,
            names: text("names_json", row.get(3)?)?,
        };
        Ok((epoch, with))
    })?;
    Ok(found.into_iter().collect())
}

/// Epoch and place of a schedule.
type ScheduleKey = (usize, usize);

fn schedule_key(row: &Row<'_>) -> Result<ScheduleKey> {
    Ok((row.get(0)?, row.get(1)?))
}

fn read_trees(connection: &Connection) -> Result<BTreeMap<usize, ScheduleTree>> {
    let mut graphs = read_graphs(connection)?;
    let query = "SELECT epoch, schedule, parent, id, \"constraint\", condition_json, ends_json, after_error
                 FROM schedules ORDER BY epoch, schedule";
    let parts = rows(connection, query, |row| {
        let key @ (epoch, _) = schedule_key(row)?;
        let (nodes, edges) = graphs_of(&mut graphs, key);
        let graph = HappensBefore::from_parts(nodes, edges).map_err(|error| Damage(error.to_string()))?;
        let ends = json("ends_json", &row.get::<_, String>(6)?)?;
        let (id, name) = (ScheduleId::of(&graph, &ends), row.get::<_, String>(3)?);
        if id.to_string() != name {
            return Err(Damage(format!("schedule {name} has the content of schedule {id}")));
        }
        let parent: Option<usize> = row.get(2)?;
        let after_error = row.get(7)?;
        Ok((epoch, (parent, Schedule { id, constraint: constraint(row, 4)?, ends, graph, after_error })))
    })?;
    let mut by_epoch = BTreeMap::<usize, Vec<_>>::new();
    for (epoch, part) in parts {
        by_epoch.entry(epoch).or_default().push(part);
    }
    let tree = |(epoch, parts)| match ScheduleTree::from_parts(parts) {
        Some(tree) => Ok((epoch, tree)),
        None => Err(Damage(format!("the schedules of epoch {epoch} are no tree"))),
    };
    by_epoch.into_iter().map(tree).collect()
}

/// The columns of a constraint: its text and its term, which follow each other.
fn constraint(row: &Row<'_>, column: usize) -> Result<InputConstraint> {
    let condition: Option<String> = row.get(column + 1)?;
    let dag = condition.map(|text| json("condition_json", &text)).transpose()?;
    Ok(InputConstraint { c: row.get(column)?, dag })
}

/// The same where NULL is no constraint.
fn optional_constraint(row: &Row<'_>, column: usize) -> Result<Option<InputConstraint>> {
    match row.get::<_, Option<String>>(column)? {
        Some(_) => constraint(row, column).map(Some),
        None => Ok(None),
    }
}

type Graphs = (BTreeMap<ScheduleKey, Vec<HbNode>>, BTreeMap<ScheduleKey, Vec<HbEdge>>);

fn graphs_of((nodes, edges): &mut Graphs, key: ScheduleKey) -> (Vec<HbNode>, Vec<HbEdge>) {
    (nodes.remove(&key).unwrap_or_default(), edges.remove(&key).unwrap_or_default())
}

fn read_graphs(connection: &Connection) -> Result<Graphs> {
    let query = "SELECT epoch, schedule, thread, n, op, object, at, func, block, inst, elsewhere_json, outcome
                 FROM nodes ORDER BY epoch, schedule, thread, n";
    let mut nodes = BTreeMap::<_, Vec<_>>::new();
    let mut texts = Texts::default();
    each_row(connection, query, |row| {
        nodes.entry(schedule_key(row)?).or_default().push(node(row, &mut texts)?);
        Ok(())
    })?;
    let query = "SELECT epoch, schedule, from_thread, from_n, to_thread, to_n
                 FROM edges ORDER BY epoch, schedule, from_thread, from_n, to_thread, to_n";
    let end = |row: &Row<'_>, column| Ok::<_, Damage>(NodeId { thread: row.get(column)?, n: row.get(column + 1)? });
    let mut edges = BTreeMap::<_, Vec<_>>::new();
    each_row(connection, query, |row| {
        edges.entry(schedule_key(row)?).or_default().push(HbEdge { from: end(row, 2)?, to: end(row, 4)? });
        Ok(())
    })?;
    Ok((nodes, edges))
}

/// Texts that nodes share.
#[derive(Default)]
struct Texts(HashSet<Arc<str>>);

impl Texts {
    fn share(&mut self, row: &Row<'_>, column: usize) -> Result<Arc<str>> {
        if let Some(known) = row.get_ref(column)?.as_str().ok().and_then(|text| self.0.get(text)) {
            return Ok(Arc::clone(known));
        }
        let text: Arc<str> = row.get::<_, String>(column)?.into();
        self.0.insert(Arc::clone(&text));
        Ok(text)
    }
}

fn node(row: &Row<'_>, texts: &mut Texts) -> Result<HbNode> {
    let index = |column| row.get::<_, Option<u32>>(column);
    let point = match (index(7)?, index(8)?, index(9)?) {
        (Some(func), Some(block), Some(inst)) => Some(ProgramPoint {
            func: FuncId::from_index(func as usize),
            block: BlockId::from_index(block as usize),
            inst,
        }),
        _ => None,
    };
    let (thread, n) = (row.get(2)?, row.get(3)?);
    let elsewhere = row.get::<_, Option<String>>(10)?.map(|text| json("elsewhere_json", &text)).transpose()?;
    Ok(HbNode {
        thread,
        n,
        op: texts.share(row, 4)?,
        object: texts.share(row, 5)?,
        at: texts.share(row, 6)?,
        point,
        elsewhere: elsewhere.unwrap_or_default(),
        outcome: outcome(row.get(11)?)?,
    })
}

fn outcome(text: Option<String>) -> Result<NodeOutcome> {
    match text.as_deref() {
        None => Ok(NodeOutcome::Unknown),
        Some(VARIES) => Ok(NodeOutcome::Varies),
        Some(number) => {
            let number = number.parse().map_err(|_| Damage(format!("`{number}` is nothing that a call returns")))?;
            Ok(NodeOutcome::Returns(number))
        }
    }
}

fn read_reasons(connection: &Connection, enumeration: &mut Enumeration) -> Result<()> {
    let query = "SELECT epoch, kind, message, at FROM reasons ORDER BY reason";
    let reasons = rows(connection, query, |row| {
        let word: String = row.get(1)?;
        let kind = IncompleteKind::from_word(&word).ok_or_else(|| Damage(format!("unknown reason `{word}`")))?;
        Ok((row.get::<_, Option<usize>>(0)?, Reason { kind, message: row.get(2)?, at: row.get(3)? }))
    })?;
    for (epoch, reason) in reasons {
        let list = match epoch {
            None => &mut enumeration.reasons,
            Some(number) => &mut epoch_numbered(&mut enumeration.epochs, number)?.reasons,
        };
        list.push(reason);
    }
    Ok(())
}

fn read_errors(connection: &Connection, epochs: &mut [EpochResult]) -> Result<()> {
    let query = "SELECT epoch, message, at, \"constraint\", condition_json, is_open FROM errors ORDER BY error";
    let errors = rows(connection, query, |row| {
        let (message, at, is_open) = (row.get(1)?, row.get(2)?, row.get(5)?);
        let error = PossibleError { message, at, constraint: constraint(row, 3)?, is_open };
        Ok((row.get(0)?, error))
    })?;
    for (number, error) in errors {
        epoch_numbered(epochs, number)?.errors.push(error);
    }
    Ok(())
}

fn read_inputs(connection: &Connection, epochs: &mut [EpochResult]) -> Result<()> {
    let query = "SELECT epoch, name, type, meaning, at FROM inputs ORDER BY input";
    let inputs = rows(connection, query, |row| {
        let input = NamedInput { name: row.get(1)?, ty: row.get(2)?, meaning: row.get(3)?, at: row.get(4)? };
        Ok((row.get(0)?, input))
    })?;
    for (number, input) in inputs {
        epoch_numbered(epochs, number)?.inputs.push(input);
    }
    Ok(())
}

fn epoch_numbered(epochs: &mut [EpochResult], number: usize) -> Result<&mut EpochResult> {
    epochs.get_mut(number).ok_or_else(|| Damage(format!("there is no epoch number {number}")))
}

fn read_statistics(connection: &Connection) -> Result<Statistics> {
    let entries = rows(connection, "SELECT key, value FROM statistics", |row| {
        let value = match row.get_ref(1)? {
            rusqlite::types::ValueRef::Integer(count) => count.into(),
            _ => row.get::<_, f64>(1)?.into(),
        };
        Ok((row.get::<_, String>(0)?, value))
    })?;
    serde_json::from_value(serde_json::Value::Object(entries.into_iter().collect()))
        .map_err(|error| Damage(format!("statistics: {error}")))
}
