//! `icsched inspect`.
//!
//! The answers are documents with stable keys, which are rendered as JSON, as text and as Graphviz. Architecture
//! invariant: the text and the pictures say nothing that is not in the document.

mod callgraph;
mod defs;
mod loops;
mod markers;
mod memory;
mod modref;
mod pointsto;
mod targets;

use std::cell::{Cell, RefCell};
use std::io;
use std::sync::Arc;
use std::time::Instant;

use icsched_frontend::{LoadError, LoadOptions};
use icsched_ir::{CallStack, FuncId, Function, LocId, Origin, Program, ProgramPoint};
use icsched_pointsto::PointsTo;
use serde::Serialize;

use crate::config::{Activity, Limit, Limits, ProgramConfig};
use crate::error::DriverError;
use crate::{Reason, limit_words};

/// Names and versions of the documents.
pub mod schema {
    /// Of [`callgraph`](super::callgraph()).
    pub const CALLGRAPH: &str = super::callgraph::SCHEMA;
    /// Of [`loops`](super::loops()).
    pub const LOOPS: &str = super::loops::SCHEMA;
    /// Of [`pointsto`](super::pointsto()).
    pub const POINTSTO: &str = super::pointsto::SCHEMA;
    /// Of [`modref`](super::modref()).
    pub const MODREF: &str = super::modref::SCHEMA;
    /// Of [`defs`](super::defs()).
    pub const DEFS: &str = super::defs::SCHEMA;
    /// Of [`markers`](super::markers()).
    pub const MARKERS: &str = super::markers::SCHEMA;
}

/// The program to look into, and when to stop.
#[derive(Clone, Debug)]
pub struct Inspected {
    /// The program.
    pub program: ProgramConfig,
    /// When to stop: there is no answer then, or only its beginning, but [why](DriverError::Stopped).
    pub limits: Limits,
    /// The time at which that is.
    deadline: Option<Instant>,
}

impl Inspected {
    /// The time of the limits begins now.
    pub fn new(program: ProgramConfig, limits: Limits) -> Self {
        let deadline = limits.deadline();
        Self { program, limits, deadline }
    }

    /// Whether it is time to stop.
    fn is_over(&self) -> bool {
        self.limits.stop.asked().is_some() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Loads a program or a part of one: it need not have a `main`.
    fn load(&self) -> Result<Arc<Program>, DriverError> {
        let options = LoadOptions { needs_entry: false, ..LoadOptions::default() };
        let program = crate::enumerate::load_with(&self.program, &options, &self.limits)?;
        self.go_on_to(Activity::PointsTo)?;
        Ok(program)
    }

    fn solve(&self, program: &Program, closed: bool) -> Result<PointsTo, DriverError> {
        let interrupted = || self.is_over();
        let options = icsched_pointsto::Options { closed, interrupted: &interrupted, ..Default::default() };
        let solved = PointsTo::new(program, &options).map_err(|_| self.stopped(Limit::Time))?;
        self.go_on_to(Activity::ModRef)?;
        Ok(solved)
    }

    /// What is done next, if it is to be done.
    fn go_on_to(&self, next: Activity) -> Result<(), DriverError> {
        if let Some(limit) = self.limits.stop.asked() {
            return Err(self.stopped(limit));
        }
        self.limits.stop.begin(next);
        Ok(())
    }

    /// The limit that was asked for, or else this one.
    fn stopped(&self, otherwise: Limit) -> DriverError {
        let Limits { stop, .. } = &self.limits;
        DriverError::Stopped { limit: stop.asked().unwrap_or(otherwise), activity: stop.doing().activity }
    }
}

/// Whether the text form of a program's IR, read again, is the same program. The answer counts what it has.
///
/// # Errors
/// If the program cannot be loaded, or comes back differently, which is a bug.
pub fn check_ir(inspected: &Inspected) -> Result<String, DriverError> {
    let path = inspected.program.path.display().to_string();
    let program = inspected.load()?;
    let again = icsched_ir::parse(&program.to_text()).map_err(|error| error.to_string());
    let wrong = match again {
        Ok(again) if again == *program => {
            let insts: usize =
                program.functions.values().flat_map(|f| f.blocks.values()).map(|block| block.insts.len() + 1).sum();
            let (functions, globals) = (program.functions.len(), program.globals.len());
            return Ok(format!(
                "{insts} instructions, {functions} functions, {globals} globals: the text form is exact\n"
            ));
        }
        Ok(_) => "another program".to_owned(),
        Err(error) => error,
    };
    let detail = format!("the text form of the IR does not come back: {wrong}");
    Err(LoadError::Internal { path, detail }.into())
}

/// The text form of a program's IR, or of one of its functions.
///
/// # Errors
/// If the program cannot be loaded, or has no such function.
pub fn ir(inspected: &Inspected, function: Option<&str>) -> Result<String, DriverError> {
    let program = inspected.load()?;
    let Some(name) = function else { return Ok(program.to_text()) };
    let found = named(&program, name, "ir")?;
    Ok(program.functions[found].to_text(&program))
}

fn named(program: &Program, name: &str, what: &str) -> Result<FuncId, DriverError> {
    program.function_named(name).ok_or_else(|| DriverError::NotFound {
        message: format!("the program has no function {name}"),
        help: format!("`icsched inspect {what} PROG.bc` without --function prints all of them"),
    })
}

/// How an answer is written.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people.
    Text,
    /// For programs: one object with the key `schema`.
    Json,
    /// For Graphviz.
    Dot,
}

