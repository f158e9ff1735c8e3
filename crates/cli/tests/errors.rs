//! What a user is told, and with which exit status, when the command or its input is wrong, and when a program is.
//!
//! The programs are textual LLVM IR, so that no compiler is needed.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

const TARGET: &str = "target triple = \"x86_64-pc-linux-gnu\"\n";

/// A directory with the files of one test.
struct Place {
    directory: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { directory: TempDir::new().expect("a temporary directory can be made") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn file(&self, name: &str, content: &[u8]) {
        std::fs::write(self.path(name), content).expect("the directory is ours");
    }

    /// A program whose functions are `body`.
    fn program(&self, name: &str, body: &str) {
        self.file(name, format!("{TARGET}{body}").as_bytes());
    }

    /// Runs `icsched` in the directory.
    fn run(&self, words: &[&str]) -> Said {
        let output = Command::new(env!("CARGO_BIN_EXE_icsched"))
            .args(words)
            .current_dir(self.directory.path())
            .output()
            .expect("the binary was built for this test");
        Said::new(output, words)
    }
}

/// What a command said.
struct Said {
    command: String,
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Said {
    fn new(output: Output, words: &[&str]) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("icsched writes UTF-8");
        let said = Self {
            command: words.join(" "),
            status: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        };
        for word in ["panicked", "icsched has a bug", "stack backtrace"] {
            assert!(!said.stderr.contains(word), "{}: {}", said.command, said.stderr);
        }
        said
    }

    /// Checks the status, and that standard error contains every text.
    fn fails(&self, status: i32, texts: &[&str]) {
        self.ends(status);
        for text in texts {
            assert!(self.stderr.contains(text), "{}: no `{text}` in\n{}", self.command, self.stderr);
        }
    }

    /// Checks the status, and that standard output contains every text.
    fn says(&self, status: i32, texts: &[&str]) {
        self.ends(status);
        for text in texts {
            assert!(self.stdout.contains(text), "{}: no `{text}` in\n{}", self.command, self.stdout);
        }
    }

