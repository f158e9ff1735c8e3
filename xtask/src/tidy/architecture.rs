//! Compares the crate table printed in `docs/architecture.md` with the one that is enforced and with the crates there
//! are.

use std::collections::BTreeSet;

use super::graph::Package;
use super::problem::Problem;
use super::table;

const FILE: &str = "docs/architecture.md";

/// What the one line of a crate begins with that does not exist yet.
const PLANNED: &str = "planned:";

/// Where the printed table is wrong.
///
/// It must list the crates that exist, each with at least what it uses and at most what the enforced table allows. It
/// may list crates of the enforced table that do not exist yet, as `planned:`.
pub(super) fn check(document: &str, packages: &[Package]) -> Vec<Problem> {
    let rows = rows(document);
    if rows.is_empty() {
        return vec![Problem::new(FILE, 0, "has no table with the columns crate, one line, uses")];
    }
    let table: Vec<_> = rows.iter().map(|row| (row.name, row.uses)).collect();
    let mut problems = Vec::new();
    for (row, uses) in rows.iter().zip(table::parse(&table)) {
        match uses {
            Ok(printed) => problems.extend(check_row(row, &printed, packages)),
            Err(error) => problems.push(Problem::new(FILE, row.line, error.to_string())),
        }
    }
    let listed = |name: &&str| rows.iter().any(|row| row.name == *name);
    for name in packages.iter().filter_map(Package::crate_name).filter(|name| !listed(name)) {
        problems.push(Problem::new(FILE, 0, format!("the crate table lacks `{name}`")));
    }
    problems
}

fn check_row(row: &Printed<'_>, printed: &BTreeSet<&str>, packages: &[Package]) -> Vec<Problem> {
    let problem = |message: String| Problem::new(FILE, row.line, message);
    let name = row.name;
    let package = packages.iter().find(|package| package.crate_name() == Some(name));
    let planned = row.words.starts_with(PLANNED);
    let Some(allowed) = table::allowed(name).filter(|_| planned || package.is_some()) else {
        return vec![problem(format!("there is no crate `{name}`"))];
    };
    let exists = (planned && package.is_some()).then(|| format!("`{name}` exists: it is no longer `{PLANNED}`"));
    let too_much = printed.difference(&allowed).map(|used| format!("`{name}` must not use `{used}`"));
    let too_little = package.into_iter().flat_map(Package::uses).filter(|used| !printed.contains(used));
    let lacks = too_little.map(|used| format!("`{name}` uses `{used}`, which its row lacks"));
    exists.into_iter().chain(too_much).chain(lacks).map(problem).collect()
}

struct Printed<'a> {
    line: usize,
    name: &'a str,
    words: &'a str,
    uses: &'a str,
}

/// The rows of the table whose header is `| crate … | … | uses |`.
fn rows(document: &str) -> Vec<Printed<'_>> {
    let mut lines = document.lines().enumerate().map(|(index, line)| (index + 1, cells(line)));
    lines.by_ref().find(|(_, cells)| {
        cells.len() == 3 && cells[0].split_whitespace().next() == Some("crate") && cells[2] == "uses"
    });
    lines
        .skip(1)
        .take_while(|(_, cells)| cells.len() == 3)
        .map(|(line, cells)| Printed { line, name: cells[0].trim_matches('`'), words: cells[1], uses: cells[2] })
        .collect()
}

fn cells(line: &str) -> Vec<&str> {
    let inner = line.trim().strip_prefix('|').and_then(|line| line.strip_suffix('|'));
    inner.map(|inner| inner.split('|').map(str::trim).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(rows: &[(&str, &str)]) -> String {
        let rows: String = rows.iter().map(|(name, uses)| format!("| `{name}` | words | {uses} |\n")).collect();
        format!("# Architecture\n\n| crate (`crates/…`) | one line | uses |\n| --- | --- | --- |\n{rows}\nText.\n")
    }

    fn found(rows: &[(&str, &str)]) -> Vec<String> {
        let packages = [
            Package::sample("icsched-ir", "crates/ir", &[]),
            Package::sample("icsched-smt", "crates/smt", &["anyhow"]),
            Package::sample("icsched-schedule", "crates/schedule", &["icsched-ir"]),
            Package::sample("xtask", "xtask", &[]),
        ];
        check(&document(rows), &packages).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_true_table_is_no_problem() {
        let none = Vec::<String>::new();
        assert_eq!(found(&[("ir", "-"), ("smt", "-"), ("schedule", "ir")]), none);
        assert_eq!(found(&[("ir", "-"), ("smt", "-"), ("schedule", "ir, smt")]), none);
    }

    #[test]
    fn a_wrong_row_is_named_with_its_line() {
        let wrong = [("ir", "-"), ("smt", "ir"), ("schedule", "-")];
        assert_eq!(
            found(&wrong),
            [
                "docs/architecture.md:6: `smt` must not use `ir`",
                "docs/architecture.md:7: `schedule` uses `ir`, which its row lacks"
            ]
        );
    }

    #[test]
    fn planned_crates() {
        let printed = |name: &str, words: &str, uses: &str| {
            let text = document(&[("ir", "-"), ("smt", "-"), ("schedule", "ir, smt")]);
            let text = text.replace("\n\nText", &format!("\n| `{name}` | {words} | {uses} |\n\nText"));
            let packages = ["ir", "smt", "schedule"]
                .map(|name| Package::sample(&format!("icsched-{name}"), &format!("crates/{name}"), &[]));
            check(&text, &packages).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(printed("report", "planned: pages", "schedule"), Vec::<String>::new());
        assert_eq!(printed("report", "pages", "schedule"), ["docs/architecture.md:8: there is no crate `report`"]);
        assert_eq!(
            printed("instrument", "planned: code", "smt"),
            Vec::<String>::new(),
            "what schedule may use, instrument may"
        );
        assert_eq!(printed("runtime", "planned: code", "ir"), ["docs/architecture.md:8: `runtime` must not use `ir`"]);
        assert_eq!(
            printed("nonsense", "planned: code", "ir"),
            ["docs/architecture.md:8: there is no crate `nonsense`"]
        );
        let text = document(&[("ir", "-")]).replace("words", "planned: words");
        let packages = [Package::sample("icsched-ir", "crates/ir", &[])];
        assert_eq!(check(&text, &packages).len(), 1);
    }

    #[test]
    fn missing_and_unknown_rows() {
        assert_eq!(
            found(&[("ir", "-"), ("schedule", "ir"), ("pointsto", "ir")]),
            [
                "docs/architecture.md:7: there is no crate `pointsto`",
                "docs/architecture.md: the crate table lacks `smt`"
            ]
        );
        assert_eq!(check("# No table\n", &[]).len(), 1);
    }
}
