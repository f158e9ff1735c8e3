//! Compiles the models for this machine, so that tests can look at them and run them.

#![allow(dead_code, reason = "each test uses a part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// `math.c` is left out of what is run: natively its instructions become calls of the functions it defines.
const NOT_RUN: &str = "math";

/// The object file of every model, in a directory that is removed in the end.
pub(crate) struct Objects {
    directory: tempfile::TempDir,
    files: Vec<String>,
}

fn models() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../runtime-models")
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn compiler() -> Command {
    let clang = std::env::var("ICSCHED_CLANG").unwrap_or_else(|_| "clang-22".to_owned());
    let mut command = Command::new(clang);
    command.args(["-O1", "-fno-builtin", "-D_GNU_SOURCE"]);
    command
}

impl Objects {
    /// Compiles every file; a warning is an error.
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut files: Vec<String> = std::fs::read_dir(models())
            .expect("runtime-models exists")
            .map(|entry| entry.expect("a readable entry").path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
            .map(|path| path.file_stem().expect("it has an extension").to_string_lossy().into_owned())
            .collect();
        files.sort();
        let objects = Objects { directory, files };
        for file in &objects.files {
            let source = models().join(format!("{file}.c"));
            run(compiler().args(["-Wall", "-Werror", "-c"]).arg(source).arg("-o").arg(objects.object(file)));
        }
        objects
    }

    /// Names of the source files, without extension, sorted.
    pub(crate) fn files(&self) -> &[String] {
        &self.files
    }

    fn object(&self, file: &str) -> PathBuf {
        self.directory.path().join(format!("{file}.o"))
    }

    /// The global symbols of one file with the letter `nm` gives them.
    pub(crate) fn defined(&self, file: &str) -> Vec<(String, char)> {
        let output = run(Command::new("nm").args(["--defined-only", "-g"]).arg(self.object(file)));
        let text = String::from_utf8(output.stdout).expect("symbols are text");
        let symbol = |line: &str| {
            let mut words = line.split_whitespace().skip(1);
            let kind = words.next()?.chars().next()?;
            Some((words.next()?.to_owned(), kind))
        };
        text.lines().filter_map(symbol).collect()
    }

    /// Renames all that the models define, links it with a check and runs that.
    pub(crate) fn run_check(&self, name: &str) -> Output {
        let directory = self.directory.path();
        let run_files = || self.files.iter().filter(|file| *file != NOT_RUN);
        let mut renamed = String::new();
        for (symbol, _) in run_files().flat_map(|file| self.defined(file)) {
            renamed.push_str(&format!("{symbol} m_{symbol}\n"));
        }
        let list = directory.join("renamed");
        std::fs::write(&list, renamed).expect("the list can be written");
        let mut link = compiler();
        link.arg("-w");
        for file in run_files() {
            let to = directory.join(format!("m_{file}.o"));
            run(Command::new("objcopy").arg("--redefine-syms").arg(&list).arg(self.object(file)).arg(&to));
            link.arg(to);
        }
        let sources = models().join("tests");
        let program = directory.join(name);
        link.args([sources.join(format!("{name}.c")), sources.join("engine.c")]);
        run(link.args(["-lm", "-lpthread", "-o"]).arg(&program));
        Command::new(&program).current_dir(directory).output().expect("the check runs")
    }
}
