//! `icsched enumerate`.

mod journal;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use icsched_enumerate::{Journal, Outcome, Progress, Run};
use icsched_epochs::Technique;
use icsched_frontend::{LoadOptions, load_cached, load_contained};
use icsched_ir::Program;
use icsched_machine::step::Surroundings;
use icsched_schedule::{Bytes, Contents, Database, DbError, Enumeration};

use crate::config::{Activity, EnumerateConfig, Limits, ProgramConfig};
use crate::enumerate::journal::DatabaseJournal;
use crate::error::DriverError;
use crate::undefined;

/// Loads a program with its models.
///
/// # Errors
/// If the file is not a program that can be analysed.
pub(crate) fn load(program: &ProgramConfig, limits: &Limits) -> Result<Arc<Program>, DriverError> {
    load_with(program, &LoadOptions::default(), limits)
}

pub(crate) fn load_with(
    program: &ProgramConfig,
    options: &LoadOptions,
    limits: &Limits,
) -> Result<Arc<Program>, DriverError> {
    let name = Some(icsched_ir::visible(&program.path.display().to_string()).into_owned());
    let options =
        &LoadOptions { name, entry: program.entry.clone(), may_fail: program.may_fail.clone(), ..options.clone() };
    let loaded = limits.loading(|limits| -> Result<Program, DriverError> {
        let bitcode = program.bitcode(limits)?;
        Ok(match &program.cache {
            Some(cache) => load_cached(cache, bitcode, options, limits)?,
            None => load_contained(bitcode, options, limits)?,
        })
    })?;
    for name in program.externs.keys() {
        match loaded.function_named(name) {
            Some(f) if loaded.functions[f].is_declaration() => {}
            Some(_) => {
                return Err(DriverError::Inputs(format!("--extern {name}: the function is defined or modelled")));
            }
            // Whether the compiler calls a function of its own is up to its optimiser.
            None if name.starts_with("__") => tracing::warn!("--extern {name}: the program calls no such function"),
            None => return Err(DriverError::Inputs(format!("--extern {name}: the program calls no such function"))),
        }
    }
    Ok(Arc::new(loaded))
}

/// How a program is loaded with these techniques turned off.
pub(crate) fn load_options(without: &[Technique]) -> LoadOptions {
    LoadOptions {
        duplicate_code: without.contains(&Technique::CodeDuplication),
        library_locks: without.contains(&Technique::LibrarySync),
        ..LoadOptions::default()
    }
}

/// What options name by digests.
fn contents(surroundings: &Surroundings) -> Contents {
    let files = surroundings.files.iter().filter_map(|(_, content)| content.as_ref());
    let all = files.chain(&surroundings.stdin);
    all.map(|bytes| (Enumeration::digest_of(bytes), Bytes(bytes.clone()))).collect()
}

/// The bytes of a program's bitcode; of a device there may be no end.
fn read_bitcode(program: &ProgramConfig, limits: &Limits) -> Result<Option<Vec<u8>>, DriverError> {
    let path = limits.loading(|limits| program.bitcode(limits).map(Path::to_path_buf))?;
    let is_file = std::fs::metadata(&path).is_ok_and(|metadata| metadata.is_file());
    Ok(is_file.then(|| std::fs::read(path).ok()).flatten())
}

/// What was enumerated, and how.
#[derive(Debug)]
pub struct Enumerated {
    /// The result.
    pub result: Enumeration,
    /// Where it comes from.
    pub source: Source,
    /// Why it is not in the database, or not all of it, if so.
    pub unwritten: Option<DbError>,
}

/// Where a result comes from.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// It was searched.
    Searched,
    /// So many searches of epochs were finished by an earlier run, and are in the database.
    Resumed(usize),
    /// All of it was in the database.
    Database,
}

