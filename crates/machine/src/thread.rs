//! Threads, their frames and their registers.

use std::rc::Rc;

use icsched_ir::FuncId;
use smallvec::SmallVec;

use crate::log::Log;
use crate::memory::ObjectId;
use crate::shadow::Shadows;
use crate::values::Values;

pub use crate::ids::{FrameId, ThreadId};

/// An activation record.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Its serial number.
    pub id: FrameId,
    /// The function.
    pub func: FuncId,
    /// Index of its first register in [`Thread::registers`].
    pub base: u32,
    /// Index into the function's decoded instructions: the next one to execute; for a frame that has called another
    /// one, or whose thread waits, the call itself.
    pub pc: u32,
    /// Length of [`Thread::stack_objects`] when the function was entered.
    pub first_object: u32,
    /// The area that holds the variable arguments, made when the function is entered with some.
    pub varargs: Option<ObjectId>,
    /// Whether one or more activations of the same recursion are between this one and the one below it
    /// ([`crate::folding`]).
    pub is_folded: bool,
    /// Whether it is some activation of a recursion that is looked into ([`crate::abstraction`]): where it returns, the
    /// path ends.
    pub is_any: bool,
    /// Whether nothing is known of its registers but of parameters that are the same in all activations: it has been
    /// one of the folded ones until now.
    pub is_unknown: bool,
}

/// Whether and why a thread does not run.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ThreadStatus {
    /// It can run.
    Enabled,
    /// It waits to be notified, in the queue that [`Thread::queue`] names.
    Waiting {
        /// When it gives up, by [`State::clock`](crate::State::clock); `None`: never.
        deadline: Option<u64>,
        /// Position in the order of all waits of the path: queues are first in, first out.
        since: u64,
    },
    /// It is at an epoch marker, where its epoch ends.
    AtMarker,
    /// It has ended.
    Finished,
    /// Its oldest known activation has returned to nobody knows where (Bergan 2.3.2).
    Left,
    /// It goes round for ever in a loop that does not synchronise, as long as others leave what the loop reads as it
    /// is.
    Endless,
}

/// What runs when a thread's first activation returns.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Bottom {
    /// The exit of the process: the thread runs `main`.
    Main,
    /// Nothing: the thread ends.
    Start,
    /// Nobody knows: the activations below it are not known.
    Unknown,
}

/// A thread of a [`State`](crate::State).
pub struct Thread<D: Values> {
    /// Its number.
    pub id: ThreadId,
    /// What `__ics_thread_self` returns in it.
    pub slot: u32,
    /// Activations, outermost first. Empty when the thread has ended.
    pub frames: Vec<Frame>,
    /// The registers of all activations, each followed by the constants its function uses.
    pub registers: Vec<D::Value>,
    /// What is undefined in them.
    pub(crate) shadows: Shadows,
    /// Stack objects of all activations.
    pub stack_objects: Vec<ObjectId>,
    /// Bytes in live stack objects.
    pub stack_bytes: u64,
    /// Its state.
    pub status: ThreadStatus,
    /// Address that names the queue it waits in; means nothing while it does not wait.
    pub queue: D::Value,
    /// When it began to wait, if that was before the initial state: an `i64` less than zero that orders such waits
    /// (Bergan 2.5.2).
    pub timestamp: Option<D::Value>,
    /// What runs when its first activation returns.
    pub bottom: Bottom,
    /// Locks held (`__ics_acquire`), in order of acquisition; a lock held recursively is listed as often.
    pub locks: Vec<D::Value>,
    /// Locks that it may hold since before the initial state, and has not released.
    pub maybe_locks: Vec<D::Value>,
    /// Its instances of thread-local globals, by the global's index; made on first use.
    pub thread_locals: Rc<Vec<Option<ObjectId>>>,
    /// What it is to call before it goes on with the program.
    pub interrupt: Option<FuncId>,
    /// Scheduling points passed since another thread ran.
    pub yields: u32,
    /// Instructions it has executed.
    pub instructions: u64,
    /// Epoch markers that it has passed in this epoch.
    pub markers_passed: u32,
    /// Number of instructions of the path when it was found to [go round for ever](ThreadStatus::Endless), and how
    /// often that was.
    pub(crate) endless: (u64, u32),
    /// The activation of a function of the program that created it, unless that was before the initial state.
    pub creator: Option<FrameId>,
    /// What library calls have returned that made nodes, if it was a constant, in the order in which they did.
    pub outcomes: Log<CallOutcome>,
    /// How many nodes it has made.
    pub(crate) nodes: u32,
    /// The library calls that have made nodes and have not returned, outermost first.
    pub(crate) open_calls: SmallVec<[OpenCall; 1]>,
}

/// What a library call has returned, of one of its nodes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CallOutcome {
    /// The node, counted from 1 in its thread.
    pub node: u32,
    /// What was returned, as a signed number; `None` if inputs decide what it is.
    pub value: Option<i64>,
}

/// A library call that has made nodes and has not returned.
#[derive(Clone, Debug)]
pub(crate) struct OpenCall {
    /// The activation of the library function that the program called.
    pub(crate) frame: FrameId,
    /// Its nodes, counted from 1 in the thread.
    pub(crate) nodes: SmallVec<[u32; 2]>,
}

impl<D: Values> Clone for Thread<D> {
    fn clone(&self) -> Self {
        Self {
            frames: self.frames.clone(),
            registers: self.registers.clone(),
            shadows: self.shadows.clone(),
            stack_objects: self.stack_objects.clone(),
            queue: self.queue.clone(),
            timestamp: self.timestamp.clone(),
            locks: self.locks.clone(),
            maybe_locks: self.maybe_locks.clone(),
            thread_locals: self.thread_locals.clone(),
            outcomes: self.outcomes.clone(),
            open_calls: self.open_calls.clone(),
            ..*self
        }
    }
}

impl<D: Values> Thread<D> {
    /// A thread without frames; `thread_locals` is the number of the program's variables.
    pub fn new(id: ThreadId, slot: u32, thread_locals: usize) -> Self {
        Self {
            id,
            slot,
            frames: Vec::new(),
            registers: Vec::new(),
            shadows: Shadows::default(),
            stack_objects: Vec::new(),
            stack_bytes: 0,
            status: ThreadStatus::Enabled,
            queue: D::constant(0),
            timestamp: None,
            bottom: if slot == 0 { Bottom::Main } else { Bottom::Start },
            locks: Vec::new(),
            maybe_locks: Vec::new(),
            thread_locals: Rc::new(vec![None; thread_locals]),
            interrupt: None,
            outcomes: Log::default(),
            nodes: 0,
            open_calls: SmallVec::new(),
            yields: 0,
            instructions: 0,
            markers_passed: 0,
            endless: (0, 0),
            creator: None,
        }
    }

    /// Whether the scheduler may pick it.
    pub fn is_enabled(&self) -> bool {
        self.status == ThreadStatus::Enabled
    }

    /// The innermost activation.
    pub fn top(&self) -> Option<&Frame> {
        self.frames.last()
    }

    /// Whether it is not the activation below that the innermost one returns to for certain.
    pub(crate) fn returns_elsewhere(&self) -> bool {
        self.frames.len() == 1 || self.top().is_some_and(|f| f.is_folded || f.is_any)
    }

    /// The positions of the activations [below which others are folded](Frame::is_folded), ascending.
    pub fn folds(&self) -> Vec<u32> {
        (0..).zip(&self.frames).filter(|(_, f)| f.is_folded).map(|(depth, _)| depth).collect()
    }
}
