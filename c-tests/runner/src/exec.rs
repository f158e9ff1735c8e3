//! Checks a run in the interpreter against what a program expects and against a native run.

use std::collections::BTreeMap;

use crate::expect::Exec;
use crate::process::Outcome;

/// What of a run in the interpreter is not as expected, one line each. `markers` are the marked lines of `file`.
pub fn differences(expected: &Exec, outcome: &Outcome, file: &str, markers: &BTreeMap<String, usize>) -> Vec<String> {
    let mut found = Vec::new();
    let status = if expected.error.is_some() { Some(1) } else { expected.exit };
    if let Some(status) = status.filter(|&status| status != outcome.status) {
        found.push(format!("exit status is {}, expected {status}", outcome.status));
    }
    if let Some(stdout) = expected.stdout.as_ref().filter(|stdout| **stdout != outcome.stdout) {
        found.push(format!("standard output is {:?}, expected {stdout:?}", outcome.stdout));
    }
    found.extend(
        expected
            .stderr
            .iter()
            .filter(|wanted| !outcome.stderr.contains(*wanted))
            .map(|wanted| format!("standard error does not contain {wanted:?}")),
    );
    if let Some(kind) = expected.error {
        let said = outcome.stderr.to_lowercase();
        if !kind.phrases().iter().any(|phrase| said.contains(phrase)) {
            found.push(format!("no {} reported", kind.word()));
        }
        if let Some(line) = markers.get(kind.word())
            && !mentions(&outcome.stderr, &format!("{file}:{line}"))
        {
            found.push(format!("no {} reported at {file}:{line}", kind.word()));
        }
    }
    found
}

/// Whether `text` contains the place, and not only as the beginning of a longer line number.
fn mentions(text: &str, place: &str) -> bool {
    text.match_indices(place).any(|(at, _)| !text[at + place.len()..].starts_with(|c: char| c.is_ascii_digit()))
}

/// How a run in the interpreter differs from a native one.
pub fn disagreements(interpreted: &Outcome, native: &Outcome) -> Vec<String> {
    let mut found = Vec::new();
    if interpreted.status != native.status {
        found.push(format!("exit status is {}, natively {}", interpreted.status, native.status));
    }
    if interpreted.stdout != native.stdout {
        found.push(format!("standard output is {:?}, natively {:?}", interpreted.stdout, native.stdout));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expect::ErrorKind;

    fn outcome(status: i32, stdout: &str, stderr: &str) -> Outcome {
        Outcome { status, stdout: stdout.into(), stderr: stderr.into() }
    }

    #[test]
    fn an_error_needs_its_words_and_its_line() {
        let expected = Exec { error: Some(ErrorKind::DoubleFree), ..Exec::default() };
        let markers = BTreeMap::from([("double-free".to_owned(), 12)]);
        let check = |status, stderr| differences(&expected, &outcome(status, "", stderr), "a.c", &markers);
        assert_eq!(check(1, "error: double free\n  at a.c:12 in main"), Vec::<String>::new());
        assert_eq!(check(1, "error: double free at a.c:123"), ["no double-free reported at a.c:12"]);
        assert_eq!(check(1, "error: null at a.c:12"), ["no double-free reported"]);
        assert_eq!(check(0, "double free at a.c:12"), ["exit status is 0, expected 1"]);
    }

    #[test]
    fn native_runs_must_agree() {
        assert_eq!(disagreements(&outcome(0, "a", "x"), &outcome(0, "a", "y")), Vec::<String>::new());
        assert_eq!(disagreements(&outcome(0, "a", ""), &outcome(1, "b", "")).len(), 2);
    }
}
