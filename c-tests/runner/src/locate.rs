//! Where the programs are that the tests run.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

/// The `icsched` under test and the compiler.
#[derive(Clone, Debug)]
pub struct Tools {
    /// The `icsched` binary.
    pub icsched: PathBuf,
    /// The clang that makes bitcode and native programs.
    pub clang: PathBuf,
    /// A folder for what every `enumerate` found, to be compared with what another `icsched` finds.
    pub results: Option<PathBuf>,
}

impl Tools {
    /// Finds the tools. `ICSCHED_BIN` names an `icsched` to test in place of this workspace's, `ICSCHED_CLANG` another
    /// clang than `clang-22`, and `ICSCHED_RESULTS` a folder for results.
    ///
    /// Without `ICSCHED_BIN` this builds the package `icsched-cli`, since Cargo does not build other packages' binaries
    /// for an integration test, and tests what it has built.
    ///
    /// # Errors
    /// The build fails, or a tool is not there.
    pub fn find() -> Result<Self> {
        let icsched = match env::var_os("ICSCHED_BIN") {
            Some(path) => PathBuf::from(path),
            None => build_icsched()?,
        };
        let icsched =
            icsched.canonicalize().with_context(|| format!("there is no icsched at {}", icsched.display()))?;
        let results = env::var_os("ICSCHED_RESULTS").map(PathBuf::from);
        Ok(Self { icsched, clang: find_clang()?, results })
    }
}

/// The compiler: `ICSCHED_CLANG`, or `clang-22`.
///
/// # Errors
/// It is not there.
pub fn find_clang() -> Result<PathBuf> {
    let clang = PathBuf::from(env::var_os("ICSCHED_CLANG").unwrap_or_else(|| "clang-22".into()));
    let version = Command::new(&clang).arg("--version").output();
    ensure!(
        version.is_ok_and(|output| output.status.success()),
        "{} does not run; ./scripts/setup installs it",
        clang.display()
    );
    Ok(clang)
}

fn build_icsched() -> Result<PathBuf> {
    let test = env::current_exe()?;
    let profile = profile_directory(&test).context("the test is not in a Cargo target directory")?;
    let target = profile.parent().context("a profile directory has a parent")?;
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--quiet", "--package", "icsched-cli", "--bin", "icsched", "--target-dir"]).arg(target);
    if profile.ends_with("release") {
        cargo.arg("--release");
    }
    let output = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().context("cannot start cargo")?;
    ensure!(
        output.status.success(),
        "cannot build icsched: {cargo:?}\n{}",
        String::from_utf8_lossy(&output.stderr).trim_end()
    );
    Ok(profile.join("icsched"))
}

/// `target/debug` of `target/debug/deps/test-0123`.
fn profile_directory(test: &Path) -> Option<&Path> {
    test.ancestors().find(|path| path.ends_with("deps"))?.parent()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_profile_directory_holds_deps() {
        let found = profile_directory(Path::new("a/target/debug/deps/c_programs-01ab"));
        assert_eq!(found, Some(Path::new("a/target/debug")));
        assert_eq!(profile_directory(Path::new("a/bin/c_programs")), None);
    }
}
