//! Programs and systems that do not end by themselves or do not give what is asked for.
//!
//! The programs are textual LLVM IR, so that no compiler is needed.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

const TARGET: &str = "target triple = \"x86_64-pc-linux-gnu\"\n";

/// Says `go` and never ends.
const ENDLESS: &str = "
@text = constant [3 x i8] c\"go\\0A\"
@count = global i64 0
declare i64 @write(i32, ptr, i64)
define i32 @main() {
  %n = call i64 @write(i32 1, ptr @text, i64 3)
  br label %again
again:
  %old = load volatile i64, ptr @count
  %new = add i64 %old, 1
  store volatile i64 %new, ptr @count
  br label %again
}
";

/// Counts for longer than anybody waits.
const COUNTS: &str = "
@count = global i64 0
define i32 @main() {
  br label %again
again:
  %old = load volatile i64, ptr @count
  %new = add i64 %old, 1
  store volatile i64 %new, ptr @count
  %more = icmp ult i64 %new, 1000000000000
  br i1 %more, label %again, label %end
end:
  ret i32 0
}
";

/// Writes for ever.
const TALKS: &str = "
@text = constant [3 x i8] c\"go\\0A\"
declare i64 @write(i32, ptr, i64)
define i32 @main() {
  br label %again
again:
  %n = call i64 @write(i32 1, ptr @text, i64 3)
  br label %again
}
";

/// Waits for input.
const LISTENS: &str = "
@text = global [3 x i8] zeroinitializer
declare i64 @read(i32, ptr, i64)
define i32 @main() {
  %n = call i64 @read(i32 0, ptr @text, i64 3)
  ret i32 0
}
";

/// Fills ever more memory, 64 MiB at a time.
const FILLS: &str = "
declare ptr @malloc(i64)
declare ptr @memset(ptr, i32, i64)
define i32 @main() {
  br label %again
again:
  %i = phi i64 [ 0, %0 ], [ %next, %again ]
  %p = call ptr @malloc(i64 67108864)
  %q = call ptr @memset(ptr %p, i32 7, i64 67108864)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 1000000000
  br i1 %more, label %again, label %end
end:
  ret i32 0
}
";

/// Recurses without end.
const RECURSES: &str = "
define i32 @f(i32 %n) {
  %m = add i32 %n, 1
  %r = call i32 @f(i32 %m)
  %s = add i32 %r, %n
  ret i32 %s
}
define i32 @main() {
  %r = call i32 @f(i32 0)
  ret i32 %r
}
";

const RETURNS_7: &str = "define i32 @main() {\n  ret i32 7\n}\n";

struct Place(TempDir);

impl Place {
    fn with(body: &str) -> Self {
        let place = Self(TempDir::new().expect("a temporary directory can be made"));
        std::fs::write(place.path("p.ll"), format!("{TARGET}{body}")).expect("the directory is ours");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Whoever runs the tests may ignore signals (`nohup`), which would go on to the command.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("env");
        command
            .args(["--default-signal=INT,TERM,HUP", env!("CARGO_BIN_EXE_icsched")])
            .args(words)
            .current_dir(self.0.path())
            .stdin(Stdio::null());
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().expect("the binary was built for this test")
    }

    /// Starts `exec`, and waits until the program has begun to write.
    fn start(&self, words: &[&str]) -> (Child, BufReader<impl std::io::Read + use<>>) {
        let piped = self.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = piped.expect("the binary was built for this test");
        let mut out = BufReader::new(child.stdout.take().expect("it is a pipe"));
        let mut line = String::new();
        out.read_line(&mut line).expect("the program writes");
        assert_eq!(line, "go\n");
        (child, out)
    }
}

fn ends(output: &Output, status: i32, text: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{stderr}");
    assert!(stderr.contains(text), "no `{text}` in {stderr}");
    assert!(!stderr.contains("icsched has a bug"), "{stderr}");
}

#[test]
fn a_limit_ends_a_run_with_status_3() {
    let endless = Place::with(ENDLESS);
    ends(&endless.run(&["exec", "p.ll", "--timeout", "100ms"]), 3, "--timeout");
    ends(&endless.run(&["exec", "p.ll", "--max-instructions", "1000"]), 3, "--max-instructions");
    ends(&Place::with(FILLS).run(&["exec", "p.ll", "--max-memory", "400MiB"]), 3, "--max-memory");
}

