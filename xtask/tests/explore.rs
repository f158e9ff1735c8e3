//! `explore-native` on small programs: the ends that their comments list, with and without the reduction.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use xtask::native::run_words;

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let mut programs: Vec<PathBuf> =
        fs::read_dir(folder).expect("the folder").map(|f| f.expect("a file").path()).collect();
    programs.sort();
    programs
}

/// Values of a key in the comments at a program's top.
fn expected(program: &Path, key: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(program).expect("a program");
    let value = |line: &str| Some(line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": ")?.to_owned());
    text.lines().filter_map(value).collect()
}

/// The headlines of ends.
fn ends(text: &str) -> BTreeSet<String> {
    let end = |line: &str| {
        let (_, end) = line.strip_prefix("End ")?.split_once(": ")?;
        Some(end.rsplit_once(" (")?.0.to_owned())
    };
    text.lines().filter_map(end).collect()
}

#[test]
fn all_ends_are_found_and_no_others() {
    for program in programs() {
        let name = program.to_str().expect("a text");
        let (_, said) = run_words(&["--endless", "200000", name]).expect("it is explored");
        assert_eq!(ends(&said), expected(&program, "end"), "{said}");
        assert!(said.contains("; all interleavings"), "{said}");
        for race in expected(&program, "race") {
            assert!(said.contains(&format!("data race: {race}")), "{said}");
        }
        assert_eq!(said.contains("data race"), !expected(&program, "race").is_empty(), "{said}");
    }
}

#[test]
fn the_reduction_leaves_no_end_out() {
    for seed in 0..8 {
        let directory = tempfile::tempdir().expect("a directory");
        let source = directory.path().join("random.c");
        let (_, text) = run_words(&["--show", &seed.to_string()]).expect("a program");
        fs::write(&source, text).expect("a file");
        let name = source.to_str().expect("a text");
        let explored = |reduction: &[&str]| {
            let words = [&["--random", "0", "--max-runs", "300", name][..], reduction, &["--", "2", "1"]].concat();
            run_words(&words).expect("it is explored").1
        };
        let (few, all) = (explored(&[]), explored(&["--no-reduction"]));
        let (some, found) = (ends(&all), ends(&few));
        // What is not all may still have an end that the other one lacks.
        if few.contains("; all interleavings") {
            assert!(some.is_subset(&found), "seed {seed}:\n{few}\n{all}");
        }
        if few.contains("; all interleavings") && all.contains("; all interleavings") {
            assert_eq!(some, found, "seed {seed}");
        }
    }
}

#[test]
fn json_has_what_the_text_says() {
    let program = programs().into_iter().find(|path| path.ends_with("abba.c")).expect("it is there");
    let (status, json) = run_words(&["--json", program.to_str().expect("a text"), "--", "1"]).expect("it is explored");
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((status, &json["schema"], &json["complete"]), (1, &"icsched/explore-native/1".into(), &true.into()));
    let deadlock = json["ends"].as_array().expect("a list").iter().find(|end| end["kind"] == "deadlock");
    let deadlock = deadlock.expect("a deadlock");
    assert_eq!(deadlock["blocked"][1]["op"], "pthread_mutex_lock");
    assert_eq!(deadlock["order"].as_array().map(Vec::len), Some(3), "{deadlock}");
}

#[test]
fn a_run_is_held_to_a_schedule_or_leaves_it() {
    let planted = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/planted");
    let source = planted.join("office.c");
    let database = planted.join("office.json");
    let hold = |schedule: &str, argument: &str| {
        let which = format!("{}#{schedule}", database.display());
        run_words(&["--hold", &which, "--lines", source.to_str().expect("a text"), "--", argument]).expect("a run")
    };
    let (status, said) = hold("78d431bb6fc9", "10");
    assert_eq!((status, said.trim()), (0, "followed: the run exits with status 0"));
    let (status, said) = hold("1", "11");
    assert_eq!((status, said.trim()), (0, "followed: the run ends in a deadlock of T0 and T2"));
    let (status, said) = hold("2", "11");
    assert_eq!(status, 1);
    assert!(said.contains("cannot follow: T1 pthread_barrier_wait(meeting) at office.c:17, where the schedule has pthread_mutex_unlock(key) at office.c:16"), "{said}");
    assert!(run_words(&["--hold", "nothing#1", "x.c"]).is_err());
}
