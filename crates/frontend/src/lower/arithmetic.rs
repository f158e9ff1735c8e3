//! Operations on one scalar of any type.
//!
//! ```text
//! add of i32      ->  one instruction
//! add of i128     ->  instructions on its pieces              (`wide`)
//! add of half     ->  an instruction on floats, then rounded  (`support`)
//! add of x86_fp80 ->  a call of a model function              (`support`)
//! ```

use icsched_ir::{BinOp, CastOp, FloatPredicate, IntPredicate, Op, Operand, OverflowOp, Type, UnOp};
use smallvec::smallvec;

use super::error::Reason;
use super::function::Body;
use super::scalar::Scalar;
use super::shape::Operands;
use super::wide::constant;

impl Body<'_, '_> {
    /// A two-operand operation on one scalar.
    pub(crate) fn binary(
        &mut self,
        op: BinOp,
        scalar: Scalar,
        a: &[Operand],
        b: &[Operand],
    ) -> Result<Operands, Reason> {
        match scalar {
            Scalar::Plain(ty) => Ok(smallvec![self.emit(ty, Op::binary(op, a[0], b[0]))]),
            Scalar::Wide(bits) => self.wide_binary(op, bits, a, b),
            Scalar::Half | Scalar::BFloat => {
                let (a, b) = (self.short_to_float(scalar, a)?, self.short_to_float(scalar, b)?);
                let result = self.emit(Type::F32, Op::binary(op, a, b));
                self.float_to_short(scalar, result)
            }
            Scalar::X87 | Scalar::Quad => self.soft_binary(op, scalar, a, b),
        }
    }

    /// A one-operand operation on one scalar.
    pub(crate) fn unary(&mut self, op: UnOp, scalar: Scalar, a: &[Operand]) -> Result<Operands, Reason> {
        match (scalar, op) {
            (Scalar::Plain(ty), _) => Ok(smallvec![self.emit(ty, Op::Unary { op, a: a[0] })]),
            (_, UnOp::Freeze) => Ok(a.iter().map(|&limb| self.freeze(limb)).collect()),
            (Scalar::Wide(bits), _) => self.wide_unary(op, bits, a),
            (_, UnOp::FNeg) => Ok(self.change_sign(scalar, a, BinOp::Xor)),
            (_, UnOp::FAbs) => Ok(self.change_sign(scalar, a, BinOp::And)),
            (Scalar::Half | Scalar::BFloat, _) => {
                let a = self.short_to_float(scalar, a)?;
                let result = self.emit(Type::F32, Op::Unary { op, a });
                self.float_to_short(scalar, result)
            }
            (Scalar::X87 | Scalar::Quad, _) => self.soft_unary(op, scalar, a),
        }
    }

    fn freeze(&mut self, a: Operand) -> Operand {
        let ty = self.type_of(a);
        self.emit(ty, Op::Unary { op: UnOp::Freeze, a })
    }

    /// Negation and absolute value of a float are exact on its bits: they flip or clear the highest one.
    fn change_sign(&mut self, scalar: Scalar, a: &[Operand], op: BinOp) -> Operands {
        let mut limbs = Operands::from_slice(a);
        let top = limbs.last_mut().expect("a scalar has a value");
        let sign = 1_u64 << ((scalar.bits() - 1) % 64);
        let ty = self.type_of(*top);
        let mask = if op == BinOp::And { sign - 1 } else { sign };
        *top = self.fold_binary(ty, op, *top, constant(ty, mask));
        limbs
    }

    /// A comparison of integers or pointers.
    pub(crate) fn compare(
        &mut self,
        predicate: IntPredicate,
        scalar: Scalar,
        a: &[Operand],
        b: &[Operand],
    ) -> Result<Operand, Reason> {
        match scalar {
            Scalar::Plain(_) => Ok(self.emit(Type::Int(1), Op::IntCompare { predicate, a: a[0], b: b[0] })),
            Scalar::Wide(_) => Ok(self.wide_compare(predicate, a, b)),
            other => Err(Reason(format!("integer comparison of {}", other.name()))),
        }
    }

    /// A comparison of floats.
    pub(crate) fn compare_floats(
        &mut self,
        predicate: FloatPredicate,
        scalar: Scalar,
        a: &[Operand],
        b: &[Operand],
    ) -> Result<Operand, Reason> {
        let (a, b) = match scalar {
            Scalar::Plain(_) => (a[0], b[0]),
            Scalar::Half | Scalar::BFloat => (self.short_to_float(scalar, a)?, self.short_to_float(scalar, b)?),
            other => return self.soft_compare(predicate, other, a, b),
        };
        Ok(self.emit(Type::Int(1), Op::FloatCompare { predicate, a, b }))
    }

    /// Does an operation overflow?
    pub(crate) fn overflows(
        &mut self,
        op: OverflowOp,
        scalar: Scalar,
        a: &[Operand],
        b: &[Operand],
    ) -> Result<Operand, Reason> {
        match scalar {
            Scalar::Plain(_) => Ok(self.emit(Type::Int(1), Op::Overflow { op, a: a[0], b: b[0] })),
            Scalar::Wide(bits) => Ok(self.wide_overflows(op, bits, a, b)),
            other => Err(Reason(format!("overflow of {}", other.name()))),
        }
    }

    /// A conversion. Pointers are integers of 64 bits.
    pub(crate) fn convert(&mut self, op: CastOp, from: Scalar, to: Scalar, a: &[Operand]) -> Result<Operands, Reason> {
        match (from, to) {
            (Scalar::Plain(_), Scalar::Plain(ty)) => Ok(smallvec![self.emit(ty, Op::Cast { op, a: a[0] })]),
            (from, to) if from.is_integer() && to.is_integer() => Ok(self.wide_convert(op == CastOp::SExt, a, to)),
            (Scalar::Half | Scalar::BFloat, _) => {
                let float = self.short_to_float(from, a)?;
                if to == Scalar::Plain(Type::F32) {
                    return Ok(smallvec![float]);
                }
                self.convert(op, Scalar::Plain(Type::F32), to, &[float])
            }
            (Scalar::Plain(Type::F32), Scalar::Half | Scalar::BFloat) => self.float_to_short(to, a[0]),
            _ => self.soft_convert(op, from, to, a),
        }
    }

    /// A pointer as an integer, cut or extended with zeros; or the reverse.
    pub(crate) fn convert_address(&mut self, from: Scalar, to: Scalar, a: &[Operand]) -> Operands {
        match (from, to) {
            (Scalar::Plain(Type::Ptr), Scalar::Plain(ty)) => {
                let wide = self.cast(CastOp::Bitcast, a[0], Type::Int(64));
                smallvec![self.cast(CastOp::Trunc, wide, ty)]
            }
            (Scalar::Plain(_), Scalar::Plain(Type::Ptr)) => {
                let wide = self.widen(a[0], false);
                smallvec![self.cast(CastOp::Bitcast, wide, Type::Ptr)]
            }
            (from, to) => {
                let bits = match from {
                    Scalar::Plain(Type::Ptr) => smallvec![self.as_int(a[0])],
                    _ => Operands::from_slice(a),
                };
                self.wide_convert(false, &bits, to)
            }
        }
    }
}
