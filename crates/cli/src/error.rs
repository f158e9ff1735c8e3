//! What can be wrong with what was typed, beyond what `clap` sees.

use clap::error::ErrorKind;
use icsched_driver::DriverError;
use thiserror::Error;

/// Why options and inputs make no configuration.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(crate) enum ConfigError {
    /// `symex` takes inputs only from the program's entry.
    #[error("inputs are for paths from the program's entry (--from-start)")]
    InputsWithoutStart,
    /// `clap` does not accept the options that a database was made with.
    #[error("the options of the database are none of this version: {options} ({kind})")]
    UnknownOptions { options: String, kind: ErrorKind },
    /// The options that a database was made with are none of `enumerate`.
    #[error("the options of the database are none of this version: {options}")]
    OtherCommand { options: String },
    /// An input has more bytes than can be symbolic.
    #[error("{input}: {bytes} bytes of symbolic input are too many; at most {most}")]
    TooLarge { input: &'static str, bytes: u64, most: u64 },
    /// `--sym-env` without a name.
    #[error("--sym-env: a variable has a name")]
    UnnamedVariable,
    /// `--sym-file` without a name.
    #[error("--sym-file: a file has a name")]
    UnnamedFile,
    /// `--sym-args` with an empty range.
    #[error("--sym-args: MIN ({min}) is more than MAX ({max})")]
    EmptyRange { min: u32, max: u32 },
    /// `--sym-env NAME=SIZE` with a size that is no number.
    #[error("--sym-env {variable}: {size} is not a number of bytes")]
    VariableSize { variable: String, size: String },
    /// A file whose content is wanted cannot be read.
    #[error("{option} {path}: {reason}")]
    Content { option: &'static str, path: String, reason: String },
    /// A database, or a finding, has not the content that its options name.
    #[error("{option} {digest}: the content of the file is not there")]
    NoContent { option: &'static str, digest: String },
    /// Both ways to say what standard input is.
    #[error("--stdin and --sym-stdin: standard input is one or the other")]
    TwoInputs,
    /// One file is given in two ways.
    #[error("{0} is given twice, by --file, --no-file or --sym-file")]
    FileTwice(String),
    /// `--cflags` with a quote that is not closed.
    #[error("--cflags: no shell takes this: {text}")]
    Flags { text: String },
    /// An argument that begins with `@` and goes on with no number.
    #[error("argument {0}: write @ or @N for an input of at most N bytes, @{0} for the word")]
    Argument(String),
}

impl From<ConfigError> for DriverError {
    fn from(error: ConfigError) -> Self {
        Self::Inputs(error.to_string())
    }
}

/// Why a word is no value of its option; `clap` prints it behind the option's name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(crate) enum ValueError {
    /// `--extern` without `=`.
    #[error("expected NAME=havoc, NAME=pure, NAME=abort or NAME=assume")]
    Extern,
    /// `--extern` with an unknown kind; in the words of `clap`.
    #[error("{0}")]
    ExternKind(String),
    /// A kind of findings that there is not.
    #[error("`{0}` is no kind of finding: deadlock, no-progress, assert, abort, memory-error")]
    Kind(String),
    /// `--file` or `--env` without a name or without `=`.
    #[error("expected a name, `=` and what it stands for")]
    Pair,
    /// `--may-fail` with a place that is none.
    #[error("expected NAME, or NAME@FILE:LINE")]
    Place,
    /// `--sym-file` without `=`.
    #[error("expected NAME=SIZE, e.g. input.txt=16")]
    File,
    /// `--sym-file` with a size that is no number.
    #[error("{0} is not a number of bytes")]
    FileSize(String),
}
