//! Floating-point terms as expressions of `float` or `double`.

use icsched_smt::{BinOp, FpOp, Node, Term};

use super::Printer;
use super::c_type::CType;
use super::text::{Level, Text};
use super::value::{Reading, Value};

impl Printer<'_> {
    /// A bit pattern of 32 or 64 bits as an expression of type `float` or `double`.
    pub(super) fn float(&self, t: Term) -> Text {
        self.within_budget(|| Text::atom("..."), || self.float_node(t))
    }

    fn float_node(&self, t: Term) -> Text {
        let width = self.pool.width(t);
        let sign = 1u128 << (width - 1);
        match *self.pool.node(t) {
            Node::Const { bits, .. } => float_literal(width, bits as u64),
            Node::Symbol { .. } => self.float_symbol(t),
            Node::Binary(BinOp::Xor, a, b) if self.pool.as_const_wide(b) == Some(sign) => self.float(a).prefixed("-"),
            Node::Binary(BinOp::And, a, b) if self.pool.as_const_wide(b) == Some(sign - 1) => {
                Text::call(&function("fabs", width), vec![self.float(a)])
            }
            Node::Ite(c, a, b) => match self.loaded(t, float_type(width)) {
                Some(name) => name,
                None => {
                    let condition = self.truth(c, true);
                    let a = self.given(c, true, || self.float(a));
                    Text::choice(condition, a, self.given(c, false, || self.float(b)))
                }
            },
            Node::FpBinary(op, a, b) => {
                let (a, b) = (self.float(a), self.float(b));
                match op {
                    FpOp::FAdd => Text::infix(Level::Sum, a, "+", b),
                    FpOp::FSub => Text::infix(Level::Sum, a, "-", b),
                    FpOp::FMul => Text::infix(Level::Product, a, "*", b),
                    FpOp::FDiv => Text::infix(Level::Product, a, "/", b),
                    _ => Text::call(&function("fmod", width), vec![a, b]),
                }
            }
            Node::FpUnary(op, a) => self.float_function(t, op, a),
            Node::Concat(..) => match self.wide_access(t, float_type(width)) {
                Some(access) => access,
                None => self.float_of_bits(t),
            },
            _ => self.float_of_bits(t),
        }
    }

    fn float_function(&self, t: Term, op: FpOp, a: Term) -> Text {
        let name = match op {
            FpOp::SiToFp(to) => return self.read(a, Reading::Signed).text.cast(float_type(to)),
            FpOp::UiToFp(to) => return self.read(a, Reading::Unsigned).text.cast(float_type(to)),
            FpOp::FpToFp(to) => return self.float(a).cast(float_type(to)),
            FpOp::FSqrt => "sqrt",
            FpOp::FFloor => "floor",
            FpOp::FCeil => "ceil",
            FpOp::FTrunc => "trunc",
            FpOp::FRoundEven => "rint",
            FpOp::FAbs => "fabs",
            FpOp::FNeg => return self.float(a).prefixed("-"),
            _ => return self.float_of_bits(t),
        };
        Text::call(&function(name, self.pool.width(t)), vec![self.float(a)])
    }

    /// The float whose bits are an integer.
    pub(super) fn float_of_bits(&self, t: Term) -> Text {
        let width = self.pool.width(t);
        let ty = CType { bits: width, signed: true };
        let value = self.integer(t).text.at(Level::Choice);
        Text::atom(&format!("(union {{ {} i; {} f; }}){{ {value} }}.f", ty.name(), float_type(width)))
    }

    /// The integer that has the bits of a float.
    pub(super) fn bits_of_float(&self, t: Term) -> Value {
        let width = self.pool.width(t);
        let float = self.float(t).at(Level::Choice);
        self.bits_of(&float, width)
    }

    /// The same of an expression.
    pub(super) fn bits_of(&self, float: &str, width: u32) -> Value {
        let ty = CType { bits: width, signed: true };
        let text = format!("(union {{ {} f; {} i; }}){{ {float} }}.i", float_type(width), ty.name());
        Value::new(Text::atom(&text), ty)
    }

    /// To a signed integer, as the processor does it: the least one for what does not fit.
    pub(super) fn to_signed(&self, to: u32, a: Term) -> Value {
        let ty = CType::holding(to, true);
        if matches!(to, 32 | 64) {
            return Value::new(self.float(a).cast(ty.name()), ty);
        }
        let wide = CType { bits: 64, signed: true };
        let value = Value::new(self.float(a).cast(wide.name()), wide);
        let end = 2f64.powi(to as i32 - 1);
        let lower =
            if to < 54 { Text::number(format!("{:?}", -end - 1.0)) } else { Text::number(format!("{:?}", -end)) };
        let above = Text::infix(Level::Order, self.float(a), if to < 54 { ">" } else { ">=" }, lower);
        let below = Text::infix(Level::Order, self.float(a), "<", Text::atom(&format!("{end:?}")));
        let fits = Text::chain(Level::And, "&&", vec![above, below]).unwrap_or_else(|| Text::atom("true"));
        Value::choice(fits, value, Value::number(-(1 << (to - 1))), to)
    }

    /// To an unsigned integer: all ones for what does not fit.
    pub(super) fn to_unsigned(&self, to: u32, a: Term) -> Value {
        let wide = CType { bits: 64, signed: to < 64 };
        let value = Value::new(self.float(a).cast(wide.name()), wide);
        let above = Text::infix(Level::Order, self.float(a), ">", Text::number("-1.0".to_owned()));
        let end = Text::atom(&format!("{:?}", 2f64.powi(to as i32)));
        let below = Text::infix(Level::Order, self.float(a), "<", end);
        let fits = Text::chain(Level::And, "&&", vec![above, below]).unwrap_or_else(|| Text::atom("true"));
        Value::choice(fits, value, Value::mask(to), to)
    }

    /// A comparison of floats, or its negation.
    pub(super) fn float_comparison(&self, op: FpOp, a: Term, b: Term, holds: bool) -> Text {
        if op == FpOp::FUno {
            return self.unordered(a, b, holds);
        }
        let (left, right) = (self.float(a), self.float(b));
        let (level, operator) = match op {
            FpOp::FEq => (Level::Equality, if holds { "==" } else { "!=" }),
            FpOp::FLt => (Level::Order, "<"),
            _ => (Level::Order, "<="),
        };
        let text = Text::infix(level, left, operator, right);
        // !(a < b) isn't a >= b when one is NaN.
        if holds || op == FpOp::FEq { text } else { text.prefixed("!") }
    }

    /// Whether one of two floats is no number: it differs from itself then.
    fn unordered(&self, a: Term, b: Term, holds: bool) -> Text {
        let is_number = |t| self.pool.as_const_wide(t).is_some_and(|bits| !is_nan(self.pool.width(t), bits as u64));
        let (operator, level, joined) = if holds { ("!=", Level::Or, "||") } else { ("==", Level::And, "&&") };
        let test = |t| Text::infix(Level::Equality, self.float(t), operator, self.float(t));
        let mut tests = Vec::new();
        tests.extend((!is_number(a)).then(|| test(a)));
        tests.extend((a != b && !is_number(b)).then(|| test(b)));
        let never = || Text::atom(if holds { "false" } else { "true" });
        Text::chain(level, joined, tests).unwrap_or_else(never)
    }
}

