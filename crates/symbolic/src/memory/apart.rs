//! How offsets are apart that are no constants, as far as their terms show it. Accesses of arrays ask the same of every
//! earlier write again and again, so answers are kept. They depend on nothing but the terms.

use icsched_smt::{BinOp, CmpOp, Node, Term};

use super::offsets::PIECE;
use crate::budgets::BUDGETS;
use crate::domain::SymbolicDomain;
use crate::values::integer::{Integers, integers_of, offsets_of};
use crate::values::value::SymValue;

impl SymbolicDomain {
    /// Whether terms show that an offset is none of `count` numbers from `first` on.
    pub(crate) fn is_never_within(&mut self, offset: Term, first: u64, count: u64) -> bool {
        let Self { apart, pool, .. } = self;
        let integers = *apart.integers.entry(offset).or_insert_with(|| offsets_of(pool, offset));
        let least = i128::from(first.cast_signed());
        if integers.have_none_within(least, least + i128::from(count) - 1) {
            return true;
        }
        // It is remembered what choices are compared with.
        let is_choice = matches!(self.pool.node(offset), Node::Ite(..));
        let mut next = 0;
        while next < count {
            let number = first.wrapping_add(next);
            let bits = (PIECE - number % PIECE).min(count - next);
            next += bits;
            let place = (offset, number / PIECE);
            let known = self.apart.never.get(&place).copied().unwrap_or_default();
            let (mut asked, mut never) = if is_choice { (0, 0) } else { known };
            let first_bit = number % PIECE;
            let all = (u64::MAX >> (PIECE - bits)) << first_bit;
            if never & all == all {
                continue;
            }
            for bit in first_bit..first_bit + bits {
                if asked & 1 << bit == 0 {
                    let number = number - first_bit + bit;
                    let is_none = !integers.contain(number.cast_signed().into()) || {
                        let here = self.equals(offset, number);
                        self.pool.is_false(here)
                    };
                    asked |= 1 << bit;
                    never |= u64::from(is_none) << bit;
                }
                if never & 1 << bit == 0 {
                    break;
                }
            }
            if !is_choice {
                self.apart.never.insert(place, (asked, never));
            }
            if never & all != all {
                return false;
            }
        }
        true
    }

    /// A subscript that has so many values - there are as many elements, or one less - and whose term does not show
    /// that it is one: its lowest bits, or itself if it is one, so that `rows[(n + 1) % 2]` is not in front of the
    /// array, and `keys[used]` not behind it.
    pub(crate) fn as_subscript(&mut self, index: &SymValue, elements: u64) -> Option<SymValue> {
        let term = match *index {
            SymValue::Term(term) if self.shows_subscripts => term,
            _ => return None,
        };
        let (least, greatest) = integers_of(&self.pool, term).bounds();
        if least >= 0 && greatest < elements.into() {
            return None;
        }
        let width = self.pool.width(term);
        // Of some arrays it is known only that there is nothing in front of them.
        let end = u64::try_from(greatest).map_or(0, |greatest| elements.min(greatest.saturating_add(1)));
        if !(2..=BUDGETS.subscripts).contains(&end) {
            return None;
        }
        let shown = if end.is_power_of_two() || end < elements {
            let bits = (end - 1).checked_ilog2()? + 1;
            let low = self.pool.trunc(term, bits);
            self.pool.zext(low, width)
        } else {
            let [end, first] = [end, 0].map(|number| self.pool.constant(width, number));
            let is_inside = self.pool.cmp(CmpOp::Ult, term, end);
            self.pool.ite(is_inside, term, first)
        };
        Some(self.value(shown))
    }

    /// Whether terms show that as many bytes at one offset as at another one are the same bytes, or none of them are:
    /// whole elements of one array.
    pub(crate) fn are_same_or_apart(&mut self, a: &SymValue, b: &SymValue, bytes: u64) -> bool {
        let [a, b] = [a, b].map(|offset| self.term(offset, 64));
        let (_, distances) = self.distance(a, b);
        let least = 1 - i128::from(bytes);
        let overlaps = distances.values_within(least, -least, BUDGETS.overlaps);
        overlaps.is_some_and(|all| all.into_iter().all(|distance| distance == 0))
    }

    /// How far behind an offset another one is, and what numbers that may be.
    pub(crate) fn distance(&mut self, from: Term, to: Term) -> (Term, Integers) {
        if let Some(&known) = self.apart.distances.get(&(from, to)) {
            return known;
        }
        let back = self.pool.neg(from);
        let distance = self.pool.binary(BinOp::Add, to, back);
        let integers = offsets_of(&self.pool, distance);
        self.apart.distances.insert((from, to), (distance, integers));
        (distance, integers)
    }
}
