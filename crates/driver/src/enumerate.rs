//! `icsched enumerate`.

use std::sync::Arc;

use icsched_enumerate::Progress;
use icsched_frontend::{LoadLimits, LoadOptions, LoadStop, load_contained};
use icsched_ir::Program;
use icsched_schedule::Enumeration;

use crate::config::{EnumerateConfig, Limit, Limits, ProgramConfig};
use crate::error::DriverError;

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
    let cancelled = || limits.stop.asked().map(load_stop);
    let limits = LoadLimits { deadline: limits.deadline(), memory: limits.max_memory, cancelled: Some(&cancelled) };
    let loaded = load_contained(&program.path, options, &limits)?;
    for name in program.externs.keys() {
        match loaded.function_named(name) {
            Some(f) if loaded.functions[f].is_declaration() => {}
            Some(_) => {
                return Err(DriverError::Inputs(format!("--extern {name}: the function is defined or modelled")));
            }
            None => return Err(DriverError::Inputs(format!("--extern {name}: the program calls no such function"))),
        }
    }
    Ok(Arc::new(loaded))
}

/// What stops a run stops loading.
fn load_stop(limit: Limit) -> LoadStop {
    match limit {
        Limit::Time => LoadStop::Time,
        Limit::Memory => LoadStop::Memory,
        Limit::Interrupted | Limit::Instructions | Limit::Decisions | Limit::Events => LoadStop::Interrupted,
    }
}

/// Enumerates the input-covering schedules of a program, from its entry (Bergan 3.3).
///
/// # Errors
/// If the program cannot be loaded or the inputs do not fit together. Everything else that goes wrong is a reason for
/// incompleteness in the result.
pub fn enumerate(config: &EnumerateConfig, progress: &mut dyn Progress) -> Result<Enumeration, DriverError> {
    let deadline = config.limits.deadline();
    let program = load(&config.program, &config.limits)?;
    let bitcode = std::fs::read(&config.program.path).ok();
    let request = icsched_enumerate::Request {
        program,
        inputs: config.inputs.clone(),
        externs: config.program.externs.clone(),
        search: config.search.clone(),
        without: config.without.clone(),
        limits: icsched_enumerate::RunLimits {
            deadline,
            max_memory: config.limits.max_memory,
            max_instructions: config.limits.max_instructions,
            max_events: config.limits.max_events,
            solver_timeout: config.limits.solver_timeout,
            stop: Arc::clone(&config.limits.stop),
        },
    };
    let mut result = icsched_enumerate::enumerate_with(&request, progress).map_err(DriverError::Inputs)?;
    result.program = config.program.path.display().to_string();
    result.digest = bitcode.map(|b| Enumeration::digest_of(&b)).unwrap_or_default();
    result.options = config.typed.clone();
    Ok(result)
}
