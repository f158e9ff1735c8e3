//! Ground truth: which of the paths from a context do real runs of the program take (Bergan 2.9.1, last column)?
//!
//! The program is run from its entry in the concrete domain with given inputs; a [`Guide`] brings its threads to the
//! context, in another way with each seed. Every state there takes all paths that it takes, under all schedules that
//! the paths have.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use icsched_dataflow::Context;
use icsched_explore::explore::Limits;
use icsched_explore::follow::PathTree;
use icsched_explore::reach::{Guide, Places, lead};
use icsched_ir::Program;
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::domain::MemoryByte;
use icsched_machine::host::MemoryHost;
use icsched_machine::step::{Argument, Arguments};
use icsched_machine::{Machine, Switching};
use icsched_symbolic::inputs::TestInput;
use serde::{Deserialize, Serialize};

use super::config::SymexConfig;
use super::error::WitnessError;
use super::report::{PathReport, WitnessReport};
use crate::error::DriverError;

/// An input that shows what a program does. In arguments and texts, `{1..4}` stands for each of these numbers.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WitnessInput {
    /// `argv[1]` and so on.
    #[serde(default)]
    pub args: Vec<String>,
    /// Standard input.
    #[serde(default)]
    pub stdin: String,
    /// Contents of files, by name.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Numbers that models ask for in the symbolic domain, by the name of the input: `scanf`.
    #[serde(default)]
    pub others: BTreeMap<String, u64>,
}

/// Inputs that one text with ranges stands for, at most.
const MAX_INPUTS: usize = 10_000;

/// Instructions of one run, at most: it is meant to be a small one.
const MAX_INSTRUCTIONS: u64 = 3_000_000;

/// Runs without a new path after which no more are made.
const FRUITLESS: usize = 2_000;

/// States of one run, at most.
const MAX_STATES: u64 = 400;

/// Time for real runs where no limit was set.
const UNLIMITED: Duration = Duration::from_secs(60);

/// The inputs of the file that was named; none without one.
pub(super) fn inputs(config: &SymexConfig) -> Result<Vec<TestInput>, DriverError> {
    let Some(path) = &config.witness else { return Ok(Vec::new()) };
    let text = std::fs::read_to_string(path).map_err(|error| DriverError::Read { path: path.clone(), error })?;
    let wrong = |error: WitnessError| DriverError::Inputs(format!("--witness {}: {error}", path.display()));
    let given: Vec<WitnessInput> = serde_json::from_str(&text).map_err(|error| wrong(error.into()))?;
    let name = config.program.path.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let mut all = Vec::new();
    for input in &given {
        all.extend(input.expanded(&name).map_err(wrong)?);
    }
    Ok(all)
}

impl WitnessInput {
    fn expanded(&self, program: &str) -> Result<Vec<TestInput>, WitnessError> {
        let text = serde_json::to_string(self).expect("plain data has a JSON form");
        let mut open = vec![text];
        let mut done = Vec::new();
        while let Some(text) = open.pop() {
            match range(&text) {
                Some((before, numbers, after)) => {
                    open.extend(numbers.rev().map(|number| format!("{before}{number}{after}")));
                }
                None => done.push(text),
            }
            if open.len() + done.len() > MAX_INPUTS {
                return Err(WitnessError::TooMany { most: MAX_INPUTS });
            }
        }
        let parsed = done.iter().map(|text| {
            let input: Self = serde_json::from_str(text).expect("numbers in texts do not change the form");
            let argv = std::iter::once(program.to_owned()).chain(input.args).map(String::into_bytes).collect();
            let files = input.files.into_iter().map(|(name, content)| (name, content.into_bytes())).collect();
            let (stdin, others) = (Some(input.stdin.into_bytes()), input.others);
            TestInput { argv, stdin, files, others, ..TestInput::default() }
        });
        Ok(parsed.collect())
    }
}

/// The first `{a..b}` of a text, and what stands before and behind it.
fn range(text: &str) -> Option<(&str, std::ops::RangeInclusive<u32>, &str)> {
    let mut at = 0;
    while let Some(open) = text[at..].find('{').map(|found| at + found) {
        at = open + 1;
        let Some(close) = text[at..].find('}').map(|found| at + found) else { break };
        if let Some((low, high)) = text[at..close].split_once("..")
            && let (Ok(low), Ok(high)) = (low.parse(), high.parse())
        {
            return Some((&text[..open], low..=high, &text[close + 1..]));
        }
    }
    None
}

