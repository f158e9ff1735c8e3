//! From C files to a program that is linked with the scheduler, and from its addresses back to lines and variables.

use std::collections::HashMap;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use tempfile::TempDir;

/// The scheduler's files, which the command carries.
const SOURCES: [(&str, &str); 10] = [
    ("explorer.h", include_str!("../../native/explorer.h")),
    ("kinds.h", include_str!("../../native/kinds.h")),
    ("operations.h", include_str!("../../native/operations.h")),
    ("accesses.c", include_str!("../../native/accesses.c")),
    ("memory.c", include_str!("../../native/memory.c")),
    ("scheduler.c", include_str!("../../native/scheduler.c")),
    ("server.c", include_str!("../../native/server.c")),
    ("spin.c", include_str!("../../native/spin.c")),
    ("sync.c", include_str!("../../native/sync.c")),
    ("threads.c", include_str!("../../native/threads.c")),
];
const TIME: (&str, &str) = ("time.c", include_str!("../../native/time.c"));

/// Library functions that wait for, or create, what the scheduler does not know: with them, not all is explored.
const UNCONTROLLED: [&str; 26] = [
    "fork",
    "vfork",
    "popen",
    "system",
    "poll",
    "ppoll",
    "select",
    "pselect",
    "epoll_wait",
    "sigwait",
    "sigwaitinfo",
    "sigtimedwait",
    "sigsuspend",
    "pause",
    "pthread_kill",
    "pthread_sigqueue",
    "kill",
    "alarm",
    "setitimer",
    "timer_create",
    "pipe",
    "socketpair",
    "eventfd",
    "sem_open",
    "longjmp",
    "flockfile",
];

/// How to compile.
#[derive(Clone, Debug)]
pub(super) struct Compiler {
    /// The command.
    pub(super) command: PathBuf,
    /// Further options.
    pub(super) flags: Vec<String>,
}

impl Compiler {
    /// The first of `ICSCHED_CLANG`, `clang-22`, `clang`, `gcc` that there is.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn find() -> Result<Self> {
        let named = std::env::var_os("ICSCHED_CLANG").map(PathBuf::from);
        let candidates = named.into_iter().chain(["clang-22", "clang", "gcc"].map(PathBuf::from));
        let mut working = candidates.filter(|command| {
            Command::new(command).arg("--version").output().is_ok_and(|output| output.status.success())
        });
        let command = working.next().context("there is no clang and no gcc")?;
        Ok(Self { command, flags: Vec::new() })
    }

    fn is_clang(&self) -> bool {
        self.command.file_name().is_some_and(|name| name.to_string_lossy().contains("clang"))
    }

    /// What puts the scheduler's calls into a program.
    fn instrumentation(&self) -> &'static [&'static str] {
        if self.is_clang() {
            &["-mllvm", "-tsan-distinguish-volatile=1", "-fsanitize-coverage=trace-pc"]
        } else {
            &["--param", "tsan-distinguish-volatile=1", "-fsanitize-coverage=trace-pc"]
        }
    }
}

