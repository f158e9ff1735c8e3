//! Operations that are calls of model functions: division of wide integers, and arithmetic of the floating-point types
//! that the IR has not.
//!
//! The functions are written in C like every model. They have the names and types that LLVM's own runtime library
//! gives them, where it has them; arguments and results are the pieces of [`Scalar`]. What the program needs of them is
//! kept by [`families`](super::families).

use icsched_ir::{BinOp, Callee, CastOp, FloatPredicate, Op, Operand, Type, UnOp};

use super::error::Reason;
use super::function::Body;
use super::scalar::Scalar;
use super::shape::Operands;
use super::wide::constant;

impl Body<'_, '_> {
    /// Calls a support function.
    pub(crate) fn call_support(
        &mut self,
        name: &'static str,
        args: &[Operand],
        results: &[Type],
    ) -> Result<Operands, Reason> {
        let id = self.cx.support(name).ok_or_else(|| format!("operation that needs the model of `{name}`"))?;
        Ok(self.emit_many(results, Op::Call { callee: Callee::Direct(id), args: args.to_vec() }))
    }

    /// A half-precision number as a `float`, exactly.
    pub(crate) fn short_to_float(&mut self, scalar: Scalar, a: &[Operand]) -> Result<Operand, Reason> {
        if scalar == Scalar::BFloat {
            let wide = self.emit(Type::Int(32), Op::Cast { op: CastOp::ZExt, a: a[0] });
            let sixteen = constant(Type::Int(32), 16);
            let shifted = self.emit(Type::Int(32), Op::binary(BinOp::Shl, wide, sixteen));
            return Ok(self.cast(CastOp::Bitcast, shifted, Type::F32));
        }
        Ok(self.call_support("__extendhfsf2", a, &[Type::F32])?[0])
    }

    /// A `float` rounded to half precision. One operation on floats, rounded twice, is as exact as rounded once.
    pub(crate) fn float_to_short(&mut self, scalar: Scalar, a: Operand) -> Result<Operands, Reason> {
        let name = if scalar == Scalar::BFloat { "__truncsfbf2" } else { "__truncsfhf2" };
        self.call_support(name, &[a], &[Type::Int(16)])
    }

    /// A two-operand operation on `long double` or `__float128`.
    pub(crate) fn soft_binary(
        &mut self,
        op: BinOp,
        scalar: Scalar,
        a: &[Operand],
        b: &[Operand],
    ) -> Result<Operands, Reason> {
        if scalar == Scalar::X87 {
            return self.x87_binary(op, a, b);
        }
        Err(Reason(format!("{op:?} of {}", scalar.name())))
    }

    /// A one-operand operation on `long double` or `__float128`.
    pub(crate) fn soft_unary(&mut self, op: UnOp, scalar: Scalar, a: &[Operand]) -> Result<Operands, Reason> {
        if scalar == Scalar::X87 {
            return self.x87_unary(op, a);
        }
        Err(Reason(format!("{op:?} of {}", scalar.name())))
    }

    /// A comparison of `long double` or `__float128`.
    pub(crate) fn soft_compare(
        &mut self,
        predicate: FloatPredicate,
        scalar: Scalar,
        a: &[Operand],
        b: &[Operand],
    ) -> Result<Operand, Reason> {
        if scalar == Scalar::X87 {
            return self.x87_compare(predicate, a, b);
        }
        Err(Reason(format!("comparison of {}", scalar.name())))
    }

    /// A conversion between an integer and a float, or between floats, one of which the IR has no value for.
    pub(crate) fn soft_convert(
        &mut self,
        op: CastOp,
        from: Scalar,
        to: Scalar,
        a: &[Operand],
    ) -> Result<Operands, Reason> {
        if let Some(result) = self.x87_convert(op, from, to, a) {
            return result;
        }
        match (op, from, to) {
            (CastOp::UiToFp | CastOp::SiToFp, Scalar::Wide(..=128), Scalar::Plain(ty)) => {
                let signed = op == CastOp::SiToFp;
                let args = self.wide_convert(signed, a, Scalar::Wide(128));
                let name = match (signed, ty) {
                    (true, Type::F32) => "__floattisf",
                    (true, _) => "__floattidf",
                    (false, Type::F32) => "__floatuntisf",
                    (false, _) => "__floatuntidf",
                };
                self.call_support(name, &args, &[ty])
            }
            (CastOp::FpToUi | CastOp::FpToSi, Scalar::Plain(ty), Scalar::Wide(..=128)) => {
                let name = match (op == CastOp::FpToSi, ty) {
                    (true, Type::F32) => "__fixsfti",
                    (true, _) => "__fixdfti",
                    (false, Type::F32) => "__fixunssfti",
                    (false, _) => "__fixunsdfti",
                };
                let number = self.call_support(name, a, &[Type::Int(64), Type::Int(64)])?;
                Ok(self.wide_convert(false, &number, to))
            }
            (CastOp::FpTrunc, Scalar::Plain(Type::F64), Scalar::Half) => {
                self.call_support("__truncdfhf2", a, &[Type::Int(16)])
            }
            (CastOp::FpTrunc, Scalar::Plain(Type::F64), Scalar::BFloat) => {
                self.call_support("__truncdfbf2", a, &[Type::Int(16)])
            }
            // An integer that a `float` may round is too large for half precision in any case.
            (CastOp::UiToFp | CastOp::SiToFp, _, Scalar::Half) => {
                let float = self.convert(op, from, Scalar::Plain(Type::F32), a)?;
                self.float_to_short(to, float[0])
            }
            _ => Err(Reason(format!("conversion from {} to {}", from.name(), to.name()))),
        }
    }
}
