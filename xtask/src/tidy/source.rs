//! Rules for Rust files.

use super::problem::Problem;
use super::table::{UNSAFE, UNSAFE_FILES};

/// A file longer than this is more than one thing.
const LONGEST: usize = 800;

/// Problems of one Rust file; `file` is its path in the repository.
pub(super) fn check(file: &str, content: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    let length = content.lines().count();
    if length > LONGEST {
        problems.push(Problem::new(file, 0, format!("has {length} lines; split it, {LONGEST} is the most")));
    }
    if is_module(file) && !has_module_doc(content) {
        problems.push(Problem::new(file, 1, "has no module doc (`//!`): say what the module is for"));
    }
    if !may_be_unsafe(file) {
        for (index, line) in content.lines().enumerate() {
            if is_unsafe(line) {
                let crates = UNSAFE.join(", ");
                problems.push(Problem::new(file, index + 1, format!("`unsafe` is for {crates} only")));
            }
        }
    }
    problems
}

fn is_module(file: &str) -> bool {
    let in_crate = file.strip_prefix("crates/").and_then(|rest| rest.split_once('/')).is_some_and(in_sources);
    in_crate || file.starts_with("xtask/src/") || file.starts_with("c-tests/runner/")
}

fn in_sources((_, rest): (&str, &str)) -> bool {
    rest.starts_with("src/")
}

/// The first line that is no attribute of the module is a module doc.
fn has_module_doc(content: &str) -> bool {
    content.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("#![")).is_some_and(|line| {
        let text = line.strip_prefix("//!");
        text.is_some_and(|text| !text.trim().is_empty())
    })
}

fn may_be_unsafe(file: &str) -> bool {
    UNSAFE_FILES.contains(&file)
        || UNSAFE
            .iter()
            .any(|name| file.strip_prefix("crates/").is_some_and(|rest| rest.starts_with(&format!("{name}/"))))
}

/// Whether a line of code (not a comment) has an unsafe block or item, or allows them.
fn is_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or("");
    let keyword = |rest: &str| {
        ["{", "fn ", "impl ", "impl<", "trait ", "extern ", "extern\t"].iter().any(|next| rest.starts_with(next))
    };
    let block = code.match_indices("unsafe ").any(|(at, word)| {
        let before = code[..at].chars().next_back();
        let inside = before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '"' || c == '`');
        !inside && keyword(code[at + word.len()..].trim_start())
    });
    let allowance = ["allow(", "expect("].iter().any(|word| code.contains(&format!("{word}unsafe_code")));
    block || allowance
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(file: &str, content: &str) -> Vec<String> {
        check(file, content).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_documented_safe_file_is_no_problem() {
        let content = "//! What it is for.\n\n/// Not unsafe at all.\nfn f() {} // unsafe { }\n";
        assert_eq!(messages("crates/smt/src/term.rs", content), Vec::<String>::new());
    }

    #[test]
    fn module_docs() {
        assert!(messages("crates/smt/src/term.rs", "use std::fmt;\n")[0].contains("no module doc"));
        assert!(messages("crates/smt/src/term.rs", "//!\nuse std::fmt;\n")[0].contains("no module doc"));
        assert_eq!(messages("crates/smt/src/term.rs", "#![allow(x)]\n//! Doc.\n"), Vec::<String>::new());
        assert_eq!(messages("crates/smt/tests/term.rs", "use std::fmt;\n"), Vec::<String>::new());
    }

    #[test]
    fn long_files() {
        let content = format!("//! Doc.\n{}", "\n".repeat(LONGEST));
        assert_eq!(
            messages("crates/smt/src/term.rs", &content),
            ["crates/smt/src/term.rs: has 801 lines; split it, 800 is the most"]
        );
    }

    #[test]
    fn unsafe_code() {
        let block = format!("//! Doc.\nfn f() {{ {} {{ g() }} }}\n", "unsafe");
        let allowance = format!("//! Doc.\n#[allow({}_code)]\nmod m;\n", "unsafe");
        for content in [&block, &allowance] {
            assert_eq!(
                messages("crates/smt/src/term.rs", content),
                ["crates/smt/src/term.rs:2: `unsafe` is for frontend, instrument, runtime only"]
            );
            assert_eq!(messages("crates/frontend/src/walk.rs", content), Vec::<String>::new());
            assert_eq!(messages("crates/machine/src/libm.rs", content), Vec::<String>::new());
        }
    }

    #[test]
    fn the_tools_are_no_exception() {
        for file in ["xtask/src/main.rs", "c-tests/runner/src/lib.rs"] {
            assert!(messages(file, "fn main() {}\n")[0].contains("no module doc"));
        }
    }
}
