//! Constants: as operands and as initial bytes of globals.

use icsched_ir::{Const, EntityId, Relocation, Type, too_large};
use inkwell::llvm_sys::LLVMOpcode;
use smallvec::{SmallVec, smallvec};

use super::error::Reason;
use super::lowering::Lowering;
use super::scalar::Scalar;
use crate::llvm::{Kind, TyKind, Val};

/// One scalar of a constant.
#[derive(Copy, Clone)]
pub(crate) enum ConstLeaf<'m> {
    /// A constant of the leaf's type.
    Known(Const),
    /// An address that is used as a 64-bit integer.
    Address(Const),
    /// A constant expression that has to be computed by instructions.
    Expr(Val<'m>),
}

/// A constant that is an integer, or an address plus an offset.
#[derive(Copy, Clone, PartialEq, Eq)]
struct Linear {
    /// What it is relative to; `None` for plain integers.
    base: Option<Base>,
    /// Wraps.
    offset: i64,
}

/// Something with an address of its own.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Base {
    Global(icsched_ir::GlobalId),
    Func(icsched_ir::FuncId),
    Block(icsched_ir::FuncId, icsched_ir::BlockId),
}

impl Linear {
    fn plain(offset: i64) -> Self {
        Self { base: None, offset }
    }

    /// As an operand of pointer type, if the IR has a constant for it.
    fn to_pointer(self) -> Option<Const> {
        match self.base {
            None => Some(Const::int(Type::Ptr, self.offset.cast_unsigned())),
            Some(Base::Global(global)) => Some(Const::Global { global, offset: self.offset }),
            Some(Base::Func(func)) if self.offset == 0 => Some(Const::Func(func)),
            Some(Base::Block(func, block)) if self.offset == 0 => Some(Const::Block { func, block }),
            Some(Base::Func(_) | Base::Block(..)) => None,
        }
    }
}

impl<'m> Lowering<'m> {
    /// The scalars of a constant, in the order of its type's leaves.
    pub(crate) fn constant_leaves(&self, value: Val<'m>) -> Result<SmallVec<[ConstLeaf<'m>; 1]>, Reason> {
        let shape = self.shape(value.ty());
        if let Some(reason) = &shape.unsupported {
            return Err(Reason(format!("{reason} constant")));
        }
        match value.kind() {
            Kind::Undef => Ok(shape.types().map(|ty| ConstLeaf::Known(Const::Undef(ty))).collect()),
            Kind::Zero => Ok(shape.types().map(|ty| ConstLeaf::Known(Const::int(ty, 0))).collect()),
            Kind::Aggregate => {
                let mut leaves = SmallVec::new();
                for index in 0.. {
                    let Some(element) = value.aggregate_element(index) else { break };
                    leaves.extend(self.constant_leaves(element)?);
                }
                if leaves.len() == shape.leaves.len() { Ok(leaves) } else { Err(Reason::from("irregular constant")) }
            }
            _ => {
                let &[scalar] = shape.scalars.as_slice() else {
                    return self.splat_leaves(value, shape.scalars.len());
                };
                match scalar {
                    Scalar::Plain(ty) => Ok(smallvec![self.constant_scalar(value, ty)?]),
                    _ => constant_bits(value, scalar),
                }
            }
        }
    }

    /// LLVM may represent a vector of equal elements by a scalar-like constant of vector type.
    fn splat_leaves(&self, value: Val<'m>, count: usize) -> Result<SmallVec<[ConstLeaf<'m>; 1]>, Reason> {
        let mut leaves = SmallVec::new();
        for index in 0..u32::try_from(count).map_err(|e| Reason(e.to_string()))? {
            let element = value.aggregate_element(index).ok_or("constant expression of vector type")?;
            leaves.extend(self.constant_leaves(element)?);
        }
        Ok(leaves)
    }

