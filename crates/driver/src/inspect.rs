//! `icsched inspect`.
//!
//! The answers are documents with stable keys, which are rendered as JSON, as text and as Graphviz. Architecture invariant:
//! the text and the pictures say nothing that is not in the document.

mod callgraph;
mod defs;
mod loops;
mod markers;
mod memory;
mod modref;
mod pointsto;
mod targets;

use std::cell::RefCell;
use std::io;
use std::sync::Arc;

use icsched_frontend::{LoadError, LoadOptions};
use icsched_ir::{CallStack, FuncId, Function, LocId, Origin, Program, ProgramPoint};
use icsched_pointsto::PointsTo;
use serde::Serialize;

use crate::config::{Limits, ProgramConfig};
use crate::error::DriverError;

/// Loads a program or a part of one: it need not have a `main`.
fn load(program: &ProgramConfig) -> Result<Arc<Program>, DriverError> {
    let options = LoadOptions { needs_entry: false, ..LoadOptions::default() };
    crate::enumerate::load_with(program, &options, &Limits::default())
}

/// Whether the text form of a program's IR, read again, is the same program. The answer counts what it has.
///
/// # Errors
/// If the program cannot be loaded, or comes back differently, which is a bug.
pub fn check_ir(program: &ProgramConfig) -> Result<String, DriverError> {
    let path = program.path.display().to_string();
    let program = load(program)?;
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
pub fn ir(program: &ProgramConfig, function: Option<&str>) -> Result<String, DriverError> {
    let program = load(program)?;
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
pub fn callgraph(program: &ProgramConfig, selection: &Selection, out: Out<'_>) -> Result<(), DriverError> {
    let program = load_for(program, selection, "callgraph")?;
    let document = callgraph::document(&program, &solve(&program, selection), selection);
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
pub fn loops(program: &ProgramConfig, selection: &Selection, out: Out<'_>) -> Result<(), DriverError> {
    let program = load_for(program, selection, "loops")?;
    let document = loops::document(&program, &solve(&program, selection), selection);
    told(match selection.format {
        Format::Text => out.write_all(loops::text(&document).as_bytes()),
        Format::Json => write_json(&document, out),
        Format::Dot => out.write_all(loops::dot(&document).as_bytes()),
    })
}

/// What the pointers of a program may point to.
///
/// # Errors
/// If the program cannot be loaded, or has no such function, or the answer cannot be written.
pub fn pointsto(program: &ProgramConfig, selection: &Selection, out: Out<'_>) -> Result<(), DriverError> {
    let program = load_for(program, selection, "pointsto")?;
    let points_to = solve(&program, selection);
    let memory = memory::Memory { program: &program, points_to: &points_to, selection };
    let known = pointsto::Known::new(&memory);
    let document = pointsto::document(&known);
    told(match selection.format {
        Format::Text => pointsto::text(&document, out),
        Format::Json => write_json(&document, out),
        Format::Dot => pointsto::dot(&document, out),
    })
}

/// What the functions of a program, and their parts, may write, read and synchronise.
///
/// # Errors
/// If the program cannot be loaded, or has no such function, or the answer cannot be written.
pub fn modref(program: &ProgramConfig, selection: &Selection, out: Out<'_>) -> Result<(), DriverError> {
    let program = load_for(program, selection, "modref")?;
    let points_to = solve(&program, selection);
    let document = modref::document(&memory::Memory { program: &program, points_to: &points_to, selection });
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
    program: &ProgramConfig,
    threads: &[String],
    none_ended: bool,
    format: Format,
) -> Result<String, DriverError> {
    let program = load(program)?;
    let points_to = PointsTo::new(&program, &icsched_pointsto::Options::default()).expect("nothing interrupts it");
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
pub fn markers(program: &ProgramConfig, selection: &MarkerSelection) -> Result<String, DriverError> {
    let program = load(program)?;
    if let Some(name) = &selection.function {
        named(&program, name, "markers")?;
    }
    let document = markers::document(&program, selection);
    Ok(if selection.format == Format::Json { json(&document) } else { markers::text(&document) })
}

fn solve(program: &Program, selection: &Selection) -> PointsTo {
    let options = icsched_pointsto::Options { closed: selection.closed, ..Default::default() };
    PointsTo::new(program, &options).expect("nothing interrupts it")
}

fn load_for(program: &ProgramConfig, selection: &Selection, what: &str) -> Result<Arc<Program>, DriverError> {
    let program = load(program)?;
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
