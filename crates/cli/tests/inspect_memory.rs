//! What `icsched inspect pointsto` and `inspect modref` print.
//!
//! The program is textual LLVM IR, so that no compiler is needed: a list that is filled before a thread walks it, and a
//! result that the thread stores where it was told to.

use std::process::Command;

use expect_test::{Expect, expect};
use tempfile::TempDir;

const PROGRAM: &str = r#"
target triple = "x86_64-pc-linux-gnu"

@list = internal global ptr null
@size = internal global i32 4
@total = internal global i32 0

declare ptr @malloc(i64)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)

define i32 @main(i32 %argc, ptr %argv) !dbg !10 {
entry:
  %t = alloca i64
  %result = alloca i32
  %many = icmp sgt i32 %argc, 1, !dbg !20
  br i1 %many, label %large, label %start, !dbg !20
large:
  store i32 %argc, ptr @size, !dbg !21
  br label %start
start:
  %cell = call ptr @malloc(i64 16), !dbg !22
  %next = load ptr, ptr @list, !dbg !23
  store ptr %next, ptr %cell, !dbg !23
  store ptr %cell, ptr @list, !dbg !23
  %c = call i32 @pthread_create(ptr %t, ptr null, ptr @worker, ptr %result), !dbg !24
  ret i32 0
}

