//! Constraints as C text.
//!
//! What is printed has the term's meaning when symbols are read as signed integers of their width, as C reads `char`
//! and `int`; casts stand where the term means something else. Literals, string comparisons and values of several bytes
//! are recognised and written as a programmer would write them.
//!
//! Terms share subterms and can be exponentially larger as text: output is cut at a budget with `...`. The text is for
//! people; the term itself is what programs use.

mod bounds;
mod bytes;
mod places;
mod text;
mod values;

use std::cell::Cell;

use icsched_smt::{BinOp, CmpOp, FpOp, Node, Term, TermPool};

pub use places::{Anchor, Extent, Loaded, Object, Others, Places};

use bounds::Reduced;
use text::{Level, Text};

use crate::bounds::{Bound, bound_of};

/// Nodes printed before the text is cut.
const BUDGET: u32 = 3000;
/// Nesting before the text is cut.
const DEPTH: u32 = 120;

/// Prints terms of one pool.
pub struct Printer<'p> {
    pool: &'p TermPool,
    /// What addresses mean.
    places: Option<&'p dyn Places>,
    /// Whether what is printed was asked for by accesses: that an object of unknown size is large enough says nothing then.
    of_accesses: bool,
    budget: Cell<u32>,
    depth: Cell<u32>,
}

impl<'p> Printer<'p> {
    /// A printer with a fresh budget.
    pub fn new(pool: &'p TermPool) -> Self {
        Printer { pool, places: None, of_accesses: false, budget: Cell::new(BUDGET), depth: Cell::new(DEPTH) }
    }

    /// The same, with what addresses mean.
    pub fn with_places(pool: &'p TermPool, places: &'p dyn Places) -> Self {
        Printer { places: Some(places), ..Printer::new(pool) }
    }

    /// For conditions that accesses asked for.
    #[must_use]
    pub fn of_accesses(self) -> Self {
        Printer { of_accesses: true, ..self }
    }

    /// The name of an address.
    fn place(&self, width: u32, bits: u128) -> Option<Text> {
        let name = self.places.filter(|_| width == 64)?.name(bits as u64)?;
        Some(Text::atom(&name))
    }

    /// A truth value (`Bv(1)`) as a C condition: `true` for no constraint.
    pub fn condition(&self, t: Term) -> String {
        self.truth(t, true).into_text()
    }

    /// The conjunction of several constraints.
    pub fn conjunction(&self, constraints: &[Term]) -> String {
        let mut parts = Vec::new();
        for &t in constraints {
            self.flatten(BinOp::And, t, &mut parts);
        }
        self.joined(&parts, true).into_text()
    }

    /// The same, a text for each conjunct, none twice; none at all for no constraint.
    pub fn conjuncts(&self, constraints: &[Term]) -> Vec<String> {
        let mut parts = Vec::new();
        for &t in constraints {
            self.flatten(BinOp::And, t, &mut parts);
        }
        let texts = self.conjunct_texts(&parts);
        if texts.len() == 1 {
            return texts.into_iter().map(Text::into_text).collect();
        }
        texts.into_iter().map(|text| text.inside(Level::And)).collect()
    }

    /// A bit vector as a C expression.
    pub fn value(&self, t: Term) -> String {
        self.integer(t).into_text()
    }

    /// Runs `print` unless the budget is spent.
    fn within_budget(&self, print: impl FnOnce() -> Text) -> Text {
        if self.budget.get() == 0 || self.depth.get() == 0 {
            return Text::atom("...");
        }
        self.budget.set(self.budget.get() - 1);
        self.depth.set(self.depth.get() - 1);
        let text = print();
        self.depth.set(self.depth.get() + 1);
        text
    }

    /// A truth value, or its negation when `holds` is false.
    fn truth(&self, t: Term, holds: bool) -> Text {
        self.within_budget(|| self.truth_node(t, holds))
    }

