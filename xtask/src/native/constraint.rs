//! Evaluates the printed constraints of schedules: as C, compiled and run with arguments.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use tempfile::TempDir;

/// In front of the constraints. `strtol` may be written without its further arguments, as icsched does.
const HEADER: &str = "#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static long number(const char *s) { return strtol(s, 0, 10); }
#define strtol(s, ...) number(s)
";

/// Constraints, compiled.
#[derive(Debug)]
pub(super) struct Constraints {
    /// Keeps the program.
    _directory: TempDir,
    program: PathBuf,
    count: usize,
    /// Numbers of those that are no C.
    pub(super) not_c: BTreeSet<usize>,
}

impl Constraints {
    /// Compiles constraints; those that are no C have no value.
    ///
    /// # Errors
    /// `gcc` is not there, or refuses what is no constraint.
    pub(super) fn compile(constraints: &[&str]) -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let program = directory.path().join("constraints");
        let is_input = |constraint: &str| names(constraint).any(|name| !KNOWN.contains(&name));
        let mut not_c: BTreeSet<usize> = (0..constraints.len()).filter(|&at| is_input(constraints[at])).collect();
        loop {
            let source = directory.path().join("constraints.c");
            fs::write(&source, text(constraints, &not_c))?;
            let mut gcc = Command::new("gcc");
            let output = gcc.args(["-w", "-fwrapv", "-o"]).arg(&program).arg(&source).output();
            let output = output.context("cannot start gcc")?;
            if output.status.success() {
                break;
            }
            let wrong = lines_with_errors(&String::from_utf8_lossy(&output.stderr));
            let first = HEADER.lines().count();
            let wrong: Vec<usize> = wrong.into_iter().filter_map(|line| line.checked_sub(first + 1)).collect();
            let known = not_c.len();
            not_c.extend(wrong.into_iter().filter(|&at| at < constraints.len()));
            anyhow::ensure!(
                not_c.len() > known,
                "gcc refuses the constraints' frame: {}",
                String::from_utf8_lossy(&output.stderr).trim_end()
            );
        }
        Ok(Self { _directory: directory, program, count: constraints.len(), not_c })
    }

    /// Which constraints are true of arguments, from `argv[1]` on; `None` of those that are no C or have no value.
    ///
    /// # Errors
    /// The program does not start.
    pub(super) fn of(&self, name: &Path, arguments: &[String]) -> Result<Vec<Option<bool>>> {
        let mut values = Vec::new();
        while values.len() < self.count {
            let mut command = Command::new(&self.program);
            command.arg(values.len().to_string()).arg(name).args(arguments);
            let output = command.output().context("cannot evaluate constraints")?;
            values.extend(output.stdout.iter().map(|byte| match byte {
                b'1' => Some(true),
                b'0' => Some(false),
                _ => None,
            }));
            if values.len() < self.count {
                values.push(None); // The process ended in this one: a division by zero.
            }
        }
        values.truncate(self.count);
        Ok(values)
    }
}

/// Names in constraints that mean what C says.
const KNOWN: [&str; 18] = [
    "argc", "argv", "true", "false", "NULL", "unsigned", "signed", "char", "short", "int", "long", "float", "double",
    "bool", "_Bool", "__int128", "size_t", "ssize_t",
];

/// Names in an expression that are not called: of variables and types. A function's name alone is no value of its own
/// but that of an input which has its name.
fn names(expression: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < expression.len() {
            let rest = &expression[at..];
            let first = rest.chars().next()?;
            if first == '\'' {
                // A character: up to the next quote that no backslash is in front of.
                let end = if rest[1..].starts_with('\\') { 3 } else { 2 };
                at += rest.char_indices().skip(end).find(|(_, c)| *c == '\'').map_or(rest.len(), |(end, _)| end + 1);
                continue;
            }
            let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            if length == 0 {
                at += first.len_utf8();
                continue;
            }
            at += length;
            let is_called = rest[length..].trim_start().starts_with('(');
            if !first.is_ascii_digit() && !is_called {
                return Some(&rest[..length]);
            }
        }
        None
    })
}

/// One function for each constraint, in a line of its own.
fn text(constraints: &[&str], not_c: &BTreeSet<usize>) -> String {
    let mut text = HEADER.to_owned();
    for (number, constraint) in constraints.iter().enumerate() {
        let one_line = constraint.replace(['\n', '\r'], " ");
        let value = if not_c.contains(&number) { "2".to_owned() } else { format!("!!({one_line})") };
        let _ = writeln!(text, "static int c{number}(int argc, char **argv) {{ return {value}; }}");
    }
    text.push_str("int main(int argc, char **argv) {\n    int from = atoi(argv[1]);\n    argc -= 2, argv += 2;\n");
    for number in 0..constraints.len() {
        let _ = writeln!(text, "    if ({number} >= from) putchar('0' + c{number}(argc, argv)), fflush(stdout);");
    }
    text.push_str("    return 0;\n}\n");
    text
}

/// Numbers of lines that a compiler complains about.
fn lines_with_errors(messages: &str) -> BTreeSet<usize> {
    let line = |message: &str| {
        let (_, behind) = message.split_once("constraints.c:")?;
        let (number, rest) = behind.split_once(':')?;
        rest.contains("error").then(|| number.parse().ok()).flatten()
    };
    messages.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_values() {
        let found: Vec<_> =
            names("atoi(argv[1]) > 0x1f && (unsigned)getc#2 != 'x' && argv[1][0] == '\\'' || end").collect();
        assert_eq!(found, ["argv", "unsigned", "getc", "argv", "end"]);
    }

    #[test]
    fn values_of_constraints() {
        let constraints = [
            "atoi(argv[1]) > 3",
            "no C at all",
            "10 / atoi(argv[1]) > 1",
            "argc == 2",
            "getc != 3",
            "strtol(argv[1]) == 0",
        ];
        let compiled = Constraints::compile(&constraints).expect("gcc is there");
        assert_eq!(compiled.not_c, BTreeSet::from([1, 4]));
        let of = |argument: &str| compiled.of(Path::new("prog"), &[argument.to_owned()]).expect("it runs");
        assert_eq!(of("5"), [Some(true), None, Some(true), Some(true), None, Some(false)]);
        assert_eq!(of("0"), [Some(false), None, None, Some(true), None, Some(true)]);
    }
}
