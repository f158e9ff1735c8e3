//! What `icsched check` and `icsched replay` say, and where they write it.

use std::path::{Path, PathBuf};

use icsched_driver::check::{CheckResult, Finding, FindingFile, Verdict};
use icsched_driver::replay::Replayed;
use icsched_driver::{DriverError, Enumeration};

use crate::answers::{print_or_tell, write_json};
use crate::args::{CheckArgs, FailOn, ReplayArgs};
use crate::output;
use crate::status::Status;

/// Writes a result to where it is wanted. Without schedules there is no page of them.
pub(crate) fn tell(args: &CheckArgs, quiet: bool, result: &CheckResult, schedules: Option<&Enumeration>) -> Status {
    let status = status(args, result);
    let written = files(args, result, schedules);
    let is_quiet = quiet && written.is_ok() || to_stdout(args);
    let status = if is_quiet { status } else { print_or_tell(&text(args, result), status) };
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
    [&args.json, &args.sarif, &args.junit].into_iter().flatten().any(|file| file == Path::new("-"))
}

fn files(args: &CheckArgs, result: &CheckResult, _schedules: Option<&Enumeration>) -> Result<(), DriverError> {
    if let Some(file) = &args.json {
        write_json(&(serde_json::to_string_pretty(result).expect("plain data has a JSON form") + "\n"), file)?;
    }
    if let Some(directory) = &args.output {
        let failed = |path: &Path, error| DriverError::Write { path: path.to_path_buf(), error };
        std::fs::create_dir_all(directory).map_err(|error| failed(directory, error))?;
        for (number, finding) in (1..).zip(&result.findings) {
            let file = file_of(directory, number);
            let text =
                serde_json::to_string_pretty(&finding_file(result, finding)).expect("plain data has a JSON form");
            std::fs::write(&file, text + "\n").map_err(|error| failed(&file, error))?;
        }
    }
    Ok(())
}

fn file_of(directory: &Path, number: usize) -> PathBuf {
    directory.join(format!("{number}.json"))
}

fn finding_file(result: &CheckResult, finding: &Finding) -> FindingFile {
    FindingFile {
        schema: icsched_driver::check::FINDING_SCHEMA.to_owned(),
        program: result.program.clone(),
        digest: result.digest.clone(),
        options: result.options.clone(),
        finding: finding.clone(),
    }
}

fn text(_args: &CheckArgs, result: &CheckResult) -> String {
    let mut text = format!("{} findings\n", result.findings.len());
    for finding in &result.findings {
        text += &format!("{} {}: {}\n", finding.verdict, finding.kind, finding.message);
    }
    text
}

/// The exit status of a check.
fn status(args: &CheckArgs, result: &CheckResult) -> Status {
    let fails = |finding: &Finding| match args.fail_on.is_empty() {
        true => finding.confirmed,
        false => args.fail_on.iter().any(|on| match on {
            FailOn::Kind(kind) => finding.kind == *kind,
            FailOn::Verdict(verdict) => finding.verdict == *verdict,
        }),
    };
    match () {
        () if result.findings.iter().any(fails) => Status::Found,
        () if !result.complete || result.findings.iter().any(|f| f.verdict == Verdict::Possible) => Status::Incomplete,
        () => Status::Clean,
    }
}

/// What a replay came to, as text; its JSON is written to where it is wanted.
pub(crate) fn replayed(args: &ReplayArgs, file: &FindingFile, replayed: &Replayed) -> Result<String, DriverError> {
    if let Some(path) = &args.json {
        let value = serde_json::json!({
            "schema": "icsched/replay/1",
            "shows": replayed.shows,
            "message": replayed.message,
            "fingerprint": file.finding.fingerprint,
            "trace": replayed.steps,
        });
        write_json(&(serde_json::to_string_pretty(&value).expect("plain data has a JSON form") + "\n"), path)?;
    }
    let mut text = String::new();
    if args.step || args.trace {
        for (number, step) in (1..).zip(&replayed.steps) {
            let at = step.frames.last().map(|site| format!("  {site}")).unwrap_or_default();
            text += &format!("{number:>5}  T{} {}({}){at}\n", step.thread, step.operation, step.object);
        }
    }
    text += match replayed.shows {
        true => "the finding shows: ",
        false => "the finding does not show: ",
    };
    text += &replayed.message;
    text.push('\n');
    Ok(text)
}
