//! Bit-vector arithmetic on constants of up to 128 bits, as SMT-LIB defines it. Used to fold constants and to evaluate
//! terms under a model; tested against Z3 operator by operator.

use crate::terms::node::{BinOp, CmpOp};

/// All ones in `width` bits.
pub(crate) fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// The sign bit of a `width`-bit vector.
pub(crate) fn sign_bit(width: u32) -> u128 {
    1 << (width - 1)
}

/// `bits` of `width` bits read as a signed number.
pub(crate) fn signed(width: u32, bits: u128) -> i128 {
    let unused = 128 - width;
    ((bits << unused) as i128) >> unused
}

/// The greatest number that divides both; the other one if one is 0.
pub fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Negation modulo 2^`width`.
pub(crate) fn negate(width: u32, bits: u128) -> u128 {
    bits.wrapping_neg() & mask(width)
}

/// Result of `op` on two constants of `width` bits.
pub(crate) fn binary(op: BinOp, width: u32, a: u128, b: u128) -> u128 {
    let ones = mask(width);
    let negative = |x: u128| x & sign_bit(width) != 0;
    let shift = if b >= u128::from(width) { None } else { Some(b as u32) };
    let result = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::UDiv => a.checked_div(b).unwrap_or(ones),
        BinOp::URem => a.checked_rem(b).unwrap_or(a),
        BinOp::SDiv if b == 0 => {
            if negative(a) {
                1
            } else {
                ones
            }
        }
        BinOp::SDiv => signed(width, a).wrapping_div(signed(width, b)) as u128,
        BinOp::SRem if b == 0 => a,
        BinOp::SRem => signed(width, a).wrapping_rem(signed(width, b)) as u128,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl => shift.map_or(0, |s| a << s),
        BinOp::LShr => shift.map_or(0, |s| a >> s),
        BinOp::AShr => (signed(width, a) >> shift.unwrap_or(width - 1)) as u128,
    };
    result & ones
}

/// Truth of `op` on two constants of `width` bits.
pub(crate) fn compare(op: CmpOp, width: u32, a: u128, b: u128) -> bool {
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ult => a < b,
        CmpOp::Ule => a <= b,
        CmpOp::Slt => signed(width, a) < signed(width, b),
        CmpOp::Sle => signed(width, a) <= signed(width, b),
    }
}

/// Inverse of an odd number modulo 2^`width` (Newton's iteration doubles the correct bits each round).
pub(crate) fn inverse_of_odd(width: u32, odd: u128) -> u128 {
    let mut inverse = odd;
    for _ in 0..7 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse & mask(width)
}
