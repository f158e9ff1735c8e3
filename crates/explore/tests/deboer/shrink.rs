//! Makes a program that shows a violation smaller.

use std::sync::Arc;

use icsched_ir::{Program, parse, verify};

/// The smallest program found that still fails, and how it fails. Lines with effects are dropped, values become
/// constants, branches become jumps.
pub(crate) fn shrink(text: &str, how: &str, fails: &dyn Fn(&Arc<Program>) -> Option<String>) -> (String, String) {
    let mut best: (Vec<String>, String) = (text.lines().map(str::to_owned).collect(), how.to_owned());
    loop {
        let before = best.0.clone();
        for at in (0..best.0.len()).rev() {
            for candidate in replacements(&best.0[at]) {
                let mut lines = best.0.clone();
                match candidate {
                    Some(line) => lines[at] = line,
                    None => _ = lines.remove(at),
                }
                if let Some(how) = failure(&lines.join("\n"), fails) {
                    best = (lines, how);
                    break;
                }
            }
        }
        if best.0 == before {
            return (best.0.join("\n") + "\n", best.1);
        }
    }
}

/// Simpler forms of a line; `None` stands for no line.
fn replacements(line: &str) -> Vec<Option<String>> {
    if line.starts_with("global") {
        return vec![None];
    }
    let Some(code) = line.strip_prefix("    ") else { return Vec::new() };
    if let Some(edges) = code.strip_prefix("branch ") {
        let mut parts = edges.split(", ").skip(1);
        return parts.by_ref().map(|edge| Some(format!("    jump {edge}"))).collect();
    }
    if code.starts_with("jump") || code.starts_with("return") {
        return Vec::new();
    }
    let mut simpler = vec![None];
    if let Some((value, operation)) = code.split_once(" = ")
        && !operation.starts_with("freeze ")
    {
        let ty = value.rsplit(' ').next().unwrap_or_default();
        let zero = match ty {
            "ptr" => "null".to_owned(),
            "i1" => "false".to_owned(),
            _ => format!("0:{ty}"),
        };
        simpler.push(Some(format!("    {value} = freeze {zero}")));
    }
    simpler
}

fn failure(text: &str, fails: &dyn Fn(&Arc<Program>) -> Option<String>) -> Option<String> {
    let program = parse(text).ok()?;
    verify(&program).ok()?;
    fails(&Arc::new(program))
}
