//! What `icsched check` and `icsched replay` say, and where they write it.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use icsched_driver::check::{CheckResult, Finding, FindingFile, FindingKind, StepRole, TraceStep, Verdict};
use icsched_driver::replay::Replayed;
use icsched_driver::{Contents, DriverError, Enumeration};
use icsched_report::View;
use icsched_report::check::{Options, github, json, junit, sarif, text};

use crate::answers::{print, print_or_tell, write_json};
use crate::args::{CheckArgs, FailOn, ReplayArgs};
use crate::output;
use crate::status::Status;

/// Writes a result to where it is wanted. Without schedules there is no page of them.
pub(crate) fn tell(args: &CheckArgs, quiet: bool, result: &CheckResult, schedules: Option<&Enumeration>) -> Status {
    let status = status(args, result);
    let files: Vec<PathBuf> = match &args.output {
        Some(directory) => (1..=result.findings.len()).map(|number| directory.join(format!("{number}.json"))).collect(),
        None => Vec::new(),
    };
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let directory = std::env::current_dir().map(|path| path.display().to_string()).unwrap_or_default();
    let kinds = if args.only.is_empty() { FindingKind::ALL.to_vec() } else { args.only.clone() };
    let options = Options {
        directory: &directory,
        finding_files: &names,
        kinds: &kinds,
        sources: &|file| std::fs::read_to_string(file).ok(),
        painter: output::painter(),
        ..Options::default()
    };
    let written = write(args, result, schedules, &files, &options);
    let is_quiet = quiet && written.is_ok() || to_stdout(args);
    let status = match (is_quiet, args.github) {
        (_, true) => print_or_tell(&github::render(result, &options), status),
        (true, false) => status,
        (false, false) => print_or_tell(&text::render(result, &options), status),
    };
    match written {
        Ok(()) => status,
        Err(error) => {
            output::driver_error(&error);
            Status::Wrong
        }
    }
}

/// Whether something else than the text goes to standard output.
fn to_stdout(args: &CheckArgs) -> bool {
    [&args.json, &args.sarif, &args.junit, &args.html].into_iter().flatten().any(|file| file == Path::new("-"))
}

/// Writes all files that are wanted.
fn write(
    args: &CheckArgs,
    result: &CheckResult,
    schedules: Option<&Enumeration>,
    files: &[PathBuf],
    options: &Options<'_>,
) -> Result<(), DriverError> {
    if let Some(file) = &args.json {
        write_json(&json::render(result), file)?;
    }
    if let Some(file) = &args.sarif {
        write_json(&sarif::render(result, options), file)?;
    }
    if let Some(file) = &args.junit {
        write_json(&junit::render(result, options), file)?;
    }
    if let (Some(file), Some(schedules)) = (&args.html, schedules) {
        let page = icsched_report::html::render(&View::whole(schedules), Some(result), options);
        match file == Path::new("-") {
            true => print(&page)?,
            false => std::fs::write(file, page).map_err(|error| failed(file, error))?,
        }
    }
    if let Some(directory) = &args.output {
        std::fs::create_dir_all(directory).map_err(|error| failed(directory, error))?;
        let contents = schedules.map(|schedules| schedules.contents.clone()).unwrap_or_default();
        for (file, finding) in files.iter().zip(&result.findings) {
            let text = json::render_finding(&finding_file(result, &contents, finding));
            std::fs::write(file, text).map_err(|error| failed(file, error))?;
        }
        remove_older(directory, files.len())?;
    }
    Ok(())
}

/// Removes findings of an earlier check, which had more of them. Other files stay.
fn remove_older(directory: &Path, kept: usize) -> Result<(), DriverError> {
    for number in kept + 1.. {
        let file = directory.join(format!("{number}.json"));
        let Ok(text) = std::fs::read(&file) else { return Ok(()) };
        if serde_json::from_slice::<FindingFile>(&text).is_err() {
            return Ok(());
        }
        std::fs::remove_file(&file).map_err(|error| failed(&file, error))?;
    }
    Ok(())
}

