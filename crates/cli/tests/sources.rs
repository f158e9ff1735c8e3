//! Programs as they are: sources, objects, archives, executables, builds, and what is around them. These tests need
//! clang.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

/// Leaks a lock for arguments above 100.
const MAIN: &str = "#include <pthread.h>
#include <stdlib.h>
#include \"limit.h\"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int wanted;
static void *clerk(void *unused) {
    pthread_mutex_lock(&lock);
    if (is_too_much(wanted)) return 0;
    pthread_mutex_unlock(&lock);
    return 0;
}
int main(int argc, char **argv) {
    pthread_t t[2];
    if (argc > 1) wanted = atoi(argv[1]);
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, clerk, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    return 0;
}
";

const LIMIT: &str = "#include \"limit.h\"
int is_too_much(int n) { return n > LIMIT; }
";

/// Reads a number from a file, one from standard input, and one from the environment.
const READS: &str = "#include <stdio.h>
#include <stdlib.h>
int main(void) {
    int a = 0, b = 0;
    FILE *f = fopen(\"conf\", \"r\");
    if (!f) return 7;
    if (fscanf(f, \"%d\", &a) != 1) return 8;
    fclose(f);
    if (scanf(\"%d\", &b) != 1) return 9;
    char *c = getenv(\"LEVEL\");
    if (a + b + (c ? atoi(c) : 0) == 42) abort();
    return 0;
}
";

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(TempDir::new().expect("a temporary directory can be made"));
        place.write("main.c", MAIN);
        place.write("limit.c", LIMIT);
        place.write("limit.h", "int is_too_much(int n);\n#ifndef LIMIT\n#define LIMIT 100\n#endif\n");
        place.write("reads.c", READS);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("the directory is ours");
    }

    fn run(&self, words: &[&str]) -> (Option<i32>, String, String) {
        self.run_with(words, None)
    }

    /// Exit status, standard output and standard error.
    fn run_with(&self, words: &[&str], clang: Option<&str>) -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_icsched"));
        command.args(words).current_dir(self.0.path()).env_remove("ICSCHED_CLANG");
        if let Some(clang) = clang {
            command.env("ICSCHED_CLANG", clang);
        }
        let output = command.output().expect("the binary was built for this test");
        let text = |bytes| String::from_utf8(bytes).expect("icsched writes UTF-8");
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        assert!(!stderr.contains("icsched has a bug"), "{stderr}");
        (output.status.code(), stdout, stderr)
    }

    /// A command ends with this status.
    fn ends(&self, words: &[&str], status: i32) -> String {
        let (own, stdout, stderr) = self.run(words);
        assert_eq!(own, Some(status), "{words:?}: {stdout}{stderr}");
        stdout
    }

    /// `check` finds the leaked lock, and its finding is shown again, from another directory.
    fn finds_the_leak(&self, program: &[&str], shown: &str) {
        let words = [&["check"], program, &["--force", "-o", "found", "--", "@"]].concat();
        let stdout = self.ends(&words, 1);
        assert!(stdout.contains("leaked-lock") && stdout.contains(shown), "{stdout}");
        let finding = self.path("found/1.json").display().to_string();
        let (status, stdout, stderr) = {
            let output = Command::new(env!("CARGO_BIN_EXE_icsched")).args(["replay", &finding]).output();
            let output = output.expect("the binary was built for this test");
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            (output.status.code(), text(&output.stdout), text(&output.stderr))
        };
        assert_eq!(status, Some(1), "{program:?}: {stdout}{stderr}");
        assert!(stdout.starts_with("the finding shows"), "{stdout}");
    }

    fn refuses(&self, words: &[&str], message: &str) {
        let (status, _, stderr) = self.run(words);
        assert_eq!(status, Some(2), "{words:?}: {stderr}");
        assert!(stderr.contains(message), "{words:?}: {stderr}");
    }
}

#[test]
fn sources_are_compiled_and_joined() {
    let place = Place::new();
    place.finds_the_leak(&["main.c", "limit.c"], "./main 101");
    place.finds_the_leak(&["main.c", "limit.c", "--cflags", "-DLIMIT=5 -O1"], "./main 6");
    // The database names the other files.
    place.ends(&["verify", "main.c", "main.icsdb"], 0);
    // Another program in the same file is another one.
    place.write("limit.c", &LIMIT.replace("n > LIMIT", "n < LIMIT"));
    place.refuses(&["replay", "found/1.json"], "but of another program");
}

#[test]
fn builds_leave_bitcode_in_what_they_make() {
    let place = Place::new();
    place.ends(&["cc", "-O2", "-c", "main.c", "-o", "main.o"], 0);
    place.ends(&["cc", "-O2", "-c", "limit.c", "-o", "limit.o"], 0);
    place.ends(&["cc", "main.o", "limit.o", "-pthread", "-o", "office"], 0);
    place.finds_the_leak(&["office"], "./office 101");
    place.finds_the_leak(&["main.o", "limit.o"], "./main 101");
    place.finds_the_leak(&["main.o", "limit.c"], "./main 101");
    place.ends(&["cc", "-flto", "-c", "limit.c", "-o", "lto.o"], 0);
    place.finds_the_leak(&["main.o", "lto.o"], "./main 101");
    // It is an executable as any other.
    assert!(Command::new(place.path("office")).arg("1").status().is_ok_and(|status| status.success()));
    assert!(place.ends(&["cc", "--version"], 0).contains("clang"));
}

#[test]
fn archives_have_objects() {
    let place = Place::new();
    place.ends(&["cc", "-c", "limit.c", "-o", "limit.o"], 0);
    let archived = Command::new("ar").args(["rc", "liblimit.a", "limit.o"]).current_dir(place.0.path()).status();
    assert!(archived.is_ok_and(|status| status.success()));
    place.finds_the_leak(&["main.c", "liblimit.a"], "./main 101");
    // Its index has the symbols of the object, whatever plugins the linker's tools have.
    place.ends(&["cc", "main.c", "-L.", "-llimit", "-pthread", "-o", "office"], 0);
    place.finds_the_leak(&["office"], "./office 101");
}

#[test]
fn compile_commands_say_how_files_are_compiled() {
    let place = Place::new();
    let directory = place.path("").display().to_string();
    let entry = |file: &str| serde_json::json!({ "directory": directory, "file": file, "command": format!("cc -DLIMIT=7 -MD -MF x.d -o {file}.o -c {file}") });
    let all = serde_json::Value::Array(vec![entry("main.c"), entry("limit.c"), entry("reads.c")]);
    place.write("compile_commands.json", &all.to_string());
    place.refuses(&["check", "compile_commands.json", "--", "@"], "defines `main`, too");
    place.finds_the_leak(&["compile_commands.json", "main.c", "limit.c"], "8");
    place.refuses(&["check", "compile_commands.json", "other.c"], "has no command for");
    place.write("compile_commands.json", "{}");
    place.refuses(&["check", "compile_commands.json"], "is no compile_commands.json");
}

#[test]
fn all_that_is_missing_is_told_at_once() {
    let place = Place::new();
    place.write("asks.c", "int sensor(void); int motor(int);\nint main(void) {\n  return motor(sensor());\n}\n");
    let (status, _, stderr) = place.run(&["enumerate", "asks.c"]);
    assert_eq!(status, Some(3), "{stderr}");
    assert!(stderr.contains("2 functions that may be called have neither a definition nor a model"), "{stderr}");
    assert!(stderr.contains("sensor, called by main at asks.c:3"), "{stderr}");
    assert!(stderr.contains("--extern motor=havoc --extern sensor=havoc"), "{stderr}");
    // What has no bitcode is found in the build.
    place.write("motor.c", "int motor(int n) { return n; }\n");
    let built = Command::new("cc").args(["-c", "motor.c", "-o", "motor.o"]).current_dir(place.0.path()).status();
    assert!(built.is_ok_and(|status| status.success()));
    let (_, _, stderr) = place.run(&["enumerate", "asks.c", "motor.o", "--force"]);
    assert!(stderr.contains("motor, called by main at asks.c:3; motor.o defines it, without bitcode"), "{stderr}");
    let (status, _, stderr) = place.run(&["enumerate", "asks.c", "motor.c", "--extern", "sensor=havoc", "--force"]);
    assert_eq!(status, Some(0), "{stderr}");
    assert!(!stderr.contains("neither a definition"), "{stderr}");
}

#[test]
fn a_shared_library_of_the_build_is_named() {
    let place = Place::new();
    place.write("twice.c", "int twice(int n) { return 2 * n; }\nconst char *named(void) { return \"n\"; }\n");
    place.write("asks.c", "int twice(int); const char *named(void);\nint main(void) { return twice(*named()); }\n");
    place.ends(&["cc", "-shared", "-fPIC", "twice.c", "-o", "libtwice.so"], 0);
    place.ends(&["cc", "asks.c", "-L.", "-ltwice", "-o", "asks"], 0);
    let (_, _, stderr) = place.run(&["enumerate", "asks"]);
    assert!(stderr.contains("libtwice.so defines it: name that file, too"), "{stderr}");
    assert!(stderr.contains("what named returns has to be the address of something"), "{stderr}");
    let (status, _, stderr) = place.run(&["enumerate", "asks", "libtwice.so", "--force"]);
    assert_eq!(status, Some(0), "{stderr}");
}

#[test]
fn what_gcc_only_warns_of_is_no_error_of_a_build() {
    let place = Place::new();
    place.write("old.c", "int main(void) { int *p = 65; return f(p); }\nint f(int *p) { return p == 0; }\n");
    place.ends(&["cc", "-w", "-c", "old.c"], 0);
    place.write("old.cc", "int main() { register int n = 1; return n; }\n");
    place.ends(&["c++", "-w", "-std=gnu++17", "-c", "old.cc"], 0);
}

#[test]
fn what_cannot_be_compiled_says_why() {
    let place = Place::new();
    place.write("wrong.c", "int main(void) { return missing; }\n");
    place.refuses(&["enumerate", "wrong.c"], "undeclared identifier");
    place.refuses(&["enumerate", "gone.c"], "no such file");
    place.refuses(&["enumerate", "main.c", "limit.c", "--cflags", "'-DX"], "no shell takes this");
    place.refuses(&["enumerate", "main.c", "reads.c"], "defines `main`, too");
    let built = Command::new("cc").args(["reads.c", "-o", "plain"]).current_dir(place.0.path()).status();
    assert!(built.is_ok_and(|status| status.success()));
    place.refuses(&["enumerate", "plain"], "without bitcode inside");
    let (status, _, stderr) = place.run_with(&["enumerate", "reads.c"], Some("/nowhere/clang"));
    assert_eq!(status, Some(2), "{stderr}");
    assert!(stderr.contains("/nowhere/clang cannot be started"), "{stderr}");
}

#[test]
fn a_library_starts_where_the_user_says() {
    let place = Place::new();
    place.write("lib.c", "int three(void) { return 3; }\nint sum(int a, int b) { return a + b; }\n");
    place.ends(&["exec", "lib.c", "--entry", "three"], 3);
    place.ends(&["enumerate", "lib.c", "--entry", "three"], 0);
    place.ends(&["verify", "lib.c", "lib.icsdb"], 0);
    place.refuses(&["enumerate", "lib.c"], "defines no function `main`");
    place.refuses(&["enumerate", "lib.c", "--entry", "sum"], "its `sum` is (i32, i32) -> i32");
}

#[test]
fn a_run_finds_what_it_is_given() {
    let place = Place::new();
    place.write("c.txt", "30\n");
    place.write("in.txt", "10\n");
    let given = ["--file", "conf=c.txt", "--stdin", "in.txt", "--env", "LEVEL=2"];
    let words = |command: &'static str, more: &[&'static str]| [&[command, "reads.c"], &given[..], more].concat();
    let (status, _, stderr) = place.run(&words("exec", &[]));
    assert_eq!(status, Some(134), "{stderr}");
    let stdout = place.ends(&words("check", &["-o", "found"]), 1);
    assert!(stdout.contains("confirmed[abort]"), "{stdout}");
    // What the files have now is of no importance: the contents are kept.
    place.write("c.txt", "31\n");
    place.ends(&["verify", "reads.c", "reads.icsdb"], 0);
    place.ends(&["replay", "reads.icsdb#1"], 1);
    place.ends(&["replay", "found/1.json"], 1);
    place.ends(&["check", "reads.icsdb"], 1);
    let stdout = place.ends(&words("check", &["--force"]), 0);
    assert!(stdout.contains("nothing found, for all inputs"), "{stdout}");
    // Without the file nothing else is read.
    place.ends(&["enumerate", "reads.c", "--no-file", "conf", "--force", "--json", "r.json"], 0);
    let text = std::fs::read_to_string(place.path("r.json")).expect("it was written");
    let result: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(result["totals"]["schedules"], 1, "{text}");
    let (status, ..) = place.run(&["exec", "reads.c", "--no-file", "conf"]);
    assert_eq!(status, Some(7));
    place.refuses(&["check", "reads.c", "--file", "conf"], "expected a name");
    place.refuses(&["check", "reads.c", "--file", "conf=gone.txt"], "gone.txt");
    place.refuses(&["check", "reads.c", "--stdin", "in.txt", "--sym-stdin", "4"], "one or the other");
    place.refuses(&["check", "reads.c", "--no-file", "conf", "--sym-file", "conf=4"], "given twice");
}