/// The search stops, too, with what is known: nothing here, but said properly.
#[test]
fn a_limit_ends_a_search_with_its_reason() {
    let output = Place::with(FILLS).run(&["enumerate", "p.ll", "--max-memory", "400MiB"]);
    ends(&output, 3, "");
    assert!(String::from_utf8_lossy(&output.stdout).contains("the memory limit was reached (--max-memory)"));
    let output = Place::with(COUNTS).run(&["enumerate", "p.ll", "--timeout", "100ms"]);
    ends(&output, 3, "");
    // What never ends by itself is an answer.
    let output = Place::with(ENDLESS).run(&["enumerate", "p.ll", "--timeout", "1min"]);
    ends(&output, 1, "");
    assert!(String::from_utf8_lossy(&output.stdout).contains("goes round for ever"));
    let nothing_loaded = Place::with(RETURNS_7).run(&["enumerate", "p.ll", "--max-memory", "1KiB"]);
    ends(&nothing_loaded, 3, "memory limit");
}

#[test]
fn a_time_that_no_clock_shows_is_no_limit() {
    let place = Place::with(RETURNS_7);
    for command in ["exec", "enumerate"] {
        let output = place.run(&[command, "p.ll", "--timeout", "18446744073709551615s"]);
        assert_eq!(output.status.code(), Some(if command == "exec" { 7 } else { 0 }));
    }
}

#[test]
fn a_signal_stops_a_run_cleanly() {
    let place = Place::with(ENDLESS);
    for signal in ["-INT", "-TERM"] {
        let (child, _out) = place.start(&["exec", "p.ll"]);
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(sent.expect("there is such a command").success());
        ends(&child.wait_with_output().expect("it is our child"), 3, "stopped by the user");
    }
}

/// A read that never returns is no reason to run for ever.
#[test]
fn waiting_for_input_is_cut_too() {
    let place = Place::with(LISTENS);
    let mut command = place.command(&["exec", "p.ll", "--timeout", "100ms"]);
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it was built");
    let input = child.stdin.take();
    let mut said = String::new();
    child.stderr.take().expect("it is a pipe").read_to_string(&mut said).expect("messages are text");
    assert_eq!((child.wait().expect("it is our child").code(), said.contains("--timeout")), (Some(3), true), "{said}");
    drop(input);
}

/// Natively SIGPIPE ends such a program.
#[test]
fn a_closed_pipe_ends_who_writes_into_it() {
    let (child, out) = Place::with(TALKS).start(&["exec", "p.ll"]);
    drop(out);
    ends(&child.wait_with_output().expect("it is our child"), 141, "");
}

#[test]
fn a_deep_recursion_names_the_limit_and_shows_both_ends() {
    let output = Place::with(RECURSES).run(&["exec", "p.ll"]);
    ends(&output, 1, "nested calls");
    ends(&output, 1, "more calls ...");
    assert!(output.stderr.len() < 10_000, "{} bytes", output.stderr.len());
}

#[test]
fn devices_are_neither_read_nor_replaced() {
    let place = Place::with(RETURNS_7);
    for words in [&["exec", "/dev/zero"][..], &["enumerate", "/dev/zero"], &["inspect", "ir", "/dev/zero"]] {
        ends(&place.run(words), 2, "device");
    }
    for words in [&["show", "/dev/zero"][..], &["enumerate", "p.ll", "-o", "/dev/full"]] {
        ends(&place.run(words), 2, "not a file");
    }
    assert!(!std::fs::metadata("/dev/full").expect("Linux has it").is_file());
}

#[test]
fn a_full_output_is_an_error() {
    let place = Place::with(RETURNS_7);
    assert_eq!(place.run(&["enumerate", "p.ll"]).status.code(), Some(0));
    let full = || -> File { OpenOptions::new().write(true).open("/dev/full").expect("Linux has it") };
    for words in [&["show", "p.icsdb"][..], &["inspect", "ir", "p.ll"], &["enumerate", "p.ll", "--json", "-"]] {
        let output = place.command(words).stdout(full()).output().expect("it was built");
        ends(&output, 2, "standard output");
    }
}

/// The system's strings are bytes.
#[test]
fn arguments_need_not_be_text() {
    let place = Place::with(
        "define i32 @main(i32 %argc, ptr %argv) {
  %place = getelementptr ptr, ptr %argv, i64 1
  %text = load ptr, ptr %place
  %byte = load i8, ptr %text
  %status = zext i8 %byte to i32
  ret i32 %status
}
",
    );
    let mut command = place.command(&["exec", "p.ll", "--"]);
    let argument = <std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"\xff");
    let output = command.arg(argument).env("ODD", argument).output().expect("it was built");
    ends(&output, 255, "");
}

