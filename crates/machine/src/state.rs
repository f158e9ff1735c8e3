//! The state of one path.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use icsched_ir::{BlockId, CallStack, FuncId, Origin, Program, ProgramPoint};

use crate::abstraction::Replaced;
use crate::code::Code;
use crate::log::Log;
use crate::memory::{Heap, address, global_object};
use crate::observation::Observation;
use crate::spin_watch::SpinWatch;
use crate::stop::ProgramError;
use crate::thread::{FrameId, Thread, ThreadId, ThreadStatus};
use crate::thread_table::{Layout, STATE_DONE, layout};
use crate::trace::SyncEvent;
use crate::values::Values;

/// What the engine still has to run around `main`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Startup {
    /// The next constructor of the program.
    Constructor(u32),
    /// `main` is running.
    Main,
    /// `exit(status of main)` is running.
    Exit,
}

/// How long a path is, or a part of it.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct PathLength {
    /// Epoch markers that threads have passed.
    pub markers: u32,
    /// Instructions.
    pub instructions: u64,
    /// Synchronisation events.
    pub events: usize,
}

impl PathLength {
    /// Both together.
    pub fn and(self, other: Self) -> Self {
        Self {
            markers: self.markers.saturating_add(other.markers),
            instructions: self.instructions.saturating_add(other.instructions),
            events: self.events.saturating_add(other.events),
        }
    }

    /// What has come behind `start`; nothing in front of it.
    pub fn since(self, start: Self) -> Self {
        Self {
            markers: self.markers.saturating_sub(start.markers),
            instructions: self.instructions.saturating_sub(start.instructions),
            events: self.events.saturating_sub(start.events),
        }
    }
}

/// Everything a step changes: threads, memory, wait queues, what is assumed (Bergan figures 2.3, 2.6, 2.13).
///
/// `clone()` forks the path: it costs a reference count per thread and per 64 memory objects.
pub struct State<D: Values> {
    /// Memory.
    pub heap: Heap<D>,
    /// All threads ever created, by [`ThreadId`].
    pub threads: Vec<Rc<Thread<D>>>,
    /// The threads that have not ended, in order of creation.
    pub live: Rc<Vec<ThreadId>>,
    /// The thread that executes the next instruction.
    pub current: ThreadId,
    /// What is assumed of the inputs.
    pub path: D::Path,
    /// Synchronisation events so far, if [`record_events`](Self::record_events).
    pub events: Log<SyncEvent>,
    /// Inputs that became known so far, in that order.
    pub observations: Log<Observation<D>>,
    /// Whether [`events`](Self::events) is kept.
    pub record_events: bool,
    /// Expected arrivals by barrier address (`__ics_barrier_init`).
    pub barriers: Rc<BTreeMap<u64, u64>>,
    /// How often each input name was used.
    pub input_counts: Rc<BTreeMap<String, u32>>,
    /// Handles of threads that have ended before the initial state, in the order of first use.
    pub(crate) ended: Rc<Vec<D::Value>>,
    /// How often threads came to loops and calls that are replaced.
    pub(crate) passages: Rc<BTreeMap<(ThreadId, FuncId, BlockId, Replaced), u32>>,
    /// The errors behind which the path went on, in their order; those of a kind and a place when that was executed
    /// first.
    pub recovered: Log<ProgramError>,
    /// Instructions executed on the path.
    pub instructions: u64,
    /// Where limits of the path's length count from; `None` until an input decides something. A path begins with `None`
    /// if it [is followed](crate::step::FollowedMarkers::undecided) until then.
    pub counts_from: Option<PathLength>,
    /// Whether threads have come back to a state that the path was in before, so that it has no end.
    pub repeats: bool,
    /// Epoch markers that threads have passed on it.
    pub(crate) markers_passed: u32,
    /// The arguments of `main`: `argc`, `argv`, `envp`.
    pub(crate) main_arguments: [D::Value; 3],
    /// How far the start of the program has got.
    pub startup: Startup,
    /// Any enabled thread may be the next to run: that is to be chosen first.
    pub(crate) switching: bool,
    pub(crate) next_frame: u64,
    pub(crate) next_wait: u64,
    /// Instructions and atomic accesses since the current thread was scheduled or passed a scheduling point.
    pub(crate) since_switch: u64,
    pub(crate) atomics_since_switch: u32,
    /// Nanoseconds that the clock has jumped while every thread waited.
    pub(crate) waited: u64,
    /// At most the earliest deadline of a timed wait; all ones if there is none.
    pub(crate) next_deadline: u64,
    /// The most instructions that a thread had executed when no thread could go on for the first time, and epochs are
    /// balanced.
    pub(crate) balanced_at: Option<u64>,
    /// Times in a row that threads did nothing but poll.
    pub(crate) pauses: u32,
    /// When to look whether the current thread spins.
    pub(crate) spin: SpinWatch,
}

