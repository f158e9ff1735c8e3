//! Theorem 1 (Bergan 2.7, appendix B; de Boer) against runs.
//!
//! Concrete states are recorded in the middle of runs with random inputs and schedules. The stacks of their threads are
//! a context; symbolic execution from there must have a path for what the run goes on to do (completeness), and every
//! state that satisfies a path's constraint must take that path if the same threads go on (soundness).
//! `docs/concepts/symbolic-contexts.md` tells the whole story.
//!
//! To search for longer: `ICSCHED_THEOREM_SEEDS=10..20 cargo test -p icsched-driver --test it theorem::search --
//! --ignored --nocapture`; `ICSCHED_THEOREM_ONLY=sync/` in front of it takes only programs whose names contain that.

mod lockstep;
mod record;
mod subject;
mod vary;
mod watch;

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::common::programs::{self, Source};
use crate::common::random::Random;
use crate::common::spread::spread;
use lockstep::Looked;

/// Programs of which most time goes into arithmetic that solvers are bad at, in models without pointers to speak of:
/// soft floats and integers of 128 bits.
const ARITHMETIC: [&str; 4] = ["complex_numbers", "wide_integers", "long_double", "math_functions"];

/// Programs in which time passes: deadlines are times in one domain, and as far away as can be in the other.
const TIME: [&str; 3] = ["cond_timedwait", "timedlock", "sleepers"];

/// Folders of `c-tests/` whose programs are about threads, memory and control flow. `library` is not: nearly all that
/// its programs execute is models that ask the operating system, which the two domains do differently.
const FOLDERS: [&str; 6] = ["deadlock", "inputs", "language", "memory-errors", "schedules", "sync"];

/// Programs that were made for what others have too seldom.
const OWN: [&str; 2] = ["aliases.c", "sometimes_locked.c"];

/// In a sample, one program in so many.
const ONE_IN: u64 = 5;

/// All programs.
fn sources() -> Vec<Source> {
    let mut found = programs::sources(&FOLDERS);
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/theorem/c");
    found.extend(OWN.iter().map(|name| programs::source("theorem", own.join(name))));
    found
}

/// One round over the programs that are chosen.
fn round(seed: u64, chosen: &dyn Fn(&str) -> bool, looked: &mut Looked) -> Vec<String> {
    let mut sources = sources();
    sources.retain(|source| !TIME.iter().any(|t| source.name.ends_with(t)) && chosen(&source.name));
    let results = spread(&sources, |source| {
        let mut random = Random::of(&source.name, seed);
        let mut own = Looked::default();
        let (name, program) = source.load(&mut random);
        let input = |random: &mut Random| source.input(random);
        let check = AssertUnwindSafe(|| subject::check(&program, &input, &mut random, &mut own));
        let result = catch_unwind(check).unwrap_or_else(|_| Err("a panic".to_owned()));
        let wrong = result.err().map(|how| format!("{name}, seed {seed}: {how}"));
        if let Some(message) = &wrong {
            let _ = writeln!(std::io::stderr(), "{message}");
        }
        (own, wrong)
    });
    results.iter().for_each(|(own, _)| looked.add(own));
    results.into_iter().filter_map(|(_, wrong)| wrong).collect()
}

#[test]
fn runs_take_the_paths_that_symbolic_execution_finds() {
    let mut looked = Looked::default();
    let is_arithmetic = |name: &str| ARITHMETIC.iter().any(|a| name.ends_with(a));
    let chosen = |name: &str| !is_arithmetic(name) && test_sample::has(name, ONE_IN);
    let wrong = round(1, &chosen, &mut looked);
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    let enough = |count: u64, all: u64| count > all / test_sample::of(2 * ONE_IN, 1);
    assert!(enough(looked.contexts, 150) && enough(looked.concurrent, 40) && enough(looked.waiting, 20), "{looked:#?}");
    assert!(enough(looked.choices, 2000) && enough(looked.followed, 300) && enough(looked.varied, 150), "{looked:#?}");
}

#[test]
#[ignore = "searches as long as it is told to"]
fn search() {
    let range = std::env::var("ICSCHED_THEOREM_SEEDS").unwrap_or_else(|_| "0..4".to_owned());
    let only = std::env::var("ICSCHED_THEOREM_ONLY").unwrap_or_default();
    let (from, to) = range.split_once("..").expect("FROM..TO");
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let (mut looked, mut wrong) = (Looked::default(), Vec::new());
    for seed in number(from)..number(to) {
        wrong.extend(round(seed, &|name| name.contains(&only), &mut looked));
    }
    let _ = writeln!(std::io::stderr(), "{looked:#?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
