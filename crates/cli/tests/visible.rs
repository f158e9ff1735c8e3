//! Nothing from an analysed file is a command to a terminal: names of files, functions and variables, texts of
//! assertions, paths.
//!
//! The programs are textual LLVM IR, so that no compiler is needed.

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

/// Functions, variables and files with names that clear screens, set titles, turn text around, and end lines.
const STRANGE: &str = r#"
target triple = "x86_64-pc-linux-gnu"
@"m\1B[2J" = global [40 x i8] zeroinitializer, align 8, !dbg !20
@"table\E2\80\AE" = global i64 3
@expression = constant [14 x i8] c"x\1B[31m\07\0A> 0\C2\9B\00"
@file = constant [6 x i8] c"\1Bc.c\0A\00"
@function = constant [5 x i8] c"f\0D()\00"
declare i32 @pthread_mutex_lock(ptr)
declare i32 @atoi(ptr)
declare void @__assert_fail(ptr, ptr, i32, ptr)
define void @"work\1B]0;owned\07"(i32 %n) !dbg !10 {
  %a = call i32 @pthread_mutex_lock(ptr @"m\1B[2J"), !dbg !12
  %c = icmp sgt i32 %n, 5
  br i1 %c, label %again, label %ends
again:
  %b = call i32 @pthread_mutex_lock(ptr @"m\1B[2J"), !dbg !13
  br label %ends
ends:
  %d = icmp eq i32 %n, 5
  br i1 %d, label %fails, label %done
fails:
  call void @__assert_fail(ptr @expression, ptr @file, i32 7, ptr @function), !dbg !13
  unreachable
done:
  %e = load i64, ptr @"table\E2\80\AE"
  ret void
}
define i32 @main(i32 %argc, ptr %argv) !dbg !11 {
  %place = getelementptr ptr, ptr %argv, i64 1
  %text = load ptr, ptr %place
  %n = call i32 @atoi(ptr %text), !dbg !14
  call void @"work\1B]0;owned\07"(i32 %n), !dbg !14
  ret i32 0
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1, !2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, emissionKind: FullDebug, globals: !5)
!1 = !{i32 2, !"Dwarf Version", i32 5}
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DIFile(filename: "a\1B[7m\0Ab\C2\85.c", directory: "/tmp")
!4 = !DISubroutineType(types: !{null})
!5 = !{!20}
!10 = distinct !DISubprogram(name: "work", file: !3, line: 3, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!11 = distinct !DISubprogram(name: "main", file: !3, line: 9, type: !4, unit: !0, spFlags: DISPFlagDefinition)
!12 = !DILocation(line: 4, scope: !10)
!13 = !DILocation(line: 5, scope: !10)
!14 = !DILocation(line: 10, scope: !11)
!20 = !DIGlobalVariableExpression(var: !21, expr: !DIExpression())
!21 = distinct !DIGlobalVariable(name: "m\1B[2J", file: !3, line: 1, type: !22)
!22 = !DIBasicType(name: "lock\1B[0m", size: 320, encoding: DW_ATE_unsigned)
"#;

/// A program whose path has control characters, too.
const PATH: &str = "p\u{1b}[5m\u{202e}.ll";

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(TempDir::new().expect("a temporary directory can be made"));
        std::fs::write(place.path(PATH), STRANGE).expect("the directory is ours");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// What a command says on both outputs; the status must be one of these.
    fn run(&self, words: &[&str], statuses: &[i32]) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_icsched")).args(words).current_dir(self.0.path()).output();
        let output = output.expect("the binary was built for this test");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("icsched writes UTF-8");
        let said = text(output.stdout) + &text(output.stderr);
        assert!(output.status.code().is_some_and(|code| statuses.contains(&code)), "{words:?}: {said:?}");
        let is_hidden = |c: &char| c.is_control() && *c != '\n' && *c != '\t' || ('\u{202a}'..='\u{202e}').contains(c);
        assert_eq!(said.chars().find(is_hidden), None, "{words:?}: {said:?}");
        said
    }
}

#[test]
fn results_of_a_search_are_harmless() {
    let place = Place::new();
    let said = place.run(&["enumerate", PATH, "-o", "r.icsdb", "-vv", "--", "@"], &[1]);
    // The name of a file ends no line, either.
    assert!(said.contains(r"a\x1b[7m\nb\u0085.c:5"), "{said}");
    assert!(said.contains(r"m\x1b[2J"), "{said}");
    for format in ["text", "json", "dot", "svg", "html", "dump"] {
        place.run(&["show", "r.icsdb", "--format", format], &[0]);
    }
    place.run(&["verify", PATH, "r.icsdb"], &[0, 1, 3]);
    let json = place.run(&["enumerate", PATH, "-o", "r.icsdb", "-q", "--json", "-", "--", "@"], &[1]);
    let document: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(document["program"], PATH, "JSON has its own escape sequences");
}

#[test]
fn what_a_run_ends_with_is_harmless() {
    let place = Place::new();
    let said = place.run(&["exec", PATH, "--", "9"], &[1]);
    assert!(said.contains("pthread_mutex_lock at"), "{said}");
    let said = place.run(&["exec", PATH, "--", "x"], &[0]);
    assert_eq!(said, "");
}

#[test]
fn inspections_are_harmless() {
    let place = Place::new();
    for what in ["callgraph", "loops", "pointsto", "modref"] {
        place.run(&["inspect", what, PATH], &[0]);
        place.run(&["inspect", what, PATH, "--json"], &[0]);
    }
    place.run(&["inspect", "callgraph", PATH, "--format", "dot"], &[0]);
    place.run(&["inspect", "markers", PATH], &[0]);
    place.run(&["inspect", "defs", PATH, "--thread", "main"], &[0]);
    place.run(&["inspect", "ir", PATH], &[0]);
    place.run(&["inspect", "ir", PATH, "--check"], &[0]);
    place.run(&["symex", PATH, "--thread", "main", "--traces"], &[0, 1, 3]);
}

#[test]
fn refusals_are_harmless() {
    let place = Place::new();
    let missing = "none\u{1b}[1m\u{9b}2J.bc";
    let said = place.run(&["exec", missing], &[2]);
    assert!(said.contains(r"none\x1b[1m\u009b2J.bc: no such file"), "{said}");
    std::fs::write(place.path("bad.ll"), "define i32 @\"m\u{1b}[2J\u{202e}\" {\n").expect("the directory is ours");
    place.run(&["enumerate", "bad.ll"], &[2]);
    let calls = "target triple = \"x86_64-pc-linux-gnu\"\ndeclare i32 @\"sensor\\1B[8m\"()\n\
                 define i32 @main() {\n %a = call i32 @\"sensor\\1B[8m\"()\n ret i32 %a\n}\n";
    std::fs::write(place.path("calls.ll"), calls).expect("the directory is ours");
    let said = place.run(&["enumerate", "calls.ll"], &[3]);
    assert!(said.contains(r"sensor\x1b[8m, called by main"), "{said}");
    place.run(&["exec", "calls.ll"], &[2]);
}