    fn ends(&self, status: i32) {
        assert_eq!(self.status, Some(status), "{}\n{}{}", self.command, self.stdout, self.stderr);
    }
}

const RETURNS_7: &str = "define i32 @main() {\n  ret i32 7\n}\n";

const LOCKS_TWICE: &str = "
@m = global [40 x i8] zeroinitializer, align 8
declare i32 @pthread_mutex_lock(ptr)
define i32 @main() {
  %a = call i32 @pthread_mutex_lock(ptr @m)
  %b = call i32 @pthread_mutex_lock(ptr @m)
  ret i32 0
}
";

const CALLS_UNKNOWN: &str = "
declare i32 @sensor()
define i32 @main() {
  %a = call i32 @sensor()
  ret i32 %a
}
";

const DIVIDES: &str = "
declare i32 @atoi(ptr)
define i32 @main(i32 %argc, ptr %argv) {
  %place = getelementptr ptr, ptr %argv, i64 1
  %text = load ptr, ptr %place
  %n = call i32 @atoi(ptr %text)
  %q = sdiv i32 100, %n
  ret i32 %q
}
";

#[test]
fn a_wrong_command_is_status_2_and_names_what_is_wrong() {
    let place = Place::new();
    place.program("p.ll", RETURNS_7);
    for (words, texts) in [
        (&["enumrate", "p.ll"][..], &["enumrate", "enumerate"][..]),
        (&["enumerate"], &["<PROG>"]),
        (&["enumerate", "p.ll", "--frobnicate"], &["--frobnicate"]),
        (&["enumerate", "p.ll", "--timeout", "5"], &["--timeout", "unit"]),
        (&["enumerate", "p.ll", "--extern", "f"], &["NAME=havoc"]),
        (&["enumerate", "p.ll", "--sym-file", "a"], &["NAME=SIZE"]),
        (&["enumerate", "p.ll", "--sym-file", "a=b"], &["b is not a number of bytes"]),
        (&["enumerate", "p.ll", "--sym-env", "A=b"], &["b is not a number of bytes"]),
        (&["enumerate", "p.ll", "--sym-args", "3", "1", "4"], &["MIN (3) is more than MAX (1)"]),
        (&["enumerate", "p.ll", "--without", "thinking"], &["thinking", "slicing"]),
        (&["enumerate", "p.ll", "--sym-file", "=4"], &["a file has a name"]),
        (&["enumerate", "p.ll", "--sym-file", "a=99999999999999"], &["99999999999999 bytes", "too many"]),
        (&["enumerate", "p.ll", "--sym-stdin", "99999999999999"], &["too many"]),
        (&["enumerate", "p.ll", "--sym-env", "A=99999999999999"], &["too many"]),
        (&["enumerate", "p.ll", "--sym-args", "0", "4000000000", "4000000000"], &["too many"]),
        (&["enumerate", "p.ll", "--", "@1000000000"], &["1000000000 bytes", "too many"]),
        (&["enumerate", "p.ll", "--extern", "sensr=havoc"], &["sensr", "calls no such function"]),
        (&["enumerate", "p.ll", "--max-paths", "0"], &["--max-paths"]),
        (&["enumerate", "p.ll", "--", "@x"], &["argument @x", "@N", "@@x"]),
        (&["inspect", "ir", "p.ll", "--function", "f"], &["no function f"]),
        (&["inspect", "loops", "p.ll", "--function", "f"], &["no function f", "inspect loops"]),
        (&["inspect", "callgraph", "p.ll", "--json", "--format", "dot"], &["cannot be used with"]),
    ] {
        place.run(words).fails(2, texts);
    }
}

#[test]
fn a_wrong_file_is_status_2_and_says_what_it_is() {
    let place = Place::new();
    place.file("empty.bc", b"");
    place.file("text.bc", b"hello\nworld\n");
    place.file("prog.txt", b"#include <stdio.h>\nint main(void) { return 0; }\n");
    place.file("object.o", b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x01\0\x3e\0\x01\0\0\0");
    place.file("cut.bc", b"BC\xc0\xde\x35\x14");
    place.program("nomain.ll", "define i32 @f() {\n  ret i32 0\n}\n");
    place.file("arm.ll", b"target triple = \"aarch64-linux-gnu\"\ndefine i32 @main() {\n  ret i32 0\n}\n");
    for (file, texts) in [
        ("missing.bc", &["missing.bc", "no such file"][..]),
        (".", &["is a directory"]),
        ("empty.bc", &["is empty"]),
        ("text.bc", &["is a text file"]),
        ("prog.txt", &["is C source text", "name C sources"]),
        ("object.o", &["the object is damaged"]),
        ("cut.bc", &["damaged or cut off"]),
        ("nomain.ll", &["defines no function `main`", "name all files"]),
        ("arm.ll", &["aarch64", "only x86-64 Linux"]),
    ] {
        for command in [&["enumerate", file][..], &["exec", file], &["inspect", "ir", file]] {
            // A library has functions to look at, too.
            if !(command[0] == "inspect" && file == "nomain.ll") {
                place.run(command).fails(2, texts);
            }
        }
    }
}

#[test]
fn exec_ends_as_the_program_does() {
    let place = Place::new();
    place.program("p.ll", RETURNS_7);
    let said = place.run(&["exec", "p.ll"]);
    said.ends(7);
    assert_eq!((said.stdout.as_str(), said.stderr.as_str()), ("", ""));
}

#[test]
fn errors_of_a_run_are_status_1() {
    let place = Place::new();
    place.program("divides.ll", DIVIDES);
    place.program("locks.ll", LOCKS_TWICE);
    place.run(&["exec", "divides.ll", "--", "20"]).ends(5);
    place
        .run(&["exec", "divides.ll", "--", "0"])
        .fails(1, &["error[undefined-behaviour]", "division by zero", "in main"]);
    place.run(&["exec", "locks.ll"]).fails(1, &["error[deadlock]", "pthread_mutex_lock"]);
}

#[test]
fn what_enumeration_finds_is_status_1() {
    let place = Place::new();
    place.program("divides.ll", DIVIDES);
    place.program("locks.ll", LOCKS_TWICE);
    place
        .run(&["enumerate", "divides.ll", "--", "@"])
        .says(1, &["Possible memory errors", "division by zero", "if atoi(argv[1]) == 0"]);
    place.run(&["enumerate", "locks.ll"]).says(1, &["1 deadlocked", "T0 is blocked in pthread_mutex_lock(m)"]);
}

/// Such a path is a schedule with an end of its own, not an entry of the list of possible errors.
#[test]
fn an_error_on_every_path_is_found_too() {
    let place = Place::new();
    place.program("divides.ll", DIVIDES);
    place.run(&["enumerate", "divides.ll", "--", "0"]).says(1, &["memory error", "division by zero"]);
}

#[test]
fn nothing_found_is_status_0() {
    let place = Place::new();
    place.program("p.ll", RETURNS_7);
    place.run(&["enumerate", "p.ll"]).says(0, &["1 schedule; complete", "schedules written to p.icsdb"]);
    place.run(&["show", "p.icsdb"]).says(0, &["1 schedule; complete", "the program exits with status 7"]);
    let quiet = place.run(&["enumerate", "p.ll", "--quiet"]);
    quiet.ends(0);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
}

#[test]
fn an_unknown_function_says_which_option_helps() {
    let place = Place::new();
    place.program("p.ll", CALLS_UNKNOWN);
    place
        .run(&["enumerate", "p.ll"])
        .says(3, &["incomplete", "sensor, called by main", "--extern sensor=havoc", "[unmodelled]"]);
    place.run(&["exec", "p.ll"]).fails(2, &["sensor", "--extern sensor=havoc"]);
    place.run(&["enumerate", "p.ll", "--extern", "sensor=havoc"]).says(0, &["complete"]);
    place.run(&["exec", "p.ll", "--extern", "sensor=pure"]).ends(0);
    place.run(&["exec", "p.ll", "--extern", "sensor=abort"]).ends(134);
    place.run(&["exec", "p.ll", "--extern", "sensor=assume"]).ends(0);
}

#[test]
fn json_on_standard_output_is_all_there_is() {
    let place = Place::new();
    place.program("p.ll", LOCKS_TWICE);
    let said = place.run(&["enumerate", "p.ll", "--json", "-"]);
    said.says(1, &["\"schema\": \"icsched/enumerate/1\"", "\"deadlocked\": 1"]);
    assert!(said.stdout.starts_with('{') && said.stdout.ends_with("}\n"), "{}", said.stdout);
    assert_eq!(said.stderr, "");
}

#[test]
fn a_file_that_is_no_database_is_neither_read_nor_overwritten() {
    let place = Place::new();
    place.program("p.ll", RETURNS_7);
    let text = b"precious\n";
    place.file("notes.txt", text);
    place.run(&["enumerate", "p.ll", "-o", "notes.txt"]).fails(2, &["notes.txt", "is not a schedule database"]);
    assert_eq!(std::fs::read(place.path("notes.txt")).expect("it is still there"), text);
    place.run(&["show", "notes.txt"]).fails(2, &["is not a schedule database"]);
    place.run(&["show", "p.ll"]).fails(2, &["is not a schedule database"]);
    place.run(&["show", "missing.icsdb"]).fails(2, &["there is no file"]);
    place.run(&["show", "."]).fails(2, &["is a directory"]);
    assert!(!Path::new(&place.path("missing.icsdb")).exists());
}

#[test]
fn a_schedule_is_named_by_number_or_id() {
    let place = Place::new();
    place.program("p.ll", LOCKS_TWICE);
    place.run(&["enumerate", "p.ll"]).ends(1);
    place.run(&["show", "p.icsdb", "--schedule", "1"]).says(0, &["Schedule 1 of 1"]);
    for wrong in ["0", "2", "zzzz"] {
        place.run(&["show", "p.icsdb", "--schedule", wrong]).fails(2, &["there is no schedule"]);
        place.run(&["show", "p.icsdb", "--epoch", wrong]).fails(2, &["there is no epoch"]);
    }
    place.run(&["show", "p.icsdb", "--format", "pdf"]).fails(2, &["pdf", "html"]);
    for (format, start) in [("json", "{"), ("dot", "digraph"), ("svg", "<svg"), ("html", "<!doctype html>")] {
        let said = place.run(&["show", "p.icsdb", "--format", format]);
        said.ends(0);
        assert!(said.stdout.starts_with(start), "{format}: {}", said.stdout);
    }
}

const RETURNS_8: &str = "define i32 @main() {\n  ret i32 8\n}\n";

#[test]
fn the_result_of_another_program_is_only_replaced_by_force() {
    let place = Place::new();
    place.program("p.ll", RETURNS_7);
    place.program("q.ll", RETURNS_8);
    place.run(&["enumerate", "p.ll", "-o", "r.icsdb"]).says(0, &["1 schedule; complete"]);
    let refused = place.run(&["enumerate", "q.ll", "-o", "r.icsdb"]);
    refused.fails(2, &["`r.icsdb` has the result of another program, p.ll", "-o", "--force"]);
    place.run(&["enumerate", "q.ll", "-o", "r.icsdb", "--fresh"]).fails(2, &["another program"]);
    place.run(&["show", "r.icsdb"]).says(0, &["exits with status 7"]);
    place.run(&["enumerate", "q.ll", "-o", "r.icsdb", "--force"]).says(0, &["written to r.icsdb"]);
    place.run(&["show", "r.icsdb"]).says(0, &["exits with status 8"]);
}

#[test]
fn a_program_replaces_its_own_result() {
    let place = Place::new();
    place.program("p.ll", RETURNS_7);
    place.run(&["enumerate", "p.ll"]).says(0, &["written to p.icsdb"]);
    // With other options, compiled anew, under another name or path: it is the same program.
    place.run(&["enumerate", "p.ll", "--without", "slicing"]).says(0, &["written to p.icsdb"]);
    place.program("p.ll", RETURNS_8);
    place.run(&["enumerate", "p.ll"]).says(0, &["written to p.icsdb"]);
    place.program("copy.ll", RETURNS_8);
    place.run(&["enumerate", "copy.ll", "-o", "p.icsdb"]).says(0, &["written to p.icsdb"]);
    place.program("copy.ll", RETURNS_7);
    let here = place.path("copy.ll").display().to_string();
    place.run(&["enumerate", &here, "-o", "p.icsdb"]).says(0, &["written to p.icsdb"]);
    place.run(&["enumerate", "./copy.ll", "-o", "p.icsdb"]).says(0, &["written to p.icsdb"]);
}

#[test]
fn programs_of_one_name_in_two_directories_are_two() {
    let place = Place::new();
    for directory in ["a", "b"] {
        std::fs::create_dir(place.path(directory)).expect("the directory is ours");
    }
    place.program("a/main.ll", RETURNS_7);
    place.program("b/main.ll", RETURNS_8);
    place.run(&["enumerate", "a/main.ll", "-o", "r.icsdb"]).says(0, &["written to r.icsdb"]);
    place.run(&["enumerate", "b/main.ll", "-o", "r.icsdb"]).fails(2, &["another program, a/main.ll"]);
    place.run(&["enumerate", "b/main.ll", "-o", "other.icsdb"]).says(0, &["written to other.icsdb"]);
}

#[test]
fn what_the_compiler_may_call_need_not_be_called() {
    let place = Place::new();
    place.program("p.ll", RETURNS_7);
    let said = place.run(&["enumerate", "p.ll", "--extern", "__ubsan_handle_add_overflow=havoc"]);
    said.says(0, &["1 schedule; complete"]);
    assert!(said.stderr.contains("__ubsan_handle_add_overflow: the program calls no such function"), "{}", said.stderr);
    place.run(&["enumerate", "p.ll", "--extern", "ubsan=havoc"]).fails(2, &["ubsan", "calls no such function"]);
}

#[test]
fn exec_says_that_it_is_no_sandbox() {
    let place = Place::new();
    place.run(&["exec", "--help"]).says(0, &["acts on this system", "no sandbox", "/proc/self/mem"]);
}
