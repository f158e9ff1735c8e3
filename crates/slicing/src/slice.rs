//! What a slice is.

use icsched_ir::ProgramPoint;
use icsched_machine::thread::FrameId;
use icsched_smt::Term;

/// A decision in the slice.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SliceDecision {
    /// Index of its [`TraceEvent::Decision`].
    pub event: usize,
    /// The frame that decided.
    pub frame: FrameId,
    /// Where.
    pub point: ProgramPoint,
    /// The condition as it held.
    pub condition: Term,
    /// How often the same question was asked before: reached by the same calls, in a recursive function by any. More
    /// than once means that some loop or recursion goes round.
    pub repeat: u32,
}

/// A precondition slice.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Slice {
    /// The conditions of the schedule, in execution order.
    pub decisions: Vec<SliceDecision>,
    /// Decisions against ending the process while no other thread was alive: inputs that satisfy the conditions before
    /// one, but not it, follow the schedule up to there and end (prefix schedules, 3.4.1.1).
    pub early_exits: Vec<SliceDecision>,
    /// The events of all decisions against ending the process: whoever comes to the end of the trace has decided so.
    pub exits: Vec<usize>,
    /// The events with which branches in the slice were left, be they decided by inputs or not; the last one first.
    pub branches: Vec<usize>,
}
