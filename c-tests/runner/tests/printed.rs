//! Printed constraints against the branches of native programs; `docs/testing.md` says how to search further seeds.

use std::io::Write as _;
use std::path::PathBuf;

use c_tests_runner::locate::Tools;
use c_tests_runner::printed::{Verdict, check, program};

fn check_seed(tools: &Tools, seed: u64) -> Verdict {
    let work = tempfile::tempdir().expect("a directory");
    check(tools, seed, work.path())
        .unwrap_or_else(|error| Verdict::Differs(format!("it cannot be compared: {error:#}")))
}

#[test]
fn the_first_seeds_agree() {
    let tools = Tools::find().expect("the tools are there");
    let (mut found, mut same) = (Vec::new(), 0);
    let programs = test_sample::of(5, 18);
    for seed in 0..programs {
        match check_seed(&tools, seed) {
            Verdict::Same => same += 1,
            Verdict::Skipped(_) => {}
            Verdict::Differs(how) => found.push(format!("seed {seed}: {how}")),
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(same >= programs * 5 / 6, "only {same} of {programs} programs could be compared");
}

/// Compares the seeds of `ICSCHED_SEEDS` (`FIRST..LAST`), and writes the programs that differ to the directory
/// `ICSCHED_FOUND`.
#[test]
#[ignore = "runs as long as it is told to"]
fn search_for_differences() {
    let number = |text: &str| text.parse::<u64>().expect("ICSCHED_SEEDS is FIRST..LAST");
    let seeds = std::env::var("ICSCHED_SEEDS").unwrap_or_else(|_| "0..300".to_owned());
    let (first, last) = seeds.split_once("..").expect("ICSCHED_SEEDS is FIRST..LAST");
    let directory = std::env::var_os("ICSCHED_FOUND").map_or_else(std::env::temp_dir, PathBuf::from);
    let tools = Tools::find().expect("the tools are there");
    let mut out = std::io::stderr();
    let (mut same, mut skipped, mut different) = (0, 0, 0);
    for seed in number(first)..number(last) {
        match check_seed(&tools, seed) {
            Verdict::Same => same += 1,
            Verdict::Skipped(why) => {
                skipped += 1;
                let _ = writeln!(out, "seed {seed} skipped: {why}");
            }
            Verdict::Differs(how) => {
                different += 1;
                let _ = writeln!(out, "seed {seed}: {how}");
                std::fs::create_dir_all(&directory).expect("the directory can be made");
                std::fs::write(directory.join(format!("printed-{seed}.c")), program(seed)).expect("written");
            }
        }
    }
    let _ = writeln!(out, "{same} agree, {different} differ, {skipped} skipped");
    assert_eq!(different, 0);
}