#[test]
fn main_is_what_c_says() {
    for body in [
        "define i32 @main(i32 %a, ptr %b, ptr %c, i32 %d) {\n  ret i32 0\n}\n",
        "define ptr @main() {\n  ret ptr null\n}\n",
        "define i32 @main(double %a) {\n  ret i32 0\n}\n",
        "define i64 @main(i64 %a, ptr %b) {\n  ret i64 0\n}\n",
    ] {
        for command in ["exec", "enumerate"] {
            ends(&Place::with(body).run(&[command, "p.ll"]), 2, "its `main` is (");
        }
    }
    let variable = Place::with("@main = global i32 7\n");
    ends(&variable.run(&["exec", "p.ll"]), 2, "defines no function `main`");
    let alias = "define i32 @start(i32 %a) {\n  ret i32 %a\n}\n@main = alias i32 (i32), ptr @start\n";
    assert_eq!(Place::with(alias).run(&["exec", "p.ll", "--", "x", "y"]).status.code(), Some(3));
    assert_eq!(Place::with("define void @main() {\n  ret void\n}\n").run(&["exec", "p.ll"]).status.code(), Some(0));
}

#[test]
fn an_object_that_no_address_reaches_is_refused() {
    let main = "define i32 @main() {\n  store i8 1, ptr @big\n  ret i32 0\n}\n";
    let place = Place::with(&format!("@big = global [5000000000 x i8] zeroinitializer\n{main}"));
    ends(&place.run(&["exec", "p.ll"]), 3, "`big` of 5000000000 bytes");
}

/// One thread starts another one and waits for it.
const TWO_THREADS: &str = "
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare i32 @atoi(ptr)
define ptr @work(ptr %p) {
  ret ptr null
}
define i32 @main(i32 %argc, ptr %argv) {
  %thread = alloca i64
  %place = getelementptr ptr, ptr %argv, i64 1
  %text = load ptr, ptr %place
  %number = call i32 @atoi(ptr %text)
  %is_wanted = icmp sgt i32 %number, 3
  br i1 %is_wanted, label %start, label %end
start:
  %started = call i32 @pthread_create(ptr %thread, ptr null, ptr @work, ptr null)
  %id = load i64, ptr %thread
  %joined = call i32 @pthread_join(i64 %id, ptr null)
  br label %end
end:
  ret i32 0
}
";

/// Instructions on a path: none is cut by that.
const MANY: &str = "--max-instructions=1000000000000000";

/// A command under a limit of the system (`ulimit`).
fn under(place: &Place, limit: &str, words: &[&str]) -> Output {
    let script = format!("ulimit {limit} && exec \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_icsched")]).args(words).current_dir(place.0.path());
    command.stdin(Stdio::null()).output().expect("there is a shell")
}

fn json(text: &[u8]) -> serde_json::Value {
    let text = String::from_utf8_lossy(text);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in `{text}`"))
}

/// That a document says that it is not all, for such a reason; gives the reason.
fn is_cut(document: &serde_json::Value, kind: &str, words: &str) -> serde_json::Value {
    assert_eq!(document["complete"], false, "{document}");
    let mut all: Vec<&serde_json::Value> = document["reasons"].as_array().into_iter().flatten().collect();
    let epochs = document["epochs"].as_array();
    all.extend(epochs.into_iter().flatten().filter_map(|epoch| epoch["reasons"].as_array()).flatten());
    let is_it = |reason: &&&serde_json::Value| {
        reason["kind"] == kind && reason["message"].as_str().is_some_and(|message| message.contains(words))
    };
    let found = all.iter().find(is_it).unwrap_or_else(|| panic!("no {kind} with `{words}` in {document}"));
    (**found).clone()
}

/// What is known so far is text and JSON, also if nothing is known.
#[test]
fn whoever_is_stopped_while_the_program_is_loaded_says_so_in_json() {
    let place = Place::with(TWO_THREADS);
    assert_eq!(place.run(&["enumerate", "p.ll", "--", "@"]).status.code(), Some(0));
    let at_once = ["--timeout", "0s", "--json", "-"];
    for (schema, words) in [
        ("icsched/enumerate/1", &["enumerate", "p.ll", "--fresh"][..]),
        ("icsched/symex/1", &["symex", "p.ll", "--thread", "work"]),
        ("icsched/verify/1", &["verify", "p.ll", "p.icsdb"]),
    ] {
        let output = place.run(&[words, &at_once].concat());
        ends(&output, 3, "loading the program");
        let document = json(&output.stdout);
        assert_eq!(document["schema"], schema);
        is_cut(&document, "limit", "the time limit was reached (--timeout)");
    }
    for what in ["callgraph", "loops", "pointsto", "modref", "markers"] {
        let output = place.run(&["inspect", what, "p.ll", "--timeout", "0s", "--json"]);
        ends(&output, 3, "the time limit");
        let document = json(&output.stdout);
        assert_eq!(document["schema"], format!("icsched/inspect-{what}/1"));
        is_cut(&document, "limit", "the time limit was reached (--timeout)");
    }
    let text = place.run(&["enumerate", "p.ll", "--fresh", "--timeout", "0s"]);
    assert!(String::from_utf8_lossy(&text.stdout).contains("0 schedules; incomplete"), "{text:?}");
}