define ptr @worker(ptr %arg) !dbg !14 {
entry:
  #dbg_value(ptr %arg, !13, !DIExpression(), !30)
  %first = load ptr, ptr @list, !dbg !31
  br label %head
head:
  %p = phi ptr [ %first, %entry ], [ %q, %body ]
  %end = icmp eq ptr %p, null, !dbg !32
  br i1 %end, label %done, label %body, !dbg !32
body:
  %q = load ptr, ptr %p, !dbg !33
  %count = load i32, ptr @size, !dbg !33
  store i32 %count, ptr @total, !dbg !33
  br label %head
done:
  store i32 1, ptr %arg, !dbg !34
  ret ptr null
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "prog.c", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !6)
!4 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!5 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !4, size: 64)
!6 = !{null}
!10 = distinct !DISubprogram(name: "main", file: !1, line: 10, type: !3, scopeLine: 10, unit: !0, spFlags: DISPFlagDefinition)
!13 = !DILocalVariable(name: "arg", arg: 1, scope: !14, file: !1, line: 30, type: !5)
!14 = distinct !DISubprogram(name: "worker", file: !1, line: 30, type: !3, scopeLine: 30, unit: !0, spFlags: DISPFlagDefinition)
!20 = !DILocation(line: 11, scope: !10)
!21 = !DILocation(line: 12, scope: !10)
!22 = !DILocation(line: 13, scope: !10)
!23 = !DILocation(line: 14, scope: !10)
!24 = !DILocation(line: 15, scope: !10)
!30 = !DILocation(line: 30, scope: !14)
!31 = !DILocation(line: 31, scope: !14)
!32 = !DILocation(line: 32, scope: !14)
!33 = !DILocation(line: 33, scope: !14)
!34 = !DILocation(line: 34, scope: !14)
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
fn pointers_as_text() {
    // The last line counts the models' objects, too.
    let text = run(&["pointsto", "prog.ll"]);
    let (pointers, counts) = text.trim_end().rsplit_once("\n\n").expect("an empty line before the counts");
    assert!(counts.contains(" instances of functions, "), "{counts}");
    expect![[r#"
        main (prog.c:10)
          v1 (parameter) -> argv+0
          v2 (local) -> __ics_threads+0+144k
          v5@prog.c:13 -> heap@prog.c:13+0
          v6@prog.c:14 -> heap@prog.c:13+0
        worker (prog.c:30)
          arg (parameter) -> v3@main+0
          v1@prog.c:32 -> heap@prog.c:13+0
          v2@prog.c:31 -> heap@prog.c:13+0
          v4@prog.c:33 -> heap@prog.c:13+0

        objects with pointers in them:
          argv (arguments) -> argv[]+0
          environ (environment) -> environ[]+0
          heap@prog.c:13 (heap) -> heap@prog.c:13+0
          list (global) -> heap@prog.c:13+0
          v2@main (local) -> __ics_threads+0+144k"#]]
    .assert_eq(pointers);
}

#[test]
fn one_functions_pointers_as_json() {
    let text = run(&["pointsto", "prog.ll", "--function", "worker", "--json"]);
    let (document, _) = text.split_once("\"statistics\"").expect("the last key");
    expect![[r#"
        {
          "schema": "icsched/inspect-pointsto/1",
          "program": "prog.ll",
          "functions": [
            {
              "name": "worker",
              "at": "prog.c:30",
              "pointers": [
                {
                  "name": "arg",
                  "kind": "parameter",
                  "at": null,
                  "targets": [
                    {
                      "object": "v3@main",
                      "offset": "+0"
                    }
                  ]
                },
                {
                  "name": "v1",
                  "kind": "value",
                  "at": "prog.c:32",
                  "targets": [
                    {
                      "object": "heap@prog.c:13",
                      "offset": "+0"
                    }
                  ]
                },
                {
                  "name": "v2",
                  "kind": "value",
                  "at": "prog.c:31",
                  "targets": [
                    {
                      "object": "heap@prog.c:13",
                      "offset": "+0"
                    }
                  ]
                },
                {
                  "name": "v4",
                  "kind": "value",
                  "at": "prog.c:33",
                  "targets": [
                    {
                      "object": "heap@prog.c:13",
                      "offset": "+0"
                    }
                  ]
                }
              ]
            }
          ],
          "objects": [],
          "notes": [],"#]]
    .assert_eq(document.trim_end());
}

#[test]
fn pointers_as_a_picture() {
    check(
        &["pointsto", "prog.ll", "--function", "worker", "--format", "dot"],
        expect![[r#"
        digraph pointsto {
          rankdir=LR;
          node [shape=box, fontname="monospace", fontsize=10];
          "arg@worker" [style=rounded];
          "v1@worker" [style=rounded];
          "v2@worker" [style=rounded];
          "v4@worker" [style=rounded];
          "arg@worker" -> "v3@main";
          "v1@worker" -> "heap@prog.c:13";
          "v2@worker" -> "heap@prog.c:13";
          "v4@worker" -> "heap@prog.c:13";
        }
    "#]],
    );
}

#[test]
fn effects_as_text() {
    check(
        &["modref", "prog.ll"],
        expect![[r#"
        main (prog.c:10): synchronises; writes heap@prog.c:13+0:8, list+0:8, size+0:4; reads list+0:8
          branch b0 (prog.c:11): writes size+0:4
        worker (prog.c:30): writes total+0:4, v3@main+0:4; reads heap@prog.c:13+0:8, list+0:8, size+0:4
          loop b1 (prog.c:32): writes total+0:4; reads heap@prog.c:13+0:8, size+0:4
          branch b1 (prog.c:32): writes total+0:4; reads heap@prog.c:13+0:8, size+0:4

        shared between threads: total, v3@main

        shared between threads, and written only before there are any: heap@prog.c:13, list, size

        of one thread: argv, argv[], environ, environ[], v2@main
    "#]],
    );
}

#[test]
fn one_functions_effects_as_json() {
    // Branches look like loops.
    let text = run(&["modref", "prog.ll", "--function", "worker", "--json"]);
    let (document, _) = text.split_once("\"branches\"").expect("the last key of a function");
    expect![[r#"
        {
          "schema": "icsched/inspect-modref/1",
          "program": "prog.ll",
          "functions": [
            {
              "name": "worker",
              "at": "prog.c:30",
              "synchronises": false,
              "writes_everything": false,
              "writes": [
                {
                  "object": "total",
                  "offset": "+0",
                  "bytes": 4
                },
                {
                  "object": "v3@main",
                  "offset": "+0",
                  "bytes": 4
                }
              ],
              "reads": [
                {
                  "object": "heap@prog.c:13",
                  "offset": "+0",
                  "bytes": 8
                },
                {
                  "object": "list",
                  "offset": "+0",
                  "bytes": 8
                },
                {
                  "object": "size",
                  "offset": "+0",
                  "bytes": 4
                }
              ],
              "loops": [
                {
                  "at": "prog.c:32",
                  "block": "b1",
                  "synchronises": false,
                  "writes_everything": false,
                  "writes": [
                    {
                      "object": "total",
                      "offset": "+0",
                      "bytes": 4
                    }
                  ],
                  "reads": [
                    {
                      "object": "heap@prog.c:13",
                      "offset": "+0",
                      "bytes": 8
                    },
                    {
                      "object": "size",
                      "offset": "+0",
                      "bytes": 4
                    }
                  ]
                }
              ],"#]]
    .assert_eq(document.trim_end());
}

#[test]
fn effects_as_a_picture() {
    check(
        &["modref", "prog.ll", "--format", "dot"],
        expect![[r#"
        digraph modref {
          rankdir=LR;
          node [shape=box, fontname="monospace", fontsize=10];
          "main" [style=rounded, peripheries=2];
          "worker" [style=rounded];
          "main" -> "heap@prog.c:13";
          "main" -> "list" [style=dashed];
          "main" -> "list";
          "main" -> "size";
          "worker" -> "heap@prog.c:13" [style=dashed];
          "worker" -> "list" [style=dashed];
          "worker" -> "size" [style=dashed];
          "worker" -> "total";
          "worker" -> "v3@main";
        }
    "#]],
    );
}
