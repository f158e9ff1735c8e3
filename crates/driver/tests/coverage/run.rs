//! A run in the concrete domain that stops where epochs end.

use std::rc::Rc;
use std::sync::Arc;

use icsched_enumerate::{SearchedEpoch, graph};
use icsched_ir::{CallStack, Program};
use icsched_schedule::EpochId;
use icsched_symex::code::Marks;
use icsched_symex::concrete::ConcreteDomain;
use icsched_symex::host::MemoryHost;
use icsched_symex::log::Log;
use icsched_symex::machine::{Argument, Arguments};
use icsched_symex::scheduler::{Scheduler, SchedulingPoint, next_enabled};
use icsched_symex::{Machine, MemoryByte, Options, ThreadId, ThreadStatus};

use crate::inputs::PROGRAM;
use crate::programs::Input;
use crate::recorded::{Concrete, Recorded, View};
use crate::returned::Returned;

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
    /// At program entry; `None` if the program cannot be started. What the operating system would be asked are inputs, as in the symbolic
    /// domain, so that models leave the same states behind; what they are follows from `answers`.
    pub(crate) fn new(program: &Arc<Program>, marks: &Marks, input: &Input, answers: u64) -> Option<Self> {
        let marks = Marks { markers: Arc::clone(&marks.markers), ..Marks::default() };
        let options = Options { marks, answers: Some(answers), ..Options::default() };
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
        for thread in &mut self.state.threads {
            if thread.markers_passed > 0 {
                Rc::make_mut(thread).markers_passed = 0;
            }
            if thread.status == ThreadStatus::AtMarker {
                let thread = Rc::make_mut(thread);
                thread.status = ThreadStatus::Enabled;
                let frame = thread.frames.last_mut().expect("a thread at a marker is somewhere");
                let point = self.machine.code.point(frame.func, frame.pc);
                frame.pc = self.machine.code.start_pc(point).expect("it is at an instruction");
            }
        }
    }

    /// The state with its threads in the order of the epoch's: those with equal stacks in that of their slots.
    pub(crate) fn recorded(&self, epoch: &SearchedEpoch) -> Recorded {
        let mut rest: Vec<(u32, ThreadId, CallStack)> =
            self.state.live_threads().map(|t| (t.slot, t.id, self.state.stack(&self.machine.code, t.id))).collect();
        rest.sort_by_key(|t| t.0);
        let (mut views, mut stacks) = (Vec::new(), Vec::new());
        for stack in epoch.id.stacks() {
            let fits = |t: &(u32, ThreadId, CallStack)| epoch.is_entry || t.2 == *stack;
            let first = rest.iter().position(fits).expect("the epoch is named by these stacks");
            let (_, thread, stack) = rest.remove(first);
            views.push(View { thread, oldest: 0 });
            stacks.push(stack);
        }
        Recorded { state: self.state.clone(), views, stacks, returned: self.returned.clone() }
    }
}
