//! What points-to and mod/ref analysis tell `icsched inspect callgraph` and `inspect loops`, on textual LLVM IR.

use std::process::Command;

use expect_test::{Expect, expect};
use tempfile::TempDir;

fn check(program: &str, words: &[&str], expected: Expect) {
    let directory = TempDir::new().expect("a temporary directory can be made");
    let text = format!("target triple = \"x86_64-pc-linux-gnu\"\n{program}");
    std::fs::write(directory.path().join("prog.ll"), text).expect("the directory is ours");
    let mut command = Command::new(env!("CARGO_BIN_EXE_icsched"));
    let output = command.arg("inspect").args(words).current_dir(directory.path()).output().expect("it was built");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && error.is_empty(), "{words:?}: {error}");
    expected.assert_eq(&String::from_utf8(output.stdout).expect("icsched writes UTF-8"));
}

/// Function pointers in memory, as arguments, and where nothing sets them.
const POINTERS: &str = r#"
%struct.ops = type { ptr, ptr }
@ops = global %struct.ops { ptr @open, ptr @close }
@hook = global ptr null
@start = global ptr @worker

declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @atexit(ptr)

define i32 @main(i32 %argc, ptr %argv) {
  %t = alloca i64
  %open = load ptr, ptr @ops
  call void %open(i32 1)
  call void @apply(ptr @close)
  %hook = load ptr, ptr @hook
  call void %hook(i32 1)
  %start = load ptr, ptr @start
  %c = call i32 @pthread_create(ptr %t, ptr null, ptr %start, ptr null)
  ret i32 0
}

define void @apply(ptr %f) {
  call void %f(i32 2)
  %r = call i32 @atexit(ptr %f)
  ret void
}

define void @open(i32 %x) {
  ret void
}

define void @close(i32 %x) {
  ret void
}

define ptr @worker(ptr %arg) {
  ret ptr null
}

define void @dead(ptr %f) {
  call void %f(i32 3)
  ret void
}
"#;

