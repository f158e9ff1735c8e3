//! One function per subcommand.

use std::path::{Path, PathBuf};

use icsched_driver::exec::ExecEnd;
use icsched_driver::{DriverError, Enumeration, enumerate, exec, inspect, show};
use icsched_report::View;
use icsched_report::text::TextOptions;

use crate::args::{Cli, Command, EnumerateArgs, ExecArgs, InspectCommand, InspectIrArgs, ShowArgs, ShowFormat};
use crate::progress::ShownProgress;
use crate::{Status, config, output};

pub(crate) fn run(cli: Cli) -> Status {
    let quiet = cli.quiet;
    let result = match cli.command {
        Command::Enumerate(args) => run_enumerate(&args, quiet),
        Command::Exec(args) => run_exec(&args),
        Command::Show(args) => run_show(&args),
        Command::Inspect { what: InspectCommand::Ir(args) } => run_inspect_ir(&args),
    };
    result.unwrap_or_else(|error| {
        output::driver_error(&error);
        Status::Wrong
    })
}

fn run_enumerate(args: &EnumerateArgs, quiet: bool) -> Result<Status, DriverError> {
    let config = config::enumerate(args).map_err(DriverError::Inputs)?;
    // What cannot be written is better known before the search than after it.
    let database = args.output.clone().unwrap_or_else(|| args.program.program.with_extension("icsdb"));
    show::check_writable(&database)?;
    if let Some(file) = args.json.as_deref().filter(|file| *file != Path::new("-")) {
        open_for_writing(file)?;
    }
    let mut progress = ShownProgress::new(quiet);
    let result = enumerate::enumerate(&config, &mut progress);
    progress.finish();
    let result = result?;
    show::save(&result, &database)?;
    let view = View::whole(&result);
    let to_stdout = args.json.as_deref() == Some(Path::new("-"));
    if let Some(file) = &args.json {
        write_json(&icsched_report::json::render(&view), file)?;
    }
    if !to_stdout && !quiet {
        output::print(&icsched_report::text::render(
            &view,
            TextOptions { full: args.full, painter: output::painter() },
        ));
        output::print(&format!("\nschedules written to {}\n", database.display()));
    }
    Ok(status_of(&result))
}

fn status_of(result: &Enumeration) -> Status {
    if result.totals().deadlocked > 0 || result.has_errors() {
        Status::Found
    } else if result.is_complete() {
        Status::Clean
    } else {
        Status::Incomplete
    }
}

fn open_for_writing(file: &Path) -> Result<(), DriverError> {
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(file);
    opened.map(drop).map_err(|error| DriverError::Write { path: file.to_path_buf(), error })
}

fn write_json(text: &str, file: &PathBuf) -> Result<(), DriverError> {
    if file == Path::new("-") {
        output::print(text);
        return Ok(());
    }
    std::fs::write(file, text).map_err(|error| DriverError::Write { path: file.clone(), error })
}

fn run_exec(args: &ExecArgs) -> Result<Status, DriverError> {
    let outcome = exec::exec(&config::exec(args))?;
    if let Some(diagnostic) = &outcome.diagnostic {
        output::diagnostic(diagnostic);
    }
    Ok(match outcome.end {
        ExecEnd::Exited(status) => Status::Program(status),
        // What a shell says of a process that ended by SIGABRT.
        ExecEnd::Aborted => Status::Program(134),
        ExecEnd::Found => Status::Found,
        ExecEnd::Wrong => Status::Wrong,
        ExecEnd::Incomplete => Status::Incomplete,
    })
}

fn run_show(args: &ShowArgs) -> Result<Status, DriverError> {
    let result = show::read(&args.database)?;
    let view = match View::select(&result, args.epoch.as_deref(), args.schedule.as_deref()) {
        Ok(view) => view,
        Err(error) => {
            output::diagnostic(&(&error).into());
            return Ok(Status::Wrong);
        }
    };
    output::print(&match args.format {
        ShowFormat::Text => {
            icsched_report::text::render(&view, TextOptions { full: args.full, painter: output::painter() })
        }
        ShowFormat::Json => icsched_report::json::render(&view),
        ShowFormat::Dot => icsched_report::dot::render(&view),
        ShowFormat::Svg => icsched_report::svg::render(&view),
        ShowFormat::Html => icsched_report::html::render(&view),
    });
    Ok(Status::Clean)
}

fn run_inspect_ir(args: &InspectIrArgs) -> Result<Status, DriverError> {
    let program = icsched_driver::ProgramConfig { path: args.program.clone(), externs: Default::default() };
    output::print(&inspect::ir(&program, args.function.as_deref())?);
    Ok(Status::Clean)
}
