//! Integers of more than 64 bits, as lists of limbs.
//!
//! Between operations a value's last limb has exactly the bits that are left (`i1` for `i65`). Each operation first
//! makes all limbs 64 bits wide, computes modulo a power of 2^64, and cuts the last limb again. What constants make
//! trivial is not emitted: most such values are zero-extended 64-bit numbers.

use icsched_ir::{BinOp, CastOp, Const, IntPredicate, Op, Operand, OverflowOp, Type, UnOp};
use smallvec::{SmallVec, smallvec};

use super::error::Reason;
use super::function::Body;
use super::scalar::Scalar;
use super::shape::Operands;

const I64: Type = Type::Int(64);
const I1: Type = Type::Int(1);

/// Limbs of 64 bits, lowest first.
type Limbs = SmallVec<[Operand; 4]>;

/// A constant operand.
pub(crate) fn constant(ty: Type, bits: u64) -> Operand {
    Operand::Const(Const::int(ty, bits))
}

fn known(operand: Operand) -> Option<u64> {
    match operand {
        Operand::Const(Const::Bits { bits, .. }) => Some(bits),
        Operand::Const(_) | Operand::Value(_) => None,
    }
}

impl Body<'_, '_> {
    // --- one limb at a time ---

    /// Emits an operation unless constants make it trivial.
    pub(crate) fn fold_binary(&mut self, ty: Type, op: BinOp, a: Operand, b: Operand) -> Operand {
        if let Some(result) = fold(ty, op, a, b) {
            return result;
        }
        self.emit(ty, Op::binary(op, a, b))
    }

    fn op64(&mut self, op: BinOp, a: Operand, b: Operand) -> Operand {
        self.fold_binary(I64, op, a, b)
    }

    fn op1(&mut self, op: BinOp, a: Operand, b: Operand) -> Operand {
        self.fold_binary(I1, op, a, b)
    }

    fn test(&mut self, predicate: IntPredicate, a: Operand, b: Operand) -> Operand {
        let result = match (predicate, known(a), known(b)) {
            (IntPredicate::Ult, _, Some(0)) => Some(false),
            (IntPredicate::Ult, Some(a), Some(b)) => Some(a < b),
            (IntPredicate::Eq, Some(a), Some(b)) => Some(a == b),
            (IntPredicate::Ne, Some(a), Some(b)) => Some(a != b),
            (IntPredicate::Slt, Some(a), Some(b)) => Some(a.cast_signed() < b.cast_signed()),
            _ => None,
        };
        match result {
            Some(result) => constant(I1, u64::from(result)),
            None => self.emit(I1, Op::IntCompare { predicate, a, b }),
        }
    }

    fn choose(&mut self, condition: Operand, a: Operand, b: Operand) -> Operand {
        match known(condition) {
            _ if a == b => a,
            Some(0) => b,
            Some(_) => a,
            None => {
                let ty = self.type_of(a);
                self.emit(ty, Op::Select { condition, a, b })
            }
        }
    }

    /// Upper half of the product of two limbs, from four products of halves.
    fn high_product(&mut self, a: Operand, b: Operand) -> Operand {
        if known(a).is_some_and(|a| a < 2) || known(b).is_some_and(|b| b < 2) {
            return constant(I64, 0);
        }
        let (half, low) = (constant(I64, 32), constant(I64, 0xffff_ffff));
        let (a0, a1) = (self.op64(BinOp::And, a, low), self.op64(BinOp::LShr, a, half));
        let (b0, b1) = (self.op64(BinOp::And, b, low), self.op64(BinOp::LShr, b, half));
        let low_product = self.op64(BinOp::Mul, a0, b0);
        let carried = self.op64(BinOp::LShr, low_product, half);
        let cross = self.op64(BinOp::Mul, a1, b0);
        let middle = self.op64(BinOp::Add, cross, carried);
        let middle_low = self.op64(BinOp::And, middle, low);
        let middle_high = self.op64(BinOp::LShr, middle, half);
        let other = self.op64(BinOp::Mul, a0, b1);
        let sum = self.op64(BinOp::Add, other, middle_low);
        let top = self.op64(BinOp::LShr, sum, half);
        let product = self.op64(BinOp::Mul, a1, b1);
        let with_middle = self.op64(BinOp::Add, product, middle_high);
        self.op64(BinOp::Add, with_middle, top)
    }

