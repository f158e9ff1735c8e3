//! Why a step could not go on, and why a path ended.

use std::fmt::{self, Debug};

use icsched_ir::{CallStack, ProgramPoint};
use serde::{Deserialize, Serialize};

use crate::ids::ThreadId;
use crate::values::Values;

/// What happens behind undefined behaviour (`--memory-errors`).
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub enum MemoryErrors {
    /// The path ends: what the program does then is undefined.
    #[default]
    Stop,
    /// It goes on. What was read there is an indeterminate value, and what was written there is lost.
    Continue,
}

/// What a decision decides. Matched exhaustively by strategies and by the slicer.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum DecisionKind {
    /// The condition of a branch.
    Branch,
    /// The address lies inside its object (true) or not (a memory error).
    InBounds,
    /// The object is alive (true) or was freed (a memory error).
    Alive,
    /// The divisor is not zero (true), or the division does not overflow.
    Divisor,
    /// The same as the last three with [`MemoryErrors::Continue`]: the path goes on behind the error, too.
    Valid,
    /// A value that must be a constant equals this candidate: an address of a synchronisation object.
    SyncAddress,
    /// The same, for a function pointer.
    CallTarget,
    /// The same, for a size, a count or an address that is not resolvable otherwise.
    Concretise,
    /// A waiting thread is in the queue that is notified, and the first there that has not been woken.
    Wake,
    /// A call of a recursion in itself that is replaced is passed over; it is looked into on the false side
    /// ([`crate::abstraction`]).
    PassesCall,
    /// The number that the test of a replaced loop compares with is no greater than one that says how often the loop
    /// goes round at most ([`crate::abstraction`]).
    Rounds,
    /// `__ics_assume`: the false side does not exist.
    Assume,
    /// A model's question about an input that is not a branch (`free` of a conditional pointer and the like).
    Other,
}

impl DecisionKind {
    /// Whether it holds an address to one value.
    pub const fn holds_address(self) -> bool {
        matches!(self, DecisionKind::SyncAddress | DecisionKind::CallTarget | DecisionKind::Other)
    }

    /// Whether the false side is an error of the program, not an input to cover.
    pub const fn false_is_error(self) -> bool {
        match self {
            DecisionKind::InBounds | DecisionKind::Alive | DecisionKind::Divisor => true,
            DecisionKind::Branch
            | DecisionKind::Valid
            | DecisionKind::SyncAddress
            | DecisionKind::CallTarget
            | DecisionKind::Concretise
            | DecisionKind::Wake
            | DecisionKind::PassesCall
            | DecisionKind::Rounds
            | DecisionKind::Assume
            | DecisionKind::Other => false,
        }
    }

    /// Whether the false side is an error, be it one that the path goes on behind.
    pub const fn is_of_error(self) -> bool {
        self.false_is_error() || matches!(self, DecisionKind::Valid)
    }

    /// Whether the true side takes one value of those that something may have.
    pub const fn chooses_value(self) -> bool {
        matches!(self, DecisionKind::SyncAddress | DecisionKind::CallTarget | DecisionKind::Concretise)
    }
}

/// A memory error or other undefined behaviour, as the user is told.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProgramError {
    /// What went wrong.
    pub kind: ErrorKind,
    /// One sentence with sizes, offsets and names.
    pub message: String,
    /// The thread.
    pub thread: ThreadId,
    /// Where, with the calls that led there (model frames included).
    pub stack: CallStack,
}

/// Classes of undefined behaviour.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ErrorKind {
    OutOfBounds,
    UseAfterFree,
    UseAfterReturn,
    DoubleFree,
    InvalidFree,
    NullPointer,
    WildPointer,
    WriteToConstant,
    DivisionByZero,
    Unreachable,
    BadCall,
    StackOverflow,
    Overlap,
    Uninitialised,
    Model,
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ErrorKind::OutOfBounds => "out-of-bounds",
            ErrorKind::UseAfterFree => "use-after-free",
            ErrorKind::UseAfterReturn => "use-after-return",
            ErrorKind::DoubleFree => "double-free",
            ErrorKind::InvalidFree => "invalid-free",
            ErrorKind::NullPointer => "null-pointer",
            ErrorKind::WildPointer => "wild-pointer",
            ErrorKind::WriteToConstant => "write-to-constant",
            ErrorKind::DivisionByZero => "division-by-zero",
            ErrorKind::Unreachable => "unreachable",
            ErrorKind::BadCall => "bad-call",
            ErrorKind::StackOverflow => "stack-overflow",
            ErrorKind::Overlap => "overlapping-copy",
            ErrorKind::Uninitialised => "uninitialised-value",
            ErrorKind::Model => "library-misuse",
        })
    }
}

/// A blocked thread of a deadlock.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BlockedThread {
    /// The thread.
    pub thread: ThreadId,
    /// Address of the wait queue; 0 where it is not known.
    pub queue: u64,
    /// The program's call that blocks (outermost model frame's call site), and its stack.
    pub stack: CallStack,
    /// Name of the library function called there.
    pub operation: String,
    /// The thread that holds the lock waited for, if it is a held lock.
    pub holder: Option<ThreadId>,
}

