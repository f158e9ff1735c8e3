//! Generated programs against native runs; `docs/testing.md` says how to search further seeds.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context as _, Result};
use c_tests_runner::csmith::{Setting, Verdict, check};
use c_tests_runner::locate::Tools;

/// Seconds of processor time that a run of the interpreter may take; a longer one is counted as slow, not as wrong.
const LIMIT: u32 = 60;

fn check_seed(tools: &Tools, seed: u64) -> Result<Verdict> {
    let work = tempfile::tempdir()?;
    check(tools, Setting::of(seed), work.path(), LIMIT).with_context(|| format!("seed {seed}"))
}

#[test]
fn the_first_seeds_agree() {
    let tools = Tools::find().expect("the tools are there");
    let mut found = Vec::new();
    let mut same = 0;
    let programs = test_sample::of(12, 50);
    for seed in 0..programs {
        match check_seed(&tools, seed) {
            Ok(Verdict::Same) => same += 1,
            Ok(Verdict::Skipped(_) | Verdict::Slow) => {}
            Ok(Verdict::Differs(how)) => found.push(format!("{:?}: {how}", Setting::of(seed))),
            Err(error) => found.push(format!("{error:#}")),
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(same >= programs * 4 / 5, "only {same} of {programs} programs could be compared");
}

/// Compares the seeds of `ICSCHED_SEEDS` (`FIRST..LAST`), and keeps the programs that differ in the directory
/// `ICSCHED_FOUND`.
#[test]
#[ignore = "runs as long as it is told to"]
fn search_for_differences() {
    let number = |text: &str| text.parse::<u64>().expect("ICSCHED_SEEDS is FIRST..LAST");
    let seeds = std::env::var("ICSCHED_SEEDS").unwrap_or_else(|_| "0..100".to_owned());
    let (first, last) = seeds.split_once("..").expect("ICSCHED_SEEDS is FIRST..LAST");
    let found = std::env::var_os("ICSCHED_FOUND").map_or_else(std::env::temp_dir, PathBuf::from);
    let tools = Tools::find().expect("the tools are there");
    let mut out = std::io::stderr();
    let (mut same, mut skipped, mut slow, mut different) = (0, 0, 0, 0);
    for seed in number(first)..number(last) {
        let work = found.join(format!("seed-{seed}"));
        std::fs::create_dir_all(&work).expect("the directory can be made");
        let start = Instant::now();
        let verdict = check(&tools, Setting::of(seed), &work, LIMIT)
            .unwrap_or_else(|error| Verdict::Differs(format!("it cannot be made: {error:#}")));
        let seconds = start.elapsed().as_secs_f32();
        if verdict != Verdict::Same {
            let _ = writeln!(out, "{:?}, {seconds:.1} s: {verdict:?}", Setting::of(seed));
        }
        let (count, keep) = match verdict {
            Verdict::Same => (&mut same, false),
            Verdict::Skipped(_) => (&mut skipped, false),
            Verdict::Slow => (&mut slow, true),
            Verdict::Differs(_) => (&mut different, true),
        };
        *count += 1;
        if !keep {
            std::fs::remove_dir_all(&work).expect("what was made can be removed");
        }
    }
    let _ = writeln!(out, "{same} the same, {skipped} skipped, {slow} too slow, {different} differ");
    assert_eq!(different, 0, "see {}", found.display());
}
