//! `icsched cc` and `icsched c++`: the compilers that a project's own build calls, so that its objects and executables
//! have bitcode inside.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use icsched_driver::{DriverError, find_clang, hide_bitcode};

use crate::output;
use crate::status::Status;

/// What leaves bitcode in an object, and places of the source in it. Where nothing is compiled it has no effect.
const FLAGS: [&str; 3] = ["-g", "-fembed-bitcode=all", "-Wno-unused-command-line-argument"];

/// What gcc takes with a warning, as a project's build may expect: what the build itself says comes behind these.
const AS_GCC: [&str; 4] = [
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
];

/// The same of g++.
const AS_GXX: [&str; 2] = ["-Wno-error=register", "-Wno-error=reserved-user-defined-literal"];

/// Options with which nothing is left, or something else than an object is made.
const OTHERS: [&str; 8] = ["-E", "-M", "-MM", "-S", "-emit-llvm", "-fsyntax-only", "-fembed-bitcode", "-flto"];

/// Runs the compiler, if that is what was asked for, and ends as it does: all that follows is for it.
pub(crate) fn run_if_requested() -> Option<Status> {
    let mut words = std::env::args_os().skip(1);
    let cplusplus = match words.next()?.to_str()? {
        "cc" => false,
        "c++" => true,
        _ => return None,
    };
    let words: Vec<OsString> = words.collect();
    let compiler = match find_clang(cplusplus) {
        Ok(compiler) => compiler,
        Err(error) => {
            output::driver_error(&DriverError::Source(error.into()));
            return Some(Status::Wrong);
        }
    };
    let flags = more_flags(&words);
    let mut command = Command::new(&compiler);
    if !flags.is_empty() {
        command.args(if cplusplus { &AS_GXX[..] } else { &AS_GCC });
    }
    command.args(flags).args(&words);
    let ran = if flags.is_empty() { Err(command.exec()) } else { command.status() };
    let status = match ran {
        Ok(status) => status,
        Err(error) => {
            let message = format!("{} cannot be started: {error}", compiler.display());
            output::driver_error(&DriverError::Inputs(message));
            return Some(Status::Wrong);
        }
    };
    if status.success() {
        for file in outputs(&words) {
            // What is no object has no bitcode; what cannot be written is somebody's device.
            let _ = hide_bitcode(&file);
        }
    }
    std::process::exit(status.code().unwrap_or(SIGNALLED + status.signal().unwrap_or(0)));
}

/// What a shell adds to the number of a signal.
const SIGNALLED: i32 = 128;

/// The files that a compiler makes: what is named, else an object for each source, or `a.out`.
fn outputs(words: &[OsString]) -> Vec<PathBuf> {
    let text = |word: &OsString| word.to_string_lossy().into_owned();
    if let Some(at) = words.iter().position(|word| word == "-o") {
        return words.get(at + 1).map(PathBuf::from).into_iter().collect();
    }
    if let Some(joined) = words.iter().map(text).find_map(|word| word.strip_prefix("-o").map(str::to_owned)) {
        return vec![joined.into()];
    }
    if !words.iter().any(|word| word == "-c") {
        return vec!["a.out".into()];
    }
    let is_file = |word: &&OsString| !text(word).starts_with('-');
    let stems = words.iter().filter(is_file).filter_map(|word| Path::new(word).file_stem());
    stems.map(|stem| PathBuf::from(format!("{}.o", stem.to_string_lossy()))).collect()
}

/// What the compiler is told beside what the build says. Sources in assembler have no bitcode.
fn more_flags(words: &[OsString]) -> &'static [&'static str] {
    let is_other = |word: &OsString| {
        let text = word.to_string_lossy();
        OTHERS.contains(&&*text) || text.starts_with("-fembed-bitcode=") || text.starts_with("-flto=")
    };
    let is_assembler = |word: &OsString| word.to_str().is_some_and(|word| word.ends_with(".s") || word.ends_with(".S"));
    let asks = words.is_empty() || words.iter().all(|word| word.as_os_str() == OsStr::new("--version"));
    if asks || words.iter().any(|word| is_other(word) || is_assembler(word)) { &[] } else { &FLAGS }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_named_or_known() {
        let of = |words: &[&str]| outputs(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(of(&["-c", "src/a.c", "-o", "b.o"]), [PathBuf::from("b.o")]);
        assert_eq!(of(&["-ob", "a.c"]), [PathBuf::from("b")]);
        assert_eq!(of(&["-c", "-O2", "src/a.tab.c", "b.cc"]), [PathBuf::from("a.tab.o"), PathBuf::from("b.o")]);
        assert_eq!(of(&["a.c"]), [PathBuf::from("a.out")]);
    }

    #[test]
    fn objects_and_executables_get_bitcode() {
        let flags = |words: &[&str]| !more_flags(&words.iter().map(OsString::from).collect::<Vec<_>>()).is_empty();
        assert!(flags(&["-O2", "-c", "a.c"]) && flags(&["a.o", "b.o", "-o", "prog"]) && flags(&["-MD", "-c", "a.c"]));
        assert!(!flags(&["-E", "a.c"]) && !flags(&["-c", "a.S"]) && !flags(&["-flto=thin", "-c", "a.c"]));
        assert!(!flags(&["--version"]) && !flags(&[]));
    }
}
