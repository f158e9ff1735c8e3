//! Values as strings of bits: casts between scalars and vectors of any lane widths, and vectors that are packed in
//! memory.

use icsched_ir::{BinOp, CastOp, Operand, Type};
use smallvec::SmallVec;

use super::error::Reason;
use super::function::Body;
use super::scalar::Scalar;
use super::shape::{Operands, Parts, Shape};
use super::wide::constant;
use crate::llvm::Val;

const I64: Type = Type::Int(64);

impl<'m> Body<'_, 'm> {
    /// `bitcast`: the first lane is lowest.
    pub(crate) fn lower_bitcast(&mut self, value: Val<'m>) -> Result<Operands, Reason> {
        let parts = self.parts(value.operand(0))?;
        let to = self.check(value.ty())?;
        if parts.len() == to.scalars.len() && to.is_plain() && parts.iter().all(|(_, limbs)| limbs.len() == 1) {
            return Ok(parts.iter().zip(to.types()).map(|((_, a), ty)| self.cast(CastOp::Bitcast, a[0], ty)).collect());
        }
        let bits = self.bits_of(&parts);
        Ok(self.value_of_bits(&bits, &to))
    }

    /// All bits, in limbs of 64.
    pub(crate) fn bits_of(&mut self, parts: &Parts) -> Vec<Operand> {
        let total: u32 = parts.iter().map(|(scalar, _)| scalar.bits()).sum();
        let mut limbs = vec![constant(I64, 0); total.div_ceil(64) as usize];
        let mut place = 0;
        for (scalar, pieces) in parts {
            for (&piece, at) in pieces.iter().zip((place..).step_by(64)) {
                let plain = self.as_int(piece);
                let wide = self.widen(plain, false);
                let width = self.type_of(plain).bits();
                let (index, shift) = ((at / 64) as usize, u64::from(at % 64));
                let low = self.fold_binary(I64, BinOp::Shl, wide, constant(I64, shift));
                limbs[index] = self.fold_binary(I64, BinOp::Or, limbs[index], low);
                if shift + u64::from(width) > 64 {
                    limbs[index + 1] = self.fold_binary(I64, BinOp::LShr, wide, constant(I64, 64 - shift));
                }
            }
            place += scalar.bits();
        }
        limbs
    }

    /// Takes a value of this shape out of a string of bits.
    pub(crate) fn value_of_bits(&mut self, limbs: &[Operand], shape: &Shape) -> Operands {
        let mut place = 0;
        let mut results = Operands::new();
        for &scalar in &shape.scalars {
            for (ty, at) in scalar.types().into_iter().zip((place..).step_by(64)) {
                results.push(self.slice(limbs, at, ty));
            }
            place += scalar.bits();
        }
        results
    }

    fn slice(&mut self, limbs: &[Operand], at: u32, ty: Type) -> Operand {
        let (index, shift) = ((at / 64) as usize, u64::from(at % 64));
        let mut bits = self.fold_binary(I64, BinOp::LShr, limbs[index], constant(I64, shift));
        if shift + u64::from(ty.bits()) > 64 {
            let next = self.fold_binary(I64, BinOp::Shl, limbs[index + 1], constant(I64, 64 - shift));
            bits = self.fold_binary(I64, BinOp::Or, bits, next);
        }
        let narrow = Type::Int(u8::try_from(ty.bits()).expect("a scalar has at most 64 bits"));
        let cut = self.cut_limb(bits, narrow);
        self.cast(CastOp::Bitcast, cut, ty)
    }

    /// The lowest bits of a limb.
    pub(crate) fn cut_limb(&mut self, limb: Operand, ty: Type) -> Operand {
        match limb {
            Operand::Const(icsched_ir::Const::Bits { bits, .. }) => constant(ty, bits),
            _ => self.cast(CastOp::Trunc, limb, ty),
        }
    }

    /// The bits of a scalar as an integer of the same width.
    pub(crate) fn as_int(&mut self, operand: Operand) -> Operand {
        let bits = u8::try_from(self.type_of(operand).bits()).expect("a scalar has at most 64 bits");
        self.cast(CastOp::Bitcast, operand, Type::Int(bits))
    }

    /// Loads a vector whose lanes do not fill their bytes: an integer of all its bits.
    pub(crate) fn load_packed(
        &mut self,
        shape: &Shape,
        mut load: impl FnMut(&mut Self, i64, Type) -> Operand,
    ) -> Operands {
        let total: u32 = shape.scalars.iter().map(|scalar| scalar.bits()).sum();
        let limbs: Vec<Operand> = (0_i64..)
            .step_by(8)
            .zip(Scalar::of_bits(total).types())
            .map(|(offset, ty)| {
                let limb = load(self, offset, ty);
                self.widen(limb, false)
            })
            .collect();
        self.value_of_bits(&limbs, shape)
    }

    /// The pieces of a vector whose lanes do not fill their bytes, as they are stored, with their offsets.
    pub(crate) fn packed(&mut self, shape: &Shape, operands: &[Operand]) -> SmallVec<[(i64, Operand); 2]> {
        let total: u32 = shape.scalars.iter().map(|scalar| scalar.bits()).sum();
        let limbs = self.bits_of(&shape.split(operands));
        let types = Scalar::of_bits(total).types();
        (0..).step_by(8).zip(limbs).zip(types).map(|((offset, limb), ty)| (offset, self.cut_limb(limb, ty))).collect()
    }
}
