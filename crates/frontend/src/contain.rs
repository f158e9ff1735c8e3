//! Loading in a child process, because LLVM ends its process on some damaged files, and takes any time and memory for
//! others.
//!
//! The child is the current executable, started with a hidden first argument; it writes the serialised result to its
//! standard output. What a child says before it dies goes into the error. The limits of the run hold for the child, too:
//! the parent looks at its memory and at the clock while it waits. A child does not outlive its parent.

use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use icsched_ir::Program;
use rustix::process::Signal;

use crate::LoadOptions;
use crate::error::{LoadError, LoadStop};
use crate::load::{load_and_leave, read};

/// First argument of a child.
const REQUEST: &str = "--icsched-load-child";

/// Exit status of a Rust panic.
const PANICKED: i32 = 101;

/// Time between two looks at the limits.
const LOOK: Duration = Duration::from_millis(10);

/// Address space for the child's stack: LLVM and the lowering recurse over what is nested in a file.
const STACK: usize = 1 << 30;

/// What may end loading early.
#[derive(Copy, Clone, Default)]
pub struct LoadLimits<'a> {
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Most bytes of resident memory of the child.
    pub memory: Option<u64>,
    /// Whether somebody wants it to stop, and why.
    pub cancelled: Option<&'a dyn Fn() -> Option<LoadStop>>,
}

impl LoadLimits<'_> {
    fn reached(&self, child: u32) -> Option<LoadStop> {
        if let Some(stop) = self.cancelled.and_then(|cancelled| cancelled()) {
            return Some(stop);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(LoadStop::Time);
        }
        let resident = || resident_bytes(child).unwrap_or(0);
        self.memory.is_some_and(|most| resident() > most).then_some(LoadStop::Memory)
    }
}

/// Loads a program in a child process. The executable must call [`child_main_if_requested`] first thing in `main`.
///
/// # Errors
/// Says what is wrong with the file. If LLVM crashed on it, it counts as damaged.
pub fn load_contained(path: &Path, options: &LoadOptions, limits: &LoadLimits<'_>) -> Result<Program, LoadError> {
    let answer = answer_contained(path, options, limits)?;
    decode(&path.display().to_string(), &answer)
}

/// The program, or the error, that the answer of a child holds.
pub(crate) fn decode(name: &str, answer: &[u8]) -> Result<Program, LoadError> {
    let damaged = |e| LoadError::Internal { path: name.to_owned(), detail: format!("the child's answer: {e}") };
    postcard::from_bytes::<Result<Program, LoadError>>(answer).map_err(damaged)?
}

/// What a child answers.
pub(crate) fn answer_contained(
    path: &Path,
    options: &LoadOptions,
    limits: &LoadLimits<'_>,
) -> Result<Vec<u8>, LoadError> {
    let (name, _, _) = read(path)?;
    let internal = |detail: String| LoadError::Internal { path: name.clone(), detail };
    let executable = this_executable().map_err(|e| internal(format!("no executable to start: {e}")))?;
    let mut child = Command::new(executable)
        .arg(REQUEST)
        .arg(path)
        .args([options.link_models, options.normalise, options.duplicate_code].map(flag))
        .args([options.keep_branches, options.library_locks, options.needs_entry].map(flag))
        .arg(&options.entry)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| internal(format!("cannot start a child process: {e}")))?;
    let said = drain(child.stderr.take());
    let answer = drain(child.stdout.take());
    let (answer, stop) = wait_for(&answer, &mut child, limits);
    let status = child.wait().map_err(|e| internal(format!("cannot wait for the child process: {e}")))?;
    if let Some(stop) = stop {
        return Err(LoadError::Stopped { path: name, stop });
    }
    if status.success() {
        return Ok(answer);
    }
    Err(describe_death(name, status, &said.recv().unwrap_or_default()))
}

/// What this process runs, even if the file was replaced since.
pub(crate) fn this_executable() -> std::io::Result<PathBuf> {
    let running = PathBuf::from("/proc/self/exe");
    if running.exists() { Ok(running) } else { std::env::current_exe() }
}

