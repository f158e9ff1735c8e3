//! Checks the result of `icsched enumerate --json` against what a program expects.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::expect::Enumerate;

/// What of `result` is not as expected, one line each; empty if all is.
///
/// # Errors
/// The result has not the shape of `icsched/enumerate/1`.
pub fn differences(expected: &Enumerate, result: &Value) -> Result<Vec<String>> {
    let mut found = Vec::new();
    if result["schema"] != "icsched/enumerate/1" {
        found.push(format!("schema is {}", result["schema"]));
    }
    let parts = parts(result)?;
    check_totals(expected, result, &parts, &mut found);
    check_constraints(expected, &parts, &mut found);
    check_ends(expected, &schedules(result)?, &mut found);
    check_exits(expected, &schedules(result)?, &mut found);
    check_errors(expected, result, &mut found);
    check_assumed(expected, result, &mut found);
    check_reasons(expected, result, &mut found)?;
    Ok(found)
}

fn check_totals(expected: &Enumerate, result: &Value, parts: &[&Value], found: &mut Vec<String>) {
    for (name, bound) in &expected.totals {
        let actual = match name.as_str() {
            "complete" => result["complete"].to_string(),
            "errors" => result["errors"].as_array().map_or(0, Vec::len).to_string(),
            "behind" => parts.iter().filter(|part| part["after_error"].is_u64()).count().to_string(),
            "decisions" => parts.iter().filter(|part| part["ends"] == DECISION).count().to_string(),
            _ => result["totals"][name].to_string(),
        };
        if !bound.admits(&actual) {
            found.push(format!("{name} is {actual}, expected {bound}"));
        }
    }
}

fn check_constraints(expected: &Enumerate, schedules: &[&Value], found: &mut Vec<String>) {
    let constraints: Vec<_> = schedules.iter().map(|schedule| schedule["constraint"].as_str().unwrap_or("")).collect();
    for wanted in &expected.constraints {
        if !constraints.iter().any(|constraint| constraint.contains(wanted)) {
            found.push(format!("no constraint contains `{wanted}`: {constraints:?}"));
        }
    }
}

fn check_ends(expected: &Enumerate, schedules: &[&Value], found: &mut Vec<String>) {
    let Some(wanted) = &expected.ends else { return };
    let mut ends: Vec<_> = schedules
        .iter()
        .map(|schedule| schedule["ends"].as_str().and_then(|ends| ends.split_whitespace().next()).unwrap_or("?"))
        .collect();
    ends.sort_unstable();
    if ends != *wanted {
        found.push(format!("schedules end in {ends:?}, expected {wanted:?}"));
    }
}

fn check_exits(expected: &Enumerate, schedules: &[&Value], found: &mut Vec<String>) {
    let Some(wanted) = &expected.exits else { return };
    let status = |schedule: &Value| schedule["status"].as_i64().map_or_else(|| "any".to_owned(), |n| n.to_string());
    let exiting = schedules.iter().filter(|schedule| schedule["ends"] == "exit");
    let mut exits: Vec<String> = exiting.map(|schedule| status(schedule)).collect();
    exits.sort_unstable();
    if exits != *wanted {
        found.push(format!("schedules exit with {exits:?}, expected {wanted:?}"));
    }
}

fn check_errors(expected: &Enumerate, result: &Value, found: &mut Vec<String>) {
    let text = |error: &Value| {
        format!("{}: {}", error["at"].as_str().unwrap_or("?"), error["message"].as_str().unwrap_or("?"))
    };
    let errors: Vec<String> = result["errors"].as_array().into_iter().flatten().map(text).collect();
    for wanted in &expected.memory_errors {
        if !errors.iter().any(|error| error.contains(wanted)) {
            found.push(format!("no memory error is `{wanted}`: {errors:?}"));
        }
    }
}

fn check_assumed(expected: &Enumerate, result: &Value, found: &mut Vec<String>) {
    let Some(wanted) = &expected.assumes else { return };
    let places = result["loops_assumed_to_end"].as_array().into_iter().flatten();
    let mut places: Vec<_> = places.map(|place| place.as_str().unwrap_or("?")).collect();
    places.sort_unstable();
    if places != *wanted {
        found.push(format!("loops at {places:?} are assumed to end, expected {wanted:?}"));
    }
    let says_so = result["assumptions"].as_array().is_some_and(|all| all.contains(&Value::from("loops-end")));
    if says_so == places.is_empty() {
        found.push(format!("`loops-end` among the assumptions is {says_so}, with {} loops", places.len()));
    }
}

