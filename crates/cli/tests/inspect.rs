//! What `icsched inspect callgraph` and `inspect loops` print.
//!
//! The program is textual LLVM IR, so that no compiler is needed: two threads that share the iterations of a loop, a
//! table of handlers, a recursion, and a function that nothing calls.

use std::process::Command;

use expect_test::{Expect, expect};
use tempfile::TempDir;

const PROGRAM: &str = r#"
target triple = "x86_64-pc-linux-gnu"

@handlers = constant [2 x ptr] [ptr @twice, ptr @even]

declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare void @qsort(ptr, i64, i64, ptr)

define i32 @main(i32 %argc, ptr %argv) !dbg !10 {
entry:
  %t = alloca i64
  call void @qsort(ptr null, i64 0, i64 0, ptr @compare), !dbg !20
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  #dbg_value(i32 %i, !13, !DIExpression(), !21)
  %more = icmp slt i32 %i, %argc, !dbg !21
  br i1 %more, label %body, label %out, !dbg !21
body:
  %c = call i32 @pthread_create(ptr %t, ptr null, ptr @worker, ptr null), !dbg !22
  %next = add nsw i32 %i, 2, !dbg !21
  br label %head, !dbg !21
out:
  %index = sext i32 %argc to i64
  %slot = getelementptr [2 x ptr], ptr @handlers, i64 0, i64 %index
  %handler = load ptr, ptr %slot
  %r = call i32 %handler(i32 %argc), !dbg !23
  ret i32 %r
}

define ptr @worker(ptr %arg) !dbg !14 {
entry:
  br label %outer
outer:
  %n = phi i64 [ 8, %entry ], [ %m, %latch ]
  br label %inner
inner:
  %p = phi ptr [ %arg, %outer ], [ %q, %inner ]
  %q = getelementptr i8, ptr %p, i64 4
  %byte = load i8, ptr %p, !dbg !24
  %stop = icmp eq i8 %byte, 0, !dbg !24
  br i1 %stop, label %latch, label %inner, !dbg !24
latch:
  %m = add i64 %n, -1
  %again = icmp ne i64 %m, 0
  br i1 %again, label %outer, label %done
done:
  ret ptr null
}

define i32 @twice(i32 %x) {
  %r = mul i32 %x, 2
  ret i32 %r
}

define i32 @even(i32 %x) !dbg !15 {
  %r = call i32 @odd(i32 %x), !dbg !25
  ret i32 %r
}

define i32 @odd(i32 %x) {
  %r = call i32 @even(i32 %x)
  ret i32 %r
}

define i32 @compare(ptr %a, ptr %b) {
  ret i32 0
}

define void @never(i32 %x) {
  call void @never(i32 %x)
  ret void
}

