//! Which way to write a bound, and which conjuncts say nothing new.

use icsched_smt::{BinOp, Node, Term};

use super::Printer;
use super::text::{Level, Text};
use crate::bounds::{Bound, Fact, Known, as_signed, implied, known};
use crate::values::integer::integers_of;

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
                    reduced.push(Reduced::Equal(term, value));
                }
                _ => reduced.push(Reduced::Literal(parts[i])),
            }
        }
        reduced
    }

    /// An unsigned bound that says in which interval a signed value is, as two bounds: compilers make one comparison of
    /// `'0' <= c && c <= '9'`, and checks of indices compare multiples of them.
    pub(super) fn within(&self, x: Term, is_signed: bool, bound: Bound) -> Option<Text> {
        if is_signed {
            return None;
        }
        let most = if bound.upper == bound.strict { bound.value - 1 } else { bound.value };
        let mut interval = Interval::up_to(self.pool.width(x), most, bound.upper)?;
        let mut value = x;
        while let Some(next) = self.peeled(value, &mut interval) {
            value = next;
        }
        if value == x {
            return None;
        }
        let (least, greatest) = integers_of(self.pool, value).bounds();
        let at_least = Bound { upper: false, strict: false, value: interval.first };
        let at_most = Bound { upper: true, strict: false, value: interval.last };
        if interval.first > greatest || interval.last < least {
            // It is outside of all values: of a wider sum of a byte, for one.
            return Some(Text::atom(if interval.holds { "false" } else { "true" }));
        }
        let (below, above) = (interval.first > least, interval.last < greatest);
        let mut texts = Vec::new();
        if interval.holds {
            texts.extend(below.then(|| self.bounded(value, true, at_least)));
            texts.extend(above.then(|| self.bounded(value, true, at_most)));
            return Some(Text::chain(Level::And, "&&", texts).unwrap_or_else(|| Text::atom("true")));
        }
        let negated = |b: Bound| Bound { upper: !b.upper, strict: !b.strict, value: b.value };
        texts.extend(below.then(|| self.bounded(value, true, negated(at_least))));
        texts.extend(above.then(|| self.bounded(value, true, negated(at_most))));
        Some(Text::chain(Level::Or, "||", texts).unwrap_or_else(|| Text::atom("false")))
    }

    /// What a value is computed from by one step that keeps intervals, and the interval of that.
    fn peeled(&self, value: Term, interval: &mut Interval) -> Option<Term> {
        let width = self.pool.width(value);
        let constant = |t: Term| self.pool.as_const_wide(t).map(|bits| as_signed(width, bits));
        match *self.pool.node(value) {
            Node::Binary(BinOp::Add, rest, offset) => {
                interval.shift(width, -constant(offset)?)?;
                Some(rest)
            }
            Node::Binary(BinOp::Mul, factor, scale) => {
                let scale = constant(scale).filter(|&scale| scale > 1)?;
                let limit = 1i128 << (width - 1);
                let (least, greatest) = integers_of(self.pool, factor).bounds();
                let fits = |x: i128| x.checked_mul(scale).is_some_and(|x| -limit <= x && x < limit);
                if !fits(least) || !fits(greatest) {
                    return None;
                }
                let first = interval.first.div_euclid(scale) + i128::from(interval.first.rem_euclid(scale) != 0);
                *interval = Interval { first, last: interval.last.div_euclid(scale), ..*interval };
                (interval.first <= interval.last).then_some(factor)
            }
            Node::SExt { arg, .. } if self.pool.width(arg) > 1 => Some(arg),
            Node::ZExt { arg, .. } if interval.last >> (self.pool.width(arg) - 1) == 0 => {
                interval.first = interval.first.max(0);
                (interval.first <= interval.last).then_some(arg)
            }
            _ => None,
        }
    }

    /// `term == value`.
    pub(super) fn equality_text(&self, term: Term, value: i128) -> Text {
        let width = self.pool.width(term);
        self.equality_with(term, (value as u128) & (u128::MAX >> (128 - width)), true)
    }
}

/// Signed numbers, or all the others.
#[derive(Copy, Clone)]
struct Interval {
    first: i128,
    last: i128,
    holds: bool,
}

impl Interval {
    /// The values of `width` bits that are at most this, read as unsigned.
    fn up_to(width: u32, most: i128, holds: bool) -> Option<Self> {
        let whole = 1i128.checked_shl(width).filter(|_| width < 127)?;
        if !(0..whole).contains(&most) {
            return None;
        }
        Some(if most < whole / 2 {
            Interval { first: 0, last: most, holds }
        } else {
            Interval { first: most + 1 - whole, last: -1, holds: !holds }
        })
    }

    /// The values that are in it when this is subtracted.
    fn shift(&mut self, width: u32, by: i128) -> Option<()> {
        let half = 1i128 << (width - 1);
        let wrapped = |x: i128| (x + half).rem_euclid(2 * half) - half;
        let moved = Interval { first: wrapped(self.first + by), last: wrapped(self.last + by), ..*self };
        // Around the end: the others are an interval.
        *self = if moved.first <= moved.last {
            moved
        } else {
            Interval { first: moved.last + 1, last: moved.first - 1, holds: !self.holds }
        };
        (self.first <= self.last).then_some(())
    }
}

/// A conjunct that is left.
pub(super) enum Reduced {
    /// As it was.
    Literal((Term, bool)),
    /// Two bounds that meet: a term, and its only value.
    Equal(Term, i128),
}
