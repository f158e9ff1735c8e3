//! Arithmetic on constants: what LLVM defines, and x86-64 where LLVM leaves a result open.
//!
//! Left open by LLVM and settled here as the processor does it: a shift by the width or more uses the amount modulo the
//! width; a float that does not fit an integer becomes what `cvttsd2si` gives; NaNs are those of SSE.

use icsched_ir::{BinOp, CastOp, FloatPredicate, IntPredicate, OverflowOp, RmwOp, Type, UnOp};

/// Why a constant operation has no result.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum ArithError {
    /// The divisor is zero.
    DivisionByZero,
    /// The smallest value divided by -1.
    DivisionOverflow,
}

impl ArithError {
    /// One sentence.
    pub const fn message(self) -> &'static str {
        match self {
            ArithError::DivisionByZero => "division by zero",
            ArithError::DivisionOverflow => "division of the smallest integer by -1",
        }
    }
}

/// The value as a signed integer of `bits` bits.
#[inline]
pub const fn signed(value: u64, bits: u32) -> i64 {
    let unused = 64 - bits;
    ((value << unused) as i64) >> unused
}

/// [`icsched_ir::Op::Binary`].
#[inline(always)]
pub fn binary(op: BinOp, ty: Type, a: u64, b: u64) -> Result<u64, ArithError> {
    let mask = ty.mask();
    Ok(match op {
        BinOp::Add => a.wrapping_add(b) & mask,
        BinOp::Sub => a.wrapping_sub(b) & mask,
        BinOp::Mul => a.wrapping_mul(b) & mask,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl => (a << shift_amount(b, ty)) & mask,
        BinOp::LShr => a >> shift_amount(b, ty),
        BinOp::AShr => (signed(a, ty.bits()) >> shift_amount(b, ty)) as u64 & mask,
        BinOp::UDiv => a.checked_div(b).ok_or(ArithError::DivisionByZero)?,
        BinOp::URem => a.checked_rem(b).ok_or(ArithError::DivisionByZero)?,
        BinOp::SDiv => signed_division(ty, a, b)?.0,
        BinOp::SRem => signed_division(ty, a, b)?.1,
        BinOp::UMin => a.min(b),
        BinOp::UMax => a.max(b),
        BinOp::SMin => signed(a, ty.bits()).min(signed(b, ty.bits())) as u64 & mask,
        BinOp::SMax => signed(a, ty.bits()).max(signed(b, ty.bits())) as u64 & mask,
        BinOp::UAddSat => u128::from(mask).min(u128::from(a) + u128::from(b)) as u64,
        BinOp::USubSat => a.saturating_sub(b),
        BinOp::SAddSat | BinOp::SSubSat => saturate(op == BinOp::SSubSat, ty, a, b),
        BinOp::FAdd
        | BinOp::FSub
        | BinOp::FMul
        | BinOp::FDiv
        | BinOp::FRem
        | BinOp::FMin
        | BinOp::FMax
        | BinOp::CopySign
        | BinOp::FPow => float_binary(op, ty, a, b),
    })
}

#[inline]
const fn shift_amount(amount: u64, ty: Type) -> u32 {
    (amount % ty.bits() as u64) as u32
}

fn signed_division(ty: Type, a: u64, b: u64) -> Result<(u64, u64), ArithError> {
    let bits = ty.bits();
    let (x, y) = (signed(a, bits), signed(b, bits));
    if y == 0 {
        return Err(ArithError::DivisionByZero);
    }
    if y == -1 && x == signed(1 << (bits - 1), bits) {
        return Err(ArithError::DivisionOverflow);
    }
    Ok(((x / y) as u64 & ty.mask(), (x % y) as u64 & ty.mask()))
}

fn saturate(subtract: bool, ty: Type, a: u64, b: u64) -> u64 {
    let bits = ty.bits();
    let (x, y) = (i128::from(signed(a, bits)), i128::from(signed(b, bits)));
    let exact = if subtract { x - y } else { x + y };
    let limit = 1i128 << (bits - 1);
    exact.clamp(-limit, limit - 1) as u64 & ty.mask()
}

