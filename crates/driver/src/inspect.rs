//! `icsched inspect`.

use icsched_ir::FuncId;

use crate::config::ProgramConfig;
use crate::error::DriverError;

/// The text form of a program's IR, or of one of its functions.
///
/// # Errors
/// If the program cannot be loaded, or has no such function.
pub fn ir(program: &ProgramConfig, function: Option<&str>) -> Result<String, DriverError> {
    let program = crate::enumerate::load(program)?;
    let Some(name) = function else { return Ok(program.to_text()) };
    let found: Option<FuncId> = program.function_named(name);
    found.map(|f| program.functions[f].to_text(&program)).ok_or_else(|| DriverError::NotFound {
        message: format!("the program has no function {name}"),
        help: "`icsched inspect ir PROG.bc` without --function prints all of them".to_owned(),
    })
}
