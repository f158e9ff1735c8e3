//! Which bits of a value are undefined because they come from memory or a local that was never written.
//!
//! A mask has a one where a bit is undefined. Masks follow values bit by bit through copies, logic and shifts, so that
//! copying padding or setting one bit-field of a fresh struct is no error, while everything that depends on an
//! undefined bit is undefined. An error is reported only where it matters: at a branch, an address, a size. The rules
//! are those of bit-precise shadow memory as in Memcheck and MemorySanitizer, made a little sharper for comparisons.

use icsched_ir::{BinOp, CastOp, IntPredicate, Type, UnOp};

/// An operand, as far as its definedness is concerned.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Bits {
    /// Undefined bits; zero above the type's width.
    pub(crate) mask: u64,
    /// The value, if it does not depend on inputs. Meaningless where `mask` is set.
    pub(crate) value: Option<u64>,
}

impl Bits {
    fn is_defined(self) -> bool {
        self.mask == 0
    }

    /// Bits that may be one.
    fn may_be_one(self) -> u64 {
        self.value.unwrap_or(u64::MAX) | self.mask
    }

    /// Bits that may be zero.
    fn may_be_zero(self) -> u64 {
        !self.value.unwrap_or(0) | self.mask
    }

    /// Smallest and largest unsigned value.
    fn range(self) -> Option<(u64, u64)> {
        self.value.map(|v| (v & !self.mask, v | self.mask))
    }
}

/// The bits from the lowest undefined one upwards: where a carry may reach.
fn carried(ty: Type, mask: u64) -> u64 {
    (mask | mask.wrapping_neg()) & ty.mask()
}

/// Undefined bits of [`icsched_ir::Op::Binary`].
pub(crate) fn binary(op: BinOp, ty: Type, a: Bits, b: Bits) -> u64 {
    if a.is_defined() && b.is_defined() {
        return 0;
    }
    let either = a.mask | b.mask;
    match op {
        BinOp::And => either & a.may_be_one() & b.may_be_one(),
        BinOp::Or => either & a.may_be_zero() & b.may_be_zero(),
        BinOp::Xor => either,
        BinOp::Add | BinOp::Sub => carried(ty, either),
        BinOp::Mul => product(ty, a, b),
        BinOp::Shl | BinOp::LShr | BinOp::AShr => shifted(op, ty, a, b),
        BinOp::CopySign => {
            let sign = sign_bit(ty);
            (a.mask & !sign) | (b.mask & sign)
        }
        BinOp::UDiv
        | BinOp::SDiv
        | BinOp::URem
        | BinOp::SRem
        | BinOp::FAdd
        | BinOp::FSub
        | BinOp::FMul
        | BinOp::FDiv
        | BinOp::FRem
        | BinOp::UMin
        | BinOp::UMax
        | BinOp::SMin
        | BinOp::SMax
        | BinOp::UAddSat
        | BinOp::USubSat
        | BinOp::SAddSat
        | BinOp::SSubSat
        | BinOp::FMin
        | BinOp::FMax
        | BinOp::FPow => ty.mask(),
    }
}

/// A defined factor's trailing zeros are the product's, and a factor of zero makes it zero.
fn product(ty: Type, a: Bits, b: Bits) -> u64 {
    let by = |whole: Bits, factor: Bits| match factor.value {
        Some(0) => 0,
        Some(v) => carried(ty, whole.mask << v.trailing_zeros()),
        None => carried(ty, whole.mask),
    };
    match (a.is_defined(), b.is_defined()) {
        (false, true) => by(a, b),
        (true, false) => by(b, a),
        _ => carried(ty, a.mask | b.mask),
    }
}

