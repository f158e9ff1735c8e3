//! `icsched check` and `icsched replay` on the command line: what they say, write, keep and refuse. What is found in
//! programs with threads is tested by `c-tests/findings`.
//!
//! The program is textual LLVM IR, so that no compiler is needed.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

/// Aborts for the argument 7.
const ABORTS: &str = "target triple = \"x86_64-pc-linux-gnu\"
declare i32 @atoi(ptr)
declare void @abort()
define i32 @main(i32 %argc, ptr %argv) {
  %at = getelementptr ptr, ptr %argv, i64 1
  %word = load ptr, ptr %at
  %number = call i32 @atoi(ptr %word)
  %is = icmp eq i32 %number, 7
  br i1 %is, label %yes, label %no
yes:
  call void @abort()
  unreachable
no:
  ret i32 0
}
";

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(TempDir::new().expect("a temporary directory can be made"));
        std::fs::write(place.path("p.ll"), ABORTS).expect("the directory is ours");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("it was written")
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).expect("it is JSON")
    }

    /// Exit status, standard output and standard error.
    fn run(&self, words: &str) -> (Option<i32>, String, String) {
        let command = Command::new(env!("CARGO_BIN_EXE_icsched"))
            .args(words.split(' '))
            .current_dir(self.0.path())
            .output()
            .expect("the binary was built for this test");
        let text = |bytes| String::from_utf8(bytes).expect("icsched writes UTF-8");
        let (stdout, stderr) = (text(command.stdout), text(command.stderr));
        assert!(!stderr.contains("icsched has a bug"), "{stderr}");
        (command.status.code(), stdout, stderr)
    }

    /// A command fails with status 2 and this message.
    fn refuses(&self, words: &str, message: &str) {
        let (status, _, stderr) = self.run(words);
        assert_eq!(status, Some(2), "{words}: {stderr}");
        assert!(stderr.contains(message), "{words}: {stderr}");
    }
}

#[test]
fn a_finding_is_told_kept_and_shown_again() {
    let place = Place::new();
    let (status, stdout, stderr) = place.run("check p.ll -o found --json r.json -- @");
    assert_eq!(status, Some(1), "{stdout}{stderr}");
    assert!(stdout.starts_with("1 finding: 1 confirmed; all inputs were looked at\n"), "{stdout}");
    assert!(stdout.contains("confirmed[abort]") && stdout.contains("./p 7\n"), "{stdout}");
    assert!(stdout.contains("icsched replay found/1.json"), "{stdout}");
    let result = place.json("r.json");
    assert_eq!((&result["schema"], &result["complete"]), (&"icsched/check/1".into(), &true.into()));
    let finding = &result["findings"][0];
    assert_eq!((&finding["kind"], &finding["confirmed"]), (&"abort".into(), &true.into()));
    assert_eq!(finding["input"]["argv"], serde_json::json!(["p", "7"]));
    assert_ne!(finding["near"]["input"]["argv"], finding["input"]["argv"]);
    for named in ["found/1.json", "p.icsdb#1"] {
        let (status, stdout, _) = place.run(&format!("replay {named}"));
        assert_eq!(status, Some(1), "{stdout}");
        assert!(stdout.starts_with("the finding shows: abort() was called"), "{stdout}");
    }
    let (status, _, _) = place.run("check p.icsdb --quiet --json again.json");
    assert_eq!(status, Some(1));
    assert_eq!(place.json("again.json")["findings"], result["findings"]);
}

#[test]
fn the_result_does_not_depend_on_the_number_of_workers() {
    let place = Place::new();
    for jobs in [1, 3] {
        place.run(&format!("check p.ll --fresh --quiet --jobs {jobs} --json {jobs}.json -- @ @"));
    }
    assert_eq!(place.json("1.json")["findings"], place.json("3.json")["findings"]);
}

#[test]
fn the_exit_status_is_that_of_what_was_asked() {
    let place = Place::new();
    let status = |words: &str| place.run(words).0;
    assert_eq!(status("check p.ll --only deadlock -- @"), Some(0));
    assert_eq!(status("check p.ll --only abort,deadlock -- @"), Some(1));
    assert_eq!(status("check p.ll --fail-on deadlock -- @"), Some(0));
    assert_eq!(status("check p.ll --fail-on abort -- @"), Some(1));
    assert_eq!(status("check p.ll -- 6"), Some(0));
}

#[test]
fn what_is_known_is_not_reported() {
    let place = Place::new();
    place.run("check p.ll --json known.json -- @");
    let (status, stdout, _) = place.run("check p.ll --baseline known.json --json r.json -- @");
    assert_eq!(status, Some(0), "{stdout}");
    let result = place.json("r.json");
    assert_eq!(result["findings"], serde_json::json!([]));
    assert_eq!(result["suppressed"][0]["reason"], "in the baseline");
    std::fs::write(place.path("bad"), "what\n").expect("the directory is ours");
    place.refuses("check p.ll --baseline bad -- @", "`what` is no fingerprint");
    place.refuses("check p.ll --baseline missing -- @", "cannot read missing");
}

#[test]
fn other_forms_are_written() {
    let place = Place::new();
    place.run("check p.ll --quiet --sarif r.sarif --junit r.xml --html r.html -- @");
    assert_eq!(place.json("r.sarif")["runs"][0]["results"][0]["level"], "error");
    assert!(place.text("r.xml").contains("<failure"));
    assert!(place.text("r.html").to_lowercase().starts_with("<!doctype html>"));
    let (_, stdout, _) = place.run("check p.ll --github -- @");
    assert!(stdout.contains("::error "), "{stdout}");
    let (_, stdout, _) = place.run("check p.ll --json - -- @");
    assert!(serde_json::from_str::<Value>(&stdout).is_ok(), "{stdout}");
}

#[test]
fn mistakes_are_told() {
    let place = Place::new();
    place.refuses("check missing.bc", "missing.bc");
    place.refuses("check p.ll --only livelock -- @", "`livelock` is no kind of finding");
    place.refuses("replay missing.json", "cannot read missing.json");
    place.run("check p.ll -o found -- @");
    place.refuses("replay p.icsdb", "p.icsdb is a database, which may have several findings");
    place.refuses("check p.ll --json - --sarif - -- @", "only one result can be written to standard output");
    place.refuses("replay p.icsdb#2", "p.icsdb has no finding `2`");
    std::fs::write(place.path("other.json"), "{}").expect("the directory is ours");
    place.refuses("replay other.json", "other.json is no finding");
    std::fs::write(place.path("q.ll"), ABORTS.replace("i32 %number, 7", "i32 %number, 8"))
        .expect("the directory is ours");
    place.refuses("replay found/1.json q.ll", "the finding is not of q.ll");
}
