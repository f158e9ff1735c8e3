//! Program contexts: where the threads of a program are (Bergan 2.1, 2.3.2, 2.5.2).

use icsched_ir::{CallStack, Callee, Op, Program, ProgramPoint};

/// Whether a thread can go on.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Status {
    /// It can.
    Running,
    /// It waits in the call that its point is at, until it is notified.
    Waiting,
}

/// Where one thread is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ThreadContext {
    /// Its frames, oldest first: each the call that it has made, the last one the instruction that comes next.
    pub stack: CallStack,
    /// Whether the oldest frame is the thread's first; else anybody may have called it.
    pub complete: bool,
    /// Positions of frames: between each of them and the one before are others, nobody knows which.
    pub folds: Vec<u32>,
    /// Whether it can go on.
    pub status: Status,
}

/// A program context: the threads that are alive, in no particular order of creation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Context {
    /// One entry per live thread.
    pub threads: Vec<ThreadContext>,
    /// Whether every thread that one of the frames has created is alive, and every one that can be joined: then they
    /// are among these.
    pub none_ended: bool,
}

/// Why a stack is none of the program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ContextError {
    /// It has no frames.
    #[error("a thread without a frame")]
    Empty,
    /// There is no such instruction.
    #[error("frame {0} is at a point that its function does not have")]
    NoSuchPoint(usize),
    /// The instruction is no call that can run the next frame's function.
    #[error("frame {0} does not call the function of the next one")]
    NoSuchCall(usize),
}

impl Context {
    /// The same without what is below frames that [have others below them](ThreadContext::folds).
    pub(crate) fn innermost(&self) -> Self {
        Self { threads: self.threads.iter().map(ThreadContext::innermost).collect(), none_ended: self.none_ended }
    }
}

impl ThreadContext {
    /// A running thread whose oldest known frame anybody may have called.
    pub fn running(points: Vec<ProgramPoint>) -> Self {
        Self { stack: CallStack(points), complete: false, folds: Vec::new(), status: Status::Running }
    }

    /// Position of the oldest of the innermost frames between which no others are.
    pub fn oldest_known(&self) -> u32 {
        self.folds.iter().copied().max().unwrap_or(0)
    }

    /// The thread from its [`oldest_known`](Self::oldest_known) frame on.
    fn innermost(&self) -> Self {
        match self.oldest_known() as usize {
            0 => self.clone(),
            first => Self {
                stack: CallStack(self.stack.0[first..].to_vec()),
                complete: false,
                folds: Vec::new(),
                status: self.status,
            },
        }
    }

    /// Checks that the frames are in code and each calls the next, as far as the code alone tells.
    ///
    /// # Errors
    /// The first frame that is wrong.
    pub fn check(&self, program: &Program) -> Result<(), ContextError> {
        let points = &self.stack.0;
        if points.is_empty() {
            return Err(ContextError::Empty);
        }
        for (at, &point) in points.iter().enumerate() {
            let block = program.functions.get(point.func).and_then(|f| f.blocks.get(point.block));
            let block = block.ok_or(ContextError::NoSuchPoint(at))?;
            if point.inst as usize > block.insts.len() {
                return Err(ContextError::NoSuchPoint(at));
            }
            let Some(next) = points.get(at + 1) else { continue };
            let calls = match block.insts.get(point.inst as usize).map(|i| &i.op) {
                Some(Op::Call { callee: Callee::Direct(func), .. }) => *func == next.func,
                Some(Op::Call { callee: Callee::Indirect(_), .. }) => true,
                _ => false,
            };
            if !calls {
                return Err(ContextError::NoSuchCall(at));
            }
        }
        Ok(())
    }
}
