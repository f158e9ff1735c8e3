//! One function per subcommand.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use icsched_driver::config::Technique;
use icsched_driver::enumerate::{Enumerated, Source};
use icsched_driver::exec::ExecEnd;
use icsched_driver::experiment::{Commands, ExperimentConfig, experiment};
use icsched_driver::inspect::Inspected;
use icsched_driver::verify::Verified;
use icsched_driver::{DriverError, Enumeration, ProgramConfig, enumerate, exec, inspect, show, symex, verify};
use icsched_report::View;
use icsched_report::text::TextOptions;

use crate::args::{
    Cli, Command, EnumerateArgs, ExecArgs, ExperimentArgs, InspectArgs, InspectCommand, InspectFormat,
    InspectMarkersArgs, MarkerFormat, MarkerTechniqueArg, ShowArgs, ShowFormat, SymexArgs, VerifyArgs,
};
use crate::guard::{Cause, News};
use crate::last::Heard;
use crate::progress::{BatchLines, ShownProgress};
use crate::symex_output::SymexSink;
use crate::{Status, config, guard, last, output, verify_output};

pub(crate) fn run(cli: &Arc<Cli>) -> Status {
    let quiet = cli.quiet;
    let result = match &cli.command {
        Command::Enumerate(args) => run_enumerate(args, cli),
        Command::Symex(args) => run_symex(args, cli),
        Command::Exec(args) => run_exec(args, cli),
        Command::Show(args) => run_show(args),
        Command::Verify(args) => run_verify(args, cli),
        Command::Experiment(args) => run_experiment(args, quiet),
        Command::Inspect { what } => run_inspect(what, cli),
    };
    result.unwrap_or_else(|error| match error.stopped_by() {
        Some((limit, activity)) => {
            let heard = Heard { doing: activity.words().to_owned(), ..Heard::default() };
            last::result(cli, &Cause::Limit(limit), &heard)
        }
        None => {
            output::driver_error(&error);
            Status::Wrong
        }
    })
}

/// Time that a search has to put together what it found, on a machine that has nothing else to do.
const SEARCH_GRACE: Duration = Duration::from_millis(1500);

/// Time that a run has to stop: it may wait for input.
const RUN_GRACE: Duration = Duration::from_millis(500);

/// The time that a command has to stop when it is to, and its time limit.
pub(crate) fn time_to_stop(command: &Command) -> (Duration, Option<Duration>) {
    match command {
        Command::Enumerate(args) => (SEARCH_GRACE, args.program.timeout),
        Command::Symex(args) => (SEARCH_GRACE, args.program.timeout),
        Command::Verify(args) => (SEARCH_GRACE, args.timeout),
        Command::Inspect { what } => (SEARCH_GRACE, what.limits().timeout),
        Command::Exec(args) => (RUN_GRACE, args.program.timeout),
        Command::Show(_) | Command::Experiment(_) => (RUN_GRACE, None),
    }
}

/// The database of a command.
pub(crate) fn database(args: &EnumerateArgs) -> PathBuf {
    args.output.clone().unwrap_or_else(|| args.program.program.with_extension("icsdb"))
}

fn run_enumerate(args: &EnumerateArgs, cli: &Arc<Cli>) -> Result<Status, DriverError> {
    let quiet = cli.quiet;
    // What cannot be written is better known before the search than after it.
    let database = database(args);
    let config = config::enumerate(args, Some(&database)).map_err(DriverError::Inputs)?;
    show::check_writable(&database)?;
    if let Some(file) = args.json.as_deref().filter(|file| *file != Path::new("-")) {
        open_for_writing(file)?;
    }
    let mut progress = ShownProgress::new(quiet);
    let watch = guard::watch(&config.limits, SEARCH_GRACE, cli);
    let result = enumerate::enumerate(&config, &mut progress);
    drop(watch);
    progress.finish();
    let Enumerated { result, source, unwritten } = result?;
    if !quiet {
        say_source(source, &database);
    }
    let written = unwritten.is_none().then_some(database.as_path());
    let status = tell_schedules(args, quiet, &result, written);
    Ok(match unwritten {
        Some(error) => {
            output::driver_error(&error.into());
            Status::Wrong
        }
        None => status,
    })
}

