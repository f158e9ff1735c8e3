//! C programs as bitcode, and figures that do not depend on what else the machine does.

#![allow(dead_code, reason = "each benchmark uses a part")]
#![allow(clippy::print_stdout, reason = "figures are the output of a benchmark")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use icsched_frontend::LoadOptions;
use icsched_ir::Program;

/// A folder for bitcode, removed with the value.
pub(crate) fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder can be made")
}

/// Compiles `programs/NAME.c` with clang (`ICSCHED_CLANG`, or clang-22).
pub(crate) fn compile(folder: &Path, name: &str, level: &str) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/programs").join(name).with_extension("c");
    let bitcode = folder.join(format!("{name}{level}.bc"));
    let clang = std::env::var_os("ICSCHED_CLANG").unwrap_or_else(|| "clang-22".into());
    let status = Command::new(clang)
        .args([level, "-g", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops", "-c", "-emit-llvm", "-o"])
        .args([&bitcode, &source])
        .status()
        .expect("clang can be started");
    assert!(status.success(), "{name}.c does not compile");
    bitcode
}

/// Loads bitcode with its models.
pub(crate) fn load(bitcode: &Path) -> Arc<Program> {
    Arc::new(icsched_frontend::load(bitcode, &LoadOptions::default()).expect("clang makes valid bitcode"))
}

/// What was asked for on the command line, beside what cargo adds; all of `names` if nothing was.
pub(crate) fn selected<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let words: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    names.iter().copied().filter(|n| words.is_empty() || words.iter().any(|w| n.contains(w.as_str()))).collect()
}

/// Seconds of processor time of this process so far, in the system's ticks of 10 ms.
pub(crate) fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    fields.filter_map(|f| f.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The largest resident size of this process so far, in MiB.
pub(crate) fn peak_mib() -> u64 {
    status_mib("VmHWM:")
}

/// The resident size of this process, in MiB.
pub(crate) fn resident_mib() -> u64 {
    status_mib("VmRSS:")
}

fn status_mib(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix(field)).unwrap_or_default();
    line.split_whitespace().next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) >> 10
}
