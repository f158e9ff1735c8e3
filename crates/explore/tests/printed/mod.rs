//! Printed constraints against the terms they stand for.
//!
//! Random terms over the inputs that programs have are printed. The texts are compiled as C and evaluated for inputs at
//! and around the limits of types; each must be true exactly where the evaluator says that the term is. What no C can
//! compute is replaced by a variable of the type that the printer says. The compiler adds traps for shifts and
//! divisions that C leaves undefined.
//!
//! `docs/testing.md` says how to look for longer than the test does.

mod compile;
mod generate;
mod inputs;

use std::ops::Range;

use icsched_smt::{Term, TermPool};
use icsched_symbolic::print::{InputName, Printer};

use crate::deboer::random::Random;
use compile::{Condition, evaluated};
use generate::Generator;
use inputs::Inputs;

/// Conditions in one C file.
const BATCH: u64 = 250;
/// Inputs that each condition is evaluated for.
const INPUTS: usize = 96;

/// What was compared.
#[derive(Default)]
struct Compared {
    conditions: usize,
    /// Texts that were cut since they are too long.
    cut: usize,
    /// Conditions that are both true and false of some input.
    decisive: usize,
    wrong: Vec<String>,
}

/// The condition of a seed, as a term and as text with the names in it that are no C.
fn condition(pool: &mut TermPool, seed: u64, inputs: &[Inputs]) -> (Term, String, Vec<InputName>) {
    let mut random = Random::new(seed);
    let parts = Generator::new(pool, &mut random, inputs).conditions();
    let all = pool.and_all(&parts);
    let printer = Printer::new(pool);
    let text = if parts.len() == 1 { printer.condition(all) } else { printer.conjunction(&parts) };
    (all, text, printer.names())
}

fn compare(seeds: Range<u64>) -> Compared {
    let mut compared = Compared::default();
    let mut from = seeds.start;
    while from < seeds.end {
        let to = (from + BATCH).min(seeds.end);
        batch(from..to, &mut compared);
        from = to;
    }
    compared
}

fn batch(seeds: Range<u64>, compared: &mut Compared) {
    let mut random = Random::new(seeds.start ^ 0x5eed);
    let inputs: Vec<Inputs> = (0..INPUTS).map(|_| Inputs::random(&mut random)).collect();
    let mut pool = TermPool::new();
    let mut conditions = Vec::new();
    for seed in seeds {
        let (term, text, names) = condition(&mut pool, seed, &inputs);
        if text.contains("...") {
            compared.cut += 1;
            continue;
        }
        conditions.push(Condition { seed, term, text, names });
    }
    let found = evaluated(&pool, &conditions, &inputs);
    for (condition, found) in conditions.iter().zip(found) {
        let expected = |input: &Inputs| pool.eval_bool(condition.term, &input.model());
        let expected: Vec<bool> = inputs.iter().map(expected).collect();
        compared.conditions += 1;
        compared.decisive += usize::from(expected.contains(&true) && expected.contains(&false));
        if let Some(at) = (0..INPUTS).find(|&at| found[at] != Some(expected[at])) {
            let (is, text) = (expected[at], &condition.text);
            let term = icsched_smt::serial::export(&pool, &[condition.term]);
            let term = if term.nodes.len() < 40 { format!("{term:?}") } else { String::new() };
            compared.wrong.push(format!("seed {}: is {is} for {}:\n  {text}\n  {term}", condition.seed, inputs[at]));
        }
    }
}

#[test]
fn printed_conditions_are_what_was_computed() {
    let compared = compare(0..550);
    assert!(compared.wrong.is_empty(), "{}", compared.wrong.join("\n"));
    assert!(compared.cut < 25, "{} texts of 550 were cut", compared.cut);
    assert!(compared.decisive > 250, "only {} conditions depend on these inputs", compared.decisive);
}

/// Compares the seeds of `ICSCHED_SEEDS` (`FIRST..LAST`).
#[test]
#[ignore = "as long as one wants"]
#[expect(clippy::print_stderr, reason = "for whoever searches")]
fn search() {
    let number = |text: &str| text.parse::<u64>().expect("ICSCHED_SEEDS is FIRST..LAST");
    let seeds = std::env::var("ICSCHED_SEEDS").unwrap_or_else(|_| "0..5000".to_owned());
    let (first, last) = seeds.split_once("..").expect("ICSCHED_SEEDS is FIRST..LAST");
    let compared = compare(number(first)..number(last));
    let Compared { conditions, cut, decisive, wrong } = &compared;
    eprintln!("{conditions} conditions, {decisive} of them decisive, {cut} cut, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
