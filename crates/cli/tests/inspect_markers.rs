//! What `icsched inspect markers` prints.
//!
//! The program is textual LLVM IR, so that no compiler is needed: `main` creates four threads in a loop; each takes
//! turns at a lock until it may not, waits in rounds for a barrier, and waits for a condition variable.

use std::process::Command;

use expect_test::{Expect, expect};
use tempfile::TempDir;

const PROGRAM: &str = r#"
target triple = "x86_64-pc-linux-gnu"

@lock = global [40 x i8] zeroinitializer
@ready = global [48 x i8] zeroinitializer
@barrier = global [32 x i8] zeroinitializer
@turns = global i32 3
@done = global i32 0

declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_barrier_init(ptr, ptr, i32)
declare i32 @pthread_barrier_wait(ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @puts(ptr)

define i32 @main(i32 %argc, ptr %argv) !dbg !10 {
entry:
  %t = alloca i64
  %made = call i32 @pthread_barrier_init(ptr @barrier, ptr null, i32 %argc), !dbg !20
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i32 %i, %argc, !dbg !20
  br i1 %more, label %body, label %out, !dbg !20
body:
  %c = call i32 @pthread_create(ptr %t, ptr null, ptr @worker, ptr null), !dbg !21
  %next = add nsw i32 %i, 1, !dbg !20
  br label %head, !dbg !20
out:
  %j = phi i32 [ 0, %head ], [ %k, %out ]
  %p = call i32 @puts(ptr @turns), !dbg !22
  %k = add nsw i32 %j, 1, !dbg !22
  %again = icmp slt i32 %k, %argc, !dbg !22
  br i1 %again, label %out, label %done, !dbg !22
done:
  ret i32 0
}

define ptr @worker(ptr %arg) !dbg !11 {
entry:
  br label %turn
turn:
  %a = call i32 @pthread_mutex_lock(ptr @lock), !dbg !23
  %n = load i32, ptr @turns, !dbg !24
  %m = sub i32 %n, 1, !dbg !24
  store i32 %m, ptr @turns, !dbg !24
  %b = call i32 @pthread_mutex_unlock(ptr @lock), !dbg !25
  %left = icmp sgt i32 %m, 0, !dbg !26
  br i1 %left, label %turn, label %round, !dbg !26
round:
  %r = phi i32 [ 0, %turn ], [ %s, %round ]
  %w = call i32 @pthread_barrier_wait(ptr @barrier), !dbg !27
  %x = call i32 @pthread_barrier_wait(ptr @barrier), !dbg !28
  %s = add i32 %r, 1, !dbg !28
  %rounds = icmp ult i32 %s, %n, !dbg !28
  br i1 %rounds, label %round, label %take, !dbg !28
take:
  %d = call i32 @pthread_mutex_lock(ptr @lock), !dbg !29
  br label %wait
wait:
  %f = load i32, ptr @done, !dbg !30
  %ready = icmp eq i32 %f, 0, !dbg !30
  br i1 %ready, label %sleep, label %out, !dbg !30
sleep:
  %e = call i32 @pthread_cond_wait(ptr @ready, ptr @lock), !dbg !31
  br label %wait, !dbg !31
out:
  %g = call i32 @pthread_mutex_unlock(ptr @lock), !dbg !32
  ret ptr null
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "prog.c", directory: "/src")
!2 = !{i32 7, !"Dwarf Version", i32 5}
!3 = !{i32 2, !"Debug Info Version", i32 3}
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!10 = distinct !DISubprogram(name: "main", file: !1, line: 10, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!11 = distinct !DISubprogram(name: "worker", file: !1, line: 30, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!20 = !DILocation(line: 12, column: 3, scope: !10)
!21 = !DILocation(line: 13, column: 5, scope: !10)
!22 = !DILocation(line: 15, column: 5, scope: !10)
!23 = !DILocation(line: 32, column: 5, scope: !11)
!24 = !DILocation(line: 33, column: 5, scope: !11)
!25 = !DILocation(line: 34, column: 5, scope: !11)
!26 = !DILocation(line: 35, column: 5, scope: !11)
!27 = !DILocation(line: 37, column: 5, scope: !11)
!28 = !DILocation(line: 38, column: 5, scope: !11)
!29 = !DILocation(line: 40, column: 5, scope: !11)
!30 = !DILocation(line: 41, column: 5, scope: !11)
!31 = !DILocation(line: 42, column: 5, scope: !11)
!32 = !DILocation(line: 43, column: 5, scope: !11)
"#;

fn run(options: &[&str]) -> std::process::Output {
    let directory = TempDir::new().expect("a temporary directory can be made");
    std::fs::write(directory.path().join("prog.ll"), PROGRAM).expect("the directory is ours");
    let mut command = Command::new(env!("CARGO_BIN_EXE_icsched"));
    command.args(["inspect", "markers", "prog.ll"]).args(options).current_dir(directory.path());
    command.output().expect("it was built")
}

fn check(options: &[&str], expected: &Expect) {
    let output = run(options);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && error.is_empty(), "{options:?}: {error}");
    expected.assert_eq(&String::from_utf8_lossy(&output.stdout));
}

#[test]
fn markers_and_why_not_elsewhere() {
    check(
        &[],
        &expect![[r#"
        prog.c:32 in worker: loop marker
        prog.c:37 in worker: barrier marker
        loops that synchronise, without a marker of their own:
          prog.c:12 in main: only creates threads, counted
          prog.c:37 in worker: covered by the marker at prog.c:37, which every iteration executes unless it only waits
          prog.c:41 in worker: only waits for a condition variable
        2 markers; 4 loops synchronise; 3 unmarked
    "#]],
    );
}

#[test]
fn without_pruning() {
    check(
        &["--without", "marker-pruning"],
        &expect![[r#"
        prog.c:12 in main: loop marker
        prog.c:32 in worker: loop marker
        prog.c:37 in worker: loop marker
        prog.c:41 in worker: loop marker
        4 markers; 4 loops synchronise; 0 unmarked
    "#]],
    );
}

#[test]
fn the_document_is_json() {
    check(
        &["--function", "main", "--format", "json"],
        &expect![[r#"
        {
          "schema": "icsched/inspect-markers/1",
          "program": "prog.ll",
          "specialised": true,
          "markers": [],
          "loops": [
            {
              "function": "main",
              "at": "prog.c:12",
              "header": "b1",
              "synchronises": true,
              "marked": false,
              "reason": "only creates threads, counted"
            },
            {
              "function": "main",
              "at": "prog.c:15",
              "header": "b3",
              "synchronises": false,
              "marked": false,
              "reason": "does not synchronise"
            }
          ],
          "totals": {
            "markers": 0,
            "synchronising": 1,
            "unmarked": 1
          }
        }
    "#]],
    );
}

#[test]
fn no_such_function() {
    let output = run(&["--function", "nobody"]);
    assert_eq!(output.status.code(), Some(2));
    expect![[r#"
        error[not-found]: the program has no function nobody
          = help: `icsched inspect markers PROG.bc` without --function prints all of them
    "#]]
    .assert_eq(&String::from_utf8_lossy(&output.stderr));
}