/// What is to be done with a program, which is loaded for it if it is not yet.
///
/// # Errors
/// If the program cannot be loaded.
pub(crate) fn request(
    config: &EnumerateConfig,
    loaded: Option<Arc<Program>>,
    deadline: Option<Instant>,
) -> Result<icsched_epochs::Request, DriverError> {
    let program = match loaded {
        Some(program) => program,
        None => load_with(&config.program, &load_options(&config.without), &config.limits)?,
    };
    Ok(icsched_epochs::Request {
        program,
        inputs: config.inputs.clone(),
        externs: config.program.externs.clone(),
        memory_errors: config.program.memory_errors,
        search: config.search.clone(),
        without: config.without.clone(),
        limits: icsched_epochs::RunLimits {
            deadline,
            memory: config.limits.memory,
            max_instructions: config.limits.max_instructions,
            max_events: config.limits.max_events,
            undecided: config.limits.undecided,
            solver_timeout: config.limits.solver_timeout,
            stop: Arc::clone(&config.limits.stop),
        },
    })
}

/// Enumerates the input-covering schedules of a program, from its entry (Bergan 3.3), and writes them to the database,
/// if there is one.
///
/// # Errors
/// If the program cannot be loaded, the inputs do not fit together, or the database is somebody else's. Everything else
/// that goes wrong is a reason for incompleteness in the result, but for a database that cannot be written: the result
/// has [that](Enumerated::unwritten).
pub fn enumerate(config: &EnumerateConfig, progress: &mut dyn Progress) -> Result<Enumerated, DriverError> {
    enumerate_loaded(config, None, progress)
}

/// The same for a program that may be loaded already.
pub(crate) fn enumerate_loaded(
    config: &EnumerateConfig,
    loaded: Option<Arc<Program>>,
    progress: &mut dyn Progress,
) -> Result<Enumerated, DriverError> {
    let deadline = config.limits.deadline();
    let bitcode = read_bitcode(&config.program, &config.limits)?;
    let start = Enumeration {
        program: config.program.path.display().to_string(),
        digest: bitcode.map(|b| Enumeration::digest_of(&b)).unwrap_or_default(),
        options: config.typed.clone(),
        contents: contents(&config.inputs.surroundings),
        ..Enumeration::default()
    };
    if let Some(database) = config.database.as_ref().filter(|database| !database.force) {
        Database::check_same_program(&database.path, &start.program, &start.digest)?;
    }
    let mut journal = match &config.database {
        Some(database) => Some(DatabaseJournal::new(config, database, &start)?),
        None => None,
    };
    if let Some(kept) = journal.as_mut().and_then(DatabaseJournal::take_final) {
        let result = Enumeration { program: start.program, ..kept };
        return Ok(Enumerated { result, source: Source::Database, unwritten: None });
    }
    let kept = journal.as_ref().map(|journal| journal.kept().to_vec()).unwrap_or_default();
    let source = if kept.is_empty() { Source::Searched } else { Source::Resumed(kept.len()) };
    if !kept.is_empty() {
        progress.stored();
    }
    let request = request(config, loaded, deadline)?;
    if let Some(warning) = undefined::warning(&request.program, &config.program.sources, &config.program.externs) {
        progress.warn(&warning);
    }
    let nowhere = &mut ();
    let kept_by: &mut dyn Journal = journal.as_mut().map_or(nowhere, |journal| journal);
    let run = Run { jobs: config.jobs, kept, journal: kept_by, progress: &mut *progress };
    let Outcome { result, is_cut } =
        icsched_enumerate::enumerate_by(&request, run).map_err(|error| DriverError::Inputs(error.to_string()))?;
    let Enumeration { program, digest, options, contents, .. } = start;
    let result = Enumeration { program, digest, options, contents, ..result };
    config.limits.stop.begin(Activity::Writing);
    progress.doing(Activity::Writing);
    let unwritten = journal.and_then(|journal| journal.finish(&result, is_cut).err());
    Ok(Enumerated { result, source, unwritten })
}
