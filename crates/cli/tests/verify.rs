//! `icsched verify` on the command line: what it says, and its exit status. What it finds in damaged databases is
//! tested in the driver.
//!
//! The programs are textual LLVM IR, so that no compiler is needed.

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

const TARGET: &str = "target triple = \"x86_64-pc-linux-gnu\"\n";

/// Asks something outside, and how many arguments there are.
const ASKS: &str = "
declare i32 @ask(i32)
define i32 @main(i32 %argc, ptr %argv) {
  %answer = call i32 @ask(i32 %argc)
  %is = icmp eq i32 %answer, 3
  br i1 %is, label %yes, label %no
yes:
  ret i32 1
no:
  ret i32 0
}
";

struct Place {
    directory: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { directory: TempDir::new().expect("a temporary directory can be made") };
        place.program("p.ll", "define i32 @main() {\n  ret i32 0\n}\n");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn program(&self, name: &str, body: &str) {
        std::fs::write(self.path(name), format!("{TARGET}{body}")).expect("the directory is ours");
    }

    /// Exit status, standard output and standard error.
    fn run(&self, words: &[&str]) -> (Option<i32>, String, String) {
        let command = Command::new(env!("CARGO_BIN_EXE_icsched"))
            .args(words)
            .current_dir(self.directory.path())
            .output()
            .expect("the binary was built for this test");
        let text = |bytes| String::from_utf8(bytes).expect("icsched writes UTF-8");
        let (stdout, stderr) = (text(command.stdout), text(command.stderr));
        assert!(!stderr.contains("icsched has a bug"), "{stderr}");
        (command.status.code(), stdout, stderr)
    }

    fn enumerate(&self, words: &[&str]) {
        let (status, _, stderr) = self.run(&[&["enumerate", "--quiet"], words].concat());
        assert_eq!(status, Some(0), "{stderr}");
    }

    /// Verification fails with this status and message.
    fn refuses(&self, words: &[&str], text: &str) {
        let (status, _, stderr) = self.run(&[&["verify"], words].concat());
        assert_eq!(status, Some(2), "{stderr}");
        assert!(stderr.contains(text), "{stderr}");
    }
}

#[test]
fn a_database_is_verified() {
    let place = Place::new();
    place.enumerate(&["p.ll"]);
    let (status, stdout, stderr) = place.run(&["verify", "p.ll", "p.icsdb"]);
    assert_eq!(status, Some(0), "{stderr}");
    assert!(stdout.starts_with("p.icsdb: verified\n"), "{stdout}");
    let (status, stdout, _) = place.run(&["verify", "p.ll", "p.icsdb", "--json", "-"]);
    let document: serde_json::Value = serde_json::from_str(&stdout).expect("it is JSON");
    assert_eq!((status, &document["schema"]), (Some(0), &"icsched/verify/1".into()));
    assert_eq!((&document["verified"], &document["complete"]), (&true.into(), &true.into()));
    assert_eq!(document["totals"]["schedules_proved"], 1, "{document}");
    assert_eq!(document["totals"]["schedules_replayed"], 1, "{document}");
}

#[test]
fn the_options_are_those_of_the_database() {
    let place = Place::new();
    place.program("asks.ll", ASKS);
    let options = ["--extern", "ask=havoc", "--without", "slicing,prefix-schedules", "--max-events", "1000"];
    place.enumerate(&[&["asks.ll"], &options[..], &["--sym-args", "0", "2", "3", "--", "-x", "@"]].concat());
    let (status, stdout, stderr) = place.run(&["verify", "asks.ll", "asks.icsdb"]);
    assert_eq!(status, Some(0), "{stdout}{stderr}");
}

#[test]
fn a_database_that_is_cut_is_not_complete() {
    let place = Place::new();
    place.program("asks.ll", ASKS);
    let options = ["--extern", "ask=havoc", "--without", "slicing,prefix-schedules", "--max-paths", "1"];
    let (status, ..) = place.run(&[&["enumerate", "asks.ll"], &options[..]].concat());
    assert_eq!(status, Some(3));
    let (status, stdout, stderr) = place.run(&["verify", "asks.ll", "asks.icsdb", "--json", "-"]);
    assert_eq!(status, Some(3), "{stdout}{stderr}");
    let document: serde_json::Value = serde_json::from_str(&stdout).expect("it is JSON");
    assert_eq!((&document["complete"], &document["faults"]), (&false.into(), &serde_json::json!([])));
}

#[test]
fn what_cannot_be_verified_is_told() {
    let place = Place::new();
    place.enumerate(&["p.ll"]);
    place.program("q.ll", "define i32 @main() {\n  ret i32 1\n}\n");
    place.refuses(&["q.ll", "p.icsdb"], "was not made from q.ll");
    place.refuses(&["none.ll", "p.icsdb"], "none.ll");
    place.refuses(&["p.ll", "none.icsdb"], "none.icsdb");
    place.refuses(&["p.ll", "p.ll"], "p.ll");
    place.refuses(&["p.ll"], "PROG.icsdb");
    let mut bytes = std::fs::read(place.path("p.icsdb")).expect("it was written");
    // SQLite keeps the version of a schema there.
    bytes[60..64].copy_from_slice(&999_u32.to_be_bytes());
    std::fs::write(place.path("later.icsdb"), &bytes).expect("the directory is ours");
    place.refuses(&["p.ll", "later.icsdb"], "later.icsdb");
    bytes.truncate(bytes.len() / 2);
    std::fs::write(place.path("half.icsdb"), &bytes).expect("the directory is ours");
    place.refuses(&["p.ll", "half.icsdb"], "half.icsdb");
}