/// Reads a pipe to its end, in a thread of its own.
fn drain(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        // A pipe that breaks has ended, too; the child's status says why.
        let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
        // Nobody waits any more for what was stopped.
        let _ = sender.send(bytes);
    });
    receiver
}

/// What the child answers; if a limit is reached before it does, ends it.
fn wait_for(answer: &Receiver<Vec<u8>>, child: &mut Child, limits: &LoadLimits<'_>) -> (Vec<u8>, Option<LoadStop>) {
    loop {
        match answer.recv_timeout(LOOK) {
            Ok(bytes) => return (bytes, None),
            Err(RecvTimeoutError::Disconnected) => return (Vec::new(), None),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(stop) = limits.reached(child.id()) {
            // It may have ended by itself.
            let _ = child.kill();
            return (Vec::new(), Some(stop));
        }
    }
}

/// Resident memory of a process.
fn resident_bytes(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

/// Serves as the child of [`load_contained`] and ends the process, if that is what it was started for.
pub fn child_main_if_requested() {
    let mut args = std::env::args_os().skip(1);
    if args.next().as_deref() != Some(REQUEST.as_ref()) {
        return;
    }
    // Without it (on other systems) the child ends when it writes its answer.
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    let path = PathBuf::from(args.next().unwrap_or_default());
    let mut flag = || args.next().is_some_and(|arg| arg == "1");
    let (link_models, normalise, duplicate_code) = (flag(), flag(), flag());
    let (keep_branches, library_locks, needs_entry) = (flag(), flag(), flag());
    let entry = args.next().map_or_else(|| "main".to_owned(), |arg| arg.to_string_lossy().into_owned());
    let options =
        LoadOptions { link_models, normalise, duplicate_code, keep_branches, library_locks, needs_entry, entry };
    let serve = move || {
        let result = load_and_leave(&path, &options);
        let bytes = postcard::to_stdvec(&result).expect("programs and errors can be serialised");
        let written = std::io::stdout().write_all(&bytes).and_then(|()| std::io::stdout().flush());
        std::process::exit(i32::from(written.is_err()));
    };
    // The closure ends the process itself, and returns only by a panic, or if there is no such thread.
    let served = std::thread::Builder::new().stack_size(STACK).spawn(serve).map(std::thread::JoinHandle::join);
    std::process::exit(if matches!(served, Ok(Err(_))) { PANICKED } else { 1 });
}

fn flag(on: bool) -> &'static str {
    if on { "1" } else { "0" }
}

/// Words in which allocators say that there is no more memory.
const NO_MEMORY: [&str; 4] = ["memory allocation of", "out of memory", "bad_alloc", "Allocation failed"];

fn describe_death(path: String, status: ExitStatus, messages: &[u8]) -> LoadError {
    let messages = String::from_utf8_lossy(messages);
    // The limit of the run ends the child before this; here one number in the file asks for more than there is.
    if NO_MEMORY.iter().any(|words| messages.contains(words)) {
        return LoadError::Corrupt { path, detail: "reading it takes more memory than there is".to_owned() };
    }
    let mut lines = messages.lines().map(str::trim).filter(|line| !line.is_empty());
    if status.code() == Some(PANICKED) {
        let detail = lines.take(2).collect::<Vec<_>>().join(" ");
        return LoadError::Internal { path, detail };
    }
    let outside = [Signal::INT, Signal::TERM, Signal::HUP, Signal::KILL];
    if status.signal().is_some_and(|number| outside.iter().any(|signal| signal.as_raw() == number)) {
        return LoadError::Stopped { path, stop: LoadStop::Interrupted };
    }
    let detail = match lines.find(|line| line.contains("LLVM ERROR") || line.contains("Assertion")) {
        Some(line) => line.trim_start_matches("LLVM ERROR:").trim().to_owned(),
        None => format!("LLVM could not read it ({})", how_it_ended(status)),
    };
    LoadError::Corrupt { path, detail }
}

fn how_it_ended(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("signal {signal}"),
        (None, Some(code)) => format!("exit status {code}"),
        (None, None) => "unknown end".to_owned(),
    }
}
