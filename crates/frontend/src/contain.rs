//! Loading in a child process, because LLVM ends its process on some damaged files, and takes any time and memory for
//! others.
//!
//! The child is the current executable, started with a hidden first argument; it writes the serialised result to its
//! standard output. What a child says before it dies goes into the error. The limits of the run hold for the child,
//! too: the parent looks at its memory and at the clock while it waits. A child does not outlive its parent.

use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Instant;

use icsched_ir::Program;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Resource, Signal, getrlimit};

use crate::LoadOptions;
use crate::budgets::BUDGETS;
use crate::error::{LoadError, LoadStop};
use crate::load::{load, load_and_leave, read};

/// First argument of a child.
const REQUEST: &str = "--icsched-load-child";

/// Exit status of a Rust panic.
const PANICKED: i32 = 101;

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

/// Loads a program in a child process. The executable must call
/// [`child_main_if_requested`](crate::child_main_if_requested) first thing in `main`. Where the system gives no process
/// the program is loaded in this one, without regard to limits.
///
/// # Errors
/// Says what is wrong with the file. If LLVM crashed on it, it counts as damaged.
pub fn load_contained(path: &Path, options: &LoadOptions, limits: &LoadLimits<'_>) -> Result<Program, LoadError> {
    load_by(this_executable().as_deref(), path, options, limits)
}

/// The same, by a child that runs this executable.
fn load_by(
    executable: Result<&Path, &std::io::Error>,
    path: &Path,
    options: &LoadOptions,
    limits: &LoadLimits<'_>,
) -> Result<Program, LoadError> {
    let answer = answer_by(executable, path, options, limits)?;
    decode(&path.display().to_string(), &answer)
}

/// The program, or the error, that the answer of a child holds.
pub(crate) fn decode(name: &str, answer: &[u8]) -> Result<Program, LoadError> {
    let damaged = |e| LoadError::Internal { path: name.to_owned(), detail: format!("the child's answer: {e}") };
    postcard::from_bytes::<Result<Program, LoadError>>(answer).map_err(damaged)?
}

/// What a child answers that runs this executable.
pub(crate) fn answer_by(
    executable: Result<&Path, &std::io::Error>,
    path: &Path,
    options: &LoadOptions,
    limits: &LoadLimits<'_>,
) -> Result<Vec<u8>, LoadError> {
    let (name, _, _) = read(path)?;
    let name = options.name.clone().unwrap_or(name);
    let internal = |detail: String| LoadError::Internal { path: name.clone(), detail };
    let executable = executable.map_err(|e| internal(format!("no executable to start: {e}")))?;
    let started = Command::new(executable)
        .arg(REQUEST)
        .arg(path)
        .args([options.link_models, options.normalise, options.duplicate_code].map(flag))
        .args([options.keep_branches, options.library_locks, options.needs_entry].map(flag))
        .arg(&options.entry)
        .arg(options.may_fail.join(","))
        .args(&options.name)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = started else {
        return postcard::to_stdvec(&load(path, options)).map_err(|e| internal(format!("the answer: {e}")));
    };
    let said =
        Said::by(&mut child, limits).map_err(|e| internal(format!("cannot listen to the child process: {e}")))?;
    let status = child.wait().map_err(|e| internal(format!("cannot wait for the child process: {e}")))?;
    if let Some(stop) = said.stop {
        return Err(LoadError::Stopped { path: name, stop });
    }
    if status.success() {
        return Ok(said.answer);
    }
    Err(describe_death(name, status, &said.messages))
}

/// What this process runs, even if the file was replaced since.
pub(crate) fn this_executable() -> std::io::Result<PathBuf> {
    let running = PathBuf::from("/proc/self/exe");
    if running.exists() { Ok(running) } else { std::env::current_exe() }
}

/// What a child has written.
#[derive(Default)]
pub(crate) struct Said {
    pub(crate) answer: Vec<u8>,
    pub(crate) messages: Vec<u8>,
    /// The limit that ended it.
    pub(crate) stop: Option<LoadStop>,
}

impl Said {
    /// Reads all that a child says; if a limit is reached before it is silent, ends it.
    pub(crate) fn by(child: &mut Child, limits: &LoadLimits<'_>) -> std::io::Result<Said> {
        let mut said = Said::default();
        let (mut answer, mut messages) = (child.stdout.take(), child.stderr.take());
        while answer.is_some() || messages.is_some() {
            let pipes = answer.iter().map(AsFd::as_fd).chain(messages.iter().map(AsFd::as_fd));
            let mut waits: Vec<PollFd<'_>> = pipes.map(|pipe| PollFd::from_borrowed_fd(pipe, PollFlags::IN)).collect();
            match poll(&mut waits, Some(&BUDGETS.limits_interval)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
            let mut ready = waits.iter().map(|wait| !wait.revents().is_empty()).collect::<Vec<bool>>().into_iter();
            read_some(&mut answer, &mut said.answer, &mut ready)?;
            read_some(&mut messages, &mut said.messages, &mut ready)?;
            if let Some(stop) = limits.reached(child.id()) {
                // It may have ended by itself.
                let _ = child.kill();
                said.stop = Some(stop);
                break;
            }
        }
        Ok(said)
    }
}

/// Reads what is there, if the next of `ready` says that something is; a pipe that has ended is none any more.
fn read_some(
    pipe: &mut Option<impl Read>,
    to: &mut Vec<u8>,
    ready: &mut impl Iterator<Item = bool>,
) -> std::io::Result<()> {
    let Some(open) = pipe.as_mut().filter(|_| ready.next() == Some(true)) else { return Ok(()) };
    let mut bytes = [0; 1 << 16];
    match open.read(&mut bytes) {
        Ok(0) => *pipe = None,
        Ok(length) => to.extend_from_slice(&bytes[..length]),
        Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
        Err(error) => return Err(error),
    }
    Ok(())
}

/// Resident memory of a process.
fn resident_bytes(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1024)
}

