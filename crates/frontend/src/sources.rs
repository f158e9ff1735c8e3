//! From what users name to one bitcode file:
//!
//! ```text
//! prog.c                  -> clang                       \
//! a.o, liba.a, a.out      -> the bitcode that is inside    > linked -> one bitcode file
//! compile_commands.json   -> clang, as each line says    /
//! ```
//!
//! A single file of LLVM IR stays what it is.

mod clang;
mod commands;
mod definers;
mod embedded;
mod error;
mod hide;
mod join;
mod part;
mod split;

use std::path::Path;

use tempfile::{NamedTempFile, TempDir, TempPath};

use part::Part;
pub use part::Sources;

pub use clang::find_clang;
pub use definers::{Definer, definers};
pub use error::{CompileError, NoBitcode, SourceError};
pub use hide::hide_bitcode;
pub(crate) use join::child_main_if_requested;

use crate::LoadLimits;
use crate::sniff;

/// A bitcode file that was made. It is gone with this.
#[derive(Debug)]
pub struct Made(TempPath);

impl Made {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

/// Makes one bitcode file of what a user names; `None` if there is one file, and that is LLVM IR or nothing at all.
///
/// # Errors
/// Says which file is wrong.
pub fn gather(sources: &Sources, limits: &LoadLimits<'_>) -> Result<Option<Made>, SourceError> {
    if let [file] = &sources.files[..]
        && is_ir(file)
    {
        return Ok(None);
    }
    let temporary = |error: std::io::Error| SourceError::Temporary(error.to_string());
    let directory = TempDir::with_prefix("icsched").map_err(temporary)?;
    let mut parts = Vec::new();
    let (commands, files): (Vec<_>, Vec<_>) = sources.files.iter().partition(|file| commands::is_it(file));
    for file in &commands {
        parts.extend(commands::compile(file, &files, &sources.cflags, directory.path(), limits)?);
    }
    let mut without = None;
    for file in files.into_iter().filter(|file| commands.is_empty() || !clang::is_source(file)) {
        match parts_of(file, sources, directory.path(), limits) {
            Ok(own) => parts.extend(own),
            // It may define functions that are missed, and says so then.
            Err(SourceError::None(error)) if !error.is_damaged => _ = without.get_or_insert(error),
            Err(error) => return Err(error),
        }
    }
    if let Some(error) = without.filter(|_| parts.is_empty()) {
        return Err(error.into());
    }
    let linked = NamedTempFile::with_suffix_in(".bc", std::env::temp_dir()).map_err(temporary)?.into_temp_path();
    join::join(&parts, directory.path(), &linked, limits)?;
    Ok(Some(Made(linked)))
}

/// Whether a file is LLVM IR, or no file that could be anything else: its error comes with loading it.
fn is_ir(file: &Path) -> bool {
    if clang::is_source(file) || commands::is_it(file) {
        return false;
    }
    let Ok(metadata) = std::fs::metadata(file) else { return true };
    !metadata.is_file() || std::fs::read(file).map_or(true, |bytes| !embedded::is_container(&bytes))
}

/// The parts that a file has.
fn parts_of(
    file: &Path,
    sources: &Sources,
    directory: &Path,
    limits: &LoadLimits<'_>,
) -> Result<Vec<Part>, SourceError> {
    let (name, bytes) = crate::load::read_bytes(file)?;
    if clang::is_source(file) {
        let Sources { cflags, directory: working, .. } = sources;
        let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf());
        let command = clang::Compilation { name, file: absolute, flags: cflags.clone(), directory: working.clone() };
        return Ok(vec![command.compile(directory, limits)?]);
    }
    if embedded::is_container(&bytes) {
        return Ok(embedded::parts(&name, &bytes)?);
    }
    sniff::recognise(&name, &bytes)?;
    Ok(vec![Part { name, bytes }])
}
