//! LLVM bitcode in, [`Program`] out.
//!
//! ```text
//! file -> sniff -> parse and verify -> link models -> mem2reg -> lower -> Program
//! ```
//!
//! [`load`] does this in the calling process, where a damaged file can make LLVM end it. [`load_contained`] does it in
//! a child process (the current executable, started again) and takes the finished program over a pipe, so that LLVM's
//! death is an error like any other; [`load_cached`] keeps it for the next time.
//!
//! Architecture invariants: LLVM is visible in this crate's `llvm` module only, and nothing of it in the API. What is
//! not lowered is an explicit `Unsupported` instruction, never left out. No instruction is duplicated.

mod budgets;
mod cache;
mod children;
mod contain;
mod error;
mod library;
mod link;
#[allow(unsafe_code, reason = "LLVM's C API; every call is in this module and says why it is sound")]
mod llvm;
mod load;
mod lower;
mod module_asm;
mod sniff;
mod sources;

pub use cache::{LoadCache, load_cached};
pub use children::child_main_if_requested;
pub use contain::{LoadLimits, load_contained};
pub use error::{LoadError, LoadStop};
pub use icsched_ir::Program;
pub use load::load;
pub use sources::{
    CompileError, Definer, Made, NoBitcode, SourceError, Sources, definers, find_clang, gather, hide_bitcode,
};

/// What loading does besides reading.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadOptions {
    /// Link the models of pthreads and the C library for what the program leaves undefined.
    pub link_models: bool,
    /// Promote locals to SSA values.
    pub normalise: bool,
    /// Have LLVM duplicate code as its optimisers do, to see what not doing so is worth (without Bergan 3.4.1.4).
    pub duplicate_code: bool,
    /// Leave all branches as they are, so that decisions are where the source has them.
    pub keep_branches: bool,
    /// Have the program synchronise on the locks that the C library holds inside (without Bergan 3.4.1.2). A program
    /// that locks streams itself always does.
    pub library_locks: bool,
    /// Library functions whose calls may fail: the program calls models that ask.
    pub may_fail: Vec<String>,
    /// What the program is called in messages, if not by its file.
    pub name: Option<String>,
    /// The function that must be there: the program's `main`.
    pub entry: String,
    /// Whether a file without the entry function is an error. If not, the program's `main` is then `None`.
    pub needs_entry: bool,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            link_models: true,
            normalise: true,
            duplicate_code: false,
            keep_branches: false,
            library_locks: false,
            may_fail: Vec::new(),
            name: None,
            entry: "main".to_owned(),
            needs_entry: true,
        }
    }
}
