//! What users have said about findings before: a baseline of fingerprints, and comments at lines.
//!
//! `/* icsched: allow(deadlock) the watchdog kills it */` at a line of a finding, or the one above, suppresses it.

use std::collections::{BTreeMap, BTreeSet};

use icsched_schedule::{CheckResult, Finding, FindingKind, Suppressed};

/// Reads the text of a source file; `None` if it cannot be read.
pub type Sources<'s> = &'s dyn Fn(&str) -> Option<String>;

/// Fingerprints that are known.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Baseline(BTreeSet<String>);

impl Baseline {
    /// From the text of a file: the JSON that `check --json` writes, or a line for each fingerprint; behind `#` are
    /// comments.
    ///
    /// # Errors
    /// Says what is wrong with the first line that is no fingerprint.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.trim_start().starts_with('{') {
            let check: CheckResult =
                serde_json::from_str(text).map_err(|error| format!("no result of a check: {error}"))?;
            let known = check.suppressed.into_iter().map(|suppressed| suppressed.finding);
            let all = check.findings.into_iter().chain(known);
            return Ok(Self(all.map(|finding| finding.fingerprint).collect()));
        }
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        let fingerprint = |line: &str| match line.len() == 16 && line.bytes().all(|b| b.is_ascii_hexdigit()) {
            true => Ok(line.to_owned()),
            false => Err(format!("`{line}` is no fingerprint: 16 hexadecimal digits")),
        };
        lines.filter(|line| !line.is_empty()).map(fingerprint).collect::<Result<_, _>>().map(Self)
    }
}

/// Takes out the findings that are in a baseline, or that a comment allows.
pub fn suppress(findings: Vec<Finding>, baseline: &Baseline, sources: Sources<'_>) -> (Vec<Finding>, Vec<Suppressed>) {
    let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
    let (mut kept, mut suppressed) = (Vec::new(), Vec::new());
    for finding in findings {
        let mut read = |file: &str| texts.entry(file.to_owned()).or_insert_with(|| sources(file)).clone();
        let reason = match baseline.0.contains(&finding.fingerprint) {
            true => Some("in the baseline".to_owned()),
            false => finding.at.iter().find_map(|place| allowed_at(place, finding.kind, &mut read)),
        };
        match reason {
            Some(reason) => suppressed.push(Suppressed { finding, reason }),
            None => kept.push(finding),
        }
    }
    (kept, suppressed)
}

/// What a comment at a place says, if it allows a kind.
fn allowed_at(place: &str, kind: FindingKind, read: &mut dyn FnMut(&str) -> Option<String>) -> Option<String> {
    let mut parts = place.split(':');
    let (file, line) = (parts.next()?, parts.next()?.parse::<usize>().ok()?);
    let text = read(file)?;
    let lines: Vec<&str> = text.lines().collect();
    let at = |line: usize| lines.get(line.checked_sub(1)?).copied();
    [Some(line), line.checked_sub(1)].into_iter().flatten().find_map(|line| allowed(at(line)?, kind))
}

/// The reason that a line's comment gives for a kind.
fn allowed(line: &str, kind: FindingKind) -> Option<String> {
    let (_, rest) = line.split_once("icsched: allow(")?;
    let (kinds, reason) = rest.split_once(')')?;
    let is_it = kinds.split(',').any(|word| word.trim() == kind.word() || word.trim() == "all");
    let reason = reason.split("*/").next().unwrap_or_default().trim();
    is_it.then(|| if reason.is_empty() { "allowed in the source".to_owned() } else { reason.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_allow_kinds() {
        let allow = |line: &str| allowed(line, FindingKind::Deadlock);
        assert_eq!(
            allow("lock(); /* icsched: allow(deadlock) the watchdog kills it */").as_deref(),
            Some("the watchdog kills it")
        );
        assert_eq!(allow("// icsched: allow(assert, deadlock)").as_deref(), Some("allowed in the source"));
        assert_eq!(allow("// icsched: allow(assert) no"), None);
        assert_eq!(allow("lock();"), None);
    }

    #[test]
    fn baselines_are_lines_or_json() {
        let line = Baseline::parse("# known\n0123456789abcdef # old\n\n").expect("fits");
        assert_eq!(line, Baseline(["0123456789abcdef".to_owned()].into()));
        assert!(Baseline::parse("{\"findings\": [{\"fingerprint\": \"0123456789abcdef\"}]}").is_err());
        assert!(Baseline::parse("nonsense").is_err());
    }
}
