//! Bounds: which constant to print, and which conjuncts say nothing new.

use icsched_smt::{CmpOp, Node, Term};

use super::Printer;
use super::values::as_signed;

/// `<`, `<=`, `>` or `>=` with a constant on the right.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Bound {
    /// The constant is an upper bound.
    pub(super) upper: bool,
    /// The constant itself is excluded.
    pub(super) strict: bool,
    /// The constant as its side reads it.
    pub(super) value: i128,
}

/// What a conjunct says about one term.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Fact {
    Equal(i128),
    Different(i128),
    AtMost(i128),
    AtLeast(i128),
}

impl Bound {
    pub(super) fn operator(self) -> &'static str {
        match (self.upper, self.strict) {
            (true, true) => "<",
            (true, false) => "<=",
            (false, true) => ">",
            (false, false) => ">=",
        }
    }

    /// The same bound with the other strictness.
    fn twin(self) -> Self {
        let step = if self.upper == self.strict { -1 } else { 1 };
        Bound { strict: !self.strict, value: self.value + step, ..self }
    }

    /// Of the two ways to write the bound the one with the rounder constant; strict when neither is. `n > 10` and its
    /// negation are then `n > 10` and `n <= 10`, whatever form the term has.
    pub(super) fn best_written(self, is_char: bool, least: i128, greatest: i128) -> Self {
        let twin = self.twin();
        if !(least..=greatest).contains(&twin.value) {
            return self;
        }
        let score = |b: Bound| (if is_char { char_roundness(b.value) } else { roundness(b.value) }, b.strict);
        if score(twin) > score(self) { twin } else { self }
    }

    fn fact(self) -> Fact {
        match (self.upper, self.strict) {
            (true, true) => Fact::AtMost(self.value - 1),
            (true, false) => Fact::AtMost(self.value),
            (false, true) => Fact::AtLeast(self.value + 1),
            (false, false) => Fact::AtLeast(self.value),
        }
    }
}

fn roundness(value: i128) -> u32 {
    match value.unsigned_abs() {
        0 => 4,
        n if n % 10 == 0 || (n >= 16 && n.is_power_of_two()) => 3,
        n if n % 5 == 0 => 1,
        _ => 0,
    }
}

fn char_roundness(value: i128) -> u32 {
    match u8::try_from(value) {
        Ok(0) => 2,
        Ok(b'0' | b'9' | b'a' | b'z' | b'A' | b'Z' | b' ' | b'~') => 3,
        _ => 0,
    }
}

impl Fact {
    /// Whether `self` follows from `other`.
    fn follows_from(self, other: Fact) -> bool {
        match (self, other) {
            (Fact::Equal(a), Fact::Equal(b)) | (Fact::Different(a), Fact::Different(b)) => a == b,
            (Fact::Different(a), Fact::Equal(b)) => a != b,
            (Fact::Different(a), Fact::AtMost(b)) => b < a,
            (Fact::Different(a), Fact::AtLeast(b)) => a < b,
            (Fact::AtMost(a), Fact::Equal(b) | Fact::AtMost(b)) => b <= a,
            (Fact::AtLeast(a), Fact::Equal(b) | Fact::AtLeast(b)) => a <= b,
            (Fact::Equal(_), _) | (Fact::AtMost(_), _) | (Fact::AtLeast(_), _) => false,
        }
    }
}

impl Printer<'_> {
    /// The comparison of a term with a constant that a literal is: the term, whether it is read as signed, the bound.
    pub(super) fn bound(&self, t: Term, holds: bool) -> Option<(Term, bool, Bound)> {
        let Node::Cmp(op, a, b) = *self.pool.node(t) else { return None };
        let (is_signed, strict) = match op {
            CmpOp::Eq => return None,
            CmpOp::Ult => (false, true),
            CmpOp::Ule => (false, false),
            CmpOp::Slt => (true, true),
            CmpOp::Sle => (true, false),
        };
        // Negation swaps the sides: !(a < b) is b <= a.
        let (a, b, strict) = if holds { (a, b, strict) } else { (b, a, !strict) };
        let (x, bits, upper) = match (self.pool.as_const_wide(a), self.pool.as_const_wide(b)) {
            (None, Some(bits)) => (a, bits, true),
            (Some(bits), None) => (b, bits, false),
            _ => return None,
        };
        let width = self.pool.width(x);
        let value = if is_signed { as_signed(width, bits) } else { i128::try_from(bits).ok()? };
        Some((x, is_signed, Bound { upper, strict, value }))
    }

    fn fact(&self, t: Term, holds: bool) -> Option<(Term, bool, Fact)> {
        if let Some((x, is_signed, bound)) = self.bound(t, holds) {
            return Some((x, is_signed, bound.fact()));
        }
        let Node::Cmp(CmpOp::Eq, x, c) = *self.pool.node(t) else { return None };
        let value = as_signed(self.pool.width(x), self.pool.as_const_wide(c)?);
        Some((x, true, if holds { Fact::Equal(value) } else { Fact::Different(value) }))
    }

    /// The literals of a conjunction without those that follow from another one about the same term.
    pub(super) fn without_implied(&self, parts: &[(Term, bool)]) -> Vec<(Term, bool)> {
        let facts: Vec<_> = parts.iter().map(|&(t, holds)| self.fact(t, holds)).collect();
        let implied = |i: usize| {
            let Some((x, is_signed, fact)) = facts[i] else { return false };
            facts.iter().enumerate().any(|(j, other)| match *other {
                Some((y, signed_too, other)) if i != j && x == y && is_signed == signed_too => {
                    // Of two that say the same the first stays.
                    fact.follows_from(other) && (j < i || !other.follows_from(fact))
                }
                _ => false,
            })
        };
        (0..parts.len()).filter(|&i| !implied(i)).map(|i| parts[i]).collect()
    }
}
