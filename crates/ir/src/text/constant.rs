//! Constants in text.

use std::fmt;

use super::cursor::{Cursor, Parsed, unsigned};
use super::lexer::{Kind, Token};
use crate::inst::Const;
use crate::types::Type;

/// The text of an integer, float, literal address or unspecified value (no `bits`); with the type only when it is not
/// the `expected` one.
pub(super) struct Scalar {
    pub(super) ty: Type,
    pub(super) bits: Option<u64>,
    pub(super) expected: Option<Type>,
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.ty, self.bits) {
            (_, None) => f.write_str("undef")?,
            (Type::Int(1), Some(bit @ 0..=1)) => return write!(f, "{}", bit == 1),
            (Type::Ptr, Some(0)) => return f.write_str("null"),
            (Type::Ptr, Some(bits)) => write!(f, "{bits:#x}")?,
            (Type::Int(_), Some(bits)) => write!(f, "{}", signed(self.ty, bits))?,
            (Type::F32, Some(bits)) => match u32::try_from(bits).map(f32::from_bits) {
                Ok(value) if value.is_finite() => write!(f, "{value:?}")?,
                _ => write!(f, "{bits:#x}")?,
            },
            (Type::F64, Some(bits)) => match f64::from_bits(bits) {
                value if value.is_finite() => write!(f, "{value:?}")?,
                _ => write!(f, "{bits:#x}")?,
            },
        }
        if self.expected == Some(self.ty) { Ok(()) } else { write!(f, ":{}", self.ty) }
    }
}

fn signed(ty: Type, bits: u64) -> i64 {
    let unused = 64 - ty.bits().clamp(1, 64);
    (bits << unused).cast_signed() >> unused
}

/// A constant that was read; a literal without a type takes the one its place asks for.
#[derive(Clone, Debug)]
pub(super) enum Read<'t, 's> {
    Const(Const),
    Literal(Literal<'t, 's>),
}

/// A literal without a type.
#[derive(Clone, Debug)]
pub(super) struct Literal<'t, 's> {
    token: &'t Token<'s>,
    negative: bool,
    /// The number as written; `None` for `undef`.
    digits: Option<&'s str>,
}

/// Reads a literal or a typed literal, if the next token starts one.
pub(super) fn read<'t, 's>(cursor: &mut Cursor<'t, 's>) -> Parsed<Option<Read<'t, 's>>> {
    let token = cursor.token();
    let (negative, digits) = match (cursor.peek(), cursor.peek_at(1)) {
        (Kind::Word("null"), _) => return Ok(word(cursor, Const::NULL)),
        (Kind::Word("true"), _) => return Ok(word(cursor, Const::int(Type::Int(1), 1))),
        (Kind::Word("false"), _) => return Ok(word(cursor, Const::int(Type::Int(1), 0))),
        (Kind::Word("undef"), _) => (false, None),
        (Kind::Number(digits), _) => (false, Some(*digits)),
        (Kind::Punct('-'), Kind::Number(digits)) => {
            cursor.bump();
            (true, Some(*digits))
        }
        _ => return Ok(None),
    };
    cursor.bump();
    let literal = Literal { token, negative, digits };
    if !cursor.eat(':') {
        return Ok(Some(Read::Literal(literal)));
    }
    let ty = cursor.ty()?;
    literal.with_type(ty).map(|c| Some(Read::Const(c)))
}

fn word<'t, 's>(cursor: &mut Cursor<'t, 's>, constant: Const) -> Option<Read<'t, 's>> {
    cursor.bump();
    Some(Read::Const(constant))
}

impl Literal<'_, '_> {
    /// The constant, when the place asks for `ty`.
    pub(super) fn with_type(&self, ty: Type) -> Parsed<Const> {
        let Some(digits) = self.digits else { return Ok(Const::Undef(ty)) };
        let bits = match ty {
            Type::Int(_) | Type::Ptr => self.integer(digits, ty),
            Type::F32 => self.float(digits, ty, |text| text.parse::<f32>().ok().map(|x| u64::from(x.to_bits()))),
            Type::F64 => self.float(digits, ty, |text| text.parse::<f64>().ok().map(f64::to_bits)),
        };
        bits.map(|bits| Const::Bits { ty, bits }).ok_or_else(|| {
            let sign = if self.negative { "-" } else { "" };
            let hint = match ty {
                Type::Int(_) | Type::Ptr => "",
                Type::F32 | Type::F64 => "; write it as in `1.0`, or its bits in hexadecimal",
            };
            self.token.error(format!("`{sign}{digits}` is no {ty}{hint}"))
        })
    }

    /// An error for a place that does not tell the type.
    pub(super) fn untyped(&self) -> super::ParseError {
        self.token.error("the type of this constant is not clear here: write it as in `5:i32`")
    }

    /// The plain whole number, for offsets and the like.
    pub(super) fn offset(&self) -> Parsed<i64> {
        let magnitude = self.digits.and_then(unsigned).map(i128::from);
        let value = magnitude.map(|m| if self.negative { -m } else { m }).and_then(|v| i64::try_from(v).ok());
        value.ok_or_else(|| self.token.error("expected a 64-bit whole number"))
    }

    fn integer(&self, digits: &str, ty: Type) -> Option<u64> {
        let magnitude = unsigned(digits)?;
        if !self.negative {
            return (magnitude <= ty.mask()).then_some(magnitude);
        }
        (magnitude <= 1 << (ty.bits() - 1)).then(|| magnitude.wrapping_neg() & ty.mask())
    }

    /// A decimal fraction, or `0x` and the bits. A plain `1` is refused: it could mean either.
    fn float(&self, digits: &str, ty: Type, decimal: impl Fn(&str) -> Option<u64>) -> Option<u64> {
        if digits.starts_with("0x") {
            return unsigned(digits).filter(|&bits| bits <= ty.mask() && !self.negative);
        }
        if !digits.contains(['.', 'e']) {
            return None;
        }
        let sign = if self.negative { 1 << (ty.bits() - 1) } else { 0 };
        decimal(digits).map(|bits| bits | sign)
    }
}

/// A quoted name; only what the lexer needs escaped is.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for c in self.0.chars() {
            match c {
                '\n' => f.write_str("\\n")?,
                '\t' => f.write_str("\\t")?,
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c.is_ascii_control() => write!(f, "\\{:02x}", c as u32)?,
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    }
}

/// Initial bytes: a string when they read as one, else hexadecimal in groups of eight bytes.
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl fmt::Display for Bytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = self.0.strip_suffix(&[0]).unwrap_or(self.0);
        let is_text = |b: &u8| (b' '..=b'~').contains(b) || matches!(b, b'\n' | b'\t');
        if !body.is_empty() && body.iter().all(is_text) {
            let text = std::str::from_utf8(self.0).expect("only ASCII");
            return write!(f, "{}", Quoted(text));
        }
        f.write_str("x\"")?;
        for (at, byte) in self.0.iter().enumerate() {
            let gap = if at > 0 && at % 8 == 0 { " " } else { "" };
            write!(f, "{gap}{byte:02x}")?;
        }
        f.write_str("\"")
    }
}
