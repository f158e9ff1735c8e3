//! `points-to-check REPORT SOLVE-SECONDS RUN-SECONDS PROG.bc [ARG]...`: runs a program in the concrete domain, with
//! this process's files, standard streams and environment, and writes what the points-to analysis and the mod/ref
//! summaries missed to the file REPORT.
//!
//! Exit status: 0 if nothing was missed, 1 if something was, 2 if it could not be looked at, 3 if the solving took too
//! long.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use c_tests_runner::soundness::{Report, watched};
use icsched_frontend::{LoadOptions, load};
use icsched_ir::Function;
use icsched_machine::host::OsHost;
use icsched_pointsto::{ModRef, Options, PointsTo};

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let Some((report, rest)) = arguments.split_first() else { return ExitCode::from(2) };
    let (status, text) = check(rest).unwrap_or_else(|error| (2, format!("{error:#}\n")));
    match std::fs::write(report, text) {
        Ok(()) => ExitCode::from(status),
        Err(_) => ExitCode::from(2),
    }
}

fn check(arguments: &[OsString]) -> Result<(u8, String)> {
    let [solve, run, path, rest @ ..] = arguments else { bail!("too few arguments") };
    let (solve, run) = (seconds(solve)?, seconds(run)?);
    let program = load(Path::new(path), &LoadOptions::default())?;
    let started = Instant::now();
    let interrupted = || started.elapsed() >= solve;
    let options = Options { interrupted: &interrupted, ..Options::default() };
    let Ok(points_to) = PointsTo::new(&program, &options) else {
        return Ok((3, format!("the analysis takes more than {} s\n", solve.as_secs())));
    };
    let solved = started.elapsed();
    let harmless = |f: &Function| icsched_externals::known_not_to_synchronise(&f.name, f.params.len());
    let modref = ModRef::new(&program, &points_to, &harmless);
    let args: Vec<Vec<u8>> =
        std::iter::once(path.as_bytes()).chain(rest.iter().map(|a| a.as_bytes())).map(<[u8]>::to_vec).collect();
    let environment: Vec<Vec<u8>> =
        std::env::vars_os().map(|(name, value)| [name.into_vec(), b"=".to_vec(), value.into_vec()].concat()).collect();
    let report = watched(&program, &modref, &args, &environment, Box::new(OsHost::new()), run);
    Ok((u8::from(!report.misses.is_empty()), describe(&report, solved)))
}

fn seconds(text: &OsString) -> Result<Duration> {
    let number = text.to_str().and_then(|t| t.parse().ok());
    Ok(Duration::from_secs(number.with_context(|| format!("{} is no number of seconds", text.display()))?))
}

fn describe(report: &Report, solved: Duration) -> String {
    let mut text = String::new();
    for miss in &report.misses {
        let _ = writeln!(text, "{} ({} times)", miss.text, miss.times);
    }
    let count = report.count;
    let _ = writeln!(
        text,
        "{} misses; {} accesses at {} places, {} calls, {} skipped; solved in {:.1} s; {} instructions, end: {}",
        report.misses.len(),
        count.accesses,
        count.places,
        count.calls,
        count.skipped,
        solved.as_secs_f32(),
        report.instructions,
        report
            .end
            .as_ref()
            .map_or_else(|| "out of time".to_owned(), |end| format!("{end:?}").chars().take(80).collect())
    );
    text
}