/// A program that the scheduler runs.
#[derive(Debug)]
pub(super) struct Program {
    directory: TempDir,
    /// The executable.
    pub(super) executable: PathBuf,
    /// Whether it cancels threads.
    pub(super) cancels: bool,
    /// Functions it calls that the scheduler does not control.
    pub(super) uncontrolled: Vec<String>,
    symbols: Vec<Symbol>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Symbol {
    address: u64,
    size: u64,
    name: String,
}

/// Runs a command that must succeed, and gives its standard output.
fn run(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot start {}", command.get_program().display()))?;
    ensure!(
        output.status.success(),
        "{} failed:\n{}",
        command.get_program().display(),
        String::from_utf8_lossy(&output.stderr).trim_end()
    );
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The scheduler as an object file, with the names of the functions that it wraps. It is kept beside this executable,
/// by the hash of its sources, so that it is compiled once.
fn scheduler() -> Result<(PathBuf, Vec<String>)> {
    let mut hasher = DefaultHasher::new();
    SOURCES.hash(&mut hasher);
    TIME.hash(&mut hasher);
    let name = format!("explore-native-{:016x}.o", hasher.finish());
    let object = std::env::current_exe()?.with_file_name(name);
    if !object.is_file() {
        let directory = tempfile::tempdir_in(object.parent().context("an executable is in a directory")?)?;
        fs::rename(build_scheduler(directory.path())?, &object)?;
    }
    let symbols = run(Command::new("nm").arg(&object))?;
    let wrapped = |line: &str| Some(line.split_whitespace().last()?.strip_prefix("__wrap_")?.to_owned());
    Ok((object, symbols.lines().filter_map(wrapped).collect()))
}

/// One object file in which nothing but what programs are to see has a global name.
fn build_scheduler(directory: &Path) -> Result<PathBuf> {
    let mut compile = Command::new("gcc");
    compile.args(["-std=gnu11", "-O1", "-g", "-fno-omit-frame-pointer", "-fno-stack-protector", "-w", "-pthread"]);
    compile.args(["-fno-builtin", "-r", "-nostdlib", "-o", "all.o"]).current_dir(directory);
    for (name, text) in SOURCES.iter().chain([&TIME]) {
        fs::write(directory.join(name), text)?;
        if name.ends_with(".c") {
            compile.arg(name);
        }
    }
    run(&mut compile)?;
    let mut hide = Command::new("objcopy");
    hide.arg("--wildcard").current_dir(directory);
    hide.args(["__wrap_*", "__tsan_*", "__sanitizer_*"].map(|name| format!("--keep-global-symbol={name}")));
    run(hide.args(["all.o", "scheduler.o"]))?;
    Ok(directory.join("scheduler.o"))
}

impl Program {
    /// Compiles and links C files.
    ///
    /// # Errors
    /// A tool is missing, or the files do not compile; the message has what the compiler said.
    pub(super) fn build(compiler: &Compiler, sources: &[PathBuf]) -> Result<Self> {
        let directory = tempfile::tempdir()?;
        let (scheduler, wrapped) = scheduler()?;
        let mut objects = Vec::new();
        for (number, source) in sources.iter().enumerate() {
            let object = directory.path().join(format!("{number}.o"));
            let mut compile = Command::new(&compiler.command);
            compile.args(["-O0", "-g", "-w", "-pthread", "-fsanitize=thread", "-fno-omit-frame-pointer"]);
            compile.args(compiler.instrumentation()).args(&compiler.flags);
            run(compile.arg("-c").arg(source).arg("-o").arg(&object))?;
            objects.push(object);
        }
        let executable = directory.path().join("program");
        let mut link = Command::new(&compiler.command);
        link.args(&objects)
            .arg(&scheduler)
            .arg("-no-pie")
            .args(wrapped.iter().map(|name| format!("-Wl,--wrap={name}")));
        run(link.args(["-pthread", "-lm", "-o"]).arg(&executable))?;
        let called = run(Command::new("nm").arg("-u").args(&objects))?;
        let calls = |name: &str| called.lines().any(|line| line.split_whitespace().last() == Some(name));
        let uncontrolled = UNCONTROLLED.iter().filter(|name| calls(name)).map(|&name| name.to_owned()).collect();
        let cancels = calls("pthread_cancel");
        let symbols = symbols(&run(Command::new("nm").args(["-S", "-n"]).arg(&executable))?);
        Ok(Self { directory, executable, cancels, uncontrolled, symbols })
    }

    /// A directory of its own, which is removed with it.
    pub(super) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// The variable at an address, with the offset in it; `None` on the heap and on stacks.
    pub(super) fn variable(&self, address: u64) -> Option<(&str, u64)> {
        let after = self.symbols.partition_point(|symbol| symbol.address <= address);
        let symbol = self.symbols[..after].last().filter(|symbol| address < symbol.address + symbol.size)?;
        Some((&symbol.name, address - symbol.address))
    }

    /// Whether it has a variable of this name, also a static one of a function.
    pub(super) fn has_variable(&self, name: &str) -> bool {
        self.symbols.iter().any(|symbol| is_called(&symbol.name, name))
    }

    /// The thread whose life an address is of, as operations on threads have it.
    pub(super) fn thread_at(&self, address: u64) -> Option<u64> {
        let table = self.symbols.iter().find(|symbol| {
            symbol.name == "explore_native_threads"
                && symbol.address <= address
                && address < symbol.address + symbol.size
        })?;
        Some((address - table.address) / (table.size / MOST_THREADS))
    }
}

/// As in `explorer.h`.
const MOST_THREADS: u64 = 64;

/// Variables that `nm -S -n` lists, by address.
fn symbols(text: &str) -> Vec<Symbol> {
    let symbol = |line: &str| {
        let [address, size, kind, name] = line.split_whitespace().collect::<Vec<_>>()[..] else { return None };
        let number = |text| u64::from_str_radix(text, 16).ok();
        let is_data = "bBdDrRuV".contains(kind);
        is_data.then_some(Symbol { address: number(address)?, size: number(size)?, name: name.to_owned() })
    };
    text.lines().filter_map(symbol).collect()
}

/// Whether a symbol is of the variable: static ones of functions are `f.x` or `x.1`.
pub(super) fn is_called(symbol: &str, variable: &str) -> bool {
    symbol == variable || symbol.split('.').any(|part| part == variable)
}

/// Lines of addresses, from `addr2line`.
#[derive(Debug)]
pub(super) struct Lines {
    known: HashMap<u64, String>,
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Lines {
    /// # Errors
    /// `addr2line` does not start.
    pub(super) fn of(executable: &Path) -> Result<Self> {
        let mut command = Command::new("addr2line");
        command.arg("-e").arg(executable).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().context("cannot start addr2line")?;
        let questions = child.stdin.take().expect("it is piped");
        let answers = BufReader::new(child.stdout.take().expect("it is piped"));
        Ok(Self { known: HashMap::new(), child, questions, answers })
    }

    /// `file.c:12` of the call that returns to an address; empty if there is none.
    pub(super) fn of_call(&mut self, caller: u64) -> String {
        if caller == 0 {
            return String::new();
        }
        if let Some(known) = self.known.get(&caller) {
            return known.clone();
        }
        let line = self.ask(caller - 1).unwrap_or_default();
        self.known.insert(caller, line.clone());
        line
    }

    fn ask(&mut self, address: u64) -> Option<String> {
        writeln!(self.questions, "{address:#x}").ok()?;
        self.questions.flush().ok()?;
        let mut line = String::new();
        self.answers.read_line(&mut line).ok()?;
        let line = line.trim().split(" (").next()?.to_owned();
        let name = line.rsplit('/').next()?.to_owned();
        (!name.starts_with("??")).then_some(name)
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        // It has nothing to lose.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_listed() {
        let text = "0000000000401000 0000000000000010 T main\n0000000000404010 0000000000000028 b lock\n0000000000404040 B end\n";
        let expected = Symbol { address: 0x404010, size: 0x28, name: "lock".to_owned() };
        assert_eq!(symbols(text), [expected]);
    }
}
