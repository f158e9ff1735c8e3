//! Memory: addresses, loads and stores, allocas, atomics.

use icsched_ir::{Access, Const, IntPredicate, Op, Operand, Ordering, RmwOp, ScaledIndex, Type};
use inkwell::llvm_sys::{LLVMAtomicOrdering, LLVMAtomicRMWBinOp, LLVMOpcode};
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

use super::error::Reason;
use super::function::Body;
use super::shape::Operands;
use crate::llvm::{Kind, Ty, TyKind, Val};

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
        let repeated = &*self.cx.repeated();
        let mut part = first_part(gep, repeated);
        // Another member may be in front of an array: a subscript that is negative would be in that.
        let mut is_member = selects_from_member(gep, repeated);
        let no_index_is_negative = gep.moves_forward();
        for position in 1..gep.operand_count() {
            let index = gep.operand(position);
            let mut elements = None;
            if position > 1 {
                match part.ty.kind() {
                    TyKind::Struct => {
                        let field = self.field_index(index)?;
                        let start = self.cx.layout().offset(part.ty, field).ok_or("field of an unsized struct")?;
                        offset = offset.wrapping_add_unsigned(start);
                        part = part.select(Some(field.into())).ok_or("field index")?;
                        is_member = true;
                        continue;
                    }
                    TyKind::Array | TyKind::Vector => {
                        elements = part.elements().or(is_member.then_some(ScaledIndex::NOT_NEGATIVE));
                        part = part.select(index.int_bits()).ok_or("index into a scalar")?;
                    }
                    _ => return Err(Reason::from("index into a scalar")),
                }
            }
            let scale = i64::try_from(self.cx.layout().size(part.ty)).map_err(|_| "huge element".to_owned())?;
            match index.int_signed() {
                Some(constant) => offset = offset.wrapping_add(constant.wrapping_mul(scale)),
                None => {
                    if position == 1 {
                        elements = self.elements_from(gep, scale.unsigned_abs(), repeated);
                    }
                    let elements = elements.or(no_index_is_negative.then_some(ScaledIndex::FORWARD));
                    scaled.push((self.lane_indices(index)?, scale, elements));
                }
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

    /// How many elements an index selects from by which an address is computed from where an array begins that is a
    /// member, by the type of the variable that it is in. Optimisers forget which member is selected, but not that the
    /// address stays in the object: an index from which a constant is still to be subtracted may not.
    fn elements_from(&self, gep: Val<'m>, size: u64, repeated: &FxHashSet<Ty<'m>>) -> Option<u64> {
        let layout = self.cx.layout();
        let (ty, mut offset) = if gep.stays_inside() { self.placed(gep.operand(0))? } else { return None };
        let mut part = Part { ends_variable: true, ..Part::unknown(ty, repeated) };
        let mut is_member = false;
        loop {
            let (start, index) = match part.ty.kind() {
                TyKind::Array => {
                    let each = layout.size(part.ty.element());
                    if offset == 0 && each == size {
                        return part.elements().or(is_member.then_some(ScaledIndex::NOT_NEGATIVE));
                    }
                    let index = offset.checked_div(each)?;
                    (index * each, index)
                }
                // A member of a union is of any of its types.
                TyKind::Struct if !part.ty.is_union() => {
                    is_member = true;
                    let fields = u32::try_from(part.ty.fields().len()).ok()?;
                    let starts = (0..fields).filter_map(|field| Some((layout.offset(part.ty, field)?, field.into())));
                    starts.take_while(|&(start, _)| start <= offset).last()?
                }
                _ => return None,
            };
            offset -= start;
            part = part.select(Some(index))?;
        }
    }

    /// The type of the variable that an address is in, and where it is there, if that is constant.
    fn placed(&self, mut address: Val<'m>) -> Option<(Ty<'m>, u64)> {
        let mut offset = 0_i64;
        loop {
            match address.opcode_or_expression() {
                Some(LLVMOpcode::LLVMGetElementPtr) => {
                    offset = offset.checked_add(self.constant_offset(address)?)?;
                    address = address.operand(0);
                }
                _ => return Some((variable_type(address)?, u64::try_from(offset).ok()?)),
            }
        }
    }

    /// By how many bytes an address is moved whose indices are constants.
    fn constant_offset(&self, gep: Val<'m>) -> Option<i64> {
        let (layout, mut ty, mut offset) = (self.cx.layout(), gep.gep_source_type(), 0_i64);
        for position in 1..gep.operand_count() {
            let index = gep.operand(position).int_signed()?;
            let by = match ty.kind() {
                _ if position == 1 => index.checked_mul(i64::try_from(layout.size(ty)).ok()?)?,
                TyKind::Struct => {
                    let field = u32::try_from(index).ok()?;
                    let start = layout.offset(ty, field)?;
                    ty = *ty.fields().get(field as usize)?;
                    i64::try_from(start).ok()?
                }
                TyKind::Array => {
                    ty = ty.element();
                    index.checked_mul(i64::try_from(layout.size(ty)).ok()?)?
                }
                _ => return None,
            };
            offset = offset.checked_add(by)?;
        }
        Some(offset)
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
        constant.and_then(|i| u32::try_from(i).ok()).ok_or_else(|| Reason::from("field index"))
    }

    fn lane_indices(&mut self, index: Val<'m>) -> Result<Operands, Reason> {
        let lanes = self.parts(index)?;
        Ok(lanes.into_iter().map(|(_, lane)| self.widen(lane[0], true)).collect())
    }

    pub(crate) fn lower_alloca(&mut self, inst: Val<'m>) -> Result<Operands, Reason> {
        self.check(inst.ty())?;
        let ty = inst.allocated_type();
        if !ty.is_sized() {
            return Err(Reason::from("variable without a size"));
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
            return Err(Reason(format!("atomic load of type {}", inst.ty().print())));
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
            return Err(Reason(format!("atomic store of type {}", value.ty().print())));
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

/// Whether the first index of an address computation stays in a member of a structure that another one has selected.
fn selects_from_member<'m>(gep: Val<'m>, repeated: &FxHashSet<Ty<'m>>) -> bool {
    let address = gep.operand(0);
    if !starts_at_first(gep) || address.opcode_or_expression() != Some(LLVMOpcode::LLVMGetElementPtr) {
        return false;
    }
    let mut ty = address.gep_source_type();
    for position in 2..address.operand_count() {
        if ty.kind() == TyKind::Struct {
            return true;
        }
        let part = Part::unknown(ty, repeated).select(address.operand(position).int_bits());
        let Some(part) = part else { return false };
        ty = part.ty;
    }
    selects_from_member(address, repeated)
}

/// What the first index selects a part of.
fn first_part<'r, 'm>(gep: Val<'m>, repeated: &'r FxHashSet<Ty<'m>>) -> Part<'r, 'm> {
    known_part(gep, repeated).unwrap_or(Part::unknown(gep.gep_source_type(), repeated))
}

/// The same if the base says what it is a part of.
fn known_part<'r, 'm>(gep: Val<'m>, repeated: &'r FxHashSet<Ty<'m>>) -> Option<Part<'r, 'm>> {
    if gep.operand_count() < 3 || !starts_at_first(gep) {
        return None;
    }
    let (address, of) = (gep.operand(0), gep.gep_source_type());
    let mut part = if address.opcode_or_expression() == Some(LLVMOpcode::LLVMGetElementPtr) {
        let mut part = first_part(address, repeated);
        for position in 2..address.operand_count() {
            part = part.select(address.operand(position).int_bits())?;
        }
        part
    } else if let Some(ty) = variable_type(address) {
        Part { ends_variable: true, ..Part::unknown(ty, repeated) }
    } else {
        return None;
    };
    // What is first in something has its address.
    while part.ty != of {
        part = part.select(Some(0))?;
    }
    Some(part)
}

/// A part of something.
struct Part<'r, 'm> {
    ty: Ty<'m>,
    /// If it is a member of a structure that is not the last one - that one may go on behind the structure, as arrays
    /// did before C99, unless the structure is [repeated](super::repeated) - or is in such a member: how many of its
    /// type follow each other from there on. A subscript that is not among these is out of range. Of a row that a
    /// variable selects it is one (C11 J.2), of a row with a constant number all that are left, for some programs go
    /// through all of a matrix as its first row.
    rows: Option<u64>,
    /// Whether it is the last member of a structure that may go on behind it, and so is what is last in it.
    goes_on: bool,
    /// Whether it is a variable, or what is last in one: nothing goes on behind that.
    ends_variable: bool,
    repeated: &'r FxHashSet<Ty<'m>>,
}

/// The type of a variable, if this is its address.
fn variable_type(address: Val<'_>) -> Option<Ty<'_>> {
    match address.opcode_or_expression() {
        Some(LLVMOpcode::LLVMAlloca) => Some(address.allocated_type()),
        None if address.kind() == Kind::Global => Some(address.value_type()),
        _ => None,
    }
}

impl<'r, 'm> Part<'r, 'm> {
    /// Something of which nobody knows what it is in.
    const fn unknown(ty: Ty<'m>, repeated: &'r FxHashSet<Ty<'m>>) -> Self {
        Self { ty, rows: None, goes_on: false, ends_variable: false, repeated }
    }

    /// How many elements a subscript of this array selects from, if that is limited.
    fn elements(&self) -> Option<u64> {
        // An array of no element or one stands for others: what is behind it, as extensions of C have it.
        let length = Some(self.ty.length()).filter(|&length| self.ty.kind() == TyKind::Array && length > 1)?;
        self.rows?.checked_mul(length)
    }

    /// A member or an element, if there are any; the number of an element need not be known.
    fn select(&self, index: Option<u64>) -> Option<Self> {
        match self.ty.kind() {
            TyKind::Struct => {
                let fields = self.ty.fields();
                let field = usize::try_from(index?).ok()?;
                let is_last = field + 1 == fields.len();
                let ends_variable = is_last && self.ends_variable;
                let is_open = self.goes_on || !self.repeated.contains(&self.ty);
                let goes_on = is_last && !ends_variable && is_open;
                let rows = (!goes_on).then_some(1);
                Some(Self { ty: *fields.get(field)?, rows, goes_on, ends_variable, ..*self })
            }
            TyKind::Array | TyKind::Vector => {
                let rows = self.elements().and_then(|elements| match index {
                    Some(index) => elements.checked_sub(index),
                    None => Some(1),
                });
                let ends_variable = self.ends_variable && index.is_some_and(|index| index + 1 == self.ty.length());
                Some(Self { ty: self.ty.element(), rows, goes_on: false, ends_variable, ..*self })
            }
            _ => None,
        }
    }
}
