//! Damaged files: whatever is in a file, the command ends by itself with an error message or a result.
//!
//! A seed decides which file is damaged and how; `docs/testing.md` says how to search further seeds.

mod damage;

use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use damage::{Numbers, damage};
use tempfile::TempDir;

/// What the commands may use; what they do not bound themselves shows as a violation.
const LIMITS: [&str; 6] = ["--timeout", "2s", "--max-memory", "512MiB", "--max-instructions", "3000000"];

/// Kibibytes of address space: two stacks of one gibibyte, and much more than [`LIMITS`] says.
const ADDRESS_SPACE: u32 = 6 << 20;

/// A command that runs longer hangs.
const HANGS: Duration = Duration::from_secs(60);

/// Programs of `c-tests` that use much of the language, and what they are compiled with.
const PROGRAMS: [(&str, &[&str]); 7] = [
    ("language/jumps.c", &["-O1", "-g"]),
    ("language/bit_fields.c", &["-O0", "-g"]),
    ("language/varargs.c", &["-O2"]),
    ("language/inline_assembly.c", &["-O1", "-g"]),
    ("language/struct_values.c", &["-O2", "-g"]),
    ("sync/c11_threads.c", &["-O0"]),
    ("sync/barrier.c", &["-O1", "-g"]),
];

/// What a file is for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Form {
    Program,
    Database,
}

/// Sound files to damage.
struct Subjects {
    work: TempDir,
    files: Vec<(Form, PathBuf)>,
}

impl Subjects {
    /// Programs as bitcode and as text, databases, and the bitcode files in a directory.
    fn new(more: Option<&Path>) -> Self {
        let mut subjects = Self { work: TempDir::new().expect("a directory can be made"), files: Vec::new() };
        for (i, (source, options)) in PROGRAMS.iter().enumerate() {
            let form = if i == 1 { ["-S"] } else { ["-c"] };
            let file = subjects.work.path().join(format!("{i}.bc"));
            compile(source, &[options, &form[..]].concat(), &file);
            subjects.files.push((Form::Program, file.clone()));
            if source.starts_with("sync") {
                let database = file.with_extension("icsdb");
                let made = icsched(&["enumerate", text(&file), "-o", text(&database), "--quiet"]);
                assert_eq!(made.status, Some(0), "{}", made.stderr);
                subjects.files.push((Form::Database, database));
            }
        }
        let entries =
            more.map(|more| std::fs::read_dir(more).expect("the directory can be read")).into_iter().flatten();
        let mut others: Vec<PathBuf> = entries.map(|entry| entry.expect("it can be read").path()).collect();
        others.retain(|path| path.extension().is_some_and(|e| e == "bc" || e == "ll"));
        others.sort();
        subjects.files.extend(others.into_iter().map(|path| (Form::Program, path)));
        subjects
    }

    /// Damages a file and gives it to the commands that read such files. Says what went wrong.
    fn check(&self, seed: u64) -> Result<Vec<Option<i32>>, Violation> {
        let mut numbers = Numbers::new(seed);
        let (form, source) = &self.files[numbers.below(self.files.len())];
        let mut bytes = std::fs::read(source).expect("it was written for this test");
        let how = damage(&mut bytes, &mut numbers);
        let file = self.work.path().join("damaged");
        std::fs::write(&file, &bytes).expect("the directory is ours");
        let name = text(&file);
        let database = self.work.path().join("damaged.icsdb");
        let enumerate = [&["enumerate", name, "-o", text(&database), "--max-paths", "5"], &LIMITS[..], &["--", "@2"]];
        let commands: Vec<Vec<&str>> = match form {
            Form::Database => ["text", "json", "html", "svg", "dot"].map(|f| vec!["show", name, "--format", f]).into(),
            Form::Program => vec![
                vec!["inspect", "ir", name, "--check"],
                [&["exec", name], &LIMITS[..], &["--", "3"]].concat(),
                enumerate.concat(),
            ],
        };
        let mut statuses = Vec::new();
        for command in commands {
            let ended = icsched(&command);
            if let Some(what) = ended.wrong(command[0]) {
                let what = format!("{} of {how} {}: {what}", command[0], source.display());
                return Err(Violation { what, bytes });
            }
            statuses.push(ended.status);
            if command[0] == "inspect" && ended.status != Some(0) {
                break;
            }
        }
        Ok(statuses)
    }
}

/// A file that a command cannot stand.
struct Violation {
    what: String,
    bytes: Vec<u8>,
}

fn text(path: &Path) -> &str {
    path.to_str().expect("paths of tests are text")
}

fn compile(source: &str, options: &[&str], to: &Path) {
    let clang = std::env::var("ICSCHED_CLANG").unwrap_or_else(|_| "clang-22".to_owned());
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../c-tests").join(source);
    let status = Command::new(clang).args(["-w", "-emit-llvm"]).args(options).arg(source).arg("-o").arg(to).status();
    assert!(status.expect("clang can be started").success());
}