/// How a path ended.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum PathEnd {
    /// `exit`, or `main` returned.
    Exit {
        /// Exit status as passed, before truncation; `None` if it depends on inputs.
        status: Option<i32>,
    },
    /// `abort()`.
    Abort {
        /// Where.
        stack: CallStack,
    },
    /// A failed `assert`.
    AssertFailed {
        /// The asserted expression, or the call that is never to be made: [`failed_assertion`] has the words for both.
        expression: String,
        /// Where.
        stack: CallStack,
    },
    /// No thread can go on.
    Deadlock {
        /// All blocked threads.
        blocked: Vec<BlockedThread>,
    },
    /// Some threads go round for ever in loops that do not synchronise, and no other one can go on.
    Endless {
        /// These threads, each with where its loop is.
        loops: Vec<(ThreadId, CallStack)>,
        /// All blocked threads.
        blocked: Vec<BlockedThread>,
    },
    /// Undefined behaviour.
    Error(ProgramError),
    /// A call of a function that has neither a definition nor a model.
    Unmodelled {
        /// The function.
        function: String,
        /// Where it is called.
        stack: CallStack,
    },
    /// An instruction that was not lowered, or a value operation the domain cannot do.
    Unsupported {
        /// What.
        what: String,
        /// Where.
        stack: CallStack,
    },
    /// A limit of the run.
    Limit(Limit),
    /// Every thread is at an epoch marker, waits, or has ended, and at least one is at a marker (Bergan 3.2.2).
    Epoch,
    /// A loop that is replaced goes round: nothing new is behind that ([`crate::abstraction`]).
    GoesRound,
    /// No thread can go on, and at least one has returned from its oldest known activation.
    LeftContext,
    /// The assumptions of the path contradict each other: nothing to explore.
    Infeasible,
}

/// What is said of [`PathEnd::AssertFailed`]: ``assertion `x > 0` failed``, or `reach_error() was called`.
pub fn failed_assertion(expression: &str) -> String {
    match expression.ends_with("() was called") {
        true => expression.to_owned(),
        false => format!("assertion `{expression}` failed"),
    }
}

/// Limits that cut one path.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Limit {
    /// Instructions on one path.
    Instructions,
    /// Wall-clock time of the run.
    Time,
    /// Memory.
    Memory,
    /// Stopped from outside (Ctrl-C).
    Interrupted,
    /// Symbolic decisions on one path.
    Decisions,
    /// Synchronisation events on one path.
    Events,
}

/// Why a step did not complete.
pub enum Stop<D: Values> {
    /// A condition must be decided first; then the same instruction is executed again.
    Undecided {
        /// An `i1`, not constant.
        condition: D::Value,
        /// What it decides.
        kind: DecisionKind,
        /// Where the false side is an error: what to report then.
        error: Option<Box<(ErrorKind, String)>>,
    },
    /// It is to be told if a condition may be false, which is an error that changes nothing; then the same instruction
    /// is executed again.
    Suspect {
        /// An `i1`, not constant.
        condition: D::Value,
        /// What to report.
        error: Box<(ErrorKind, String)>,
    },
    /// A pointer of the initial state must be exposed first ([`Machine::expose`](crate::Machine::expose)); then the
    /// same instruction is executed again.
    Hidden {
        /// The pointer.
        pointer: D::Value,
    },
    /// It is to be chosen which enabled thread goes on ([`PathRun::switch`](crate::explore::PathRun::switch)).
    Switch,
    /// The path ends here.
    End(Box<PathEnd>),
    /// Undefined behaviour; the engine adds thread and stack.
    Fault {
        /// What.
        kind: ErrorKind,
        /// One sentence.
        message: String,
    },
    /// The domain cannot do this; the engine adds the stack.
    Unsupported {
        /// What.
        what: String,
    },
}

impl<D: Values> fmt::Debug for Stop<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Undecided { condition, kind, .. } => write!(f, "Undecided({kind:?}, {condition:?})"),
            Stop::Suspect { condition, .. } => write!(f, "Suspect({condition:?})"),
            Stop::Switch => f.write_str("Switch"),
            Stop::Hidden { pointer } => write!(f, "Hidden({pointer:?})"),
            Stop::End(end) => write!(f, "End({end:?})"),
            Stop::Fault { kind, message } => write!(f, "Fault({kind}, {message:?})"),
            Stop::Unsupported { what } => write!(f, "Unsupported({what:?})"),
        }
    }
}

/// A decision made on a path.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct DecisionSite {
    /// The thread that decides.
    pub thread: ThreadId,
    /// The instruction or terminator.
    pub point: ProgramPoint,
    /// What is decided.
    pub kind: DecisionKind,
}

/// Asks a machine to stop soon, with what is known.
///
/// A machine looks at it after every bulk operation and before every slice of instructions, so that one `memset` of
/// gigabytes delays a stop and a hundred of them do not.
pub trait StopSignal: Debug + Send + Sync {
    /// Why to stop, if it was asked for.
    fn asked(&self) -> Option<Limit>;
    /// Is told where in the program the run is.
    fn note(&self, at: Option<ProgramPoint>);
}

/// Never asks.
impl StopSignal for () {
    fn asked(&self) -> Option<Limit> {
        None
    }

    fn note(&self, _at: Option<ProgramPoint>) {}
}
