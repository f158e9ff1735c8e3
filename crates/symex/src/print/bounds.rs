//! Which way to write a bound, and which conjuncts say nothing new.

use icsched_smt::Term;

use super::Printer;
use super::text::{Level, Text};
use crate::bounds::{Bound, Fact, Known, implied, known};

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

impl Printer<'_> {
    /// The literals of a conjunction without those that follow from another one about the same term. A term between
    /// two equal bounds is written as equal to them, in place of the first.
    pub(super) fn reduced(&self, parts: &[(Term, bool)]) -> Vec<Reduced> {
        let facts: Vec<Option<Known>> = parts.iter().map(|&(t, holds)| known(self.pool, t, holds)).collect();
        let kept: Vec<usize> = (0..parts.len()).filter(|&i| !implied(&facts, i)).collect();
        let opposite = |i: usize| {
            let this = facts[i]?;
            kept.iter().copied().find(|&j| {
                facts[j].is_some_and(|other| {
                    let meets = match (this.fact, other.fact) {
                        (Fact::AtMost(a), Fact::AtLeast(b)) | (Fact::AtLeast(a), Fact::AtMost(b)) => a == b,
                        _ => false,
                    };
                    meets && this.term == other.term && this.is_signed == other.is_signed
                })
            })
        };
        let mut reduced = Vec::new();
        for &i in &kept {
            match (opposite(i), facts[i].map(|k| (k.term, k.fact))) {
                (Some(j), _) if j < i => {}
                (Some(_), Some((term, Fact::AtMost(value) | Fact::AtLeast(value)))) => {
                    reduced.push(Reduced::Equal(self.equality_text(term, value)));
                }
                _ => reduced.push(Reduced::Literal(parts[i])),
            }
        }
        reduced
    }

    fn equality_text(&self, term: Term, value: i128) -> Text {
        let width = self.pool.width(term);
        let bits = (value as u128) & (u128::MAX >> (128 - width));
        let right = self.literal_like(term, width, bits, true);
        Text::infix(Level::Equality, self.integer(term), "==", right)
    }
}

/// A conjunct that is left.
pub(super) enum Reduced {
    /// As it was.
    Literal((Term, bool)),
    /// Two bounds that meet.
    Equal(Text),
}
