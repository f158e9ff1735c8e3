//! Repository tasks, run as `cargo xtask TASK`.

use std::io::{Write as _, stderr, stdout};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;

mod tidy;

const USAGE: &str = "usage: cargo xtask tidy    check the crate table and the repository's rules";

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let result = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["tidy"] => run_tidy(),
        _ => writeln!(stderr(), "{USAGE}").map(|()| ExitCode::from(2)).map_err(Into::into),
    };
    result.unwrap_or_else(|error| {
        // Nothing is left to be done when standard error cannot be written to.
        let _ = writeln!(stderr(), "error: {error:#}");
        ExitCode::from(2)
    })
}

fn run_tidy() -> Result<ExitCode> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository");
    let problems = tidy::check(root)?;
    let mut out = stdout().lock();
    for problem in &problems {
        writeln!(out, "{problem}")?;
    }
    if problems.is_empty() {
        writeln!(out, "tidy: nothing to complain about")?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "tidy: {} problem{}", problems.len(), if problems.len() == 1 { "" } else { "s" })?;
    Ok(ExitCode::FAILURE)
}