fn single(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn float_binary(op: BinOp, ty: Type, a: u64, b: u64) -> u64 {
    if ty == Type::F32 {
        let (x, y) = (single(a), single(b));
        let result = match op {
            BinOp::FAdd => x + y,
            BinOp::FSub => x - y,
            BinOp::FMul => x * y,
            BinOp::FDiv => x / y,
            BinOp::FRem => x % y,
            BinOp::FMin => x.min(y),
            BinOp::FMax => x.max(y),
            BinOp::CopySign => x.copysign(y),
            _ => x.powf(y),
        };
        return u64::from(result.to_bits());
    }
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    let result = match op {
        BinOp::FAdd => x + y,
        BinOp::FSub => x - y,
        BinOp::FMul => x * y,
        BinOp::FDiv => x / y,
        BinOp::FRem => x % y,
        BinOp::FMin => x.min(y),
        BinOp::FMax => x.max(y),
        BinOp::CopySign => x.copysign(y),
        _ => x.powf(y),
    };
    result.to_bits()
}

/// [`icsched_ir::Op::Unary`].
pub fn unary(op: UnOp, ty: Type, a: u64) -> u64 {
    let bits = ty.bits();
    match op {
        UnOp::Freeze => a,
        UnOp::CtPop => u64::from(a.count_ones()),
        UnOp::CtLz => u64::from(a.leading_zeros() - (64 - bits)),
        UnOp::CtTz => u64::from(a.trailing_zeros().min(bits)),
        UnOp::BSwap => a.swap_bytes() >> (64 - bits),
        UnOp::BitReverse => a.reverse_bits() >> (64 - bits),
        UnOp::Abs => signed(a, bits).unsigned_abs() & ty.mask(),
        UnOp::FNeg => a ^ (1 << (bits - 1)),
        UnOp::FAbs => a & (ty.mask() >> 1),
        UnOp::FSqrt
        | UnOp::FFloor
        | UnOp::FCeil
        | UnOp::FTrunc
        | UnOp::FRint
        | UnOp::FNearbyInt
        | UnOp::FRound
        | UnOp::FRoundEven
        | UnOp::FSin
        | UnOp::FCos
        | UnOp::FExp
        | UnOp::FExp2
        | UnOp::FLog
        | UnOp::FLog2
        | UnOp::FLog10 => float_unary(op, ty, a),
    }
}

macro_rules! float_function {
    ($op:expr, $x:expr) => {
        match $op {
            UnOp::FSqrt => $x.sqrt(),
            UnOp::FFloor => $x.floor(),
            UnOp::FCeil => $x.ceil(),
            UnOp::FTrunc => $x.trunc(),
            UnOp::FRint | UnOp::FNearbyInt | UnOp::FRoundEven => $x.round_ties_even(),
            UnOp::FRound => $x.round(),
            UnOp::FSin => $x.sin(),
            UnOp::FCos => $x.cos(),
            UnOp::FExp => $x.exp(),
            UnOp::FExp2 => $x.exp2(),
            UnOp::FLog => $x.ln(),
            UnOp::FLog2 => $x.log2(),
            _ => $x.log10(),
        }
    };
}

/// A NaN comes back quiet, as from the C library; what Rust calls may leave it signalling.
fn float_unary(op: UnOp, ty: Type, a: u64) -> u64 {
    if widen(ty, a).is_nan() {
        return a | 1 << (if ty == Type::F32 { 22 } else { 51 });
    }
    if ty == Type::F32 {
        u64::from(float_function!(op, single(a)).to_bits())
    } else {
        float_function!(op, f64::from_bits(a)).to_bits()
    }
}

/// [`icsched_ir::Op::Cast`].
#[inline]
pub fn cast(op: CastOp, from: Type, to: Type, a: u64) -> u64 {
    match op {
        CastOp::ZExt | CastOp::Bitcast => a,
        CastOp::Trunc => a & to.mask(),
        CastOp::SExt => signed(a, from.bits()) as u64 & to.mask(),
        CastOp::FpTrunc => u64::from((f64::from_bits(a) as f32).to_bits()),
        CastOp::FpExt => f64::from(single(a)).to_bits(),
        CastOp::FpToSi => float_to_signed(widen(from, a), to),
        CastOp::FpToUi => float_to_unsigned(widen(from, a), to),
        CastOp::UiToFp if to == Type::F32 => u64::from((a as f32).to_bits()),
        CastOp::UiToFp => (a as f64).to_bits(),
        CastOp::SiToFp if to == Type::F32 => u64::from((signed(a, from.bits()) as f32).to_bits()),
        CastOp::SiToFp => (signed(a, from.bits()) as f64).to_bits(),
    }
}

fn widen(from: Type, a: u64) -> f64 {
    if from == Type::F32 { f64::from(single(a)) } else { f64::from_bits(a) }
}

/// `cvttsd2si` with a 64-bit target.
fn truncate(x: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&x) { x as i64 } else { i64::MIN }
}

fn float_to_signed(x: f64, to: Type) -> u64 {
    if to.bits() > 32 {
        return truncate(x) as u64 & to.mask();
    }
    let fits = x > -2_147_483_649.0 && x < 2_147_483_648.0;
    let word = if fits { x as i32 } else { i32::MIN };
    word as u32 as u64 & to.mask()
}

