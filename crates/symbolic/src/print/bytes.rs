//! Bytes of inputs: character literals, values of several bytes, and comparisons of whole strings.

use std::collections::BTreeMap;

use icsched_smt::{CmpOp, Node, Term};

use super::Printer;
use super::c_type::{CType, Range};
use super::text::{Level, Text};
use super::value::{Operator, Reading, Value};
use crate::bounds::as_signed;

/// A part of a conjunction or disjunction.
pub(super) enum Piece {
    /// A condition, or its negation.
    Literal(Term, bool),
    /// Byte comparisons written as one comparison of strings.
    Strings(Text),
}

/// `input[3]` split into `input` and 3.
pub(super) fn split_index(name: &str) -> Option<(&str, u64)> {
    let (base, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some((base, index.parse().ok()?))
}

/// A byte as C writes it between quotes of the given kind. In a string, digits behind a byte are no part of it.
pub(super) fn escaped(byte: u8, quote: char) -> String {
    match byte {
        b'\n' => "\\n".to_owned(),
        b'\t' => "\\t".to_owned(),
        b'\r' => "\\r".to_owned(),
        0 if quote == '\'' => "\\0".to_owned(),
        b'\\' => "\\\\".to_owned(),
        // No trigraphs.
        b'?' if quote == '"' => "\\?".to_owned(),
        _ if byte == quote as u8 => format!("\\{quote}"),
        b' '..=b'~' => (byte as char).to_string(),
        _ if quote == '"' => format!("\\{byte:03o}"),
        _ => format!("\\x{byte:02x}"),
    }
}

impl Printer<'_> {
    /// The input and the index that a byte symbol stands for.
    fn input_byte(&self, t: Term) -> Option<(&str, u64)> {
        if self.pool.width(t) != 8 {
            return None;
        }
        split_index(self.pool.symbol_name(t)?)
    }

    /// Whether a term is one byte of an input.
    pub(super) fn is_input_byte(&self, t: Term) -> bool {
        self.input_byte(t).is_some()
    }

    /// A constant as it reads beside `other`: a character beside a byte of an input, a place beside a pointer.
    pub(super) fn literal_like(&self, other: Term, width: u32, bits: u128, reading: Reading) -> Value {
        if let Some(place) = self.place(width, bits) {
            return place;
        }
        let value = as_signed(width, bits);
        if self.input_byte(other).is_some() && (reading == Reading::Signed || value >= 0) {
            let text = Text::atom(&format!("'{}'", escaped(bits as u8, '\'')));
            return Value { text, ty: CType::INT, range: Range::only(value) };
        }
        match reading {
            Reading::Signed => Value::number(value),
            Reading::Unsigned if self.input_byte(other).is_some() => Value::bits(bits),
            Reading::Unsigned => Value::unsigned(bits),
        }
    }

    /// Groups literals `input[i] == c` for `i` from 0 on into comparisons of strings. In a disjunction the literals are
    /// `input[i] != c`. The group stands where its first literal stood.
    pub(super) fn strings_in(&self, parts: &[(Term, bool)], conjunction: bool) -> Vec<Piece> {
        let mut found: BTreeMap<(&str, u64), (u8, usize)> = BTreeMap::new();
        for (position, &(t, holds)) in parts.iter().enumerate() {
            let Some((base, index, byte)) = self.byte_equality(t).filter(|_| holds == conjunction) else { continue };
            found.entry((base, index)).or_insert((byte, position));
        }
        let mut texts: BTreeMap<usize, Text> = BTreeMap::new();
        let mut used = vec![false; parts.len()];
        for (base, first) in found.keys().filter(|(_, index)| *index == 0).copied().collect::<Vec<_>>() {
            let run: Vec<(u8, usize)> = (first..).map_while(|i| found.get(&(base, i)).copied()).collect();
            let Some((text, len)) = string_comparison(base, &run, conjunction) else { continue };
            self.named_bytes(base, self.compared_byte(parts[run[0].1].0));
            let positions = run[..len].iter().map(|&(_, position)| position);
            positions.clone().for_each(|p| used[p] = true);
            texts.insert(positions.min().unwrap_or_default(), text);
        }
        let mut pieces = Vec::new();
        for (position, &(t, holds)) in parts.iter().enumerate() {
            if let Some(text) = texts.remove(&position) {
                pieces.push(Piece::Strings(text));
            } else if !used[position] {
                pieces.push(Piece::Literal(t, holds));
            }
        }
        pieces
    }

    /// The side of a comparison that is no constant.
    fn compared_byte(&self, t: Term) -> Term {
        match *self.pool.node(t) {
            Node::Cmp(_, a, b) => {
                if self.pool.as_const(a).is_some() {
                    b
                } else {
                    a
                }
            }
            _ => t,
        }
    }

    fn byte_equality(&self, t: Term) -> Option<(&str, u64, u8)> {
        let Node::Cmp(CmpOp::Eq, a, b) = *self.pool.node(t) else { return None };
        let (byte, constant) = if self.pool.as_const(a).is_some() { (b, a) } else { (a, b) };
        let (base, index) = self.input_byte(byte)?;
        Some((base, index, self.pool.as_const(constant)? as u8))
    }

    /// `high` above `low`: consecutive bytes of one input, or of a table, are one access of that width.
    pub(super) fn concatenation(&self, whole: Term, high: Term, low: Term) -> Value {
        let width = self.pool.width(whole);
        if let Some(ty) = CType::exactly(width, true)
            && let Some(text) = self.wide_access(whole, ty.name())
        {
            return Value::new(text, ty);
        }
        if let Some(element) = self.wide_element(&self.parts(whole)) {
            return element;
        }
        let shift = Value::number(self.pool.width(low).into());
        let upper = self.integer(high).shifted_left(shift, width);
        if self.pool.as_const_wide(low) == Some(0) {
            return upper;
        }
        let lower = match self.pool.as_const_wide(low) {
            Some(bits) => Value::bits(bits),
            None => self.read(low, Reading::Unsigned),
        };
        Value::infix(Operator::Or, upper, lower, width)
    }

    /// What a concatenation is made of, least significant first.
    fn parts(&self, whole: Term) -> Vec<Term> {
        let (mut parts, mut work) = (Vec::new(), vec![whole]);
        while let Some(t) = work.pop() {
            match *self.pool.node(t) {
                Node::Concat(high, low) => work.extend([high, low]),
                _ => parts.push(t),
            }
        }
        parts
    }

    /// `*(int *)&input[4]` for the bytes 4 to 7 of `input`, least significant first.
    pub(super) fn wide_access(&self, whole: Term, ty: &str) -> Option<Text> {
        let parts = self.parts(whole);
        let bytes: Vec<(&str, u64)> = parts.iter().map(|&t| self.input_byte(t)).collect::<Option<_>>()?;
        let (base, first) = bytes[0];
        let consecutive = bytes.iter().zip(first..).all(|(&(b, index), expected)| b == base && index == expected);
        if !consecutive {
            return None;
        }
        let base = self.named_bytes(base, parts[0]);
        let start = if first == 0 { base } else { base.index(Text::atom(&first.to_string())).prefixed("&") };
        Some(start.prefixed(&format!("*({ty} *)")))
    }
}

/// The comparison for a run of bytes from index 0, and how many of them it takes: up to the first NUL all of them, or
/// at least two.
fn string_comparison(base: &str, run: &[(u8, usize)], equal: bool) -> Option<(Text, usize)> {
    let end = run.iter().position(|&(byte, _)| byte == 0);
    let chars = &run[..end.unwrap_or(run.len())];
    let literal: String = chars.iter().map(|&(byte, _)| escaped(byte, '"')).collect();
    let operator = if equal { "==" } else { "!=" };
    match end {
        Some(end) if end > 0 => {
            let call = Text::atom(&format!("strcmp({base}, \"{literal}\")"));
            Some((Text::infix(Level::Equality, call, operator, Text::atom("0")), end + 1))
        }
        None if chars.len() > 1 => {
            let call = Text::atom(&format!("strncmp({base}, \"{literal}\", {})", chars.len()));
            Some((Text::infix(Level::Equality, call, operator, Text::atom("0")), chars.len()))
        }
        _ => None,
    }
}