impl<D: Values> Clone for State<D> {
    fn clone(&self) -> Self {
        Self {
            heap: self.heap.clone(),
            threads: self.threads.clone(),
            live: self.live.clone(),
            path: self.path.clone(),
            events: self.events.clone(),
            observations: self.observations.clone(),
            barriers: self.barriers.clone(),
            input_counts: self.input_counts.clone(),
            ended: self.ended.clone(),
            passages: self.passages.clone(),
            recovered: self.recovered.clone(),
            main_arguments: self.main_arguments.clone(),
            ..*self
        }
    }
}

impl<D: Values> State<D> {
    /// The same memory and path with these threads, as if the run had begun there: nothing was recorded yet.
    pub fn begun_with(state: &Self, threads: Vec<Rc<Thread<D>>>) -> Self {
        Self {
            live: Rc::new(threads.iter().map(|t| t.id).collect()),
            threads,
            current: ThreadId::MAIN,
            events: Default::default(),
            observations: Default::default(),
            input_counts: Default::default(),
            ended: Default::default(),
            record_events: true,
            instructions: 0,
            counts_from: Some(PathLength::default()),
            repeats: false,
            markers_passed: 0,
            switching: true,
            since_switch: 0,
            atomics_since_switch: 0,
            waited: 0,
            next_deadline: u64::MAX,
            balanced_at: None,
            pauses: 0,
            spin: Default::default(),
            ..state.clone()
        }
    }

    /// A state whose threads are somewhere in the program: its path is as long as nothing, and it listens to no
    /// marker passed before. `next_frame` is the number of the next activation.
    pub fn in_the_middle(heap: Heap<D>, threads: Vec<Thread<D>>, path: D::Path, next_frame: u64) -> Self {
        let live = (0..threads.len()).map(|i| ThreadId(u32::try_from(i).expect("threads are few"))).collect();
        let zero = || D::constant(0);
        Self {
            heap,
            next_wait: threads.len() as u64,
            threads: threads.into_iter().map(Rc::new).collect(),
            live: Rc::new(live),
            current: ThreadId::MAIN,
            path,
            events: Default::default(),
            observations: Default::default(),
            record_events: true,
            barriers: Default::default(),
            input_counts: Default::default(),
            ended: Default::default(),
            passages: Default::default(),
            recovered: Default::default(),
            instructions: 0,
            counts_from: Some(PathLength::default()),
            repeats: false,
            markers_passed: 0,
            main_arguments: [zero(), zero(), zero()],
            startup: Startup::Main,
            switching: true,
            next_frame,
            since_switch: 0,
            atomics_since_switch: 0,
            waited: 0,
            next_deadline: u64::MAX,
            balanced_at: None,
            pauses: 0,
            spin: Default::default(),
        }
    }

    /// The state, but it is to be chosen which thread goes on.
    pub fn with_any_thread_next(self) -> Self {
        Self { switching: true, ..self }
    }

    /// This thread executes the next instruction.
    pub fn turn_to(&mut self, thread: ThreadId) {
        if thread != self.current {
            self.thread_mut(self.current).yields = 0;
            self.current = thread;
        }
    }

    /// Whether the path looks into a call that is replaced ([`crate::abstraction`]).
    pub fn looks_into_call(&self) -> bool {
        self.threads.iter().any(|thread| thread.frames.iter().any(|frame| frame.is_any))
    }

    /// The thread with this id.
    pub fn thread(&self, id: ThreadId) -> &Thread<D> {
        &self.threads[id.index()]
    }

    /// The current thread.
    pub fn current_thread(&self) -> &Thread<D> {
        self.thread(self.current)
    }

    /// A thread, to be changed; it is copied first if another state shares it.
    pub fn thread_mut(&mut self, id: ThreadId) -> &mut Thread<D> {
        Rc::make_mut(&mut self.threads[id.index()])
    }

    /// The innermost activation of the current thread.
    pub fn current_frame(&self) -> Option<FrameId> {
        self.current_thread().top().map(|f| f.id)
    }

    /// Threads that have not ended.
    pub fn live_threads(&self) -> impl Iterator<Item = &Thread<D>> {
        self.live.iter().map(|&id| self.thread(id))
    }

    /// How many markers threads have passed.
    pub fn markers_passed(&self) -> u32 {
        self.markers_passed
    }

    /// How long the path is.
    pub fn length(&self) -> PathLength {
        PathLength { markers: self.markers_passed(), instructions: self.instructions, events: self.events.len() }
    }

