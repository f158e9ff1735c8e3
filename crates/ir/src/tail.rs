//! Calls in place of the rest of a function: C's `[[clang::musttail]] return f(x);`.
//!
//! ```text
//! call __ics_stack_restore(null)
//! %r = call @f(%x)
//! return %r
//! ```
//!
//! The locals of the activation end before such a call, so nothing of it is needed any more, and any number of these
//! calls in a row takes no more stack than one. The optimiser's `tail` promises less: it is a call like others.

use crate::inst::{Callee, Const, Inst, Op, Operand, Terminator};
use crate::intrinsic::Intrinsic;
use crate::program::Block;

/// What stands in front of such a call: it ends all locals of the activation.
pub fn tail_mark() -> Op {
    Op::Call { callee: Callee::Intrinsic(Intrinsic::StackRestore), args: vec![Operand::Const(Const::NULL)] }
}

/// Whether this instruction is a call in place of the rest of its function. O(results).
pub fn is_tail_call(block: &Block, inst: usize) -> bool {
    let is_marked = inst.checked_sub(1).and_then(|before| block.insts.get(before)).is_some_and(|i| i.op == tail_mark());
    match (block.insts.get(inst), &block.terminator) {
        (Some(Inst { op: Op::Call { .. }, results, .. }), Terminator::Return(values)) => {
            let returned = values.iter().map(|value| value.value());
            is_marked && inst + 1 == block.insts.len() && returned.eq(results.iter().map(|&result| Some(result)))
        }
        _ => false,
    }
}