/// Runs the program and counts the paths that it takes.
pub(super) fn count(
    config: &SymexConfig,
    (program, context): (&Arc<Program>, &Context),
    inputs: &[TestInput],
    mut tree: PathTree,
    paths: &mut [PathReport],
    deadline: Option<Instant>,
) -> Result<WitnessReport, DriverError> {
    let started = Instant::now();
    let mut report = WitnessReport::default();
    if program.main.is_none() {
        let message = "--witness: the program does not come to the context from its `main`";
        return Err(DriverError::Inputs(message.to_owned()));
    }
    let limits = Limits {
        instructions: MAX_INSTRUCTIONS.min(config.limits.max_instructions),
        deadline: Some(deadline.unwrap_or(started + UNLIMITED)),
        ..Limits::default()
    };
    let mut fruitless = 0;
    'runs: for seed in 0..config.runs {
        for input in inputs {
            let is_late = limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if tree.is_done() || fruitless >= FRUITLESS || is_late || config.limits.stop.asked().is_some() {
                break 'runs;
            }
            let before = followed(&tree);
            run(config, (program, context), input, seed, &limits, &mut tree, &mut report);
            fruitless = if followed(&tree) > before { 0 } else { fruitless + 1 };
        }
    }
    for (path, &is_followed) in paths.iter_mut().zip(tree.followed()) {
        path.witnessed = Some(is_followed);
    }
    report.witnessed = followed(&tree);
    report.unwitnessed = tree.followed().len() - report.witnessed;
    let words = |stray: &icsched_explore::follow::Stray| {
        format!("{}: a run {}", icsched_epochs::graph::place(program, &stray.stack), stray.what.words())
    };
    report.strayed = tree.strayed().iter().map(words).collect();
    report.strayed.iter().for_each(|stray| tracing::debug!("{stray}"));
    report.seconds = started.elapsed().as_secs_f64();
    Ok(report)
}

fn followed(tree: &PathTree) -> usize {
    tree.followed().iter().filter(|&&followed| followed).count()
}

/// One run from the program's entry.
fn run(
    config: &SymexConfig,
    (program, context): (&Arc<Program>, &Context),
    input: &TestInput,
    seed: u64,
    limits: &Limits,
    tree: &mut PathTree,
    report: &mut WitnessReport,
) {
    report.runs += 1;
    let mut host = MemoryHost::default();
    host.files = input.files.iter().map(|(name, content)| (name.clone().into_bytes(), content.clone())).collect();
    host.stdin = input.stdin.clone().unwrap_or_default();
    let host = Rc::new(RefCell::new(host));
    let options = icsched_machine::Options {
        externs: config.program.externs.clone(),
        memory_errors: config.program.memory_errors,
        switching: Switching::Scheduler,
        stop: config.limits.stop.clone(),
        ..Default::default()
    };
    let mut machine = Machine::new(Arc::clone(program), ConcreteDomain, Box::new(Rc::clone(&host)), options);
    let Some(places) = Places::new(&machine.code, context) else { return };
    let Ok(mut state) = machine.initial_state(&arguments(input)) else { return };
    let mut guide = Guide::new(places.clone(), seed);
    let mut states = 0_u64;
    let end = lead(&mut machine, &mut state, &mut guide, limits, |machine, state, orders| {
        machine.options.switching = config.switching;
        for (order, number) in orders.iter().zip(states..) {
            states += 1;
            // What the outside world says from here on is anything.
            machine.options.answers = Some(icsched_machine::Answers::Seed(seed ^ number << 32));
            tree.follow(machine, &host, &places.begun_there(state, order), limits.deadline);
        }
        machine.options.switching = Switching::Scheduler;
        machine.options.answers = None;
        let is_late = limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if tree.is_done() || is_late || states >= MAX_STATES {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    tracing::debug!(seed, instructions = state.instructions, threads = state.threads.len(), states, ?end, "a real run");
    report.arrived += usize::from(states > 0);
    report.states += usize::try_from(states).unwrap_or(usize::MAX);
}

fn arguments(input: &TestInput) -> Arguments<ConcreteDomain> {
    let string = |text: &Vec<u8>| {
        let bytes = text.iter().chain(&[0]).map(|&byte| MemoryByte::Constant(byte)).collect();
        Argument { bytes, present: None }
    };
    Arguments { argc: input.argv.len() as u64, argv: input.argv.iter().map(string).collect(), environment: Vec::new() }
}