fn check_reasons(expected: &Enumerate, result: &Value, found: &mut Vec<String>) -> Result<()> {
    let reasons = result["reasons"].as_array().context("`reasons` is not a list")?;
    for alternatives in &expected.reasons {
        let named = |reason: &Value| alternatives.iter().any(|wanted| reason.to_string().contains(wanted));
        if !reasons.iter().any(named) {
            found.push(format!("no reason names one of {alternatives:?}: {reasons:?}"));
        }
    }
    if result["complete"] == Value::Bool(!reasons.is_empty()) {
        found.push(format!("complete is {} with {} reasons", result["complete"], reasons.len()));
    }
    Ok(())
}

/// How a part of a schedule ends that others continue.
const DECISION: &str = "input";

/// All parts of all schedules.
fn parts(result: &Value) -> Result<Vec<&Value>> {
    let mut all = Vec::new();
    for epoch in result["epochs"].as_array().context("`epochs` is not a list")? {
        all.extend(epoch["schedules"].as_array().context("`schedules` is not a list")?);
    }
    Ok(all)
}

/// The schedules of all epochs, each once that several leaves of an epoch's tree are.
fn schedules(result: &Value) -> Result<Vec<&Value>> {
    let mut all = Vec::new();
    for epoch in result["epochs"].as_array().context("`epochs` is not a list")? {
        let mut seen = BTreeSet::new();
        let parts = epoch["schedules"].as_array().context("`schedules` is not a list")?;
        let leaves = parts.iter().filter(|part| part["ends"] != DECISION);
        all.extend(leaves.filter(|part| part["id"].as_str().is_none_or(|id| seen.insert(id))));
    }
    Ok(all)
}

/// A short account of a result, for failure messages.
pub fn summary(result: &Value) -> String {
    let mut lines = vec![format!("complete {}, totals {}", result["complete"], result["totals"])];
    for schedule in schedules(result).unwrap_or_default() {
        let nodes = schedule["nodes"].as_array().map_or(0, Vec::len);
        lines.push(format!("  {} => {} ({nodes} nodes)", schedule["constraint"], schedule["ends"]));
    }
    for reason in result["reasons"].as_array().into_iter().flatten() {
        lines.push(format!("  reason {reason}"));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expect::Expectations;
    use serde_json::json;

    fn found(header: &str, result: &Value) -> Vec<String> {
        let all = Expectations::parse("a.c", &format!("// run: enumerate\n{header}\n// exec:\n")).expect("well formed");
        differences(&all.enumerates[0], result).expect("the result has the right shape")
    }

    fn sample() -> Value {
        json!({
            "schema": "icsched/enumerate/1", "complete": true, "reasons": [],
            "assumptions": ["loops-end"], "loops_assumed_to_end": ["a.c:7", "a.c:9"],
            "totals": {"epochs": 1, "schedules": 2, "deadlocked": 1},
            "epochs": [{"schedules": [
                {"constraint": "atoi(argv[1]) == 7", "ends": "deadlock", "nodes": [], "after_error": 0},
                {"constraint": "atoi(argv[1]) != 7", "ends": "exit", "nodes": []},
            ]}],
            "errors": [{"at": "a.c:3", "message": "null-pointer: read through a null pointer"}],
        })
    }

    #[test]
    fn what_is_as_expected_is_not_reported() {
        let header = "// expect: schedules=2 complete=true deadlocked=1\n// ends: exit deadlock\n// constraint: == 7\n\
            // expect: errors=1 behind=1 schedules>=2\n// memory-error: a.c:3: null-pointer\n// assumes: a.c:9 a.c:7";
        assert_eq!(found(header, &sample()), Vec::<String>::new());
    }

    #[test]
    fn each_difference_is_reported() {
        for (header, message) in [
            ("// expect: schedules=3", "schedules is 2, expected 3"),
            ("// expect: complete=false", "complete is true, expected false"),
            ("// expect: nonsense=1", "nonsense is null, expected 1"),
            ("// expect: schedules>=3", "schedules is 2, expected at least 3"),
            ("// expect: nonsense>=1", "nonsense is null, expected at least 1"),
            ("// constraint: true", "no constraint contains `true`"),
            ("// ends: exit exit", "schedules end in"),
            ("// expect: behind=2", "behind is 1, expected 2"),
            ("// memory-error: a.c:4", "no memory error is `a.c:4`"),
            ("// assumes: none", "are assumed to end, expected []"),
            ("// reason: a.c:9", "no reason names one of"),
        ] {
            let found = found(header, &sample());
            assert!(found.len() == 1 && found[0].contains(message), "{header}: {found:?}");
        }
    }

    #[test]
    fn completeness_and_reasons_must_agree() {
        let mut result = sample();
        result["reasons"] = json!([{"message": "a limit"}]);
        assert_eq!(found("// Nothing.", &result), ["complete is true with 1 reasons"]);
    }
}
