//! One function per subcommand.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use icsched_driver::config::Technique;
use icsched_driver::enumerate::{Enumerated, Source};
use icsched_driver::exec::ExecEnd;
use icsched_driver::experiment::{Commands, ExperimentConfig, experiment};
use icsched_driver::{DriverError, Enumeration, ProgramConfig, enumerate, exec, inspect, show, symex, verify};
use icsched_report::View;
use icsched_report::text::TextOptions;

use crate::args::{
    Cli, Command, EnumerateArgs, ExecArgs, ExperimentArgs, InspectArgs, InspectCommand, InspectDefsArgs, InspectFormat,
    InspectIrArgs, InspectMarkersArgs, MarkerFormat, MarkerTechniqueArg, ShowArgs, ShowFormat, SymexArgs, VerifyArgs,
};
use crate::progress::{BatchLines, ShownProgress};
use crate::symex_output::SymexSink;
use crate::{Status, config, guard, output, verify_output};

pub(crate) fn run(cli: Cli) -> Status {
    let quiet = cli.quiet;
    let result = match cli.command {
        Command::Enumerate(args) => run_enumerate(&args, quiet),
        Command::Symex(args) => run_symex(&args, quiet),
        Command::Exec(args) => run_exec(&args),
        Command::Show(args) => run_show(&args),
        Command::Verify(args) => run_verify(&args, quiet),
        Command::Experiment(args) => run_experiment(&args, quiet),
        Command::Inspect { what: InspectCommand::Ir(args) } => run_inspect_ir(&args),
        Command::Inspect { what: InspectCommand::Callgraph(args) } => run_inspect(&args, inspect::callgraph),
        Command::Inspect { what: InspectCommand::Loops(args) } => run_inspect(&args, inspect::loops),
        Command::Inspect { what: InspectCommand::Pointsto(args) } => run_inspect(&args, inspect::pointsto),
        Command::Inspect { what: InspectCommand::Modref(args) } => run_inspect(&args, inspect::modref),
        Command::Inspect { what: InspectCommand::Defs(args) } => run_inspect_defs(&args),
        Command::Inspect { what: InspectCommand::Markers(args) } => run_inspect_markers(&args),
    };
    result.unwrap_or_else(|error| {
        output::driver_error(&error);
        if error.is_stop() { Status::Incomplete } else { Status::Wrong }
    })
}

/// Time that a search has to put together what it found. Several questions to the solver may be under way.
const SEARCH_GRACE: Duration = Duration::from_secs(10);

/// Time that a run has to stop: it may wait for input.
const RUN_GRACE: Duration = Duration::from_millis(500);