    /// How long the path is from where limits count.
    pub fn counted(&self) -> Option<PathLength> {
        self.counts_from.map(|start| self.length().since(start))
    }

    /// Whether the path has not come to where limits count from.
    pub fn is_undecided(&self) -> bool {
        self.counts_from.is_none_or(|start| self.instructions <= start.instructions)
    }

    /// An input decides something.
    pub fn note_decided(&mut self) {
        if self.counts_from.is_none() {
            self.counts_from = Some(self.length());
        }
    }

    /// Whether threads that have ended before the initial state were told apart by their handles.
    pub fn names_ended_threads(&self) -> bool {
        !self.ended.is_empty()
    }

    /// The path goes on behind what was wrong with one instruction.
    pub(crate) fn recover_from(&mut self, errors: Vec<ProgramError>) {
        let told = self.recovered.len();
        for error in errors {
            let is_same = |told: &ProgramError| told.kind == error.kind && told.stack == error.stack;
            if !self.recovered.iter().take(told).any(is_same) {
                self.recovered.push(error);
            }
        }
    }

    /// Where the current thread is: the instruction that is executed next.
    pub fn point(&self, code: &Code) -> Option<ProgramPoint> {
        let frame = self.current_thread().top()?;
        Some(code.point(frame.func, frame.pc))
    }

    /// The same of the innermost function of the program itself: models are called from there.
    pub fn own_point(&self, code: &Code, program: &Program) -> Option<ProgramPoint> {
        let is_own = |func| program.functions[func].origin == Origin::Program;
        let frame = self.current_thread().frames.iter().rev().find(|frame| is_own(frame.func))?;
        Some(code.point(frame.func, frame.pc))
    }

    /// A thread's calling context, innermost point last.
    pub fn stack(&self, code: &Code, thread: ThreadId) -> CallStack {
        CallStack(self.thread(thread).frames.iter().map(|f| code.point(f.func, f.pc)).collect())
    }

    /// Whether it is to be chosen which enabled thread goes on ([`Stop::Switch`](crate::Stop::Switch)).
    pub fn is_switching(&self) -> bool {
        self.switching
    }

    /// Threads that are at epoch markers go on behind them: the next epoch begins.
    pub fn begin_epoch(&mut self, code: &Code) {
        for thread in &mut self.threads {
            if thread.markers_passed > 0 {
                Rc::make_mut(thread).markers_passed = 0;
            }
            if thread.status == ThreadStatus::AtMarker {
                let thread = Rc::make_mut(thread);
                thread.status = ThreadStatus::Enabled;
                if let Some(frame) = thread.frames.last_mut() {
                    frame.pc = code.start_pc(code.point(frame.func, frame.pc)).unwrap_or(frame.pc);
                }
            }
        }
    }

    /// Chooses the thread that goes on.
    pub fn go_on_with(&mut self, to: ThreadId) {
        self.switching = false;
        if to != self.current {
            self.thread_mut(self.current).yields = 0;
            self.current = to;
        }
    }

    /// The thread that holds this lock, which may have ended.
    pub fn holder(&self, lock: &D::Value) -> Option<ThreadId> {
        self.threads.iter().find(|t| t.locks.contains(lock)).map(|t| t.id)
    }

    /// The program that runs.
    pub fn program(&self) -> &Arc<Program> {
        self.heap.program()
    }

    /// Whether all threads live that were created by activations that are still there, and all that can be joined
    /// (Bergan 2.5.4: no thread of the context has ended).
    pub fn none_ended(&self) -> bool {
        let layout = layout(self.program());
        let is_there = |id| self.live_threads().any(|t| t.frames.iter().any(|f| f.id == id));
        let can_be_joined = |slot: u32| {
            let Some(Layout { id, stride, state, .. }) = &layout else { return false };
            let at = address(global_object(*id), u64::from(slot) * stride + state.0);
            self.heap.read_plain(at) == Some([STATE_DONE])
        };
        let mut ended = self.threads.iter().filter(|t| t.status == ThreadStatus::Finished);
        !ended.any(|t| can_be_joined(t.slot) || t.creator.is_some_and(is_there))
    }

    /// The threads that wait, in the order of their waits; those that did before the initial state first.
    pub(crate) fn waiters(&self) -> Vec<ThreadId> {
        let mut waiting: Vec<(u64, ThreadId)> = self
            .live_threads()
            .filter_map(|t| match t.status {
                ThreadStatus::Waiting { since, .. } => Some((since, t.id)),
                ThreadStatus::Enabled
                | ThreadStatus::AtMarker
                | ThreadStatus::Finished
                | ThreadStatus::Left
                | ThreadStatus::Endless => None,
            })
            .collect();
        waiting.sort_unstable();
        waiting.into_iter().map(|(_, id)| id).collect()
    }
}
