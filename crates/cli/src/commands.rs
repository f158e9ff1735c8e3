//! One function per subcommand.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use icsched_driver::check::{Baseline, CheckConfig, FindingKind};
use icsched_driver::config::{Activity, Sources, StopRequest, Technique};
use icsched_driver::enumerate::{Enumerated, Source};
use icsched_driver::exec::ExecEnd;
use icsched_driver::experiment::{Commands, ExperimentConfig, experiment};
use icsched_driver::inspect::Inspected;
use icsched_driver::{DriverError, ProgramConfig, check, enumerate, exec, inspect, replay, show, symex, verify};
use icsched_report::View;
use icsched_report::check::Options as CheckOptions;
use icsched_report::text::TextOptions;

use crate::answers::{database, database_of, not_written, print, tell_schedules, tell_verified, write_json};
use crate::args::{
    CheckArgs, Cli, Command, EnumerateArgs, ExecArgs, ExperimentArgs, InspectArgs, InspectCommand, InspectFormat,
    InspectMarkersArgs, MarkerFormat, MarkerTechniqueArg, ReplayArgs, ShowArgs, ShowFormat, SymexArgs, VerifyArgs,
};
use crate::grace::{RUN_GRACE, SEARCH_GRACE};
use crate::guard::news::{Cause, News};
use crate::progress::{BatchLines, ShownProgress};
use crate::status::Status;
use crate::symex_output::SymexSink;
use crate::{check_output, config, guard, last, output};

pub(crate) fn run(cli: &Arc<Cli>) -> Status {
    let quiet = cli.quiet;
    let result = match &cli.command {
        Command::Enumerate(args) => run_enumerate(args, cli),
        Command::Check(args) => run_check(args, cli),
        Command::Replay(args) => run_replay(args, cli),
        Command::Symex(args) => run_symex(args, cli),
        Command::Exec(args) => run_exec(args, cli),
        Command::Show(args) => run_show(args),
        Command::Verify(args) => run_verify(args, cli),
        Command::Experiment(args) => run_experiment(args, quiet),
        Command::Inspect { what } => run_inspect(what, cli),
    };
    result.unwrap_or_else(|error| match error.stopped_by() {
        Some((limit, activity)) => {
            let mut heard = guard::tell::known();
            if heard.doing != activity.words() {
                heard.hear(News::Doing(activity.words().to_owned()));
            }
            last::result(cli, &Cause::Limit(limit), &heard)
        }
        None => {
            output::driver_error(&error);
            status_of_error(&error)
        }
    })
}

fn status_of_error(error: &DriverError) -> Status {
    match () {
        () if error.stopped_by().is_some() => Status::Incomplete,
        () if error.is_bug() => Status::Bug,
        () => Status::Wrong,
    }
}