fn shifted(op: BinOp, ty: Type, a: Bits, amount: Bits) -> u64 {
    let known = amount.value.filter(|&n| amount.is_defined() && n < u64::from(ty.bits()));
    match (op, known) {
        (_, None) => ty.mask(),
        (BinOp::Shl, Some(n)) => (a.mask << n) & ty.mask(),
        (BinOp::AShr, Some(n)) => (sign_extended(ty, a.mask) >> n) as u64 & ty.mask(),
        (_, Some(n)) => a.mask >> n,
    }
}

fn sign_bit(ty: Type) -> u64 {
    1 << (ty.bits() - 1)
}

fn sign_extended(ty: Type, bits: u64) -> i64 {
    let unused = 64 - ty.bits();
    (bits << unused).cast_signed() >> unused
}

/// Undefined bits of [`icsched_ir::Op::Unary`].
pub(crate) fn unary(op: UnOp, ty: Type, a: u64) -> u64 {
    if a == 0 {
        return 0;
    }
    match op {
        UnOp::Freeze => 0,
        UnOp::FNeg => a,
        UnOp::FAbs => a & !sign_bit(ty),
        UnOp::BSwap => a.swap_bytes() >> (64 - ty.bits()),
        UnOp::BitReverse => a.reverse_bits() >> (64 - ty.bits()),
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
        | UnOp::FLog10
        | UnOp::CtPop
        | UnOp::CtLz
        | UnOp::CtTz
        | UnOp::Abs => ty.mask(),
    }
}

/// Undefined bits of [`icsched_ir::Op::Cast`].
pub(crate) fn cast(op: CastOp, from: Type, to: Type, a: u64) -> u64 {
    if a == 0 {
        return 0;
    }
    match op {
        CastOp::Trunc => a & to.mask(),
        CastOp::ZExt | CastOp::Bitcast => a,
        CastOp::SExt => sign_extended(from, a).cast_unsigned() & to.mask(),
        CastOp::FpTrunc | CastOp::FpExt | CastOp::FpToUi | CastOp::FpToSi | CastOp::UiToFp | CastOp::SiToFp => {
            to.mask()
        }
    }
}

/// Whether the outcome of an integer comparison is undefined: whether it depends on undefined bits.
pub(crate) fn int_compare(predicate: IntPredicate, ty: Type, a: Bits, b: Bits) -> bool {
    if a.is_defined() && b.is_defined() {
        return false;
    }
    let flip = |x: Bits| Bits { value: x.value.map(|v| v ^ sign_bit(ty)), ..x };
    let settled = match predicate {
        IntPredicate::Eq | IntPredicate::Ne => {
            let both = a.value.zip(b.value);
            both.is_some_and(|(x, y)| (x ^ y) & ty.mask() & !(a.mask | b.mask) != 0)
        }
        IntPredicate::Ult | IntPredicate::Uge => below_settled(a, b),
        IntPredicate::Ugt | IntPredicate::Ule => below_settled(b, a),
        IntPredicate::Slt | IntPredicate::Sge => below_settled(flip(a), flip(b)),
        IntPredicate::Sgt | IntPredicate::Sle => below_settled(flip(b), flip(a)),
    };
    !settled
}

/// Whether `a < b` is the same for all values of the undefined bits.
fn below_settled(a: Bits, b: Bits) -> bool {
    let Some(((a_min, a_max), (b_min, b_max))) = a.range().zip(b.range()) else { return false };
    a_max < b_min || a_min >= b_max
}

