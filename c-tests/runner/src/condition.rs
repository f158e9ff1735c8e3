//! Printed constraints as C: compiled, and evaluated for arguments of `main`.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::process::run;

/// What a constraint may use.
pub const HEADERS: &str = "\
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
";

/// A compilation, or an evaluation, that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// Which schedules some arguments are to belong to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Holds {
    /// The arguments behind the program's name.
    pub args: Vec<OsString>,
    /// How the schedules end whose constraint is true of them, or what one of their calls is on.
    pub word: String,
}

/// A program that evaluates constraints.
#[derive(Clone, Debug)]
pub struct Conditions {
    program: PathBuf,
    count: usize,
}

impl Holds {
    /// Reads `ARGS -> WORD`; `\xHH` in an argument is a byte, `""` an empty one.
    ///
    /// # Errors
    /// There is no arrow, or what is behind a `\x` is no byte.
    pub fn parse(text: &str) -> Result<Self> {
        let (args, word) = text.rsplit_once("->").context("is `ARGUMENTS -> WORD`")?;
        let args = args.split_whitespace().map(argument).collect::<Result<_>>()?;
        Ok(Self { args, word: word.trim().to_owned() })
    }

    /// What is wrong with the first epoch of a result, if something is: the schedules whose constraints are true of the
    /// arguments must be there, and all of them as expected.
    ///
    /// # Errors
    /// A constraint is no C.
    pub fn difference(&self, schedules: &[Value], conditions: &Conditions) -> Result<Option<String>> {
        let holds = conditions.hold(&self.args)?;
        let chosen: Vec<&Value> = schedules.iter().zip(&holds).filter(|(_, holds)| **holds).map(|(s, _)| s).collect();
        let is_expected = |schedule: &&Value| {
            let objects = schedule["nodes"].as_array().into_iter().flatten();
            let ends = schedule["ends"].as_str().unwrap_or_default();
            ends.split(' ').next() == Some(&self.word) || objects.into_iter().any(|node| node["object"] == *self.word)
        };
        let wrong = chosen.iter().find(|schedule| !is_expected(schedule));
        Ok(match wrong {
            Some(wrong) => {
                Some(format!("{:?} belongs to `{}`, not to `{}`", self.args, self.word, wrong["constraint"]))
            }
            None if chosen.is_empty() => Some(format!("no constraint is true of {:?}", self.args)),
            None => None,
        })
    }
}

fn argument(word: &str) -> Result<OsString> {
    let mut bytes = Vec::new();
    let mut rest = if word == "\"\"" { "" } else { word };
    while let Some((before, after)) = rest.split_once("\\x") {
        bytes.extend_from_slice(before.as_bytes());
        let digits = after.get(..2).context("`\\x` is followed by two digits")?;
        bytes.push(u8::from_str_radix(digits, 16).with_context(|| format!("`\\x{digits}` is no byte"))?);
        rest = &after[2..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(OsString::from_vec(bytes))
}

impl Conditions {
    /// Compiles constraints that are C with nothing but the arguments of `main`, in the directory `work`.
    ///
    /// # Errors
    /// One is no C.
    pub fn compile(compiler: &Path, constraints: &[&str], work: &Path) -> Result<Self> {
        let mut text = format!("#include <stdio.h>\n{HEADERS}");
        let mut calls = String::new();
        for (k, constraint) in constraints.iter().enumerate() {
            let _ = writeln!(text, "static int c{k}(int argc, char **argv) {{ return !!({constraint}); }}");
            let _ = write!(calls, "putchar('0' + c{k}(argc, argv)); ");
        }
        let _ = writeln!(text, "int main(int argc, char **argv) {{ {calls}return 0; }}");
        let (source, program) = (work.join("conditions.c"), work.join("conditions"));
        std::fs::write(&source, text)?;
        let mut command = Command::new(compiler);
        command.args(["-w", "-fwrapv"]).arg(&source).arg("-lm").arg("-o").arg(&program);
        let outcome = run(&mut command, work, "", LIMIT)?;
        ensure!(outcome.status == 0, "a constraint is no C:\n{}", outcome.stderr);
        Ok(Self { program, count: constraints.len() })
    }

    /// Which of the constraints are true of these arguments.
    ///
    /// # Errors
    /// The evaluation ends in a signal.
    pub fn hold<A: AsRef<OsStr>>(&self, args: &[A]) -> Result<Vec<bool>> {
        let mut command = Command::new(&self.program);
        let outcome = run(command.args(args), Path::new("."), "", LIMIT)?;
        let is_whole = outcome.status == 0 && outcome.stdout.len() == self.count;
        ensure!(is_whole, "evaluating constraints ends with status {}", outcome.status);
        Ok(outcome.stdout.bytes().map(|byte| byte == b'1').collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locate::find_clang;
    use serde_json::json;

    #[test]
    fn arguments_have_any_bytes() {
        let holds = Holds::parse("a\\xe9b \"\" -3 -> exit").expect("well formed");
        let expected = [&b"a\xe9b"[..], b"", b"-3"].map(|bytes| OsString::from_vec(bytes.to_vec()));
        assert_eq!((&*holds.args, &*holds.word), (&expected[..], "exit"));
        assert!(Holds::parse("a").is_err() && Holds::parse("\\xg -> a").is_err());
    }

    #[test]
    fn a_constraint_of_another_schedule_is_reported() {
        let schedules = [
            json!({"constraint": "atoi(argv[1]) > 2", "ends": "deadlock", "nodes": []}),
            json!({"constraint": "atoi(argv[1]) < 2", "ends": "exit", "nodes": [{"object": "a"}]}),
        ];
        let work = tempfile::tempdir().expect("a directory");
        let texts = ["atoi(argv[1]) > 2", "atoi(argv[1]) < 2"];
        let clang = find_clang().expect("clang is there");
        let conditions = Conditions::compile(&clang, &texts, work.path()).expect("they are C");
        for (text, is_right) in [
            ("3 -> deadlock", true),
            ("1 -> exit", true),
            ("1 -> a", true),
            ("3 -> exit", false),
            ("1 -> b", false),
            ("2 -> exit", false),
        ] {
            let holds = Holds::parse(text).expect("well formed");
            let difference = holds.difference(&schedules, &conditions).expect("it is evaluated");
            assert_eq!(difference.is_none(), is_right, "{text}: {difference:?}");
        }
        assert!(Conditions::compile(&clang, &["open@2 < 0"], work.path()).is_err());
    }
}