/// What is shown of a program, and how.
#[derive(Clone, Debug)]
pub struct Selection {
    /// How.
    pub format: Format,
    /// Library models, too.
    pub models: bool,
    /// Only this function.
    pub function: Option<String>,
    /// See [`icsched_pointsto::Options::closed`].
    pub closed: bool,
}

impl Selection {
    fn shows(&self, function: &Function) -> bool {
        match &self.function {
            // A model that is asked for by its name is meant.
            Some(name) => *name == function.name,
            None => self.models || function.origin == Origin::Program,
        }
    }
}

/// Where an answer goes, piece by piece: that of a large program may be larger than memory.
pub type Out<'o> = &'o mut dyn io::Write;

/// The call graph of a program.
///
/// # Errors
/// If the program cannot be loaded, or has no such function, or the answer cannot be written.
pub fn callgraph(inspected: &Inspected, selection: &Selection, out: Out<'_>) -> Result<(), DriverError> {
    let program = load_for(inspected, selection, "callgraph")?;
    let document = callgraph::document(&program, &inspected.solve(&program, selection.closed)?, selection);
    inspected.limits.stop.begin(Activity::Writing);
    told(match selection.format {
        Format::Text => out.write_all(callgraph::text(&document).as_bytes()),
        Format::Json => write_json(&document, out),
        Format::Dot => out.write_all(callgraph::dot(&document).as_bytes()),
    })
}

/// The loops of a program, with how often they run.
///
/// # Errors
/// If the program cannot be loaded, or has no such function, or the answer cannot be written.
pub fn loops(inspected: &Inspected, selection: &Selection, out: Out<'_>) -> Result<(), DriverError> {
    let program = load_for(inspected, selection, "loops")?;
    let document = loops::document(&program, &inspected.solve(&program, selection.closed)?, selection);
    inspected.limits.stop.begin(Activity::Writing);
    told(match selection.format {
        Format::Text => out.write_all(loops::text(&document).as_bytes()),
        Format::Json => write_json(&document, out),
        Format::Dot => out.write_all(loops::dot(&document).as_bytes()),
    })
}

/// What the pointers of a program may point to. At a limit the answer ends early, and says so; what is written is whole
/// in its form.
///
/// # Errors
/// If the program cannot be loaded, or has no such function, or the answer cannot be written, or was cut at a limit.
pub fn pointsto(inspected: &Inspected, selection: &Selection, out: Out<'_>) -> Result<(), DriverError> {
    let program = load_for(inspected, selection, "pointsto")?;
    let points_to = inspected.solve(&program, selection.closed)?;
    let memory = memory::Memory { program: &program, points_to: &points_to, selection };
    let known = pointsto::Known::new(&memory);
    let cut = Cut::new(inspected);
    let document = pointsto::document(&known, &cut);
    told(match selection.format {
        Format::Text => pointsto::text(&document, out),
        Format::Json => write_json(&document, out),
        Format::Dot => pointsto::dot(&document, out),
    })?;
    cut.by.get().map_or(Ok(()), |limit| Err(inspected.stopped(limit)))
}

/// What the functions of a program, and their parts, may write, read and synchronise.
///
/// # Errors
/// If the program cannot be loaded, or has no such function, or the answer cannot be written.
pub fn modref(inspected: &Inspected, selection: &Selection, out: Out<'_>) -> Result<(), DriverError> {
    let program = load_for(inspected, selection, "modref")?;
    let points_to = inspected.solve(&program, selection.closed)?;
    let document = modref::document(&memory::Memory { program: &program, points_to: &points_to, selection });
    inspected.limits.stop.begin(Activity::Writing);
    told(match selection.format {
        Format::Text => out.write_all(modref::text(&document).as_bytes()),
        Format::Json => write_json(&document, out),
        Format::Dot => out.write_all(modref::dot(&document).as_bytes()),
    })
}

