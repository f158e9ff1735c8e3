//! Random conditions of C programs: what `icsched` prints against the branch that the native program takes.
//!
//! A program computes a condition from its arguments, in any of C's integer types, and takes one of two locks. The
//! constraints of its schedules are compiled as C. For each of many arguments, those that are true must be of schedules
//! on the lock that a native run takes.

mod generate;

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::condition::Conditions;
use crate::expect::Level;
use crate::locate::Tools;
use crate::process::run;

pub use generate::{arguments, program};

/// Anything that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(120);

/// What a comparison shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Printed and native agree.
    Same,
    /// The result is not complete, or has more than two locks' schedules.
    Skipped(String),
    /// Arguments for which they do not.
    Differs(String),
}

/// Compares the program of a seed, in the directory `work`.
///
/// # Errors
/// A program cannot be compiled, or `icsched` gives no result.
pub fn check(tools: &Tools, seed: u64, work: &Path) -> Result<Verdict> {
    let level = [Level::O0, Level::O1, Level::O2][seed as usize % 3];
    let source = work.join("program.c");
    fs::write(&source, program(seed))?;
    let compile = |name: &str, options: &[&str]| {
        let output = work.join(name);
        let mut clang = Command::new(&tools.clang);
        clang.arg(level.flag()).args(["-g", "-w", "-fwrapv", "-pthread"]).arg(&source).arg("-o").arg(&output);
        let outcome = run(clang.args(options), work, "", LIMIT)?;
        ensure!(outcome.status == 0, "{clang:?}\n{}", outcome.stderr);
        Ok(output)
    };
    let (bitcode, native) = (compile("program.bc", &["-emit-llvm", "-c"])?, compile("program", &[])?);
    let result = enumerated(tools, &bitcode, work)?;
    let schedules = result["epochs"][0]["schedules"].as_array().context("`schedules` is not a list")?;
    if result["complete"] != true || result["totals"]["epochs"] != 1 {
        return Ok(Verdict::Skipped(result["reasons"].to_string()));
    }
    let texts: Vec<&str> = schedules.iter().filter_map(|schedule| schedule["constraint"].as_str()).collect();
    let conditions = match Conditions::compile(Path::new("gcc"), &texts, work) {
        Ok(conditions) => conditions,
        Err(error) => return Ok(Verdict::Differs(format!("{error:#}"))),
    };
    for arguments in arguments(seed) {
        let taken = run(Command::new(&native).args(&arguments), work, "", LIMIT)?.status;
        ensure!((10..12).contains(&taken), "{arguments:?}: the program ends with status {taken}");
        let holds = conditions.hold(&arguments)?;
        let locks: Vec<&str> = schedules.iter().zip(holds).filter(|(_, holds)| *holds).map(|(s, _)| lock(s)).collect();
        let expected = if taken == 10 { "a" } else { "b" };
        if locks.is_empty() || locks.iter().any(|lock| *lock != expected) {
            let told = format!("{level:?} {arguments:?}: takes {expected}, printed {locks:?} of {texts:#?}");
            return Ok(Verdict::Differs(told));
        }
    }
    Ok(Verdict::Same)
}

fn enumerated(tools: &Tools, bitcode: &Path, work: &Path) -> Result<Value> {
    let json = work.join("result.json");
    let mut command = Command::new(&tools.icsched);
    command.arg("enumerate").arg(bitcode).arg("--json").arg(&json).args(["--timeout", "60s", "--", "@", "@"]);
    let outcome = run(&mut command, work, "", LIMIT)?;
    let text = fs::read_to_string(&json).with_context(|| format!("{command:?}\n{}", outcome.stderr))?;
    Ok(serde_json::from_str(&text)?)
}

/// The lock that a schedule takes.
fn lock(schedule: &Value) -> &str {
    schedule["nodes"][0]["object"].as_str().unwrap_or("none")
}
