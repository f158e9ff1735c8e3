//! The process that waits for the one that works.
#![expect(unsafe_code, reason = "a process that has not started threads yet may go on as two")]

use std::io::{PipeReader, Read as _};
use std::os::fd::AsFd as _;
use std::time::Instant;

use icsched_driver::config::Limit;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Resource, Signal, WaitOptions, WaitStatus, getrlimit, kill_process, waitpid};

use super::news::{Cause, Heard};
use super::signals;
use super::tell::be_child;
use crate::args::{Cli, Command};
use crate::grace::time_to_stop;
use crate::last;
use crate::status::{INTERRUPTED, Status};

/// Time between two looks at signals and the clock.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };

/// A child that has not ended by itself at a limit is ended after as many times the time that it has to do so, and as
/// much more: by then it must have been ended by its own watch, if it has one.
const PATIENCE: u32 = 4;

/// A child that does the work.
pub(crate) struct Child {
    process: Pid,
    news: PipeReader,
    started: Instant,
}

/// Has a command that may take long done by a child. `None` in the child, and where there is none.
pub(crate) fn divide(command: &Command) -> Option<Child> {
    signals::go_on_at_full_files();
    signals::wait_for_children();
    let takes_long = match command {
        Command::Enumerate(_)
        | Command::Check(_)
        | Command::Replay(_)
        | Command::Symex(_)
        | Command::Exec(_)
        | Command::Verify(_)
        | Command::Inspect { .. } => true,
        Command::Show(_) | Command::Experiment(_) => false,
    };
    let (news, to_parent) = if takes_long { std::io::pipe().ok()? } else { return None };
    // Before there are two: none of them is to be without. Where that is refused, signals have their usual effects.
    let _ = signals::note_requests();
    let own = rustix::process::getpid();
    match fork() {
        Fork::Parent(process) => Some(Child { process, news, started: Instant::now() }),
        Fork::Child => {
            // Without it (on other systems) a child goes on alone.
            let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
            if rustix::process::getppid() != Some(own) {
                std::process::exit(INTERRUPTED);
            }
            be_child(to_parent);
            None
        }
        Fork::None => None,
    }
}

enum Fork {
    Parent(Pid),
    Child,
    None,
}

fn fork() -> Fork {
    // SAFETY: there is one thread, so that the child finds no lock that is held by another one.
    let process = unsafe { libc::fork() };
    match Pid::from_raw(process) {
        Some(child) if process > 0 => Fork::Parent(child),
        Some(_) => Fork::None,
        None => Fork::Child,
    }
}

/// What a child has been told, and when.
#[derive(Default)]
struct Told {
    to_stop: Option<Instant>,
    to_end: bool,
}

impl Child {
    /// Waits for the child; says what it can if the child has not.
    pub(crate) fn wait(mut self, cli: &Cli) -> Status {
        let (grace, timeout) = time_to_stop(&cli.command);
        let end = timeout.and_then(|timeout| self.started.checked_add(timeout));
        let (mut heard, mut told, mut text) = (Heard::default(), Told::default(), Vec::new());
        while self.listen(&mut text) {
            heard.take(&mut text);
            self.hand_on_signals(&mut told);
            let since = [end, told.to_stop].into_iter().flatten().min();
            let is_late = |since: Instant| Instant::now().saturating_duration_since(since) >= grace * PATIENCE;
            let is_at_result = heard.is_writing || heard.is_printing;
            if since.is_some_and(is_late) && !is_at_result && !told.to_end {
                heard.limit = Some(if told.to_stop == since { Limit::Interrupted } else { Limit::Time });
                self.kill(Signal::KILL, &mut told);
            }
        }
        heard.take(&mut text);
        // What follows may take long, too, where nobody reads it.
        signals::end_at_second();
        let ended = waitpid(Some(self.process), WaitOptions::empty());
        let status = ended.ok().flatten().map(|(_, status)| status);
        if told.to_end && heard.limit.is_none() {
            return Status::Program(u8::try_from(INTERRUPTED).expect("it is 130"));
        }
        match cause(status, &heard) {
            Ended::Itself(status) => Status::Program(status),
            Ended::Not(cause) => last::result(cli, &cause, &heard),
        }
    }

    /// Waits a moment for news. Whether there may be more.
    fn listen(&mut self, text: &mut Vec<u8>) -> bool {
        let mut wait = [PollFd::from_borrowed_fd(self.news.as_fd(), PollFlags::IN)];
        if poll(&mut wait, Some(&LOOK)).is_err() || wait[0].revents().is_empty() {
            // A signal, or nothing.
            return true;
        }
        let mut bytes = [0; 1 << 12];
        match self.news.read(&mut bytes) {
            Ok(0) => false,
            Ok(length) => {
                text.extend_from_slice(&bytes[..length]);
                true
            }
            Err(error) => error.kind() == std::io::ErrorKind::Interrupted,
        }
    }

    /// The first request asks the child to stop, the second one ends it.
    fn hand_on_signals(&self, told: &mut Told) {
        if signals::are_there() && told.to_stop.is_none() {
            told.to_stop = Some(Instant::now());
            self.kill(Signal::TERM, &mut Told::default());
        }
        if signals::are_repeated() && !told.to_end {
            self.kill(Signal::KILL, told);
        }
    }

    fn kill(&self, signal: Signal, told: &mut Told) {
        told.to_end |= signal == Signal::KILL;
        // It may have ended meanwhile.
        let _ = kill_process(self.process, signal);
    }
}

/// How a child has ended.
#[derive(PartialEq, Eq, Debug)]
enum Ended {
    /// With a result, or a message that says why there is none.
    Itself(u8),
    /// Without.
    Not(Cause),
}

fn cause(status: Option<WaitStatus>, heard: &Heard) -> Ended {
    if let Some(limit) = heard.limit {
        return Ended::Not(Cause::Limit(limit));
    }
    let Some(status) = status else { return Ended::Not(Cause::Bug) };
    let signal = match (status.exit_status(), status.terminating_signal()) {
        (Some(_), _) if heard.is_bug => return Ended::Not(Cause::Bug),
        (Some(status), _) => return Ended::Itself(status.to_le_bytes()[0]),
        (None, signal) => signal.unwrap_or(0),
    };
    let is_limited = || [Resource::As, Resource::Data].iter().any(|&limit| getrlimit(limit).current.is_some());
    Ended::Not(match signal {
        _ if signal == Signal::KILL.as_raw() => Cause::Killed,
        _ if signal == Signal::XCPU.as_raw() => Cause::ProcessorTime,
        // So a library ends that gets no memory.
        _ if signal == Signal::ABORT.as_raw() && is_limited() => Cause::Limit(Limit::Memory),
        _ => Cause::Died(signal),
    })
}
