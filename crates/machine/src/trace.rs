//! What one path executed, in the form that precondition slicing reads backwards (Bergan 3.3.2).
//!
//! Pure register instructions are not recorded: a [`TraceEvent::Block`] says that a block was entered, and every
//! event inside it carries the index of its instruction, so that a reader can reconstruct the rest. Recording starts
//! at the first decision of a path, since nothing before it can depend on one. What is taken for granted of inputs is
//! decided, too, but never part of a slice: until something else is decided, only those decisions are
//! kept. So a program that computes for a long time on what it knows is executed at full speed.

use std::sync::Arc;

use icsched_ir::{BlockId, FuncId, Intrinsic, ProgramPoint, ValueId};
use icsched_pointsto::Piece;
use smallvec::SmallVec;

use crate::abstraction::Passage;
use crate::memory::ObjectId;
use crate::stop::DecisionKind;
use crate::thread::{FrameId, ThreadId};

/// A range of bytes of one object.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Region {
    /// The object.
    pub object: ObjectId,
    /// First byte.
    pub start: u64,
    /// Number of bytes.
    pub len: u64,
    /// Whether exactly these bytes are accessed. If not (symbolic offset, or guarded), any of them may be.
    pub exact: bool,
}

/// Regions of one access.
pub type Regions = SmallVec<[Region; 1]>;

/// Parameters of a header that are what they were before the loop, moved by iterations.
pub type Moved = SmallVec<[ValueId; 2]>;

/// What is computed from registers of a frame, and bytes: as far as nothing else shows it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Uses {
    /// The registers.
    pub values: Vec<ValueId>,
    /// The bytes.
    pub regions: Vec<Region>,
    /// All that a loop depends on which may leave the same behind as another time.
    pub repeatable: Option<Repeatable>,
}

/// A replaced loop that leaves the same behind whenever it begins with the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repeatable {
    /// This time.
    pub passage: Passage,
    /// The first time that it began with the same; this time, if there was none.
    pub first: Passage,
    /// The registers that it depends on.
    pub values: Vec<ValueId>,
    /// The bytes that it may read.
    pub regions: Vec<Region>,
    /// What else it may read, of objects that the path has not met by then.
    pub unmet: Vec<Piece>,
}

/// One function activation that the trace mentions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrameInfo {
    /// The thread it belongs to.
    pub thread: ThreadId,
    /// The function.
    pub func: FuncId,
    /// The calling frame and the call instruction in it; `None` at the bottom of a thread's stack.
    pub caller: Option<(FrameId, ProgramPoint)>,
}

/// Where a conditional branch of the program itself went.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct BranchSide {
    /// The function.
    pub func: FuncId,
    /// The block that the branch ends.
    pub from: BlockId,
    /// The block that it led to.
    pub to: BlockId,
    /// Whether by the else edge.
    pub is_else: bool,
}

/// Can the other side of a decision happen, given what was decided before it on this path?
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum OtherSide {
    /// No: the condition is implied.
    Infeasible,
    /// Yes.
    Feasible,
    /// The solver gave up.
    Unknown,
}

/// A decision on what inputs are; `C` are conditions of the domain.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision<C> {
    /// What was decided.
    pub kind: DecisionKind,
    /// The condition as it holds on this path (negated where the false side was taken).
    pub condition: C,
    /// Which side was taken, seen from the instruction.
    pub taken: bool,
    /// The other side.
    pub other: OtherSide,
}

/// One recorded event. `inst` is the index of the instruction in the frame's current block; the number of instructions
/// for the terminator.
#[derive(Clone, PartialEq, Debug)]
#[allow(missing_docs, reason = "the fields are described once, above")]
pub enum TraceEvent<C> {
    /// A callee's frame was pushed by instruction `inst` of `caller`; the callee's entry block follows.
    Enter { frame: FrameId, caller: Option<FrameId>, inst: u32 },
    /// The frame returned (its terminator was executed); control is behind the call again.
    Leave { frame: FrameId },
    /// The frame entered a block; `via` is the block it came from and whether by the else edge.
    Block { frame: FrameId, block: BlockId, via: Option<(BlockId, bool)> },
    /// Memory was read.
    Load { frame: FrameId, inst: u32, regions: Regions },
    /// Memory was written.
    Store { frame: FrameId, inst: u32, regions: Regions },
    /// A decision was made for the instruction, before its effects.
    Decision { frame: FrameId, inst: u32, decision: Decision<C> },
    /// An intrinsic other than plain memory access was executed.
    Intrinsic { frame: FrameId, inst: u32, intrinsic: Intrinsic },
    /// An atomic access was executed (a node of the schedule).
    Atomic { frame: FrameId, inst: u32 },
    /// A loop was replaced whose header the frame has come to, or this call of it, which is not executed: the header's
    /// parameters or the call's results, and these bytes, are inputs of their own. Some parameters are computed from
    /// what they were before, and bytes. Which bytes these are, and how far parameters are moved, depends on `uses`.
    Forget { frame: FrameId, call: Option<u32>, regions: Regions, moved: Moved, uses: Box<Uses> },
    /// The thread is at an epoch marker in front of the instruction. Its epoch ends there, unless it passes it.
    Marker { frame: FrameId, inst: u32 },
    /// The thread passes the marker that it is at (a node of the schedule).
    PassMarker { frame: FrameId, inst: u32 },
    /// Another thread runs from here on.
    Switch { to: ThreadId },
    /// The thread ended (its bottom frame returned, or `__ics_thread_exit`).
    ThreadEnd { thread: ThreadId },
}

