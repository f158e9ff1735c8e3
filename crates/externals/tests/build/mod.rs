//! Compiles the models for this machine, so that tests can look at them and run them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// `math.c` is left out of what is run: natively its instructions become calls of the functions it defines.
const NOT_RUN: &str = "math";

/// What all tests that run at the same time use; compiling takes longer than most of them.
static SHARED: Mutex<Weak<Objects>> = Mutex::new(Weak::new());

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
    /// The files, compiled unless another test has them.
    pub(crate) fn shared() -> Arc<Self> {
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.upgrade().unwrap_or_else(|| {
            let made = Arc::new(Self::new());
            *shared = Arc::downgrade(&made);
            made
        })
    }

    /// Compiles every file, and renames all that the models define; a warning is an error.
    fn new() -> Self {
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
        let mut renamed = String::new();
        for (symbol, _) in objects.run_files().flat_map(|file| objects.defined(file)) {
            renamed.push_str(&format!("{symbol} m_{symbol}\n"));
        }
        let list = objects.directory.path().join("renamed");
        std::fs::write(&list, renamed).expect("the list can be written");
        for file in objects.run_files() {
            let (from, to) = (objects.object(file), objects.renamed(file));
            run(Command::new("objcopy").arg("--redefine-syms").arg(&list).arg(from).arg(to));
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

    fn run_files(&self) -> impl Iterator<Item = &String> {
        self.files.iter().filter(|file| *file != NOT_RUN)
    }

    /// The object file with the names that the checks call.
    fn renamed(&self, file: &str) -> PathBuf {
        self.directory.path().join(format!("m_{file}.o"))
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

    /// Links the renamed models with a check, and runs that in a directory of its own.
    pub(crate) fn run_check(&self, name: &str) -> Output {
        let place = tempfile::tempdir_in(self.directory.path()).expect("a directory in that one");
        let mut link = compiler();
        link.arg("-w").args(self.run_files().map(|file| self.renamed(file)));
        let sources = models().join("tests");
        let program = place.path().join(name);
        link.args([sources.join(format!("{name}.c")), sources.join("engine.c")]);
        run(link.args(["-lm", "-lpthread", "-o"]).arg(&program));
        Command::new(&program).current_dir(place.path()).output().expect("the check runs")
    }
}