/// A run that is cut says where it was.
#[test]
fn a_limit_has_a_place() {
    let place = Place::with(COUNTS);
    let output = place.run(&["enumerate", "p.ll", MANY, "--timeout", "3s", "--json", "-"]);
    ends(&output, 3, "");
    let reason = is_cut(&json(&output.stdout), "limit", "the time limit was reached (--timeout)");
    assert!(reason["at"].as_str().is_some_and(|at| at.contains("main")), "{reason}");
    let filled = Place::with(FILLS).run(&["exec", "p.ll", "--max-memory", "400MiB"]);
    ends(&filled, 3, "main");
}

/// Each thread reserves its stack, and where there is no room for that the work is done by fewer threads with smaller
/// ones, in the end by one.
#[test]
fn where_threads_cannot_be_made_the_result_is_the_same() {
    let place = Place::with(TWO_THREADS);
    for limit in ["-v 4000000", "-v 2000000", "-v 1200000"] {
        let output = under(&place, limit, &["enumerate", "p.ll", "--fresh", "--json", "-", "--", "@"]);
        ends(&output, 0, "");
        let document = json(&output.stdout);
        assert_eq!((&document["complete"], &document["totals"]["schedules"]), (&true.into(), &1.into()), "{limit}");
    }
}

/// What the system allows is a limit like that of the user.
#[test]
fn memory_that_the_system_does_not_give_ends_a_search_with_its_reason() {
    let place = Place::with(FILLS);
    let output = under(&place, "-v 1200000", &["enumerate", "p.ll", "--json", "-"]);
    ends(&output, 3, "");
    is_cut(&json(&output.stdout), "limit", "memory");
    ends(&under(&place, "-v 1200000", &["exec", "p.ll"]), 3, "memory");
}

/// The process that has begun the work, of a command that has started another one to do it.
fn worker_of(child: &Child) -> String {
    let list = format!("/proc/{0}/task/{0}/children", child.id());
    loop {
        let found = std::fs::read_to_string(&list).expect("the process is there");
        if let Some(worker) = found.split_whitespace().next() {
            return worker.to_owned();
        }
        std::thread::yield_now();
    }
}

fn send(signal: &str, process: &str) {
    let sent = Command::new("kill").args([signal, process]).status();
    assert!(sent.expect("there is such a command").success());
}

/// Starts a command, and waits until it has said some words on standard error; says what it says after that, too.
fn started(place: &Place, words: &[&str], until: &str) -> (Child, std::thread::JoinHandle<String>) {
    let piped = place.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = piped.expect("the binary was built for this test");
    let mut said = BufReader::new(child.stderr.take().expect("it is a pipe"));
    let mut line = String::new();
    while !line.contains(until) {
        assert_ne!(said.read_line(&mut line).expect("messages are text"), 0, "{line}");
    }
    let rest = std::thread::spawn(move || {
        said.read_to_string(&mut line).expect("messages are text");
        line
    });
    (child, rest)
}

/// The kernel does so to whoever uses more memory than there is.
#[test]
fn whoever_is_killed_leaves_a_result() {
    let place = Place::with(COUNTS);
    for (signal, status, words) in [
        ("-KILL", 3, "the system has killed the process"),
        ("-XCPU", 3, "processor time"),
        ("-ILL", 4, "icsched was ended by signal 4"),
    ] {
        let words_of = ["enumerate", "p.ll", "-v", MANY, "--fresh", "--json", "-"];
        let (child, rest) = started(&place, &words_of, "epoch");
        send(signal, &worker_of(&child));
        let output = child.wait_with_output().expect("it is our child");
        let said = rest.join().expect("it reads");
        assert_eq!(output.status.code(), Some(status), "{said}");
        assert!(said.contains(words), "{said}");
        is_cut(&json(&output.stdout), if status == 3 { "limit" } else { "internal-error" }, words);
    }
}

