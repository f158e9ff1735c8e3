//! `cargo xtask tidy`: what the compiler and clippy cannot check about this repository.
//!
//! The rules, each in a module of its own:
//! 1. [`graph`]: crates use one another, LLVM and Z3 only as the table in [`table`] says;
//! 2. [`architecture`]: the table printed in `docs/architecture.md` is true;
//! 3. [`source`]: module docs, length of files, `unsafe` only where it is fenced;
//! 4. [`text`]: no committed file names a package registry's host or a path of somebody's machine;
//! 5. [`circles`]: the files of a crate do not use each other in circles;
//! 6. [`comments`]: no comment line is wider than code may be;
//! 7. [`sentences`]: no sentence of `docs/` is too long.
//!
//! [`ratchet`] says where rules 5 to 7 hold, and that what [`allowances`] still permits does not grow.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

mod allowances;
mod architecture;
mod circles;
mod comments;
mod graph;
mod modules;
mod problem;
mod ratchet;
mod resolve;
mod sentences;
mod source;
mod table;
mod text;

pub use problem::Problem;
pub use ratchet::Which;

/// Problems of the repository at `root`, sorted by place.
///
/// # Errors
/// Cargo or git cannot be asked, or a file cannot be read.
pub fn check(root: &Path, which: Which) -> Result<Vec<Problem>> {
    let packages = graph::packages(root)?;
    let mut problems = graph::check(&packages, root);
    let files = texts(root)?;
    if let Some(architecture) = files.get("docs/architecture.md") {
        problems.extend(architecture::check(architecture, &packages));
    }
    for (file, content) in &files {
        problems.extend(text::check(file, content));
        if file.ends_with(".rs") {
            problems.extend(source::check(file, content));
        }
    }
    problems.extend(ratchet::check(&files, which)?);
    problems.sort();
    Ok(problems)
}

/// The texts that git knows or would add, by path.
fn texts(root: &Path) -> Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    for file in tracked_files(root)? {
        let path = root.join(&file);
        // A tracked file may be deleted in the work tree, and a link may lead nowhere.
        if !path.is_file() {
            continue;
        }
        let bytes = fs::read(&path).with_context(|| format!("cannot read {file}"))?;
        if let Ok(text) = String::from_utf8(bytes) {
            texts.insert(file, text);
        }
    }
    Ok(texts)
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
