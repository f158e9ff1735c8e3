//! Which instructions end the process, free memory, or ask for threads to be cancelled.

use icsched_ir::{Callee, Const, Function, Inst, Intrinsic, Op, Operand, Origin, Program};

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
        Op::Call { callee: Callee::Intrinsic(intrinsic), .. } => {
            matches!(intrinsic, Intrinsic::Abort | Intrinsic::AssertFail)
        }
        _ => false,
    }
}

/// Whether an intrinsic ends the process, and is neither an error nor something that is not supported.
pub(crate) fn is_end(intrinsic: Intrinsic) -> bool {
    matches!(intrinsic, Intrinsic::Exit | Intrinsic::Abort | Intrinsic::AssertFail)
}
