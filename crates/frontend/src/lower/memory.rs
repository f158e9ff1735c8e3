//! Memory: addresses, loads and stores, allocas, atomics.

use icsched_ir::{Access, Const, IntPredicate, Op, Operand, Ordering, RmwOp, ScaledIndex, Type};
use inkwell::llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMOpcode};
use smallvec::{SmallVec, smallvec};

use super::function::{Body, Operands, Reason};
use crate::llvm::{TyKind, Val};

impl<'m> Body<'_, 'm> {
    /// `base + offset`, folded where base is a global or nothing is added.
    pub(crate) fn offset_address(&mut self, base: Operand, offset: i64) -> Operand {
        match base {
            _ if offset == 0 => base,
            Operand::Const(Const::Global { global, offset: start }) => {
                Operand::Const(Const::Global { global, offset: start.wrapping_add(offset) })
            }
            _ => self.emit(Type::Ptr, Op::Address { base, offset, indices: SmallVec::new() }),
        }
    }

    /// `getelementptr`: base + constant + sum of index * scale, per lane if it is a vector of addresses.
    pub(crate) fn lower_address(&mut self, gep: Val<'m>) -> Result<Operands, Reason> {
        let lanes = self.check(gep.ty())?.leaves.len();
        let bases = self.operands(gep.operand(0))?;
        let mut offset = 0_i64;
        let mut scaled: Vec<(Operands, i64, Option<u64>)> = Vec::new();
        let mut ty = gep.gep_source_type();
        // Whether what is indexed next is a member that others are behind.
        let mut is_before_others =
            gep.operand_count() > 2 && starts_at_first(gep) && is_member_before_others(gep.operand(0));
        for position in 1..gep.operand_count() {
            let index = gep.operand(position);
            let mut elements = None;
            if position > 1 {
                match ty.kind() {
                    TyKind::Struct => {
                        let field = self.field_index(index)?;
                        let start = self.cx.layout().offset(ty, field).ok_or("field of an unsized struct")?;
                        offset = offset.wrapping_add_unsigned(start);
                        let fields = ty.fields();
                        is_before_others = (field as usize) + 1 < fields.len();
                        ty = fields[field as usize];
                        continue;
                    }
                    TyKind::Array | TyKind::Vector => {
                        // Those of no element or one stand for others: what is behind them, as extensions of C have it.
                        let is_limited = std::mem::take(&mut is_before_others) && ty.length() > 1;
                        elements = is_limited.then(|| ty.length());
                        ty = ty.element();
                    }
                    _ => return Err("index into a scalar".to_owned()),
                }
            }
            let scale = i64::try_from(self.cx.layout().size(ty)).map_err(|_| "huge element".to_owned())?;
            match index.int_signed() {
                Some(constant) => offset = offset.wrapping_add(constant.wrapping_mul(scale)),
                None => scaled.push((self.lane_indices(index)?, scale, elements)),
            }
        }
        (0..lanes)
            .map(|lane| {
                let base = *bases.get(lane).or(bases.first()).ok_or("empty vector")?;
                let indices: SmallVec<[ScaledIndex; 1]> = scaled
                    .iter()
                    .filter_map(|(indices, scale, elements)| {
                        let index = *indices.get(lane).or(indices.first())?;
                        Some(ScaledIndex { index, scale: *scale, elements: *elements })
                    })
                    .collect();
                Ok(self.address(base, offset, indices))
            })
            .collect()
    }

    fn address(&mut self, base: Operand, mut offset: i64, indices: SmallVec<[ScaledIndex; 1]>) -> Operand {
        let mut kept: SmallVec<[ScaledIndex; 1]> = SmallVec::new();
        for scaled in indices {
            match scaled.index {
                Operand::Const(Const::Bits { bits, .. }) => {
                    offset = offset.wrapping_add(bits.cast_signed().wrapping_mul(scaled.scale));
                }
                _ if scaled.scale == 0 => {}
                _ => kept.push(scaled),
            }
        }
        if kept.is_empty() {
            return self.offset_address(base, offset);
        }
        self.emit(Type::Ptr, Op::Address { base, offset, indices: kept })
    }

    /// Struct fields are selected by constants, or by vectors of equal ones.
    fn field_index(&self, index: Val<'m>) -> Result<u32, Reason> {
        let constant = index.int_bits().or_else(|| index.aggregate_element(0)?.int_bits());
        constant.and_then(|i| u32::try_from(i).ok()).ok_or_else(|| "field index".to_owned())
    }

    fn lane_indices(&mut self, index: Val<'m>) -> Result<Operands, Reason> {
        let lanes = self.parts(index)?;
        Ok(lanes.into_iter().map(|(_, lane)| self.widen(lane[0], true)).collect())
    }

    pub(crate) fn lower_alloca(&mut self, inst: Val<'m>) -> Result<Operands, Reason> {
        self.check(inst.ty())?;
        let ty = inst.allocated_type();
        if !ty.is_sized() {
            return Err("variable without a size".to_owned());
        }
        let count = self.index(inst.operand(0), false)?;
        let size = self.cx.layout().size(ty);
        let align = inst.alignment().max(1);
        Ok(smallvec![self.emit(Type::Ptr, Op::Alloca { size, count, align })])
    }

    pub(crate) fn lower_load(&mut self, inst: Val<'m>) -> Result<Operands, Reason> {
        let shape = self.check(inst.ty())?;
        let access = access(inst)?;
        let base = self.scalar(inst.operand(0))?;
        if access.atomic.is_some() && self.is_wide_atomic(inst) {
            return self.wide_atomic_load(base);
        }
        if access.atomic.is_some() && shape.leaves.len() != 1 {
            return Err(format!("atomic load of type {}", inst.ty().print()));
        }
        if !shape.addressable {
            return Ok(self.load_packed(&shape, |body, offset, ty| {
                let address = body.offset_address(base, offset);
                body.emit(ty, Op::Load { address, access })
            }));
        }
        Ok(shape
            .leaves
            .iter()
            .map(|leaf| {
                let address = self.offset_address(base, leaf.offset.cast_signed());
                self.emit(leaf.ty, Op::Load { address, access })
            })
            .collect())
    }

    pub(crate) fn lower_store(&mut self, inst: Val<'m>) -> Result<Operands, Reason> {
        let value = inst.operand(0);
        let shape = self.check(value.ty())?;
        let access = access(inst)?;
        let operands = self.operands(value)?;
        let base = self.scalar(inst.operand(1))?;
        if access.atomic.is_some() && self.is_wide_atomic(value) {
            return self.wide_atomic_store(base, &operands);
        }
        if access.atomic.is_some() && shape.leaves.len() != 1 {
            return Err(format!("atomic store of type {}", value.ty().print()));
        }
        if !shape.addressable {
            for (offset, value) in self.packed(&shape, &operands) {
                let address = self.offset_address(base, offset);
                self.emit_void(Op::Store { address, value, access });
            }
            return Ok(Operands::new());
        }
        for (leaf, value) in shape.leaves.iter().zip(operands) {
            let address = self.offset_address(base, leaf.offset.cast_signed());
            self.emit_void(Op::Store { address, value, access });
        }
        Ok(Operands::new())
    }

    /// A fence for signal handlers of the same thread orders nothing here.
    pub(crate) fn lower_fence(&mut self, inst: Val<'m>) -> Result<Operands, Reason> {
        let ordering = ordering(inst.ordering())?.ok_or("fence without an ordering")?;
        if !inst.is_single_thread() {
            self.emit_void(Op::Fence { ordering });
        }
        Ok(Operands::new())
    }

    pub(crate) fn lower_rmw(&mut self, inst: Val<'m>) -> Result<Operands, Reason> {
        self.check(inst.operand(1).ty())?;
        if self.is_wide_atomic(inst.operand(1)) {
            return self.wide_rmw(inst);
        }
        let op = rmw_op(inst.rmw_op()).ok_or("read-modify-write operation")?;
        let ordering = ordering(inst.ordering())?.ok_or("read-modify-write without an ordering")?;
        let address = self.scalar(inst.operand(0))?;
        let value = self.scalar(inst.operand(1))?;
        let ty = self.type_of(value);
        Ok(smallvec![self.emit(ty, Op::AtomicRmw { op, address, value, ordering })])
    }

    /// The second result, "it was exchanged", is a comparison. Weak exchanges never fail spuriously.
    pub(crate) fn lower_compare_exchange(&mut self, inst: Val<'m>) -> Result<Operands, Reason> {
        self.check(inst.operand(2).ty())?;
        if self.is_wide_atomic(inst.operand(2)) {
            return self.wide_compare_exchange(inst);
        }
        let (success, failure) = inst.exchange_orderings();
        let success = ordering(success)?.ok_or("exchange without an ordering")?;
        let failure = ordering(failure)?.ok_or("exchange without an ordering")?;
        let address = self.scalar(inst.operand(0))?;
        let expected = self.scalar(inst.operand(1))?;
        let new = self.scalar(inst.operand(2))?;
        let ty = self.type_of(new);
        let old = self.emit(ty, Op::CompareExchange { address, expected, new, success, failure });
        let done = self.emit(Type::Int(1), Op::IntCompare { predicate: IntPredicate::Eq, a: old, b: expected });
        Ok(smallvec![old, done])
    }
}