/// Writes a result to where it is wanted; to standard output also if that was the JSON form and it cannot be written.
pub(crate) fn tell_schedules(
    args: &EnumerateArgs,
    quiet: bool,
    result: &Enumeration,
    database: Option<&Path>,
) -> Status {
    let view = View::whole(result);
    let json = args.json.as_ref().map(|file| write_json(&icsched_report::json::render(&view), file));
    let text = || {
        let options = TextOptions { full: args.full, painter: output::painter() };
        let written = database.map(|database| format!("\nschedules written to {}\n", database.display()));
        icsched_report::text::render(&view, options) + &written.unwrap_or_default()
    };
    print_beside(json, args.json.as_deref(), quiet, text, status_of(result))
}

/// Prints a text beside a JSON file, or instead of one that cannot be written.
fn print_beside(
    json: Option<Result<(), DriverError>>,
    file: Option<&Path>,
    quiet: bool,
    text: impl FnOnce() -> String,
    status: Status,
) -> Status {
    let failure = json.and_then(Result::err);
    let to_stdout = file == Some(Path::new("-"));
    let is_wanted = !to_stdout && (!quiet || failure.is_some());
    let status = if is_wanted { print_or_tell(&text(), status) } else { status };
    match failure {
        Some(error) => {
            output::driver_error(&error);
            Status::Wrong
        }
        None => status,
    }
}

/// Prints a text; where it cannot be printed that is the status, and an error message.
pub(crate) fn print_or_tell(text: &str, status: Status) -> Status {
    print(text).map_or_else(
        |error| {
            output::driver_error(&error);
            Status::Wrong
        },
        |()| status,
    )
}

/// Says what was not searched because it was known.
fn say_source(source: Source, database: &Path) {
    let database = database.display();
    match source {
        Source::Searched => {}
        Source::Resumed(searches) => {
            output::note(&format!("went on from {database}; searches of epochs that were there: {searches}\n"));
        }
        Source::Database => {
            output::note(&format!(
                "{database} has the result of this program with these options; --fresh searches anew\n"
            ));
        }
    }
}

fn run_symex(args: &SymexArgs, cli: &Arc<Cli>) -> Result<Status, DriverError> {
    let config = config::symex(args).map_err(DriverError::Inputs)?;
    let mut sink = SymexSink::new(args, cli.quiet, &config.limits)?;
    let watch = guard::watch(&config.limits, SEARCH_GRACE, cli);
    let summary = symex::symex(&config, &mut sink);
    drop(watch);
    sink.finish();
    let summary = summary?;
    Ok(match summary.complete {
        _ if summary.totals.is_something_found() => Status::Found,
        true => Status::Clean,
        false => Status::Incomplete,
    })
}

