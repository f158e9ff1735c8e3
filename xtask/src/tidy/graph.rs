//! Compares the packages of the workspace with the crate table.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;

use super::problem::Problem;
use super::table::{self, FENCES, TOOLS};

/// A package of the workspace, as `cargo metadata` tells it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Package {
    name: String,
    manifest_path: String,
    dependencies: Vec<Dependency>,
}

#[derive(Clone, Debug, Deserialize)]
struct Dependency {
    name: String,
    /// `dev`, `build`, or nothing for a normal one.
    kind: Option<String>,
}

impl Package {
    /// The crate's name in the table; `None` for what is no part of the program.
    pub(super) fn crate_name(&self) -> Option<&str> {
        self.name.strip_prefix("icsched-")
    }

    /// The crates of the program that it uses, dev-dependencies aside.
    pub(super) fn uses(&self) -> impl Iterator<Item = &str> {
        self.non_dev().filter_map(|one| one.name.strip_prefix("icsched-"))
    }

    fn non_dev(&self) -> impl Iterator<Item = &Dependency> {
        self.dependencies.iter().filter(|one| one.kind.as_deref() != Some("dev"))
    }
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

/// The packages of the workspace at `root`.
///
/// # Errors
/// Cargo cannot be started, or refuses the workspace.
pub(super) fn packages(root: &Path) -> Result<Vec<Package>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(root)
        .output()
        .context("cannot start cargo")?;
    ensure!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr).trim_end());
    Ok(serde_json::from_slice::<Metadata>(&output.stdout).context("cargo metadata")?.packages)
}

/// Forbidden edges, unknown crates and leaks of fenced libraries.
///
/// Dev-dependencies are free: a test of the interpreter may load a C program through the frontend.
pub(super) fn check(packages: &[Package], root: &Path) -> Vec<Problem> {
    packages.iter().flat_map(|package| check_package(package, root)).collect()
}

fn check_package(package: &Package, root: &Path) -> Vec<Problem> {
    let manifest = Path::new(&package.manifest_path);
    let manifest = manifest.strip_prefix(root).unwrap_or(manifest).display().to_string();
    let problem = |message: String| Problem::new(&manifest, 0, message);
    if TOOLS.contains(&package.name.as_str()) {
        return Vec::new();
    }
    let Some((name, allowed)) = package.crate_name().and_then(|name| Some((name, table::allowed(name)?))) else {
        return vec![problem(format!("`{}` is not in the crate table (xtask/src/tidy/table.rs)", package.name))];
    };
    let mut problems = Vec::new();
    if manifest != format!("crates/{name}/Cargo.toml") {
        problems.push(problem(format!("`{}` belongs into crates/{name}", package.name)));
    }
    for used in package.uses().filter(|used| !allowed.contains(used)) {
        let may = Vec::from_iter(allowed.iter().copied()).join(", ");
        problems.push(problem(format!("`{name}` must not use `{used}`; it may use: {may}")));
    }
    for dependency in package.non_dev() {
        for fence in FENCES {
            if fence.packages.contains(&dependency.name.as_str()) && !fence.crates.contains(&name) {
                let crates = fence.crates.join(" and ");
                problems.push(problem(format!("{} (`{}`) is for {crates} only", fence.what, dependency.name)));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Package {
        /// A package of the workspace `r` with dependencies written `name` or `kind:name`.
        pub(crate) fn sample(name: &str, folder: &str, dependencies: &[&str]) -> Self {
            let dependency = |text: &&str| match text.split_once(':') {
                Some((kind, name)) => Dependency { name: name.to_owned(), kind: Some(kind.to_owned()) },
                None => Dependency { name: (*text).to_owned(), kind: None },
            };
            let dependencies = dependencies.iter().map(dependency).collect();
            Self { name: name.to_owned(), manifest_path: format!("r/{folder}/Cargo.toml"), dependencies }
        }
    }

    fn messages(name: &str, folder: &str, dependencies: &[&str]) -> Vec<String> {
        let package = Package::sample(name, folder, dependencies);
        check(&[package], Path::new("r")).into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn what_the_table_allows_is_no_problem() {
        let none = Vec::<String>::new();
        assert_eq!(messages("icsched-frontend", "crates/frontend", &["icsched-ir", "inkwell", "anyhow"]), none);
        assert_eq!(messages("icsched-symbolic", "crates/symbolic", &["icsched-smt", "dev:icsched-frontend"]), none);
        assert_eq!(messages("xtask", "xtask", &["serde"]), none);
    }

    #[test]
    fn forbidden_edges() {
        assert_eq!(
            messages("icsched-schedule", "crates/schedule", &["icsched-symbolic"]),
            ["`schedule` must not use `symbolic`; it may use: ir, smt"]
        );
        assert_eq!(messages("icsched-smt", "crates/smt", &["build:icsched-ir"]).len(), 1);
    }

    #[test]
    fn fenced_libraries() {
        assert_eq!(messages("icsched-symbolic", "crates/symbolic", &["z3"]), ["Z3 (`z3`) is for smt only"]);
        assert_eq!(
            messages("icsched-ir", "crates/ir", &["llvm-sys"]),
            ["LLVM (`llvm-sys`) is for frontend and instrument only"]
        );
    }

    #[test]
    fn unknown_and_misplaced_crates() {
        assert_eq!(
            messages("icsched-extra", "crates/extra", &[]),
            ["`icsched-extra` is not in the crate table (xtask/src/tidy/table.rs)"]
        );
        assert_eq!(messages("icsched-ir", "lib/ir", &[]), ["`icsched-ir` belongs into crates/ir"]);
    }
}
