//! Finds comment lines that are too wide. What rustfmt does for code, nothing does for comments.

use super::problem::Problem;

/// The most columns of a comment line, the same as `max_width` in `rustfmt.toml`.
const WIDEST: usize = 120;

/// Comment lines of a Rust or C file that are too wide and could be broken; `file` is its path in the repository.
pub(super) fn check(file: &str, content: &str) -> Vec<Problem> {
    let in_c = !file.ends_with(".rs");
    let mut problems = Vec::new();
    // Whether the line before left a `/* … */` open.
    let mut open = false;
    for (index, line) in content.lines().enumerate() {
        let text = line.trim_start();
        let block = in_c && (open || text.starts_with("/*"));
        if block || text.starts_with("//") {
            let width = line.chars().count();
            if width > WIDEST && can_be_broken(line) {
                problems.push(Problem::new(
                    file,
                    index + 1,
                    format!("a comment line of {width} columns; {WIDEST} is the most"),
                ));
            }
        }
        if in_c {
            open = match (line.rfind("/*"), line.rfind("*/")) {
                (Some(begin), Some(end)) => begin > end,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (None, None) => open,
            };
        }
    }
    problems
}

/// A long word, such as an address, has a line to itself.
fn can_be_broken(line: &str) -> bool {
    let words = line.split_whitespace().filter(|word| !word.chars().all(|mark| "/!*".contains(mark)));
    words.count() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(file: &str, content: &str) -> Vec<usize> {
        check(file, content).iter().map(|problem| problem.line).collect()
    }

    #[test]
    fn every_kind_of_comment_in_rust() {
        let long = "word ".repeat(24);
        let content =
            format!("//! {long}x\n/// {long}x\n    // {long}x\nlet x = \"{long}{long}\";\n// {}\n", "w".repeat(117));
        assert_eq!(lines("crates/ir/src/a.rs", &content), [1, 2, 3]);
        assert_eq!(
            check("crates/ir/src/a.rs", &content)[0].to_string(),
            "crates/ir/src/a.rs:1: a comment line of 125 columns; 120 is the most"
        );
    }

    #[test]
    fn columns_are_characters() {
        let content = format!("// {}é\n", "é ".repeat(58));
        assert_eq!(lines("crates/ir/src/a.rs", &content), Vec::<usize>::new());
    }

    #[test]
    fn an_address_cannot_be_broken() {
        assert_eq!(lines("crates/ir/src/a.rs", &format!("/// {}\n", "a".repeat(130))), Vec::<usize>::new());
    }

    #[test]
    fn block_comments_in_c() {
        let long = "word ".repeat(25);
        let content = format!("/* {long}\n   {long} */\nint x; {long}\n// {long}\n");
        assert_eq!(lines("runtime-models/a.c", &content), [1, 2, 4]);
        assert_eq!(lines("crates/ir/src/a.rs", &content), [4]);
    }
}