    fn truth_node(&self, t: Term, holds: bool) -> Text {
        if let Some((op, a, b)) = self.places.and_then(|places| places.comparison(t)) {
            return self.comparison(t, op, a, b, holds);
        }
        match *self.pool.node(t) {
            Node::Const { bits, .. } => Text::atom(if (bits == 1) == holds { "true" } else { "false" }),
            Node::Not(inner) => self.truth(inner, !holds),
            Node::Binary(BinOp::And, ..) => {
                let mut parts = Vec::new();
                self.flatten(BinOp::And, t, &mut parts);
                self.joined(&parts, holds)
            }
            Node::Binary(BinOp::Or, ..) => {
                let mut parts = Vec::new();
                self.flatten(BinOp::Or, t, &mut parts);
                self.alternatives(&parts, holds)
            }
            Node::Binary(BinOp::Xor, a, b) => {
                let operator = if holds { "!=" } else { "==" };
                Text::infix(Level::Equality, self.truth(a, true), operator, self.truth(b, true))
            }
            Node::Cmp(op, a, b) => self.comparison(t, op, a, b, holds),
            Node::FpBinary(op, a, b) => self.float_comparison(op, a, b, holds),
            Node::Ite(c, a, b) => Text::choice(self.truth(c, true), self.truth(a, holds), self.truth(b, holds)),
            Node::Extract { arg, lo, .. } => self.bit_test(arg, lo, holds),
            Node::Symbol { .. } => {
                let name = Text::atom(self.pool.symbol_name(t).unwrap_or_default());
                if holds { name } else { name.prefixed("!") }
            }
            _ => Text::infix(Level::Equality, self.integer(t), if holds { "!=" } else { "==" }, Text::atom("0")),
        }
    }

    /// The operands of nested `op`s, left to right. Under a negation the dual operator is nested too: `!(a || b)` is
    /// `!a && !b`.
    fn flatten(&self, op: BinOp, t: Term, out: &mut Vec<(Term, bool)>) {
        let dual = if op == BinOp::And { BinOp::Or } else { BinOp::And };
        let mut work = vec![(t, true)];
        while let Some((term, holds)) = work.pop() {
            match *self.pool.node(term) {
                _ if self.places.is_some_and(|places| places.comparison(term).is_some()) => out.push((term, holds)),
                Node::Binary(found, a, b) if found == if holds { op } else { dual } => {
                    work.extend([(b, holds), (a, holds)]);
                }
                Node::Not(inner) => work.push((inner, !holds)),
                Node::Const { bits, .. } if ((bits == 1) == holds) == (op == BinOp::And) => {}
                _ if op == BinOp::And && holds && self.says_nothing(term) => {}
                _ => out.push((term, holds)),
            }
        }
    }

    /// The conjunction of literals (or its negation), string comparisons put together.
    fn joined(&self, parts: &[(Term, bool)], holds: bool) -> Text {
        if !holds {
            let negated: Vec<_> = parts.iter().map(|&(t, sign)| (t, !sign)).collect();
            return self.alternatives(&negated, true);
        }
        Text::chain(Level::And, "&&", self.conjunct_texts(parts)).unwrap_or_else(|| Text::atom("true"))
    }

    /// The conjuncts that the literals of a conjunction are printed as.
    fn conjunct_texts(&self, parts: &[(Term, bool)]) -> Vec<Text> {
        let mut texts = Vec::new();
        let mut literals = Vec::new();
        for reduced in self.reduced(parts) {
            match reduced {
                Reduced::Literal(literal) => literals.push(literal),
                Reduced::Equal(text) => {
                    self.append_literals(&mut literals, true, &mut texts);
                    texts.push(text);
                }
            }
        }
        self.append_literals(&mut literals, true, &mut texts);
        text::once_each(texts, "true")
    }

    /// The disjunction of literals (or its negation).
    fn alternatives(&self, parts: &[(Term, bool)], holds: bool) -> Text {
        if !holds {
            let negated: Vec<_> = parts.iter().map(|&(t, sign)| (t, !sign)).collect();
            return self.joined(&negated, true);
        }
        if parts.iter().any(|&(t, holds)| holds && self.says_nothing(t)) {
            return Text::atom("true");
        }
        let mut texts = Vec::new();
        self.append_literals(&mut parts.to_vec(), false, &mut texts);
        let texts = text::once_each(texts, "false");
        Text::chain(Level::Or, "||", texts).unwrap_or_else(|| Text::atom("false"))
    }

    /// Appends the texts of literals, string comparisons put together, and empties the list.
    fn append_literals(&self, literals: &mut Vec<(Term, bool)>, conjunction: bool, texts: &mut Vec<Text>) {
        let mut edges = Vec::new();
        self.drop_alignments(literals, conjunction);
        for piece in self.strings_in(literals, conjunction) {
            match piece {
                bytes::Piece::Literal(t, sign) => match self.edge(t, sign) {
                    Some(edge) => self.append_edge(edge, conjunction, &mut edges, texts),
                    None => texts.push(self.truth(t, sign)),
                },
                bytes::Piece::Strings(text) => texts.push(text),
            }
        }
        literals.clear();
    }

