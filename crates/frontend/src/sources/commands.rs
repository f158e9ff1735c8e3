//! `compile_commands.json`: how a build compiles its files (the format of Clang's tools).

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::clang::{Compilation, is_source};
use super::error::SourceError;
use super::part::Part;
use crate::LoadLimits;

/// One entry.
#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    #[serde(default)]
    arguments: Vec<String>,
    #[serde(default)]
    command: String,
}

/// Options that say where the result goes, each with whether its value is another word.
const OUTPUTS: [(&str, bool); 9] = [
    ("-o", true),
    ("-MF", true),
    ("-MT", true),
    ("-MQ", true),
    ("-c", false),
    ("-S", false),
    ("-MD", false),
    ("-MMD", false),
    ("-MP", false),
];

/// Whether a file is one, by its name.
pub(super) fn is_it(file: &Path) -> bool {
    file.extension() == Some(OsStr::new("json"))
}

/// Compiles what a file lists: all sources, or those that are named beside it.
pub(super) fn compile(
    path: &Path,
    named: &[&PathBuf],
    cflags: &[String],
    temporary: &Path,
    limits: &LoadLimits<'_>,
) -> Result<Vec<Part>, SourceError> {
    let wrong = |detail: String| SourceError::Commands { path: path.display().to_string(), detail };
    let (_, bytes) = crate::load::read_bytes(path)?;
    let entries: Vec<Entry> =
        serde_json::from_slice(&bytes).map_err(|error| wrong(format!("is no compile_commands.json: {error}")))?;
    let whole = |file: &Path| std::fs::canonicalize(file).unwrap_or_else(|_| file.to_path_buf());
    let wanted: Vec<PathBuf> = named.iter().filter(|file| is_source(file)).map(|file| whole(file)).collect();
    let mut seen = BTreeSet::new();
    let mut parts = Vec::new();
    for entry in entries {
        let file = whole(&entry.directory.join(&entry.file));
        // What is compiled twice, for a library and a program, is compiled once.
        if !wanted.is_empty() && !wanted.contains(&file) || !is_source(&file) || !seen.insert(file.clone()) {
            continue;
        }
        let words = match entry.arguments.is_empty() {
            true => {
                shlex::split(&entry.command).ok_or_else(|| wrong("has a command that no shell takes".to_owned()))?
            }
            false => entry.arguments,
        };
        let mut flags = flags(&words, &entry.file);
        flags.extend(cflags.iter().cloned());
        parts.push(
            Compilation { name: file.display().to_string(), file, flags, directory: Some(entry.directory) }
                .compile(temporary, limits)?,
        );
    }
    if let Some(missing) = wanted.iter().find(|file| !seen.contains(*file)) {
        return Err(wrong(format!("has no command for {}", missing.display())));
    }
    if parts.is_empty() {
        return Err(wrong("has no sources of C or C++".to_owned()));
    }
    Ok(parts)
}

/// The options of a command: without the compiler, the source, and where the result goes.
fn flags(words: &[String], file: &Path) -> Vec<String> {
    let mut flags = Vec::new();
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        match OUTPUTS.iter().find(|(option, _)| word == option) {
            Some((_, true)) => _ = words.next(),
            Some((_, false)) => {}
            None if Path::new(word) == file => {}
            None => flags.push(word.clone()),
        }
    }
    flags
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_what_is_left() {
        let words = shlex::split("/usr/bin/cc -DNAME='a b' -Iinclude -MD -MF x.d -o x.o -c src/x.c").expect("words");
        assert_eq!(flags(&words, Path::new("src/x.c")), ["-DNAME=a b", "-Iinclude"]);
    }
}
