//! `icsched symex` on small programs. They are textual LLVM IR, so that no compiler is needed.

use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A worker takes jobs from a pool; main closes it and wakes nobody.
const POOL: &str = r#"target triple = "x86_64-pc-linux-gnu"
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
@lock = internal global [40 x i8] zeroinitializer, align 8
@more = internal global [48 x i8] zeroinitializer, align 8
@jobs = internal global i32 0, align 4
@closed = internal global i32 0, align 4

define internal ptr @work(ptr %unused) {
  %l = call i32 @pthread_mutex_lock(ptr @lock)
  br label %loop
loop:
  %j = load i32, ptr @jobs
  %c = load i32, ptr @closed
  %both = or i32 %j, %c
  %some = icmp ne i32 %both, 0
  br i1 %some, label %done, label %wait
wait:
  %w = call i32 @pthread_cond_wait(ptr @more, ptr @lock)
  br label %loop
done:
  %u = call i32 @pthread_mutex_unlock(ptr @lock)
  ret ptr null
}

define i32 @main() {
  %t = alloca i64, align 8
  %r = call i32 @pthread_create(ptr %t, ptr null, ptr @work, ptr null)
  %l = call i32 @pthread_mutex_lock(ptr @lock)
  store i32 1, ptr @closed
  %u = call i32 @pthread_mutex_unlock(ptr @lock)
  %h = load i64, ptr %t
  %e = call i32 @pthread_join(i64 %h, ptr null)
  ret i32 0
}
"#;

/// The key of the second node, or of the first if there is no other.
const LIST: &str = r#"target triple = "x86_64-pc-linux-gnu"
define i32 @second(ptr %list) {
  %place = getelementptr i8, ptr %list, i64 8
  %next = load ptr, ptr %place
  %none = icmp eq ptr %next, null
  br i1 %none, label %first, label %other
first:
  %a = load i32, ptr %list
  ret i32 %a
other:
  %b = load i32, ptr %next
  %negative = icmp slt i32 %b, 0
  br i1 %negative, label %minus, label %plus
minus:
  ret i32 -1
plus:
  ret i32 %b
}
"#;

fn run(program: &str, arguments: &[&str]) -> (Output, Value) {
    let directory = TempDir::new().expect("a directory for the test");
    let (bitcode, json) = (directory.path().join("prog.ll"), directory.path().join("out.json"));
    std::fs::write(&bitcode, program).expect("the program is written");
    let output = Command::new(env!("CARGO_BIN_EXE_icsched"))
        .arg("symex")
        .arg(&bitcode)
        .args(arguments)
        .arg("--json")
        .arg(&json)
        .output()
        .expect("icsched runs");
    let text = std::fs::read_to_string(&json).unwrap_or_default();
    (output, serde_json::from_str(&text).unwrap_or(Value::Null))
}

fn ends(report: &Value) -> Vec<&str> {
    let paths = report["paths"].as_array().map(Vec::as_slice).unwrap_or_default();
    paths.iter().filter_map(|p| p["ends"].as_str()).collect()
}

