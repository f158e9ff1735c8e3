//! `icsched symex --witness` and `--from-start`: infeasible paths are counted by real runs.
//!
//! The programs are textual LLVM IR, so that no compiler is needed.

use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

/// `y` is always one more than `x`, which the paths from `check` do not know.
const COUNTERS: &str = r#"target triple = "x86_64-pc-linux-gnu"
declare i32 @atoi(ptr)
@x = global i32 0, align 4
@y = global i32 1, align 4

define void @check() {
  %x = load i32, ptr @x
  %large = icmp sgt i32 %x, 10
  br i1 %large, label %done, label %small
small:
  %y = load i32, ptr @y
  %larger = icmp sgt i32 %y, 100
  br i1 %larger, label %never, label %done
never:
  store i32 0, ptr @x
  br label %done
done:
  ret void
}

define i32 @main(i32 %argc, ptr %argv) {
  %place = getelementptr ptr, ptr %argv, i64 1
  %text = load ptr, ptr %place
  %n = call i32 @atoi(ptr %text)
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %more, %body ]
  %again = icmp slt i32 %i, %n
  br i1 %again, label %body, label %end
body:
  %a = load i32, ptr @x
  %a1 = add i32 %a, 1
  store i32 %a1, ptr @x
  %b = load i32, ptr @y
  %b1 = add i32 %b, 1
  store i32 %b1, ptr @y
  %more = add i32 %i, 1
  br label %loop
end:
  call void @check()
  ret i32 0
}
"#;

/// Threads take numbers from a counter. At `run+5` a thread has its number and is behind the lock; that one of them has
/// the first is not known there.
const NUMBERS: &str = r#"target triple = "x86_64-pc-linux-gnu"
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
@lock = global [40 x i8] zeroinitializer, align 8
@next = global i32 0, align 4
@first = global i32 0, align 4

define ptr @run(ptr %unused) {
  %l = call i32 @pthread_mutex_lock(ptr @lock)
  %id = load i32, ptr @next
  %more = add i32 %id, 1
  store i32 %more, ptr @next
  %u = call i32 @pthread_mutex_unlock(ptr @lock)
  %is_first = icmp eq i32 %id, 0
  br i1 %is_first, label %yes, label %no
yes:
  store i32 1, ptr @first
  br label %no
no:
  ret ptr null
}

define i32 @main() {
  %a = alloca i64
  %x = call i32 @pthread_create(ptr %a, ptr null, ptr @run, ptr null)
  %r = call ptr @run(ptr null)
  ret i32 0
}
"#;

fn symex(program: &str, inputs: &str, words: &[&str]) -> Value {
    let place = TempDir::new().expect("a temporary directory can be made");
    let write = |name: &str, text: &str| std::fs::write(place.path().join(name), text).expect("the directory is ours");
    write("p.ll", program);
    write("inputs.json", inputs);
    let mut command = Command::new(env!("CARGO_BIN_EXE_icsched"));
    command.args(["symex", "p.ll", "--json", "-", "--witness", "inputs.json"]).args(words).current_dir(place.path());
    let output = command.output().expect("the binary was built for this test");
    let error = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|wrong| panic!("{wrong}: {error}"))
}

fn paths(report: &Value) -> Vec<(&str, Option<bool>)> {
    let paths = report["paths"].as_array().expect("paths are a list").iter();
    paths.map(|p| (p["constraint"].as_str().expect("a text"), p["witnessed"].as_bool())).collect()
}

#[test]
fn one_path_of_three_is_infeasible() {
    let report = symex(COUNTERS, r#"[{"args": ["{0..12}"]}]"#, &["--thread", "check"]);
    let expected = [("x > 10", Some(true)), ("x <= 10 && y > 100", Some(false)), ("x <= 10 && y <= 100", Some(true))];
    assert_eq!(paths(&report), expected);
    assert_eq!(report["totals"]["infeasible"], 1);
    assert_eq!(report["witness"]["strayed"], serde_json::json!([]));
}

#[test]
fn inputs_that_show_too_little_leave_more_paths() {
    let report = symex(COUNTERS, r#"[{"args": ["3"]}]"#, &["--thread", "check"]);
    assert_eq!(report["totals"]["infeasible"], 2);
}

#[test]
fn threads_are_led_to_the_context() {
    let words = ["--thread", "main>run+5", "--thread", "run+5"];
    let report = symex(NUMBERS, "[{}]", &words);
    // Where only one thread has a condition, main is ready first and ends the process.
    let expected = [
        ("id@0 == 0", Some(true)),
        ("id@0 != 0", Some(true)),
        ("id@1 == 0", Some(true)),
        ("id@1 != 0 && id@0 == 0", Some(true)),
        ("id@1 != 0 && id@0 != 0", Some(false)),
    ];
    assert_eq!(paths(&report), expected);
    assert_eq!(report["witness"]["strayed"], serde_json::json!([]));
}

#[test]
fn whole_program_paths_pass_through_the_context() {
    let words = ["--from-start", "--thread", "check", "--runs", "1", "--", "@"];
    let report = symex(COUNTERS, r#"[{"args": ["{0..2}"]}, {"args": ["11"]}]"#, &words);
    // Here it is known that `y` is `x + 1`, so there is one path on each way.
    assert_eq!(report["totals"]["paths"], 4);
    assert_eq!(report["totals"]["finished"], 4);
    assert_eq!(report["complete"], true);
}

#[test]
fn paths_from_the_entry_need_no_context() {
    let report = symex(COUNTERS, "[]", &["--from-start", "--branches", "3", "--", "@"]);
    assert_eq!(report["totals"]["finished"], 2);
    assert_eq!(report["totals"]["budget"], 2);
}
