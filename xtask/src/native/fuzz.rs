//! Compares `icsched enumerate` with native runs on random programs.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::build::{Compiler, Program};
use super::compare::{Compared, Violation, compare};
use super::ends::Ends;
use super::explore::{Bounds, explore};
use super::generate::generate;
use super::hold::Fault;
use super::inputs::inputs;
use super::minimise::minimise;
use super::names::Names;
use super::server::{Limits, Server};
use super::subject::Subject;

/// Questions that are asked to make one program smaller.
const QUESTIONS: usize = 120;

/// Levels of optimisation, by seed.
const LEVELS: [&str; 4] = ["O0", "O1", "O0", "O2"];

/// How to compare.
#[derive(Clone, Debug)]
pub(super) struct Fuzz {
    /// The compiler of the programs that run.
    pub(super) compiler: Compiler,
    /// The icsched that is compared; its level is chosen by seed if it is empty.
    pub(super) subject: Subject,
    /// Options of `icsched enumerate`.
    pub(super) options: Vec<String>,
    /// Bounds of a run.
    pub(super) limits: Limits,
    /// Lines count also where the bitcode is optimised.
    pub(super) lines: bool,
    /// Where programs are kept that it is wrong about.
    pub(super) found: Option<PathBuf>,
}

/// What came of one seed.
#[derive(Clone, Debug)]
pub(super) enum Outcome {
    /// The program has a data race, which results do not speak of.
    Racy(String),
    /// There is no result.
    Nothing(String),
    /// It was compared, for so many inputs; `true` if the result is complete.
    Compared(bool, usize, Compared),
}

/// Sums of the outcomes.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    /// Programs.
    pub(super) programs: usize,
    /// Complete results.
    pub(super) complete: usize,
    /// Programs without a result.
    pub(super) nothing: usize,
    /// Programs none of whose runs followed a schedule.
    pub(super) unfollowed: usize,
    /// Programs with data races.
    pub(super) racy: usize,
    /// Runs that were followed.
    pub(super) followed: usize,
    /// Constraints that are no C.
    pub(super) not_c: usize,
    /// Programs with violations, by kind.
    pub(super) wrong: BTreeMap<Fault, usize>,
}

impl Fuzz {
    /// Compares the programs of these seeds, and says what is wrong.
    ///
    /// # Errors
    /// A tool is missing, or a program that was made does not compile.
    pub(super) fn run(&self, seeds: Range<u64>, out: &mut dyn Write) -> Result<Totals> {
        let mut totals = Totals::default();
        for seed in seeds {
            let program = generate(seed);
            let directory = tempfile::tempdir()?;
            let source = directory.path().join("random.c");
            fs::write(&source, &program.text)?;
            let level = self.level(seed);
            totals.programs += 1;
            match self.compare(&source, program.inputs, &level)? {
                Outcome::Racy(race) => {
                    totals.racy += 1;
                    writeln!(out, "seed {seed}: data race: {race}")?;
                }
                Outcome::Nothing(why) => {
                    totals.nothing += 1;
                    writeln!(out, "seed {seed} -{level}: no result: {}", why.lines().next().unwrap_or_default())?;
                }
                Outcome::Compared(complete, inputs, compared) => {
                    if compared.is_empty(inputs) {
                        totals.unfollowed += 1;
                        writeln!(out, "seed {seed} -{level}: no run follows a schedule")?;
                    }
                    totals.complete += usize::from(complete);
                    totals.followed += compared.followed;
                    totals.not_c += compared.not_c.len();
                    let mut kinds: Vec<Fault> = compared.violations.iter().map(|violation| violation.fault).collect();
                    kinds.sort();
                    kinds.dedup();
                    kinds.iter().for_each(|kind| *totals.wrong.entry(*kind).or_default() += 1);
                    for text in &compared.not_c {
                        writeln!(out, "seed {seed} -{level}: no C: {text}")?;
                    }
                    if let Some(first) = compared.violations.first() {
                        writeln!(out, "seed {seed} -{level}: {} wrong: {first}", compared.violations.len())?;
                        out.flush()?;
                        self.keep(seed, &program.text, program.inputs, first)?;
                    }
                }
            }
            out.flush()?;
        }
        Ok(totals)
    }

    fn level(&self, seed: u64) -> String {
        let by_seed = LEVELS[usize::try_from(seed % 4).expect("below 4")];
        if self.subject.level.is_empty() { by_seed.to_owned() } else { self.subject.level.clone() }
    }

    /// Compares one program.
    fn compare(&self, source: &Path, numbers: usize, level: &str) -> Result<Outcome> {
        let program = Program::build(&self.compiler, &[source.to_owned()])?;
        if let Some(race) = self.race(&program, numbers)? {
            return Ok(Outcome::Racy(race));
        }
        let subject = Subject { level: level.to_owned(), ..self.subject.clone() };
        let pattern = vec!["@".to_owned(); numbers];
        let enumerated = subject.enumerate(source, &self.options, &pattern)?;
        let Some(result) = enumerated.result else {
            return Ok(Outcome::Nothing(format!("status {}: {}", enumerated.status, enumerated.messages)));
        };
        let tried = inputs(&pattern, &result);
        let compared = compare(&program, &result, &tried, &self.limits, None, self.lines)?;
        Ok(Outcome::Compared(result.complete, tried.len(), compared))
    }

    /// A data race in some runs with a few inputs.
    fn race(&self, program: &Program, numbers: usize) -> Result<Option<String>> {
        let mut server = Server::start(program, self.limits.clone(), None)?;
        let operations = server.operations.clone();
        let mut names = Names::new(program, &operations)?;
        let mut ends = Ends::default();
        let bounds = Bounds { runs: 15, random: 5, ..Bounds::default() };
        for value in ["1", "4"] {
            let arguments = vec![value.to_owned(); numbers];
            explore(&mut server, &arguments, &bounds, &mut |run| ends.add(run, &mut names))?;
        }
        Ok(ends.races.first().cloned())
    }

    /// Makes a program smaller that a result is wrong about, and writes it.
    fn keep(&self, seed: u64, text: &str, numbers: usize, violation: &Violation) -> Result<()> {
        let Some(found) = &self.found else { return Ok(()) };
        fs::create_dir_all(found)?;
        let level = self.level(seed);
        let directory = tempfile::tempdir()?;
        let source = directory.path().join("random.c");
        let mut still = |text: &str| {
            let written = fs::write(&source, text).is_ok();
            let outcome = self.compare(&source, numbers, &level);
            written
                && matches!(outcome, Ok(Outcome::Compared(_, _, compared))
                if compared.violations.iter().any(|other| other.fault == violation.fault))
        };
        // It is there also if making it smaller is interrupted.
        fs::write(found.join(format!("{seed}.c")), format!("// {violation}\n{text}"))?;
        let small = minimise(text, QUESTIONS, &mut still);
        fs::write(&source, &small)?;
        let mut head = format!(
            "// Seed {seed}, clang -{level}, icsched enumerate {} -- {}\n",
            self.options.join(" "),
            ["@"; 3][..numbers].join(" ")
        );
        if let Outcome::Compared(_, _, compared) = self.compare(&source, numbers, &level)? {
            for violation in compared.violations.iter().take(4) {
                head.push_str(&format!("// {violation}\n"));
                violation.order.iter().for_each(|line| head.push_str(&format!("//   {line}\n")));
            }
        }
        fs::write(found.join(format!("{seed}.c")), head + &small)?;
        Ok(())
    }
}