fn float_to_unsigned(x: f64, to: Type) -> u64 {
    if to.bits() < 32 {
        return float_to_signed(x, Type::Int(32)) & to.mask();
    }
    if to.bits() < 64 {
        return truncate(x) as u64 & to.mask();
    }
    // What compilers emit: the upper half of the range is converted after subtracting 2^63.
    let low = truncate(x);
    let high = truncate(x - 9_223_372_036_854_775_808.0);
    (low | (high & (low >> 63))) as u64
}

/// [`icsched_ir::Op::IntCompare`].
#[inline(always)]
pub fn int_compare(predicate: IntPredicate, ty: Type, a: u64, b: u64) -> bool {
    predicate.holds(ty.bits(), a, b)
}

/// [`icsched_ir::Op::FloatCompare`].
pub fn float_compare(predicate: FloatPredicate, ty: Type, a: u64, b: u64) -> bool {
    let order = widen(ty, a).partial_cmp(&widen(ty, b));
    let unordered = order.is_none();
    match predicate {
        FloatPredicate::False => false,
        FloatPredicate::True => true,
        FloatPredicate::Ord => !unordered,
        FloatPredicate::Uno => unordered,
        FloatPredicate::Oeq => order.is_some_and(|o| o.is_eq()),
        FloatPredicate::Ogt => order.is_some_and(|o| o.is_gt()),
        FloatPredicate::Oge => order.is_some_and(|o| o.is_ge()),
        FloatPredicate::Olt => order.is_some_and(|o| o.is_lt()),
        FloatPredicate::Ole => order.is_some_and(|o| o.is_le()),
        FloatPredicate::One => order.is_some_and(|o| o.is_ne()),
        FloatPredicate::Ueq => order.is_none_or(|o| o.is_eq()),
        FloatPredicate::Ugt => order.is_none_or(|o| o.is_gt()),
        FloatPredicate::Uge => order.is_none_or(|o| o.is_ge()),
        FloatPredicate::Ult => order.is_none_or(|o| o.is_lt()),
        FloatPredicate::Ule => order.is_none_or(|o| o.is_le()),
        FloatPredicate::Une => order.is_none_or(|o| o.is_ne()),
    }
}

/// [`icsched_ir::Op::Overflow`].
pub fn overflow(op: OverflowOp, ty: Type, a: u64, b: u64) -> bool {
    let bits = ty.bits();
    let (ua, ub) = (u128::from(a), u128::from(b));
    let (sa, sb) = (i128::from(signed(a, bits)), i128::from(signed(b, bits)));
    let limit = 1i128 << (bits - 1);
    let outside = |x: i128| x < -limit || x >= limit;
    match op {
        OverflowOp::UAdd => ua + ub > u128::from(ty.mask()),
        OverflowOp::USub => a < b,
        OverflowOp::UMul => ua * ub > u128::from(ty.mask()),
        OverflowOp::SAdd => outside(sa + sb),
        OverflowOp::SSub => outside(sa - sb),
        OverflowOp::SMul => outside(sa * sb),
    }
}

/// [`icsched_ir::Op::FunnelShift`].
pub fn funnel_shift(left: bool, ty: Type, hi: u64, lo: u64, amount: u64) -> u64 {
    let bits = ty.bits();
    let by = amount % u64::from(bits);
    let both = u128::from(hi) << bits | u128::from(lo);
    let shifted = if left { (both << by) >> bits } else { both >> by };
    shifted as u64 & ty.mask()
}

