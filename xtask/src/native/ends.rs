//! The ends that runs come to, each with one order that leads there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use super::build::{Lines, Program};
use super::trace::{Kind, Operation, Pending, Run, RunEnd, State, Step, TIMED_OUT};

/// Where a thread is and what it is on, in the program's words.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub(super) struct Place {
    /// Number of the thread, in the order of creation.
    pub(super) thread: u64,
    /// What it does or is blocked in.
    pub(super) op: String,
    /// What it is on; empty if it is on nothing.
    pub(super) object: String,
    /// `file.c:12`; empty where there is no line.
    pub(super) at: String,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "T{} {}", self.thread, self.op)?;
        if !self.object.is_empty() {
            write!(f, "({})", self.object)?;
        }
        if self.at.is_empty() { Ok(()) } else { write!(f, " at {}", self.at) }
    }
}

/// How an execution ends.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(super) enum End {
    /// The process exits.
    Exit {
        /// Its status, of eight bits.
        status: i32,
    },
    /// The process aborts.
    Abort {
        /// Where.
        at: String,
    },
    /// A signal ends the process: an access of memory that is not there, a division by zero.
    Crash {
        /// Its number.
        signal: i32,
        /// Where; empty if nobody knows.
        at: String,
    },
    /// These threads wait for ever, and no other lives.
    Deadlock {
        /// By thread.
        blocked: Vec<Place>,
    },
    /// These threads loop for ever.
    Endless {
        /// Those that loop: without a call, or through the same calls in the same state.
        looping: Vec<Place>,
        /// Those that wait.
        blocked: Vec<Place>,
    },
}

impl End {
    /// Whether it is one that no program wants.
    pub(super) fn is_bad(&self) -> bool {
        !matches!(self, End::Exit { .. })
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |places: &[Place]| {
            let names: Vec<_> = places.iter().map(|place| format!("T{}", place.thread)).collect();
            match names.split_last() {
                Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
                _ => names.concat(),
            }
        };
        match self {
            End::Exit { status } => write!(f, "exits with status {status}"),
            End::Abort { at } => write!(f, "aborts at {at}"),
            End::Crash { signal, at } if at.is_empty() => write!(f, "is ended by signal {signal}"),
            End::Crash { signal, at } => write!(f, "is ended by signal {signal} at {at}"),
            End::Deadlock { blocked } => write!(f, "ends in a deadlock of {}", names(blocked)),
            End::Endless { looping, .. } => write!(f, "goes on for ever in {}", names(looping)),
        }
    }
}

/// Names what runs are about.
#[derive(Debug)]
pub(super) struct Names<'a> {
    program: &'a Program,
    operations: &'a [Operation],
    lines: Lines,
}

impl<'a> Names<'a> {
    /// # Errors
    /// `addr2line` does not start.
    pub(super) fn new(program: &'a Program, operations: &'a [Operation]) -> anyhow::Result<Self> {
        Ok(Self { program, operations, lines: Lines::of(&program.executable)? })
    }

