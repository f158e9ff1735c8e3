//! `icsched experiment` with the built command: every run is a process of its own.
//!
//! The programs are textual LLVM IR, so that no compiler is needed.

use std::process::{Command, Output};

use tempfile::TempDir;

const PROGRAM: &str = "target triple = \"x86_64-pc-linux-gnu\"
declare i32 @atoi(ptr)
declare i32 @pthread_mutex_lock(ptr)
@a = global [40 x i8] zeroinitializer, align 8
@b = global [40 x i8] zeroinitializer, align 8
define i32 @main(i32 %argc, ptr %argv) {
  %place = getelementptr ptr, ptr %argv, i64 1
  %text = load ptr, ptr %place
  %n = call i32 @atoi(ptr %text)
  %large = icmp sgt i32 %n, 9
  br i1 %large, label %yes, label %no
yes:
  %x = call i32 @pthread_mutex_lock(ptr @a)
  ret i32 0
no:
  %y = call i32 @pthread_mutex_lock(ptr @b)
  ret i32 0
}
";

const MANIFEST: &str = r#"
title = "Locks"

[[configuration]]
name = "no-slicing"
without = ["slicing"]

[[run]]
name = "locks"
program = "locks.ll"
command = "enumerate"
configurations = ["full", "no-slicing"]
args = ["@"]

[[table]]
name = "schedules"
title = "Schedules"
columns = ["full.schedules", "no-slicing.schedules"]
"#;

fn place(manifest: &str) -> TempDir {
    let place = TempDir::new().expect("a temporary directory can be made");
    std::fs::write(place.path().join("locks.ll"), PROGRAM).expect("the directory is ours");
    std::fs::write(place.path().join("m.toml"), manifest).expect("the directory is ours");
    place
}

fn run(place: &TempDir, words: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_icsched"))
        .args(["experiment", "m.toml", "-o", "out"])
        .args(words)
        .current_dir(place.path())
        .output();
    let Output { status, stdout, stderr } = output.expect("the binary was built for this test");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("icsched writes UTF-8");
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn runs_are_made_once_and_end_in_a_table() {
    let place = place(MANIFEST);
    let (status, stdout, stderr) = run(&place, &[]);
    assert_eq!(status, Some(0), "{stdout}{stderr}");
    assert!(stdout.contains("| locks |              2 |                    2 |"), "{stdout}");
    assert!(stderr.contains("[1/2] locks full"), "{stderr}");
    for file in ["report.md", "report.json", "schedules.md", "schedules.csv", "runs/locks.full.json"] {
        assert!(place.path().join("out").join(file).is_file(), "{file}");
    }
    let (status, again, stderr) = run(&place, &[]);
    assert_eq!((status, again), (Some(0), stdout));
    assert!(stderr.contains("locks no-slicing: kept from an earlier batch"), "{stderr}");
    let (_, stdout, stderr) = run(&place, &["--force", "--quiet"]);
    assert_eq!((stdout.as_str(), stderr.as_str()), ("", ""));
}

#[test]
fn a_run_without_a_result_says_why_and_the_others_have_theirs() {
    for (from, to, reason) in [
        ("args = [\"@\"]", "options = [\"--frobnicate\"]", "icsched refused it: error: unexpected argument"),
        ("program = \"locks.ll\"", "program = \"keys.ll\"", "cannot read keys.ll"),
    ] {
        let other = MANIFEST[MANIFEST.find("[[run]]").expect("there is a run")..].replace("\"locks\"", "\"other\"");
        let other = other[..other.find("[[table]]").expect("there is a table")].replace(from, to);
        let place = place(&MANIFEST.replace("[[table]]", &format!("{other}\n[[table]]")));
        let (status, stdout, stderr) = run(&place, &[]);
        assert_eq!(status, Some(3), "{stdout}{stderr}");
        assert!(stdout.contains(reason), "{stdout}{stderr}");
        assert!(stdout.contains("| locks |              2 |"), "{stdout}");
    }
}

#[test]
fn a_wrong_manifest_is_status_2_with_its_line() {
    let place = place(&MANIFEST.replace("args", "arguments"));
    let (status, _, stderr) = run(&place, &[]);
    assert_eq!(status, Some(2), "{stderr}");
    assert!(stderr.contains("--> m.toml:13") && stderr.contains("unknown field `arguments`"), "{stderr}");
    assert!(!place.path().join("out").exists());
}