/// How a command ended.
struct Ended {
    /// `None` after a signal or when it had to be killed.
    status: Option<i32>,
    signal: Option<i32>,
    stderr: String,
    hangs: bool,
}

impl Ended {
    /// What is wrong with that, for a subcommand.
    fn wrong(&self, command: &str) -> Option<String> {
        let first = || self.stderr.lines().take(3).collect::<Vec<_>>().join(" | ");
        if self.hangs {
            return Some(format!("still runs after {HANGS:?}: {}", first()));
        }
        if let Some(signal) = self.signal {
            return Some(format!("ended by signal {signal}: {}", first()));
        }
        if ["icsched has a bug", "internal error", "memory allocation of"].iter().any(|w| self.stderr.contains(w)) {
            return Some(first());
        }
        // A program that is executed may end with any status and say anything.
        let status = self.status.unwrap_or(-1);
        if command != "exec" && !(0..=3).contains(&status) {
            return Some(format!("status {status}: {}", first()));
        }
        let errors = self.stderr.lines().filter(|line| line.starts_with("error[")).count();
        let stopped = status == 3 && self.stderr.contains("loading was stopped");
        (command != "exec" && errors != usize::from(status == 2 || stopped))
            .then(|| format!("status {status}: {}", first()))
    }
}

fn icsched(words: &[&str]) -> Ended {
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -v {ADDRESS_SPACE}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_icsched")])
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell can be started");
    let mut pipe = child.stderr.take().expect("it is a pipe");
    let reader = std::thread::spawn(move || {
        let mut said = Vec::new();
        // What can be read of it is enough.
        let _ = pipe.by_ref().take(1 << 20).read_to_end(&mut said);
        let _ = std::io::copy(&mut pipe, &mut std::io::sink());
        String::from_utf8_lossy(&said).into_owned()
    });
    let started = Instant::now();
    let mut hangs = false;
    while !hangs && child.try_wait().expect("it is our child").is_none() {
        hangs = started.elapsed() > HANGS;
        std::thread::sleep(Duration::from_millis(2));
    }
    if hangs {
        // It may have ended just now.
        let _ = child.kill();
    }
    let status = child.wait().expect("it is our child");
    let stderr = reader.join().expect("the reader does not panic");
    Ended { status: status.code(), signal: status.signal(), stderr, hangs }
}

#[test]
fn the_first_seeds_end_with_a_message() {
    let subjects = Subjects::new(None);
    let mut all = Vec::new();
    for seed in 0..test_sample::of(15, 60) {
        match subjects.check(seed) {
            Ok(statuses) => all.push(statuses),
            Err(violation) => panic!("seed {seed}: {}", violation.what),
        }
    }
    // Some damage is refused, some does not matter.
    assert!(all.iter().any(|s| s[0] == Some(2)) && all.iter().any(|s| s[0] == Some(0)), "{all:?}");
}

/// Checks the seeds of `ICSCHED_SEEDS` (`FIRST..LAST`), with the bitcode files in the directory `ICSCHED_FILES`, if
/// there is one, and keeps the files that a command cannot stand in the directory `ICSCHED_FOUND`.
#[test]
#[ignore = "runs as long as it is told to"]
fn search_for_violations() {
    let number = |text: &str| text.parse::<u64>().expect("ICSCHED_SEEDS is FIRST..LAST");
    let seeds = std::env::var("ICSCHED_SEEDS").unwrap_or_else(|_| "0..1000".to_owned());
    let (first, last) = seeds.split_once("..").expect("ICSCHED_SEEDS is FIRST..LAST");
    let found = std::env::var_os("ICSCHED_FOUND").map_or_else(std::env::temp_dir, PathBuf::from);
    std::fs::create_dir_all(&found).expect("the directory can be made");
    let files = std::env::var_os("ICSCHED_FILES").map(PathBuf::from);
    let subjects = Subjects::new(files.as_deref());
    let mut out = std::io::stderr();
    let (mut refused, mut read, mut wrong) = (0, 0, 0);
    for seed in number(first)..number(last) {
        match subjects.check(seed) {
            Ok(statuses) if statuses[0] == Some(0) => read += 1,
            Ok(_) => refused += 1,
            Err(violation) => {
                wrong += 1;
                let _ = writeln!(out, "seed {seed}: {}", violation.what);
                std::fs::write(found.join(format!("damaged-{seed}")), violation.bytes).expect("it can be written");
            }
        }
    }
    let _ = writeln!(out, "{refused} refused, {read} read, {wrong} violations");
    assert_eq!(wrong, 0, "see {}", found.display());
}