define void @tangled(i1 %c) {
entry:
  br i1 %c, label %a, label %b
a:
  br label %b
b:
  br i1 %c, label %a, label %out
out:
  ret void
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "prog.c", directory: "/src")
!2 = !{i32 7, !"Dwarf Version", i32 5}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!5 = !DISubroutineType(types: !6)
!6 = !{!4}
!10 = distinct !DISubprogram(name: "main", file: !1, line: 10, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!13 = !DILocalVariable(name: "i", scope: !10, file: !1, line: 12, type: !4)
!14 = distinct !DISubprogram(name: "worker", file: !1, line: 30, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!15 = distinct !DISubprogram(name: "even", file: !1, line: 40, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!20 = !DILocation(line: 11, column: 3, scope: !10)
!21 = !DILocation(line: 12, column: 3, scope: !10)
!22 = !DILocation(line: 13, column: 5, scope: !10)
!23 = !DILocation(line: 15, column: 10, scope: !10)
!24 = !DILocation(line: 33, column: 10, scope: !14)
!25 = !DILocation(line: 41, column: 10, scope: !15)
"#;

fn run(words: &[&str]) -> String {
    let directory = TempDir::new().expect("a temporary directory can be made");
    std::fs::write(directory.path().join("prog.ll"), PROGRAM).expect("the directory is ours");
    let mut command = Command::new(env!("CARGO_BIN_EXE_icsched"));
    let output = command.arg("inspect").args(words).current_dir(directory.path()).output().expect("it was built");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && error.is_empty(), "{words:?}: {error}");
    String::from_utf8(output.stdout).expect("icsched writes UTF-8")
}

fn check(words: &[&str], expected: Expect) {
    expected.assert_eq(&run(words));
}

#[test]
fn the_call_graph_as_text() {
    check(
        &["callgraph", "prog.ll"],
        expect![[r#"
            main (prog.c:10)
              prog.c:11: gives compare to qsort
              prog.c:13: starts a thread in worker (pthread_create)
              prog.c:15: calls *(&handlers + arg1 * 8): twice, even
            worker (prog.c:30)
            twice
            even (prog.c:40), recursive with odd
              prog.c:41: calls odd
            odd, recursive with even
              odd b0:0: calls even
            compare

            not reachable from main:
              never
              tangled
        "#]],
    );
}

#[test]
fn the_call_graph_as_a_picture() {
    check(
        &["callgraph", "prog.ll", "--format", "dot"],
        expect![[r#"
            digraph callgraph {
              rankdir=LR;
              node [shape=box, style=rounded, fontname="monospace", fontsize=10];
              "main" [label="main\nprog.c:10"];
              "worker" [label="worker\nprog.c:30"];
              "twice" [label="twice\nprogram"];
              "even" [label="even\nprog.c:40", peripheries=2];
              "odd" [label="odd\nprogram", peripheries=2];
              "compare" [label="compare\nprogram"];
              "never" [label="never\nprogram", peripheries=2, color=gray, fontcolor=gray];
              "tangled" [label="tangled\nprogram", color=gray, fontcolor=gray];
              "even" -> "odd";
              "main" -> "compare" [style=dashed, color=gray];
              "main" -> "even" [style=dashed];
              "main" -> "twice" [style=dashed];
              "main" -> "worker" [color=blue, label="thread"];
              "never" -> "never";
              "odd" -> "even";
            }
        "#]],
    );
}

#[test]
fn one_function_of_the_call_graph_as_json() {
    check(
        &["callgraph", "prog.ll", "--function", "main", "--json"],
        expect![[r#"
            {
              "schema": "icsched/inspect-callgraph/1",
              "program": "prog.ll",
              "functions": [
                {
                  "name": "main",
                  "at": "prog.c:10",
                  "origin": "program",
                  "reachable": true,
                  "recursive": false,
                  "cycle": [],
                  "address_taken": false,
                  "calls": [
                    {
                      "at": "prog.c:11",
                      "kind": "callback",
                      "by": "qsort",
                      "targets": [
                        "compare"
                      ]
                    },
                    {
                      "at": "prog.c:13",
                      "kind": "thread",
                      "by": "pthread_create",
                      "targets": [
                        "worker"
                      ]
                    },
                    {
                      "at": "prog.c:15",
                      "kind": "indirect",
                      "through": "*(&handlers + arg1 * 8)",
                      "targets": [
                        "twice",
                        "even"
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
fn models_are_shown_when_asked_for() {
    let own = run(&["callgraph", "prog.ll"]);
    assert!(!own.contains(", model"));
    let all = run(&["callgraph", "prog.ll", "--models"]);
    for text in ["prog.c:13: calls pthread_create\n", "\npthread_create (", ", model", "calls __ics_thread_create"] {
        assert!(all.contains(text), "no `{text}` in\n{all}");
    }
    let one = run(&["callgraph", "prog.ll", "--function", "pthread_create"]);
    assert!(one.starts_with("pthread_create (thread.c:") && !one.contains("prog.c"), "{one}");
}

#[test]
fn a_function_keeps_its_cycle_when_it_is_shown_alone() {
    check(
        &["callgraph", "prog.ll", "--function", "even"],
        expect![[r#"
        even (prog.c:40), recursive with odd
          prog.c:41: calls odd
    "#]],
    );
    assert_eq!(run(&["loops", "prog.ll", "--function", "even"]), "no loops\n");
}

#[test]
fn loops_as_text() {
    check(
        &["loops", "prog.ll"],
        expect![[r#"
            main (prog.c:10)
              loop b1 (prog.c:12): max((arg1 + 1) / 2, 0) times, if nothing wraps around
                ends: proved (i counts up to arg1, if no sum overflows)
                i += 2, from 0
                goes on while i < arg1 at prog.c:12
                left from b1 (prog.c:12) to b3 (prog.c:15)
            worker (prog.c:30)
              loop b1: 8 times
                ends: proved (v1 - 1 counts down to 0)
                v1 -= 1, from 8
                goes on while v1 - 1 != 0
                left from b3 to b4
                loop b2 (prog.c:33)
                  ends: proved (v2 moves on in one object)
                  v2 += 4, from arg1
                  left from b2 (prog.c:33) to b3
            tangled
              loop b1
                ends: assumed, of tangled
                irreducible, entered at b1, b2
                left from b1 to b3
        "#]],
    );
}

#[test]
fn loops_as_a_picture() {
    check(
        &["loops", "prog.ll", "--format", "dot"],
        expect![[r#"
            digraph loops {
              node [shape=box, style=rounded, fontname="monospace", fontsize=10];
              "main" [shape=plain];
              "main b1" [label="b1 (prog.c:12)\nmax((arg1 + 1) / 2, 0) times, if nothing wraps around"];
              "main" -> "main b1";
              "worker" [shape=plain];
              "worker b1" [label="b1\n8 times"];
              "worker" -> "worker b1";
              "worker b2" [label="b2 (prog.c:33)"];
              "worker b1" -> "worker b2";
              "tangled" [shape=plain];
              "tangled b1" [label="b1\nirreducible"];
              "tangled" -> "tangled b1";
            }
        "#]],
    );
}

#[test]
fn loops_as_json() {
    check(
        &["loops", "prog.ll", "--json", "--function", "main"],
        expect![[r#"
            {
              "schema": "icsched/inspect-loops/1",
              "program": "prog.ll",
              "functions": [
                {
                  "name": "main",
                  "at": "prog.c:10",
                  "loops": [
                    {
                      "parent": null,
                      "depth": 1,
                      "header": {
                        "block": "b1",
                        "at": "prog.c:12"
                      },
                      "irreducible": false,
                      "entries": [
                        {
                          "block": "b1",
                          "at": "prog.c:12"
                        }
                      ],
                      "latches": [
                        {
                          "block": "b2",
                          "at": "prog.c:12"
                        }
                      ],
                      "exits": [
                        {
                          "from": {
                            "block": "b1",
                            "at": "prog.c:12"
                          },
                          "to": {
                            "block": "b3",
                            "at": "prog.c:15"
                          }
                        }
                      ],
                      "iterations": {
                        "text": "max((arg1 + 1) / 2, 0)",
                        "exact": true,
                        "constant": null,
                        "endless": false,
                        "if": [
                          "nothing wraps around"
                        ]
                      },
                      "ends": {
                        "verdict": "proved",
                        "because": "i counts up to arg1, if no sum overflows",
                        "rests_on": []
                      },
                      "tests": [
                        {
                          "at": "prog.c:12",
                          "condition": "i < arg1",
                          "start": "0",
                          "step": "2"
                        }
                      ],
                      "variables": [
                        {
                          "name": "i",
                          "value": "v2",
                          "start": "0",
                          "step": "2"
                        }
                      ],
                      "derived": [
                        {
                          "name": null,
                          "value": "v6",
                          "variable": "i",
                          "scale": 1,
                          "offset": "2"
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
