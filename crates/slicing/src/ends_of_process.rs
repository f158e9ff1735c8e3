//! Which instructions end the process, free memory, or ask for threads to be cancelled.

use icsched_ir::{Callee, Const, Function, Inst, Intrinsic, Op, Operand, Origin, Program};

/// The ends of the process of which it does not matter where on the way along a schedule they come: who ends it
/// follows a schedule that goes on, as far as it comes (3.4.1.1). All others count as synchronisation.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum QuietEnds {
    /// All of them.
    All,
    /// `exit`, and no failure: who looks for failures wants to know of each.
    Exits,
    /// None: no schedule is a prefix of another one.
    None,
}

impl QuietEnds {
    /// Whether an instruction ends the process, and is none of these.
    pub(crate) fn leaves_out(self, op: &Op) -> bool {
        match self {
            Self::All => false,
            Self::Exits => aborts(op),
            Self::None => ends(op),
        }
    }

    /// The same for an intrinsic.
    pub(crate) fn leave_out(self, intrinsic: Intrinsic) -> bool {
        match self {
            Self::All => false,
            Self::Exits => is_failure(intrinsic),
            Self::None => is_end(intrinsic),
        }
    }
}

/// Whether an instruction ends the process by itself, as the program wants it.
pub(crate) fn ends(op: &Op) -> bool {
    match op {
        Op::Trap => true,
        Op::Call { callee: Callee::Intrinsic(intrinsic), .. } => is_end(*intrinsic),
        _ => false,
    }
}

/// Whether a function calls `pthread_setcanceltype` with anything but the type that a thread begins with.
pub(crate) fn cancels_anywhere(program: &Program, function: &Function) -> bool {
    let is_deferred = |arg: &Operand| matches!(arg, Operand::Const(Const::Bits { bits: 0, .. }));
    let asks = |inst: &Inst| match &inst.op {
        Op::Call { callee: Callee::Direct(f), args } => {
            program.functions[*f].library_name() == "pthread_setcanceltype" && !args.first().is_some_and(is_deferred)
        }
        _ => false,
    };
    function.origin == Origin::Program && function.blocks.values().flat_map(|block| &block.insts).any(asks)
}

/// Whether an instruction frees memory.
pub(crate) fn frees(op: &Op) -> bool {
    matches!(op, Op::Call { callee: Callee::Intrinsic(Intrinsic::Free), .. })
}

/// Whether an instruction ends the process as a failure.
pub(crate) fn aborts(op: &Op) -> bool {
    match op {
        Op::Trap => true,
        Op::Call { callee: Callee::Intrinsic(intrinsic), .. } => is_failure(*intrinsic),
        _ => false,
    }
}

/// Whether an intrinsic ends the process as a failure.
fn is_failure(intrinsic: Intrinsic) -> bool {
    matches!(intrinsic, Intrinsic::Abort | Intrinsic::AssertFail)
}

/// Whether an intrinsic ends the process, and is neither an error nor something that is not supported.
fn is_end(intrinsic: Intrinsic) -> bool {
    matches!(intrinsic, Intrinsic::Exit | Intrinsic::Abort | Intrinsic::AssertFail)
}
