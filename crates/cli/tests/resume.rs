//! The result of `enumerate` depends neither on the number of workers nor on how often the run was cut off.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Two threads, each with two loops that wait for the other: wherever both are is an epoch.
const PHASES: &str = "#define LOOPS LOOP LOOP
#include <pthread.h>
#include <stdlib.h>
static pthread_barrier_t b;
static int n;
#define LOOP for (int i = 0; i < n; i++) pthread_barrier_wait(&b);
static void *work(void *arg) {
    LOOPS
    return arg;
}
int main(int argc, char **argv) {
    pthread_t t;
    n = argc > 1 ? atoi(argv[1]) : 0;
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&t, 0, work, 0);
    work(0);
    pthread_join(t, 0);
    return 0;
}
";

struct Place(TempDir);

impl Place {
    /// With `p.bc`, the compiled program.
    fn with(source: &str) -> Self {
        let place = Self(TempDir::new().expect("a temporary directory can be made"));
        place.compile(source, "p.bc");
        place
    }

    fn compile(&self, source: &str, bitcode: &str) {
        std::fs::write(self.path("p.c"), source).expect("the directory is ours");
        let clang = std::env::var("ICSCHED_CLANG").unwrap_or_else(|_| "clang-22".to_owned());
        let words = ["-g", "-O1", "-emit-llvm", "-c", "p.c", "-o", bitcode];
        let status = Command::new(clang).args(words).current_dir(self.0.path()).status();
        assert!(status.expect("clang can be started").success());
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Whoever runs the tests may ignore signals (`nohup`), which would go on to the command.
    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("env");
        let icsched = ["--default-signal=INT,TERM,HUP", env!("CARGO_BIN_EXE_icsched")];
        command.args(icsched).args(words).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    /// Runs to the end; says what was said on standard error.
    fn enumerate(&self, words: &[&str]) -> String {
        let Output { status, stderr, .. } = self
            .command(&[&["enumerate", "p.bc"], words].concat())
            .output()
            .expect("the binary was built for this test");
        let stderr = String::from_utf8_lossy(&stderr).into_owned();
        assert!(matches!(status.code(), Some(0 | 1)), "{status}: {stderr}");
        stderr
    }

    /// Runs until it has said so much on standard error, and then sends a signal. Gives the exit status, if there is
    /// one.
    fn cut_off(&self, words: &[&str], lines: usize, signal: &str) -> Option<i32> {
        let words = [&["enumerate", "p.bc", "-v"], words].concat();
        let mut child = self
            .command(&words)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary was built for this test");
        let mut said = BufReader::new(child.stderr.take().expect("it is a pipe")).lines();
        said.by_ref().take(lines).for_each(drop);
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
        sent.expect("there is a kill");
        said.for_each(drop);
        child.wait().expect("it is ours").code()
    }

    fn dump(&self, database: &str) -> String {
        let shown = self.command(&["show", database, "--format", "dump"]).output();
        let Output { status, stdout, .. } = shown.expect("the binary was built for this test");
        assert!(status.success(), "{status}");
        String::from_utf8(stdout).expect("a dump is text")
    }
}

fn of_c_tests(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../c-tests/epochs").join(name);
    std::fs::read_to_string(file).expect("the program is there")
}

/// Programs with several epochs: loops without end, recursion, conditions, objects from the heap, errors, replaced
/// loops.
const PROGRAMS: &[(&str, &str, &[&str])] = &[
    ("waits/pool_until_quit.c", "", &["3"]),
    ("waits/server.c", "", &[]),
    ("waits/task_queue.c", "", &["@"]),
    ("markers/failure_log.c", "", &["@"]),
    ("rings/ring_on_heap.c", "", &["@"]),
    ("markers/two_phases.c", "", &["@"]),
    ("markers/rounds.c", "", &["@"]),
    ("waits/spin_flag.c", "", &["@"]),
    ("recursions/recursive_lock.c", "", &["@"]),
    ("recursions/recursive_nested.c", "", &["@"]),
    ("recursions/recursive_pair.c", "", &["@"]),
    ("recursions/recursive_leaves.c", "", &["@"]),
    ("rings/bounded_queue.c", "", &["@", "@"]),
    ("locks/hash_buckets.c", "#define BUCKETS 3\n", &["@", "@"]),
    ("locks/philosophers.c", "#define PHILOSOPHERS 3\n", &["@"]),
    ("locks/philosophers_deadlock.c", "#define PHILOSOPHERS 3\n#define TOGETHER\n", &["@"]),
    ("semaphores/semaphore_ring.c", "#define THREADS 3\n", &["@"]),
    ("locks/own_lock_of_two.c", "#define THREADS 3\n", &["@"]),
];

/// The database and the JSON of a run, both without what was measured.
fn results(place: &Place, jobs: &str, args: &[&str]) -> (String, Value) {
    place.enumerate(&[&["--fresh", "--json", "p.json", "--jobs", jobs, "--"], args].concat());
    let json = std::fs::read_to_string(place.path("p.json")).expect("the run has written it");
    let mut json: Value = serde_json::from_str(&json).expect("it is JSON");
    let measured = ["seconds", "solver_seconds", "peak_mib"];
    let statistics = json["statistics"].as_object_mut().expect("there are some");
    measured.iter().for_each(|&name| drop(statistics.remove(name).expect("it was measured")));
    (place.dump("p.icsdb"), json)
}

#[test]
fn the_number_of_workers_does_not_change_the_result() {
    let with_epochs =
        |(name, before, args): &(&str, &str, &'static [&'static str])| (format!("{before}{}", of_c_tests(name)), *args);
    let mut several = 0;
    for (source, args) in PROGRAMS.iter().map(with_epochs).chain([(PHASES.to_owned(), &["@"][..])]) {
        let place = Place::with(&source);
        let one = results(&place, "1", args);
        several += usize::from(one.0.matches("\"contexts\"").count() > 1);
        for jobs in ["2", "3"] {
            assert_eq!(one, results(&place, jobs, args), "{jobs} jobs: {source}");
        }
    }
    assert!(several > 12, "{several} programs have epochs");
}

