//! The scalars of C, and how the IR holds each of them.
//!
//! Most are one IR value. Integers of more than 64 bits, and the floating-point types that the IR does not compute
//! with, are one IR integer per 64 bits, the lowest first; the last one has the rest of the width. So loading, storing,
//! passing and choosing them is the same as for structs, and only arithmetic takes them apart: integers in
//! [`wide`](super::wide), floats by calls of model functions ([`support`](super::support)).

use icsched_ir::{BinOp, CastOp, FloatPredicate, IntPredicate, Op, Operand, OverflowOp, Type, UnOp};
use smallvec::{SmallVec, smallvec};

use super::function::{Body, Operands, Reason};

/// A scalar type of LLVM.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Scalar {
    /// One value of the IR.
    Plain(Type),
    /// An integer of this many bits, more than 64.
    Wide(u32),
    /// IEEE half precision.
    Half,
    /// The upper half of a `float`.
    BFloat,
    /// The 80-bit format of the x87: significand, then exponent and sign.
    X87,
    /// IEEE quadruple precision.
    Quad,
}

impl Scalar {
    /// The integer of this many bits.
    pub(crate) fn of_bits(bits: u32) -> Self {
        match u8::try_from(bits) {
            Ok(bits @ 1..=64) => Scalar::Plain(Type::Int(bits)),
            _ => Scalar::Wide(bits),
        }
    }

    /// Width in bits.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Scalar::Plain(ty) => ty.bits(),
            Scalar::Wide(bits) => bits,
            Scalar::Half | Scalar::BFloat => 16,
            Scalar::X87 => 80,
            Scalar::Quad => 128,
        }
    }

    /// The IR types that hold it, lowest bits first.
    pub(crate) fn types(self) -> SmallVec<[Type; 2]> {
        match self {
            Scalar::Plain(ty) => smallvec![ty],
            _ => (0..self.bits().div_ceil(64)).map(|limb| limb_type(self.bits(), limb)).collect(),
        }
    }

    /// How many IR values hold it.
    pub(crate) fn count(self) -> usize {
        match self {
            Scalar::Plain(_) => 1,
            _ => self.bits().div_ceil(64) as usize,
        }
    }

    /// The type as error messages name it.
    pub(crate) fn name(self) -> String {
        match self {
            Scalar::Plain(ty) => ty.to_string(),
            Scalar::Wide(bits) => format!("{bits}-bit integer"),
            Scalar::Half => "half".to_owned(),
            Scalar::BFloat => "bfloat".to_owned(),
            Scalar::X87 => "long double (x86_fp80)".to_owned(),
            Scalar::Quad => "__float128 (fp128)".to_owned(),
        }
    }

    fn is_integer(self) -> bool {
        matches!(self, Scalar::Plain(Type::Int(_) | Type::Ptr) | Scalar::Wide(_))
    }
}

/// The type of one of the pieces of a value of this width.
fn limb_type(bits: u32, limb: u32) -> Type {
    let rest = (bits - limb * 64).min(64);
    Type::Int(u8::try_from(rest).expect("at most 64"))
}

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
        *top = self.fold_binary(ty, op, *top, super::wide::constant(ty, mask));
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
            other => Err(format!("integer comparison of {}", other.name())),
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
            other => Err(format!("overflow of {}", other.name())),
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
