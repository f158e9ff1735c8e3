//! Functions of one byte, and tables.
//!
//! `toupper(argv[1][0]) == 'Q'` is, as a term, a comparison of 1536 bytes of a table at an offset. What depends on one
//! byte is tried with all 256 values: a condition is then a set of characters, `argv[1][0] == 'Q' || argv[1][0] ==
//! 'q'`, and a value may be what a function of `<ctype.h>` gives. Other tables are string literals with an index.

use std::collections::BTreeMap;

use icsched_smt::{BinOp, CmpOp, Evaluation, Model, Node, Term};
use rustc_hash::FxHashSet;

use super::Printer;
use super::bytes::escaped;
use super::c_type::{CType, Range};
use super::text::{Level, Text};
use super::value::{Reading, Value};
use crate::bounds::Bound;
use crate::budgets::BUDGETS;

/// The bytes of a constant table, and what is behind them.
struct Table {
    bytes: Vec<u8>,
    rest: u8,
}

/// Characters as C orders them, from -128 to 127.
struct Characters(Vec<(i128, i128)>);

impl Characters {
    /// Those of which `holds` is true, as intervals.
    fn of(holds: impl Fn(u8) -> bool) -> Self {
        let mut intervals: Vec<(i128, i128)> = Vec::new();
        for c in i8::MIN..=i8::MAX {
            if !holds(c as u8) {
                continue;
            }
            match intervals.last_mut() {
                Some((_, last)) if *last == i128::from(c) - 1 => *last = c.into(),
                _ => intervals.push((c.into(), c.into())),
            }
        }
        Self(intervals)
    }
}

