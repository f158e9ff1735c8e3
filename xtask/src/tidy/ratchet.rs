//! Rules that came after the code: where they hold, and how many places may still break each.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};

use super::allowances::{self, Allowances, FILES_IN_CIRCLES, LONG_COMMENTS, LONG_SENTENCES};
use super::problem::Problem;
use super::{circles, comments, sentences};

/// Which problems are wanted.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Which {
    /// Those beyond what is allowed.
    New,
    /// Those that are allowed as well.
    All,
}

/// Texts by path.
type Texts<'a> = BTreeMap<&'a str, &'a str>;

/// Problems of the repository whose texts are `files`.
///
/// # Errors
/// A file of a crate is not Rust, or one that a module needs is missing.
pub(super) fn check(files: &BTreeMap<String, String>, which: Which) -> Result<Vec<Problem>> {
    let mut problems = Vec::new();
    for (folder, sources) in sources(files) {
        let (size, circles) = circles::check(folder, &sources).with_context(|| format!("{folder}/src"))?;
        problems.extend(beyond(FILES_IN_CIRCLES, folder, size, circles, which));
    }
    for (folder, texts) in commented(files) {
        let long = texts.iter().flat_map(|(file, text)| comments::check(file, text)).collect::<Vec<_>>();
        problems.extend(beyond(LONG_COMMENTS, folder, long.len(), long, which));
    }
    for (page, text) in files.iter().filter(|(file, _)| file.starts_with("docs/") && file.ends_with(".md")) {
        let long = sentences::check(page, text);
        problems.extend(beyond(LONG_SENTENCES, page, long.len(), long, which));
    }
    Ok(problems)
}

/// The problems of one crate or page, if there are more than the rule still allows it.
fn beyond(rule: Allowances, place: &str, size: usize, mut found: Vec<Problem>, which: Which) -> Vec<Problem> {
    let allowed = allowances::of(rule, place);
    if which == Which::New && size <= allowed {
        return Vec::new();
    }
    if which == Which::New && allowed > 0 {
        let message = format!("{size} places break this rule, {allowed} may (xtask/src/tidy/allowances.rs)");
        found.push(Problem::new(place, 0, message));
    }
    found
}

/// The Rust files of each package by their paths relative to its `src`.
fn sources(files: &BTreeMap<String, String>) -> BTreeMap<&str, Texts<'_>> {
    let mut packages = BTreeMap::<&str, Texts<'_>>::new();
    for (file, text) in files.iter().filter(|(file, _)| file.ends_with(".rs")) {
        let Some((folder, inside)) = package(file).and_then(|folder| Some((folder, inside(folder, file)?))) else {
            continue;
        };
        packages.entry(folder).or_default().insert(inside, text);
    }
    packages
}

fn inside<'a>(folder: &str, file: &'a str) -> Option<&'a str> {
    file.strip_prefix(folder)?.strip_prefix("/src/")
}

/// The folder of the package that a file belongs to: `crates/ir`, `xtask` or `c-tests/runner`.
fn package(file: &str) -> Option<&str> {
    let tools = ["xtask/sample", "xtask", "c-tests/runner"];
    if let Some(tool) = tools.into_iter().find(|tool| file.strip_prefix(tool).is_some_and(|rest| rest.starts_with('/')))
    {
        return Some(tool);
    }
    let name = file.strip_prefix("crates/")?.split_once('/')?.0;
    Some(&file[.."crates/".len() + name.len()])
}

/// The files whose comments are checked, by the folder that their allowance is for.
fn commented(files: &BTreeMap<String, String>) -> BTreeMap<&str, Texts<'_>> {
    let mut folders = BTreeMap::<&str, Texts<'_>>::new();
    for (file, text) in files {
        let folder = match package(file) {
            Some(package) if file.ends_with(".rs") => package,
            None if file.starts_with("runtime-models/") && (file.ends_with(".c") || file.ends_with(".h")) => {
                "runtime-models"
            }
            _ => continue,
        };
        folders.entry(folder).or_default().insert(file, text);
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)], which: Which) -> Vec<String> {
        let files = files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect();
        let mut problems = check(&files, which).expect("the files are Rust");
        problems.sort();
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn where_the_rules_hold() {
        let long = format!("// {}\n", "word ".repeat(30));
        let sentence = format!("{}.\n", "word ".repeat(50));
        let files = [
            ("crates/made/src/lib.rs", "mod a; mod b;"),
            ("crates/made/src/a.rs", "pub struct A(super::b::B);"),
            ("crates/made/src/b.rs", "use crate::a::A; pub struct B(Option<Box<A>>);"),
            ("crates/made/tests/a.rs", &long),
            ("c-tests/runner/src/lib.rs", &long),
            ("c-tests/locks/a.c", &long),
            ("runtime-models/a.c", &long),
            ("docs/a.md", &sentence),
            ("README.md", &sentence),
        ];
        let places: Vec<_> =
            found(&files, Which::New).iter().map(|text| text.split(": ").next().unwrap_or("").to_owned()).collect();
        let expected = [
            "c-tests/runner/src/lib.rs:1",
            "crates/made/src/a.rs",
            "crates/made/tests/a.rs:1",
            "docs/a.md:1",
            "runtime-models/a.c:1",
        ];
        assert_eq!(places, expected);
    }

    #[test]
    fn what_is_allowed_must_not_grow() {
        const RULE: Allowances = &[("docs/a.md", 2)];
        let problems = |number: usize| (0..number).map(|line| Problem::new("docs/a.md", line + 1, "long")).collect();
        let reported = |number, which| beyond(RULE, "docs/a.md", number, problems(number), which).len();
        assert_eq!(reported(2, Which::New), 0);
        assert_eq!(reported(2, Which::All), 2);
        assert_eq!(reported(3, Which::New), 4, "the three, and the number that may be");
        assert_eq!(beyond(RULE, "docs/b.md", 1, problems(1), Which::New).len(), 1);
    }
}
