//! `cargo xtask tidy`: what the compiler and clippy cannot check about this repository.
//!
//! The rules, each in a module of its own:
//! 1. [`graph`]: crates use one another, LLVM and Z3 only as the table in [`table`] says;
//! 2. [`architecture`]: the table printed in `docs/architecture.md` is true;
//! 3. [`source`]: module docs, length of files, `unsafe` only where it is fenced;
//! 4. [`text`]: no committed file names a package registry's host or a path of somebody's machine.

use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

mod architecture;
mod graph;
mod source;
mod table;
mod text;

/// Something that breaks a rule.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Problem {
    /// The file, relative to the repository.
    pub file: String,
    /// The line, from 1; 0 if it is about the file as a whole.
    pub line: usize,
    /// What is wrong and what would be right.
    pub message: String,
}

impl Problem {
    fn new(file: &str, line: usize, message: impl Into<String>) -> Self {
        Self { file: file.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.message),
            line => write!(f, "{}:{line}: {}", self.file, self.message),
        }
    }
}

/// All problems of the repository at `root`, sorted by place.
///
/// # Errors
/// Cargo or git cannot be asked, or a file cannot be read.
pub fn check(root: &Path) -> Result<Vec<Problem>> {
    let packages = graph::packages(root)?;
    let mut problems = graph::check(&packages, root);
    let architecture = root.join("docs/architecture.md");
    if architecture.is_file() {
        problems.extend(architecture::check(&fs::read_to_string(architecture)?, &packages));
    }
    for file in tracked_files(root)? {
        let path = root.join(&file);
        // A tracked file may be deleted in the work tree, and a link may lead nowhere.
        if !path.is_file() {
            continue;
        }
        let bytes = fs::read(&path).with_context(|| format!("cannot read {file}"))?;
        let Ok(content) = std::str::from_utf8(&bytes) else { continue };
        problems.extend(text::check(&file, content));
        if file.ends_with(".rs") {
            problems.extend(source::check(&file, content));
        }
    }
    problems.sort();
    Ok(problems)
}

/// The files that git knows or would add, so that a new file is checked before it is committed.
fn tracked_files(root: &Path) -> Result<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .context("cannot start git")?;
    ensure!(output.status.success(), "git ls-files: {}", String::from_utf8_lossy(&output.stderr).trim_end());
    let listed = String::from_utf8_lossy(&output.stdout);
    Ok(listed.split('\0').filter(|file| !file.is_empty()).map(str::to_owned).collect())
}
