//! What `icsched enumerate` promises of programs with several epochs, held against runs (Bergan 3.2.2, 3.3).
//!
//! Programs are enumerated, and then run in the concrete domain with the same epoch markers. Whenever an epoch begins,
//! the state of the run must satisfy the precondition of some path of that epoch; and its threads, when they are run in
//! any order that the schedule's happens-before graph allows, must do what the graph says to its end. So dataflow
//! analysis, symbolic execution from where epochs begin, slicing, markers and the search are tested together.
//! `docs/testing.md` tells more.
//!
//! To search for longer: `ICSCHED_COVERAGE_SEEDS=10..20 cargo test --release -p icsched-driver --test it
//! coverage::search -- --ignored --nocapture`; `ICSCHED_COVERAGE_ONLY=sync/` in front of it takes only programs whose
//! names contain that.

mod check;
mod conditions;
mod follow;
mod inputs;
mod run;
mod subject;

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::common::programs;
use crate::common::random::Random;
use crate::common::spread::spread;
use check::Looked;

/// The folders of `c-tests/` whose programs are enumerated.
const FOLDERS: [&str; 3] = ["epochs", "sync", "schedules"];

/// Programs in which time passes: when an epoch ends, nobody knows how much is left of it.
const TIME: [&str; 4] = ["cond_timedwait", "timedlock", "sleepers", "signals"];

/// Programs that the suite leaves to `search`, for they take long.
const LONG: [&str; 11] = [
    "failure_log",
    "float_barrier_loop",
    "lock_in_heap_object",
    "philosophers",
    "philosophers_deadlock",
    "semaphore_ring",
    "sync/barrier",
    "bounded_buffer",
    "c11_threads",
    "pool_until_quit",
    "destructor_locks",
];

/// In a sample, one program in so many.
const ONE_IN: u64 = 5;

/// One round over the programs that are chosen, with so many runs of each.
fn round(seed: u64, runs: u32, chosen: &dyn Fn(&str) -> bool, looked: &mut Looked) -> Vec<String> {
    let mut sources = programs::sources(&FOLDERS);
    sources.retain(|source| !TIME.iter().any(|t| source.name.ends_with(t)) && chosen(&source.name));
    let results = spread(&sources, |source| {
        let mut random = Random::of(&source.name, seed);
        let mut own = Looked::default();
        let check = AssertUnwindSafe(|| check::program(source, runs, &mut random, &mut own));
        let result = catch_unwind(check).unwrap_or_else(|_| Err("a panic".to_owned()));
        let _ = writeln!(std::io::stderr(), "{}, seed {seed}: {own:?}", source.name);
        let wrong = result.err().map(|how| format!("{}, seed {seed}: {how}", source.name));
        if let Some(message) = &wrong {
            let _ = writeln!(std::io::stderr(), "WRONG: {message}");
        }
        (own, wrong)
    });
    results.iter().for_each(|(own, _)| looked.add(own));
    results.into_iter().filter_map(|(_, wrong)| wrong).collect()
}

#[test]
fn runs_follow_the_schedules_of_their_epochs() {
    let mut looked = Looked::default();
    let is_long = |name: &str| LONG.iter().any(|l| name.ends_with(l));
    let wrong = round(1, 8, &|name| !is_long(name) && test_sample::has(name, ONE_IN), &mut looked);
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let enough = |count: u64, all: u64| count > all / test_sample::of(2 * ONE_IN, 1);
    let is_enough = enough(looked.runs, 200) && enough(looked.epochs, 500) && enough(looked.different_schedules, 60);
    assert!(is_enough, "{looked:#?}");
}

#[test]
#[ignore = "searches as long as it is told to"]
fn search() {
    let range = std::env::var("ICSCHED_COVERAGE_SEEDS").unwrap_or_else(|_| "0..4".to_owned());
    let only = std::env::var("ICSCHED_COVERAGE_ONLY").unwrap_or_default();
    let (from, to) = range.split_once("..").expect("FROM..TO");
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let (mut looked, mut wrong) = (Looked::default(), Vec::new());
    for seed in number(from)..number(to) {
        wrong.extend(round(seed, 40, &|name| name.contains(&only), &mut looked));
    }
    let _ = writeln!(std::io::stderr(), "{looked:#?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
