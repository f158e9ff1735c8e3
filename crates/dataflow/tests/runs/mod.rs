//! Facts against runs (Bergan 2.7, Theorem 1: an initial state models every concrete state at its context).
//!
//! Random programs run in the concrete domain, threads interrupted at random wherever they execute the program itself.
//! At random states, the stacks of all threads are taken as contexts, whole or without their oldest frames, and every
//! definition that is said to reach them is evaluated in the state.
//!
//! To search for longer:
//! `ICSCHED_SEEDS=1000..2000 cargo test -p icsched-dataflow --test it runs:: -- --ignored --nocapture`.

mod check;
mod generate;
mod random;
mod returned;
mod rounds;

use check::{Looked, check};

fn run(seeds: std::ops::Range<u64>) -> Looked {
    let mut looked = Looked::default();
    for seed in seeds {
        for (text, run) in [generate::program(seed), rounds::program(seed)].iter().zip([0, 4]) {
            for run in run..run + 3 {
                if let Err(how) = check(text, seed.wrapping_mul(16).wrapping_add(run), &mut looked) {
                    panic!("seed {seed}, run {run}: {how}\n{text}");
                }
            }
        }
    }
    looked
}

#[test]
fn what_is_said_holds_in_runs() {
    let looked = run(0..150);
    assert!(looked.contexts > 2000 && looked.registers > 5000 && looked.places > 5000, "{looked:?}");
    assert!(looked.concurrent > 500, "{looked:?}");
    assert!(looked.barriers > 1000 && looked.relations > 300, "{looked:?}");
    assert!(looked.inside > 50 && looked.chosen > 500 && looked.ranges > 500, "{looked:?}");
    assert!(looked.held > 1000 && looked.named > 500, "{looked:?}");
}

#[test]
#[ignore = "searches as long as it is told to"]
#[allow(clippy::print_stderr, reason = "whoever searches wants to see how much was looked at")]
fn search() {
    let range = std::env::var("ICSCHED_SEEDS").unwrap_or_else(|_| "0..1000".to_owned());
    let (from, to) = range.split_once("..").expect("FROM..TO");
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let looked = run(number(from)..number(to));
    let words = format!("{looked:?}");
    assert!(looked.contexts > 0, "{words}");
    eprintln!("{words}");
}
