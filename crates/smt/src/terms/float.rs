//! Float operators on bit patterns, with the NaN results of x86 SSE on every host, so that folding a term, evaluating
//! it under a model and running the program agree to the bit.

use crate::terms::bits::{mask, sign_bit, signed};
use crate::terms::node::FpOp;

/// Shape of a float format.
#[derive(Clone, Copy)]
struct Format {
    width: u32,
    /// Stored fraction bits.
    fraction: u32,
}

fn format(width: u32) -> Format {
    Format { width, fraction: if width == 32 { 23 } else { 52 } }
}

impl Format {
    fn exponent_mask(self) -> u64 {
        ((1 << (self.width - 1 - self.fraction)) - 1) << self.fraction
    }

    fn is_nan(self, bits: u64) -> bool {
        bits & (mask(self.width - 1) as u64) > self.exponent_mask()
    }

    fn quiet_bit(self) -> u64 {
        1 << (self.fraction - 1)
    }

    /// What SSE returns for an invalid operation without NaN operands.
    fn default_nan(self) -> u64 {
        sign_bit(self.width) as u64 | self.exponent_mask() | self.quiet_bit()
    }
}

/// The quiet NaN that `op` gives for invalid operands that aren't NaN themselves, in the format of `width` bits.
pub(crate) fn default_nan(width: u32) -> u64 {
    format(width).default_nan()
}

/// The bit that makes a NaN of `width` bits quiet.
pub(crate) fn quiet_bit(width: u32) -> u64 {
    format(width).quiet_bit()
}

fn compute64(op: FpOp, a: f64, b: f64) -> f64 {
    match op {
        FpOp::FAdd => a + b,
        FpOp::FSub => a - b,
        FpOp::FMul => a * b,
        FpOp::FDiv => a / b,
        FpOp::FRem => a % b,
        FpOp::FSqrt => a.sqrt(),
        FpOp::FFloor => a.floor(),
        FpOp::FCeil => a.ceil(),
        FpOp::FTrunc => a.trunc(),
        FpOp::FRoundEven => a.round_ties_even(),
        _ => unreachable!("not a float-to-float operator: {op:?}"),
    }
}

fn compute32(op: FpOp, a: f32, b: f32) -> f32 {
    match op {
        FpOp::FAdd => a + b,
        FpOp::FSub => a - b,
        FpOp::FMul => a * b,
        FpOp::FDiv => a / b,
        FpOp::FRem => a % b,
        // The remaining operators are exact, or (sqrt) rounded correctly when computed in double and rounded once more.
        _ => compute64(op, f64::from(a), 0.0) as f32,
    }
}

fn arithmetic(op: FpOp, width: u32, a: u64, b: u64) -> u64 {
    let f = format(width);
    if f.is_nan(a) {
        return a | f.quiet_bit();
    }
    if op.arity() == 2 && f.is_nan(b) {
        return b | f.quiet_bit();
    }
    let result = if width == 32 {
        u64::from(compute32(op, f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits())
    } else {
        compute64(op, f64::from_bits(a), f64::from_bits(b)).to_bits()
    };
    if f.is_nan(result) { f.default_nan() } else { result }
}

fn to_f64(width: u32, bits: u64) -> f64 {
    if width == 32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) }
}

fn convert(from: u32, to: u32, bits: u64) -> u64 {
    let (source, target) = (format(from), format(to));
    if !source.is_nan(bits) {
        return match (from, to) {
            (32, 64) => f64::from(f32::from_bits(bits as u32)).to_bits(),
            (64, 32) => u64::from((f64::from_bits(bits) as f32).to_bits()),
            _ => bits,
        };
    }
    if from == to {
        return bits;
    }
    let sign = bits >> (from - 1) << (to - 1);
    let payload = bits & mask(source.fraction) as u64;
    let payload = if to > from {
        payload << (target.fraction - source.fraction)
    } else {
        payload >> (source.fraction - target.fraction)
    };
    sign | target.exponent_mask() | target.quiet_bit() | payload
}

fn to_integer(width: u32, value: f64, is_signed: bool) -> u128 {
    let value = value.trunc();
    let limit = 2f64.powi(width as i32 - i32::from(is_signed));
    let least = if is_signed { -limit } else { 0.0 };
    if value >= least && value < limit {
        (value as i128 as u128) & mask(width)
    } else if is_signed {
        sign_bit(width)
    } else {
        mask(width)
    }
}

fn from_integer(to: u32, width: u32, bits: u128, is_signed: bool) -> u64 {
    match (to, is_signed) {
        (32, true) => u64::from((signed(width, bits) as f32).to_bits()),
        (32, false) => u64::from((bits as f32).to_bits()),
        (_, true) => (signed(width, bits) as f64).to_bits(),
        (_, false) => (bits as f64).to_bits(),
    }
}

/// Result of `op` on operands of `width` bits; `b` is ignored by unary operators.
pub(crate) fn evaluate(op: FpOp, width: u32, a: u128, b: u128) -> u128 {
    let (low_a, low_b) = (a as u64, b as u64);
    let (x, y) = (to_f64(width, low_a), to_f64(width, low_b));
    match op {
        FpOp::FNeg => a ^ sign_bit(width),
        FpOp::FAbs => a & mask(width - 1),
        FpOp::FEq => u128::from(x == y),
        FpOp::FLt => u128::from(x < y),
        FpOp::FLe => u128::from(x <= y),
        FpOp::FUno => u128::from(x.is_nan() || y.is_nan()),
        FpOp::FpToFp(to) => u128::from(convert(width, to, low_a)),
        FpOp::FpToSi(to) => to_integer(to, x, true),
        FpOp::FpToUi(to) => to_integer(to, x, false),
        FpOp::SiToFp(to) => u128::from(from_integer(to, width, a, true)),
        FpOp::UiToFp(to) => u128::from(from_integer(to, width, a, false)),
        FpOp::FAdd | FpOp::FSub | FpOp::FMul | FpOp::FDiv | FpOp::FRem => {
            u128::from(arithmetic(op, width, low_a, low_b))
        }
        FpOp::FSqrt | FpOp::FFloor | FpOp::FCeil | FpOp::FTrunc | FpOp::FRoundEven => {
            u128::from(arithmetic(op, width, low_a, low_b))
        }
    }
}
