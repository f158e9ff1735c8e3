//! Runs `icsched enumerate` on C files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use super::schedule::Enumeration;

/// An icsched, and how its bitcode is made.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    /// The command.
    pub(super) icsched: PathBuf,
    /// The compiler of its bitcode.
    pub(super) clang: PathBuf,
    /// `O0` to `O3`.
    pub(super) level: String,
    /// Options for the compiler.
    pub(super) flags: Vec<String>,
}

/// What `enumerate` has made of a program.
#[derive(Clone, Debug)]
pub(super) struct Enumerated {
    /// The result; `None` if there is none.
    pub(super) result: Option<Enumeration>,
    /// What it said on standard error.
    pub(super) messages: String,
    /// Exit status; -1 after a signal.
    pub(super) status: i32,
}

/// Exit statuses of an `icsched enumerate` that has a result.
const CLEAN: i32 = 0;
const FOUND: i32 = 1;
const INCOMPLETE: i32 = 3;

impl Subject {
    /// Enumerates one C file with these options and arguments, in a directory of its own.
    ///
    /// # Errors
    /// The file does not compile, or `icsched` does not start.
    pub(super) fn enumerate(&self, source: &Path, options: &[String], arguments: &[String]) -> Result<Enumerated> {
        let directory = tempfile::tempdir()?;
        let bitcode = directory.path().join("program.bc");
        let mut compile = Command::new(&self.clang);
        compile.arg(format!("-{}", self.level)).args(["-g", "-w", "-pthread", "-emit-llvm", "-c"]).args(&self.flags);
        let output = compile.arg(source).arg("-o").arg(&bitcode).output();
        let output = output.with_context(|| format!("cannot start {}", self.clang.display()))?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr).trim_end());
        let json = directory.path().join("result.json");
        let mut enumerate = Command::new(&self.icsched);
        enumerate.arg("enumerate").arg(&bitcode).arg("-o").arg(directory.path().join("program.icsdb"));
        enumerate.arg("--json").arg(&json).args(options).arg("--").args(arguments);
        let output = enumerate.stdin(Stdio::null()).current_dir(directory.path()).output();
        let output = output.with_context(|| format!("cannot start {}", self.icsched.display()))?;
        // Of a command that ends otherwise, a bug of icsched say, the file has what was known by then.
        let has_result = matches!(output.status.code(), Some(CLEAN | FOUND | INCOMPLETE));
        let json = has_result.then(|| fs::read(&json).ok()).flatten();
        let result = json.and_then(|json| Enumeration::parse(&json).ok());
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        Ok(Enumerated { result, messages, status: output.status.code().unwrap_or(-1) })
    }
}

/// What the comments at the top of a program of `c-tests` ask for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Header {
    /// Options and arguments of each `run: enumerate`.
    pub(super) runs: Vec<(Vec<String>, Vec<String>)>,
    /// Options for the compiler, one list for each variant.
    pub(super) variants: Vec<Vec<String>>,
}

impl Header {
    /// Reads the header of a program.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn read(source: &Path) -> Result<Self> {
        let text = fs::read(source).with_context(|| format!("cannot read {}", source.display()))?;
        Ok(Self::parse(&String::from_utf8_lossy(&text)))
    }

    fn parse(text: &str) -> Self {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let mut header = Header::default();
        let mut flags = Vec::new();
        for line in text.lines().map_while(|line| line.strip_prefix("//")) {
            let Some((key, value)) = line.trim().split_once(": ") else { continue };
            match key {
                "run" if value.starts_with("enumerate") => {
                    let all = words(value.trim_start_matches("enumerate"));
                    let at = all.iter().position(|word| word == "--").unwrap_or(all.len());
                    header.runs.push((all[..at].to_vec(), all.get(at + 1..).unwrap_or_default().to_vec()));
                }
                "cflags" => flags = words(value),
                "variants" => header.variants = value.split(',').map(words).collect(),
                _ => {}
            }
        }
        if header.variants.is_empty() {
            header.variants.push(Vec::new());
        }
        for variant in &mut header.variants {
            variant.splice(0..0, flags.iter().cloned());
        }
        header
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let text = "// Words: of prose.\n// run: enumerate --loop-bound 4 -- @ 3\n// cflags: -DX\n// variants: -DA, -DB=1 -DC\nint x;\n// run: enumerate\n";
        let header = Header::parse(text);
        let strings = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        assert_eq!(header.runs, [(strings(&["--loop-bound", "4"]), strings(&["@", "3"]))]);
        assert_eq!(header.variants, [strings(&["-DX", "-DA"]), strings(&["-DX", "-DB=1", "-DC"])]);
        assert_eq!(Header::parse("// run: enumerate\n").runs, [(Vec::new(), Vec::new())]);
    }
}
