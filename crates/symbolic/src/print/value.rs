//! Integer expressions with what C makes of them.
//!
//! For example, `argv[1][0] + 1` is an `int` from -127 to 128. The term behind it has 8 bits, so that 128 stands for
//! -128. Each operation here keeps one promise: **the number that C computes is the term's value modulo 2^width**.
//! Where an operator asks for more (`<`, `/`, `>>`, a longer sum), it says how it reads the term, and a cast is added
//! if the range shows that one is needed.

use super::c_type::{CType, Range};
use super::text::{Level, Text};

/// How an operator reads the bits of a term.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Reading {
    Signed,
    Unsigned,
}

/// An expression, the type that C gives it, and what its value can be.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) text: Text,
    pub(super) ty: CType,
    pub(super) range: Range,
}

/// An operator whose low bits depend on the low bits of its operands only.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Operator {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
}

impl Reading {
    pub(super) fn of(is_signed: bool) -> Self {
        if is_signed { Reading::Signed } else { Reading::Unsigned }
    }

    pub(super) fn is_signed(self) -> bool {
        self == Reading::Signed
    }

    /// How a value of this width is read by a cast or, for an odd width, by a mask.
    pub(super) fn usual(width: u32) -> Self {
        Reading::of(CType::exactly(width, true).is_some())
    }
}

impl Operator {
    fn text(self) -> (Level, &'static str) {
        match self {
            Operator::Add => (Level::Sum, "+"),
            Operator::Sub => (Level::Sum, "-"),
            Operator::Mul => (Level::Product, "*"),
            Operator::And => (Level::BitAnd, "&"),
            Operator::Or => (Level::BitOr, "|"),
            Operator::Xor => (Level::BitXor, "^"),
        }
    }

    /// What it gives for mathematical integers; `None` if that does not fit 128 bits.
    fn range(self, a: Range, b: Range) -> Option<Range> {
        match self {
            Operator::Add => a.map(b, i128::checked_add),
            Operator::Sub => a.map(b, i128::checked_sub),
            Operator::Mul => a.map(b, i128::checked_mul),
            Operator::And if a.least >= 0 && b.least >= 0 => {
                Some(Range { least: 0, greatest: a.greatest.min(b.greatest) })
            }
            Operator::And if a.least >= 0 => Some(Range { least: 0, ..a }),
            Operator::And if b.least >= 0 => Some(Range { least: 0, ..b }),
            Operator::And | Operator::Or | Operator::Xor => a.same_bits(b),
        }
    }
}

impl Value {
    pub(super) fn new(text: Text, ty: CType) -> Self {
        Value { text, ty, range: ty.range() }
    }

    /// A truth value: 0 or 1.
    pub(super) fn truth(text: Text) -> Self {
        Value { text, ty: CType::INT, range: Range { least: 0, greatest: 1 } }
    }

    /// A number: decimal if a person would write it so, hexadecimal if it has more than 32 bits.
    pub(super) fn number(value: i128) -> Self {
        let magnitude = value.unsigned_abs();
        let range = Range::only(value);
        if magnitude >> 63 == 0 {
            let digits = if magnitude < 1 << 32 { magnitude.to_string() } else { format!("{magnitude:#x}") };
            let ty = if magnitude <= i32::MAX as u128 { CType::INT } else { CType { bits: 64, signed: true } };
            let sign = if value < 0 { "-" } else { "" };
            return Value { text: Text::number(format!("{sign}{digits}")), ty, range };
        }
        if value == i128::from(i64::MIN) {
            return Value::infix(Operator::Sub, Value::number(value + 1), Value::number(1), 64);
        }
        if value > 0 {
            return Value::bits(magnitude);
        }
        let positive = Value::bits(magnitude).cast(CType { bits: 128, signed: true });
        Value { text: positive.text.prefixed("-"), range, ..positive }
    }