    /// The operation of a thread.
    pub(super) fn operation(&self, pending: &Pending) -> &'a Operation {
        &self.operations[pending.operation]
    }

    /// `file.c:12` of a call.
    pub(super) fn line(&mut self, pending: &Pending) -> String {
        self.lines.of_call(pending.caller)
    }

    /// The thread that an operation is about.
    pub(super) fn thread_of(&self, pending: &Pending) -> Option<u64> {
        self.program.thread_at(pending.object)
    }

    /// The variable that an operation is on, with the offset in it.
    pub(super) fn variable(&self, address: u64) -> Option<(&'a str, u64)> {
        self.program.variable(address)
    }

    /// Whether the program has a variable of this name.
    pub(super) fn has_variable(&self, name: &str) -> bool {
        self.program.has_variable(name)
    }

    /// What an address is of: `lock`, `locks+40`, `thread 2`; else where it was used first.
    fn object(&mut self, address: u64, steps: &[Step]) -> String {
        if address == 0 {
            return String::new();
        }
        if let Some(thread) = self.program.thread_at(address) {
            return format!("thread {thread}");
        }
        match self.program.variable(address) {
            Some((name, 0)) => name.to_owned(),
            Some((name, offset)) => format!("{name}+{offset}"),
            None => {
                let first = steps.iter().map(Step::pending).find(|pending| pending.object == address);
                let at = first.map(|pending| self.line(pending)).unwrap_or_default();
                if at.is_empty() { "memory".to_owned() } else { format!("memory used first at {at}") }
            }
        }
    }

    /// Where a thread is.
    pub(super) fn place(&mut self, pending: &Pending, steps: &[Step]) -> Place {
        let operation = self.operation(pending);
        Place {
            thread: pending.thread,
            op: operation.name.clone(),
            object: self.object(pending.object, steps),
            at: self.line(pending),
        }
    }

    /// How a run ends; `None` if it was ended before.
    pub(super) fn end(&mut self, run: &Run) -> Option<End> {
        let (_, caller) = run.ended_by.unwrap_or_default();
        Some(match run.end {
            RunEnd::Exit(status) => End::Exit { status },
            RunEnd::Abort => End::Abort { at: self.lines.of_call(caller) },
            RunEnd::Crash(signal) => End::Crash { signal, at: self.lines.of_call(caller + 1) },
            RunEnd::Killed(6) => End::Abort { at: String::new() },
            RunEnd::Killed(signal) => End::Crash { signal, at: String::new() },
            RunEnd::Stuck => self.stuck(run.last.as_ref()?, &run.steps),
            RunEnd::Cut | RunEnd::Asleep | RunEnd::Diverged | RunEnd::Stopped | RunEnd::Late => return None,
        })
    }

    /// What a state is in which nobody can go on.
    pub(super) fn stuck(&mut self, state: &State, steps: &[Step]) -> End {
        let (looping, waiting): (Vec<_>, Vec<_>) = state.threads.iter().partition(|pending| pending.goes_round);
        let places = |pending: Vec<&Pending>, this: &mut Self| pending.iter().map(|p| this.place(p, steps)).collect();
        let blocked = places(waiting, self);
        if looping.is_empty() {
            End::Deadlock { blocked }
        } else {
            End::Endless { looping: places(looping, self), blocked }
        }
    }

    /// The order of a run's steps, without those that are no calls.
    pub(super) fn order(&mut self, run: &Run) -> Vec<String> {
        let mut order = Vec::new();
        for (at, step) in run.steps.iter().enumerate() {
            let pending = step.pending();
            if self.operation(pending).kind == Kind::Start {
                continue;
            }
            let place = self.place(pending, &run.steps[..=at]);
            let how = if step.choice.variant == TIMED_OUT { ", its time is up" } else { "" };
            order.push(format!("{place}{how}"));
        }
        order
    }
}

/// An end with how often it came and the shortest order that led there.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Found {
    /// The end.
    #[serde(flatten)]
    pub(super) end: End,
    /// Runs that came to it.
    pub(super) runs: u64,
    /// The order of one run, one line for each call.
    pub(super) order: Vec<String>,
}

/// So many runs are searched for data races.
const RUNS_WITH_RACES: usize = 200;

/// All ends.
#[derive(Debug, Default)]
pub(super) struct Ends {
    found: BTreeMap<End, Found>,
    /// Data races of the first runs, in words.
    pub(super) races: BTreeSet<String>,
    runs: usize,
}

impl Ends {
    /// Adds what a run came to.
    pub(super) fn add(&mut self, run: &Run, names: &mut Names<'_>) {
        self.runs += 1;
        if self.runs <= RUNS_WITH_RACES {
            self.races.extend(super::race::races(run, names));
        }
        let Some(end) = names.end(run) else { return };
        if let Some(found) = self.found.get_mut(&end) {
            found.runs += 1;
            return;
        }
        let order = names.order(run);
        self.found.insert(end.clone(), Found { end, runs: 1, order });
    }

    /// The ends, in a fixed order.
    pub(super) fn all(&self) -> impl Iterator<Item = &Found> {
        self.found.values()
    }
}