/// A search that signals end: `send` gets the process.
fn ends_as_interrupted(place: &Place, send: impl FnOnce(&str)) {
    let (child, rest) = started(place, &["enumerate", "p.ll", "-v", MANY, "--fresh", "--json", "-"], "epoch");
    send(&child.id().to_string());
    let output = child.wait_with_output().expect("it is our child");
    assert_eq!(output.status.code(), Some(3), "{}", rest.join().expect("it reads"));
    is_cut(&json(&output.stdout), "interrupted", "the search was stopped by the user");
}

/// The first signal ends a search with what is known, the second one ends the process.
#[test]
fn a_signal_ends_a_search_with_what_is_known() {
    let place = Place::with(COUNTS);
    for signal in ["-INT", "-TERM", "-HUP"] {
        ends_as_interrupted(&place, |process| send(signal, process));
    }
}

/// What was found is shown where it can be, whatever cannot be written.
#[test]
fn what_cannot_be_written_is_printed() {
    let place = Place::with(TWO_THREADS);
    for words in [
        &["enumerate", "p.ll", "--fresh", "--json", "/dev/full", "--", "@"][..],
        &["enumerate", "p.ll", "--fresh", "-q", "--json", "/dev/full", "--", "@"],
    ] {
        let output = place.run(words);
        ends(&output, 2, "/dev/full");
        assert!(String::from_utf8_lossy(&output.stdout).contains("1 schedule; complete"), "{output:?}");
    }
    let verified = place.run(&["verify", "p.ll", "p.icsdb", "--json", "/dev/full"]);
    ends(&verified, 2, "/dev/full");
    assert!(String::from_utf8_lossy(&verified.stdout).contains("verified"), "{verified:?}");
    let paths = place.run(&["symex", "p.ll", "--thread", "work", "-q", "--json", "/dev/full"]);
    ends(&paths, 2, "/dev/full");
    assert!(String::from_utf8_lossy(&paths.stdout).contains("path 1"), "{paths:?}");
}

/// A file that may not grow is like a full disk.
#[test]
fn a_database_that_cannot_be_written_costs_no_result() {
    let place = Place::with(TWO_THREADS);
    let output = under(&place, "-f 2", &["enumerate", "p.ll", "--fresh", "--json", "-", "--", "@"]);
    ends(&output, 2, "p.icsdb");
    let document = json(&output.stdout);
    assert_eq!((&document["complete"], &document["totals"]["schedules"]), (&true.into(), &1.into()));
    let text = under(&place, "-f 2", &["enumerate", "p.ll", "--fresh", "--", "@"]);
    ends(&text, 2, "p.icsdb");
    let said = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(said.contains("1 schedule; complete") && !said.contains("schedules written"), "{said}");
}

/// GNU `timeout` signals a command and then its group; a terminal and its shell both say that they go away.
#[test]
fn signals_that_come_together_are_one_request() {
    let place = Place::with(COUNTS);
    ends_as_interrupted(&place, |process| {
        let twice = "kill -TERM $1; kill -HUP $1; kill -HUP $1";
        let sent = Command::new("sh").args(["-c", twice, "sh", process]).status();
        assert!(sent.expect("there is a shell").success());
    });
}

/// A service manager may ignore the ends of its children, and so do those that it starts.
#[test]
fn ends_of_children_are_seen_whoever_ignores_them() {
    let place = Place::with(RETURNS_7);
    for (words, status) in [(&["enumerate", "p.ll", "--fresh"][..], 0), (&["exec", "p.ll"], 7)] {
        let mut command = Command::new("env");
        command.args(["--ignore-signal=CHLD", env!("CARGO_BIN_EXE_icsched")]).args(words).current_dir(place.0.path());
        let output = command.stdin(Stdio::null()).output().expect("there is such a command");
        ends(&output, status, "");
    }
}

/// A reader may take its time, and a first request waits for it. A second one does not.
#[test]
fn a_second_request_ends_who_waits_for_a_reader() {
    let stores: String = (0..5000).map(|n| format!("  store volatile i64 {n}, ptr @count\n")).collect();
    let place = Place::with(&format!("@count = global i64 0\ndefine i32 @main() {{\n{stores}  ret i32 0\n}}\n"));
    let piped = place.command(&["inspect", "ir", "p.ll"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = piped.expect("the binary was built for this test");
    let mut out = child.stdout.take().expect("it is a pipe");
    out.read_exact(&mut [0]).expect("the answer begins");
    let status = loop {
        send("-INT", &child.id().to_string());
        if let Some(status) = child.try_wait().expect("it is our child") {
            break status;
        }
    };
    assert_eq!(status.code(), Some(130));
    let mut rest = Vec::new();
    out.read_to_end(&mut rest).expect("it is a pipe");
    assert!(rest.len() > 1 << 12, "it was at its answer: {} bytes", rest.len());
}
