//! Writing results to where they are wanted.

use std::path::{Path, PathBuf};

use icsched_driver::verify::Verified;
use icsched_driver::{DriverError, Enumeration};
use icsched_report::View;
use icsched_report::text::TextOptions;

use crate::args::{EnumerateArgs, VerifyArgs};
use crate::guard;
use crate::guard::news::News;
use crate::status::Status;
use crate::{output, verify_output};

/// The database of a command.
pub(crate) fn database(args: &EnumerateArgs) -> PathBuf {
    args.output.clone().unwrap_or_else(|| database_of(&args.search.program.program))
}

/// Endings of files that a program comes as. What else is behind a dot is part of its name: `prog.v2`.
const ENDINGS: [&str; 16] =
    ["bc", "ll", "c", "i", "cc", "cpp", "cxx", "C", "ii", "o", "a", "so", "out", "exe", "json", "icsdb"];

/// The database of a program, if no other one is named: beside it.
pub(crate) fn database_of(program: &Path) -> PathBuf {
    let is_ending = program.extension().is_some_and(|extension| ENDINGS.iter().any(|ending| extension == *ending));
    if is_ending {
        return program.with_extension("icsdb");
    }
    let mut name = program.as_os_str().to_owned();
    name.push(".icsdb");
    name.into()
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

fn status_of(result: &Enumeration) -> Status {
    if result.has_findings() {
        Status::Found
    } else if result.is_complete() {
        Status::Clean
    } else {
        Status::Incomplete
    }
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

/// To standard output, which can be full.
pub(crate) fn print(text: &str) -> Result<(), DriverError> {
    guard::tell::tell(&News::Printing);
    output::print(text).map_err(not_written)
}

pub(crate) fn not_written(error: std::io::Error) -> DriverError {
    DriverError::Write { path: "standard output".into(), error }
}

pub(crate) fn write_json(text: &str, file: &PathBuf) -> Result<(), DriverError> {
    if file == Path::new("-") {
        guard::tell::tell(&News::Printing);
        return output::print_json(text).map_err(not_written);
    }
    std::fs::write(file, text).map_err(|error| DriverError::Write { path: file.clone(), error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_have_databases_of_their_own() {
        let of = |program: &str| database_of(Path::new(program)).display().to_string();
        assert_eq!(of("src/prog.bc"), "src/prog.icsdb");
        assert_eq!(of("prog"), "prog.icsdb");
        assert_eq!(of("a.out"), "a.icsdb");
        assert_ne!(of("prog.one"), of("prog.two"));
    }
}
