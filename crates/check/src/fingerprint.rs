//! A name for a bug that stays the same when lines are moved.

use icsched_schedule::{DeadlockClass, FindingKind, FindingThread};

/// The fingerprint of a finding: its kind and class, and for each thread that matters the functions that it is in, what
/// it waits for and what it holds. Neither lines nor numbers of threads are in it.
pub(crate) fn fingerprint(
    kind: FindingKind,
    class: Option<DeadlockClass>,
    message: &str,
    threads: &[&FindingThread],
) -> String {
    let mut parts: Vec<String> = threads
        .iter()
        .map(|thread| {
            let calls: Vec<&str> = thread.frames.iter().map(|site| site.function.as_str()).collect();
            let held: Vec<String> = thread.holds.iter().map(|held| without_numbers(&held.object)).collect();
            let object = without_numbers(&thread.object);
            format!("{}|{}|{object}|{}", calls.join(">"), thread.operation, held.join(","))
        })
        .collect();
    parts.sort();
    parts.dedup();
    let class = class.map_or("", DeadlockClass::word);
    let text = format!("{kind}/{class}/{message}/{}", parts.join("/"));
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

/// A text without its numbers: lines, offsets and indices change.
pub(crate) fn without_numbers(text: &str) -> String {
    let mut found = String::new();
    for c in text.chars() {
        match c.is_ascii_digit() {
            true if found.ends_with('0') => {}
            true => found.push('0'),
            false => found.push(c),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_left_out() {
        assert_eq!(without_numbers("heap (queue.c:12) + 8"), "heap (queue.c:0) + 0");
        assert_eq!(without_numbers("locks[10]"), "locks[0]");
    }
}
