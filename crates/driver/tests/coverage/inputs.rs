//! What programs are enumerated with, and run with.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use icsched_epochs::{Request, RunLimits, SearchOptions};
use icsched_ir::Program;
use icsched_symbolic::inputs::{ArgSpec, InputSpec};

use crate::common::programs::{Input, Source};
use crate::common::random::Random;

/// Most time for one program's enumeration; one that takes longer is left out, and counted.
const SECONDS: u64 = 8;
/// Bytes of an argument.
const MAX_ARGUMENT: usize = 16;
/// Instructions of an epoch that is made longer than its markers say, less than so many.
const MAX_LENGTH: u64 = 300;
/// What `argv[0]` is.
pub(crate) const PROGRAM: &str = "program";

/// What is asked, and what runs are given.
pub(crate) struct Given {
    pub(crate) request: Request,
    /// Words that take the place of arguments that are no inputs.
    fixed: Vec<Option<String>>,
    runs: Vec<Input>,
}

impl Given {
    /// For runs with as many arguments as one that is picked.
    pub(crate) fn new(source: &Source, program: &Arc<Program>, random: &mut Random) -> Self {
        let like = random.pick(source.runs());
        let count = like.arguments.len();
        let runs = source.runs().iter().filter(|r| r.arguments.len() == count).cloned().collect();
        let words = source.enumerate.clone().unwrap_or_default();
        let (options, asked) = match words.iter().position(|w| w == "--") {
            Some(at) => (&words[..at], &words[at + 1..]),
            None => (&words[..], &[][..]),
        };
        let spec = |at: usize| asked.get(at).filter(|_| asked.len() == count).map(|word| ArgSpec::parse(word));
        let symbolic = ArgSpec::Symbolic { max: MAX_ARGUMENT };
        let arguments: Vec<ArgSpec> = (0..count).map(|at| spec(at).unwrap_or(symbolic.clone())).collect();
        let fixed = arguments.iter().map(|a| match a {
            ArgSpec::Concrete(word) => Some(word.clone()),
            ArgSpec::Symbolic { .. } => None,
        });
        let fixed = fixed.collect();
        let inputs = InputSpec { program: PROGRAM.to_owned(), arguments, ..InputSpec::default() };
        let value =
            |name: &str| options.iter().position(|o| o == name).and_then(|at| options.get(at + 1)?.parse().ok());
        let mut search = SearchOptions { max_epochs: 200, ..SearchOptions::default() };
        search.loop_bound = value("--loop-bound").unwrap_or(search.loop_bound);
        if random.chance(20) {
            search.epoch_instructions = random.below(MAX_LENGTH);
            search.epoch_balance = random.chance(50).then(|| random.below(MAX_LENGTH));
        }
        let deadline = Instant::now().checked_add(Duration::from_secs(SECONDS));
        let limits = RunLimits { deadline, ..RunLimits::default() };
        let request = Request {
            program: Arc::clone(program),
            inputs,
            externs: BTreeMap::new(),
            memory_errors: Default::default(),
            search,
            limits,
            without: Vec::new(),
        };
        Self { request, fixed, runs }
    }

    /// Arguments and standard input of a run.
    pub(crate) fn input(&self, random: &mut Random) -> Input {
        let given = random.pick(&self.runs);
        let mut input = if random.chance(40) { given } else { given.varied(random) };
        for (word, fixed) in input.arguments.iter_mut().zip(&self.fixed) {
            if let Some(fixed) = fixed {
                word.clone_from(fixed);
            }
            word.truncate(MAX_ARGUMENT);
        }
        input
    }
}

/// The value of an input at program entry; `None` if it is none that is known.
pub(crate) fn value(input: &Input, name: &str) -> Option<u64> {
    let argument = |text: &str| {
        let index = text.strip_prefix("argv[")?.strip_suffix(']')?.parse::<usize>().ok()?;
        input.arguments.get(index.checked_sub(1)?)
    };
    for function in ["atoi", "atol", "strtol", "strtoul", "atoll", "strtoll", "strtoull"] {
        let Some(text) =
            name.strip_prefix(function).and_then(|n| n.strip_prefix('(')).and_then(|n| n.strip_suffix(')'))
        else {
            continue;
        };
        let word = argument(text)?;
        let digits = word.strip_prefix('-').unwrap_or(word);
        let plain = !digits.is_empty() && digits.len() <= 9 && digits.bytes().all(|b| b.is_ascii_digit());
        let zero_in_front = digits.len() > 1 && digits.starts_with('0');
        return word.parse::<i64>().ok().filter(|_| plain && !zero_in_front).map(i64::cast_unsigned);
    }
    let (array, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    let at = index.parse::<usize>().ok()?;
    Some(argument(array)?.as_bytes().get(at).copied().unwrap_or(0).into())
}
