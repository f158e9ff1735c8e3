//! Integer terms as expressions.

use icsched_smt::{BinOp, FpOp, Node, Term};
use smallvec::{SmallVec, smallvec};

use super::Printer;
use super::c_type::{CType, Range};
use super::text::{Level, Text};
use super::value::{Operator, Reading, Value};
use crate::bounds::as_signed;
use crate::values::integer::integers_of;

/// What is added to a sum, and whether it is subtracted.
type Addend = (bool, Value);

impl Printer<'_> {
    /// A bit vector of any width as an integer expression: C's number is the term's value modulo 2^width.
    pub(super) fn integer(&self, t: Term) -> Value {
        let width = self.pool.width(t);
        let cut = || Value::new(Text::atom("..."), CType::holding(width, false));
        let mut value = self.within_budget(cut, || self.integer_node(t));
        if value.is_exact(width, Reading::Unsigned) {
            let (least, greatest) = self.pool.unsigned_range(t);
            let number = |bits: u128| i128::try_from(bits).unwrap_or(i128::MAX);
            value.range = value.range.and(Range { least: number(least), greatest: number(greatest) });
        } else if width < 128 && value.is_exact(width, Reading::Signed) {
            let (least, greatest) = integers_of(self.pool, t).bounds();
            value.range = value.range.and(Range { least, greatest });
        }
        value
    }

    /// The same in a reading.
    pub(super) fn read(&self, t: Term, reading: Reading) -> Value {
        self.integer(t).read(self.pool.width(t), reading)
    }

    fn integer_node(&self, t: Term) -> Value {
        let width = self.pool.width(t);
        match *self.pool.node(t) {
            Node::Const { bits, .. } => self.constant(width, bits),
            Node::Symbol { .. } => self.symbol(t),
            _ if width == 1 => Value::truth(self.truth(t, true)),
            _ if let Some(call) = self.library_call(t) => call,
            Node::Not(a) => self.integer(a).prefix("~", width),
            Node::Binary(op, a, b) => self.arithmetic(op, a, b),
            Node::Ite(c, a, b) => match self.loaded(t, CType::holding(width, true).name()) {
                Some(name) => Value::new(name, CType::holding(width, true)),
                None => self.either(c, || self.integer(a), || self.integer(b), width),
            },
            Node::ZExt { arg, .. } => self.read(arg, Reading::Unsigned),
            Node::SExt { arg, .. } if self.pool.width(arg) == 1 => self.integer(arg).prefix("-", width),
            Node::SExt { arg, .. } => self.read(arg, Reading::Signed),
            Node::Extract { arg, hi: 31, lo: 0 } if let Some(call) = self.low_half(arg) => call,
            Node::Extract { arg, lo, .. } => self.integer(arg).shifted_right(lo),
            Node::Concat(high, low) => self.concatenation(t, high, low),
            Node::Select(array, index) => self.element(array, index),
            Node::FpUnary(FpOp::FpToSi(to), a) => self.to_signed(to, a),
            Node::FpUnary(FpOp::FpToUi(to), a) => self.to_unsigned(to, a),
            Node::FpUnary(..) | Node::FpBinary(..) => self.bits_of_float(t),
            Node::Cmp(..) => Value::truth(self.truth(t, true)),
            Node::ArraySymbol { .. } | Node::ConstArray { .. } | Node::Store(..) => {
                unreachable!("an array is printed where it is read")
            }
        }
    }

    /// `condition ? a : b`, where each side is printed with what the condition says.
    pub(super) fn either(
        &self,
        condition: Term,
        a: impl FnOnce() -> Value,
        b: impl FnOnce() -> Value,
        width: u32,
    ) -> Value {
        let text = self.truth(condition, true);
        let (a, b) = (self.given(condition, true, a), self.given(condition, false, b));
        Value::choice(text, a, b, width)
    }

    /// A constant where nothing says how it is read.
    fn constant(&self, width: u32, bits: u128) -> Value {
        match self.place(width, bits) {
            Some(place) => place,
            None if width == 1 => Value::number(i128::from(bits == 1)),
            None => Value::number(as_signed(width, bits)),
        }
    }

    /// A binary operator.
    pub(super) fn arithmetic(&self, op: BinOp, a: Term, b: Term) -> Value {
        let width = self.pool.width(a);
        let operator = match op {
            BinOp::Add | BinOp::Sub => return self.sum(a, b),
            BinOp::Mul if self.is_minus_one(b) => return self.integer(a).prefix("-", width),
            BinOp::Mul => Operator::Mul,
            BinOp::And => Operator::And,
            BinOp::Or => Operator::Or,
            BinOp::Xor => Operator::Xor,
            BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem => return self.division(op, a, b),
            BinOp::Shl | BinOp::LShr | BinOp::AShr => return self.shift(op, a, b),
        };
        let right = match self.pool.as_const_wide(b) {
            Some(bits) if operator != Operator::Mul => Value::bits(bits),
            _ => self.integer(b),
        };
        Value::infix(operator, self.integer(a), right, width)
    }

    fn is_minus_one(&self, t: Term) -> bool {
        self.pool.as_const_wide(t).is_some_and(|bits| as_signed(self.pool.width(t), bits) == -1)
    }

    /// A shift. By the width or more it gives zeros, or signs, where C says nothing.
    fn shift(&self, op: BinOp, a: Term, b: Term) -> Value {
        let width = self.pool.width(a);
        let last = i128::from(width) - 1;
        let amount = self.read(b, Reading::Unsigned);
        if amount.range.least > last {
            let all = || self.read(a, Reading::Signed).shifted_by(Value::number(last));
            return if op == BinOp::AShr { all() } else { Value::number(0) };
        }
        let is_within = amount.range.greatest <= last;
        let within = Value { range: amount.range.and(Range { least: 0, greatest: last }), ..amount.clone() };
        if op == BinOp::Shl {
            let shifted = self.integer(a).shifted_left(within, width);
            return if is_within { shifted } else { self.guarded(amount, width, shifted) };
        }
        let value = self.read(a, Reading::of(op == BinOp::AShr));
        if op == BinOp::AShr && !is_within {
            let condition = Text::infix(Level::Order, amount.text.clone(), "<", Text::atom(&width.to_string()));
            let amount = Value::choice(condition, within, Value::number(last), 32);
            return value.shifted_by(amount);
        }
        let shifted = value.shifted_by(within);
        if is_within { shifted } else { self.guarded(amount, width, shifted) }
    }

    /// `amount < width ? shifted : 0`.
    fn guarded(&self, amount: Value, width: u32, shifted: Value) -> Value {
        let condition = Text::infix(Level::Order, amount.text, "<", Text::atom(&width.to_string()));
        Value::choice(condition, shifted, Value::number(0), width)
    }

    /// A sum: addends with a negative factor are subtracted, positive ones come first.
    fn sum(&self, a: Term, b: Term) -> Value {
        let mut addends = Vec::new();
        let mut work = vec![b, a];
        while let Some(t) = work.pop() {
            match *self.pool.node(t) {
                Node::Binary(BinOp::Add, x, y) => work.extend([y, x]),
                _ => addends.push(t),
            }
        }
        self.sum_of(&addends, self.pool.width(a))
    }

    /// Addends of `width` bits as a sum.
    pub(super) fn sum_of(&self, addends: &[Term], width: u32) -> Value {
        let mut values: Vec<Addend> = addends.iter().flat_map(|&t| self.addend(t, addends)).collect();
        if values.is_empty() {
            return Value::number(0);
        }
        let at = values.iter().position(|(minus, _)| !minus);
        let (minus, first) = values.remove(at.unwrap_or(0));
        let first = if minus { first.prefix("-", width) } else { first };
        values.into_iter().fold(first, |sum, (minus, value)| {
            Value::infix(if minus { Operator::Sub } else { Operator::Add }, sum, value, width)
        })
    }

    /// An addend without its sign; two where a constant is an address and a number.
    fn addend(&self, t: Term, beside: &[Term]) -> SmallVec<[Addend; 2]> {
        let width = self.pool.width(t);
        match *self.pool.node(t) {
            Node::Const { bits, .. } => self.constant_addend(width, bits, beside),
            Node::Binary(BinOp::Mul, x, factor) => match self.pool.as_const_wide(factor) {
                Some(bits) if as_signed(width, bits) == -1 => smallvec![(true, self.integer(x))],
                Some(bits) if is_subtracted(width, bits) => {
                    let factor = Value::number(-as_signed(width, bits));
                    smallvec![(true, Value::infix(Operator::Mul, self.integer(x), factor, width))]
                }
                _ => smallvec![(false, self.integer(t))],
            },
            _ => smallvec![(false, self.integer(t))],
        }
    }

    fn constant_addend(&self, width: u32, bits: u128, beside: &[Term]) -> SmallVec<[Addend; 2]> {
        let value = as_signed(width, bits);
        let is_base = matches!(u8::try_from(-value), Ok(b'0' | b'a' | b'A'));
        if is_base && beside.first().is_some_and(|&first| self.is_extended_byte(first)) {
            let text = Text::atom(&format!("'{}'", (-value) as u8 as char));
            return smallvec![(true, Value { text, ..Value::number(-value) })];
        }
        let places = self.places.filter(|_| width == 64 && self.has_pointers.get());
        for minus in [true, false] {
            let at = if minus { (bits as u64).wrapping_neg() } else { bits as u64 };
            let Some(object) = places.and_then(|places| places.object(at)) else { continue };
            let mut addends = smallvec![(minus, self.address(&object.address))];
            // `at` is the address of the text and the rest.
            let rest = object.asked.wrapping_sub(object.offset);
            let rest = if minus { rest.wrapping_neg() } else { rest };
            if rest != 0 {
                addends.push((rest < 0, Value::number(i128::from(rest.unsigned_abs()))));
            }
            return addends;
        }
        if is_subtracted(width, bits) {
            return smallvec![(true, Value::number(-value))];
        }
        smallvec![(false, Value::number(value))]
    }

    fn is_extended_byte(&self, t: Term) -> bool {
        match *self.pool.node(t) {
            Node::ZExt { arg, .. } | Node::SExt { arg, .. } => self.pool.width(arg) == 8,
            _ => self.pool.width(t) == 8,
        }
    }
}

/// Whether a number is written with a minus in front of its absolute value. The least number of a width has none.
fn is_subtracted(width: u32, bits: u128) -> bool {
    let value = as_signed(width, bits);
    value < 0 && value != as_signed(width, 1 << (width - 1))
}
