//! Random programs: what their schedules promise is held against runs with every small input.
//!
//! `docs/testing.md` says how to search for longer.

mod check;
mod expressions;
mod generate;
mod indirect;
mod operations;
mod random;
mod tree;

use std::io::Write;

use check::{Checked, Fault, Setting, check};
use generate::{Generated, Kind, generate};

const LEVELS: [&str; 4] = ["-O0", "-O0", "-O1", "-O2"];

/// Seeds that every test run checks.
const SEEDS: u64 = 24;
/// The same in a sample.
const SEEDS_OF_SAMPLE: u64 = 6;

/// Seeds that once showed something wrong: memory that grew with the square of a path's exits; a path that was called
/// infeasible because one alternative of a pointer was.
const ONCE_WRONG: [u64; 2] = [293, 761];

/// Seconds for the search of one program.
const SECONDS: u64 = 3;

fn setting(seed: u64, program: &Generated) -> Setting {
    let level = LEVELS[usize::try_from(seed % 4).expect("a small number")];
    Setting { level, inputs: program.inputs, conservative: !seed.is_multiple_of(3) }
}

fn seeds() -> u64 {
    test_sample::of(SEEDS_OF_SAMPLE, SEEDS)
}

#[test]
fn runs_follow_the_schedules_of_random_programs() {
    check_seeds(Kind::Mixed, (0..seeds()).chain(ONCE_WRONG));
}

#[test]
fn runs_follow_the_schedules_of_programs_full_of_pointers() {
    check_seeds(Kind::Indirect, 0..seeds());
}

fn check_seeds(kind: Kind, seeds: impl Iterator<Item = u64>) {
    let mut complete = 0;
    for seed in seeds {
        let program = generate(kind, seed);
        let source = tree::render(&program.nodes);
        let checked = match check(&source, setting(seed, &program), SECONDS) {
            Some(Ok(checked)) => checked,
            Some(Err(violation)) => panic!("seed {seed}: {:?}\n{}\n{source}", violation.fault, violation.text),
            None => panic!("seed {seed} does not compile:\n{source}"),
        };
        complete += usize::from(checked.complete);
    }
    assert!(complete > 0, "no result is complete: nothing was checked about coverage");
}

/// Searches the seeds of `ICSCHED_SEEDS` (`FIRST..LAST`), of programs full of pointers if `ICSCHED_KIND` is
/// `indirect`, and writes what it finds, made smaller, to the directory `ICSCHED_FOUND`.
#[test]
#[ignore = "runs as long as it is told to"]
fn search_for_violations() {
    let number = |text: &str| text.parse::<u64>().expect("ICSCHED_SEEDS is FIRST..LAST");
    let seeds = std::env::var("ICSCHED_SEEDS").unwrap_or_else(|_| "0..100".to_owned());
    let (first, last) = seeds.split_once("..").expect("ICSCHED_SEEDS is FIRST..LAST");
    let found = std::env::var_os("ICSCHED_FOUND").map_or_else(std::env::temp_dir, Into::into);
    let kind = match std::env::var("ICSCHED_KIND").as_deref() {
        Ok("indirect") => Kind::Indirect,
        Ok("mixed") | Err(_) => Kind::Mixed,
        Ok(other) => panic!("ICSCHED_KIND is mixed or indirect, not {other}"),
    };
    let mut violations = 0;
    let mut out = std::io::stderr();
    let mut totals = [0; 5];
    for seed in number(first)..number(last) {
        let program = generate(kind, seed);
        let setting = setting(seed, &program);
        let source = tree::render(&program.nodes);
        let start = std::time::Instant::now();
        let result = check(&source, setting, SECONDS);
        let seconds = start.elapsed().as_secs_f32();
        if seconds > 2.0 {
            writeln!(out, "slow: seed {seed}: {seconds} s").expect("standard error is open");
        }
        match result {
            None => panic!("seed {seed} does not compile:\n{source}\nseed {seed}"),
            Some(Ok(Checked { runs, schedules, complete, deadlocks })) => {
                let add = [1, runs, schedules, usize::from(complete), deadlocks];
                totals.iter_mut().zip(add).for_each(|(t, a)| *t += a);
            }
            Some(Err(violation)) => {
                violations += 1;
                let path = found.join(format!("{:?}-{seed}.c", violation.fault));
                std::fs::write(&path, minimised(program, setting, violation.fault))
                    .expect("ICSCHED_FOUND can be written");
                writeln!(out, "seed {seed}: {:?}: {}", violation.fault, path.display())
                    .expect("standard error is open");
            }
        }
    }
    let [programs, runs, schedules, complete, deadlocks] = totals;
    writeln!(
        out,
        "{programs} programs, {complete} complete, {schedules} schedules, {runs} runs, {deadlocks} deadlocked"
    )
    .expect("standard error is open");
    assert_eq!(violations, 0, "see {}", found.display());
}

/// The smallest program that shows the same fault, with what it shows.
fn minimised(program: Generated, setting: Setting, fault: Fault) -> String {
    let mut last = String::new();
    let nodes = tree::minimise(program.nodes, 600, &mut |source| match check(source, setting, SECONDS) {
        Some(Err(violation)) if violation.fault == fault => {
            last = violation.text;
            true
        }
        Some(_) | None => false,
    });
    let Setting { level, inputs, .. } = setting;
    let comment: String = last.lines().map(|l| format!("// {l}\n")).collect();
    format!("// {fault:?}: clang-22 -g {level}, {inputs} arguments\n{comment}{}", tree::render(&nodes))
}
