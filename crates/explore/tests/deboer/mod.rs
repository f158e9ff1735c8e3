//! The symbolic domain against the concrete one, on generated programs.
//!
//! De Boer and Bonsangue (2021) state two theorems about symbolic execution. Completeness: the path that a concrete run
//! takes is one of the symbolic paths, its constraint holds for the run's input, and the final values agree. Soundness:
//! an input that satisfies the constraint of a symbolic path takes that path, and ends with the values of its terms.
//!
//! [`generate`] writes programs, [`runs`] runs them and [`follow`](runs::Runner::follow)s the symbolic path of an input
//! (no solver is needed for that, so it is fast, and nothing is too hard for it), [`paths`] explores all paths with the
//! solver, [`compare`] says what it means to agree. [`fault`] breaks the operations one by one, to see that each is
//! tested.
//!
//! `docs/testing.md` says how to look for longer than the tests do.

mod compare;
mod fault;
mod generate;
mod inputs;
mod memory;
mod oracle;
mod paths;
mod probe;
pub(crate) mod random;
mod runs;
mod shrink;
mod statements;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use compare::{Agreement, agree};
use fault::Fault;
use generate::Profile;
use icsched_ir::{Program, parse, verify};
use inputs::Inputs;
use random::Random;
use runs::Runner;

/// Programs that are followed: everything there is.
const RICH: Profile = Profile { statements: 14, floats: true, hard: true, engine_inputs: true };
/// The same without what only the engine has, so that plain concrete runs do.
const PLAIN: Profile = Profile { engine_inputs: false, ..RICH };
/// Programs that are explored: what a solver is quick with.
const EASY: Profile = Profile { statements: 12, floats: false, hard: false, engine_inputs: false };
/// The same with some floats.
const FLOATS: Profile = Profile { statements: 5, floats: true, hard: false, engine_inputs: false };

/// Inputs per program.
const INPUTS: usize = 4;

fn follow_profile(seed: u64) -> Profile {
    if seed.is_multiple_of(3) { RICH } else { PLAIN }
}

fn explore_profile(seed: u64) -> Profile {
    if seed.is_multiple_of(8) { FLOATS } else { EASY }
}

fn inputs(seed: u64, count: usize) -> Vec<Inputs> {
    let mut random = Random::new(seed ^ 0xabcd);
    (0..count).map(|_| Inputs::random(&mut random)).collect()
}

fn parsed(text: &str) -> Arc<Program> {
    let program = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let errors = verify(&program);
    assert!(errors.is_ok(), "{errors:?}\n{text}");
    Arc::new(program)
}

/// Results of following some programs.
#[derive(Default)]
struct Followed {
    full: usize,
    refused: usize,
    ends: BTreeMap<String, usize>,
    /// Which operations the runs ask the domain for.
    used: BTreeSet<Fault>,
}

/// Whether the paths that some inputs take agree with their runs.
fn follow(
    program: &Arc<Program>,
    profile: Profile,
    seed: u64,
    fault: Option<Fault>,
    sum: &mut Followed,
) -> Result<(), String> {
    let mut runner = Runner::new(program, profile.engine_inputs);
    for input in inputs(seed, INPUTS) {
        let concrete = runner.concrete(&input);
        let (symbolic, probe) = runner.follow(&input, fault);
        if let Some(how) = &probe.ambiguous {
            return Err(how.clone());
        }
        sum.used.extend(&probe.used);
        match agree(program, &symbolic, &concrete).map_err(|how| format!("{how}\ninput {:02x?}", input.argument))? {
            Agreement::Full => sum.full += 1,
            Agreement::Refused => sum.refused += 1,
        }
        *sum.ends.entry(end_name(&concrete.end)).or_default() += 1;
    }
    Ok(())
}

fn end_name(end: &icsched_machine::PathEnd) -> String {
    match end {
        icsched_machine::PathEnd::Error(e) => e.kind.to_string(),
        other => format!("{other:?}").split([' ', '(']).next().unwrap_or_default().to_owned(),
    }
}

fn follow_seed(seed: u64, sum: &mut Followed) {
    let profile = follow_profile(seed);
    let text = generate::program(seed, profile, None);
    if let Err(how) = follow(&parsed(&text), profile, seed, None, sum) {
        let fails = |p: &Arc<Program>| follow(p, profile, seed, None, &mut Followed::default()).err();
        report(seed, "follow", &text, &how, &fails);
    }
}

