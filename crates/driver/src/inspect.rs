//! `icsched inspect`.
//!
//! The answers are documents with stable keys, which are rendered as JSON, as text and as Graphviz. Architecture
//! invariant: the text and the pictures say nothing that is not in the document.

mod answer;
mod asked;
mod callgraph;
mod defs;
mod loops;
mod markers;
mod memory;
mod modref;
mod place;
mod pointsto;
mod targets;

use std::sync::Arc;

use icsched_frontend::LoadError;
use icsched_ir::{FuncId, Program};

use crate::config::{Activity, Limit};
use crate::error::DriverError;

pub use answer::Out;
use answer::{Cut, json, told, write_json};
pub use asked::{Format, Inspected, MarkerSelection, Selection};

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

fn named(program: &Program, name: &str, what: &str) -> Result<FuncId, DriverError> {
    program.function_named(name).ok_or_else(|| DriverError::NotFound {
        message: format!("the program has no function {name}"),
        help: format!("`icsched inspect {what} PROG.bc` without --function prints all of them"),
    })
}

fn load_for(inspected: &Inspected, selection: &Selection, what: &str) -> Result<Arc<Program>, DriverError> {
    let program = inspected.load()?;
    if let Some(name) = &selection.function {
        named(&program, name, what)?;
    }
    Ok(program)
}