    /// Bit `bit` of a value: a test with a mask.
    fn bit_test(&self, value: Term, bit: u32, holds: bool) -> Text {
        let mask = Text::atom(&if bit < 4 { (1u128 << bit).to_string() } else { format!("{:#x}", 1u128 << bit) });
        let masked = Text::infix(Level::BitAnd, self.integer(value), "&", mask);
        Text::infix(Level::Equality, masked, if holds { "!=" } else { "==" }, Text::atom("0"))
    }

    fn comparison(&self, t: Term, op: CmpOp, a: Term, b: Term, holds: bool) -> Text {
        if let Some(text) = self.pointer_condition(t, holds) {
            return text;
        }
        match op {
            CmpOp::Eq => {
                let (left, right) = self.operands(a, b, true);
                Text::infix(Level::Equality, left, if holds { "==" } else { "!=" }, right)
            }
            CmpOp::Ult | CmpOp::Ule | CmpOp::Slt | CmpOp::Sle => match bound_of(self.pool, op, a, b, holds) {
                Some((x, is_signed, bound)) => self.bounded(x, is_signed, bound),
                None => self.order(op, a, b, holds),
            },
        }
    }

    /// `x < c` and the like.
    fn bounded(&self, x: Term, is_signed: bool, bound: Bound) -> Text {
        if let Some(text) = self.within(x, is_signed, bound) {
            return text;
        }
        let width = self.pool.width(x);
        let (least, greatest) =
            if is_signed { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1i128 << width.min(126)) - 1) };
        let bound = bound.best_written(self.is_input_byte(x), least, greatest);
        let right = self.literal_like(x, width, bound.value as u128, is_signed);
        let left = self.integer(x);
        let left = if is_signed || self.non_negative(x) { left } else { left.cast(values::unsigned_type(width)) };
        Text::infix(Level::Order, left, bound.operator(), right)
    }

    /// `a < b` and the like, neither constant.
    fn order(&self, op: CmpOp, a: Term, b: Term, holds: bool) -> Text {
        let is_signed = matches!(op, CmpOp::Slt | CmpOp::Sle);
        let strict = matches!(op, CmpOp::Ult | CmpOp::Slt);
        // Negation swaps the sides: !(a < b) is b <= a.
        let (a, b, strict) = if holds { (a, b, strict) } else { (b, a, !strict) };
        let (left, right) = self.operands(a, b, is_signed);
        Text::infix(Level::Order, left, if strict { "<" } else { "<=" }, right)
    }

    /// Both sides of a comparison. A comparison of unsigned values gets a cast unless neither can be negative; a
    /// constant is written as its side reads it.
    fn operands(&self, a: Term, b: Term, is_signed: bool) -> (Text, Text) {
        let width = self.pool.width(a);
        let side = |t: Term, other: Term| match (self.pool.as_const_wide(t), values::signed_type(width)) {
            (Some(bits), _) if self.place(width, bits).is_some() => self.integer(t),
            (Some(bits), _) => self.literal_like(other, width, bits, is_signed),
            (None, Some(ty)) if is_signed && self.reads_as_unsigned(t) => self.integer(t).cast(ty),
            (None, _) => self.integer(t),
        };
        let (left, right) = (side(a, b), side(b, a));
        if is_signed || (self.non_negative(a) && self.non_negative(b)) {
            return (left, right);
        }
        (left.cast(values::unsigned_type(width)), right)
    }

    /// Whether C reads the text of the term as unsigned: a mask with its highest bit set is written in hexadecimal.
    fn reads_as_unsigned(&self, t: Term) -> bool {
        let Node::Binary(BinOp::And | BinOp::Or | BinOp::Xor, a, b) = *self.pool.node(t) else { return false };
        let top = self.pool.width(t) - 1;
        let is_mask = |x: Term| self.pool.as_const_wide(x).is_some_and(|bits| bits >> top & 1 == 1);
        is_mask(a) || is_mask(b)
    }

    /// Whether the text of the term, read as C reads it, can not be negative, so that signed and unsigned agree.
    fn non_negative(&self, t: Term) -> bool {
        self.pool.unsigned_range(t).1 >> (self.pool.width(t) - 1) == 0
    }

    fn float_comparison(&self, op: FpOp, a: Term, b: Term, holds: bool) -> Text {
        if op == FpOp::FUno {
            let test = |t| Text::call("isnan", vec![self.float(t)]);
            let text = if a == b {
                test(a)
            } else if self.pool.as_const(a).is_some() {
                test(b)
            } else if self.pool.as_const(b).is_some() {
                test(a)
            } else {
                Text::infix(Level::Or, test(a), "||", test(b))
            };
            return if holds { text } else { text.prefixed("!") };
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
}

#[cfg(test)]
mod tests;
