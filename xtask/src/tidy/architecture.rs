//! Compares the crate table printed in `docs/architecture.md` with the one that is enforced.

use std::collections::BTreeMap;

use super::Problem;
use super::table::{self, CRATES};

const FILE: &str = "docs/architecture.md";

/// Differences between the two tables.
pub(super) fn check(document: &str) -> Vec<Problem> {
    let rows = rows(document);
    if rows.is_empty() {
        return vec![Problem::new(FILE, 0, "has no table with the columns crate, one line, uses")];
    }
    let names: Vec<_> = rows.iter().map(|row| row.name).collect();
    let mut problems = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let Some(expected) = table::allowed(row.name) else {
            problems.push(Problem::new(FILE, row.line, format!("`{}` is not in the enforced table", row.name)));
            continue;
        };
        match table::parse_uses(&names, index, row.uses) {
            Ok(printed) if printed == expected => {}
            Ok(_) => {
                let expected = Vec::from_iter(expected).join(", ");
                let message = format!("`{}` uses {}, but the enforced table says: {expected}", row.name, row.uses);
                problems.push(Problem::new(FILE, row.line, message));
            }
            Err(error) => problems.push(Problem::new(FILE, row.line, error.to_string())),
        }
    }
    let lines: BTreeMap<_, _> = rows.iter().map(|row| (row.name, row.line)).collect();
    for row in CRATES.iter().filter(|row| !lines.contains_key(row.name)) {
        problems.push(Problem::new(FILE, 0, format!("the crate table lacks `{}`", row.name)));
    }
    problems
}

struct Printed<'a> {
    line: usize,
    name: &'a str,
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
        .map(|(line, cells)| Printed { line, name: cells[0].trim_matches('`'), uses: cells[2] })
        .collect()
}

fn cells(line: &str) -> Vec<&str> {
    let inner = line.trim().strip_prefix('|').and_then(|line| line.strip_suffix('|'));
    inner.map(|inner| inner.split('|').map(str::trim).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(change: impl Fn(&str, &str) -> String) -> String {
        let rows: String = CRATES.iter().map(|row| change(row.name, row.uses)).collect();
        format!("# Architecture\n\n| crate (`crates/…`) | one line | uses |\n| --- | --- | --- |\n{rows}\nText.\n")
    }

    fn printed(name: &str, uses: &str) -> String {
        format!("| `{name}` | words | {uses} |\n")
    }

    #[test]
    fn the_same_table_is_no_problem() {
        assert_eq!(check(&document(printed)), []);
    }

    #[test]
    fn a_changed_row_is_named_with_its_line() {
        let changed = document(|name, uses| printed(name, if name == "smt" { "ir" } else { uses }));
        assert_eq!(check(&changed), [Problem::new(FILE, 9, "`smt` uses ir, but the enforced table says: ")]);
    }

    #[test]
    fn missing_and_unknown_rows() {
        let missing = document(|name, uses| if name == "cli" { String::new() } else { printed(name, uses) });
        assert_eq!(check(&missing), [Problem::new(FILE, 0, "the crate table lacks `cli`")]);
        let unknown = document(|name, uses| printed(if name == "cli" { "shell" } else { name }, uses));
        assert_eq!(check(&unknown).len(), 2);
        assert_eq!(check("# No table\n").len(), 1);
    }
}