impl Printer<'_> {
    /// A condition on one byte as the characters that it holds for, if it reads a table or that is shorter than
    /// `plain`.
    pub(super) fn as_characters(&self, t: Term, holds: bool, plain: impl FnOnce() -> Text) -> Text {
        let Some((byte, reads_table)) = self.only_byte(t) else { return plain() };
        let plain = if reads_table {
            None
        } else {
            let text = plain();
            if text.len() <= BUDGETS.plain_text {
                return text;
            }
            Some(text)
        };
        let Some(values) = self.values_of(t, byte) else {
            return plain.unwrap_or_else(|| self.plain_truth(t, holds));
        };
        let is_in = |c: u8| (values[usize::from(c)] == 1) == holds;
        let (inside, outside) = (Characters::of(is_in), Characters::of(|c| !is_in(c)));
        let text = if inside.0.len() <= outside.0.len() {
            self.inside(byte, &inside.0, Level::Or)
        } else {
            self.inside(byte, &outside.0, Level::And)
        };
        let few = inside.0.len().min(outside.0.len()) <= BUDGETS.intervals;
        match plain {
            None if few => text,
            None => self.plain_truth(t, holds),
            Some(plain) if few && text.len() < plain.len() => text,
            Some(plain) => plain,
        }
    }

    /// That a byte is in one of the intervals (`Or`), or in none (`And`).
    fn inside(&self, byte: Term, intervals: &[(i128, i128)], level: Level) -> Text {
        let is_in = level == Level::Or;
        let bound = |upper: bool, value: i128| {
            let bound = Bound { upper: upper == is_in, strict: !is_in, value };
            self.bounded(byte, true, bound)
        };
        let interval = |&(first, last): &(i128, i128)| {
            if first == last {
                return self.equality_with(byte, first as u128 & 0xff, is_in);
            }
            let mut ends = Vec::new();
            ends.extend((first > i128::from(i8::MIN)).then(|| bound(false, first)));
            ends.extend((last < i128::from(i8::MAX)).then(|| bound(true, last)));
            let (level, operator) = if is_in { (Level::And, "&&") } else { (Level::Or, "||") };
            let anything = || Text::atom(if is_in { "true" } else { "false" });
            Text::chain(level, operator, ends).unwrap_or_else(anything)
        };
        let texts: Vec<Text> = intervals.iter().map(interval).collect();
        let operator = if is_in { "||" } else { "&&" };
        Text::chain(level, operator, texts).unwrap_or_else(|| Text::atom(if is_in { "false" } else { "true" }))
    }

    /// `toupper(c)` and the like, if a value of several steps is what such a function gives for the only byte in it.
    pub(super) fn library_call(&self, t: Term) -> Option<Value> {
        let may_be =
            |node: &Node| matches!(node, Node::Ite(..) | Node::Select(..) | Node::Concat(..) | Node::Binary(..));
        if !may_be(self.pool.node(t)) {
            return None;
        }
        let (byte, _) = self.only_byte(t)?;
        let values = self.values_of(t, byte)?;
        let width = self.pool.width(t);
        let mask = u128::MAX >> (128 - width);
        let functions = [("toupper", u8::to_ascii_uppercase as fn(&u8) -> u8), ("tolower", u8::to_ascii_lowercase)];
        for (name, function) in functions {
            let unsigned = |c: u8| i128::from(function(&c));
            // The macro reads its table at a negative index for a negative `char`, and -1 is `EOF`.
            let plain = |c: u8| if c == u8::MAX { -1 } else { unsigned(c) };
            let is = |f: &dyn Fn(u8) -> i128| (0..=u8::MAX).all(|c| values[usize::from(c)] == f(c) as u128 & mask);
            let argument = self.integer(byte);
            let (argument, least) = if is(&plain) {
                (argument, -1)
            } else if is(&unsigned) {
                (argument.read(8, Reading::Unsigned), 0)
            } else {
                continue;
            };
            let text = Text::call(name, vec![argument.text]);
            return Some(Value { text, ty: CType::INT, range: Range { least, greatest: 255 } });
        }
        None
    }

    /// The only symbol of an expression of several steps, if that is a byte, and whether the expression reads a table.
    fn only_byte(&self, t: Term) -> Option<(Term, bool)> {
        let symbols = self.pool.symbols_of(t);
        let [byte] = *symbols else { return None };
        if self.pool.width(byte) != 8 {
            return None;
        }
        let (mut work, mut seen, mut reads_table) = (vec![t], FxHashSet::default(), false);
        while let Some(t) = work.pop() {
            if seen.insert(t) {
                reads_table |= matches!(self.pool.node(t), Node::Select(..));
                work.extend(self.pool.node(t).children());
            }
            if seen.len() > BUDGETS.tabulated_terms {
                return None;
            }
        }
        (reads_table || seen.len() >= BUDGETS.plain_terms).then_some((byte, reads_table))
    }

    /// What an expression is for each value of a byte; `None` if enough was tried for this text.
    fn values_of(&self, t: Term, byte: Term) -> Option<Vec<u128>> {
        let name = self.pool.symbol_name(byte)?;
        self.tried.set(self.tried.get().checked_sub(1)?);
        let value = |c: u8| {
            let mut model = Model::new();
            model.set(name, 8, c.into());
            self.pool.eval_with(t, &model, &mut Evaluation::default())
        };
        Some((0..=u8::MAX).map(value).collect())
    }

    /// An element of an array.
    pub(super) fn element(&self, array: Term, index: Term) -> Value {
        let cut = || Value::new(Text::atom("..."), CType::holding(8, false));
        self.within_budget(cut, || match *self.pool.node(array) {
            Node::ConstArray { byte } => Value::number(i128::from(byte as i8)),
            Node::Ite(c, a, b) => self.either(c, || self.element(a, index), || self.element(b, index), 8),
            Node::Store(inner, at, value) => match self.table(array) {
                Some(table) => self.table_element(&table, index),
                None => {
                    let condition = self.equality(at, index, true);
                    Value::choice(condition, self.integer(value), self.element(inner, index), 8)
                }
            },
            _ => {
                let name = self.pool.symbol_name(array).unwrap_or_default();
                let base = self.named_bytes(name, array);
                Value::new(base.index(self.read(index, Reading::Signed).text), CType::holding(8, true))
            }
        })
    }

    fn table_element(&self, table: &Table, index: Term) -> Value {
        let len = table.bytes.len() as u128;
        let at = self.read(index, Reading::Unsigned);
        let element = Value::new(table.literal().index(at.text.clone()), CType::holding(8, true));
        if self.pool.unsigned_range(index).1 < len {
            return element;
        }
        let condition = Text::infix(Level::Order, at.text, "<", Text::atom(&len.to_string()));
        Value::choice(condition, element, Value::number(i128::from(table.rest as i8)), 8)
    }

    /// Bytes of a table next to each other, least significant first, as one access: `*(int *)&"..."[index]`.
    pub(super) fn wide_element(&self, bytes: &[Term]) -> Option<Value> {
        let ty = CType::exactly(8 * bytes.len() as u32, true)?;
        let mut first = None;
        for (&byte, k) in bytes.iter().zip(0..) {
            let Node::Select(array, index) = *self.pool.node(byte) else { return None };
            let (rest, constant) = match *self.pool.node(index) {
                Node::Binary(BinOp::Add, rest, c) if self.pool.as_const(c).is_some() => (rest, self.pool.as_const(c)?),
                _ => (index, 0),
            };
            let (known, known_rest, start, _) = *first.get_or_insert((array, rest, constant, index));
            if (array, rest) != (known, known_rest) || start.checked_add(k) != Some(constant) {
                return None;
            }
        }
        let (array, .., index) = first?;
        let table = self.table(array)?;
        let end = self.pool.unsigned_range(index).1.checked_add(bytes.len() as u128)?;
        if end > table.bytes.len() as u128 {
            return None;
        }
        let element = table.literal().index(self.read(index, Reading::Unsigned).text);
        Some(Value::new(element.prefixed("&").prefixed(&format!("*({} *)", ty.name())), ty))
    }

    /// The contents of an array that is a constant table of few bytes.
    fn table(&self, array: Term) -> Option<Table> {
        let mut elements = BTreeMap::new();
        let mut base = array;
        loop {
            match *self.pool.node(base) {
                Node::Store(inner, at, value) => {
                    let (at, value) = (self.pool.as_const(at)?, self.pool.as_const(value)?);
                    elements.entry(at).or_insert(value as u8);
                    base = inner;
                }
                Node::ConstArray { byte } => {
                    let len = elements.last_key_value().map_or(0, |(&last, _)| last + 1);
                    let len = usize::try_from(len).ok().filter(|&len| len <= BUDGETS.literal_bytes)?;
                    let bytes = (0..len as u64).map(|at| elements.get(&at).copied().unwrap_or(byte)).collect();
                    return Some(Table { bytes, rest: byte });
                }
                _ => return None,
            }
        }
    }

    /// `a == b`, or its negation, of any terms of one width.
    pub(super) fn equality(&self, a: Term, b: Term, holds: bool) -> Text {
        self.compare(CmpOp::Eq, a, b, holds)
    }
}

impl Table {
    fn literal(&self) -> Text {
        let text: String = self.bytes.iter().map(|&byte| escaped(byte, '"')).collect();
        Text::atom(&format!("\"{text}\""))
    }
}