#[test]
fn calls_through_pointers_reach_what_the_pointers_point_to() {
    check(
        POINTERS,
        &["callgraph", "prog.ll"],
        expect![[r#"
        main
          main b0:2: calls open: open
          main b0:3: calls apply
          main b0:5: calls hook: nothing that is known
          main b0:7: starts a thread in worker (pthread_create)
        apply
          apply b0:0: calls f: close
          apply b0:1: gives close to atexit
        open
        close
        worker

        not reachable from main:
          dead
    "#]],
    );
}

#[test]
fn in_code_that_nothing_gets_to_a_pointer_may_be_to_any_function() {
    check(
        POINTERS,
        &["callgraph", "prog.ll", "--function", "dead", "--json"],
        expect![[r#"
        {
          "schema": "icsched/inspect-callgraph/1",
          "program": "prog.ll",
          "functions": [
            {
              "name": "dead",
              "at": null,
              "origin": "program",
              "reachable": false,
              "recursive": false,
              "cycle": [],
              "address_taken": false,
              "calls": [
                {
                  "at": "dead b0:0",
                  "kind": "indirect",
                  "through": "f",
                  "targets": [
                    "open",
                    "close",
                    "worker"
                  ]
                }
              ]
            }
          ]
        }
    "#]],
    );
}

#[test]
fn edges_of_the_picture_are_those_of_the_pointers() {
    check(
        POINTERS,
        &["callgraph", "prog.ll", "--format", "dot"],
        expect![[r#"
        digraph callgraph {
          rankdir=LR;
          node [shape=box, style=rounded, fontname="monospace", fontsize=10];
          "main" [label="main\nprogram"];
          "apply" [label="apply\nprogram"];
          "open" [label="open\nprogram"];
          "close" [label="close\nprogram"];
          "worker" [label="worker\nprogram"];
          "dead" [label="dead\nprogram", color=gray, fontcolor=gray];
          "apply" -> "close" [style=dashed, color=gray];
          "apply" -> "close" [style=dashed];
          "dead" -> "close" [style=dashed];
          "dead" -> "open" [style=dashed];
          "dead" -> "worker" [style=dashed];
          "main" -> "apply";
          "main" -> "open" [style=dashed];
          "main" -> "worker" [color=blue, label="thread"];
        }
    "#]],
    );
}

/// Loops whose bound is read from memory each time round, while the loop writes memory: through `%to`, which is
/// `@buffer`, in `fill`, and perhaps the bound itself in `moving`.
const BOUNDS: &str = r#"
@limit = global i32 5
@moved = global i32 5
@buffer = global [8 x i32] zeroinitializer

define i32 @main(i32 %argc, ptr %argv) {
  store i32 %argc, ptr @limit
  call void @fill(ptr @buffer)
  call void @moving(ptr @moved)
  ret i32 0
}

define void @fill(ptr %to) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %bound = load i32, ptr @limit
  %more = icmp slt i32 %i, %bound
  br i1 %more, label %body, label %out
body:
  %index = sext i32 %i to i64
  %at = getelementptr i32, ptr %to, i64 %index
  store i32 %i, ptr %at
  %next = add nsw i32 %i, 1
  br label %head
out:
  ret void
}

define void @moving(ptr %to) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %bound = load i32, ptr @moved
  %more = icmp slt i32 %i, %bound
  br i1 %more, label %body, label %out
body:
  store i32 %i, ptr %to
  %next = add nsw i32 %i, 1
  br label %head
out:
  ret void
}
"#;

#[test]
fn a_bound_in_memory_counts_where_the_loop_does_not_write_it() {
    check(
        BOUNDS,
        &["loops", "prog.ll"],
        expect![[r#"
            fill
              loop b1: max(bound, 0) times
                ends: proved (i counts up to bound)
                i += 1, from 0
                next = i * 1 + 1
                goes on while i < bound
                left from b1 to b3
            moving
              loop b1
                ends: proved (i gets larger)
                i += 1, from 0
                next = i * 1 + 1
                left from b1 to b3
        "#]],
    );
}

#[test]
fn a_bound_in_memory_is_in_the_document() {
    check(
        BOUNDS,
        &["loops", "prog.ll", "--function", "fill", "--json"],
        expect![[r#"
            {
              "schema": "icsched/inspect-loops/1",
              "program": "prog.ll",
              "functions": [
                {
                  "name": "fill",
                  "at": null,
                  "loops": [
                    {
                      "parent": null,
                      "depth": 1,
                      "header": {
                        "block": "b1",
                        "at": null
                      },
                      "irreducible": false,
                      "entries": [
                        {
                          "block": "b1",
                          "at": null
                        }
                      ],
                      "latches": [
                        {
                          "block": "b2",
                          "at": null
                        }
                      ],
                      "exits": [
                        {
                          "from": {
                            "block": "b1",
                            "at": null
                          },
                          "to": {
                            "block": "b3",
                            "at": null
                          }
                        }
                      ],
                      "iterations": {
                        "text": "max(bound, 0)",
                        "exact": true,
                        "constant": null,
                        "endless": false,
                        "if": []
                      },
                      "ends": {
                        "verdict": "proved",
                        "because": "i counts up to bound",
                        "rests_on": []
                      },
                      "tests": [
                        {
                          "at": null,
                          "condition": "i < bound",
                          "start": "0",
                          "step": "1"
                        }
                      ],
                      "variables": [
                        {
                          "name": "i",
                          "value": "v1",
                          "start": "0",
                          "step": "1"
                        }
                      ],
                      "derived": [
                        {
                          "name": "next",
                          "value": "v6",
                          "variable": "i",
                          "scale": 1,
                          "offset": "1"
                        }
                      ]
                    }
                  ]
                }
              ]
            }
        "#]],
    );
}
