//! Executes instructions.

mod access;
mod calls;
mod careful;
mod context;
mod epoch;
mod events;
mod fast;
mod forget;
mod handles;
mod indeterminate;
mod intrinsics;
mod jumps;
mod known;
mod lengths;
mod operations;
mod outside;
mod ranges;
mod recover;
mod seen;
mod special;
pub(crate) mod spin;
mod startup;
mod step;

pub use startup::{exit_function, is_set_at_start};
mod threads;

use std::sync::Arc;

use icsched_ir::Program;

use crate::code::{Code, Marks};
use crate::domain::{Domain, MemoryByte};
use crate::host::Host;
use crate::memory::MemoryFault;
use crate::observe::Observer;
use crate::request::StopRequest;
use crate::scheduler::{Cooperative, Scheduler, SchedulingPoint};
use crate::state::State;
use crate::stop::{MemoryErrors, PathEnd, ProgramError, Stop};
pub(crate) use context::decide;
pub use epoch::{EpochLength, FollowedMarkers, Pass, Undecided};
pub use outside::answer;
use seen::Seen;
use step::Pause;
pub use threads::ProgramCall;

/// Where another thread may run (Bergan 2.5.1).
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub enum Switching {
    /// Where the scheduler says: one interleaving.
    #[default]
    Scheduler,
    /// Any enabled thread at the start, and where the current one waits or ends.
    Blocking,
    /// The same, and at every scheduling point.
    Everywhere,
}

/// What a call of a function without definition and model does (`--extern NAME=…`).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Extern {
    /// Returns fresh inputs (zero in the concrete domain); memory behind its arguments stays as it is.
    Havoc,
    /// Returns zero.
    Pure,
    /// Ends the path.
    Abort,
}

/// What fits into 8 MiB of stack, which is what Linux gives, when activations are as small as clang makes them without
/// optimisation: 32 bytes.
const MAX_FRAMES: usize = 8 << 20 >> 5;

/// What is recorded of the objects that synchronisation is on, where their addresses depend on inputs. Two nodes of a schedule are
/// ordered if they are on one object.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub enum SyncObjects {
    /// What their addresses look like.
    #[default]
    Described,
    /// Which ones they are: it is decided.
    Decided,
    /// All that they may be, where these are few; what follows is ordered after all of them (Bergan 3.4.1.5).
    Candidates,
}

/// Options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// What undefined functions do; others end the path as unmodelled.
    pub externs: std::collections::BTreeMap<String, Extern>,
    /// Most activations in one thread.
    pub max_frames: usize,
    /// Most bytes of stack objects in one thread.
    pub max_stack_bytes: u64,
    /// Names and sizes of symbolic files (`--sym-file`).
    pub symbolic_files: Vec<(String, u64)>,
    /// Size of the symbolic standard input (`--sym-stdin`).
    pub symbolic_stdin: Option<u64>,
    /// Where it is a choice which thread goes on.
    pub switching: Switching,
    /// In the concrete domain, models do what they do in the symbolic one: they ask for inputs, whose values follow from this
    /// number and their names.
    pub answers: Option<u64>,
    /// Where epochs end, and which loops are replaced.
    pub marks: Marks,
    /// Whether there is always enough memory for an object of a size that depends on inputs.
    pub allocations_succeed: bool,
    /// Which markers threads pass within an epoch.
    pub epoch_length: EpochLength,
    /// What is recorded of the objects that synchronisation is on.
    pub objects: SyncObjects,
    /// What happens behind undefined behaviour. It counts from the initial state on.
    pub memory_errors: MemoryErrors,
    /// Stops every run of the machine, with [`PathEnd::Limit`].
    pub stop: Arc<StopRequest>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            externs: Default::default(),
            max_frames: MAX_FRAMES,
            max_stack_bytes: 64 << 20,
            symbolic_files: Vec::new(),
            symbolic_stdin: None,
            switching: Switching::default(),
            answers: None,
            marks: Marks::default(),
            allocations_succeed: false,
            epoch_length: EpochLength::default(),
            objects: SyncObjects::default(),
            memory_errors: MemoryErrors::default(),
            stop: Arc::default(),
        }
    }
}

impl Options {
    /// Input name and size of the symbolic file with this index; the standard input for -1.
    fn symbolic_file(&self, index: u64) -> Option<(&str, u64)> {
        if index as u32 == u32::MAX {
            return self.symbolic_stdin.map(|size| ("stdin", size));
        }
        let (name, size) = self.symbolic_files.get(usize::try_from(index).ok()?)?;
        Some((name, *size))
    }
}

/// One string of `argv` or the environment.
pub struct Argument<D: Domain> {
    /// Its bytes, terminating NUL included.
    pub bytes: Vec<MemoryByte<D::Byte>>,
    /// Condition (`i1`) under which it is there; where it is not, the array has a null pointer.
    pub present: Option<D::Value>,
}