/// Undefined bits of a funnel shift.
pub(crate) fn funnel_shift(left: bool, ty: Type, hi: Bits, lo: Bits, amount: Bits) -> u64 {
    if hi.is_defined() && lo.is_defined() && amount.is_defined() {
        return 0;
    }
    let Some(n) = amount.value.filter(|_| amount.is_defined()) else { return ty.mask() };
    let bits = u64::from(ty.bits());
    let n = n % bits;
    let both = u128::from(hi.mask) << bits | u128::from(lo.mask);
    let shifted = if left { both << n >> bits } else { both >> n };
    shifted as u64 & ty.mask()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTE: Type = Type::Int(8);

    /// All completions of a byte's undefined bits.
    fn completions(x: Bits) -> impl Iterator<Item = u64> {
        let value = x.value.expect("known in this test") & !x.mask;
        (0..=255_u64).filter(move |c| c & !x.mask == 0).map(move |c| value | c)
    }

    fn cases() -> impl Iterator<Item = (Bits, Bits)> {
        let operands = |seed: u64| {
            (0..40_u64).map(move |i| {
                let mix = (i + seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
                Bits { mask: mix & (mix >> 8) & (mix >> 16) & 0xFF, value: Some((mix >> 24) & 0xFF) }
            })
        };
        operands(0).flat_map(move |a| operands(1000).map(move |b| (a, b)))
    }

    /// The bits that differ between some completions must be in the mask.
    fn check(name: &str, mask: u64, results: impl Iterator<Item = u64>) {
        let (ones, zeros) = results.fold((0, 0), |(o, z), r| (o | r, z | !r));
        let vary = ones & zeros & 0xFF;
        assert_eq!(vary & !mask, 0, "{name}: bits {vary:08b} vary, mask {mask:08b}");
    }

    #[test]
    fn every_bit_that_can_vary_is_undefined() {
        use BinOp::{Add, And, Mul, Or, SMax, Sub, UAddSat, UMin, Xor};
        for op in [Add, Sub, Mul, And, Or, Xor, UMin, SMax, UAddSat] {
            for (a, b) in cases() {
                let all = completions(a).flat_map(|x| completions(b).map(move |y| (x, y)));
                let results = all.map(|(x, y)| crate::arith::binary(op, BYTE, x, y).unwrap_or(0));
                check(&format!("{op:?} {a:?} {b:?}"), binary(op, BYTE, a, b), results);
            }
        }
    }

    #[test]
    fn shifts_move_the_mask() {
        for op in [BinOp::Shl, BinOp::LShr, BinOp::AShr] {
            for (a, b) in cases() {
                let amount = Bits { mask: 0, value: Some(b.mask % 8) };
                let results =
                    completions(a).map(|x| crate::arith::binary(op, BYTE, x, b.mask % 8).expect("no division"));
                let (mut ones, mut zeros) = (0, 0);
                results.for_each(|r| (ones, zeros) = (ones | r, zeros | !r));
                assert_eq!(binary(op, BYTE, a, amount), ones & zeros & 0xFF, "{op:?} {a:?} by {amount:?}");
            }
        }
    }

    #[test]
    fn comparisons_are_undefined_only_if_they_depend_on_it() {
        use IntPredicate::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
        for predicate in [Eq, Ne, Ult, Ule, Ugt, Uge, Slt, Sle, Sgt, Sge] {
            for (a, b) in cases() {
                let all = completions(a).flat_map(|x| completions(b).map(move |y| (x, y)));
                let mut seen = all.map(|(x, y)| crate::arith::int_compare(predicate, BYTE, x, y));
                let first = seen.next().expect("at least one completion");
                let varies = seen.any(|r| r != first);
                assert_eq!(int_compare(predicate, BYTE, a, b), varies, "{predicate:?} {a:?} {b:?}");
            }
        }
    }

    #[test]
    fn a_field_of_a_fresh_word_can_be_set_and_read() {
        let fresh = Bits { mask: 0xFF, value: Some(0) };
        let cleared = binary(BinOp::And, BYTE, fresh, Bits { mask: 0, value: Some(0xF8) });
        let cleared = Bits { mask: cleared, value: Some(0) };
        assert_eq!(cleared.mask, 0xF8);
        let set = binary(BinOp::Or, BYTE, cleared, Bits { mask: 0, value: Some(0x05) });
        assert_eq!(set, 0xF8);
        let read = binary(BinOp::And, BYTE, Bits { mask: set, value: Some(5) }, Bits { mask: 0, value: Some(7) });
        assert_eq!(read, 0);
    }
}
