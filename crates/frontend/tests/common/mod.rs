//! Compiling C snippets for tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// A directory with one compiled program.
pub(crate) struct Compiled {
    _directory: TempDir,
    /// The bitcode or textual IR.
    pub(crate) path: PathBuf,
}

/// Compiles `source` with `flags`; the result is bitcode unless the flags contain `-S`.
pub(crate) fn compile(source: &str, flags: &[&str]) -> Compiled {
    let directory = TempDir::new().expect("a temporary directory can be made");
    let file = directory.path().join("t.c");
    std::fs::write(&file, source).expect("the directory is writable");
    let path = directory.path().join("t.bc");
    let mode = if flags.contains(&"-S") { "-S" } else { "-c" };
    let status = Command::new(clang())
        .current_dir(directory.path())
        .args([mode, "-emit-llvm", "-w", "-o"])
        .args([Path::new("t.bc"), Path::new("t.c")])
        .args(flags)
        .status()
        .expect("clang is installed");
    assert!(status.success(), "clang refused:\n{source}");
    Compiled { _directory: directory, path }
}

fn clang() -> PathBuf {
    let prefix = std::env::var_os("LLVM_SYS_221_PREFIX").map_or_else(|| "/usr/lib/llvm-22".into(), PathBuf::from);
    std::env::var_os("ICSCHED_CLANG").map_or_else(|| prefix.join("bin/clang"), PathBuf::from)
}