#[test]
fn a_killed_run_goes_on_where_it_was() {
    let place = Place::with(PHASES);
    let lines = place.enumerate(&["-v", "-o", "whole.icsdb", "--", "@"]).lines().count();
    let whole = place.dump("whole.icsdb");
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut attempts = 0;
    let mut went_on = false;
    loop {
        attempts += 1;
        assert!(attempts < 40, "most attempts get further");
        random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        let lines = usize::try_from(random >> 33).expect("a small number") % lines;
        let jobs = if attempts % 2 == 0 { "1" } else { "2" };
        if place.cut_off(&["--jobs", jobs, "--", "@"], lines, "-KILL").is_some() {
            break;
        }
        // A signal that comes between the last commit and the end of the process finds a run that is over.
        if place.path("p.icsdb").exists() && place.dump("p.icsdb") != whole {
            went_on = true;
        }
    }
    assert!(went_on, "some runs were killed when epochs, but not all, were committed");
    assert_eq!(place.dump("p.icsdb"), whole);
}

#[test]
fn a_run_that_was_stopped_goes_on_and_a_finished_one_answers() {
    let place = Place::with(PHASES);
    let lines = place.enumerate(&["-v", "-o", "whole.icsdb", "--", "@"]).lines().count();
    let status = place.cut_off(&["--jobs", "2", "--", "@"], lines / 2, "-INT");
    assert!(status.is_some(), "it ends by itself");
    let cut = place.dump("p.icsdb");
    assert!(cut.contains("stopped by the user"), "{cut}");
    // One that is stopped before it searches tells what is there.
    let words = ["enumerate", "p.bc", "--timeout", "0s", "--json", "-", "-q", "--", "@"];
    let early = place.command(&words).output().expect("the binary was built for this test");
    let told: Value = serde_json::from_slice(&early.stdout).expect("it is JSON");
    assert_eq!((early.status.code(), &told["complete"]), (Some(3), &false.into()), "{told}");
    assert!(told["epochs"].as_array().is_some_and(|epochs| !epochs.is_empty()), "{told}");
    // Time and memory are no part of the result.
    let said = place.enumerate(&["--timeout", "1h", "--resume", "--", "@"]);
    assert!(said.contains("went on from p.icsdb"), "{said}");
    assert_eq!(place.dump("p.icsdb"), place.dump("whole.icsdb"));
    let said = place.enumerate(&["--jobs", "1", "--", "@"]);
    assert!(said.contains("p.icsdb has the result of this program with these options"), "{said}");
    let said = place.enumerate(&["--fresh", "--", "@"]);
    assert!(!said.contains("p.icsdb"), "{said}");
    assert_eq!(place.dump("p.icsdb"), place.dump("whole.icsdb"));
}

#[test]
fn what_another_run_has_found_does_not_count() {
    let source = PHASES.replace("LOOP LOOP", "LOOP");
    let place = Place::with(&source);
    let is_searched = |words: &[&str]| {
        let said = place.enumerate(words);
        assert!(!said.contains("p.icsdb"), "{words:?}: {said}");
    };
    is_searched(&["--", "@1"]);
    is_searched(&["--", "2"]);
    is_searched(&["--without", "prefix-schedules", "--", "2"]);
    place.compile(&source.replace("return 0", "return 4"), "p.bc");
    is_searched(&["--without", "prefix-schedules", "--", "2"]);
    place.enumerate(&["-o", "anew.icsdb", "--without", "prefix-schedules", "--", "2"]);
    assert_eq!(place.dump("p.icsdb"), place.dump("anew.icsdb"));
    // The name of the program is one of its arguments.
    std::fs::copy(place.path("p.bc"), place.path("q.bc")).expect("copied");
    let words = ["enumerate", "q.bc", "-o", "p.icsdb", "--without", "prefix-schedules", "--", "2"];
    let output = place.command(&words).output().expect("the binary was built for this test");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("p.icsdb has"), "{said}");
}