    // --- whole numbers ---

    /// All limbs 64 bits wide.
    fn limbs(&mut self, a: &[Operand], signed: bool) -> Limbs {
        a.iter().map(|&limb| if self.type_of(limb) == I64 { limb } else { self.widen(limb, signed) }).collect()
    }

    /// The last limb as narrow as `bits` asks; limbs beyond are dropped.
    fn cut(&mut self, mut limbs: Limbs, bits: u32) -> Operands {
        limbs.truncate(bits.div_ceil(64) as usize);
        if !bits.is_multiple_of(64)
            && let Some(top) = limbs.last_mut()
        {
            let ty = Type::Int(u8::try_from(bits % 64).expect("below 64"));
            *top = self.cut_limb(*top, ty);
        }
        limbs.into_iter().collect()
    }

    /// The sum, and the carry out of the last limb.
    fn sum(&mut self, a: &[Operand], b: &[Operand]) -> (Limbs, Operand) {
        let mut carry = constant(I1, 0);
        let mut result = Limbs::new();
        for (&a, &b) in a.iter().zip(b) {
            let partial = self.op64(BinOp::Add, a, b);
            let first = if known(b) == Some(0) { constant(I1, 0) } else { self.test(IntPredicate::Ult, partial, a) };
            let carried = self.widen(carry, false);
            let total = self.op64(BinOp::Add, partial, carried);
            let second = self.test(IntPredicate::Ult, total, carried);
            carry = self.op1(BinOp::Or, first, second);
            result.push(total);
        }
        (result, carry)
    }

    /// The difference, and the borrow out of the last limb.
    fn difference(&mut self, a: &[Operand], b: &[Operand]) -> (Limbs, Operand) {
        let mut borrow = constant(I1, 0);
        let mut result = Limbs::new();
        for (&a, &b) in a.iter().zip(b) {
            let partial = self.op64(BinOp::Sub, a, b);
            let first = self.test(IntPredicate::Ult, a, b);
            let borrowed = self.widen(borrow, false);
            let total = self.op64(BinOp::Sub, partial, borrowed);
            let second = self.test(IntPredicate::Ult, partial, borrowed);
            borrow = self.op1(BinOp::Or, first, second);
            result.push(total);
        }
        (result, borrow)
    }

    /// The lowest `count` limbs of the product.
    fn product(&mut self, a: &[Operand], b: &[Operand], count: usize) -> Limbs {
        let zero = constant(I64, 0);
        let mut total: Limbs = SmallVec::from_elem(zero, count);
        for (i, &x) in a.iter().enumerate().take(count) {
            let mut row: Limbs = SmallVec::from_elem(zero, count);
            let mut carry = zero;
            for (place, slot) in row.iter_mut().enumerate().skip(i) {
                let Some(&y) = b.get(place - i) else {
                    *slot = carry;
                    break;
                };
                let low = self.op64(BinOp::Mul, x, y);
                let (sum, overflow) = self.sum(&[low], &[carry]);
                *slot = sum[0];
                if place + 1 < count {
                    let high = self.high_product(x, y);
                    let overflow = self.widen(overflow, false);
                    carry = self.op64(BinOp::Add, high, overflow);
                }
            }
            total = self.sum(&total, &row).0;
        }
        total
    }

    fn negative(&mut self, a: &[Operand]) -> Limbs {
        let zeros: Limbs = SmallVec::from_elem(constant(I64, 0), a.len());
        self.difference(&zeros, a).0
    }

    fn bitwise(&mut self, op: BinOp, a: &[Operand], b: &[Operand]) -> Limbs {
        a.iter().zip(b).map(|(&a, &b)| self.op64(op, a, b)).collect()
    }

