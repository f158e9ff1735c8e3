//! Divisions, and what is known where an expression is evaluated.
//!
//! A term has a quotient also where C stops the program: by zero, and of the least integer by -1. Where neither the
//! ranges nor a condition to the left excludes that, the text says what the term means: `y != 0 ? x / y : ...`.

use icsched_smt::{BinOp, Node, Term};
use rustc_hash::FxHashSet;

use super::Printer;
use super::c_type::CType;
use super::text::{Level, Text};
use super::value::{Reading, Value};
use crate::bounds::{Fact, known};
use crate::budgets::BUDGETS;

impl Printer<'_> {
    /// Prints what is evaluated only where a condition has this value.
    pub(super) fn given<T>(&self, condition: Term, holds: bool, print: impl FnOnce() -> T) -> T {
        let before = self.known.borrow().len();
        self.add_known(condition, holds);
        let printed = print();
        self.known.borrow_mut().truncate(before);
        printed
    }

    /// From here on, what is printed is evaluated only where a condition has this value.
    pub(super) fn add_known(&self, condition: Term, holds: bool) {
        let mut literals = Vec::new();
        if holds {
            self.flatten(BinOp::And, condition, &mut literals);
        } else {
            let mut alternatives = Vec::new();
            self.flatten(BinOp::Or, condition, &mut alternatives);
            literals.extend(alternatives.into_iter().map(|(t, holds)| (t, !holds)));
        }
        self.known.borrow_mut().extend(literals);
    }

    /// `a / b` or `a % b` with the term's meaning.
    pub(super) fn division(&self, op: BinOp, a: Term, b: Term) -> Value {
        let width = self.pool.width(a);
        let is_signed = matches!(op, BinOp::SDiv | BinOp::SRem);
        let divides = matches!(op, BinOp::UDiv | BinOp::SDiv);
        let reading = Reading::of(is_signed);
        let x = self.read(a, reading);
        let y = match self.pool.as_const_wide(b) {
            Some(bits) if !is_signed => Value::unsigned(bits),
            _ => self.read(b, reading),
        };
        let by_minus_one = if divides { x.clone().prefix("-", width) } else { Value::number(0) };
        let by_zero = match op {
            BinOp::UDiv => Value::mask(width),
            BinOp::SDiv => Value::choice(x.compared("<", "0"), Value::number(1), Value::number(-1), width),
            _ => x.clone(),
        };
        let operator = if divides { "/" } else { "%" };
        let ty = x.ty.common(y.ty);
        let overflows = self.may_overflow((a, &x), (b, &y), ty);
        let quotient = if overflows && ty.bits < 64 {
            Value::quotient(x.cast(CType { bits: 64, signed: true }), operator, y.clone(), width)
        } else {
            let quotient = Value::quotient(x, operator, y.clone(), width);
            let guarded = |quotient| Value::choice(y.compared("!=", "-1"), quotient, by_minus_one, width);
            if overflows { guarded(quotient) } else { quotient }
        };
        let is_zero = y.range.least <= 0 && y.range.greatest >= 0 && !self.excludes(b, 0);
        if is_zero { Value::choice(y.compared("!=", "0"), quotient, by_zero, width) } else { quotient }
    }

    /// Whether the dividend may be the least number of the type that C divides in, and the divisor -1.
    fn may_overflow(&self, (a, x): (Term, &Value), (b, y): (Term, &Value), ty: CType) -> bool {
        let least = ty.range().least;
        let is_possible = ty.signed && x.range.least <= least && y.range.least <= -1 && y.range.greatest >= -1;
        is_possible && !self.excludes(b, -1) && !self.excludes(a, least) && !self.excludes_both((a, least), (b, -1))
    }

    /// Whether a term is known to differ from a number.
    fn excludes(&self, t: Term, value: i128) -> bool {
        self.known.borrow().iter().filter_map(|&(c, holds)| known(self.pool, c, holds)).any(|fact| {
            fact.term == t && (fact.is_signed || value >= 0) && Fact::Different(value).follows_from(fact.fact)
        })
    }

    /// Whether one of two terms is known to differ from its number.
    fn excludes_both(&self, first: (Term, i128), second: (Term, i128)) -> bool {
        let is_either = |&(c, holds): &(Term, bool)| {
            known(self.pool, c, holds).is_some_and(|fact| {
                let found = (fact.term, fact.fact);
                [first, second].iter().any(|&(t, value)| found == (t, Fact::Different(value)))
            })
        };
        self.known.borrow().iter().any(|&(c, holds)| {
            let mut alternatives = Vec::new();
            if holds {
                self.flatten(BinOp::Or, c, &mut alternatives);
            } else {
                self.flatten(BinOp::And, c, &mut alternatives);
                alternatives.iter_mut().for_each(|(_, holds)| *holds = !*holds);
            }
            !alternatives.is_empty() && alternatives.iter().all(is_either)
        })
    }

    /// Puts conditions that divide by something behind those that may say that it is not zero.
    pub(super) fn divisions_last(&self, literals: &mut [(Term, bool)]) {
        literals.sort_by_cached_key(|&(t, _)| self.divides(t));
    }

    /// Whether a term divides by something that is no constant.
    fn divides(&self, t: Term) -> bool {
        let (mut work, mut seen) = (vec![t], FxHashSet::default());
        while let Some(t) = work.pop() {
            if !seen.insert(t) || seen.len() > BUDGETS.divisor_terms {
                continue;
            }
            match *self.pool.node(t) {
                Node::Binary(BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem, _, b)
                    if self.pool.as_const_wide(b).is_none() =>
                {
                    return true;
                }
                ref node => work.extend(node.children()),
            }
        }
        false
    }
}

impl Value {
    /// `self operator number` as a condition.
    fn compared(&self, operator: &str, number: &str) -> Text {
        let level = if operator == "!=" { Level::Equality } else { Level::Order };
        Text::infix(level, self.text.clone(), operator, Text::atom(number))
    }
}
