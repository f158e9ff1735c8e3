//! The command line of `cargo xtask explore-native`.

use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use clap::{Args, Parser};

use super::build::{Compiler, Program};
use super::compare::{Compared, compare};
use super::ends::Ends;
use super::explore::{Bounds, explore};
use super::fuzz::Fuzz;
use super::generate::generate;
use super::hold::{Held, Holder};
use super::inputs::inputs;
use super::names::Names;
use super::report::Report;
use super::schedule::Enumeration;
use super::server::{Limits, Server};
use super::subject::{Header, Subject};

/// Run a C program through every interleaving of its calls of POSIX and C11 threads, without icsched.
#[derive(Args, Clone, Debug)]
pub struct Arguments {
    /// C files of one program.
    #[arg(value_name = "PROG.c")]
    programs: Vec<PathBuf>,
    /// Hold a run to schedule K (number or id) of the first epoch, then to those of the epochs that follow, or to any.
    #[arg(long, value_name = "DB#K[,K...]")]
    hold: Option<String>,
    /// Enumerate the program, and follow every schedule of every input that is tried; without arguments, as its first
    /// lines say.
    #[arg(long, conflicts_with = "hold")]
    compare: bool,
    /// A database or JSON file that is compared in place of a new one; may be given again.
    #[arg(long, value_name = "FILE", requires = "compare")]
    result: Vec<PathBuf>,
    /// Compare random programs of these seeds.
    #[arg(long, value_name = "FROM..TO", conflicts_with_all = ["programs", "hold", "compare"])]
    fuzz: Option<String>,
    /// Print the random program of a seed.
    #[arg(long, value_name = "SEED", conflicts_with_all = ["programs", "hold", "compare", "fuzz"])]
    show: Option<u64>,
    /// Where programs are kept that icsched is wrong about.
    #[arg(long, value_name = "DIR", requires = "fuzz")]
    found: Option<PathBuf>,
    /// The icsched that reads databases and enumerates.
    #[arg(long, value_name = "PATH", default_value = "target/debug/icsched")]
    icsched: PathBuf,
    /// Optimisation of the bitcode that is enumerated; of random programs, by seed.
    #[arg(long, value_name = "LEVEL")]
    level: Option<String>,
    /// Calls must be at the lines that schedules have: for bitcode of `-O0`, where no calls are merged.
    #[arg(long)]
    lines: bool,
    /// Options of `icsched enumerate`, in one word.
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true, default_value = "")]
    options: String,
    /// Write JSON.
    #[arg(long)]
    json: bool,
    /// Runs of the search; what remains is explored at random.
    #[arg(long, value_name = "N", default_value_t = Bounds::default().runs)]
    max_runs: u64,
    /// Runs at random, if the search comes to its bound.
    #[arg(long, value_name = "N", default_value_t = Bounds::default().random)]
    random: u64,
    /// Seed of the first of these.
    #[arg(long, value_name = "N", default_value_t = Bounds::default().seed)]
    seed: u64,
    /// Explore all orders, also those that differ in independent steps only.
    #[arg(long)]
    no_reduction: bool,
    /// Calls of one run.
    #[arg(long, value_name = "N", default_value_t = Limits::default().steps)]
    max_steps: u64,
    /// Basic blocks without a call after which a thread counts as endless; one has some five instructions.
    #[arg(long, value_name = "N", default_value_t = Limits::default().blocks)]
    endless: u64,
    /// How often a thread's time may be up while others can go on.
    #[arg(long, value_name = "N", default_value_t = Limits::default().timeouts)]
    timeouts: u64,
    /// The compiler; by default `ICSCHED_CLANG`, `clang-22`, `clang` or `gcc`.
    #[arg(long, value_name = "COMMAND")]
    cc: Option<PathBuf>,
    /// An option for the compiler.
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true)]
    cflag: Vec<String>,
    /// Standard input of each run.
    #[arg(long, value_name = "FILE")]
    stdin: Option<PathBuf>,
    /// Arguments of the program; with `--compare` as `icsched enumerate` has them.
    #[arg(last = true, value_name = "ARG")]
    arguments: Vec<String>,
}

/// Nothing is wrong, and all was explored.
const FINE: u8 = 0;
/// An end that no program wants; a schedule that cannot be followed; a result that is wrong, is missing, or is followed
/// by no run.
const BAD: u8 = 1;
/// Not all was explored.
const INCOMPLETE: u8 = 3;