    fn choose_all(&mut self, condition: Operand, a: &[Operand], b: &[Operand]) -> Limbs {
        a.iter().zip(b).map(|(&a, &b)| self.choose(condition, a, b)).collect()
    }

    /// All bits equal to the highest one.
    fn sign(&mut self, a: &[Operand]) -> Operand {
        let top = *a.last().expect("a number has limbs");
        self.op64(BinOp::AShr, top, constant(I64, 63))
    }

    /// A shift by `amount` modulo the limbs' width rounded up to a power of two; vacated limbs are `fill`.
    fn shift(&mut self, left: bool, a: &[Operand], amount: Operand, fill: Operand) -> Limbs {
        let mut limbs = Limbs::from_slice(a);
        if !left {
            limbs.reverse();
        }
        // From here on towards higher places; `fill` enters below.
        let mut step = 1;
        while step < limbs.len() {
            let bit = self.op64(BinOp::And, amount, constant(I64, 64 * step as u64));
            let condition = self.test(IntPredicate::Ne, bit, constant(I64, 0));
            let moved: Limbs = (0..limbs.len()).map(|i| if i < step { fill } else { limbs[i - step] }).collect();
            limbs = self.choose_all(condition, &moved, &limbs);
            step *= 2;
        }
        let inner = self.op64(BinOp::And, amount, constant(I64, 63));
        if known(inner) != Some(0) {
            limbs = (0..limbs.len())
                .map(|i| {
                    let next = if i == 0 { fill } else { limbs[i - 1] };
                    self.funnel(left, limbs[i], next, inner)
                })
                .collect();
        }
        if !left {
            limbs.reverse();
        }
        limbs
    }

    /// One limb of a shift by fewer than 64 bits: `next` is the neighbour that bits come from.
    fn funnel(&mut self, left: bool, own: Operand, next: Operand, amount: Operand) -> Operand {
        let (towards, away) = if left { (BinOp::Shl, BinOp::LShr) } else { (BinOp::LShr, BinOp::Shl) };
        match known(amount) {
            Some(count) => {
                let kept = self.op64(towards, own, amount);
                let entered = self.op64(away, next, constant(I64, 64 - count));
                self.op64(BinOp::Or, kept, entered)
            }
            None if known(next) == Some(0) => self.op64(towards, own, amount),
            None => {
                let (hi, lo) = if left { (own, next) } else { (next, own) };
                self.emit(I64, Op::FunnelShift { left, hi, lo, amount })
            }
        }
    }

    // --- operations ---

    /// A two-operand operation on integers of `bits` bits.
    pub(crate) fn wide_binary(
        &mut self,
        op: BinOp,
        bits: u32,
        a: &[Operand],
        b: &[Operand],
    ) -> Result<Operands, Reason> {
        let zero = constant(I64, 0);
        let signed = matches!(op, BinOp::AShr | BinOp::SDiv | BinOp::SRem);
        let (x, y) = (self.limbs(a, signed), self.limbs(b, signed));
        let result = match op {
            BinOp::Add => self.sum(&x, &y).0,
            BinOp::Sub => self.difference(&x, &y).0,
            BinOp::Mul => self.product(&x, &y, x.len()),
            BinOp::And | BinOp::Or | BinOp::Xor => self.bitwise(op, &x, &y),
            BinOp::Shl => self.shift(true, &x, y[0], zero),
            BinOp::LShr => self.shift(false, &x, y[0], zero),
            BinOp::AShr => {
                let fill = self.sign(&x);
                self.shift(false, &x, y[0], fill)
            }
            BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => self.wide_divide(op, bits, &x, &y)?,
            BinOp::UMin | BinOp::UMax | BinOp::SMin | BinOp::SMax => {
                let predicate =
                    if matches!(op, BinOp::UMin | BinOp::UMax) { IntPredicate::Ult } else { IntPredicate::Slt };
                let less = self.wide_compare(predicate, a, b);
                let minimum = matches!(op, BinOp::UMin | BinOp::SMin);
                let (first, second) = if minimum { (&x, &y) } else { (&y, &x) };
                self.choose_all(less, first, second)
            }
            BinOp::UAddSat | BinOp::USubSat | BinOp::SAddSat | BinOp::SSubSat => self.saturate(op, bits, a, b)?,
            _ => return Err(Reason(format!("{op:?} of {bits}-bit integers"))),
        };
        Ok(self.cut(result, bits))
    }

