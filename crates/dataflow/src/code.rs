//! Small questions about single instructions and points of code.

use icsched_ir::{Access, BlockId, FuncId, Intrinsic, Op, Operand, Program, ProgramPoint, Terminator};

/// The point of the `index`-th instruction of a block.
pub(crate) fn point(func: FuncId, block: BlockId, index: usize) -> ProgramPoint {
    ProgramPoint { func, block, inst: u32::try_from(index).expect("blocks have fewer instructions") }
}

/// The operation at a point; `None` at the end of a block.
pub(crate) fn operation(program: &Program, point: ProgramPoint) -> Option<&Op> {
    let block = &program.functions[point.func].blocks[point.block];
    block.insts.get(point.inst as usize).map(|inst| &inst.op)
}

/// What a block returns, if it ends the activation by returning.
pub(crate) fn returned(terminator: &Terminator) -> Option<&[Operand]> {
    match terminator {
        Terminator::Return(values) => Some(values),
        Terminator::Jump(_) | Terminator::Branch { .. } | Terminator::Unreachable | Terminator::Unsupported { .. } => {
            None
        }
    }
}

/// Whether an access is neither volatile nor atomic.
pub(crate) fn is_plain(access: Access) -> bool {
    !access.volatile && access.atomic.is_none()
}

/// Whether the operation ends the activation that executes it.
pub(crate) fn never_returns(intrinsic: Intrinsic) -> bool {
    intrinsic.ends_process()
        || matches!(intrinsic, Intrinsic::ThreadExit | Intrinsic::Resume | Intrinsic::RestoreContext)
}
