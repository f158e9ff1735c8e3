//! The crates, and who may use whom.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};

/// One crate of the table.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Row {
    /// The folder in `crates/`; the package is `icsched-NAME`.
    pub(super) name: &'static str,
    /// Which crates it may use, in the words of `docs/architecture.md`; see [`parse_uses`].
    pub(super) uses: &'static str,
}

const fn row(name: &'static str, uses: &'static str) -> Row {
    Row { name, uses }
}

/// The table. A crate may use only crates above it.
pub(super) const CRATES: &[Row] = &[
    row("ir", "-"),
    row("externals", "ir"),
    row("frontend", "ir, externals"),
    row("pointsto", "ir, externals"),
    row("smt", "-"),
    row("dataflow", "ir, externals, pointsto, smt"),
    row("symex", "ir, externals, pointsto, dataflow, smt"),
    row("schedule", "ir, smt"),
    row("enumerate", "all above"),
    row("verify", "ir, smt, symex, schedule, enumerate"),
    row("check", "all above"),
    row("instrument", "ir, schedule, frontend"),
    row("runtime", "-"),
    row("report", "schedule, check"),
    row("driver", "all but report, runtime"),
    row("cli", "driver, report"),
];

/// Packages that are tools of the repository and not part of the program.
pub(super) const TOOLS: &[&str] = &["xtask", "c-tests-runner"];

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
    "crates/symex/src/libm.rs",
    "crates/smt/src/interrupt.rs",
    "crates/cli/src/guard/reserve.rs",
    "crates/cli/src/guard/parent.rs",
    "crates/cli/src/guard/signals.rs",
];

/// The crates that crate number `index` of `names` may use.
///
/// `uses` is `-` (none), a list (`ir, smt`), `all above`, or `all but a, b` (all above but those).
///
/// # Errors
/// A listed crate is not above it.
pub(super) fn parse_uses<'a>(names: &[&'a str], index: usize, uses: &str) -> Result<BTreeSet<&'a str>> {
    let above = &names[..index];
    let listed = |list: &str| -> Result<BTreeSet<&'a str>> {
        list.split(',')
            .map(str::trim)
            .map(|name| {
                let found = above.iter().find(|&&candidate| candidate == name);
                ensure!(found.is_some(), "`{}` uses `{name}`, which is not a crate above it", names[index]);
                Ok(*found.expect("just checked"))
            })
            .collect()
    };
    Ok(match uses {
        "-" => BTreeSet::new(),
        "all above" => above.iter().copied().collect(),
        _ => match uses.strip_prefix("all but ") {
            Some(list) => {
                let excluded = listed(list)?;
                above.iter().copied().filter(|name| !excluded.contains(name)).collect()
            }
            None => listed(uses)?,
        },
    })
}

/// The crates that the crate `name` may use; `None` if the table has no such crate.
pub(super) fn allowed(name: &str) -> Option<BTreeSet<&'static str>> {
    let names: Vec<_> = CRATES.iter().map(|row| row.name).collect();
    let index = names.iter().position(|&candidate| candidate == name)?;
    Some(parse_uses(&names, index, CRATES[index].uses).expect("the table is well formed: a test says so"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_well_formed() {
        for row in CRATES {
            assert!(allowed(row.name).is_some(), "{row:?}");
        }
    }

    #[test]
    fn the_ways_to_say_who_is_used() {
        let names = ["a", "b", "c", "d"];
        let uses = |text: &str| parse_uses(&names, 3, text).map(Vec::from_iter).map_err(|error| error.to_string());
        assert_eq!(uses("-"), Ok(vec![]));
        assert_eq!(uses("a, c"), Ok(vec!["a", "c"]));
        assert_eq!(uses("all above"), Ok(vec!["a", "b", "c"]));
        assert_eq!(uses("all but a, b"), Ok(vec!["c"]));
        assert_eq!(uses("d"), Err("`d` uses `d`, which is not a crate above it".to_owned()));
    }

    #[test]
    fn only_the_driver_may_see_almost_everything() {
        let driver = allowed("driver").expect("there is a driver");
        assert!(driver.contains("frontend") && !driver.contains("report") && !driver.contains("runtime"));
        assert_eq!(allowed("nonsense"), None);
    }
}