    /// The result, or the bound that it is beyond.
    fn saturate(&mut self, op: BinOp, bits: u32, a: &[Operand], b: &[Operand]) -> Result<Limbs, Reason> {
        let (plain, overflow) = match op {
            BinOp::UAddSat => (BinOp::Add, OverflowOp::UAdd),
            BinOp::USubSat => (BinOp::Sub, OverflowOp::USub),
            BinOp::SAddSat => (BinOp::Add, OverflowOp::SAdd),
            _ => (BinOp::Sub, OverflowOp::SSub),
        };
        let result = self.wide_binary(plain, bits, a, b)?;
        let beyond = self.wide_overflows(overflow, bits, a, b);
        let result = self.limbs(&result, false);
        let ones: Limbs = SmallVec::from_elem(constant(I64, u64::MAX), result.len());
        let bound: Limbs = match op {
            BinOp::UAddSat => ones,
            BinOp::USubSat => SmallVec::from_elem(constant(I64, 0), result.len()),
            _ => {
                // Beyond the end on `a`'s side: the largest number, with all bits flipped if `a` is negative.
                let number = self.limbs(a, true);
                let sign = self.sign(&number);
                let mut largest = ones;
                *largest.last_mut().expect("a number has limbs") = constant(I64, (1 << ((bits - 1) % 64)) - 1);
                let flips: Limbs = SmallVec::from_elem(sign, largest.len());
                self.bitwise(BinOp::Xor, &largest, &flips)
            }
        };
        Ok(self.choose_all(beyond, &bound, &result))
    }

    /// Division is a call of a model function for 128 bits.
    fn wide_divide(&mut self, op: BinOp, bits: u32, x: &[Operand], y: &[Operand]) -> Result<Limbs, Reason> {
        let name = match op {
            BinOp::UDiv => "__udivti3",
            BinOp::SDiv => "__divti3",
            BinOp::URem => "__umodti3",
            _ => "__modti3",
        };
        let (&[a0, a1], &[b0, b1]) = (x, y) else { return Err(Reason(format!("division of {bits}-bit integers"))) };
        let result = self.call_support(name, &[a0, a1, b0, b1], &[I64, I64])?;
        Ok(result.into_iter().collect())
    }

    /// A one-operand operation on an integer of `bits` bits.
    pub(crate) fn wide_unary(&mut self, op: UnOp, bits: u32, a: &[Operand]) -> Result<Operands, Reason> {
        let spare = u64::from(bits.next_multiple_of(64) - bits);
        let x = self.limbs(a, op == UnOp::Abs);
        let result = match op {
            UnOp::CtPop => {
                let mut total = constant(I64, 0);
                for &limb in &x {
                    let count = self.emit(I64, Op::Unary { op, a: limb });
                    total = self.op64(BinOp::Add, total, count);
                }
                self.small_number(total, x.len())
            }
            UnOp::CtLz => {
                let zeros = self.zeros(op, x.iter().rev().copied());
                let zeros = self.op64(BinOp::Sub, zeros, constant(I64, spare));
                self.small_number(zeros, x.len())
            }
            UnOp::CtTz => {
                let zeros = self.zeros(op, x.iter().copied());
                let whole = constant(I64, u64::from(bits));
                let less = self.test(IntPredicate::Ult, zeros, whole);
                let zeros = self.choose(less, zeros, whole);
                self.small_number(zeros, x.len())
            }
            UnOp::BSwap | UnOp::BitReverse => {
                let reversed: Limbs = x.iter().rev().map(|&limb| self.emit(I64, Op::Unary { op, a: limb })).collect();
                self.shift(false, &reversed, constant(I64, spare), constant(I64, 0))
            }
            UnOp::Abs => {
                let negative = self.negative(&x);
                let top = *x.last().expect("a number has limbs");
                let is_negative = self.test(IntPredicate::Slt, top, constant(I64, 0));
                self.choose_all(is_negative, &negative, &x)
            }
            _ => return Err(Reason(format!("{op:?} of {bits}-bit integers"))),
        };
        Ok(self.cut(result, bits))
    }