fn access(inst: Val<'_>) -> Result<Access, Reason> {
    Ok(Access { volatile: inst.is_volatile(), atomic: ordering(inst.ordering())? })
}

fn ordering(ordering: LLVMAtomicOrdering) -> Result<Option<Ordering>, Reason> {
    Ok(match ordering {
        LLVMAtomicOrdering::LLVMAtomicOrderingNotAtomic => None,
        LLVMAtomicOrdering::LLVMAtomicOrderingUnordered | LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic => {
            Some(Ordering::Relaxed)
        }
        LLVMAtomicOrdering::LLVMAtomicOrderingAcquire => Some(Ordering::Acquire),
        LLVMAtomicOrdering::LLVMAtomicOrderingRelease => Some(Ordering::Release),
        LLVMAtomicOrdering::LLVMAtomicOrderingAcquireRelease => Some(Ordering::AcqRel),
        LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent => Some(Ordering::SeqCst),
    })
}

fn rmw_op(op: LLVMAtomicRMWBinOp) -> Option<RmwOp> {
    Some(match op {
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpXchg => RmwOp::Xchg,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpAdd => RmwOp::Add,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpSub => RmwOp::Sub,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpAnd => RmwOp::And,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpNand => RmwOp::Nand,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpOr => RmwOp::Or,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpXor => RmwOp::Xor,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpMax => RmwOp::Max,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpMin => RmwOp::Min,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpUMax => RmwOp::UMax,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpUMin => RmwOp::UMin,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpFAdd => RmwOp::FAdd,
        LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpFSub => RmwOp::FSub,
        _ => return None,
    })
}

/// Whether the first index of an address computation is zero: it stays in the object that the base points to.
fn starts_at_first(gep: Val<'_>) -> bool {
    gep.operand(1).int_signed() == Some(0)
}

/// Whether an address is that of a member of a structure that is not its last one: that one may go on behind the structure, as arrays did
/// before C99.
fn is_member_before_others(base: Val<'_>) -> bool {
    if base.opcode_or_expression() != Some(LLVMOpcode::LLVMGetElementPtr) {
        return false;
    }
    let mut ty = base.gep_source_type();
    let mut is_one = false;
    for position in 2..base.operand_count() {
        is_one = false;
        ty = match ty.kind() {
            TyKind::Struct => {
                let fields = ty.fields();
                let field = base.operand(position).int_bits().and_then(|field| usize::try_from(field).ok());
                let Some(&of) = field.and_then(|field| fields.get(field)) else { return false };
                is_one = field.is_some_and(|field| field + 1 < fields.len());
                of
            }
            TyKind::Array => ty.element(),
            _ => return false,
        };
    }
    is_one
}
