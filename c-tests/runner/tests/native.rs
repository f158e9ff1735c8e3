//! Results of `enumerate` against a scheduler that shares nothing with icsched (`docs/internals/native-oracle.md`): C
//! programs and random ones.

use std::path::{Path, PathBuf};
use std::process::Command;

use c_tests_runner::locate::Tools;
use serde_json::Value;
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
    (
        "sync/a_signal_nobody_sends.c",
        "the scheduler does not control sigwait: natively the thread waits for ever in it",
    ),
    ("sync/a_thread_for_signals.c", "the scheduler does not control sigwait, nor which thread gets a signal"),
];

/// Random programs that are compared, by their seeds.
const SEEDS: u32 = 12;
/// The same in a sample.
const SEEDS_OF_SAMPLE: u32 = 3;
/// Runs of each random program that follow their schedules, at least: 22 when this was written.
const FOLLOWED: u32 = 12;
/// In a sample, one C program in so many is compared.
const ONE_IN: u64 = 4;

fn programs(folder: &Path, of: &str) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder.join(of)).expect("the folder is there");
    let paths = files.map(|file| file.expect("a file").path());
    let is_left_out = |path: &Path| LEFT_OUT.iter().any(|(name, _)| path.ends_with(name));
    let mut found: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "c") && !is_left_out(path)).collect();
    found.retain(|path| test_sample::has(&format!("{of}/{}", path.file_name().unwrap_or_default().display()), ONE_IN));
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
    let seeds = test_sample::of(SEEDS_OF_SAMPLE, SEEDS);
    let (status, said) =
        run_words(&["--fuzz", &format!("0..{seeds}"), "--icsched", icsched]).expect("programs are compared");
    assert_eq!(status, 0, "{said}");
    let followed = said.split_once(" runs followed").and_then(|(before, _)| before.rsplit(' ').next()?.parse().ok());
    assert!(followed.is_some_and(|runs: u32| runs > seeds * FOLLOWED), "{said}");
}

/// A finding's calls in which threads wait, as the scheduler prints them: `pthread_join(...) at file.c:12`.
fn waits(finding: &Value) -> Vec<(String, String)> {
    let threads = finding["threads"].as_array().expect("a finding has threads");
    let waiting = threads.iter().filter(|thread| thread["operation"] != "");
    let place = |thread: &Value| {
        let site = thread["frames"].as_array().and_then(|frames| frames.last()).expect("who waits is somewhere");
        let file = site["file"].as_str().expect("a file");
        format!("at {}:{}", file.rsplit('/').next().expect("a name"), site["line"])
    };
    waiting.map(|thread| (thread["operation"].as_str().expect("a call").to_owned(), place(thread))).collect()
}

/// Every deadlock that a run in the interpreter has shown, natively, with the same input.
#[test]
fn findings_show_natively() {
    let tools = Tools::find().expect("the tools are there");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("c-tests is around the runner");
    let (mut wrong, mut looked) = (Vec::new(), 0);
    for program in programs(folder, "findings") {
        let work = tempfile::tempdir().expect("a temporary directory can be made");
        let (bitcode, json) = (work.path().join("p.bc"), work.path().join("r.json"));
        let compiled = Command::new(&tools.clang)
            .args(["-g", "-w", "-emit-llvm", "-c"])
            .arg(&program)
            .arg("-o")
            .arg(&bitcode)
            .status();
        assert!(compiled.expect("there is a compiler").success(), "{}", program.display());
        let mut check = Command::new(&tools.icsched);
        check.args(["check", "--quiet", "--only", "deadlock"]).arg(&bitcode).arg("--json").arg(&json);
        check.args(["--", "@"]).status().expect("the binary is there");
        let text = std::fs::read_to_string(&json).expect("it writes a result");
        let result: Value = serde_json::from_str(&text).expect("JSON");
        // Answers to calls cannot be given to a native run.
        let is_native = |f: &&Value| f["confirmed"] == true && f["input"]["answers"] == serde_json::json!([]);
        for finding in result["findings"].as_array().expect("findings").iter().filter(is_native) {
            let words = finding["input"]["argv"].as_array().expect("arguments").iter().skip(1);
            let words: Vec<&str> = words.map(|word| word.as_str().expect("a text")).collect();
            let name = program.to_str().expect("a text");
            let (_, said) = run_words(&[&[name, "--"], &words[..]].concat()).expect("the program is explored");
            let is_shown = |line: &str, (call, at): &(String, String)| line.contains(call) && line.ends_with(at);
            let shown = waits(finding).iter().all(|wait| said.lines().any(|line| is_shown(line, wait)));
            if !shown || !said.contains("deadlock") {
                wrong.push(format!("{name} {words:?}: {finding:#}\n{said}"));
            }
            looked += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(looked >= test_sample::of(1, 6), "only {looked} findings");
}
