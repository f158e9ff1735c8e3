//! The pipeline as a library: one call per subcommand.
//!
//! API boundary: a caller hands in one checked configuration and gets a value back; nothing in here prints, reads the
//! environment or ends the process.

pub mod check;
pub mod config;
pub mod enumerate;
pub mod error;
pub mod exec;
pub mod experiment;
pub mod inspect;
mod named;
pub mod replay;
pub mod show;
pub mod symex;
mod undefined;
pub mod verify;
pub mod watch;

pub use config::{EnumerateConfig, ExecConfig, Limits, ProgramConfig};
pub use error::DriverError;
pub use icsched_enumerate::{Counts, Progress, Working};
pub use icsched_epochs::limit_words;
pub use icsched_epochs::memory::stack_sizes;
pub use icsched_frontend::{LoadError, LoadStop};
pub use icsched_frontend::{child_main_if_requested, find_clang, hide_bitcode};
pub use icsched_machine::Switching;
pub use icsched_schedule::{Contents, DbError, Diagnostic, Enumeration, IncompleteKind, Reason};
