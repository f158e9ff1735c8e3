//! A run in the concrete domain that stops where epochs end.

use std::sync::Arc;

use icsched_enumerate::SearchedEpoch;
use icsched_epochs::graph;
use icsched_facts::{Held, Shape};
use icsched_ir::{CallStack, Program, ValueId};
use icsched_machine::code::{Code, Marks};
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::host::MemoryHost;
use icsched_machine::log::Log;
use icsched_machine::scheduler::{Scheduler, SchedulingPoint, next_enabled};
use icsched_machine::step::{Argument, Arguments};
use icsched_machine::{Answers, Machine, MemoryByte, Options, ThreadId};
use icsched_schedule::EpochId;

use crate::common::programs::Input;
use crate::common::recorded::{Concrete, Recorded, View};
use crate::common::returned::Returned;
use crate::coverage::inputs::PROGRAM;

/// A thread goes on as long as it can: who runs is said from outside.
struct Stay;

impl Scheduler<ConcreteDomain> for Stay {
    fn choose(&mut self, state: &Concrete, why: SchedulingPoint) -> ThreadId {
        match why {
            SchedulingPoint::Yield if state.current_thread().is_enabled() => state.current,
            _ => next_enabled(state).unwrap_or(state.current),
        }
    }
}

/// A run.
pub(crate) struct Run {
    pub(crate) machine: Machine<ConcreteDomain>,
    pub(crate) state: Concrete,
    pub(crate) returned: Returned,
}

/// A point of a run to come back to.
pub(crate) struct Saved {
    state: Concrete,
    returned: Returned,
}

fn string(text: &[u8]) -> Argument<ConcreteDomain> {
    let bytes = text.iter().chain(&[0]).map(|&b| MemoryByte::Constant(b)).collect();
    Argument { bytes, present: None }
}

impl Run {
    /// At program entry; `None` if the program cannot be started. What the operating system would be asked are inputs,
    /// as in the symbolic domain, so that models leave the same states behind; what they are follows from `answers`.
    pub(crate) fn new(program: &Arc<Program>, marks: &Marks, input: &Input, answers: u64) -> Option<Self> {
        let marks = Marks { markers: Arc::clone(&marks.markers), ..Marks::default() };
        let options = Options { marks, answers: Some(Answers::Seed(answers)), ..Options::default() };
        let host = Box::new(MemoryHost::default());
        let mut machine = Machine::new(Arc::clone(program), ConcreteDomain, host, options);
        machine.scheduler = Box::new(Stay);
        let argv: Vec<_> = std::iter::once(PROGRAM).chain(input.arguments.iter().map(String::as_str)).collect();
        let arguments = Arguments {
            argc: argv.len() as u64,
            argv: argv.iter().map(|a| string(a.as_bytes())).collect(),
            environment: Vec::new(),
        };
        let mut state = machine.initial_state(&arguments).ok()?;
        state.record_events = true;
        Some(Self { machine, state, returned: Returned::default() })
    }

    pub(crate) fn save(&self) -> Saved {
        Saved { state: self.state.clone(), returned: self.returned.clone() }
    }

    pub(crate) fn restore(&mut self, saved: &Saved) {
        self.state = saved.state.clone();
        self.returned = saved.returned.clone();
    }

    /// The epoch that begins where the threads are.
    pub(crate) fn epoch(&self) -> EpochId {
        graph::epoch(&self.machine.code, &self.state)
    }

    /// Threads at markers go on behind them.
    pub(crate) fn begin_epoch(&mut self) {
        self.state.events = Log::default();
        self.state.begin_epoch(&self.machine.code);
    }

    /// The state with its threads in the order of the epoch's: those with equal stacks in that of their slots, if it is
    /// not one of the others whose numbers the epoch is searched with.
    pub(crate) fn recorded(&self, epoch: &SearchedEpoch) -> Recorded {
        let by_slot = self.in_order(epoch, |_, _| true).expect("the epoch is named by these stacks");
        let fits = |position: u32, thread: ThreadId| self.has_numbers(&epoch.shape, position, thread);
        let is_right = (0..).zip(&by_slot).all(|(position, &thread)| fits(position, thread));
        let threads = if is_right { by_slot } else { self.in_order(epoch, fits).unwrap_or(by_slot) };
        let stacks = threads.iter().map(|&id| self.state.stack(&self.machine.code, id)).collect();
        let views = threads.into_iter().map(|thread| View { thread, oldest: 0 }).collect();
        Recorded { state: self.state.clone(), views, stacks, returned: self.returned.clone() }
    }

    /// For each position of an epoch the first thread by slot that has its stack and fits.
    fn in_order(&self, epoch: &SearchedEpoch, fits: impl Fn(u32, ThreadId) -> bool) -> Option<Vec<ThreadId>> {
        let mut rest: Vec<(u32, ThreadId, CallStack)> =
            self.state.live_threads().map(|t| (t.slot, t.id, self.state.stack(&self.machine.code, t.id))).collect();
        rest.sort_by_key(|t| t.0);
        let mut found = Vec::new();
        for (position, stack) in (0..).zip(epoch.id.stacks()) {
            let is_it = |t: &(u32, ThreadId, CallStack)| (epoch.is_entry || t.2 == *stack) && fits(position, t.1);
            let at = rest.iter().position(is_it)?;
            found.push(rest.remove(at).1);
        }
        Some(found)
    }

    /// Whether a thread's registers hold the numbers that are known of a position.
    fn has_numbers(&self, shape: &Shape, position: u32, thread: ThreadId) -> bool {
        let thread = self.state.thread(thread);
        let known = shape.registers.iter().filter(|((of, ..), _)| *of == position);
        let is_so = |(&(_, depth, value), &(width, held)): (&(u32, u32, ValueId), &(u8, Held))| {
            let Held::Bits(bits) = held else { return true };
            let frame = thread.frames.get(depth as usize);
            let found = frame.and_then(|f| thread.registers.get(f.base as usize + Code::slot(value) as usize));
            found.is_some_and(|found| (found ^ bits) << (64 - width) == 0)
        };
        known.into_iter().all(is_so)
    }
}