fn status_of(result: &Enumeration) -> Status {
    if result.has_findings() {
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

/// To standard output, which can be full.
fn print(text: &str) -> Result<(), DriverError> {
    guard::tell(&News::Printing);
    output::print(text).map_err(|error| DriverError::Write { path: "standard output".into(), error })
}

fn write_json(text: &str, file: &PathBuf) -> Result<(), DriverError> {
    if file == Path::new("-") {
        return print(text);
    }
    std::fs::write(file, text).map_err(|error| DriverError::Write { path: file.clone(), error })
}

fn run_exec(args: &ExecArgs, cli: &Arc<Cli>) -> Result<Status, DriverError> {
    let config = config::exec(args);
    let watch = guard::watch(&config.limits, RUN_GRACE, cli);
    let outcome = exec::exec(&config);
    drop(watch);
    let outcome = outcome?;
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
    if matches!(args.format, ShowFormat::Dump) {
        print(&show::dump(&args.database)?)?;
        return Ok(Status::Clean);
    }
    let result = show::read(&args.database)?;
    let view = match View::select(&result, args.epoch.as_deref(), args.schedule.as_deref()) {
        Ok(view) => view,
        Err(error) => {
            output::diagnostic(&(&error).into());
            return Ok(Status::Wrong);
        }
    };
    print(&match args.format {
        ShowFormat::Text => {
            icsched_report::text::render(&view, TextOptions { full: args.full, painter: output::painter() })
        }
        ShowFormat::Json | ShowFormat::Dump => icsched_report::json::render(&view),
        ShowFormat::Dot => icsched_report::dot::render(&view),
        ShowFormat::Svg => icsched_report::svg::render(&view),
        ShowFormat::Html => icsched_report::html::render(&view),
    })?;
    Ok(Status::Clean)
}

fn run_verify(args: &VerifyArgs, cli: &Arc<Cli>) -> Result<Status, DriverError> {
    let database = show::read(&args.database)?;
    let config = config::verify(args, &database.options).map_err(DriverError::Inputs)?;
    if let Some(file) = args.json.as_deref().filter(|file| *file != Path::new("-")) {
        open_for_writing(file)?;
    }
    let mut progress = ShownProgress::new(cli.quiet);
    let watch = guard::watch(&config.limits, SEARCH_GRACE, cli);
    let verified = verify::verify(&config, &database, args.paths as usize, &mut progress);
    drop(watch);
    progress.finish();
    Ok(tell_verified(args, cli.quiet, &verified?))
}

/// Writes what was verified to where it is wanted.
pub(crate) fn tell_verified(args: &VerifyArgs, quiet: bool, verified: &Verified) -> Status {
    let json = args.json.as_ref().map(|file| write_json(&verify_output::json(args, verified), file));
    let status = match () {
        () if !verified.result.faults.is_empty() => Status::Found,
        () if verified.result.is_complete() => Status::Clean,
        () => Status::Incomplete,
    };
    print_beside(json, args.json.as_deref(), quiet, || verify_output::text(args, verified), status)
}

fn run_experiment(args: &ExperimentArgs, quiet: bool) -> Result<Status, DriverError> {
    let stop = guard::stop_on_signals();
    let icsched = std::env::current_exe().map_err(|error| DriverError::Read { path: "icsched".into(), error })?;
    let config = ExperimentConfig {
        manifest: args.manifest.clone(),
        output: args.output.clone(),
        clang: args.clang.clone(),
        force: args.force,
        only: args.only.clone(),
        stop: Arc::clone(&stop),
    };
    let report = experiment(&config, &Commands::new(icsched, stop), &mut BatchLines { quiet })?;
    if !quiet {
        print(&report.markdown())?;
        print(&format!("\nresults written to {}\n", args.output.display()))?;
    }
    Ok(if report.is_complete() { Status::Clean } else { Status::Incomplete })
}

/// One of the questions about a program that all take the same options.
type Question = fn(&Inspected, &inspect::Selection) -> Result<String, DriverError>;

fn run_inspect(what: &InspectCommand, cli: &Arc<Cli>) -> Result<Status, DriverError> {
    let limits = config::inspect_limits(what.limits());
    let watch = guard::watch(&limits, SEARCH_GRACE, cli);
    let path = what.program().to_path_buf();
    let program = Inspected::new(ProgramConfig { path, externs: Default::default() }, limits);
    let text = match what {
        InspectCommand::Ir(args) if args.check => inspect::check_ir(&program),
        InspectCommand::Ir(args) => inspect::ir(&program, args.function.as_deref()),
        InspectCommand::Callgraph(args) => ask(args, &program, inspect::callgraph),
        InspectCommand::Loops(args) => ask(args, &program, inspect::loops),
        InspectCommand::Pointsto(args) => ask(args, &program, inspect::pointsto),
        InspectCommand::Modref(args) => ask(args, &program, inspect::modref),
        InspectCommand::Defs(args) => {
            let format = if args.json { inspect::Format::Json } else { inspect::Format::Text };
            inspect::defs(&program, &args.threads, args.none_ended, format)
        }
        InspectCommand::Markers(args) => markers(args, &program),
    };
    drop(watch);
    print(&text?)?;
    Ok(Status::Clean)
}

fn markers(args: &InspectMarkersArgs, program: &Inspected) -> Result<String, DriverError> {
    let format = match args.format {
        MarkerFormat::Text if !args.json => inspect::Format::Text,
        MarkerFormat::Text | MarkerFormat::Json => inspect::Format::Json,
    };
    let technique = |t: &MarkerTechniqueArg| match t {
        MarkerTechniqueArg::MarkerPruning => Technique::MarkerPruning,
        MarkerTechniqueArg::Pointsto => Technique::PointsTo,
    };
    let without = args.without.iter().map(technique).collect();
    inspect::markers(program, &inspect::MarkerSelection { format, function: args.function.clone(), without })
}

fn ask(args: &InspectArgs, program: &Inspected, question: Question) -> Result<String, DriverError> {
    let format = match args.format {
        _ if args.json => inspect::Format::Json,
        InspectFormat::Text => inspect::Format::Text,
        InspectFormat::Json => inspect::Format::Json,
        InspectFormat::Dot => inspect::Format::Dot,
    };
    let selection =
        inspect::Selection { format, models: args.models, function: args.function.clone(), closed: args.closed };
    question(program, &selection)
}