    /// How many zeros come before the first one, the limbs taken in this order.
    fn zeros(&mut self, op: UnOp, limbs: impl DoubleEndedIterator<Item = Operand>) -> Operand {
        let mut total: Option<Operand> = None;
        for limb in limbs.rev() {
            let own = self.emit(I64, Op::Unary { op, a: limb });
            total = Some(match total {
                None => own,
                Some(behind) => {
                    let empty = self.test(IntPredicate::Eq, limb, constant(I64, 0));
                    let beyond = self.op64(BinOp::Add, behind, constant(I64, 64));
                    self.choose(empty, beyond, own)
                }
            });
        }
        total.expect("a number has limbs")
    }

    fn small_number(&mut self, low: Operand, count: usize) -> Limbs {
        let mut limbs: Limbs = SmallVec::from_elem(constant(I64, 0), count);
        limbs[0] = low;
        limbs
    }

    /// A comparison of integers of one width.
    pub(crate) fn wide_compare(&mut self, predicate: IntPredicate, a: &[Operand], b: &[Operand]) -> Operand {
        let flip = |condition, body: &mut Self| body.op1(BinOp::Xor, condition, constant(I1, 1));
        match predicate {
            IntPredicate::Eq | IntPredicate::Ne => {
                let (x, y) = (self.limbs(a, false), self.limbs(b, false));
                let mut different = constant(I64, 0);
                for bits in self.bitwise(BinOp::Xor, &x, &y) {
                    different = self.op64(BinOp::Or, different, bits);
                }
                self.test(predicate, different, constant(I64, 0))
            }
            IntPredicate::Ult => self.less(a, b, false),
            IntPredicate::Slt => self.less(a, b, true),
            IntPredicate::Ugt => self.less(b, a, false),
            IntPredicate::Sgt => self.less(b, a, true),
            IntPredicate::Uge | IntPredicate::Sge => {
                let less = self.less(a, b, predicate == IntPredicate::Sge);
                flip(less, self)
            }
            IntPredicate::Ule | IntPredicate::Sle => {
                let more = self.less(b, a, predicate == IntPredicate::Sle);
                flip(more, self)
            }
        }
    }

    /// `a < b`, from the lowest limb up.
    fn less(&mut self, a: &[Operand], b: &[Operand], signed: bool) -> Operand {
        let (x, y) = (self.limbs(a, signed), self.limbs(b, signed));
        let last = x.len() - 1;
        let mut result = constant(I1, 0);
        for (i, (&x, &y)) in x.iter().zip(&y).enumerate() {
            let predicate = if signed && i == last { IntPredicate::Slt } else { IntPredicate::Ult };
            let own = self.test(predicate, x, y);
            if i == 0 {
                result = own;
                continue;
            }
            let equal = self.test(IntPredicate::Eq, x, y);
            result = self.choose(equal, result, own);
        }
        result
    }

