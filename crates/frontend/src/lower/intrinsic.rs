//! LLVM's own functions (`llvm.…`).

use icsched_ir::{
    BinOp, Callee, CastOp, Const, FloatPredicate, IntPredicate, Intrinsic, Op, Operand, Ordering, OverflowOp, Type,
    UnOp,
};
use smallvec::smallvec;

use super::call::{math_binary, math_unary};
use super::error::Reason;
use super::function::Body;
use super::scalar::Scalar;
use super::shape::Operands;
use super::wide::constant;
use crate::llvm::Val;

impl<'m> Body<'_, 'm> {
    /// Lowers a call of `llvm.NAME`.
    pub(crate) fn lower_intrinsic(&mut self, inst: Val<'m>, name: &str) -> Result<Operands, Reason> {
        let base = base_name(name);
        if is_ignored(base) {
            return Ok(Operands::new());
        }
        let args = inst.call_args();
        for arg in &args {
            self.check(arg.ty())?;
        }
        self.check(inst.ty())?;
        if let Some(op) = overflow_op(base) {
            return self.lower_overflow(inst, op);
        }
        if let Some(op) = unary_op(base) {
            return self.each(args[0], |body, scalar, a| body.unary(op, scalar, a));
        }
        if let Some(op) = binary_op(base) {
            return self.each_pair(inst, |body, scalar, a, b| body.binary(op, scalar, a, b));
        }
        if let Some(kind) = base.strip_prefix("vector.reduce.") {
            return self.lower_reduction(inst, kind);
        }
        match base {
            "memcpy" | "memmove" | "memset" | "memcpy.inline" | "memset.inline" => {
                self.lower_block_operation(base, &args)
            }
            "va_start" => self.list_operation(&args, |list| Op::VaStart { list }),
            "va_copy" => {
                let (to, from) = (self.scalar(args[0])?, self.scalar(args[1])?);
                self.emit_void(Op::VaCopy { to, from });
                Ok(Operands::new())
            }
            "trap" | "debugtrap" | "ubsantrap" => {
                self.emit_void(Op::Trap);
                Ok(Operands::new())
            }
            "x86.sse2.pause" => {
                self.emit_void(Op::Call { callee: Callee::Intrinsic(Intrinsic::Pause), args: Vec::new() });
                Ok(Operands::new())
            }
            "x86.sse2.mfence" | "x86.sse2.lfence" | "x86.sse.sfence" => {
                self.emit_void(Op::Fence { ordering: Ordering::SeqCst });
                Ok(Operands::new())
            }
            _ => self.lower_valued_intrinsic(inst, base, &args),
        }
    }

    fn lower_valued_intrinsic(&mut self, inst: Val<'m>, base: &str, args: &[Val<'m>]) -> Result<Operands, Reason> {
        match base {
            "expect"
            | "expect.with.probability"
            | "annotation"
            | "ptr.annotation"
            | "launder.invariant.group"
            | "strip.invariant.group"
            | "ssa.copy"
            | "arithmetic.fence"
            | "threadlocal.address"
            | "preserve.array.access.index"
            | "preserve.struct.access.index" => self.operands(args[0]),
            "masked.load" | "masked.gather" => self.lower_masked_load(inst, args),
            "masked.store" | "masked.scatter" => self.lower_masked_store(args),
            "readcyclecounter" => self.call_support("__ics_time_stamp", &[], &[Type::Int(64)]),
            "frameaddress" | "returnaddress" | "addressofreturnaddress" | "sponentry" => {
                let depth =
                    if base == "frameaddress" || base == "returnaddress" { args[0].int_bits() } else { Some(0) };
                // Any address of this activation will do; those of callers are not known.
                if base == "frameaddress" && depth == Some(0) {
                    Ok(smallvec![self.scratch()])
                } else {
                    Err(Reason(format!("llvm.{base}")))
                }
            }
            "get.rounding" => Ok(smallvec![Operand::Const(Const::int(Type::Int(32), 1))]),
            "eh.typeid.for" => Ok(smallvec![Operand::Const(Const::int(Type::Int(32), 1))]),
            "load.relative" => self.lower_relative_load(args[0], args[1]),
            "stacksave" => {
                let types: Vec<Type> = self.shape(inst.ty()).types().collect();
                Ok(self
                    .emit_many(&types, Op::Call { callee: Callee::Intrinsic(Intrinsic::StackSave), args: Vec::new() }))
            }
            "stackrestore" => {
                let args = vec![self.scalar(args[0])?];
                self.emit_void(Op::Call { callee: Callee::Intrinsic(Intrinsic::StackRestore), args });
                Ok(Operands::new())
            }
            "is.constant" => Ok(smallvec![Operand::Const(Const::int(Type::Int(1), 0))]),
            "objectsize" => {
                let minimum = args[1].int_bits() == Some(1);
                let ty = self.shape(inst.ty()).leaves[0].ty;
                Ok(smallvec![Operand::Const(Const::int(ty, if minimum { 0 } else { u64::MAX }))])
            }
            "fshl" | "fshr" => self.lower_funnel_shift(args, base == "fshl"),
            "modf" => self.lower_parts_of_number(args[0]),
            "powi" => self.lower_integer_power(args),
            "fma" => self.lower_fused(args),
            "fmuladd" => self.lower_multiply_add(args),
            "ptrmask" => self.lower_pointer_mask(args),
            "ucmp" | "scmp" => self.lower_three_way(inst, base == "scmp"),
            "experimental.cttz.elts" => self.lower_first_element(inst, args[0]),
            "lrint" | "llrint" => self.lower_to_integer(inst, UnOp::FRint),
            "lround" | "llround" => self.lower_to_integer(inst, UnOp::FRound),
            "is.fpclass" => self.lower_float_class(args),
            _ => match base.strip_prefix("x86.") {
                Some(name) => self.lower_x86(inst, name, args),
                None => Err(Reason(format!("llvm.{base}"))),
            },
        }
    }

    fn list_operation(&mut self, args: &[Val<'m>], op: impl Fn(Operand) -> Op) -> Result<Operands, Reason> {
        let list = self.scalar(args[0])?;
        self.emit_void(op(list));
        Ok(Operands::new())
    }

    fn lower_block_operation(&mut self, base: &str, args: &[Val<'m>]) -> Result<Operands, Reason> {
        let to = self.scalar(args[0])?;
        let second = self.scalar(args[1])?;
        let bytes = self.index(args[2], false)?;
        self.emit_void(if base.starts_with("memset") {
            Op::MemSet { to, byte: second, bytes }
        } else {
            Op::MemCopy { to, from: second, bytes, may_overlap: base == "memmove" }
        });
        Ok(Operands::new())
    }

    /// Results are all sums, then all overflow bits: the shape of a struct of two vectors or scalars.
    fn lower_overflow(&mut self, inst: Val<'m>, op: OverflowOp) -> Result<Operands, Reason> {
        let arithmetic = match op {
            OverflowOp::UAdd | OverflowOp::SAdd => BinOp::Add,
            OverflowOp::USub | OverflowOp::SSub => BinOp::Sub,
            OverflowOp::UMul | OverflowOp::SMul => BinOp::Mul,
        };
        let mut results = self.each_pair(inst, |body, scalar, a, b| body.binary(arithmetic, scalar, a, b))?;
        let bits = self.each_pair(inst, |body, scalar, a, b| Ok(smallvec![body.overflows(op, scalar, a, b)?]))?;
        results.extend(bits);
        Ok(results)
    }

    fn lower_reduction(&mut self, inst: Val<'m>, kind: &str) -> Result<Operands, Reason> {
        let args = inst.call_args();
        let op = match kind {
            "add" => BinOp::Add,
            "mul" => BinOp::Mul,
            "and" => BinOp::And,
            "or" => BinOp::Or,
            "xor" => BinOp::Xor,
            "smax" => BinOp::SMax,
            "smin" => BinOp::SMin,
            "umax" => BinOp::UMax,
            "umin" => BinOp::UMin,
            "fmax" => BinOp::FMax,
            "fmin" => BinOp::FMin,
            "fadd" => BinOp::FAdd,
            "fmul" => BinOp::FMul,
            _ => return Err(Reason(format!("llvm.vector.reduce.{kind}"))),
        };
        let vector = *args.last().ok_or("reduction of nothing")?;
        let start = if args.len() == 2 { Some(self.operands(args[0])?) } else { None };
        self.reduce(start, vector, |body, scalar, a, b| body.binary(op, scalar, a, b))
    }

    fn lower_funnel_shift(&mut self, args: &[Val<'m>], left: bool) -> Result<Operands, Reason> {
        let (hi, lo, amounts) = (self.parts(args[0])?, self.parts(args[1])?, self.parts(args[2])?);
        let mut results = Operands::new();
        for (((scalar, hi), (_, lo)), (_, amount)) in hi.iter().zip(&lo).zip(&amounts) {
            results.extend(match *scalar {
                Scalar::Wide(bits) => self.wide_funnel(left, bits, [hi, lo, amount])?,
                _ => {
                    let ty = self.type_of(hi[0]);
                    let op = Op::FunnelShift { left, hi: hi[0], lo: lo[0], amount: amount[0] };
                    smallvec![self.emit(ty, op)]
                }
            });
        }
        Ok(results)
    }

    /// `modf`: all fractions, then all whole parts. Both have the sign of the number; the fraction of infinity is zero.
    fn lower_parts_of_number(&mut self, arg: Val<'m>) -> Result<Operands, Reason> {
        let wholes = self.each(arg, |body, scalar, a| body.unary(UnOp::FTrunc, scalar, a))?;
        let mut results = self.each(arg, |body, scalar, a| {
            let whole = body.unary(UnOp::FTrunc, scalar, a)?;
            let same = body.compare_floats(FloatPredicate::Oeq, scalar, a, &whole)?;
            let rest = body.binary(BinOp::FSub, scalar, a, &whole)?;
            let mut chosen = Operands::new();
            for rest in rest {
                let ty = body.type_of(rest);
                chosen.push(body.emit(ty, Op::Select { condition: same, a: constant(ty, 0), b: rest }));
            }
            body.binary(BinOp::CopySign, scalar, &chosen, a)
        })?;
        results.extend(wholes);
        Ok(results)
    }

    /// `powi`: the exponent is one integer for all lanes.
    fn lower_integer_power(&mut self, args: &[Val<'m>]) -> Result<Operands, Reason> {
        let exponent = self.scalar(args[1])?;
        if self.type_of(exponent) != Type::Int(32) {
            return Err(Reason::from("llvm.powi with an exponent that is no int"));
        }
        self.each(args[0], |body, scalar, a| {
            let name = match scalar {
                Scalar::Plain(Type::F32) => "__powisf2",
                Scalar::Plain(_) => "__powidf2",
                Scalar::X87 => "__powixf2",
                other => return Err(Reason(format!("llvm.powi of {}", other.name()))),
            };
            body.call_support(name, &[a, &[exponent]].concat(), &scalar.types())
        })
    }

    /// `fma` rounds once, which only a model can do.
    fn lower_fused(&mut self, args: &[Val<'m>]) -> Result<Operands, Reason> {
        let (a, b, c) = (self.parts(args[0])?, self.parts(args[1])?, self.parts(args[2])?);
        let mut results = Operands::new();
        for (((scalar, a), (_, b)), (_, c)) in a.iter().zip(&b).zip(&c) {
            let name = match scalar {
                Scalar::Plain(Type::F32) => "fmaf",
                Scalar::Plain(_) => "fma",
                Scalar::X87 => "fmal",
                other => return Err(Reason(format!("llvm.fma of {}", other.name()))),
            };
            results.extend(self.call_support(name, &[&a[..], &b[..], &c[..]].concat(), &scalar.types())?);
        }
        Ok(results)
    }

    /// `fmuladd` may round twice, and does on plain x86-64.
    fn lower_multiply_add(&mut self, args: &[Val<'m>]) -> Result<Operands, Reason> {
        let (a, b, c) = (self.parts(args[0])?, self.parts(args[1])?, self.parts(args[2])?);
        let mut results = Operands::new();
        for (((scalar, a), (_, b)), (_, c)) in a.iter().zip(&b).zip(&c) {
            let product = self.binary(BinOp::FMul, *scalar, a, b)?;
            results.extend(self.binary(BinOp::FAdd, *scalar, &product, c)?);
        }
        Ok(results)
    }

    fn lower_pointer_mask(&mut self, args: &[Val<'m>]) -> Result<Operands, Reason> {
        let pointer = self.scalar(args[0])?;
        let mask = self.index(args[1], true)?;
        let bits = self.as_int(pointer);
        let masked = self.emit(Type::Int(64), Op::binary(BinOp::And, bits, mask));
        Ok(smallvec![self.cast(CastOp::Bitcast, masked, Type::Ptr)])
    }

    /// -1, 0 or 1: `(a > b) - (a < b)`.
    fn lower_three_way(&mut self, inst: Val<'m>, signed: bool) -> Result<Operands, Reason> {
        let (greater, less) =
            if signed { (IntPredicate::Sgt, IntPredicate::Slt) } else { (IntPredicate::Ugt, IntPredicate::Ult) };
        let to = *self.check(inst.ty())?.scalars.first().ok_or("empty vector")?;
        self.each_pair(inst, |body, scalar, a, b| {
            let above = body.compare(greater, scalar, a, b)?;
            let below = body.compare(less, scalar, a, b)?;
            let (above, below) = (body.wide_convert(false, &[above], to), body.wide_convert(false, &[below], to));
            body.binary(BinOp::Sub, to, &above, &below)
        })
    }

    /// The number of the first lane that is not zero; the number of lanes if all are.
    fn lower_first_element(&mut self, inst: Val<'m>, vector: Val<'m>) -> Result<Operands, Reason> {
        let ty = self.shape(inst.ty()).leaves[0].ty;
        let lanes = self.operands(vector)?;
        let mut first = constant(ty, lanes.len() as u64);
        for (number, &lane) in lanes.iter().enumerate().rev() {
            let zero = constant(self.type_of(lane), 0);
            let condition = self.emit(Type::Int(1), Op::IntCompare { predicate: IntPredicate::Ne, a: lane, b: zero });
            first = self.emit(ty, Op::Select { condition, a: constant(ty, number as u64), b: first });
        }
        Ok(smallvec![first])
    }

    fn lower_to_integer(&mut self, inst: Val<'m>, rounding: UnOp) -> Result<Operands, Reason> {
        self.each_conversion(inst, |body, from, to, a| {
            let rounded = body.unary(rounding, from, a)?;
            body.convert(CastOp::FpToSi, from, to, &rounded)
        })
    }

    /// Tests of the bits, one per class that is asked for (bits 0 to 9 of the mask: signalling and quiet NaN, then
    /// infinity, normal, subnormal and zero of each sign).
    fn lower_float_class(&mut self, args: &[Val<'m>]) -> Result<Operands, Reason> {
        let mask = args[1].int_bits().ok_or("class that is not a constant")?;
        self.each(args[0], |body, scalar, value| match scalar {
            Scalar::Plain(_) => Ok(smallvec![body.float_class(value[0], mask)]),
            Scalar::X87 => Ok(smallvec![body.x87_class(value, mask)?]),
            other => Err(Reason(format!("class of {}", other.name()))),
        })
    }

    fn float_class(&mut self, value: Operand, mask: u64) -> Operand {
        let float = self.type_of(value);
        let bits = self.as_int(value);
        let ty = self.type_of(bits);
        let fraction = if float == Type::F32 { 23 } else { 52 };
        let sign = 1_u64 << (ty.bits() - 1);
        let infinity = (sign - 1) & !((1 << fraction) - 1);
        let quiet = infinity | 1 << (fraction - 1);
        let smallest_normal = 1_u64 << fraction;
        // Inclusive ranges of the bits, per class.
        let ranges = [
            (infinity + 1, quiet - 1),
            (quiet, sign - 1),
            (infinity, infinity),
            (smallest_normal, infinity - 1),
            (1, smallest_normal - 1),
            (0, 0),
        ];
        let positive = |class: usize| [None, None, Some(9), Some(8), Some(7), Some(6)][class];
        let negative = |class: usize| [None, None, Some(2), Some(3), Some(4), Some(5)][class];
        let asked = |bit: Option<u32>| bit.is_some_and(|bit| mask >> bit & 1 == 1);
        let mut result = Operand::Const(Const::int(Type::Int(1), 0));
        for (class, (low, high)) in ranges.into_iter().enumerate() {
            let is_nan = class < 2 && mask >> class & 1 == 1;
            if is_nan || asked(positive(class)) {
                result = self.in_range(result, bits, low, high);
            }
            if is_nan || asked(negative(class)) {
                result = self.in_range(result, bits, low | sign, high | sign);
            }
        }
        result
    }

    fn in_range(&mut self, before: Operand, bits: Operand, low: u64, high: u64) -> Operand {
        let ty = self.type_of(bits);
        let from_low = self.emit(ty, Op::binary(BinOp::Sub, bits, Operand::Const(Const::int(ty, low))));
        let last = Operand::Const(Const::int(ty, high - low));
        let test = self.emit(Type::Int(1), Op::IntCompare { predicate: IntPredicate::Ule, a: from_low, b: last });
        match before {
            Operand::Const(_) => test,
            Operand::Value(_) => self.emit(Type::Int(1), Op::binary(BinOp::Or, before, test)),
        }
    }
}

/// Cuts the type suffixes off: `memcpy.p0.p0.i64` is `memcpy`.
fn base_name(mut name: &str) -> &str {
    while let Some((stem, last)) = name.rsplit_once('.') {
        let letters = last.trim_start_matches('v').trim_start_matches(|c: char| c.is_ascii_digit());
        let is_type = match letters.as_bytes() {
            [b'i' | b'f' | b'p', digits @ ..] => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
            _ => matches!(letters, "bf16" | "f80" | "x86_fp80") || last.starts_with("sl_"),
        };
        if !is_type {
            break;
        }
        name = stem;
    }
    name
}

/// Hints and markers without an effect here.
fn is_ignored(base: &str) -> bool {
    base.starts_with("dbg.")
        || base.starts_with("lifetime.")
        || base.starts_with("invariant.")
        || matches!(
            base,
            "assume"
                | "donothing"
                | "sideeffect"
                | "prefetch"
                | "va_end"
                | "var.annotation"
                | "codeview.annotation"
                | "experimental.noalias.scope.decl"
                | "pseudoprobe"
                | "fake.use"
        )
}

fn overflow_op(base: &str) -> Option<OverflowOp> {
    Some(match base {
        "uadd.with.overflow" => OverflowOp::UAdd,
        "sadd.with.overflow" => OverflowOp::SAdd,
        "usub.with.overflow" => OverflowOp::USub,
        "ssub.with.overflow" => OverflowOp::SSub,
        "umul.with.overflow" => OverflowOp::UMul,
        "smul.with.overflow" => OverflowOp::SMul,
        _ => return None,
    })
}

fn unary_op(base: &str) -> Option<UnOp> {
    Some(match base {
        "ctpop" => UnOp::CtPop,
        "ctlz" => UnOp::CtLz,
        "cttz" => UnOp::CtTz,
        "bswap" => UnOp::BSwap,
        "bitreverse" => UnOp::BitReverse,
        "abs" => UnOp::Abs,
        _ => return math_unary(base),
    })
}

fn binary_op(base: &str) -> Option<BinOp> {
    Some(match base {
        "umin" => BinOp::UMin,
        "umax" => BinOp::UMax,
        "smin" => BinOp::SMin,
        "smax" => BinOp::SMax,
        "uadd.sat" => BinOp::UAddSat,
        "usub.sat" => BinOp::USubSat,
        "sadd.sat" => BinOp::SAddSat,
        "ssub.sat" => BinOp::SSubSat,
        "minnum" | "minimumnum" => BinOp::FMin,
        "maxnum" | "maximumnum" => BinOp::FMax,
        _ => return math_binary(base),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_suffixes_are_cut() {
        assert_eq!(base_name("memcpy.p0.p0.i64"), "memcpy");
        assert_eq!(base_name("memcpy.inline.p0.p0.i64"), "memcpy.inline");
        assert_eq!(base_name("vector.reduce.add.v4i32"), "vector.reduce.add");
        assert_eq!(base_name("umul.with.overflow.i64"), "umul.with.overflow");
        assert_eq!(base_name("x86.sse2.pause"), "x86.sse2.pause");
        assert_eq!(base_name("fabs.f64"), "fabs");
        assert_eq!(base_name("va_start.p0"), "va_start");
    }
}