#[test]
fn a_function_is_looked_at_as_one_of_a_library() {
    let (output, report) = run(LIST, &["--thread", "second"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(report["schema"], "icsched/symex/1");
    assert_eq!(report["complete"], true);
    assert_eq!(ends(&report).iter().filter(|e| **e == "finished").count(), 3, "{report:#}");
    let error = report["paths"].as_array().and_then(|p| p.iter().find(|p| p["ends"] == "memory-error"));
    assert_eq!(error.map(|e| e["constraint"].clone()), Some(Value::from("list == 0")));
    // The next node may be the first one again: what it holds is what the pointer leads to, one way or the other.
    let texts = conditions(&report, "constraint");
    assert!(texts.iter().any(|c| c.contains("list.next") || c.contains("*(list+8)")), "{texts:#?}");
    assert!(texts.iter().all(|c| !c.contains("0x") && !c.contains(" ? ")), "{texts:#?}");
}

/// One text of each path.
fn conditions(report: &Value, key: &str) -> Vec<String> {
    let paths = report["paths"].as_array().map(Vec::as_slice).unwrap_or_default();
    paths.iter().map(|p| p[key].as_str().map_or_else(|| p[key].to_string(), str::to_owned)).collect()
}

/// Copies an element: two pointers that may be one, and an index.
const COPY: &str = r#"target triple = "x86_64-pc-linux-gnu"
@table = internal global [16 x i32] zeroinitializer
define i32 @copy(ptr %from, ptr %to, i32 %i) {
  %wide = sext i32 %i to i64
  %source = getelementptr i32, ptr %from, i64 %wide
  %value = load i32, ptr %source
  %target = getelementptr i32, ptr %to, i64 %wide
  %old = load i32, ptr %target
  %less = icmp slt i32 %old, %value
  br i1 %less, label %yes, label %no
yes:
  %slot = getelementptr i32, ptr @table, i64 %wide
  store i32 %value, ptr %slot
  ret i32 1
no:
  ret i32 0
}
"#;

#[test]
fn what_accesses_take_for_granted_is_apart() {
    let (_, report) = run(COPY, &["--thread", "copy", "--without", "memory-checks"]);
    let decided = conditions(&report, "constraint");
    assert_eq!(decided.len(), 2, "{report:#}");
    // Neither null pointers nor bounds, and no aliases: only what the branch asks.
    assert!(decided.iter().all(|c| !c.contains("&&") && !c.contains("inside") && !c.contains(" ? ")), "{decided:#?}");
    let assumed = conditions(&report, "assumed");
    assert!(assumed.iter().all(|c| c.contains("from != 0") && c.contains("to != 0")), "{assumed:#?}");
    // No address is a number.
    assert!(assumed.iter().all(|c| !c.contains("0x")), "{assumed:#?}");
    let (output, _) = run(COPY, &["--thread", "copy", "--without", "memory-checks"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(!text.contains("assuming"), "{text}");
    let (output, _) = run(COPY, &["--thread", "copy", "--without", "memory-checks", "--assumed"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("assuming") && text.contains("from != 0"), "{text}");
}

/// Stores an element of an array in front of a number.
const BOX: &str = r#"target triple = "x86_64-pc-linux-gnu"
%box = type { [4 x i32], i32 }
@box = internal global %box zeroinitializer
define void @put(i64 %row) {
  %slot = getelementptr inbounds %box, ptr @box, i64 0, i32 0, i64 %row
  store i32 7, ptr %slot
  ret void
}
define i32 @last() {
  %last = load i32, ptr getelementptr inbounds (%box, ptr @box, i64 0, i32 1)
  ret i32 %last
}
"#;

#[test]
fn subscripts_out_of_range_are_errors() {
    let (_, report) = run(BOX, &["--thread", "put"]);
    assert!(ends(&report).contains(&"memory-error"), "{report:#}");
}

#[test]
fn errors_name_the_access() {
    let (_, report) = run(COPY, &["--thread", "copy"]);
    let paths = report["paths"].as_array().map(Vec::as_slice).unwrap_or_default();
    let messages: Vec<&str> = paths.iter().filter_map(|p| p["message"].as_str()).collect();
    assert!(messages.iter().any(|m| m.contains("outside of `*from`")), "{messages:#?}");
    assert!(messages.iter().all(|m| !m.contains("0x")), "{messages:#?}");
}

#[test]
fn a_limit_before_the_first_path_is_a_result() {
    let (output, report) = run(POOL, &["--thread", "work+1", "--timeout", "1ns"]);
    // Loading has no result; the analyses behind it have one.
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(report.is_null() || report["complete"] == false, "{report:#}");
}

#[test]
fn a_path_that_is_not_there_is_not_explained() {
    let (output, _) = run(LIST, &["--thread", "second", "--explain", "99"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--explain 99"));
    let (output, report) = run(LIST, &["--thread", "second", "--explain", "2"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("path 2:") && !text.contains("path 1:"), "{text}");
    let states = report["paths"][1]["trace"].as_array().map(Vec::as_slice).unwrap_or_default();
    assert!(states.iter().any(|step| step["state"].is_array()), "{report:#}");
}

#[test]
fn a_lock_that_nobody_here_holds_is_held_elsewhere() {
    // The model itself, as code that anybody calls: nothing is known of the lock.
    let (output, _) = run(POOL, &["--thread", "pthread_mutex_lock"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("deadlock") && text.contains("held by a thread outside of the context"), "{text}");
}

#[test]
fn a_thread_that_waits_is_not_woken() {
    // In front of the call of `pthread_join`.
    let threads = ["--thread", "main+6", "--thread", "work+9", "--waiting"];
    let (output, report) = run(POOL, &threads);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(ends(&report).contains(&"deadlock"), "{report:#}");
    assert_eq!(report["contexts"][1]["waiting"], true);
}

#[test]
fn one_thread_more_is_one_more_that_may_go_first() {
    let once = run(POOL, &["--thread", "work+1"]).1;
    let twice = run(POOL, &["--thread", "work+1", "--times", "2"]).1;
    assert_eq!(once["contexts"].as_array().map(Vec::len), Some(1));
    assert_eq!(twice["contexts"].as_array().map(Vec::len), Some(2));
    assert!(ends(&twice).len() > ends(&once).len());
}

#[test]
fn what_is_wrong_is_said() {
    for (arguments, says) in [
        (&["--thread", "secnd"][..], "did you mean `second`?"),
        (&["--thread", "other.c:3"], "there is no code at other.c:3"),
        (&["--thread", "second", "--explain", "0"], "--explain"),
        (&["--thread", "second+99"], "99"),
        (&["--times", "2", "--thread", "second"], "--times"),
        (&["--thread", "second", "--waiting"], "nothing waits there"),
        (&["--thread", "second", "--without", "magic"], "magic"),
        (&[], "--thread"),
    ] {
        let (output, _) = run(LIST, arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(says), "{arguments:?}: {error}");
    }
}

/// Joins a thread whose handle nobody knows.
const JOIN: &str = r#"target triple = "x86_64-pc-linux-gnu"
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
@worker = internal global i64 0, align 8
define internal ptr @work(ptr %unused) {
  ret ptr null
}
define i32 @wait_for() {
  %h = load i64, ptr @worker
  %e = call i32 @pthread_join(i64 %h, ptr null)
  %fails = icmp ne i32 %e, 0
  br i1 %fails, label %wrong, label %right
wrong:
  ret i32 1
right:
  ret i32 0
}
define i32 @main() {
  %r = call i32 @pthread_create(ptr @worker, ptr null, ptr @work, ptr null)
  %e = call i32 @wait_for()
  ret i32 %e
}
"#;

#[test]
fn a_handle_is_of_a_thread_that_lives_or_has_ended() {
    let ways = |options: &[&str]| {
        let threads = ["--thread", "main>wait_for", "--thread", "work", "--schedules", "one"];
        let (_, report) = run(JOIN, &[&threads[..], options].concat());
        let mut found = conditions(&report, "constraint");
        found.sort();
        found.dedup();
        found
    };
    let (lives, ended) = ("worker == &__ics_threads[1].state", "worker != &__ics_threads[1].state");
    let (other, invalid) = (format!("{ended} && !is_no_thread(worker)"), format!("{ended} && is_no_thread(worker)"));
    assert_eq!(ways(&[]), [&other[..], &invalid[..], lives]);
    assert_eq!(ways(&["--without", "memory-checks"]), [ended, lives]);
    assert_eq!(ways(&["--without", "memory-checks", "--none-ended"]), ["true"]);
}