fn run_enumerate(args: &EnumerateArgs, quiet: bool) -> Result<Status, DriverError> {
    // What cannot be written is better known before the search than after it.
    let database = args.output.clone().unwrap_or_else(|| args.program.program.with_extension("icsdb"));
    let config = config::enumerate(args, Some(&database)).map_err(DriverError::Inputs)?;
    show::check_writable(&database)?;
    if let Some(file) = args.json.as_deref().filter(|file| *file != Path::new("-")) {
        open_for_writing(file)?;
    }
    let mut progress = ShownProgress::new(quiet);
    let watch = guard::watch(&config.limits, SEARCH_GRACE.saturating_add(config.limits.solver_timeout));
    let result = enumerate::enumerate(&config, &mut progress);
    drop(watch);
    progress.finish();
    let Enumerated { result, source } = result?;
    if !quiet {
        say_source(source, &database);
    }
    let view = View::whole(&result);
    let to_stdout = args.json.as_deref() == Some(Path::new("-"));
    if let Some(file) = &args.json {
        write_json(&icsched_report::json::render(&view), file)?;
    }
    if !to_stdout && !quiet {
        let options = TextOptions { full: args.full, painter: output::painter() };
        print(&icsched_report::text::render(&view, options))?;
        print(&format!("\nschedules written to {}\n", database.display()))?;
    }
    Ok(status_of(&result))
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

fn run_symex(args: &SymexArgs, quiet: bool) -> Result<Status, DriverError> {
    let config = config::symex(args).map_err(DriverError::Inputs)?;
    let mut sink = SymexSink::new(args, quiet, &config.limits)?;
    let watch = guard::watch(&config.limits, SEARCH_GRACE.saturating_add(config.limits.solver_timeout));
    let summary = symex::symex(&config, &mut sink);
    drop(watch);
    sink.finish();
    let summary = summary?;
    let totals = summary.totals;
    Ok(match () {
        () if totals.deadlocks + totals.endless + totals.memory_errors + totals.aborts > 0 => Status::Found,
        () if summary.complete => Status::Clean,
        () => Status::Incomplete,
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
    output::print(text).map_err(|error| DriverError::Write { path: "standard output".into(), error })
}

fn write_json(text: &str, file: &PathBuf) -> Result<(), DriverError> {
    if file == Path::new("-") {
        return print(text);
    }
    std::fs::write(file, text).map_err(|error| DriverError::Write { path: file.clone(), error })
}

fn run_exec(args: &ExecArgs) -> Result<Status, DriverError> {
    let config = config::exec(args);
    let watch = guard::watch(&config.limits, RUN_GRACE);
    let outcome = exec::exec(&config, &mut |error| output::diagnostic(&error));
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

fn run_verify(args: &VerifyArgs, quiet: bool) -> Result<Status, DriverError> {
    let database = show::read(&args.database)?;
    let config = config::verify(args, &database.options).map_err(DriverError::Inputs)?;
    if let Some(file) = args.json.as_deref().filter(|file| *file != Path::new("-")) {
        open_for_writing(file)?;
    }
    let mut progress = ShownProgress::new(quiet);
    let watch = guard::watch(&config.limits, SEARCH_GRACE.saturating_add(config.limits.solver_timeout));
    let verified = verify::verify(&config, &database, args.paths as usize, &mut progress);
    drop(watch);
    progress.finish();
    let verified = verified?;
    if let Some(file) = &args.json {
        write_json(&verify_output::json(args, &verified), file)?;
    }
    if args.json.as_deref() != Some(Path::new("-")) && !quiet {
        print(&verify_output::text(args, &verified))?;
    }
    Ok(match () {
        () if !verified.result.faults.is_empty() => Status::Found,
        () if verified.result.is_complete() => Status::Clean,
        () => Status::Incomplete,
    })
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

fn run_inspect_ir(args: &InspectIrArgs) -> Result<Status, DriverError> {
    let program = inspected(&args.program);
    let text = if args.check { inspect::check_ir(&program)? } else { inspect::ir(&program, args.function.as_deref())? };
    print(&text)?;
    Ok(Status::Clean)
}

fn run_inspect_defs(args: &InspectDefsArgs) -> Result<Status, DriverError> {
    let format = if args.json { inspect::Format::Json } else { inspect::Format::Text };
    print(&inspect::defs(&inspected(&args.program), &args.threads, args.none_ended, format)?)?;
    Ok(Status::Clean)
}

fn run_inspect_markers(args: &InspectMarkersArgs) -> Result<Status, DriverError> {
    let format = match args.format {
        MarkerFormat::Text if !args.json => inspect::Format::Text,
        MarkerFormat::Text | MarkerFormat::Json => inspect::Format::Json,
    };
    let technique = |t: &MarkerTechniqueArg| match t {
        MarkerTechniqueArg::MarkerPruning => Technique::MarkerPruning,
        MarkerTechniqueArg::Pointsto => Technique::PointsTo,
    };
    let without = args.without.iter().map(technique).collect();
    let selection = inspect::MarkerSelection { format, function: args.function.clone(), without };
    print(&inspect::markers(&inspected(&args.program), &selection)?)?;
    Ok(Status::Clean)
}

fn inspected(path: &Path) -> ProgramConfig {
    ProgramConfig { path: path.to_path_buf(), externs: Default::default(), memory_errors: Default::default() }
}

/// One of the questions about a program that all take the same options.
type Question = fn(&ProgramConfig, &inspect::Selection) -> Result<String, DriverError>;

fn run_inspect(args: &InspectArgs, question: Question) -> Result<Status, DriverError> {
    let format = match args.format {
        _ if args.json => inspect::Format::Json,
        InspectFormat::Text => inspect::Format::Text,
        InspectFormat::Json => inspect::Format::Json,
        InspectFormat::Dot => inspect::Format::Dot,
    };
    let selection =
        inspect::Selection { format, models: args.models, function: args.function.clone(), closed: args.closed };
    print(&question(&inspected(&args.program), &selection)?)?;
    Ok(Status::Clean)
}
