//! Arithmetic on x86 `long double`: calls of the models in `runtime-models/long_double*.c`.

use icsched_ir::{BinOp, CastOp, Const, FloatPredicate, IntPredicate, Op, Operand, Type, UnOp};
use smallvec::smallvec;

use super::error::Reason;
use super::function::Body;
use super::scalar::Scalar;
use super::shape::Operands;
use super::wide::constant;

/// The pieces of a `long double`: significand, then exponent and sign.
const PIECES: [Type; 2] = [Type::Int(64), Type::Int(16)];

/// The sign in the second piece.
const SIGN: u64 = 0x8000;

/// How to round to an integral number; the values of `enum ics_x87_rounding`.
#[derive(Copy, Clone)]
enum Rounding {
    Even = 0,
    Down = 1,
    Up = 2,
    Zero = 3,
    Away = 4,
}

impl Body<'_, '_> {
    /// A two-operand operation on `long double`.
    pub(crate) fn x87_binary(&mut self, op: BinOp, a: &[Operand], b: &[Operand]) -> Result<Operands, Reason> {
        let name = match op {
            BinOp::FAdd => "__ics_x87_add",
            BinOp::FSub => "__ics_x87_sub",
            BinOp::FMul => "__ics_x87_mul",
            BinOp::FDiv => "__ics_x87_div",
            BinOp::FRem => "__ics_x87_rem",
            BinOp::FMin => "__ics_x87_min",
            BinOp::FMax => "__ics_x87_max",
            BinOp::CopySign => {
                let half = PIECES[1];
                let sign = self.fold_binary(half, BinOp::And, b[1], constant(half, SIGN));
                let rest = self.fold_binary(half, BinOp::And, a[1], constant(half, SIGN - 1));
                return Ok(smallvec![a[0], self.fold_binary(half, BinOp::Or, sign, rest)]);
            }
            other => return Err(Reason(format!("{other:?} of {}", Scalar::X87.name()))),
        };
        self.call_support(name, &[a, b].concat(), &PIECES)
    }

    /// A one-operand operation on `long double` other than those on the sign alone.
    pub(crate) fn x87_unary(&mut self, op: UnOp, a: &[Operand]) -> Result<Operands, Reason> {
        let rounding = match op {
            UnOp::FSqrt => return self.call_support("__ics_x87_sqrt", a, &PIECES),
            UnOp::FFloor => Rounding::Down,
            UnOp::FCeil => Rounding::Up,
            UnOp::FTrunc => Rounding::Zero,
            UnOp::FRound => Rounding::Away,
            UnOp::FRint | UnOp::FNearbyInt | UnOp::FRoundEven => Rounding::Even,
            other => return Err(Reason(format!("{other:?} of {}", Scalar::X87.name()))),
        };
        let rounding = Operand::Const(Const::int(Type::Int(32), rounding as u64));
        self.call_support("__ics_x87_round", &[a, &[rounding]].concat(), &PIECES)
    }

    /// The model gives one bit for the relation: equal, greater, less, unordered.
    pub(crate) fn x87_compare(
        &mut self,
        predicate: FloatPredicate,
        a: &[Operand],
        b: &[Operand],
    ) -> Result<Operand, Reason> {
        let wanted = match predicate {
            FloatPredicate::False => 0,
            FloatPredicate::Oeq => 1,
            FloatPredicate::Ogt => 2,
            FloatPredicate::Oge => 3,
            FloatPredicate::Olt => 4,
            FloatPredicate::Ole => 5,
            FloatPredicate::One => 6,
            FloatPredicate::Ord => 7,
            FloatPredicate::Uno => 8,
            FloatPredicate::Ueq => 9,
            FloatPredicate::Ugt => 10,
            FloatPredicate::Uge => 11,
            FloatPredicate::Ult => 12,
            FloatPredicate::Ule => 13,
            FloatPredicate::Une => 14,
            FloatPredicate::True => 15,
        };
        let word = Type::Int(32);
        let relation = self.call_support("__ics_x87_compare", &[a, b].concat(), &[word])?[0];
        let common = self.emit(word, Op::binary(BinOp::And, relation, constant(word, wanted)));
        Ok(self.is_not_zero(common))
    }