/// The binary operation behind an atomic one; `None` for an exchange and for `Nand`.
pub const fn rmw_operation(op: RmwOp) -> Option<BinOp> {
    match op {
        RmwOp::Xchg | RmwOp::Nand => None,
        RmwOp::Add => Some(BinOp::Add),
        RmwOp::Sub => Some(BinOp::Sub),
        RmwOp::And => Some(BinOp::And),
        RmwOp::Or => Some(BinOp::Or),
        RmwOp::Xor => Some(BinOp::Xor),
        RmwOp::Max => Some(BinOp::SMax),
        RmwOp::Min => Some(BinOp::SMin),
        RmwOp::UMax => Some(BinOp::UMax),
        RmwOp::UMin => Some(BinOp::UMin),
        RmwOp::FAdd => Some(BinOp::FAdd),
        RmwOp::FSub => Some(BinOp::FSub),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_at_their_width() {
        assert_eq!(binary(BinOp::Add, Type::Int(8), 0xFF, 2), Ok(1));
        assert_eq!(binary(BinOp::Mul, Type::Int(32), 0x8000_0001, 2), Ok(2));
        assert_eq!(binary(BinOp::AShr, Type::Int(16), 0x8000, 15), Ok(0xFFFF));
        assert_eq!(binary(BinOp::Shl, Type::Int(32), 1, 33), Ok(2));
        assert_eq!(binary(BinOp::SDiv, Type::Int(32), 0xFFFF_FFF9, 2), Ok(0xFFFF_FFFD));
        assert_eq!(binary(BinOp::SRem, Type::Int(32), 0xFFFF_FFF9, 2), Ok(0xFFFF_FFFF));
        assert_eq!(binary(BinOp::SDiv, Type::Int(32), 0x8000_0000, 0xFFFF_FFFF), Err(ArithError::DivisionOverflow));
        assert_eq!(binary(BinOp::URem, Type::Int(64), 5, 0), Err(ArithError::DivisionByZero));
        assert_eq!(binary(BinOp::SAddSat, Type::Int(8), 0x7F, 1), Ok(0x7F));
        assert_eq!(binary(BinOp::SSubSat, Type::Int(8), 0x80, 1), Ok(0x80));
        assert_eq!(binary(BinOp::UAddSat, Type::Int(64), u64::MAX, 1), Ok(u64::MAX));
    }

    #[test]
    fn bits_are_counted_within_the_width() {
        assert_eq!(unary(UnOp::CtLz, Type::Int(32), 1), 31);
        assert_eq!(unary(UnOp::CtTz, Type::Int(16), 0), 16);
        assert_eq!(unary(UnOp::BSwap, Type::Int(32), 0x1234_5678), 0x7856_3412);
        assert_eq!(unary(UnOp::Abs, Type::Int(32), 0xFFFF_FFFF), 1);
        assert_eq!(unary(UnOp::FNeg, Type::F32, u64::from(1f32.to_bits())), u64::from((-1f32).to_bits()));
    }

    #[test]
    fn floats_out_of_range_become_what_the_processor_gives() {
        let cast_f64 = |op, to, x: f64| cast(op, Type::F64, to, x.to_bits());
        assert_eq!(cast_f64(CastOp::FpToSi, Type::Int(32), 3e9), 0x8000_0000);
        assert_eq!(cast_f64(CastOp::FpToSi, Type::Int(64), f64::NAN), 1 << 63);
        assert_eq!(cast_f64(CastOp::FpToUi, Type::Int(32), 3e9), 3_000_000_000);
        assert_eq!(cast_f64(CastOp::FpToUi, Type::Int(64), 1e19), 10_000_000_000_000_000_000);
        assert_eq!(cast_f64(CastOp::FpToUi, Type::Int(64), 12.9), 12);
        assert_eq!(cast_f64(CastOp::FpToSi, Type::Int(8), -1.5), 0xFF);
    }

    /// `floorf` of the NaN `0xFFBB_FF7F` is `0xFFFB_FF7F`.
    #[test]
    fn functions_of_a_signalling_nan_give_a_quiet_one() {
        for op in [UnOp::FFloor, UnOp::FTrunc, UnOp::FSqrt, UnOp::FSin] {
            assert_eq!(unary(op, Type::F32, 0xFFBB_FF7F), 0xFFFB_FF7F);
            assert_eq!(unary(op, Type::F64, 0x7FF0_0000_0000_0001), 0x7FF8_0000_0000_0001);
        }
    }

    #[test]
    fn comparisons_respect_sign_and_nan() {
        assert!(int_compare(IntPredicate::Slt, Type::Int(8), 0xFF, 0));
        assert!(int_compare(IntPredicate::Ugt, Type::Int(8), 0xFF, 0));
        let nan = f64::NAN.to_bits();
        assert!(!float_compare(FloatPredicate::Oeq, Type::F64, nan, nan));
        assert!(float_compare(FloatPredicate::Une, Type::F64, nan, nan));
        assert!(float_compare(FloatPredicate::Uno, Type::F64, nan, 0));
    }

    #[test]
    fn overflow_is_exact() {
        assert!(overflow(OverflowOp::SMul, Type::Int(64), 1 << 62, 2));
        assert!(!overflow(OverflowOp::UMul, Type::Int(64), 1 << 62, 2));
        assert!(overflow(OverflowOp::SSub, Type::Int(32), 0x8000_0000, 1));
        assert!(overflow(OverflowOp::USub, Type::Int(8), 0, 1));
    }

    #[test]
    fn funnel_shifts_rotate() {
        assert_eq!(funnel_shift(true, Type::Int(32), 0x8000_0001, 0x8000_0001, 1), 3);
        assert_eq!(funnel_shift(false, Type::Int(32), 0x8000_0001, 0x8000_0001, 1), 0xC000_0000);
        assert_eq!(funnel_shift(true, Type::Int(64), u64::MAX, 0, 0), u64::MAX);
    }
}