/// What must hold when threads are at the places that texts name (see [`icsched_dataflow::parse_stack`]).
///
/// # Errors
/// If the program cannot be loaded, or a text names no place or several.
pub fn defs(
    inspected: &Inspected,
    threads: &[String],
    none_ended: bool,
    format: Format,
) -> Result<String, DriverError> {
    let program = inspected.load()?;
    let points_to = inspected.solve(&program, false)?;
    let parsed = |text: &String| {
        let thread = icsched_dataflow::parse_stack(&program, &points_to, text)
            .map_err(|error| crate::named::no_place(&program, text, &error))?;
        Ok((text.clone(), thread))
    };
    let threads = threads.iter().map(parsed).collect::<Result<Vec<_>, DriverError>>()?;
    let document = defs::document(&program, &points_to, &threads, none_ended)
        .map_err(|error| DriverError::Inputs(format!("--thread: {error}")))?;
    Ok(if format == Format::Json { json(&document) } else { defs::text(&document) })
}

/// What is asked about epoch markers, and how the answer is written.
#[derive(Clone, Debug)]
pub struct MarkerSelection {
    /// [`Format::Dot`] is the same as [`Format::Text`].
    pub format: Format,
    /// Only what is in this function.
    pub function: Option<String>,
    /// Techniques that are off; those that markers do not depend on make no difference.
    pub without: Vec<icsched_enumerate::Technique>,
}

/// Where epochs end, and why not in other loops. A program with a `main` is specialised first, as [`enumerate`] does.
///
/// [`enumerate`]: crate::enumerate::enumerate()
///
/// # Errors
/// If the program cannot be loaded, or has no such function.
pub fn markers(inspected: &Inspected, selection: &MarkerSelection) -> Result<String, DriverError> {
    let program = inspected.load()?;
    if let Some(name) = &selection.function {
        named(&program, name, "markers")?;
    }
    let document =
        markers::document(&program, selection, &|| inspected.is_over()).map_err(|_| inspected.stopped(Limit::Time))?;
    Ok(if selection.format == Format::Json { json(&document) } else { markers::text(&document) })
}

fn load_for(inspected: &Inspected, selection: &Selection, what: &str) -> Result<Arc<Program>, DriverError> {
    let program = inspected.load()?;
    if let Some(name) = &selection.function {
        named(&program, name, what)?;
    }
    Ok(program)
}

fn told(written: io::Result<()>) -> Result<(), DriverError> {
    written.map_err(|error| DriverError::Write { path: "the answer".into(), error })
}

fn write_json(document: &impl Serialize, out: Out<'_>) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, document)?;
    out.write_all(b"\n")
}

/// A list whose members are made while it is written, and dropped then. It can be written once.
struct Listed<I>(RefCell<Option<I>>);

impl<I> Listed<I> {
    fn new(members: I) -> Self {
        Self(RefCell::new(Some(members)))
    }

    /// The members; nothing of them is left then.
    fn take(&self) -> impl Iterator<Item = I::Item>
    where
        I: Iterator,
    {
        self.0.take().into_iter().flatten()
    }
}

impl<I: Iterator<Item: Serialize>> Serialize for Listed<I> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.take())
    }
}

/// Whether a limit has ended the lists of an answer that is being written.
struct Cut<'i> {
    inspected: &'i Inspected,
    by: Cell<Option<Limit>>,
}

impl<'i> Cut<'i> {
    fn new(inspected: &'i Inspected) -> Self {
        Self { inspected, by: Cell::new(None) }
    }

    /// Whether there may be one more member. Once there may not, none follows.
    fn goes_on(&self) -> bool {
        if self.by.get().is_none() && self.inspected.is_over() {
            self.by.set(Some(self.inspected.limits.stop.asked().unwrap_or(Limit::Time)));
        }
        self.by.get().is_none()
    }

    /// Why not all is there, in a list that is empty if it is.
    fn reasons(&self) -> Vec<Reason> {
        let reason = |limit| {
            let (kind, message) = limit_words(limit);
            Reason { kind, message: message.to_owned(), at: None }
        };
        self.by.get().map(reason).into_iter().collect()
    }
}

/// The key `complete` of a document, behind its lists: it is known when they are written.
struct Complete<'c>(&'c Cut<'c>);

impl Serialize for Complete<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.reasons().is_empty().serialize(serializer)
    }
}

/// The key `reasons`, in the same way.
struct Reasons<'c>(&'c Cut<'c>);

impl Serialize for Reasons<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.reasons().serialize(serializer)
    }
}

fn json(document: &impl Serialize) -> String {
    serde_json::to_string_pretty(document).expect("plain data has a JSON form") + "\n"
}

/// `file.c:12`, if that is known.
fn source(program: &Program, loc: Option<LocId>) -> Option<String> {
    loc.filter(|&loc| program.locs[loc].line > 0).map(|loc| program.describe_loc(loc))
}

/// `file.c:12`, or `main b3:1` where there is no source line.
fn place(program: &Program, point: ProgramPoint) -> String {
    icsched_enumerate::graph::place(program, &CallStack(vec![point]))
}

/// A quoted DOT string; each newline becomes a line break of the label.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
