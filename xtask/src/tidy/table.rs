//! The crates, and who may use whom.

use std::collections::BTreeSet;

use anyhow::{Context as _, Result};

/// The table: each crate, and which crates it may use in the words of `docs/architecture.md`; see [`parse`].
///
/// A crate of the table need not exist yet. Until `relevance` does, `machine` uses `pointsto`.
pub(super) const CRATES: &[Row<'static>] = &[
    ("ir", "-"),
    ("externals", "ir"),
    ("frontend", "ir, externals"),
    ("pointsto", "ir, externals"),
    ("smt", "-"),
    ("dataflow", "pointsto, smt"),
    ("machine", "pointsto"),
    ("symbolic", "machine, dataflow, smt"),
    ("explore", "symbolic"),
    ("schedule", "ir, smt"),
    ("slicing", "explore"),
    ("facts", "explore, schedule"),
    ("epochs", "slicing, facts"),
    ("enumerate", "epochs"),
    ("verify", "epochs"),
    ("realise", "epochs"),
    ("check", "realise"),
    ("instrument", "frontend, schedule, pointsto"),
    ("runtime", "-"),
    ("report", "schedule"),
    ("driver", "all but report, runtime"),
    ("cli", "only driver, report"),
];

/// Packages that are tools of the repository and not part of the program.
pub(super) const TOOLS: &[&str] = &["xtask", "c-tests-runner", "test-sample"];

/// A foreign library that only some crates may see.
pub(super) struct Fence {
    /// What it is called in messages.
    pub(super) what: &'static str,
    /// The packages that bind it.
    pub(super) packages: &'static [&'static str],
    /// The crates that may depend on them.
    pub(super) crates: &'static [&'static str],
}

/// The fenced libraries.
pub(super) const FENCES: &[Fence] = &[
    Fence { what: "LLVM", packages: &["inkwell", "llvm-sys"], crates: &["frontend", "instrument"] },
    Fence { what: "Z3", packages: &["z3", "z3-sys"], crates: &["smt"] },
];

/// The crates in which `unsafe` is allowed.
pub(super) const UNSAFE: &[&str] = &["frontend", "instrument", "runtime"];

/// Single files elsewhere in which it is allowed: declarations of the host's functions, which no library gives.
pub(super) const UNSAFE_FILES: &[&str] = &[
    "crates/machine/src/libm.rs",
    "crates/smt/src/interrupt.rs",
    "crates/cli/src/guard/reserve.rs",
    "crates/cli/src/guard/parent.rs",
    "crates/cli/src/guard/signals.rs",
];

/// A row of a table: the folder in `crates/` (the package is `icsched-NAME`), and the crates it may use.
pub(super) type Row<'a> = (&'a str, &'a str);

/// For each row the crates that its crate may use: those that it lists, and what they may use.
///
/// The second word of a row is `-` (none), a list (`ir, smt`), `only a, b` (without what those use), or `all but a, b`
/// (all above but those). A crate may use only crates above it.
///
/// # Errors
/// For a row that lists what is not above it.
pub(super) fn parse<'a>(rows: &[Row<'a>]) -> Vec<Result<BTreeSet<&'a str>>> {
    let mut parsed: Vec<Result<BTreeSet<&'a str>>> = Vec::new();
    for (index, &(name, uses)) in rows.iter().enumerate() {
        let direct = direct(&rows[..index], name, uses);
        parsed.push(direct.map(|mut all| {
            let above = rows.iter().zip(&parsed).filter(|((above, _), _)| all.contains(above));
            let indirect: Vec<_> = above.filter_map(|(_, used)| used.as_ref().ok()).flatten().copied().collect();
            if !uses.starts_with("only ") {
                all.extend(indirect);
            }
            all
        }));
    }
    parsed
}

/// The crates that the words of a row name.
fn direct<'a>(above: &[Row<'a>], name: &str, uses: &str) -> Result<BTreeSet<&'a str>> {
    let listed = |list: &str| -> Result<BTreeSet<&'a str>> {
        list.split(',')
            .map(str::trim)
            .map(|used| {
                let found = above.iter().find(|(candidate, _)| *candidate == used);
                found.map(|row| row.0).with_context(|| format!("`{name}` uses `{used}`, which is not a crate above it"))
            })
            .collect()
    };
    if uses == "-" {
        return Ok(BTreeSet::new());
    }
    if let Some(list) = uses.strip_prefix("all but ") {
        let excluded = listed(list)?;
        return Ok(above.iter().map(|row| row.0).filter(|used| !excluded.contains(used)).collect());
    }
    listed(uses.strip_prefix("only ").unwrap_or(uses))
}

/// The crates that the crate `name` may use; `None` if the table has no such crate.
pub(super) fn allowed(name: &str) -> Option<BTreeSet<&'static str>> {
    let index = CRATES.iter().position(|row| row.0 == name)?;
    Some(parse(CRATES).swap_remove(index).expect("the table is well formed: a test says so"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_well_formed() {
        for (row, uses) in CRATES.iter().zip(parse(CRATES)) {
            assert!(uses.is_ok(), "{row:?}");
        }
    }

    #[test]
    fn the_ways_to_say_who_is_used() {
        let uses = |text: &'static str| {
            let rows = [("a", "-"), ("b", "a"), ("c", "b"), ("d", text)];
            parse(&rows).swap_remove(3).map(Vec::from_iter).map_err(|error| error.to_string())
        };
        assert_eq!(uses("-"), Ok(vec![]));
        assert_eq!(uses("a, b"), Ok(vec!["a", "b"]));
        assert_eq!(uses("c"), Ok(vec!["a", "b", "c"]));
        assert_eq!(uses("only c"), Ok(vec!["c"]));
        assert_eq!(uses("all but b, c"), Ok(vec!["a"]));
        assert_eq!(uses("d"), Err("`d` uses `d`, which is not a crate above it".to_owned()));
    }

    #[test]
    fn layers_are_kept() {
        let may = |name: &str, used: &str| allowed(name).expect("it is in the table").contains(used);
        assert!(may("driver", "frontend") && !may("driver", "report") && !may("driver", "runtime"));
        assert!(may("facts", "explore") && !may("explore", "facts") && !may("facts", "slicing"));
        assert!(may("symbolic", "machine") && !may("machine", "smt") && !may("machine", "dataflow"));
        assert!(!may("cli", "schedule") && !may("smt", "ir"));
        assert_eq!(allowed("nonsense"), None);
    }
}
