//! The points-to analysis against runs of programs in the interpreter; `docs/testing.md` says how to search further.

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use c_tests_runner::csmith::{self, Setting};
use c_tests_runner::locate::find_clang;
use c_tests_runner::process::run;
use c_tests_runner::trial;
use libtest_mimic::{Arguments, Failed, Trial};

/// Programs of the generator that are checked each time.
const SEEDS: u64 = 10;
/// The same in a sample.
const SEEDS_OF_SAMPLE: u64 = 3;
/// In a sample, one program in so many is taken of each folder.
const ONE_IN: usize = 8;
/// Seconds that the analysis of one program may take before it counts as not analysed.
const SOLVE_SECONDS: u32 = 60;
/// Seconds that one program is watched for at most; what happened until then counts.
const RUN_SECONDS: u32 = 20;
/// The same for programs that are searched for misses.
const SEARCH_SECONDS: u32 = 120;
/// A command that takes longer hangs.
const HANGS: Duration = Duration::from_secs(600);

/// Runs as long as it is told to.
type Search = fn() -> Result<()>;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            #[expect(clippy::print_stderr, reason = "there is no trial that could report it")]
            {
                eprintln!("the programs cannot be found: {error:#}");
            }
            ExitCode::FAILURE
        }
    }
}

fn trials() -> Result<Vec<Trial>> {
    let clang = Arc::new(find_clang()?);
    let mut trials = Vec::new();
    // Each program once, and half of them at each end of the levels it has.
    let ends =
        |(at, source): (usize, Vec<_>)| if at % 2 == 0 { source.first().cloned() } else { source.last().cloned() };
    let mut programs: Vec<_> = sources()?.into_iter().enumerate().filter_map(ends).collect();
    if test_sample::is_on() {
        let all = programs.len();
        programs = trial::sample(programs, ONE_IN);
        let _ = writeln!(
            std::io::stderr(),
            "a sample of the C programs: {} of {all}; `./scripts/test --all` runs all",
            programs.len()
        );
    }
    for (name, program) in programs {
        let clang = Arc::clone(&clang);
        trials.push(Trial::test(name, move || failed(c_test(&clang, &program))));
    }
    for seed in 0..test_sample::of(SEEDS_OF_SAMPLE, SEEDS) {
        let clang = Arc::clone(&clang);
        trials.push(Trial::test(format!("csmith {seed}"), move || failed(generated(&clang, seed))));
    }
    let searches: [(&str, Search); 3] =
        [("all levels", search_levels), ("generated", search_seeds), ("bitcode", search_bitcode)];
    for (name, search) in searches {
        trials.push(Trial::test(format!("search {name}"), move || failed(search())).with_ignored_flag(true));
    }
    Ok(trials)
}

fn failed(result: Result<()>) -> Result<(), Failed> {
    result.map_err(|error| Failed::from(format!("{error:#}")))
}

/// The trials of each C test.
fn sources() -> Result<Vec<Vec<(String, trial::Trial)>>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the runner is a folder of c-tests")?;
    let all = trial::collect(root)?;
    Ok(all.chunk_by(|a, b| a.1.source == b.1.source).map(<[_]>::to_vec).collect())
}

/// What watching one run came to.
struct Watched {
    status: i32,
    report: String,
}

/// Runs a program in the directory `work` and holds it against the analysis.
fn watch(work: &Path, command: &[OsString], stdin: &str, seconds: u32) -> Result<Watched> {
    let report = work.join("points-to-report");
    let mut check = Command::new(env!("CARGO_BIN_EXE_points-to-check"));
    check.arg(&report).arg(SOLVE_SECONDS.to_string()).arg(seconds.to_string()).args(command);
    let outcome = run(&mut check, work, stdin, HANGS)?;
    let text = fs::read_to_string(&report).with_context(|| format!("no report\n{}", outcome.stderr))?;
    Ok(Watched { status: outcome.status, report: text })
}

fn must_be_right(watched: &Watched) -> Result<()> {
    ensure!(watched.status == 0, "{}", watched.report);
    Ok(())
}

fn c_test(clang: &Path, program: &trial::Trial) -> Result<()> {
    let work = tempfile::tempdir()?;
    let bitcode = program.bitcode(clang, work.path())?;
    for exec in &program.expectations.execs {
        let mut command = vec![bitcode.clone().into_os_string()];
        command.extend(exec.args.iter().map(OsString::from));
        must_be_right(&watch(work.path(), &command, &exec.stdin, RUN_SECONDS)?)
            .with_context(|| format!("arguments {:?}", exec.args))?;
    }
    Ok(())
}

fn generated(clang: &Path, seed: u64) -> Result<()> {
    let work = tempfile::tempdir()?;
    let bitcode = csmith::bitcode(clang, Setting::of(seed), work.path())?;
    must_be_right(&watch(work.path(), &[bitcode.into_os_string()], "", RUN_SECONDS)?)
}

/// Every C test at all of its levels and variants.
fn search_levels() -> Result<()> {
    let clang = find_clang()?;
    let mut found = Found::default();
    for (name, program) in sources()?.into_iter().flatten() {
        found.note(&name, c_test(&clang, &program));
    }
    found.end()
}

/// The programs of the seeds `ICSCHED_SEEDS`, `FIRST..LAST`.
fn search_seeds() -> Result<()> {
    let clang = find_clang()?;
    let seeds = std::env::var("ICSCHED_SEEDS").unwrap_or_else(|_| "0..100".to_owned());
    let (first, last) = seeds.split_once("..").context("ICSCHED_SEEDS is FIRST..LAST")?;
    let mut found = Found::default();
    for seed in first.parse::<u64>()?..last.parse()? {
        found.note(&format!("csmith {seed}"), generated(&clang, seed));
    }
    found.end()
}

/// The commands in the file that `ICSCHED_BITCODE` names, one per line: bitcode, arguments, and perhaps `< FILE`,
/// separated by spaces. Each is run in the directory of that file.
fn search_bitcode() -> Result<()> {
    let Some(list) = std::env::var_os("ICSCHED_BITCODE").map(PathBuf::from) else {
        bail!("ICSCHED_BITCODE names no file with commands")
    };
    let work = list.parent().context("a file is in a directory")?;
    let mut found = Found::default();
    for line in fs::read_to_string(&list)?.lines().filter(|line| !line.trim().is_empty()) {
        let (command, input) = line.split_once('<').unwrap_or((line, ""));
        let stdin = match input.trim() {
            "" => String::new(),
            file => String::from_utf8_lossy(&fs::read(work.join(file))?).into_owned(),
        };
        let command: Vec<OsString> = command.split_whitespace().map(OsString::from).collect();
        let watched = watch(work, &command, &stdin, SEARCH_SECONDS)?;
        let _ = write!(std::io::stderr(), "{line}\n{}", watched.report);
        found.note(line, must_be_right(&watched));
    }
    found.end()
}

/// What a search has found so far; tells it at once, since searches take long.
#[derive(Default)]
struct Found {
    right: u32,
    wrong: u32,
}

impl Found {
    fn note(&mut self, name: &str, result: Result<()>) {
        match result {
            Ok(()) => self.right += 1,
            Err(error) => {
                self.wrong += 1;
                let _ = writeln!(std::io::stderr(), "{name}: {error:#}");
            }
        }
    }

    fn end(self) -> Result<()> {
        let Self { right, wrong } = self;
        let _ = writeln!(std::io::stderr(), "{right} right, {wrong} not");
        ensure!(wrong == 0, "{wrong} programs with misses");
        Ok(())
    }
}
