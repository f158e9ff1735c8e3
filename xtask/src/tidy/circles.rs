//! Finds circles of files: files of one crate that use each other's definitions in a loop.
//!
//! `a.rs` imports `B` of `b.rs`, and `b.rs` calls `super::a::make`: neither can be read, tested or moved without the
//! other. What both need goes into a file of its own below them.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::problem::Problem;
use super::resolve::{Crate, Uses};

/// How many files stand in circles, and a problem for each circle with the arrows that tie it.
///
/// `files` are the sources of the package in `folder`: from the path relative to its `src` to the text.
///
/// # Errors
/// A file is not Rust, or the file of a module is missing.
pub(super) fn check(folder: &str, files: &BTreeMap<&str, &str>) -> Result<(usize, Vec<Problem>)> {
    let uses = uses(files)?;
    let circles = circles(&uses);
    let report = |circle: &BTreeSet<&str>| {
        let first = circle.first().expect("a circle has files");
        let message = format!("{} files use each other in a circle:{}", circle.len(), arrows(circle, &uses));
        Problem::new(&format!("{folder}/src/{first}"), 0, message)
    };
    Ok((circles.iter().map(BTreeSet::len).sum(), circles.iter().map(report).collect()))
}

/// The uses among the files of all targets of a package.
fn uses(files: &BTreeMap<&str, &str>) -> Result<Uses> {
    let mut uses = Uses::new();
    let is_root = |file: &str| matches!(file, "lib.rs" | "main.rs") || is_binary(file);
    for root in files.keys().copied().filter(|file| is_root(file)) {
        Crate::read(root, &|file| files.get(file).copied())?.add_uses(&mut uses);
    }
    Ok(uses)
}

/// `bin/name.rs` or `bin/name/main.rs`.
fn is_binary(file: &str) -> bool {
    let Some(rest) = file.strip_prefix("bin/") else { return false };
    match rest.split_once('/') {
        None => true,
        Some((_, inner)) => inner == "main.rs",
    }
}

/// A line for each arrow of a circle, with the names that the first file uses of the second.
fn arrows(circle: &BTreeSet<&str>, uses: &Uses) -> String {
    let mut lines = String::new();
    for from in circle {
        for (to, names) in uses[*from].iter().filter(|(to, _)| circle.contains(to.as_str())) {
            let names = Vec::from_iter(names.iter().map(String::as_str)).join(", ");
            lines.push_str(&format!("\n    {from} -> {to}: {names}"));
        }
    }
    lines
}

/// The strongly connected components of more than one file, in the order of their first files.
///
/// For each file the files that can be reached: quadratic, and quick enough for some hundreds of files.
fn circles(uses: &Uses) -> Vec<BTreeSet<&str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        uses.keys().map(|file| (file.as_str(), reachable(file, uses))).collect();
    let mut circles = Vec::new();
    let mut placed = BTreeSet::new();
    for (&file, targets) in &reached {
        if placed.contains(file) || !targets.contains(file) {
            continue;
        }
        let back = |other: &&str| reached.get(other).is_some_and(|targets| targets.contains(file));
        let circle: BTreeSet<&str> = targets.iter().copied().filter(back).collect();
        placed.extend(circle.iter().copied());
        circles.push(circle);
    }
    circles
}

