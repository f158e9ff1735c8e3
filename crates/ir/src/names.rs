//! How the text form spells the operations.

use crate::inst::{BinOp, CastOp, FloatPredicate, IntPredicate, Ordering, OverflowOp, RmwOp, UnOp};

macro_rules! names {
    ($($enum:ident { $($variant:ident = $name:literal,)* })*) => {
        $(impl $enum {
            /// All of them, in the order of their declaration.
            pub const ALL: &'static [$enum] = &[$($enum::$variant,)*];

            /// The name in the text form.
            pub const fn name(self) -> &'static str {
                match self { $($enum::$variant => $name,)* }
            }

            /// The one with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($name => Some($enum::$variant),)* _ => None }
            }
        }

        impl std::fmt::Display for $enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        })*
    };
}

names! {
    BinOp {
        Add = "add", Sub = "sub", Mul = "mul", UDiv = "udiv", SDiv = "sdiv", URem = "urem", SRem = "srem",
        And = "and", Or = "or", Xor = "xor", Shl = "shl", LShr = "lshr", AShr = "ashr",
        FAdd = "fadd", FSub = "fsub", FMul = "fmul", FDiv = "fdiv", FRem = "frem",
        UMin = "umin", UMax = "umax", SMin = "smin", SMax = "smax",
        UAddSat = "uadd_sat", USubSat = "usub_sat", SAddSat = "sadd_sat", SSubSat = "ssub_sat",
        FMin = "fmin", FMax = "fmax", CopySign = "copysign", FPow = "fpow",
    }
    UnOp {
        FNeg = "fneg", FAbs = "fabs", FSqrt = "fsqrt", FFloor = "ffloor", FCeil = "fceil", FTrunc = "ftrunc",
        FRint = "frint", FNearbyInt = "fnearbyint", FRound = "fround", FRoundEven = "froundeven",
        FSin = "fsin", FCos = "fcos", FExp = "fexp", FExp2 = "fexp2",
        FLog = "flog", FLog2 = "flog2", FLog10 = "flog10",
        CtPop = "ctpop", CtLz = "ctlz", CtTz = "cttz", BSwap = "bswap", BitReverse = "bitreverse", Abs = "abs",
        Freeze = "freeze",
    }
    CastOp {
        Trunc = "trunc", ZExt = "zext", SExt = "sext", FpTrunc = "fptrunc", FpExt = "fpext",
        FpToUi = "fptoui", FpToSi = "fptosi", UiToFp = "uitofp", SiToFp = "sitofp", Bitcast = "bitcast",
    }
    IntPredicate {
        Eq = "eq", Ne = "ne", Ult = "ult", Ule = "ule", Ugt = "ugt", Uge = "uge",
        Slt = "slt", Sle = "sle", Sgt = "sgt", Sge = "sge",
    }
    FloatPredicate {
        False = "false", Oeq = "oeq", Ogt = "ogt", Oge = "oge", Olt = "olt", Ole = "ole", One = "one", Ord = "ord",
        Uno = "uno", Ueq = "ueq", Ugt = "ugt", Uge = "uge", Ult = "ult", Ule = "ule", Une = "une", True = "true",
    }
    OverflowOp {
        UAdd = "uadd_overflows", SAdd = "sadd_overflows", USub = "usub_overflows", SSub = "ssub_overflows",
        UMul = "umul_overflows", SMul = "smul_overflows",
    }
    RmwOp {
        Xchg = "xchg", Add = "add", Sub = "sub", And = "and", Nand = "nand", Or = "or", Xor = "xor",
        Max = "max", Min = "min", UMax = "umax", UMin = "umin", FAdd = "fadd", FSub = "fsub",
    }
    Ordering {
        Relaxed = "relaxed", Acquire = "acquire", Release = "release", AcqRel = "acq_rel", SeqCst = "seq_cst",
    }
}