    /// `llvm.is.fpclass` of a `long double`.
    pub(crate) fn x87_class(&mut self, a: &[Operand], mask: u64) -> Result<Operand, Reason> {
        let word = Type::Int(32);
        let found = self.call_support("__ics_x87_class", &[a, &[constant(word, mask)]].concat(), &[word])?[0];
        Ok(self.is_not_zero(found))
    }

    fn is_not_zero(&mut self, word: Operand) -> Operand {
        let zero = constant(Type::Int(32), 0);
        self.emit(Type::Int(1), Op::IntCompare { predicate: IntPredicate::Ne, a: word, b: zero })
    }

    /// A conversion from or to `long double`; `None` if it is none.
    pub(crate) fn x87_convert(
        &mut self,
        op: CastOp,
        from: Scalar,
        to: Scalar,
        a: &[Operand],
    ) -> Option<Result<Operands, Reason>> {
        Some(match (op, from, to) {
            (CastOp::FpExt, Scalar::Plain(Type::F32), Scalar::X87) => self.x87_from_bits("__ics_x87_from_float", a[0]),
            (CastOp::FpExt, Scalar::Plain(Type::F64), Scalar::X87) => self.x87_from_bits("__ics_x87_from_double", a[0]),
            (CastOp::FpTrunc, Scalar::X87, Scalar::Plain(Type::F32)) => {
                self.x87_to_bits("__ics_x87_to_float", a, Type::Int(32), Type::F32)
            }
            (CastOp::FpTrunc, Scalar::X87, Scalar::Plain(Type::F64)) => {
                self.x87_to_bits("__ics_x87_to_double", a, Type::Int(64), Type::F64)
            }
            (CastOp::SiToFp | CastOp::UiToFp, Scalar::Plain(_), Scalar::X87) => {
                let signed = op == CastOp::SiToFp;
                let wide = self.widen(a[0], signed);
                let name = if signed { "__ics_x87_from_signed" } else { "__ics_x87_from_unsigned" };
                self.call_support(name, &[wide], &PIECES)
            }
            (CastOp::SiToFp | CastOp::UiToFp, Scalar::Wide(..=128), Scalar::X87) => {
                let signed = op == CastOp::SiToFp;
                let wide = self.wide_convert(signed, a, Scalar::Wide(128));
                self.call_support(if signed { "__floattixf" } else { "__floatuntixf" }, &wide, &PIECES)
            }
            (CastOp::FpToSi | CastOp::FpToUi, Scalar::X87, Scalar::Wide(..=128)) => {
                let name = if op == CastOp::FpToSi { "__fixxfti" } else { "__fixunsxfti" };
                let limbs = self.call_support(name, a, &[Type::Int(64), Type::Int(64)]);
                limbs.map(|limbs| self.wide_convert(false, &limbs, to))
            }
            (CastOp::FpToSi | CastOp::FpToUi, Scalar::X87, Scalar::Plain(ty)) => {
                self.x87_to_integer(a, ty, op == CastOp::FpToSi)
            }
            _ => return None,
        })
    }

    fn x87_from_bits(&mut self, name: &'static str, a: Operand) -> Result<Operands, Reason> {
        let bits = self.as_int(a);
        self.call_support(name, &[bits], &PIECES)
    }

    fn x87_to_bits(&mut self, name: &'static str, a: &[Operand], bits: Type, to: Type) -> Result<Operands, Reason> {
        let result = self.call_support(name, a, &[bits])?;
        Ok(smallvec![self.cast(CastOp::Bitcast, result[0], to)])
    }

    /// As compilers do it: signed integers of at least 16 bits, and unsigned ones through the next larger signed one.
    fn x87_to_integer(&mut self, a: &[Operand], to: Type, signed: bool) -> Result<Operands, Reason> {
        let needed = if signed { to.bits() } else { to.bits() + 1 };
        let wide = if needed > 64 {
            self.call_support("__ics_x87_to_unsigned", a, &[Type::Int(64)])?
        } else {
            let bits = constant(Type::Int(32), u64::from(needed.next_power_of_two().max(16)));
            self.call_support("__ics_x87_to_signed", &[a, &[bits]].concat(), &[Type::Int(64)])?
        };
        Ok(smallvec![self.cast(CastOp::Trunc, wide[0], to)])
    }
}
