//! Arithmetic on constants, where every domain agrees on the result.

use icsched_ir::{BinOp, CastOp};

/// The lowest `width` bits set.
pub(crate) fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// The bits as a signed number.
pub(crate) fn signed(width: u32, bits: u64) -> i64 {
    let unused = 64 - width;
    (bits << unused).cast_signed() >> unused
}

/// Whether the operation is one on floating-point numbers.
pub(crate) fn is_float(op: BinOp) -> bool {
    match op {
        BinOp::FAdd
        | BinOp::FSub
        | BinOp::FMul
        | BinOp::FDiv
        | BinOp::FRem
        | BinOp::FMin
        | BinOp::FMax
        | BinOp::CopySign
        | BinOp::FPow => true,
        BinOp::Add
        | BinOp::Sub
        | BinOp::Mul
        | BinOp::UDiv
        | BinOp::SDiv
        | BinOp::URem
        | BinOp::SRem
        | BinOp::And
        | BinOp::Or
        | BinOp::Xor
        | BinOp::Shl
        | BinOp::LShr
        | BinOp::AShr
        | BinOp::UMin
        | BinOp::UMax
        | BinOp::SMin
        | BinOp::SMax
        | BinOp::UAddSat
        | BinOp::USubSat
        | BinOp::SAddSat
        | BinOp::SSubSat => false,
    }
}

/// `a op b` in the low `width` bits; `None` where that is not defined, or left to the engine.
pub(crate) fn binary(op: BinOp, width: u32, a: u64, b: u64) -> Option<u64> {
    let (x, y) = (signed(width, a), signed(width, b));
    let in_range = b < u64::from(width);
    let bits = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl if in_range => a << b,
        BinOp::LShr if in_range => a >> b,
        BinOp::AShr if in_range => (x >> b).cast_unsigned(),
        BinOp::UDiv if b != 0 => a / b,
        BinOp::URem if b != 0 => a % b,
        BinOp::SDiv if b != 0 && y != -1 => (x / y).cast_unsigned(),
        BinOp::SRem if b != 0 && y != -1 => (x % y).cast_unsigned(),
        BinOp::UMin => a.min(b),
        BinOp::UMax => a.max(b),
        BinOp::SMin => x.min(y).cast_unsigned(),
        BinOp::SMax => x.max(y).cast_unsigned(),
        _ => return None,
    };
    Some(bits & mask(width))
}

/// An integer conversion of `from` bits; the caller cuts the result to its width.
pub(crate) fn cast(op: CastOp, from: u32, bits: u64) -> u64 {
    match op {
        CastOp::SExt => signed(from, bits).cast_unsigned(),
        _ => bits,
    }
}
