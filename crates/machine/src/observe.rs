//! What a run tells to whoever watches it; trace recording is an observer.

use icsched_ir::{BlockId, Intrinsic};

use crate::code::Code;
use crate::memory::{ObjectId, ObjectKind};
use crate::state::State;
use crate::thread::{FrameId, ThreadId};
use crate::trace::{BranchSide, FrameInfo, Moved, Regions, Uses};
use crate::values::Values;

/// Hooks of the step function. Each is called once per executed instruction, after its effects; never for an
/// instruction that stopped and will be executed again. `inst` is the index in the frame's current block.
pub trait Observer<D: Values> {
    /// Whether anything is listened to; when not, the calls compile to nothing.
    const ENABLED: bool = true;

    /// Whether loads and stores are listened to now; while not, some are not told.
    fn is_active(&self) -> bool {
        true
    }

    /// Whether nothing is listened to yet, and will be from the next [`begin`](Self::begin) on.
    fn waits(&self) -> bool {
        false
    }

    /// What comes next is to be listened to: it makes something that nobody knows, or is a sum that may count.
    fn begin(&mut self, _state: &State<D>, _code: &Code) {}

    /// A frame was pushed by instruction `by` of another frame: a call, or for the bottom frame of a thread (whose
    /// [`FrameInfo::caller`] is `None`) its creation. `None`: the engine's start-up, or what the thread was interrupted
    /// for. The entry block follows.
    fn enter(&mut self, _frame: FrameId, _info: FrameInfo, _by: Option<(FrameId, u32)>) {}
    /// The frame returned.
    fn leave(&mut self, _frame: FrameId) {}
    /// The frame entered a block; `via` is the block it came from and whether by the else edge, `None` at the entry and
    /// after a `longjmp`.
    fn block(&mut self, _frame: FrameId, _block: BlockId, _via: Option<(BlockId, bool)>) {}
    /// A conditional branch of the program itself was executed; the block that it led to follows.
    fn branch(&mut self, _side: BranchSide) {}
    /// An addition or subtraction was executed that is said not to overflow, and whose operands are not both constants.
    fn sum(&mut self, _frame: FrameId, _inst: u32, _operands: [D::Value; 2]) {}
    /// Memory was read.
    fn load(&mut self, _frame: FrameId, _inst: u32, _regions: Regions) {}
    /// Memory was written.
    fn store(&mut self, _frame: FrameId, _inst: u32, _regions: Regions) {}
    /// An object was made by an instruction: a local, a heap object; the variable arguments and first used
    /// thread-locals of an activation, before its [`enter`](Self::enter), by no instruction of its own.
    fn allocate(&mut self, _object: ObjectId, _kind: ObjectKind, _by: Option<(FrameId, u32)>) {}
    /// An intrinsic other than plain memory access was executed. Its loads and stores come before it.
    fn intrinsic(&mut self, _frame: FrameId, _inst: u32, _intrinsic: Intrinsic) {}
    /// An atomic access was executed; its load and store come before it.
    fn atomic(&mut self, _frame: FrameId, _inst: u32) {}
    /// A loop was replaced whose header the frame is in, or a call of it: what that may write is forgotten.
    fn forget(&mut self, _frame: FrameId, _call: Option<u32>, _regions: Regions, _moved: Moved, _uses: Uses) {}
    /// A thread is at an epoch marker in front of an instruction.
    fn marker(&mut self, _frame: FrameId, _inst: u32) {}
    /// The thread passes the epoch marker that it was last said to be at.
    fn pass_marker(&mut self, _frame: FrameId, _inst: u32) {}
    /// Another thread runs from here on.
    fn switch(&mut self, _to: ThreadId) {}
    /// A thread ended.
    fn thread_end(&mut self, _thread: ThreadId) {}
}

impl<D: Values> Observer<D> for () {
    const ENABLED: bool = false;
}
