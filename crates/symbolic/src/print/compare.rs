//! Comparisons of integers.

use icsched_smt::{CmpOp, Term};

use super::Printer;
use super::c_type::{CType, Range};
use super::text::{Level, Text};
use super::value::{Operator, Reading, Value};
use crate::bounds::{Bound, bound_of};

impl Printer<'_> {
    /// A comparison, or its negation. `t` is the term that it is.
    pub(super) fn comparison(&self, t: Term, op: CmpOp, a: Term, b: Term, holds: bool) -> Text {
        let before = self.has_pointers.replace(self.may_point(a) || self.may_point(b));
        let text = self.pointer_condition(t, holds).unwrap_or_else(|| self.compare(op, a, b, holds));
        self.has_pointers.set(before);
        text
    }

    /// Whether an address may be among the values of a term: a symbol in it may point somewhere.
    fn may_point(&self, t: Term) -> bool {
        let Some(places) = self.places else { return false };
        let symbols = self.pool.symbols_of(t);
        symbols.iter().any(|&symbol| self.pool.width(symbol) == 64 && places.may_point(symbol))
    }

    /// A comparison of numbers.
    pub(super) fn compare(&self, op: CmpOp, a: Term, b: Term, holds: bool) -> Text {
        match op {
            CmpOp::Eq => match (self.pool.as_const_wide(a), self.pool.as_const_wide(b)) {
                _ if self.pool.width(a) == 1 => self.equivalence(a, b, holds),
                (None, Some(bits)) => self.equality_with(a, bits, holds),
                (Some(bits), None) => self.equality_with(b, bits, holds),
                _ => self.equality_of(a, b, holds),
            },
            CmpOp::Ult | CmpOp::Ule | CmpOp::Slt | CmpOp::Sle => match bound_of(self.pool, op, a, b, holds) {
                Some((x, is_signed, bound)) => self.bounded(x, is_signed, bound),
                None => self.order(op, a, b, holds),
            },
        }
    }

    fn equivalence(&self, a: Term, b: Term, holds: bool) -> Text {
        let operator = if holds { "==" } else { "!=" };
        Text::infix(Level::Equality, self.truth(a, true), operator, self.truth(b, true))
    }

    /// `x == constant`, or its negation. The constant is written as its side reads it.
    pub(super) fn equality_with(&self, x: Term, bits: u128, holds: bool) -> Text {
        let width = self.pool.width(x);
        let value = self.integer(x);
        let reading = match (value.is_exact(width, Reading::Signed), value.is_exact(width, Reading::Unsigned)) {
            (true, _) => Reading::Signed,
            (false, true) => Reading::Unsigned,
            // A comparison in this type looks at these bits only.
            _ if value.ty.promoted().bits == width => Reading::of(value.ty.signed),
            _ => Reading::usual(width),
        };
        let value = if value.ty.promoted().bits == width { value } else { value.read(width, reading) };
        let literal = self.literal_like(x, width, bits, reading);
        let (left, right) = Value::aligned(value, literal, width);
        Text::infix(Level::Equality, left.text, if holds { "==" } else { "!=" }, right.text)
    }

    /// `a == b`, or its negation.
    fn equality_of(&self, a: Term, b: Term, holds: bool) -> Text {
        let width = self.pool.width(a);
        let (mut left, mut right) = (self.integer(a), self.integer(b));
        // A comparison in a type of this width looks at these bits only.
        if left.ty.common(right.ty).bits != width {
            let casts = |reading| [&left, &right].iter().filter(|x| !x.is_exact(width, reading)).count();
            let usual = Reading::usual(width);
            let other = Reading::of(!usual.is_signed());
            let reading = if casts(other) < casts(usual) { other } else { usual };
            (left, right) = Value::aligned(left.read(width, reading), right.read(width, reading), width);
        }
        Text::infix(Level::Equality, left.text, if holds { "==" } else { "!=" }, right.text)
    }

    /// `x < c` and the like.
    pub(super) fn bounded(&self, x: Term, is_signed: bool, bound: Bound) -> Text {
        if let Some(text) = self.within(x, is_signed, bound) {
            return text;
        }
        let width = self.pool.width(x);
        let value = self.integer(x);
        let is_sign = is_signed && bound.value == 0 && bound.upper == bound.strict;
        if is_sign && CType::exactly(width, true).is_none() && !value.is_exact(width, Reading::Signed) {
            return self.bit_test(x, width - 1, bound.upper);
        }
        let all = Range::of_bits(width, is_signed);
        let bound = bound.best_written(self.is_input_byte(x), all.least, all.greatest);
        let reading = Reading::of(is_signed);
        let right = self.literal_like(x, width, bound.value as u128 & (u128::MAX >> (128 - width)), reading);
        let (left, right) = Value::aligned(value.read(width, reading), right, width);
        Text::infix(Level::Order, left.text, bound.operator(), right.text)
    }

    /// `a < b` and the like, neither constant.
    fn order(&self, op: CmpOp, a: Term, b: Term, holds: bool) -> Text {
        let reading = Reading::of(matches!(op, CmpOp::Slt | CmpOp::Sle));
        let strict = matches!(op, CmpOp::Ult | CmpOp::Slt);
        // Negation swaps the sides: !(a < b) is b <= a.
        let (a, b, strict) = if holds { (a, b, strict) } else { (b, a, !strict) };
        let side = |t: Term, other: Term| match self.pool.as_const_wide(t) {
            Some(bits) => self.literal_like(other, self.pool.width(t), bits, reading),
            None => self.read(t, reading),
        };
        let (left, right) = Value::aligned(side(a, b), side(b, a), self.pool.width(a));
        Text::infix(Level::Order, left.text, if strict { "<" } else { "<=" }, right.text)
    }

    /// Bit `bit` of a value: a test with a mask.
    pub(super) fn bit_test(&self, value: Term, bit: u32, holds: bool) -> Text {
        let mask = Value::bits(1 << bit);
        let masked = Value::infix(Operator::And, self.integer(value), mask, bit + 1);
        Text::infix(Level::Equality, masked.text, if holds { "!=" } else { "==" }, Text::atom("0"))
    }

    /// The lowest bit of a value.
    pub(super) fn bit_of(&self, value: Value, holds: bool) -> Text {
        let bit = Value::infix(Operator::And, value, Value::number(1), 1);
        Text::infix(Level::Equality, bit.text, if holds { "!=" } else { "==" }, Text::atom("0"))
    }
}
