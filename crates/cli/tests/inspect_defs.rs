//! `icsched inspect defs`, on textual LLVM IR.

use std::process::{Command, Output};

use expect_test::{Expect, expect};
use tempfile::TempDir;

const PROGRAM: &str = r#"target triple = "x86_64-pc-linux-gnu"
@limit = global i32 0

define i32 @main(i32 %argc, ptr %argv) {
  store i32 64, ptr @limit
  call void @work(i32 5)
  ret i32 0
}

define void @work(i32 %n) {
  %twice = mul i32 %n, 2
  %limit = load i32, ptr @limit
  ret void
}

define void @dead() {
  ret void
}
"#;

fn run(words: &[&str]) -> Output {
    let directory = TempDir::new().expect("a temporary directory can be made");
    std::fs::write(directory.path().join("prog.ll"), PROGRAM).expect("the directory is ours");
    let mut command = Command::new(env!("CARGO_BIN_EXE_icsched"));
    command.args(["inspect", "defs", "prog.ll"]).args(words).current_dir(directory.path());
    command.output().expect("it was built")
}

fn check(words: &[&str], expected: &Expect) {
    let output = run(words);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && error.is_empty(), "{words:?}: {error}");
    expected.assert_eq(&String::from_utf8(output.stdout).expect("icsched writes UTF-8"));
}

#[test]
fn facts_of_each_thread_are_listed() {
    check(
        &["--thread", "main>work+2", "--thread", "dead"],
        &expect![[r#"
            main>work+2
              frame 0: main b0:1
              frame 1: work b0:2
              v0#1 (n) = 5
              v1#1 (twice) = 10
              v2#1 (limit) = 64
              [limit+0:4] = 64
            dead
              frame 0: dead b0:0, called by anybody
              no way leads there
        "#]],
    );
}

#[test]
fn the_document_is_json() {
    check(
        &["--thread", "main>work+2", "--json"],
        &expect![[r#"
            {
              "schema": "icsched/inspect-defs/2",
              "program": "prog.ll",
              "threads": [
                {
                  "thread": "main>work+2",
                  "stack": [
                    {
                      "function": "main",
                      "at": "main b0:1"
                    },
                    {
                      "function": "work",
                      "at": "work b0:2"
                    }
                  ],
                  "complete": true,
                  "reached": true,
                  "registers": [
                    {
                      "register": "v0#1",
                      "name": "n",
                      "holds": "5"
                    },
                    {
                      "register": "v1#1",
                      "name": "twice",
                      "holds": "10"
                    },
                    {
                      "register": "v2#1",
                      "name": "limit",
                      "holds": "64"
                    }
                  ],
                  "memory": [
                    {
                      "place": "limit+0:4",
                      "holds": "64",
                      "conflict_free": true
                    }
                  ],
                  "held": [],
                  "ranges": []
                }
              ],
              "locks_known": true,
              "abandoned": [],
              "barriers": [],
              "relations": [],
              "notes": []
            }
        "#]],
    );
}

#[test]
fn a_place_that_is_none_is_an_error() {
    let output = run(&["--thread", "wrk"]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        error.starts_with("error[not-found]: --thread wrk: the program has no code of a function `wrk`\n"),
        "{error}"
    );
    assert!(error.contains("help: did you mean `work`?"), "{error}");
    let output = run(&["--thread", "nothing_like_it"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("help: a thread is `FILE:LINE`"), "{error}");
}