    /// A number that is read as unsigned, with the suffix that keeps C from another opinion.
    pub(super) fn unsigned(bits: u128) -> Self {
        if bits <= i32::MAX as u128 {
            return Value::number(bits as i128);
        }
        let Ok(few) = u64::try_from(bits) else { return Value::bits(bits) };
        let (digits, bits) = if few >> 32 == 0 { (few.to_string(), 32) } else { (format!("{few:#x}"), 64) };
        let ty = CType { bits, signed: false };
        Value { text: Text::atom(&format!("{digits}u")), ty, range: Range::only(few.into()) }
    }

    /// A pattern of bits, read as unsigned: hexadecimal from 10 on.
    pub(super) fn bits(bits: u128) -> Self {
        let Ok(few) = u64::try_from(bits) else {
            let wide = CType { bits: 128, signed: bits >> 127 == 0 };
            let range = Range::only(i128::try_from(bits).unwrap_or(i128::MAX)).join(Range::only(0));
            let text = format!("(({}){:#x} << 64 | {:#x})", wide.name(), bits >> 64, bits as u64);
            return Value { text: Text::atom(&text), ty: wide, range };
        };
        let ty = match few {
            0..=0x7fff_ffff => CType::INT,
            0x8000_0000..=0xffff_ffff => CType { bits: 32, signed: false },
            _ => CType { bits: 64, signed: few >> 63 == 0 },
        };
        let text = if few < 10 { few.to_string() } else { format!("{few:#x}") };
        Value { text: Text::atom(&text), ty, range: Range::only(few.into()) }
    }

    /// Whether C's number is what a term of `width` bits is in this reading.
    pub(super) fn is_exact(&self, width: u32, reading: Reading) -> bool {
        CType::exactly(width, reading.is_signed()) == Some(self.ty) || self.range.fits(width, reading.is_signed())
    }

    pub(super) fn cast(self, ty: CType) -> Self {
        let range = if self.range.fits_type(ty) { self.range } else { ty.range() };
        if self.ty == ty {
            return self;
        }
        Value { text: self.text.cast(ty.name()), ty, range }
    }

    /// The same value of a term of `width` bits, exact in a reading.
    pub(super) fn read(self, width: u32, reading: Reading) -> Self {
        if self.is_exact(width, reading) {
            return self;
        }
        if let Some(ty) = CType::exactly(width, reading.is_signed()) {
            return self.cast(ty);
        }
        let masked = Value::infix(Operator::And, self, Value::mask(width), width);
        if reading == Reading::Unsigned {
            return masked;
        }
        let (sign, signed) = (|| Value::bits(1 << (width - 1)), CType { signed: true, ..masked.ty });
        let masked = if masked.ty.signed { masked } else { masked.cast(signed) };
        let flipped = Value::infix(Operator::Xor, masked, sign(), width);
        let value = Value::infix(Operator::Sub, flipped, sign(), width);
        Value { range: value.range.and(Range::of_bits(width, true)), ..value }
    }

    /// `width` ones.
    pub(super) fn mask(width: u32) -> Self {
        let bits = u128::MAX >> (128 - width);
        let mask = Value::bits(bits);
        if width > 64 { mask } else { Value { text: Text::atom(&format!("{bits:#x}")), ..mask } }
    }

    /// `a operator b` for terms of `width` bits.
    pub(super) fn infix(operator: Operator, a: Value, b: Value, width: u32) -> Self {
        let ty = a.ty.common(b.ty);
        let (left, right) = (a.range, b.range);
        let covers = |x: Range| operator == Operator::And && x.least >= 0 && x.fits_type(ty);
        let is_kept = covers(left) || covers(right) || left.fits_type(ty) && right.fits_type(ty);
        let exact = operator.range(left, right).filter(|range| is_kept && range.fits_type(ty));
        if exact.is_none() && ty.bits < width {
            return Value::infix(operator, a.cast(CType::holding(width, true)), b, width);
        }
        let (level, sign) = operator.text();
        Value { text: Text::infix(level, a.text, sign, b.text), ty, range: exact.unwrap_or(ty.range()) }
    }