    /// Does an operation on integers of `bits` bits overflow? Computed with one or, for products, twice the limbs more.
    pub(crate) fn wide_overflows(&mut self, op: OverflowOp, bits: u32, a: &[Operand], b: &[Operand]) -> Operand {
        let signed = matches!(op, OverflowOp::SAdd | OverflowOp::SSub | OverflowOp::SMul);
        let (x, y) = (self.limbs(a, signed), self.limbs(b, signed));
        let count = match op {
            OverflowOp::UMul | OverflowOp::SMul => 2 * x.len(),
            _ => x.len() + 1,
        };
        let (x, y) = (self.extended(x, count, signed), self.extended(y, count, signed));
        let exact = match op {
            OverflowOp::UAdd | OverflowOp::SAdd => self.sum(&x, &y).0,
            OverflowOp::USub | OverflowOp::SSub => self.difference(&x, &y).0,
            OverflowOp::UMul | OverflowOp::SMul => self.product(&x, &y, count),
        };
        let kept = self.cut(exact.clone(), bits);
        let kept = self.limbs(&kept, signed);
        let kept = self.extended(kept, count, signed);
        self.wide_compare(IntPredicate::Ne, &exact, &kept)
    }

    fn extended(&mut self, mut limbs: Limbs, count: usize, signed: bool) -> Limbs {
        if limbs.len() < count {
            let fill = if signed { self.sign(&limbs) } else { constant(I64, 0) };
            limbs.resize(count, fill);
        }
        limbs.truncate(count);
        limbs
    }

    /// An integer of any width as one of any other.
    pub(crate) fn wide_convert(&mut self, signed: bool, a: &[Operand], to: Scalar) -> Operands {
        let limbs = self.limbs(a, signed);
        let limbs = self.extended(limbs, to.count(), signed);
        match to {
            Scalar::Plain(Type::Ptr) => smallvec![self.cast(CastOp::Bitcast, limbs[0], Type::Ptr)],
            _ => self.cut(limbs, to.bits()),
        }
    }

    /// A funnel shift: the upper (left) or lower half of `hi:lo` shifted by `amount` modulo the width.
    pub(crate) fn wide_funnel(
        &mut self,
        left: bool,
        bits: u32,
        [hi, lo, amount]: [&[Operand]; 3],
    ) -> Result<Operands, Reason> {
        if !bits.is_power_of_two() {
            return Err(Reason(format!("funnel shift of {bits}-bit integers")));
        }
        let amount = self.limbs(amount, false)[0];
        let amount = self.op64(BinOp::And, amount, constant(I64, u64::from(bits - 1)));
        let mut both = self.limbs(lo, false);
        both.extend(self.limbs(hi, false));
        let shifted = self.shift(left, &both, amount, constant(I64, 0));
        let half = shifted.len() / 2;
        Ok(if left { shifted[half..].into() } else { shifted[..half].into() })
    }
}

/// What constants make of an operation.
fn fold(ty: Type, op: BinOp, a: Operand, b: Operand) -> Option<Operand> {
    let (x, y) = (known(a), known(b));
    let all = ty.mask();
    match (op, x, y) {
        (BinOp::Add | BinOp::Or | BinOp::Xor, Some(0), _) => return Some(b),
        (BinOp::Add | BinOp::Sub | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::LShr | BinOp::AShr, _, Some(0)) => {
            return Some(a);
        }
        (BinOp::Mul | BinOp::And, _, Some(0)) | (BinOp::Mul, Some(1), _) => return Some(b),
        (BinOp::Mul | BinOp::And | BinOp::Shl | BinOp::LShr | BinOp::AShr, Some(0), _) | (BinOp::Mul, _, Some(1)) => {
            return Some(a);
        }
        (BinOp::And, _, Some(mask)) if mask == all => return Some(a),
        (BinOp::And, Some(mask), _) if mask == all => return Some(b),
        _ => {}
    }
    let (x, y) = (x?, y?);
    let small = y < u64::from(ty.bits());
    let result = match op {
        BinOp::Add => x.wrapping_add(y),
        BinOp::Sub => x.wrapping_sub(y),
        BinOp::Mul => x.wrapping_mul(y),
        BinOp::And => x & y,
        BinOp::Or => x | y,
        BinOp::Xor => x ^ y,
        BinOp::Shl if small => x << y,
        BinOp::LShr if small => x >> y,
        BinOp::AShr if small && ty == I64 => (x.cast_signed() >> y).cast_unsigned(),
        _ => return None,
    };
    Some(constant(ty, result))
}