fn explore_seed(seed: u64, looked: &mut paths::Looked) {
    let text = generate::program(seed, explore_profile(seed), None);
    match paths::check(&parsed(&text), &inputs(seed, INPUTS)) {
        Ok(more) => {
            looked.paths += more.paths;
            looked.errors += more.errors;
            looked.inputs += more.inputs;
        }
        Err(how) => report(seed, "explore", &text, &how, &|p| paths::check(p, &inputs(seed, INPUTS)).err()),
    }
}

/// A violation: written down where `ICSCHED_FOUND` says, else the test fails.
fn report(seed: u64, mode: &str, text: &str, how: &str, fails: &dyn Fn(&Arc<Program>) -> Option<String>) {
    let (small, why) = shrink::shrink(text, how, fails);
    let told: String = why.lines().map(|line| format!("; {line}\n")).collect();
    let found = format!("; {mode} {seed}\n{told}{small}");
    let Some(directory) = std::env::var_os("ICSCHED_FOUND") else { panic!("{found}") };
    std::fs::create_dir_all(&directory).expect("the directory for what is found can be made");
    let file = std::path::Path::new(&directory).join(format!("{mode}-{seed}.ir"));
    std::fs::write(&file, found).expect("what is found can be written");
}

fn seeds(default: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("ICSCHED_SEEDS") else { return default };
    let (first, last) = text.split_once("..").expect("ICSCHED_SEEDS is FIRST..LAST");
    first.parse().expect("a number")..last.parse().expect("a number")
}

/// Completeness: what concrete runs do, symbolic paths do.
#[test]
fn the_path_of_an_input_agrees_with_its_run() {
    let mut sum = Followed::default();
    for seed in 0..200 {
        follow_seed(seed, &mut sum);
    }
    // Were most runs refused or cut short by errors, the agreement would mean little.
    assert!(sum.refused * 50 < sum.full, "{} runs compared, {} refused", sum.full, sum.refused);
    let exits = sum.ends.get("Exit").copied().unwrap_or_default();
    assert!(exits * 2 > sum.full && sum.ends.len() > 5, "{:?}", sum.ends);
}

/// Soundness: what symbolic paths say, concrete runs do; and no input is left over.
#[test]
fn the_run_of_a_path_s_input_agrees_with_it() {
    let mut looked = paths::Looked::default();
    for seed in 0..150 {
        explore_seed(seed, &mut looked);
    }
    assert!(looked.paths > 500 && looked.errors > 5 && looked.inputs > 500, "{looked:?}");
}

/// Every operation that programs can ask the domain for is used and looked at: were it wrong on some operands, the test
/// of the first theorem would see it.
#[test]
fn a_fault_in_any_operation_is_found() {
    const TRIES: u64 = 300;
    let profile = Profile { statements: 10, ..RICH };
    let is_found = |fault: Fault, seed: u64| {
        let program = parsed(&generate::program(seed, profile, Some(fault)));
        let mut sum = Followed::default();
        follow(&program, profile, seed, None, &mut sum).expect("without the fault there is nothing to find");
        sum.used.contains(&fault) && follow(&program, profile, seed, Some(fault), &mut sum).is_err()
    };
    let missed: Vec<_> =
        Fault::all().into_iter().filter(|&fault| !(0..TRIES).any(|seed| is_found(fault, seed))).collect();
    assert!(missed.is_empty(), "not found: {missed:?}");
}

#[test]
#[ignore = "takes as long as ICSCHED_SEEDS says"]
#[allow(clippy::print_stdout, reason = "the figures are what it is run for")]
fn long() {
    let (mut sum, mut looked) = (Followed::default(), paths::Looked::default());
    let seeds = seeds(1000..3000);
    let mode = std::env::var("ICSCHED_MODE").unwrap_or_default();
    for seed in seeds.clone() {
        if mode != "explore" {
            follow_seed(seed, &mut sum);
        }
        if mode != "follow" {
            explore_seed(seed, &mut looked);
        }
    }
    println!("seeds {seeds:?}: {} runs followed, {} refused, {:?}; {looked:?}", sum.full, sum.refused, sum.ends);
}
