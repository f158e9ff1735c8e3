//! The C programs of `c-tests/`, one trial per program, variant and optimisation level.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use c_tests_runner::locate::Tools;
use c_tests_runner::trial;
use libtest_mimic::{Arguments, Failed, Trial};

/// In a sample, one program in so many is taken of each folder.
const ONE_IN: usize = 4;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    // No trial of its own, which a filter would leave out.
    match trials(&arguments) {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            #[expect(clippy::print_stderr, reason = "there is no trial that could report it")]
            {
                eprintln!("the C tests cannot be run: {error:#}");
            }
            ExitCode::FAILURE
        }
    }
}

fn trials(arguments: &Arguments) -> Result<Vec<Trial>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the runner is a folder of c-tests");
    let mut found = trial::collect(root)?;
    if test_sample::is_on() {
        let all = found.len();
        found = trial::sample(found, ONE_IN);
        let _ = writeln!(
            std::io::stderr(),
            "a sample of the C programs: {} of {all} trials; `./scripts/test --all` runs all",
            found.len()
        );
    }
    if arguments.list {
        return Ok(found.into_iter().map(|(name, _)| Trial::test(name, || Ok(()))).collect());
    }
    let tools = Arc::new(Tools::find()?);
    Ok(found
        .into_iter()
        .map(|(name, trial)| {
            let tools = Arc::clone(&tools);
            Trial::test(name, move || trial.run(&tools).map_err(|error| Failed::from(format!("{error:#}"))))
        })
        .collect())
}
