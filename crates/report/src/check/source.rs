//! Lines of source files, each file read once.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::place::SourcePlace;

/// Lines longer than this are cut.
const LONGEST: usize = 200;

/// Reads lines of source files through a function that reads whole files.
pub(crate) struct SourceLines<'a> {
    read: &'a dyn Fn(&str) -> Option<String>,
    known: RefCell<BTreeMap<String, Option<String>>>,
}

impl<'a> SourceLines<'a> {
    pub(crate) fn new(read: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self { read, known: RefCell::default() }
    }

    /// The line of a place without the white space around it; `None` if it is not known.
    pub(crate) fn line(&self, place: &SourcePlace<'_>) -> Option<String> {
        let line = self.lines(place, 0).pop()?.1;
        Some(line.trim().to_owned()).filter(|line| !line.is_empty())
    }

    /// The numbered lines up to `around` before and behind a place; none if the place is not known.
    pub(crate) fn lines(&self, place: &SourcePlace<'_>, around: u32) -> Vec<(u32, String)> {
        if place.file.is_empty() || place.line == 0 {
            return Vec::new();
        }
        let mut known = self.known.borrow_mut();
        let content = known.entry(place.file.to_owned()).or_insert_with(|| (self.read)(place.file));
        let Some(content) = content.as_deref() else { return Vec::new() };
        let first = place.line.saturating_sub(around).max(1);
        let wanted = (place.line - first).saturating_add(around).saturating_add(1);
        let lines = content.lines().skip(first as usize - 1).take(wanted as usize);
        let lines = (first..).zip(lines).map(|(number, line)| (number, cut(line)));
        let found: Vec<_> = lines.collect();
        if found.iter().any(|(number, _)| *number == place.line) { found } else { Vec::new() }
    }
}

fn cut(line: &str) -> String {
    let mut shown: String = line.chars().take(LONGEST).collect();
    if shown.len() < line.len() {
        shown.push_str(" ...");
    }
    shown
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_file_is_read_once() {
        let reads = Cell::new(0);
        let read = |file: &str| {
            reads.set(reads.get() + 1);
            (file == "a.c").then(|| "one\n  two\n\n".to_owned())
        };
        let lines = SourceLines::new(&read);
        let line = |text| lines.line(&SourcePlace::parse(text));
        assert_eq!(line("a.c:2").as_deref(), Some("two"));
        assert_eq!(line("a.c:3"), None);
        assert_eq!(line("a.c:4"), None);
        assert_eq!(line("a.c"), None);
        assert_eq!(lines.lines(&SourcePlace::parse("a.c:1"), 1), [(1, "one".to_owned()), (2, "  two".to_owned())]);
        assert_eq!(reads.get(), 1);
        assert_eq!(line("b.c:1"), None);
        assert_eq!(reads.get(), 2);
    }
}
