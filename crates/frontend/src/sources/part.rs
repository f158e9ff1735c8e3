//! What a program is made of.

use std::path::PathBuf;

/// What users name.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Sources {
    /// Sources, bitcode, textual IR, objects, archives, executables, `compile_commands.json`.
    pub files: Vec<PathBuf>,
    /// Options for the compiler of sources.
    pub cflags: Vec<String>,
    /// Where the compiler runs; `None` for here. What it makes depends on that: debug information names it.
    pub directory: Option<PathBuf>,
}

/// One part of a program: a name for messages, and its bitcode or textual IR.
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}