/// An addition or subtraction that was executed with operands that are not both constants, where its overflow is said
/// not to happen ([`icsched_ir::NoWrap`]).
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Sum<V> {
    /// Number of events before it.
    pub at: usize,
    /// The activation.
    pub frame: FrameId,
    /// The instruction in the frame's current block.
    pub inst: u32,
    /// Its operands.
    pub operands: [V; 2],
}

/// The recorded trace of a path: `V` are values of its domain, `C` conditions.
#[derive(Clone, Debug)]
pub struct Trace<V, C> {
    /// Whether recording has started.
    pub active: bool,
    /// Whether it starts with the first loop that is replaced, or in the middle of a program with the first sum that
    /// counts, if it has not started before.
    pub is_wanted: bool,
    /// Conditional branches of the program itself so far, counted from the beginning.
    pub branches: u64,
    /// The sides that they went to, if that is asked for.
    pub sides: Option<Vec<BranchSide>>,
    /// The blocks of the first events, which were taken for granted before recording started; a walk ends behind them.
    pub granted: Vec<BlockId>,
    /// Frames by [`FrameId`] that are mentioned; others are absent.
    pub frames: rustc_hash::FxHashMap<FrameId, FrameInfo>,
    /// For each frame that was live when recording started: its block and the next instruction then.
    pub start: Vec<(FrameId, BlockId, u32)>,
    /// Events in execution order.
    pub events: Vec<TraceEvent<C>>,
    /// Additions that are said not to overflow, in execution order.
    pub sums: Vec<Sum<V>>,
}

impl<V, C> Default for Trace<V, C> {
    fn default() -> Self {
        Self {
            active: false,
            is_wanted: false,
            branches: 0,
            sides: None,
            granted: Vec::new(),
            frames: rustc_hash::FxHashMap::default(),
            start: Vec::new(),
            events: Vec::new(),
            sums: Vec::new(),
        }
    }
}

/// Ordering of schedule nodes on one object (`__ics_event`).
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum EventMode {
    /// Ordered against every other node on the object.
    Exclusive,
    /// Not ordered against other shared nodes.
    Shared,
}

/// What a node of the schedule is ordered on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EventObject {
    /// The object at this address.
    At(u64),
    /// One of those at these addresses, first and last of each range, ascending: inputs say which, and the path leaves
    /// that open (Bergan 3.4.1.5).
    AnyOf(std::rc::Rc<[(u64, u64)]>),
}

impl EventObject {
    /// The address, if the path says which object it is.
    pub fn address(&self) -> Option<u64> {
        match *self {
            Self::At(address) => Some(address),
            Self::AnyOf(_) => None,
        }
    }

    /// What only one thread is ordered on: no object has this address.
    pub(crate) const fn of_thread(thread: ThreadId) -> Self {
        Self::At(u64::MAX - thread.0 as u64)
    }
}

/// A synchronisation event of the schedule; always recorded, in execution order.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum SyncEvent {
    /// `parent` created `child`; the node for it follows as an [`SyncEvent::Node`] of the parent.
    Create { parent: ThreadId, child: ThreadId },
    /// A node.
    Node {
        /// The thread.
        thread: ThreadId,
        /// Library function (outermost model frame), or `atomic load` etc.
        operation: Arc<str>,
        /// Full calling context of the program's call.
        stack: Arc<icsched_ir::CallStack>,
        /// What it is ordered on first.
        object: EventObject,
        /// A name for the object for people: `A`, `locks[2]`, `q->lock`, `heap (queue.c:12) + 8`, `thread 3`.
        object_name: Arc<str>,
        /// How.
        mode: EventMode,
    },
    /// The thread's latest node is also ordered on this object.
    Order { thread: ThreadId, object: EventObject, mode: EventMode },
}
