//! What runs are about, in the program's words.

use super::build::{Lines, Program};
use super::end::{End, Place};
use super::trace::{Kind, Operation, Pending, Run, RunEnd, State, Step, TIMED_OUT};

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
