//! Constraints as C text.
//!
//! What is printed has the term's meaning as C: `argv[1][0] == 'a'`, `atoi(argv[1]) > 100`, `(unsigned char)argv[1][0]
//! < 200`. Compiled with `<stdlib.h>`, `<string.h>`, `<ctype.h>` and `<math.h>` for x86-64, where signed numbers wrap
//! (`-fwrapv`), it is true of exactly the inputs for which the term is 1. Casts stand only where C's own conversions
//! would give another value ([`value`]). What C cannot compute has a name that is told beside the text ([`InputName`]).
//!
//! Terms share subterms and can be exponentially larger as text: output is cut at a budget with `...`. The text is for
//! people; the term itself is what programs use.

mod addresses;
mod bounds;
mod bytes;
mod c_type;
mod compare;
mod divide;
mod floats;
mod names;
mod places;
mod printer;
mod tables;
mod text;
mod value;
mod values;

use icsched_smt::{BinOp, FpOp, Node, Term};

pub use addresses::{Anchor, Extent, Loaded, Object, Others, Places};
pub use printer::{InputName, Printer};

use crate::budgets::BUDGETS;
use bounds::Reduced;
use text::{Level, Text};
use value::Value;

impl Printer<'_> {
    /// The name of an address.
    fn place(&self, width: u32, bits: u128) -> Option<Value> {
        let name = self.places.filter(|_| width == 64 && self.has_pointers.get())?.name(bits as u64)?;
        Some(self.address(&name))
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

    /// A bit vector as a C expression; a float as one of type `float` or `double`.
    pub fn value(&self, t: Term) -> String {
        let is_float = match *self.pool.node(t) {
            Node::FpUnary(op, _) => !matches!(op, FpOp::FpToSi(_) | FpOp::FpToUi(_)),
            Node::FpBinary(..) => self.pool.width(t) > 1,
            Node::Symbol { .. } => names::is_float(self.pool.symbol_name(t).unwrap_or_default()),
            _ => false,
        };
        if is_float { self.float_value(t) } else { self.integer(t).text.into_text() }
    }

    /// A bit pattern as an expression of type `float` or `double`.
    pub fn float_value(&self, t: Term) -> String {
        self.float(t).into_text()
    }

    /// Runs `print` unless the budget is spent; then `cut`.
    fn within_budget<T: Printed>(&self, cut: impl FnOnce() -> T, print: impl FnOnce() -> T) -> T {
        if self.budget.get() == 0 || self.depth.get() == 0 {
            return cut();
        }
        self.budget.set(self.budget.get() - 1);
        self.depth.set(self.depth.get() - 1);
        let printed = print();
        self.depth.set(self.depth.get() + 1);
        if printed.len() > BUDGETS.text_bytes { cut() } else { printed }
    }

    /// A truth value, or its negation when `holds` is false.
    fn truth(&self, t: Term, holds: bool) -> Text {
        self.within_budget(|| Text::atom("..."), || self.as_characters(t, holds, || self.plain_truth(t, holds)))
    }

    fn plain_truth(&self, t: Term, holds: bool) -> Text {
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
            Node::Ite(c, a, b) => {
                let condition = self.truth(c, true);
                let a = self.given(c, true, || self.truth(a, holds));
                Text::choice(condition, a, self.given(c, false, || self.truth(b, holds)))
            }
            Node::Extract { arg, lo, .. } => self.bit_test(arg, lo, holds),
            Node::Symbol { .. } => {
                let name = self.symbol(t).text;
                if holds { name } else { name.prefixed("!") }
            }
            Node::Binary(op, a, b) => {
                let bit = Value::infix(value::Operator::And, self.arithmetic(op, a, b), Value::number(1), 1);
                Text::infix(Level::Equality, bit.text, if holds { "!=" } else { "==" }, Text::atom("0"))
            }
            Node::FpUnary(FpOp::FpToSi(to), a) => self.bit_of(self.to_signed(to, a), holds),
            Node::FpUnary(FpOp::FpToUi(to), a) => self.bit_of(self.to_unsigned(to, a), holds),
            Node::ZExt { .. }
            | Node::SExt { .. }
            | Node::Concat(..)
            | Node::Select(..)
            | Node::Store(..)
            | Node::ArraySymbol { .. }
            | Node::ConstArray { .. }
            | Node::FpUnary(..) => unreachable!("a truth value has one bit"),
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
        let before = self.known.borrow().len();
        let mut parts = parts.to_vec();
        self.divisions_last(&mut parts);
        let mut texts = Vec::new();
        let mut literals = Vec::new();
        for reduced in self.reduced(&parts) {
            match reduced {
                Reduced::Literal(literal) => literals.push(literal),
                Reduced::Equal(term, value) => {
                    self.append_literals(&mut literals, true, &mut texts);
                    texts.push(self.equality_text(term, value));
                }
            }
        }
        self.append_literals(&mut literals, true, &mut texts);
        self.known.borrow_mut().truncate(before);
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
        let before = self.known.borrow().len();
        let mut parts = parts.to_vec();
        self.divisions_last(&mut parts);
        let mut texts = Vec::new();
        self.append_literals(&mut parts, false, &mut texts);
        self.known.borrow_mut().truncate(before);
        let texts = text::once_each(texts, "false");
        Text::chain(Level::Or, "||", texts).unwrap_or_else(|| Text::atom("false"))
    }

    /// Appends the texts of literals, string comparisons put together, and empties the list.
    fn append_literals(&self, literals: &mut Vec<(Term, bool)>, conjunction: bool, texts: &mut Vec<Text>) {
        let mut edges = Vec::new();
        self.drop_alignments(literals, conjunction);
        for piece in self.strings_in(literals, conjunction) {
            match piece {
                bytes::Piece::Literal(t, sign) => {
                    match self.edge(t, sign) {
                        Some(edge) => self.append_edge(edge, conjunction, &mut edges, texts),
                        None => texts.push(self.truth(t, sign)),
                    }
                    // What is to the right is evaluated only if this does not decide.
                    self.add_known(t, sign == conjunction);
                }
                bytes::Piece::Strings(text) => texts.push(text),
            }
        }
        literals.clear();
    }
}

/// What is cut when it is too long.
trait Printed {
    fn len(&self) -> usize;
}

impl Printed for Text {
    fn len(&self) -> usize {
        Text::len(self)
    }
}

impl Printed for Value {
    fn len(&self) -> usize {
        self.text.len()
    }
}

#[cfg(test)]
mod tests;