/// What can be reached from a file by one arrow or more.
fn reachable<'a>(file: &str, uses: &'a Uses) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = vec![file];
    while let Some(file) = open.pop() {
        for next in uses.get(file).into_iter().flat_map(|used| used.keys()) {
            if found.insert(next.as_str()) {
                open.push(next);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The circles of a crate, one a line, with their arrows.
    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files = files.iter().copied().collect();
        let (_, problems) = check("crates/ir", &files).expect("the files are Rust");
        problems.into_iter().map(|problem| format!("{problem}").replace("\n    ", "; ")).collect()
    }

    #[test]
    fn two_files_that_use_each_other() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c;"),
            ("a.rs", "use super::b::{B, make}; pub struct A; fn f() -> B { make() }"),
            ("b.rs", "pub struct B; pub fn make() -> B { crate::a::A::new(); super::c::g() }"),
            ("c.rs", "pub fn g() -> crate::C {}"),
        ];
        assert_eq!(
            found(&files),
            ["crates/ir/src/a.rs: 2 files use each other in a circle:; a.rs -> b.rs: B, make; b.rs -> a.rs: A"]
        );
    }

    #[test]
    fn a_reexport_is_followed_to_the_file_that_defines() {
        let parent = "mod a; mod b; pub use a::*; pub(crate) use b::B as C;";
        let child_a = ("m/a.rs", "pub struct A(super::C);");
        let one_way = [("lib.rs", "mod m;"), ("m/mod.rs", parent), child_a, ("m/b.rs", "pub struct B;")];
        assert_eq!(found(&one_way), Vec::<String>::new());
        let both = [("lib.rs", "mod m;"), ("m/mod.rs", parent), child_a, ("m/b.rs", "use crate::m::A; pub struct B;")];
        assert_eq!(
            found(&both),
            ["crates/ir/src/m/a.rs: 2 files use each other in a circle:; m/a.rs -> m/b.rs: C; m/b.rs -> m/a.rs: A"]
        );
    }

    #[test]
    fn a_parent_that_uses_what_it_reexports() {
        let child = ("m/a.rs", "use super::Error; pub fn read() -> Error { Error }");
        let parent = "mod a; pub use a::read; pub struct Error; fn f() { read() }";
        assert_eq!(found(&[("lib.rs", "mod m;"), ("m/mod.rs", parent), child]).len(), 1);
        let parent = "mod a; pub use a::read; pub struct Error;";
        assert_eq!(found(&[("lib.rs", "mod m;"), ("m/mod.rs", parent), child]), Vec::<String>::new());
    }

    #[test]
    fn a_module_and_a_function_of_one_name() {
        let files = [
            ("lib.rs", "mod a; mod b; pub use a::a;"),
            ("a.rs", "pub fn a() { crate::b::b() }"),
            ("b.rs", "use super::a; pub fn b() { a::a(); a() }"),
        ];
        assert_eq!(
            found(&files),
            ["crates/ir/src/a.rs: 2 files use each other in a circle:; a.rs -> b.rs: b; b.rs -> a.rs: a"]
        );
    }

    #[test]
    fn inline_modules_belong_to_their_file_and_tests_to_none() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "mod inner { pub fn f() { super::super::b::g() } } #[cfg(test)] mod tests { use crate::b::g; }"),
            (
                "b.rs",
                "pub fn g() {} #[cfg(test)] mod tests { use crate::a::inner::f; #[test] fn t() { super::super::a::inner::f() } }",
            ),
        ];
        assert_eq!(found(&files), Vec::<String>::new());
    }

    #[test]
    fn items_that_a_macro_defines() {
        let files = [
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "names! { A } fn f() -> crate::b::B {}"),
            ("b.rs", "pub struct B; fn g() { matches!(x, crate::a::A) }"),
        ];
        assert_eq!(
            found(&files),
            ["crates/ir/src/a.rs: 2 files use each other in a circle:; a.rs -> b.rs: B; b.rs -> a.rs: A"]
        );
    }

    #[test]
    fn each_circle_is_reported_once_and_the_longest_way_round_is_one() {
        let files = [
            ("lib.rs", "mod a; mod b; mod c; mod d; mod e;"),
            ("a.rs", "pub struct A(crate::b::B);"),
            ("b.rs", "pub struct B(crate::c::C);"),
            ("c.rs", "pub struct C(crate::a::A, crate::d::D);"),
            ("d.rs", "pub struct D(crate::e::E);"),
            ("e.rs", "pub struct E(crate::d::D);"),
        ];
        let circles = found(&files);
        assert_eq!(circles.len(), 2);
        assert!(circles[0].starts_with("crates/ir/src/a.rs: 3 files"), "{circles:?}");
        assert!(circles[1].starts_with("crates/ir/src/d.rs: 2 files"), "{circles:?}");
    }

    #[test]
    fn a_missing_file_is_an_error() {
        let files = BTreeMap::from([("lib.rs", "mod a;")]);
        assert!(check("crates/ir", &files).is_err());
    }
}