fn failed(path: &Path, error: std::io::Error) -> DriverError {
    DriverError::Write { path: path.to_path_buf(), error }
}

fn finding_file(result: &CheckResult, contents: &Contents, finding: &Finding) -> FindingFile {
    FindingFile {
        schema: icsched_driver::check::FINDING_SCHEMA.to_owned(),
        program: std::path::absolute(&result.program)
            .map_or_else(|_| result.program.clone(), |p| p.display().to_string()),
        digest: result.digest.clone(),
        options: from_anywhere(&result.options),
        contents: contents.clone(),
        finding: finding.clone(),
    }
}

/// Options that mean the same in another directory: whole paths of the program's further files, and where its sources
/// are compiled.
fn from_anywhere(options: &[String]) -> Vec<String> {
    let whole = |file: &str| Some(format!("--link={}", std::path::absolute(file).ok()?.display()));
    let absolute = |option: &String| option.strip_prefix("--link=").and_then(whole).unwrap_or_else(|| option.clone());
    let here = std::env::current_dir().ok().map(|here| format!("--directory={}", here.display()));
    let here = here.filter(|_| !options.iter().any(|option| option.starts_with("--directory=")));
    here.into_iter().chain(options.iter().map(absolute)).collect()
}

/// The exit status of a check.
fn status(args: &CheckArgs, result: &CheckResult) -> Status {
    let fails = |finding: &Finding| match args.fail_on.is_empty() {
        true => finding.confirmed,
        false => args.fail_on.iter().any(|on| match on {
            FailOn::Kind(kind) => finding.kind == *kind,
            // What is more certain is worse.
            FailOn::Verdict(verdict) => finding.verdict <= *verdict,
        }),
    };
    match () {
        () if result.findings.iter().any(fails) => Status::Found,
        () if !result.complete || result.findings.iter().any(|f| f.verdict == Verdict::Possible) => Status::Incomplete,
        () => Status::Clean,
    }
}

/// Tells what a replay came to.
pub(crate) fn tell_replay(
    args: &ReplayArgs,
    quiet: bool,
    file: &FindingFile,
    replayed: &Replayed,
) -> Result<Status, DriverError> {
    if let Some(path) = &args.json {
        let value = serde_json::json!({
            "schema": "icsched/replay/1",
            "program": file.program,
            "shows": replayed.shows,
            "message": replayed.message,
            "fingerprint": file.finding.fingerprint,
            "trace": replayed.steps,
        });
        write_json(&(serde_json::to_string_pretty(&value).expect("plain data has a JSON form") + "\n"), path)?;
    }
    if !quiet && args.json.as_deref() != Some(Path::new("-")) {
        steps(args, &replayed.steps)?;
        let how = if replayed.shows { "the finding shows" } else { "the finding does not show" };
        print(&format!("{how}: {}\n", replayed.message))?;
    }
    Ok(if replayed.shows { Status::Found } else { Status::Clean })
}

/// The steps of a run, if they are wanted. With `--step` each has its source line, and a terminal waits for Enter.
fn steps(args: &ReplayArgs, steps: &[TraceStep]) -> Result<(), DriverError> {
    if !args.step && !args.trace {
        return Ok(());
    }
    let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
    for (number, step) in (1..).zip(steps) {
        let place = step.frames.last();
        let at = place.map(|site| format!("  {site}")).unwrap_or_default();
        let what = match step.role {
            StepRole::Fails => step.operation.clone(),
            _ => format!("{}({})", step.operation, step.object),
        };
        let mut text = format!("{number:>5}  T{} {what}{at}\n", step.thread);
        if args.step
            && let Some(site) = place
        {
            let source = texts.entry(site.file.clone()).or_insert_with(|| std::fs::read_to_string(&site.file).ok());
            let line = source.as_deref().and_then(|text| text.lines().nth((site.line as usize).checked_sub(1)?));
            text += &line.map(|line| format!("       {}\n", line.trim())).unwrap_or_default();
        }
        print(&text)?;
        let asks = args.step && std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        if asks && std::io::stdin().read_line(&mut String::new()).is_err() {
            return Ok(());
        }
    }
    Ok(())
}
