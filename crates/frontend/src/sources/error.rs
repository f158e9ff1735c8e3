//! Why there is no bitcode.

use crate::error::LoadError;

/// Names of the compiler, the best one first: what a newer one writes cannot be read.
pub(super) const NAMES: [&str; 10] = [
    "clang-22", "clang", "clang-21", "clang-20", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14",
];

/// The variable that names another one.
pub(super) const VARIABLE: &str = "ICSCHED_CLANG";

/// Why the compiler has not compiled a file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CompileError {
    /// There is none.
    #[error("no clang was found: looked for {}", NAMES.join(", "))]
    NoCompiler,
    /// It cannot be started.
    #[error("{compiler} cannot be started: {reason}")]
    NotStarted {
        /// Its name.
        compiler: String,
        /// The operating system's reason.
        reason: String,
    },
    /// It refuses the file.
    #[error("{file}: {compiler} cannot compile it:\n{messages}")]
    Refused {
        /// The source file.
        file: String,
        /// The compiler's name.
        compiler: String,
        /// What it says.
        messages: String,
    },
}

impl CompileError {
    /// What the user can do about it.
    pub(super) fn help(&self) -> String {
        match self {
            Self::NoCompiler => format!("install clang-22, or name one with the variable {VARIABLE}"),
            Self::NotStarted { .. } => format!("name another one with the variable {VARIABLE}"),
            Self::Refused { .. } => "give options of the compiler with --cflags='-Idir -DNAME'".to_owned(),
        }
    }
}

/// A file has no bitcode inside.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{path}: {detail}")]
pub struct NoBitcode {
    /// The path as given.
    pub path: String,
    /// What it is, and what is missing.
    pub detail: String,
    /// Whether it cannot be read at all.
    pub is_damaged: bool,
}

/// Why there is no bitcode.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SourceError {
    /// The compiler has not compiled it.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// A file has none inside.
    #[error(transparent)]
    None(#[from] NoBitcode),
    /// A file cannot be read, or the parts do not fit together.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A file of compile commands is none, or has nothing for a file.
    #[error("{path}: {detail}")]
    Commands {
        /// The path as given.
        path: String,
        /// What is wrong with it.
        detail: String,
    },
    /// There is no place for what is made.
    #[error("no temporary file can be made: {0}")]
    Temporary(String),
}

impl SourceError {
    /// What the user can do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Compile(error) => error.help(),
            Self::None(_) => "build it with `icsched cc` in place of `cc`: that leaves bitcode in it".to_owned(),
            Self::Load(error) => error.help().into_owned(),
            Self::Commands { .. } => "CMake writes such a file with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON".to_owned(),
            Self::Temporary(_) => "set TMPDIR to a directory that can be written to".to_owned(),
        }
    }
}
