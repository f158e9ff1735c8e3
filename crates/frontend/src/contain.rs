//! Loading in a child process, because LLVM ends its process on some damaged files.
//!
//! The child is the current executable, started with a hidden first argument; it writes the serialised result to its
//! standard output. What a child says before it dies goes into the error.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output};

use icsched_ir::Program;

use crate::LoadOptions;
use crate::error::LoadError;
use crate::load::{load, read};

/// First argument of a child.
const REQUEST: &str = "--icsched-load-child";

/// Exit status of a Rust panic.
const PANICKED: i32 = 101;

/// Loads a program in a child process. The executable must call [`child_main_if_requested`] first thing in `main`.
///
/// # Errors
/// Says what is wrong with the file. If LLVM crashed on it, it counts as damaged.
pub fn load_contained(path: &Path, options: &LoadOptions) -> Result<Program, LoadError> {
    let (name, _, _) = read(path)?;
    let internal = |detail: String| LoadError::Internal { path: name.clone(), detail };
    let executable = std::env::current_exe().map_err(|e| internal(format!("no executable to start: {e}")))?;
    let output = Command::new(executable)
        .arg(REQUEST)
        .arg(path)
        .args([flag(options.link_models), flag(options.normalise), &options.entry])
        .output()
        .map_err(|e| internal(format!("cannot start a child process: {e}")))?;
    if output.status.success() {
        return postcard::from_bytes(&output.stdout).map_err(|e| internal(format!("the child's answer: {e}")))?;
    }
    Err(describe_death(name, &output))
}

/// Serves as the child of [`load_contained`] and ends the process, if that is what it was started for.
pub fn child_main_if_requested() {
    let mut args = std::env::args_os().skip(1);
    if args.next().as_deref() != Some(REQUEST.as_ref()) {
        return;
    }
    let path = PathBuf::from(args.next().unwrap_or_default());
    let mut flag = || args.next().is_some_and(|arg| arg == "1");
    let (link_models, normalise) = (flag(), flag());
    let entry = args.next().map_or_else(|| "main".to_owned(), |arg| arg.to_string_lossy().into_owned());
    let result = load(&path, &LoadOptions { link_models, normalise, entry });
    let bytes = postcard::to_stdvec(&result).expect("programs and errors can be serialised");
    let written = std::io::stdout().write_all(&bytes).and_then(|()| std::io::stdout().flush());
    std::process::exit(i32::from(written.is_err()));
}

fn flag(on: bool) -> &'static str {
    if on { "1" } else { "0" }
}

fn describe_death(path: String, output: &Output) -> LoadError {
    let messages = String::from_utf8_lossy(&output.stderr);
    let mut lines = messages.lines().map(str::trim).filter(|line| !line.is_empty());
    if output.status.code() == Some(PANICKED) {
        let detail = lines.take(2).collect::<Vec<_>>().join(" ");
        return LoadError::Internal { path, detail };
    }
    let detail = match lines.find(|line| line.contains("LLVM ERROR") || line.contains("Assertion")) {
        Some(line) => line.trim_start_matches("LLVM ERROR:").trim().to_owned(),
        None => format!("LLVM could not read it ({})", how_it_ended(output.status)),
    };
    LoadError::Corrupt { path, detail }
}

fn how_it_ended(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("signal {signal}"),
        (None, Some(code)) => format!("exit status {code}"),
        (None, None) => "unknown end".to_owned(),
    }
}
