//! Bytes of inputs: character literals, values of several bytes, and comparisons of whole strings.

use std::collections::BTreeMap;

use icsched_smt::{CmpOp, Node, Term};

use super::Printer;
use super::text::{Level, Text};
use super::values::{number, signed_type};
use crate::bounds::as_signed;

/// A part of a conjunction or disjunction.
pub(super) enum Piece {
    /// A condition, or its negation.
    Literal(Term, bool),
    /// Byte comparisons written as one comparison of strings.
    Strings(Text),
}

/// `input[3]` split into `input` and 3.
fn split_index(name: &str) -> Option<(&str, u64)> {
    let (base, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    Some((base, index.parse().ok()?))
}

/// A byte as C writes it between quotes of the given kind.
fn escaped(byte: u8, quote: char) -> String {
    match byte {
        b'\n' => "\\n".to_owned(),
        b'\t' => "\\t".to_owned(),
        b'\r' => "\\r".to_owned(),
        0 => "\\0".to_owned(),
        b'\\' => "\\\\".to_owned(),
        _ if byte == quote as u8 => format!("\\{quote}"),
        b' '..=b'~' => (byte as char).to_string(),
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

    /// A constant as it reads beside `other`: a character beside a byte of an input.
    pub(super) fn literal_like(&self, other: Term, width: u32, bits: u128, is_signed: bool) -> Text {
        if self.input_byte(other).is_some() {
            return Text::atom(&format!("'{}'", escaped(bits as u8, '\'')));
        }
        // A slice of another width is written with a mask: it reads as unsigned.
        if is_signed && signed_type(width).is_some() {
            return Text::number(number(as_signed(width, bits)));
        }
        let suffix = if bits > i32::MAX as u128 { "u" } else { "" };
        Text::atom(&format!("{bits}{suffix}"))
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

    fn byte_equality(&self, t: Term) -> Option<(&str, u64, u8)> {
        let Node::Cmp(CmpOp::Eq, a, b) = *self.pool.node(t) else { return None };
        let (byte, constant) = if self.pool.as_const(a).is_some() { (b, a) } else { (a, b) };
        let (base, index) = self.input_byte(byte)?;
        Some((base, index, self.pool.as_const(constant)? as u8))
    }

    /// `high` above `low`: consecutive bytes of one input are one access of that width.
    pub(super) fn concatenation(&self, whole: Term, high: Term, low: Term) -> Text {
        if let Some(text) = self.wide_access(whole) {
            return text;
        }
        let shift = Text::atom(&self.pool.width(low).to_string());
        let upper = Text::infix(Level::Shift, self.integer(high), "<<", shift);
        if self.pool.as_const_wide(low) == Some(0) {
            return upper;
        }
        let width = self.pool.width(low);
        let lower = self.integer(low);
        let lower = match self.pool.as_const_wide(low) {
            None if !self.non_negative(low) => lower.cast(super::values::unsigned_type(width)),
            _ => lower,
        };
        Text::infix(Level::BitOr, upper, "|", lower)
    }

    /// `*(int *)&input[4]` for the bytes 4 to 7 of `input`, least significant first.
    fn wide_access(&self, whole: Term) -> Option<Text> {
        let mut bytes = Vec::new();
        let mut work = vec![whole];
        while let Some(t) = work.pop() {
            match *self.pool.node(t) {
                Node::Concat(high, low) => work.extend([high, low]),
                _ => bytes.push(self.input_byte(t)?),
            }
        }
        let (base, first) = bytes[0];
        let consecutive = bytes.iter().zip(first..).all(|(&(b, index), expected)| b == base && index == expected);
        let ty = signed_type(self.pool.width(whole)).filter(|_| consecutive)?;
        let start = if first == 0 { base.to_owned() } else { format!("&{base}[{first}]") };
        Some(Text::atom(&start).prefixed(&format!("*({ty} *)")))
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
