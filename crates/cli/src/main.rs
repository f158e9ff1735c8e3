//! The `icsched` command: arguments in, result out, exit status (0 nothing found, 1 something found, 2 the command or
//! its input is wrong, 3 incomplete, 4 a bug in icsched).

mod args;
mod commands;
mod config;
mod guard;
mod output;
mod progress;
mod symex_output;
mod threads;
mod verify_output;

use std::process::ExitCode;

use clap::Parser;

use crate::args::Cli;

/// How a command ended.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// Done, nothing found.
    Clean,
    /// Done, something found.
    Found,
    /// The command or its input is wrong.
    Wrong,
    /// Done, but incomplete.
    Incomplete,
    /// icsched itself is wrong.
    Bug,
    /// The status of the program that was run.
    Program(u8),
}

impl Status {
    /// The exit status of the process.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Status::Clean => 0,
            Status::Found => 1,
            Status::Wrong => 2,
            Status::Incomplete => 3,
            Status::Bug => 4,
            Status::Program(status) => status,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(status.code())
    }
}

fn main() -> ExitCode {
    icsched_driver::child_main_if_requested();
    output::report_panics_as_bugs();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let wrong = error.use_stderr();
            // Help goes to standard output, errors to standard error; a closed pipe is nobody's problem.
            let _ = error.print();
            return if wrong { Status::Wrong.into() } else { ExitCode::SUCCESS };
        }
    };
    output::start_logging(cli.verbose, cli.quiet);
    // Deep recursion in a library must not end in a stack overflow: run on a thread with a large stack.
    let worker = std::thread::Builder::new().name("icsched".to_owned()).stack_size(1 << 30);
    let spawned = worker.spawn(move || commands::run(cli));
    match spawned.map(std::thread::JoinHandle::join) {
        Ok(Ok(status)) => status.into(),
        Ok(Err(_panic)) => Status::Bug.into(),
        Err(error) => {
            output::error(&format!("cannot start a thread: {error}"));
            Status::Wrong.into()
        }
    }
}
