//! Integer and float expressions.

use icsched_smt::{BinOp, FpOp, Node, Term};
use smallvec::{SmallVec, smallvec};

use super::Printer;
use super::text::{Level, Text};
use crate::bounds::as_signed;

/// C's unsigned type of at least `width` bits.
pub(super) fn unsigned_type(width: u32) -> &'static str {
    match width {
        0..=8 => "unsigned char",
        9..=16 => "unsigned short",
        17..=32 => "unsigned",
        _ => "unsigned long",
    }
}

/// C's signed type of exactly `width` bits.
pub(super) fn signed_type(width: u32) -> Option<&'static str> {
    Some(match width {
        8 => "char",
        16 => "short",
        32 => "int",
        64 => "long",
        _ => return None,
    })
}

impl Printer<'_> {
    /// A bit vector of any width as an integer expression.
    pub(super) fn integer(&self, t: Term) -> Text {
        self.within_budget(|| self.integer_node(t))
    }

    fn integer_node(&self, t: Term) -> Text {
        let width = self.pool.width(t);
        match *self.pool.node(t) {
            Node::Const { bits, .. } => {
                self.place(width, bits).unwrap_or_else(|| Text::number(number(as_signed(width, bits))))
            }
            Node::Symbol { .. } | Node::ArraySymbol { .. } => Text::atom(self.pool.symbol_name(t).unwrap_or_default()),
            _ if width == 1 => self.truth(t, true),
            Node::Not(a) => self.integer(a).prefixed("~"),
            Node::Binary(op, a, b) => self.arithmetic(op, a, b),
            Node::Ite(c, a, b) => match self.loaded(t) {
                Some(name) => name,
                None => Text::choice(self.truth(c, true), self.integer(a), self.integer(b)),
            },
            Node::ZExt { arg, .. } => self.zero_extension(arg),
            Node::SExt { arg, .. } if self.pool.width(arg) == 1 => self.truth(arg, true).prefixed("-"),
            Node::SExt { arg, .. } => self.integer(arg),
            Node::Extract { arg, hi, lo } => self.slice(arg, hi, lo),
            Node::Concat(high, low) => self.concatenation(t, high, low),
            Node::Select(array, index) => self.element(array, index),
            Node::FpUnary(FpOp::FpToSi(to), a) => self.float(a).cast(signed_type(to).unwrap_or("long")),
            Node::FpUnary(FpOp::FpToUi(to), a) => self.float(a).cast(unsigned_type(to)),
            Node::FpUnary(..) | Node::FpBinary(..) => self.float(t),
            Node::Cmp(..) => self.truth(t, true),
            Node::ConstArray { byte } => Text::atom(&format!("{{{byte}, ...}}")),
            Node::Store(array, ..) => self.integer(array),
        }
    }

    fn zero_extension(&self, arg: Term) -> Text {
        if self.pool.width(arg) == 1 {
            return self.truth(arg, true);
        }
        let inner = self.integer(arg);
        // What can't be negative reads the same without the cast.
        let reads_the_same = self.is_masked(arg) || self.non_negative(arg);
        if reads_the_same { inner } else { inner.cast(unsigned_type(self.pool.width(arg))) }
    }

    /// Whether a term is a slice that is written with a mask, or what remains of one.
    fn is_masked(&self, t: Term) -> bool {
        match *self.pool.node(t) {
            Node::Extract { .. } => signed_type(self.pool.width(t)).is_none(),
            Node::Binary(BinOp::URem, a, _) => self.is_masked(a),
            _ => false,
        }
    }

    fn arithmetic(&self, op: BinOp, a: Term, b: Term) -> Text {
        let width = self.pool.width(a);
        let (level, operator) = match op {
            BinOp::Add | BinOp::Sub => return self.sum(a, b),
            BinOp::Mul if self.is_minus_one(b) => return self.integer(a).prefixed("-"),
            BinOp::Mul => (Level::Product, "*"),
            BinOp::UDiv | BinOp::SDiv => (Level::Product, "/"),
            BinOp::URem | BinOp::SRem => (Level::Product, "%"),
            BinOp::And => (Level::BitAnd, "&"),
            BinOp::Or => (Level::BitOr, "|"),
            BinOp::Xor => (Level::BitXor, "^"),
            BinOp::Shl => (Level::Shift, "<<"),
            BinOp::LShr | BinOp::AShr => (Level::Shift, ">>"),
        };
        let unsigned_meaning = match op {
            BinOp::UDiv | BinOp::URem => !(self.non_negative(a) && self.non_negative(b)),
            BinOp::LShr => !self.non_negative(a),
            _ => false,
        };
        let left = self.integer(a);
        let left = if unsigned_meaning && !self.is_masked(a) { left.cast(unsigned_type(width)) } else { left };
        let right = match self.pool.as_const_wide(b) {
            Some(bits) if matches!(op, BinOp::UDiv | BinOp::URem) => {
                Text::atom(&format!("{bits}{}", if bits > i32::MAX as u128 { "u" } else { "" }))
            }
            Some(bits) if matches!(op, BinOp::And | BinOp::Or | BinOp::Xor) && bits > 9 => {
                Text::atom(&format!("{bits:#x}"))
            }
            _ => self.integer(b),
        };
        Text::infix(level, left, operator, right)
    }

    fn is_minus_one(&self, t: Term) -> bool {
        self.pool.as_const_wide(t).is_some_and(|bits| as_signed(self.pool.width(t), bits) == -1)
    }

    /// A sum: addends with a negative factor are subtracted, positive ones come first.
    fn sum(&self, a: Term, b: Term) -> Text {
        let mut addends = Vec::new();
        let mut work = vec![b, a];
        while let Some(t) = work.pop() {
            match *self.pool.node(t) {
                Node::Binary(BinOp::Add, x, y) => work.extend([y, x]),
                _ => addends.push(t),
            }
        }
        self.sum_of_texts(addends.iter().flat_map(|&t| self.addend(t, a)).collect())
    }

    /// Addends as a sum.
    pub(super) fn sum_text(&self, addends: &[Term]) -> Text {
        let beside = addends.first().copied();
        self.sum_of_texts(addends.iter().flat_map(|&t| self.addend(t, beside.unwrap_or(t))).collect())
    }

    fn sum_of_texts(&self, mut addends: Vec<(bool, Text)>) -> Text {
        if addends.is_empty() {
            return Text::atom("0");
        }
        let at = addends.iter().position(|(minus, _)| !minus);
        let (minus, first) = addends.remove(at.unwrap_or(0));
        let first = if minus { first.prefixed("-") } else { first };
        addends
            .into_iter()
            .fold(first, |sum, (minus, text)| Text::infix(Level::Sum, sum, if minus { "-" } else { "+" }, text))
    }

    /// An addend without its sign, and whether it is subtracted; two where a constant is an address and a number. `beside` is
    /// another operand of the sum.
    fn addend(&self, t: Term, beside: Term) -> SmallVec<[(bool, Text); 2]> {
        let width = self.pool.width(t);
        match *self.pool.node(t) {
            Node::Const { bits, .. } => self.constant_addend(width, bits, beside),
            Node::Binary(BinOp::Mul, x, factor) => match self.pool.as_const_wide(factor) {
                Some(bits) if as_signed(width, bits) == -1 => smallvec![(true, self.integer(x))],
                Some(bits) if as_signed(width, bits) < 0 => {
                    let factor = Text::number(number(as_signed(width, bits).saturating_abs()));
                    smallvec![(true, Text::infix(Level::Product, self.integer(x), "*", factor))]
                }
                _ => smallvec![(false, self.integer(t))],
            },
            _ => smallvec![(false, self.integer(t))],
        }
    }

    fn constant_addend(&self, width: u32, bits: u128, beside: Term) -> SmallVec<[(bool, Text); 2]> {
        let value = as_signed(width, bits);
        let is_base = matches!(u8::try_from(-value), Ok(b'0' | b'a' | b'A'));
        if is_base && self.is_extended_byte(beside) {
            return smallvec![(true, Text::atom(&format!("'{}'", (-value) as u8 as char)))];
        }
        let places = self.places.filter(|_| width == 64);
        for minus in [true, false] {
            let at = if minus { (bits as u64).wrapping_neg() } else { bits as u64 };
            let Some(object) = places.and_then(|places| places.object(at)) else { continue };
            let mut texts = smallvec![(minus, Text::atom(&object.address))];
            // `at` is the address of the text and the rest.
            let rest = object.asked.wrapping_sub(object.offset);
            let rest = if minus { rest.wrapping_neg() } else { rest };
            if rest != 0 {
                texts.push((rest < 0, Text::number(number(i128::from(rest.unsigned_abs())))));
            }
            return texts;
        }
        smallvec![(value < 0, Text::number(number(value.saturating_abs())))]
    }

    fn is_extended_byte(&self, t: Term) -> bool {
        match *self.pool.node(t) {
            Node::ZExt { arg, .. } | Node::SExt { arg, .. } => self.pool.width(arg) == 8,
            _ => self.pool.width(t) == 8,
        }
    }

    /// Bits `lo..=hi` of a value.
    fn slice(&self, arg: Term, hi: u32, lo: u32) -> Text {
        let width = hi - lo + 1;
        if (width, lo) == (32, 0)
            && let Some(call) = self.pool.symbol_name(arg).and_then(as_atoi)
        {
            return Text::atom(&call);
        }
        let mut text = self.integer(arg);
        if lo > 0 {
            text = Text::infix(Level::Shift, text, ">>", Text::atom(&lo.to_string()));
        }
        match signed_type(width) {
            Some(ty) => text.cast(ty),
            None => Text::infix(Level::BitAnd, text, "&", Text::atom(&format!("{:#x}", (1u128 << width) - 1))),
        }
    }

    /// An element of an array; the contents of a constant table are cut short.
    fn element(&self, array: Term, index: Term) -> Text {
        let mut base = array;
        let mut stores = 0;
        while let Node::Store(inner, ..) = *self.pool.node(base) {
            (base, stores) = (inner, stores + 1);
        }
        let name = match self.pool.symbol_name(base) {
            Some(name) if stores == 0 => name.to_owned(),
            Some(name) => format!("{name}'"),
            None => "table".to_owned(),
        };
        Text::atom(&name).index(self.integer(index))
    }

    /// A bit pattern as a float expression.
    pub(super) fn float(&self, t: Term) -> Text {
        self.within_budget(|| self.float_node(t))
    }

    fn float_node(&self, t: Term) -> Text {
        let width = self.pool.width(t);
        let sign = 1u128 << (width - 1);
        match *self.pool.node(t) {
            Node::Const { bits, .. } => Text::number(float_literal(width, bits as u64)),
            Node::Binary(BinOp::Xor, a, b) if self.pool.as_const_wide(b) == Some(sign) => self.float(a).prefixed("-"),
            Node::Binary(BinOp::And, a, b) if self.pool.as_const_wide(b) == Some(sign - 1) => {
                Text::call("fabs", vec![self.float(a)])
            }
            Node::Ite(c, a, b) => match self.loaded(t) {
                Some(name) => name,
                None => Text::choice(self.truth(c, true), self.float(a), self.float(b)),
            },
            Node::FpBinary(op, a, b) => self.float_arithmetic(op, self.float(a), self.float(b)),
            Node::FpUnary(op, a) => self.float_function(op, a),
            _ => self.integer(t),
        }
    }

    fn float_arithmetic(&self, op: FpOp, a: Text, b: Text) -> Text {
        match op {
            FpOp::FAdd => Text::infix(Level::Sum, a, "+", b),
            FpOp::FSub => Text::infix(Level::Sum, a, "-", b),
            FpOp::FMul => Text::infix(Level::Product, a, "*", b),
            FpOp::FDiv => Text::infix(Level::Product, a, "/", b),
            _ => Text::call("fmod", vec![a, b]),
        }
    }

    fn float_function(&self, op: FpOp, a: Term) -> Text {
        let name = match op {
            FpOp::SiToFp(to) => return self.integer(a).cast(float_type(to)),
            FpOp::UiToFp(to) => {
                let text = self.integer(a);
                let text = if self.non_negative(a) { text } else { text.cast(unsigned_type(self.pool.width(a))) };
                return text.cast(float_type(to));
            }
            FpOp::FpToFp(to) => return self.float(a).cast(float_type(to)),
            FpOp::FSqrt => "sqrt",
            FpOp::FFloor => "floor",
            FpOp::FCeil => "ceil",
            FpOp::FTrunc => "trunc",
            FpOp::FRoundEven => "rint",
            FpOp::FAbs => "fabs",
            FpOp::FNeg => return self.float(a).prefixed("-"),
            _ => return self.integer(a),
        };
        Text::call(name, vec![self.float(a)])
    }
}

/// `atoi(s)` for the low half of the number that a symbol of this name is: how the C library defines `atoi`, and what compilers make
/// of it. The symbol is an input, `strtol(s)`, or what a call of the initial state returned, `strtol(s, NULL, 10)@0`.
fn as_atoi(name: &str) -> Option<String> {
    let arguments = name.strip_prefix("strtol(")?;
    match arguments.rsplit_once(", NULL, 10)") {
        Some((string, place)) => Some(format!("atoi({string}){place}")),
        None => (!arguments.contains(", ")).then(|| format!("atoi({arguments}")),
    }
}

fn float_type(width: u32) -> &'static str {
    if width == 32 { "float" } else { "double" }
}

fn float_literal(width: u32, bits: u64) -> String {
    if width == 32 { format!("{:?}f", f32::from_bits(bits as u32)) } else { format!("{:?}", f64::from_bits(bits)) }
}

/// Decimal for what a person would write so, hexadecimal for patterns.
pub(super) fn number(value: i128) -> String {
    if value.unsigned_abs() < 1 << 32 {
        value.to_string()
    } else {
        format!("{}{:#x}", if value < 0 { "-" } else { "" }, value.unsigned_abs())
    }
}
