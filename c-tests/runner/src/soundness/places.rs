//! Which operands an instruction takes the addresses of its accesses from.

use icsched_ir::{Callee, Intrinsic, Op, Operand};
use smallvec::{SmallVec, smallvec};

/// Where the addresses come from that an instruction reads at, or writes at if `write`; the access must be at one of
/// them.
pub(super) fn addresses(op: &Op, write: bool) -> SmallVec<[Operand; 1]> {
    match op {
        Op::Load { address, .. }
        | Op::Store { address, .. }
        | Op::AtomicRmw { address, .. }
        | Op::CompareExchange { address, .. } => smallvec![*address],
        Op::MemCopy { to, from, .. } | Op::VaCopy { to, from } => smallvec![if write { *to } else { *from }],
        Op::MemSet { to, .. } => smallvec![*to],
        Op::VaStart { list } => smallvec![*list],
        Op::Call { callee: Callee::Intrinsic(Intrinsic::MemCopy | Intrinsic::MemMove), args } => {
            smallvec![args[usize::from(!write)]]
        }
        // Strings and buffers of the engine's operations.
        Op::Call { callee: Callee::Intrinsic(_), args } => args.iter().copied().collect(),
        _ => SmallVec::new(),
    }
}