/// Runs the command; gives its exit status.
///
/// # Errors
/// The program does not compile, a tool is missing, or what is asked for makes no sense.
pub fn run(arguments: &Arguments, out: &mut dyn Write) -> Result<u8> {
    if let Some(seeds) = &arguments.fuzz {
        return arguments.fuzz(seeds, out);
    }
    if let Some(seed) = arguments.show {
        write!(out, "{}", generate(seed).text)?;
        return Ok(FINE);
    }
    ensure!(!arguments.programs.is_empty(), "no program: cargo xtask explore-native PROG.c [-- ARG...]");
    if arguments.compare {
        return arguments.compare(out);
    }
    match &arguments.hold {
        Some(schedule) => arguments.hold(schedule, out),
        None => arguments.explore(out),
    }
}

/// Runs a command line, given in words; its exit status, and what it prints.
///
/// # Errors
/// As [`run`]; or the words are no command line.
pub fn run_words(words: &[&str]) -> Result<(u8, String)> {
    let line = Line::try_parse_from(["explore-native"].iter().chain(words))?;
    let mut out = Vec::new();
    let status = run(&line.arguments, &mut out)?;
    Ok((status, String::from_utf8(out)?))
}

/// A command line of its own.
#[derive(Parser)]
struct Line {
    #[command(flatten)]
    arguments: Arguments,
}

impl Arguments {
    fn compiler(&self) -> Result<Compiler> {
        let mut compiler = Compiler::find()?;
        if let Some(command) = &self.cc {
            compiler.command.clone_from(command);
        }
        compiler.flags.clone_from(&self.cflag);
        Ok(compiler)
    }

    fn limits(&self) -> Limits {
        Limits { steps: self.max_steps, blocks: self.endless, timeouts: self.timeouts, ..Limits::default() }
    }

    fn explore(&self, out: &mut dyn Write) -> Result<u8> {
        let program = Program::build(&self.compiler()?, &self.programs)?;
        let mut server = Server::start(&program, self.limits(), self.stdin.as_deref())?;
        let bounds = Bounds { runs: self.max_runs, random: self.random, seed: self.seed, reduce: !self.no_reduction };
        let operations = server.operations.clone();
        let mut names = Names::new(&program, &operations)?;
        let mut ends = Ends::default();
        let mut explored = explore(&mut server, &self.arguments, &bounds, &mut |run| ends.add(run, &mut names))?;
        for name in &program.uncontrolled {
            explored.reasons.insert(format!("the program calls {name}, which the scheduler does not control"));
        }
        let report = Report::new(&self.programs[0], &self.arguments, &explored, &ends);
        if self.json {
            serde_json::to_writer_pretty(&mut *out, &report)?;
            writeln!(out)?;
        } else {
            report.print(out)?;
        }
        Ok(match (report.is_bad(), report.complete) {
            (true, _) => BAD,
            (false, true) => FINE,
            (false, false) => INCOMPLETE,
        })
    }

    fn hold(&self, schedule: &str, out: &mut dyn Write) -> Result<u8> {
        let (database, which) = schedule.rsplit_once('#').context("--hold DB#K: no # in front of the schedule")?;
        let mut which = which.split(',').map(str::to_owned);
        let result = Enumeration::read(database.as_ref(), &self.icsched)?;
        let epoch = result.epochs.first().context("the database has no epoch")?;
        let first = epoch.schedule(&which.next().unwrap_or_default())?;
        let program = Program::build(&self.compiler()?, &self.programs)?;
        let mut server = Server::start(&program, self.limits(), self.stdin.as_deref())?;
        let operations = server.operations.clone();
        let mut names = Names::new(&program, &operations)?;
        let mut holder = Holder {
            server: &mut server,
            names: &mut names,
            result: &result,
            arguments: &self.arguments,
            lines: self.lines,
            deadlock: None,
        };
        let further: Vec<String> = which.collect();
        match holder.hold(first, &further)? {
            Held::Followed(None) => writeln!(out, "followed")?,
            Held::Followed(Some(end)) => writeln!(out, "followed: the run {end}")?,
            Held::Early(end) => writeln!(out, "followed as far as the process goes: the run {end}")?,
            Held::Open => {
                writeln!(out, "not known: there are more ways to go on than are tried")?;
                return Ok(INCOMPLETE);
            }
            Held::Left(departure) => {
                departure.order.iter().try_for_each(|line| writeln!(out, "  {line}"))?;
                writeln!(out, "cannot follow: {}", departure.why)?;
                return Ok(BAD);
            }
        }
        Ok(FINE)
    }

