//! `icsched cc` and `icsched c++`: the compilers that a project's own build calls, so that its objects and executables
//! have bitcode inside.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use icsched_driver::{DriverError, find_clang};

use crate::output;
use crate::status::Status;

/// What leaves bitcode in an object, and places of the source in it. Where nothing is compiled it has no effect.
const FLAGS: [&str; 3] = ["-g", "-fembed-bitcode=all", "-Wno-unused-command-line-argument"];

/// Options with which nothing is left, or something else than an object is made.
const OTHERS: [&str; 8] = ["-E", "-M", "-MM", "-S", "-emit-llvm", "-fsyntax-only", "-fembed-bitcode", "-flto"];

/// Becomes the compiler, if that is what was asked for: all that follows is for it.
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
    let error = Command::new(&compiler).args(more_flags(&words)).args(&words).exec();
    output::driver_error(&DriverError::Inputs(format!("{} cannot be started: {error}", compiler.display())));
    Some(Status::Wrong)
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
    fn objects_and_executables_get_bitcode() {
        let flags = |words: &[&str]| !more_flags(&words.iter().map(OsString::from).collect::<Vec<_>>()).is_empty();
        assert!(flags(&["-O2", "-c", "a.c"]) && flags(&["a.o", "b.o", "-o", "prog"]) && flags(&["-MD", "-c", "a.c"]));
        assert!(!flags(&["-E", "a.c"]) && !flags(&["-c", "a.S"]) && !flags(&["-flto=thin", "-c", "a.c"]));
        assert!(!flags(&["--version"]) && !flags(&[]));
    }
}