/// What `main` gets.
pub struct Arguments<D: Domain> {
    /// `argc`, an `i32`.
    pub argc: D::Value,
    /// `argv`, the program's name first.
    pub argv: Vec<Argument<D>>,
    /// The environment.
    pub environment: Vec<Argument<D>>,
}

/// Runs states of one program.
pub struct Machine<D: Domain> {
    /// The program.
    pub program: Arc<Program>,
    /// Its decoded form.
    pub code: Arc<Code>,
    /// The domain.
    pub domain: D,
    /// The operating system.
    pub host: Box<dyn Host>,
    /// Picks threads.
    pub scheduler: Box<dyn Scheduler<D>>,
    /// Options.
    pub options: Options,
    /// A state of the path, to see whether it comes back there.
    seen: Seen<D>,
    /// What events share.
    shared: events::Shared,
}

/// Instructions after which a thread that never reaches a scheduling point is taken for spinning.
const FAIRNESS: u64 = 10_000_000;

/// Instructions that a thread executes at least before a deadline that has come is looked at again.
const UNINTERRUPTED: u64 = 1 << 10;

impl<D: Domain> Machine<D> {
    /// A machine for a verified program.
    pub fn new(program: Arc<Program>, domain: D, host: Box<dyn Host>, options: Options) -> Self {
        let code = Arc::new(Code::new(&program, &options.marks));
        Self {
            program,
            code,
            domain,
            host,
            scheduler: Box::new(Cooperative),
            options,
            seen: Seen::default(),
            shared: Default::default(),
        }
    }

    /// Forgets in which states a path was: it has ended, or another one begins.
    pub fn forget_states(&mut self) {
        self.seen = Seen::default();
    }

    /// Executes up to `budget` instructions. `Ok` when the budget is used up; [`Stop::Undecided`] when a condition
    /// must be assumed on [`State::path`] first, or one of the like; [`Stop::End`] when the path ends.
    pub fn run<O: Observer>(&mut self, state: &mut State<D>, observer: &mut O, budget: u64) -> Result<(), Stop<D>> {
        let end = state.instructions.saturating_add(budget);
        while state.instructions < end {
            if let Some(limit) = self.options.stop.asked() {
                return Err(Stop::End(Box::new(PathEnd::Limit(limit))));
            }
            match self.slice(state, observer, end) {
                Ok(()) => {}
                Err(Stop::Fault { kind, message }) => {
                    let recovered = self.recover(state, observer, MemoryFault { kind, message });
                    recovered.map_err(|stop| self.with_stack(state, stop))?;
                }
                Err(stop) => return Err(self.with_stack(state, stop)),
            }
        }
        Ok(())
    }

    fn slice<O: Observer>(&mut self, state: &mut State<D>, observer: &mut O, end: u64) -> Result<(), Stop<D>> {
        if state.switching {
            return Err(Stop::Switch);
        }
        if state.since_switch >= FAIRNESS {
            return self.reschedule(state, observer, SchedulingPoint::Fairness);
        }
        let interrupted = state.until_deadline() == 0 || state.current_thread().interrupt.is_some();
        if interrupted && self.is_in_program(state) {
            self.start_interrupt(state, observer)?;
            if self.end_due_waits(state) {
                return self.reschedule(state, observer, SchedulingPoint::Fairness);
            }
        }
        if state.spin.is_due(state.since_switch) {
            return self.look_for_spinning(state, observer);
        }
        let until_deadline = if interrupted { UNINTERRUPTED } else { state.until_deadline().max(UNINTERRUPTED) };
        let undisturbed = until_deadline.min(FAIRNESS - state.since_switch);
        let undisturbed = undisturbed.min(state.spin.until_next(state.since_switch));
        let budget = (end - state.instructions).min(undisturbed);
        let mut left = budget;
        let result = self.cx(state, observer).execute(&mut left);
        state.instructions += budget - left;
        state.since_switch += budget - left;
        state.thread_mut(state.current).instructions += budget - left;
        match result? {
            Pause::Special if left > 0 => {
                self.special(state, observer)?;
                state.instructions += 1;
                state.since_switch += 1;
            }
            Pause::Unrecorded => observer.begin(state, &self.code),
            Pause::Special | Pause::Budget => {}
        }
        Ok(())
    }

    /// Adds to a stop where it happened.
    fn with_stack(&self, state: &State<D>, stop: Stop<D>) -> Stop<D> {
        let stack = || state.stack(&self.code, state.current);
        let end = match stop {
            Stop::Fault { kind, message } => {
                PathEnd::Error(ProgramError { kind, message, thread: state.current, stack: stack() })
            }
            Stop::Unsupported { what } => PathEnd::Unsupported { what, stack: stack() },
            Stop::Undecided { .. } | Stop::Suspect { .. } | Stop::Hidden { .. } | Stop::Switch | Stop::End(_) => {
                return stop;
            }
        };
        Stop::End(Box::new(end))
    }
}