fn run_enumerate(args: &EnumerateArgs, cli: &Arc<Cli>) -> Result<Status, DriverError> {
    let quiet = cli.quiet;
    // What cannot be written is better known before the search than after it.
    let database = database(args);
    let config = config::enumerate(&args.search, Some((&database, args.force)))?;
    show::check_writable(&database)?;
    if let Some(file) = args.json.as_deref().filter(|file| *file != Path::new("-")) {
        open_for_writing(file)?;
    }
    let mut progress = ShownProgress::new(quiet);
    let watch = guard::limits::watch(&config.limits, SEARCH_GRACE, cli);
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

fn run_check(args: &CheckArgs, cli: &Arc<Cli>) -> Result<Status, DriverError> {
    let quiet = cli.quiet;
    let named = &args.search.program.program;
    let is_database = show::is_database(named);
    let database = match &args.db {
        Some(database) => database.clone(),
        None if is_database => named.clone(),
        None => database_of(named),
    };
    let baseline = match &args.baseline {
        None => Baseline::default(),
        Some(path) => {
            let text = std::fs::read_to_string(path);
            let text = text.map_err(|error| DriverError::Read { path: path.clone(), error })?;
            Baseline::parse(&text).map_err(|why| DriverError::Inputs(format!("{}: {why}", path.display())))?
        }
    };
    let kept = Some((database.as_path(), args.force));
    let enumerate = match is_database {
        false => config::enumerate(&args.search, kept)?,
        // What it was made with says what is checked.
        true => {
            let made = show::read(named)?;
            let program = &args.search.program;
            config::remade(
                Path::new(&made.program),
                (&made.options, &made.contents),
                (program.timeout, program.max_memory),
                kept,
            )?
        }
    };
    let config = CheckConfig {
        enumerate,
        held: args.held,
        kinds: if args.only.is_empty() { FindingKind::ALL.to_vec() } else { args.only.clone() },
        baseline,
    };
    show::check_writable(&database)?;
    let (to_stdout, files): (Vec<_>, Vec<_>) = [&args.json, &args.sarif, &args.html, &args.junit]
        .into_iter()
        .flatten()
        .partition(|file| *file == Path::new("-"));
    if to_stdout.len() + usize::from(args.github) > 1 {
        return Err(DriverError::Inputs("only one result can be written to standard output".to_owned()));
    }
    files.into_iter().try_for_each(|file| open_for_writing(file))?;
    let mut progress = ShownProgress::new(quiet);
    let watch = guard::limits::watch(&config.enumerate.limits, SEARCH_GRACE, cli);
    let outcome = check::check(&config, &mut progress);
    drop(watch);
    progress.finish();
    let outcome = outcome?;
    if !quiet {
        say_source(outcome.source, &database);
    }
    let status = check_output::tell(args, quiet, &outcome.result, Some(&outcome.schedules));
    Ok(match outcome.unwritten {
        Some(error) => {
            output::driver_error(&error.into());
            Status::Wrong
        }
        None => status,
    })
}

fn run_replay(args: &ReplayArgs, cli: &Arc<Cli>) -> Result<Status, DriverError> {
    let file = replay::read(&args.finding)?;
    let program = args.program.clone().unwrap_or_else(|| PathBuf::from(&file.program));
    let config = config::remade(&program, (&file.options, &file.contents), (args.timeout, args.max_memory), None)?;
    let watch = guard::limits::watch(&config.limits, SEARCH_GRACE, cli);
    let replayed = replay::replay(&config, &file.digest, &file.finding);
    drop(watch);
    let replayed = replayed?;
    check_output::tell_replay(args, cli.quiet, &file, &replayed)
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
    let config = config::symex(args)?;
    let mut sink = SymexSink::new(args, cli.quiet, &config.limits)?;
    let watch = guard::limits::watch(&config.limits, SEARCH_GRACE, cli);
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

fn open_for_writing(file: &Path) -> Result<(), DriverError> {
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(file);
    opened.map(drop).map_err(|error| DriverError::Write { path: file.to_path_buf(), error })
}

fn run_exec(args: &ExecArgs, cli: &Arc<Cli>) -> Result<Status, DriverError> {
    let config = config::exec(args)?;
    let watch = guard::limits::watch(&config.limits, RUN_GRACE, cli);
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
    if matches!(args.format, ShowFormat::Json) {
        write_json(&icsched_report::json::render(&view), &PathBuf::from("-"))?;
        return Ok(Status::Clean);
    }
    print(&match args.format {
        ShowFormat::Text | ShowFormat::Json | ShowFormat::Dump => {
            icsched_report::text::render(&view, TextOptions { full: args.full, painter: output::painter() })
        }
        ShowFormat::Dot => icsched_report::dot::render(&view),
        ShowFormat::Svg => icsched_report::svg::render(&view),
        ShowFormat::Html => icsched_report::html::render(&view, None, &CheckOptions::default()),
    })?;
    Ok(Status::Clean)
}

fn run_verify(args: &VerifyArgs, cli: &Arc<Cli>) -> Result<Status, DriverError> {
    let database = show::read(&args.database)?;
    let config = config::verify(args, (&database.options, &database.contents))?;
    if let Some(file) = args.json.as_deref().filter(|file| *file != Path::new("-")) {
        open_for_writing(file)?;
    }
    let mut progress = ShownProgress::new(cli.quiet);
    let watch = guard::limits::watch(&config.limits, SEARCH_GRACE, cli);
    let verified = verify::verify(&config, &database, args.paths as usize, &mut progress);
    drop(watch);
    progress.finish();
    Ok(tell_verified(args, cli.quiet, &verified?))
}

fn run_experiment(args: &ExperimentArgs, quiet: bool) -> Result<Status, DriverError> {
    let stop = guard::limits::stop_on_signals();
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
    Ok(match () {
        () if report.has_bugs() => Status::Bug,
        () if report.is_complete() => Status::Clean,
        () => Status::Incomplete,
    })
}

/// One of the questions about a program that all take the same options.
type Question = fn(&Inspected, &inspect::Selection, inspect::Out<'_>) -> Result<(), DriverError>;

fn run_inspect(what: &InspectCommand, cli: &Arc<Cli>) -> Result<Status, DriverError> {
    let limits = config::inspect_limits(what.limits());
    let watch = guard::limits::watch(&limits, SEARCH_GRACE, cli);
    let path = what.program().to_path_buf();
    let program = Inspected::new(ProgramConfig::new(Sources { files: vec![path], ..Sources::default() }), limits);
    let is_json = is_json(what);
    let (stop, to) = (Arc::clone(&program.limits.stop), output::harmless_stdout(is_json));
    let mut out = BufWriter::new(Answer { stop, is_text: is_text(what), has_begun: false, to });
    let whole = |text: String, out: inspect::Out<'_>| out.write_all(text.as_bytes()).map_err(not_written);
    let answered = match what {
        InspectCommand::Ir(args) if args.check => inspect::check_ir(&program).and_then(|text| whole(text, &mut out)),
        InspectCommand::Ir(args) => {
            inspect::ir(&program, args.function.as_deref()).and_then(|text| whole(text, &mut out))
        }
        InspectCommand::Callgraph(args) => ask(args, &program, inspect::callgraph, &mut out),
        InspectCommand::Loops(args) => ask(args, &program, inspect::loops, &mut out),
        InspectCommand::Pointsto(args) => ask(args, &program, inspect::pointsto, &mut out),
        InspectCommand::Modref(args) => ask(args, &program, inspect::modref, &mut out),
        InspectCommand::Defs(args) => {
            let format = if args.json { inspect::Format::Json } else { inspect::Format::Text };
            inspect::defs(&program, &args.threads, args.none_ended, format).and_then(|text| whole(text, &mut out))
        }
        InspectCommand::Markers(args) => markers(args, &program).and_then(|text| whole(text, &mut out)),
    };
    let flushed = out.flush().map_err(not_written);
    drop(watch);
    let answer = match answered {
        Err(unwritten @ DriverError::Write { .. }) => Err(unwritten),
        // What was cut at a limit is an answer, too.
        answered => flushed.and(answered),
    };
    match answer {
        // A reader that went away (`| head`) is no error.
        Err(DriverError::Write { error, .. }) if error.kind() == io::ErrorKind::BrokenPipe => {}
        Err(DriverError::Write { error, .. }) => return Err(not_written(error)),
        answer => answer?,
    }
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

/// Whether an answer is JSON, in which what no terminal may see is escaped.
fn is_json(what: &InspectCommand) -> bool {
    match what {
        InspectCommand::Ir(_) => false,
        InspectCommand::Callgraph(args)
        | InspectCommand::Loops(args)
        | InspectCommand::Pointsto(args)
        | InspectCommand::Modref(args) => args.json || matches!(args.format, InspectFormat::Json),
        InspectCommand::Defs(args) => args.json,
        InspectCommand::Markers(args) => args.json || matches!(args.format, MarkerFormat::Json),
    }
}

/// Whether something may be said behind an answer, or its beginning: it is no JSON and no picture.
fn is_text(what: &InspectCommand) -> bool {
    let is_picture = match what {
        InspectCommand::Callgraph(args)
        | InspectCommand::Loops(args)
        | InspectCommand::Pointsto(args)
        | InspectCommand::Modref(args) => matches!(args.format, InspectFormat::Dot),
        InspectCommand::Ir(_) | InspectCommand::Defs(_) | InspectCommand::Markers(_) => false,
    };
    !is_json(what) && !is_picture
}

/// Standard output for an answer that is written piece by piece.
struct Answer<W> {
    stop: Arc<StopRequest>,
    is_text: bool,
    has_begun: bool,
    to: W,
}

impl<W: Write> Write for Answer<W> {
    /// Readers take their time (`| less`), and nobody is late because of them. What is left to do behind a limit is to
    /// write.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !std::mem::replace(&mut self.has_begun, true) {
            guard::tell::tell(if self.is_text { &News::Writing } else { &News::Printing });
        }
        let before = self.stop.doing().activity;
        self.stop.begin(Activity::Writing);
        let written = self.to.write(bytes);
        if self.stop.asked().is_none() {
            self.stop.begin(before);
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        // It is the end.
        self.stop.begin(Activity::Writing);
        self.to.flush()
    }
}

fn ask(args: &InspectArgs, program: &Inspected, question: Question, out: inspect::Out<'_>) -> Result<(), DriverError> {
    let format = match args.format {
        _ if args.json => inspect::Format::Json,
        InspectFormat::Text => inspect::Format::Text,
        InspectFormat::Json => inspect::Format::Json,
        InspectFormat::Dot => inspect::Format::Dot,
    };
    let selection =
        inspect::Selection { format, models: args.models, function: args.function.clone(), closed: args.closed };
    question(program, &selection, out)
}

#[cfg(test)]
mod tests {
    use icsched_driver::{DbError, LoadError, LoadStop};

    use super::*;

    #[test]
    fn who_is_wrong_decides_the_status() {
        let path = || "p.bc".to_owned();
        let status = |error: LoadError| status_of_error(&DriverError::Load(error));
        assert_eq!(status(LoadError::Internal { path: path(), detail: String::new() }), Status::Bug);
        assert_eq!(status(LoadError::Corrupt { path: path(), detail: String::new() }), Status::Wrong);
        assert_eq!(status(LoadError::Stopped { path: path(), stop: LoadStop::Time }), Status::Incomplete);
        assert_eq!(status_of_error(&DriverError::Database(DbError::DuplicateEpoch(path()))), Status::Bug);
        assert_eq!(status_of_error(&DriverError::Database(DbError::Missing("p.icsdb".into()))), Status::Wrong);
    }
}
