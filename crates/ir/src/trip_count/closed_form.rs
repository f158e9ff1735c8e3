//! Formulas for trip counts.

use super::test::{TripCount, integer};
use crate::affine::{Affine, Leaf};
use crate::inst::{CastOp, IntPredicate};

/// `constant + sum(factor * leaf)` over the integers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sum {
    /// Leaves, ascending, with factors that are not zero.
    pub terms: Vec<(Leaf, i128)>,
    /// The addend.
    pub constant: i128,
}

/// What must hold for a formula to be right.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Proviso {
    /// Neither the sums, whose factors and addends are signed numbers, nor what is tested wraps around, the test
    /// included that fails.
    NoWrap,
    /// No wrap-around, and the division leaves no remainder.
    Divides,
    /// No wrap-around, and the step leads towards the bound: the divisor is positive.
    Advances,
}

/// `max(dividend / divisor, least)`; the quotient is cut towards zero, as in C.
///
/// The leaves stand for the numbers that their bits are, signed unless the test compares without sign
/// ([`TripCount::start_is_signed`], [`TripCount::bound_is_signed`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClosedForm {
    /// What is divided.
    pub dividend: Sum,
    /// By what.
    pub divisor: Sum,
    /// The smallest result, where the quotient can be less.
    pub least: Option<i128>,
    /// `None` if it always holds.
    pub proviso: Option<Proviso>,
}

impl TripCount {
    /// Whether closed forms take the leaves of start and step as signed.
    pub fn start_is_signed(&self) -> bool {
        match self.extension {
            Some(cast) => cast == CastOp::SExt,
            None => self.bound_is_signed(),
        }
    }

    /// Whether closed forms take the leaves of the bound as signed.
    pub fn bound_is_signed(&self) -> bool {
        self.predicate.is_signed() || matches!(self.predicate, IntPredicate::Eq | IntPredicate::Ne)
    }

    /// A formula for the count of this test plus `more`: 0 for the repetitions of the loop, 1 for how often code in
    /// front of the test is executed. `None` where there is none without wrap-around, for instance for `i > 0` with
    /// growing `i`, and for `==`.
    pub fn closed_form(&self, more: u32) -> Option<ClosedForm> {
        let more = i128::from(more);
        let step = Sum::of(&self.step, true);
        let ahead =
            Sum::of(&self.bound, self.bound_is_signed()).plus(&Sum::of(&self.start, self.start_is_signed()), -1);
        let is_equality = self.predicate == IntPredicate::Ne;
        let is_down = match self.predicate {
            IntPredicate::Eq => return None,
            IntPredicate::Ne => step.as_constant().is_some_and(|step| step < 0),
            IntPredicate::Ult | IntPredicate::Ule | IntPredicate::Slt | IntPredicate::Sle => false,
            IntPredicate::Ugt | IntPredicate::Uge | IntPredicate::Sgt | IntPredicate::Sge => true,
        };
        let is_inclusive =
            matches!(self.predicate, IntPredicate::Ule | IntPredicate::Uge | IntPredicate::Sle | IntPredicate::Sge);
        let (distance, pace) = if is_down { (ahead.times(-1), step.times(-1)) } else { (ahead, step) };
        if pace.as_constant().is_some_and(|pace| pace <= 0) {
            return None;
        }
        // Rounded up where the bound itself fails the test, else down and one more.
        let rounded = match (is_equality, is_inclusive) {
            (true, _) => distance,
            (false, true) => distance.plus(&pace, 1),
            (false, false) => distance.plus(&pace, 1).plus(&Sum::number(1), -1),
        };
        let dividend = rounded.plus(&pace, more);
        let is_natural = (!self.start_is_signed() || self.start.as_constant().is_some())
            && !self.bound_is_signed()
            && more == 0
            && dividend.constant >= 0
            && dividend.terms.iter().all(|t| t.1 > 0);
        let never_less = is_equality || is_natural || dividend.as_constant().is_some_and(|d| d >= more);
        let proviso = match pace.as_constant() {
            None => Some(Proviso::Advances),
            Some(1) if !is_equality && !is_inclusive && self.is_plain() => None,
            Some(1) => Some(Proviso::NoWrap),
            Some(_) if is_equality => Some(Proviso::Divides),
            Some(_) => Some(Proviso::NoWrap),
        };
        Some(ClosedForm { dividend, divisor: pace, least: (!never_less).then_some(more), proviso })
    }

    /// Whether start and bound are numbers or single values, which cannot wrap around, of the width that is compared.
    fn is_plain(&self) -> bool {
        let is_plain = |sum: &Affine| match *sum.terms() {
            [] => true,
            [(_, factor)] => factor == 1 && sum.addend() == 0,
            _ => false,
        };
        self.extension.is_none() && is_plain(&self.start) && is_plain(&self.bound)
    }
}

impl ClosedForm {
    /// Its value, where `value` tells the numbers that the leaves are; `None` where it does not, and for a divisor
    /// of 0.
    pub fn evaluate(&self, value: impl Fn(Leaf) -> Option<i128>) -> Option<i128> {
        let quotient = self.dividend.evaluate(&value)?.checked_div(self.divisor.evaluate(&value)?)?;
        Some(self.least.map_or(quotient, |least| quotient.max(least)))
    }
}

impl Sum {
    fn number(constant: i128) -> Self {
        Self { terms: Vec::new(), constant }
    }

    fn of(affine: &Affine, signed: bool) -> Self {
        let bits = affine.bits();
        let terms = affine.terms().iter().map(|&(leaf, factor)| (leaf, integer(factor, bits, true))).collect();
        // What is added to a value is an offset; a number alone is one of the values.
        let signed = signed || !affine.terms().is_empty();
        Self { terms, constant: integer(affine.addend(), bits, signed) }
    }

    /// The number it is, if it has no terms.
    pub fn as_constant(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    fn times(&self, factor: i128) -> Self {
        Self::number(0).plus(self, factor)
    }

    fn plus(&self, other: &Self, factor: i128) -> Self {
        let mut sum = self.clone();
        for &(leaf, by) in &other.terms {
            match sum.terms.binary_search_by_key(&leaf, |t| t.0) {
                Ok(at) => sum.terms[at].1 += by * factor,
                Err(at) => sum.terms.insert(at, (leaf, by * factor)),
            }
        }
        sum.terms.retain(|t| t.1 != 0);
        sum.constant += other.constant * factor;
        sum
    }

    fn evaluate(&self, value: impl Fn(Leaf) -> Option<i128>) -> Option<i128> {
        self.terms
            .iter()
            .try_fold(self.constant, |sum, &(leaf, factor)| sum.checked_add(value(leaf)?.checked_mul(factor)?))
    }
}
