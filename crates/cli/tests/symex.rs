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
    // The next node may be the first one again.
    let aliased = |p: &Value| p["constraint"].as_str().is_some_and(|c| c.contains(" ? "));
    assert!(report["paths"].as_array().is_some_and(|p| p.iter().any(aliased)), "{report:#}");
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
        (&["--thread", "secnd"][..], "secnd"),
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