/// `fabs`, or `fabsf` where C would compute in `double` otherwise.
fn function(name: &str, width: u32) -> String {
    if width == 32 { format!("{name}f") } else { name.to_owned() }
}

pub(super) fn float_type(width: u32) -> &'static str {
    if width == 32 { "float" } else { "double" }
}

fn is_nan(width: u32, bits: u64) -> bool {
    if width == 32 { f32::from_bits(bits as u32).is_nan() } else { f64::from_bits(bits).is_nan() }
}

fn float_literal(width: u32, bits: u64) -> Text {
    let (digits, is_finite, is_negative) = if width == 32 {
        let float = f32::from_bits(bits as u32);
        (format!("{float:?}f"), float.is_finite(), float.is_sign_negative())
    } else {
        let float = f64::from_bits(bits);
        (format!("{float:?}"), float.is_finite(), float.is_sign_negative())
    };
    let suffix = if width == 32 { "f" } else { "" };
    match (is_finite, is_nan(width, bits)) {
        (true, _) => Text::number(digits),
        (false, true) => Text::atom(&format!("(0.0{suffix} / 0.0{suffix})")),
        (false, false) => Text::atom(&format!("({}1.0{suffix} / 0.0{suffix})", if is_negative { "-" } else { "" })),
    }
}
