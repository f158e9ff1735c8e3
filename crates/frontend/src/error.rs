//! What can be wrong with an input file.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Why a program could not be loaded. `Display` is one line; [`help`](LoadError::help) says what to do about it.
#[derive(Clone, PartialEq, Eq, Debug, Error, Serialize, Deserialize)]
pub enum LoadError {
    /// There is no such file.
    #[error("{path}: no such file")]
    NotFound {
        /// The path as given.
        path: String,
    },
    /// The path names a directory.
    #[error("{path}: is a directory, not a bitcode file")]
    IsDirectory {
        /// The path as given.
        path: String,
    },
    /// The file cannot be read.
    #[error("{path}: cannot be read: {reason}")]
    Unreadable {
        /// The path as given.
        path: String,
        /// The operating system's reason.
        reason: String,
    },
    /// The file has no bytes.
    #[error("{path}: is empty")]
    Empty {
        /// The path as given.
        path: String,
    },
    /// The file is something other than LLVM IR.
    #[error("{path}: is {what}, not LLVM bitcode")]
    NotBitcode {
        /// The path as given.
        path: String,
        /// What it seems to be, with its article: "an ELF object file".
        what: String,
    },
    /// The file starts like bitcode but cannot be read as such.
    #[error("{path}: the bitcode is damaged or cut off: {detail}")]
    Corrupt {
        /// The path as given.
        path: String,
        /// What LLVM says, or how it died.
        detail: String,
    },
    /// Textual IR with a mistake in it.
    #[error("{path}: the LLVM IR has an error: {detail}")]
    BadAssembly {
        /// The path as given.
        path: String,
        /// What LLVM says, with line and column.
        detail: String,
    },
    /// A newer LLVM wrote the file.
    #[error("{path}: was written by {producer}, which is newer than this program's {reader}")]
    TooNew {
        /// The path as given.
        path: String,
        /// Who wrote it, e.g. `LLVM23.1.0`.
        producer: String,
        /// What reads it, e.g. `LLVM 22.1.8`.
        reader: String,
    },
    /// Compiled for another machine.
    #[error("{path}: was compiled for `{triple}`; only x86-64 Linux is supported")]
    UnsupportedTarget {
        /// The path as given.
        path: String,
        /// The module's target triple.
        triple: String,
    },
    /// There is no function to start at.
    #[error("{path}: defines no function `{entry}`")]
    NoMain {
        /// The path as given.
        path: String,
        /// The function that was looked for.
        entry: String,
    },
    /// The entry function is no `main` of C.
    #[error(
        "{path}: its `{entry}` is {has}; a program's takes nothing, (int), (int, char **) or (int, char **, char **) and returns int"
    )]
    BadMain {
        /// The path as given.
        path: String,
        /// The entry function.
        entry: String,
        /// Its type in words.
        has: String,
    },
    /// It was given up before it was done.
    #[error("{path}: loading was stopped: {stop}")]
    Stopped {
        /// The path as given.
        path: String,
        /// Why.
        stop: LoadStop,
    },
    /// Program and models do not fit together.
    #[error("{path}: cannot be linked with the models of the C library: {detail}")]
    LinkConflict {
        /// The path as given.
        path: String,
        /// What the linker says.
        detail: String,
    },
    /// A function that is to fail, and has no model that does.
    #[error("{path}: no model of `{name}` fails")]
    NeverFails {
        /// The path as given.
        path: String,
        /// The function.
        name: String,
        /// Those that can.
        known: String,
    },
    /// Parts of a program do not fit together.
    #[error("{path}: {detail}")]
    PartsConflict {
        /// The part that does not fit to those before it.
        path: String,
        /// Why not.
        detail: String,
    },
    /// A whole-program construct that cannot be deferred to its execution.
    #[error("{path}: {what} is not supported")]
    Unsupported {
        /// The path as given.
        path: String,
        /// The construct and where it is.
        what: String,
    },
    /// A defect of the frontend or of a model.
    #[error("{path}: internal error in the frontend: {detail}")]
    Internal {
        /// The path as given.
        path: String,
        /// What went wrong.
        detail: String,
    },
}

/// Why loading was given up.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Error, Serialize, Deserialize)]
pub enum LoadStop {
    /// The time of the run is over.
    #[error("the time limit was reached")]
    Time,
    /// It took too much memory.
    #[error("the memory limit was reached")]
    Memory,
    /// Somebody ended it.
    #[error("it was interrupted")]
    Interrupted,
}

impl LoadError {
    /// Whether the frontend or a model is wrong, and not the file.
    pub fn is_internal(&self) -> bool {
        matches!(self, LoadError::Internal { .. })
    }

    /// What the user can do about it.
    pub fn help(&self) -> Cow<'static, str> {
        if let LoadError::NeverFails { known, .. } = self {
            return Cow::Owned(format!("these can fail: {known}"));
        }
        Cow::Borrowed(self.known_help())
    }

    fn known_help(&self) -> &'static str {
        match self {
            LoadError::NeverFails { .. } => "name another function",
            LoadError::NotFound { .. } => "check the path",
            LoadError::IsDirectory { .. } => "name the program's files: sources, bitcode, objects, an executable",
            LoadError::Unreadable { .. } => "check the file's permissions",
            LoadError::Empty { .. } | LoadError::Corrupt { .. } => {
                "compile it again: `clang -g -O1 -emit-llvm -c prog.c -o prog.bc`"
            }
            LoadError::NotBitcode { .. } => {
                "name C sources, bitcode, or objects and executables that `icsched cc` has made"
            }
            LoadError::BadAssembly { .. } => {
                "correct the line, or produce the file with `clang -g -S -emit-llvm prog.c`"
            }
            LoadError::TooNew { .. } => "compile with clang 22 or older",
            LoadError::UnsupportedTarget { .. } => "compile with `clang --target=x86_64-linux-gnu -emit-llvm`",
            LoadError::NoMain { .. } => {
                "name all files of the program: `icsched enumerate a.c b.c`; one of them must define it"
            }
            LoadError::BadMain { .. } => "declare it as C says: `int main(int argc, char **argv)`",
            LoadError::Stopped { stop, .. } => match stop {
                LoadStop::Time => "allow more with --timeout",
                LoadStop::Memory => "allow more with --max-memory; a damaged file can ask for any amount",
                LoadStop::Interrupted => "start it again",
            },
            LoadError::LinkConflict { .. } => "rename the symbol in the program, or declare it as the C library does",
            LoadError::PartsConflict { .. } => "name the files of one program, each once; one of them has `main`",
            LoadError::Unsupported { .. } => "rewrite that part of the program in plain C",
            LoadError::Internal { .. } => "this is a defect; please report it with the bitcode file",
        }
    }
}
