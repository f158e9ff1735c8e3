//! The compiler.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::error::{CompileError, NAMES, SourceError, VARIABLE};
use super::part::Part;
use crate::LoadLimits;
use crate::contain::Said;
use crate::error::{LoadError, LoadStop};

/// Lines of the compiler's messages that are told.
const MESSAGE_LINES: usize = 12;

/// The C compiler: what `ICSCHED_CLANG` names, else the first one that is on the path; or the C++ compiler beside it.
///
/// # Errors
/// If there is none.
pub fn find_clang(cplusplus: bool) -> Result<PathBuf, CompileError> {
    let plus = |name: &str| if cplusplus { name.replacen("clang", "clang++", 1) } else { name.to_owned() };
    if let Some(named) = std::env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        let named = PathBuf::from(named);
        let name = named.file_name().map(|name| plus(&name.to_string_lossy())).unwrap_or_default();
        return Ok(named.with_file_name(name));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut all = NAMES.iter().flat_map(|name| directories.iter().map(move |directory| directory.join(plus(name))));
    all.find(|path| path.is_file()).ok_or(CompileError::NoCompiler)
}

/// Whether a file is compiled, by its name.
pub(super) fn is_source(file: &Path) -> bool {
    is_c(file) || is_cplusplus(file)
}

fn extension_is(file: &Path, known: &[&str]) -> bool {
    file.extension().and_then(OsStr::to_str).is_some_and(|extension| known.contains(&extension))
}

fn is_c(file: &Path) -> bool {
    extension_is(file, &["c", "i"])
}

pub(super) fn is_cplusplus(file: &Path) -> bool {
    extension_is(file, &["cc", "cpp", "cxx", "c++", "C", "ii"])
}

/// One call of the compiler.
pub(super) struct Compilation {
    /// What the source is called in messages.
    pub(super) name: String,
    pub(super) file: PathBuf,
    pub(super) flags: Vec<String>,
    /// Where it runs, if not here.
    pub(super) directory: Option<PathBuf>,
}

impl Compilation {
    /// Compiles to bitcode, with a file for it in a directory.
    pub(super) fn compile(&self, temporary: &Path, limits: &LoadLimits<'_>) -> Result<Part, SourceError> {
        let name = self.name.clone();
        let compiler = find_clang(is_cplusplus(&self.file))?;
        let output = temporary.join("compiled.bc");
        let mut command = Command::new(&compiler);
        command.arg("-g").args(&self.flags).args(["-w", "-emit-llvm", "-c", "-o"]).arg(&output).arg(&self.file);
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let compiler = compiler.display().to_string();
        let not_started =
            |error: std::io::Error| CompileError::NotStarted { compiler: compiler.clone(), reason: error.to_string() };
        let mut child = command.spawn().map_err(not_started)?;
        let said = Said::by(&mut child, limits).map_err(not_started)?;
        let status = child.wait().map_err(not_started)?;
        if let Some(stop) = said.stop {
            return Err(stopped(name, stop).into());
        }
        if !status.success() {
            let messages = String::from_utf8_lossy(&said.messages);
            let messages: Vec<&str> = messages.lines().take(MESSAGE_LINES).collect();
            return Err(CompileError::Refused { file: name, compiler, messages: messages.join("\n") }.into());
        }
        let bytes = std::fs::read(&output).map_err(|error| SourceError::Temporary(error.to_string()))?;
        Ok(Part { name, bytes })
    }
}

fn stopped(path: String, stop: LoadStop) -> LoadError {
    LoadError::Stopped { path, stop }
}
