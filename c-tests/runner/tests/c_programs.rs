//! The C programs of `c-tests/`, one trial per program, variant and optimisation level.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Result;
use c_tests_runner::locate::Tools;
use c_tests_runner::trial;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let trials = trials(&arguments).unwrap_or_else(|error| vec![failed(&error)]);
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trials(arguments: &Arguments) -> Result<Vec<Trial>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the runner is a folder of c-tests");
    let found = trial::collect(root)?;
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

/// The one trial there is when the tests cannot be run at all.
fn failed(error: &anyhow::Error) -> Trial {
    let message = format!("{error:#}");
    Trial::test("setting up the C tests", move || Err(Failed::from(message)))
}
