//! Repository tasks, run as `cargo xtask TASK`.

use std::io::{Write as _, stderr, stdout};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};
use xtask::native;
use xtask::tidy::{self, Which};

/// Tasks of this repository.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Check the crate table and the repository's rules.
    Tidy {
        /// Show also what is still allowed.
        #[arg(long)]
        all: bool,
    },
    ExploreNative(Box<native::Arguments>),
}

fn main() -> ExitCode {
    let result = match Cli::parse().task {
        Task::Tidy { all } => run_tidy(if all { Which::All } else { Which::New }),
        Task::ExploreNative(arguments) => native::run(&arguments, &mut stdout().lock()).map(ExitCode::from),
    };
    result.unwrap_or_else(|error| {
        // Nothing is left to be done when standard error cannot be written to.
        let _ = writeln!(stderr(), "error: {error:#}");
        ExitCode::from(2)
    })
}

fn run_tidy(which: Which) -> Result<ExitCode> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository");
    let problems = tidy::check(root, which)?;
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