/// Serves as the child of [`load_contained`] and ends the process, if that is what it was started for.
pub(crate) fn child_main_if_requested() {
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
    let may_fail = args.next().map(|arg| arg.to_string_lossy().into_owned()).unwrap_or_default();
    let may_fail = may_fail.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect();
    let name = args.next().map(|arg| arg.to_string_lossy().into_owned());
    let options = LoadOptions {
        link_models,
        normalise,
        duplicate_code,
        keep_branches,
        library_locks,
        needs_entry,
        may_fail,
        name,
        entry,
    };
    let serve = move || {
        let result = load_and_leave(&path, &options);
        let bytes = postcard::to_stdvec(&result).expect("programs and errors can be serialised");
        let written = std::io::stdout().write_all(&bytes).and_then(|()| std::io::stdout().flush());
        std::process::exit(i32::from(written.is_err()));
    };
    let most = getrlimit(Resource::As)
        .current
        .map_or(BUDGETS.stack_bytes, |most| BUDGETS.stack_bytes.min(most / BUDGETS.stack_share));
    let thread = std::thread::Builder::new().stack_size(usize::try_from(most).unwrap_or(usize::MAX));
    // It ends the process itself, and returns only by a panic, or if there is no such thread.
    if let Ok(served) = thread.spawn(serve.clone()) {
        let _ = served.join();
        std::process::exit(PANICKED);
    }
    serve();
}

fn flag(on: bool) -> &'static str {
    if on { "1" } else { "0" }
}

/// Words in which allocators say that there is no more memory.
const NO_MEMORY: [&str; 5] =
    ["memory allocation of", "no more memory", "out of memory", "bad_alloc", "Allocation failed"];

pub(crate) fn describe_death(path: String, status: ExitStatus, messages: &[u8]) -> LoadError {
    let messages = String::from_utf8_lossy(messages);
    // The limit of the run ends the child before this. Where the system has no limit either, one number in the file
    // asks for more than there is.
    if NO_MEMORY.iter().any(|words| messages.contains(words)) {
        let is_limited = [Resource::As, Resource::Data].iter().any(|&limit| getrlimit(limit).current.is_some());
        return match is_limited {
            true => LoadError::Stopped { path, stop: LoadStop::Memory },
            false => LoadError::Corrupt { path, detail: "reading it takes more memory than there is".to_owned() },
        };
    }
    // So ends whoever a machine, or a control group, has no more memory for.
    if status.signal() == Some(Signal::KILL.as_raw()) {
        return LoadError::Stopped { path, stop: LoadStop::Memory };
    }
    let mut lines = messages.lines().map(str::trim).filter(|line| !line.is_empty());
    if status.code() == Some(PANICKED) {
        let detail = lines.take(2).collect::<Vec<_>>().join(" ");
        return LoadError::Internal { path, detail };
    }
    let outside = [Signal::INT, Signal::TERM, Signal::HUP];
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

#[cfg(test)]
mod tests {
    use super::*;

    /// There may be no room for another process, or no right to start one.
    #[test]
    fn without_a_child_the_program_is_loaded_here() {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let path = directory.path().join("p.ll");
        let text = "target triple = \"x86_64-pc-linux-gnu\"\ndefine i32 @main() {\n  ret i32 7\n}\n";
        std::fs::write(&path, text).expect("the directory is ours");
        let options = LoadOptions { link_models: false, ..LoadOptions::default() };
        let nowhere = directory.path().join("no such executable");
        let loaded = load_by(Ok(&nowhere), &path, &options, &LoadLimits::default()).expect("a good program");
        assert_eq!(loaded, load(&path, &options).expect("a good program"));
    }

    #[test]
    fn a_child_that_is_killed_had_no_memory() {
        let died =
            |status: i32, messages: &[u8]| describe_death("p".to_owned(), ExitStatus::from_raw(status), messages);
        let is_memory = |error| matches!(error, LoadError::Stopped { stop: LoadStop::Memory, .. });
        assert!(is_memory(died(Signal::KILL.as_raw(), b"")));
        assert!(matches!(died(Signal::TERM.as_raw(), b""), LoadError::Stopped { stop: LoadStop::Interrupted, .. }));
        assert!(!is_memory(died(Signal::ABORT.as_raw(), b"LLVM ERROR: odd")));
    }
}