    fn subject(&self, level: &str, flags: &[String]) -> Result<Subject> {
        let clang = Compiler::find()?.command;
        let icsched = self.icsched.canonicalize();
        let icsched = icsched.with_context(|| format!("no icsched at {} (--icsched)", self.icsched.display()))?;
        Ok(Subject { icsched, clang, level: level.to_owned(), flags: flags.to_vec() })
    }

    /// Compares random programs.
    fn fuzz(&self, seeds: &str, out: &mut dyn Write) -> Result<u8> {
        let range = seeds.split_once("..").and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
        let seeds: Range<u64> = range.context("--fuzz FROM..TO: no such seeds")?;
        let fuzz = Fuzz {
            compiler: self.compiler()?,
            subject: self.subject(self.level.as_deref().unwrap_or_default(), &[])?,
            options: self.options.split_whitespace().map(str::to_owned).collect(),
            limits: self.limits(),
            lines: self.lines,
            found: self.found.clone(),
        };
        let totals = fuzz.run(seeds, out)?;
        let wrong: usize = totals.wrong.values().sum();
        writeln!(
            out,
            "{} programs, {} complete, {} without a result, {} without a run that follows it, {} with data races; {} runs followed, {wrong} wrong, {} constraints are no C",
            totals.programs,
            totals.complete,
            totals.nothing,
            totals.unfollowed,
            totals.racy,
            totals.followed,
            totals.not_c
        )?;
        totals.wrong.iter().try_for_each(|(kind, count)| writeln!(out, "  {kind:?}: {count}"))?;
        // Where nothing was followed, nothing was compared.
        Ok(if wrong > 0 || totals.nothing > 0 || totals.unfollowed > 0 { BAD } else { FINE })
    }

    /// Compares each program by itself.
    fn compare(&self, out: &mut dyn Write) -> Result<u8> {
        let mut wrong = false;
        for source in &self.programs {
            let header = Header::read(source)?;
            let mut runs = header.runs.clone();
            let mut variants = header.variants.clone();
            if !self.arguments.is_empty() {
                runs = vec![(Vec::new(), self.arguments.clone())];
                variants = vec![self.cflag.clone()];
            }
            for flags in &variants {
                let mut compiler = self.compiler()?;
                compiler.flags.extend(flags.iter().cloned());
                let program = Program::build(&compiler, std::slice::from_ref(source))?;
                for (options, arguments) in &runs {
                    let name = format!("{} {}", source.display(), arguments.join(" "));
                    for result in self.results(source, options, arguments, flags)? {
                        let Some(result) = result else {
                            writeln!(out, "{name}: no result")?;
                            wrong = true;
                            continue;
                        };
                        let tried = inputs(arguments, &result);
                        let stdin = self.stdin.as_deref();
                        let compared = compare(&program, &result, &tried, &self.limits(), stdin, self.lines)?;
                        print(&name, tried.len(), &compared, out)?;
                        wrong |= !compared.violations.is_empty() || compared.is_empty(tried.len());
                    }
                }
            }
        }
        Ok(if wrong { BAD } else { FINE })
    }

    /// The results that are compared: those of files, or a new one, which there may not be.
    fn results(
        &self,
        source: &Path,
        options: &[String],
        arguments: &[String],
        flags: &[String],
    ) -> Result<Vec<Option<Enumeration>>> {
        if !self.result.is_empty() {
            return self.result.iter().map(|file| Enumeration::read(file, &self.icsched).map(Some)).collect();
        }
        let further = self.options.split_whitespace().map(str::to_owned);
        let options: Vec<String> = options.iter().cloned().chain(further).collect();
        let level = self.level.as_deref().unwrap_or("O1");
        Ok(vec![self.subject(level, flags)?.enumerate(source, &options, arguments)?.result])
    }
}

/// Says what a comparison has come to.
fn print(name: &str, tried: usize, compared: &Compared, out: &mut dyn Write) -> Result<()> {
    let Compared { violations, followed, excluded, not_c, uncovered, open } = compared;
    write!(out, "{name}: {tried} inputs, {followed} followed, {} wrong", violations.len())?;
    for (count, what) in [
        (*excluded, "with memory errors"),
        (*uncovered, "not covered"),
        (*open, "left open"),
        (not_c.len(), "constraints are no C"),
    ] {
        if count > 0 {
            write!(out, ", {count} {what}")?;
        }
    }
    writeln!(out)?;
    if compared.is_empty(tried) {
        writeln!(out, "  no run follows a schedule")?;
    }
    for violation in violations {
        writeln!(out, "  {violation}")?;
    }
    Ok(())
}
