//! What `icsched check` finds, against what a C file expects; every finding that is confirmed is replayed.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::expect::Check;
use crate::process::{Outcome, run};

/// A check that takes longer hangs.
const LIMIT: Duration = Duration::from_secs(120);

/// Runs a check in a directory; what is not as expected, with the command and what that said.
///
/// # Errors
/// A command cannot be run, or its result cannot be read.
pub fn differences(
    icsched: &Path,
    bitcode: &Path,
    (work, loaded): (&Path, &Path),
    expected: &Check,
) -> Result<(Vec<String>, Command, Outcome)> {
    let (json, findings) = (work.join("check.json"), work.join("findings"));
    let mut command = Command::new(icsched);
    command.arg("check").arg(bitcode).arg("--db").arg(work.join("check.icsdb")).arg("--json").arg(&json);
    command.arg("-o").arg(&findings).arg("--load-cache").arg(loaded);
    command.args(&expected.options).arg("--").args(&expected.args);
    let outcome = run(&mut command, work, "", LIMIT)?;
    let text = fs::read_to_string(&json).context("it wrote no JSON result")?;
    let result: Value = serde_json::from_str(&text)?;
    let found = result["findings"].as_array().context("a result has findings")?;
    let mut wrong = compare(expected, found);
    let statuses = match (&expected.statuses[..], expected.findings.is_empty()) {
        ([], true) => vec![0],
        ([], false) => vec![1],
        (given, _) => given.to_vec(),
    };
    if !statuses.contains(&outcome.status) {
        wrong.push(format!("the exit status is {}, not one of {statuses:?}", outcome.status));
    }
    for (number, _) in (1..).zip(found).filter(|(_, finding)| finding["confirmed"] == true) {
        let mut replay = Command::new(icsched);
        replay.arg("replay").arg(findings.join(format!("{number}.json")));
        let again = run(&mut replay, work, "", LIMIT)?;
        if again.status != 1 {
            wrong.push(format!("finding {number} does not show again: {}{}", again.stdout, again.stderr));
        }
    }
    Ok((wrong, command, outcome))
}

/// A finding in a line: `confirmed deadlock/leaked-lock: T1 waits for m, ... [101] near [100]`.
fn line(finding: &Value) -> String {
    let text = |key: &str| finding[key].as_str().unwrap_or_default();
    let class = finding["class"].as_str().map(|class| format!("/{class}")).unwrap_or_default();
    let words = |input: &Value| {
        let all = input["argv"].as_array().into_iter().flatten().skip(1);
        all.map(|word| word.as_str().unwrap_or("?").to_owned()).collect::<Vec<_>>().join(" ")
    };
    let near = &finding["near"];
    let near = if near.is_null() { String::new() } else { format!(" near [{}]", words(&near["input"])) };
    let input = &finding["input"];
    let input = if input.is_null() { String::new() } else { format!(" [{}]", words(input)) };
    format!("{} {}{class}: {}{input}{near}", text("verdict"), text("kind"), text("message"))
}

fn compare(expected: &Check, found: &[Value]) -> Vec<String> {
    let lines: Vec<String> = found.iter().map(line).collect();
    let fits = |parts: &[String], line: &str| {
        let mut rest = line;
        parts.iter().all(|part| match rest.split_once(part.as_str()) {
            Some((_, behind)) => {
                rest = behind;
                true
            }
            None => false,
        })
    };
    let is_right = lines.len() == expected.findings.len()
        && expected.findings.iter().zip(&lines).all(|(parts, line)| fits(parts, line));
    match is_right {
        true => Vec::new(),
        false => vec![format!("it finds\n  {}\nbut should find {:?}", lines.join("\n  "), expected.findings)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_a_line() {
        let finding = serde_json::json!({
            "verdict": "confirmed", "kind": "deadlock", "class": "leaked-lock", "message": "T1 waits",
            "input": { "argv": ["prog", "101"] }, "near": { "input": { "argv": ["prog", "100"] } },
        });
        let expected = |text: &str| Check {
            findings: vec![text.split("...").map(|part| part.trim().to_owned()).collect()],
            ..Check::default()
        };
        let all = [finding];
        assert_eq!(line(&all[0]), "confirmed deadlock/leaked-lock: T1 waits [101] near [100]");
        assert!(compare(&expected("confirmed deadlock/leaked-lock ... [101] near [100]"), &all).is_empty());
        assert!(!compare(&expected("confirmed deadlock/lock-cycle"), &all).is_empty());
        assert!(!compare(&Check::default(), &all).is_empty());
    }
}