    /// `-a` or `~a` for a term of `width` bits.
    pub(super) fn prefix(self, operator: &str, width: u32) -> Self {
        let ty = self.ty.promoted();
        let of = if operator == "-" { Range::only(0) } else { Range::only(-1) };
        let exact = of.map(self.range, i128::checked_sub).filter(|r| self.range.fits_type(ty) && r.fits_type(ty));
        if exact.is_none() && ty.bits < width {
            return self.cast(CType::holding(width, true)).prefix(operator, width);
        }
        Value { text: self.text.prefixed(operator), ty, range: exact.unwrap_or(ty.range()) }
    }

    /// `a >> by`, whatever the width of the term: the bits above `by`.
    pub(super) fn shifted_right(self, by: u32) -> Self {
        if by == 0 { self } else { self.shifted_by(Value::number(by.into())) }
    }

    /// The same by an amount that is not negative.
    pub(super) fn shifted_by(self, amount: Value) -> Self {
        let ty = self.ty.promoted();
        if amount.range.greatest >= i128::from(ty.bits) {
            let bits = amount.range.greatest as u32 + 1;
            return self.cast(CType::holding(bits, true)).shifted_by(amount);
        }
        let range = self.range.map(amount.range, |x, by| Some(x >> by)).unwrap_or(ty.range());
        Value { text: Text::infix(Level::Shift, self.text, ">>", amount.text), ty, range }
    }

    /// `a << amount` for a term of `width` bits, where the amount is from 0 to less than the width.
    pub(super) fn shifted_left(self, amount: Value, width: u32) -> Self {
        let ty = self.ty.promoted();
        let shift = |x: i128, by: i128| x.checked_mul(1i128.checked_shl(by as u32).filter(|&factor| factor > 0)?);
        let exact = self.range.map(amount.range, shift).filter(|range| range.fits_type(ty));
        let most = amount.range.greatest;
        if exact.is_none() && ty.bits < width || most >= i128::from(ty.bits) {
            return self.cast(CType::holding(width, true)).shifted_left(amount, width);
        }
        let range = exact.unwrap_or(ty.range());
        Value { text: Text::infix(Level::Shift, self.text, "<<", amount.text), ty, range }
    }

    /// `condition ? a : b` for terms of `width` bits.
    pub(super) fn choice(condition: Text, a: Value, b: Value, width: u32) -> Self {
        let ty = a.ty.common(b.ty);
        let is_kept = a.range.fits_type(ty) && b.range.fits_type(ty);
        if !is_kept && ty.bits < width {
            return Value::choice(condition, a.cast(CType::holding(width, true)), b, width);
        }
        let range = if is_kept { a.range.join(b.range) } else { ty.range() };
        Value { text: Text::choice(condition, a.text, b.text), ty, range }
    }

    /// `a / b` or `a % b`, both exact in a reading of `width` bits, where the divisor is not zero and the quotient no
    /// overflow.
    pub(super) fn quotient(a: Value, operator: &str, b: Value, width: u32) -> Self {
        let (a, b) = Value::aligned(a, b, width);
        let ty = a.ty.common(b.ty);
        let absolute = |r: Range| r.greatest.max(r.least.saturating_neg());
        let most = match operator {
            "/" => absolute(a.range),
            _ => absolute(a.range).min(absolute(b.range).saturating_sub(1)),
        };
        let is_signed = a.range.least < 0 || operator == "/" && b.range.least < 0;
        let range = Range { least: if is_signed { -most } else { 0 }, greatest: most };
        let range = if range.fits_type(ty) { range } else { ty.range() };
        Value { text: Text::infix(Level::Product, a.text, operator, b.text), ty, range }
    }

    /// Two values of `width` bits, both exact in a reading, so that C compares or divides them as they are.
    pub(super) fn aligned(a: Value, b: Value, width: u32) -> (Self, Self) {
        let ty = a.ty.common(b.ty);
        if a.range.fits_type(ty) && b.range.fits_type(ty) {
            return (a, b);
        }
        // One is negative and the other one has an unsigned type although its values are few.
        let signed = |x: Value| if x.ty.signed { x } else { x.cast(CType::holding(width, true)) };
        (signed(a), signed(b))
    }
}
