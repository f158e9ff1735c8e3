//! Relative lookup tables.
//!
//! For position-independent code LLVM turns a constant table of pointers into one of 32-bit distances from the
//! table's start, read by `llvm.load.relative`. Distances between objects do not exist in the IR's address space, so
//! such a table becomes one of pointers again: the entry at distance `n` of the old table is at `2 * n` of the new.

use icsched_ir::{Access, Const, Op, Operand, Relocation, ScaledIndex, Type};
use inkwell::llvm_sys::LLVMOpcode;
use smallvec::smallvec;

use super::error::Reason;
use super::function::Body;
use super::lowering::Lowering;
use super::shape::Operands;
use crate::llvm::{Kind, TyKind, Val};

/// Bytes per entry, before and after.
const OLD_STRIDE: u64 = 4;
const NEW_STRIDE: u64 = 8;

/// The targets of a table of which every entry is a distance from its start and every use is a relative load.
pub(crate) fn relative_targets(global: Val<'_>) -> Option<Vec<Val<'_>>> {
    let ty = global.value_type();
    if !global.is_constant_global() || ty.kind() != TyKind::Array || ty.element().kind() != TyKind::Int(32) {
        return None;
    }
    let initial = global.initializer()?;
    let count = u32::try_from(ty.length()).ok()?;
    let targets: Option<Vec<Val<'_>>> =
        (0..count).map(|i| initial.aggregate_element(i).and_then(|entry| target(entry, global))).collect();
    let used_well = || global.users().into_iter().all(|user| is_relative_load(user, global) || is_own_address(user));
    targets.filter(|targets| !targets.is_empty() && used_well())
}

/// `X` in `trunc(ptrtoint(X) - ptrtoint(table))`.
fn target<'m>(entry: Val<'m>, table: Val<'m>) -> Option<Val<'m>> {
    let operand = |value: Val<'m>, opcode, index| (value.kind() == Kind::Expr(opcode)).then(|| value.operand(index));
    let distance = operand(entry, LLVMOpcode::LLVMTrunc, 0)?;
    let start = operand(operand(distance, LLVMOpcode::LLVMSub, 1)?, LLVMOpcode::LLVMPtrToInt, 0)?;
    let to = operand(operand(distance, LLVMOpcode::LLVMSub, 0)?, LLVMOpcode::LLVMPtrToInt, 0)?;
    (start == table).then_some(to)
}

fn is_relative_load(user: Val<'_>, table: Val<'_>) -> bool {
    user.kind() == Kind::Instruction
        && user.opcode() == LLVMOpcode::LLVMCall
        && user.callee().name().starts_with("llvm.load.relative")
        && user.operand(0) == table
}

/// The table's address within its own entries.
fn is_own_address(user: Val<'_>) -> bool {
    user.kind() == Kind::Expr(LLVMOpcode::LLVMPtrToInt)
}

impl<'m> Lowering<'m> {
    /// Writes a table of pointers; the result is its size.
    pub(crate) fn write_relative_table(
        &self,
        targets: &[Val<'m>],
        data: &mut Vec<u8>,
        relocations: &mut Vec<Relocation>,
    ) -> Result<u64, Reason> {
        for (position, &target) in (0_u64..).zip(targets) {
            self.write_initial(target, position * NEW_STRIDE, data, relocations)?;
        }
        Ok(targets.len() as u64 * NEW_STRIDE)
    }
}

impl<'m> Body<'_, 'm> {
    /// `llvm.load.relative(table, distance)`.
    pub(crate) fn lower_relative_load(&mut self, table: Val<'m>, distance: Val<'m>) -> Result<Operands, Reason> {
        if table.kind() != Kind::Global || !self.cx.is_relative_table(table) {
            return Err(Reason::from("relative load from something other than a constant table"));
        }
        let base = self.scalar(table)?;
        let scale = i64::try_from(NEW_STRIDE / OLD_STRIDE).expect("small");
        let address = match self.index(distance, true)? {
            Operand::Const(Const::Bits { bits, .. }) => {
                self.offset_address(base, bits.cast_signed().wrapping_mul(scale))
            }
            index => self
                .emit(Type::Ptr, Op::Address { base, offset: 0, indices: smallvec![ScaledIndex::new(index, scale)] }),
        };
        Ok(smallvec![self.emit(Type::Ptr, Op::Load { address, access: Access::default() })])
    }
}