    fn constant_scalar(&self, value: Val<'m>, ty: Type) -> Result<ConstLeaf<'m>, Reason> {
        if let Kind::Float = value.kind() {
            let bits = value.wide_bits(ty.bits()).ok_or("floating-point constant")?;
            return Ok(ConstLeaf::Known(Const::int(ty, bits[0])));
        }
        match (self.linear(value), ty) {
            (Some(Linear { base: None, offset }), _) => Ok(ConstLeaf::Known(Const::int(ty, offset.cast_unsigned()))),
            (Some(linear), Type::Ptr | Type::Int(64)) => match (linear.to_pointer(), ty) {
                (Some(pointer), Type::Ptr) => Ok(ConstLeaf::Known(pointer)),
                (Some(pointer), _) => Ok(ConstLeaf::Address(pointer)),
                (None, _) => self.expression(value),
            },
            _ => self.expression(value),
        }
    }

    fn expression(&self, value: Val<'m>) -> Result<ConstLeaf<'m>, Reason> {
        match value.kind() {
            Kind::Expr(_) => Ok(ConstLeaf::Expr(value)),
            Kind::Global => {
                let bytes = self.layout().size(value.value_type());
                Err(Reason(too_large(&format!("the global variable `{}`", value.name()), Some(bytes))))
            }
            _ => Err(Reason(format!("constant `{}`", value.print()))),
        }
    }

    /// Folds a scalar constant to an address plus an offset, if it is one.
    fn linear(&self, value: Val<'m>) -> Option<Linear> {
        match value.kind() {
            Kind::Int => value.int_signed().map(Linear::plain),
            Kind::Zero => Some(Linear::plain(0)),
            Kind::Function | Kind::IFunc | Kind::Global if self.is_absent(value) => Some(Linear::plain(0)),
            Kind::Function | Kind::IFunc => Some(Linear { base: Some(Base::Func(self.func_id(value)?)), offset: 0 }),
            Kind::Global => Some(Linear { base: Some(Base::Global(self.global_id(value)?)), offset: 0 }),
            Kind::Alias => self.linear(value.aliasee()),
            Kind::BlockAddress(function, block) => {
                let func = self.func_id(function)?;
                // The address of a block that cannot be reached is never jumped to.
                Some(match self.block_id(function, block) {
                    Some(block) => Linear { base: Some(Base::Block(func, block)), offset: 0 },
                    None => Linear::plain(1),
                })
            }
            Kind::Expr(opcode) => self.linear_expression(opcode, value),
            _ => None,
        }
    }

    fn linear_expression(&self, opcode: LLVMOpcode, value: Val<'m>) -> Option<Linear> {
        match opcode {
            LLVMOpcode::LLVMPtrToInt | LLVMOpcode::LLVMPtrToAddr | LLVMOpcode::LLVMTrunc => {
                let linear = self.linear(value.operand(0))?;
                let TyKind::Int(bits) = value.ty().kind() else { return None };
                match bits {
                    64 => Some(linear),
                    0..64 if linear.base.is_none() => {
                        let shift = 64 - bits;
                        Some(Linear::plain(linear.offset << shift >> shift))
                    }
                    _ => None,
                }
            }
            LLVMOpcode::LLVMIntToPtr => {
                // Shorter integers are zero-extended, not sign-extended.
                let TyKind::Int(bits) = value.operand(0).ty().kind() else { return None };
                let linear = self.linear(value.operand(0))?;
                match (linear.base, bits) {
                    (_, 64) => Some(linear),
                    (None, 0..64) => Some(Linear::plain(linear.offset & ((1 << bits) - 1))),
                    _ => None,
                }
            }
            LLVMOpcode::LLVMBitCast => self.linear(value.operand(0)),
            LLVMOpcode::LLVMGetElementPtr => {
                let base = self.linear(value.operand(0))?;
                let offset = self.constant_offset(value)?;
                Some(Linear { offset: base.offset.wrapping_add(offset), ..base })
            }
            LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMSub if matches!(value.ty().kind(), TyKind::Int(..=64)) => {
                let (a, b) = (self.linear(value.operand(0))?, self.linear(value.operand(1))?);
                match (opcode, a.base, b.base) {
                    (LLVMOpcode::LLVMAdd, base, None) | (LLVMOpcode::LLVMAdd, None, base) => {
                        Some(Linear { base, offset: a.offset.wrapping_add(b.offset) })
                    }
                    (_, base, None) => Some(Linear { base, offset: a.offset.wrapping_sub(b.offset) }),
                    (_, x, y) if x == y => Some(Linear::plain(a.offset.wrapping_sub(b.offset))),
                    // The blocks of a function are one byte apart.
                    (_, Some(Base::Block(f, x)), Some(Base::Block(g, y))) if f == g => {
                        let distance = i64::try_from(x.index()).ok()?.wrapping_sub(i64::try_from(y.index()).ok()?);
                        Some(Linear::plain(distance.wrapping_add(a.offset).wrapping_sub(b.offset)))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The byte offset of an address computation whose indices are all constant integers.
    fn constant_offset(&self, gep: Val<'m>) -> Option<i64> {
        let mut total = 0_i64;
        let mut ty = gep.gep_source_type();
        for position in 1..gep.operand_count() {
            let index = gep.operand(position).int_signed()?;
            if position > 1 {
                match ty.kind() {
                    TyKind::Struct => {
                        let field = u32::try_from(index).ok()?;
                        total = total.wrapping_add_unsigned(self.layout().offset(ty, field)?);
                        ty = ty.fields()[field as usize];
                        continue;
                    }
                    TyKind::Array | TyKind::Vector => ty = ty.element(),
                    _ => return None,
                }
            }
            let stride = i64::try_from(self.layout().size(ty)).ok()?;
            total = total.wrapping_add(index.wrapping_mul(stride));
        }
        Some(total)
    }

    /// Writes a constant's bytes at `offset`. Zeros at the end are left out; `data` grows as needed.
    pub(crate) fn write_initial(
        &self,
        value: Val<'m>,
        offset: u64,
        data: &mut Vec<u8>,
        relocations: &mut Vec<Relocation>,
    ) -> Result<(), Reason> {
        let ty = value.ty();
        match (value.kind(), ty.kind()) {
            (Kind::Undef | Kind::Zero, _) => Ok(()),
            (Kind::Aggregate, TyKind::Struct) => {
                for (index, _) in (0_u32..).zip(ty.fields()) {
                    let start = self.layout().offset(ty, index).ok_or("struct without a size")?;
                    let element = value.aggregate_element(index).ok_or("irregular constant")?;
                    self.write_initial(element, offset + start, data, relocations)?;
                }
                Ok(())
            }
            (Kind::Aggregate, TyKind::Array | TyKind::Vector) => {
                if let Some(bytes) = value.raw_data() {
                    put(data, offset, &bytes);
                    return Ok(());
                }
                self.write_elements(value, offset, data, relocations)
            }
            (Kind::Int | Kind::Float, _) => {
                put(data, offset, &self.scalar_bytes(value)?);
                Ok(())
            }
            _ => self.write_address(value, offset, data, relocations),
        }
    }

    fn write_elements(
        &self,
        value: Val<'m>,
        offset: u64,
        data: &mut Vec<u8>,
        relocations: &mut Vec<Relocation>,
    ) -> Result<(), Reason> {
        let element = value.ty().element();
        if let (TyKind::Vector, TyKind::Int(bits)) = (value.ty().kind(), element.kind())
            && bits % 8 != 0
        {
            return Err(Reason(format!("initial value of type {}", value.ty().print())));
        }
        let stride = self.layout().size(element);
        for index in 0..u32::try_from(value.ty().length()).map_err(|e| Reason(e.to_string()))? {
            let part = value.aggregate_element(index).ok_or("irregular constant")?;
            self.write_initial(part, offset + u64::from(index) * stride, data, relocations)?;
        }
        Ok(())
    }

    /// The bytes of an integer or floating-point constant.
    fn scalar_bytes(&self, value: Val<'m>) -> Result<Vec<u8>, Reason> {
        let shape = self.shape(value.ty());
        let &[scalar] = shape.scalars.as_slice() else {
            return Err(Reason(format!("initial value of type {}", value.ty().print())));
        };
        let limbs = value.wide_bits(scalar.bits()).ok_or_else(|| format!("initial value `{}`", value.print()))?;
        let mut bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
        bytes.truncate(scalar.bits().div_ceil(8) as usize);
        Ok(bytes)
    }

    fn write_address(
        &self,
        value: Val<'m>,
        offset: u64,
        data: &mut Vec<u8>,
        relocations: &mut Vec<Relocation>,
    ) -> Result<(), Reason> {
        let size = usize::try_from(self.layout().size(value.ty())).map_err(|e| Reason(e.to_string()))?;
        let linear = self.linear(value);
        match linear {
            Some(Linear { base: None, offset: bits }) => put(data, offset, &bits.to_le_bytes()[..size.min(8)]),
            Some(linear) if size == 8 && linear.to_pointer().is_some() => {
                relocations.extend(linear.to_pointer().map(|value| Relocation { offset, value }));
            }
            _ => self.compute_later(offset, value),
        }
        Ok(())
    }
}

/// The pieces of an integer or floating-point constant that is not one value of the IR.
fn constant_bits<'m>(value: Val<'m>, scalar: Scalar) -> Result<SmallVec<[ConstLeaf<'m>; 1]>, Reason> {
    if !matches!(value.kind(), Kind::Int | Kind::Float) {
        return Err(Reason(format!("constant `{}`", value.print())));
    }
    let limbs = value.wide_bits(scalar.bits()).ok_or_else(|| format!("constant `{}`", value.print()))?;
    Ok(limbs.into_iter().zip(scalar.types()).map(|(limb, ty)| ConstLeaf::Known(Const::int(ty, limb))).collect())
}

fn put(data: &mut Vec<u8>, offset: u64, bytes: &[u8]) {
    let used = bytes.iter().rposition(|&b| b != 0).map_or(0, |last| last + 1);
    if used == 0 {
        return;
    }
    let start = usize::try_from(offset).expect("an initialiser fits into memory");
    if data.len() < start + used {
        data.resize(start + used, 0);
    }
    data[start..start + used].copy_from_slice(&bytes[..used]);
}
