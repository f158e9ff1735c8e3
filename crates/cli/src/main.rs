//! The `icsched` command: arguments in, result out, exit status (0 nothing found, 1 something found, 2 the command or
//! its input is wrong, 3 incomplete, 4 a bug in icsched).

mod answers;
mod args;
mod cc;
mod check_output;
mod commands;
mod config;
mod error;
mod grace;
mod guard;
mod inspect_output;
mod last;
mod output;
mod progress;
mod status;
mod symex_output;
mod threads;
mod verify_output;

use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use icsched_driver::config::Limit;

use crate::args::Cli;
use crate::guard::news::Cause;
use crate::status::Status;

fn main() -> ExitCode {
    icsched_driver::child_main_if_requested();
    if let Some(status) = cc::run_if_requested() {
        return status.into();
    }
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
    let cli = Arc::new(cli);
    match guard::parent::divide(&cli.command) {
        Some(child) => child.wait(&cli),
        None => work(cli),
    }
    .into()
}

/// Does what the command says on a thread with a large stack, if the system allows one: deep recursion in a library
/// must not end in a stack overflow.
fn work(cli: Arc<Cli>) -> Status {
    for size in icsched_driver::stack_sizes() {
        let worker = std::thread::Builder::new().name("icsched".to_owned()).stack_size(size);
        let own = Arc::clone(&cli);
        if let Ok(thread) = worker.spawn(move || commands::run(&own)) {
            return thread.join().unwrap_or_else(|_panic| failed(&cli));
        }
    }
    std::panic::catch_unwind(AssertUnwindSafe(|| commands::run(&cli))).unwrap_or_else(|_panic| failed(&cli))
}

/// After a panic: the parent tells what is known, if there is one.
fn failed(cli: &Cli) -> Status {
    match guard::reserve::is_out_of_memory() {
        _ if guard::tell::has_parent() => Status::Bug,
        true => last::result(cli, &Cause::Limit(Limit::Memory), &guard::tell::known()),
        false => last::result(cli, &Cause::Bug, &guard::tell::known()),
    }
}
