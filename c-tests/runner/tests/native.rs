//! Results of `enumerate` against a scheduler that shares nothing with icsched (`docs/internals/native-oracle.md`): C
//! programs and random ones.

use std::path::{Path, PathBuf};

use c_tests_runner::locate::Tools;
use xtask::native::run_words;

/// Programs that the comparison cannot follow, with the reason.
const LEFT_OUT: &[(&str, &str)] = &[
    (
        "sync/cond_timedwait.c",
        "a wait whose time is up at once is a node on the mutex in a schedule, and one on the condition variable natively",
    ),
    (
        "sync/robust_mutex.c",
        "natively an unlock of a robust mutex that is not consistent is no call that the scheduler sees",
    ),
];

/// Random programs that are compared, by their seeds.
const SEEDS: &str = "0..12";
/// Runs that follow their schedules, at least: 268 when this was written.
const FOLLOWED: u32 = 150;

fn programs(folder: &Path, of: &str) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder.join(of)).expect("the folder is there");
    let paths = files.map(|file| file.expect("a file").path());
    let is_left_out = |path: &Path| LEFT_OUT.iter().any(|(name, _)| path.ends_with(name));
    let mut found: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "c") && !is_left_out(path)).collect();
    found.sort();
    found
}

#[test]
fn every_input_of_c_programs_has_a_schedule_that_a_run_follows() {
    let tools = Tools::find().expect("the tools are there");
    let icsched = tools.icsched.to_str().expect("a text");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("c-tests is around the runner");
    let mut wrong = Vec::new();
    for program in programs(folder, "sync") {
        let name = program.to_str().expect("a text");
        match run_words(&["--compare", "--icsched", icsched, name]) {
            Ok((0, _)) => {}
            Ok((_, said)) => wrong.push(said),
            Err(error) => wrong.push(format!("{name}: {error:#}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_input_of_random_programs_has_a_schedule_that_a_run_follows() {
    let tools = Tools::find().expect("the tools are there");
    let icsched = tools.icsched.to_str().expect("a text");
    let (status, said) = run_words(&["--fuzz", SEEDS, "--icsched", icsched]).expect("programs are compared");
    assert_eq!(status, 0, "{said}");
    let followed = said.split_once(" runs followed").and_then(|(before, _)| before.rsplit(' ').next()?.parse().ok());
    assert!(followed.is_some_and(|runs: u32| runs > FOLLOWED), "{said}");
}
