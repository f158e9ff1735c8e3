//! Intervals of terms under conditions, without asking a solver.
//!
//! Example: under `0 <= x && x < 9`, `x + 1` is from 1 to 9. Comparisons among the conditions bound their operands, and
//! the bounds of a term follow from those of its operands (interval analysis, Cousot and Cousot 1977). What is said is
//! certain; a solver may say more.

use rustc_hash::FxHashMap;

use crate::budgets::BUDGETS;
use crate::terms::bits::signed;
use crate::terms::node::{BinOp, CmpOp, Node, Term};
use crate::terms::pool::TermPool;

/// Wider terms are not looked at.
const MAX_WIDTH: u32 = 64;

/// The least and the greatest number that a term may be, as a signed number. The greatest is smaller than the least if
/// the conditions contradict each other.
type Range = (i128, i128);

/// What conditions say about the numbers that terms are.
#[derive(Debug, Default)]
pub struct Ranges {
    /// What comparisons say of a term.
    told: FxHashMap<Term, Range>,
    /// What is known of terms that were asked about.
    found: FxHashMap<Term, Range>,
    /// What comparisons say of the difference of two terms, the first less the second, as integers.
    differences: FxHashMap<(Term, Term), Range>,
    /// By term: its lower bits of which comparisons say something, as the highest of these bits and the term that
    /// extracts them.
    lower: FxHashMap<Term, Vec<(u32, Term)>>,
    /// Whether nothing is left of a term.
    is_contradiction: bool,
}

impl Ranges {
    /// What follows from all `conditions`. O(their nodes).
    pub fn under(pool: &TermPool, conditions: impl IntoIterator<Item = Term> + Clone) -> Self {
        let mut ranges = Self::default();
        for _ in 0..BUDGETS.bounds.rounds {
            for condition in conditions.clone() {
                ranges.assume(pool, condition);
            }
            ranges.found.clear();
        }
        ranges
    }

    /// Whether intervals alone show that conditions contradict each other. O(their nodes).
    pub(crate) fn contradict(pool: &TermPool, conditions: &[Term]) -> bool {
        Self::under(pool, conditions.iter().copied()).is_contradiction()
    }

    /// Whether they alone show that the conditions contradict each other.
    pub(crate) fn is_contradiction(&self) -> bool {
        self.is_contradiction
    }

    /// The least and the greatest number that a term of at most 64 bits may be. The numbers need not be reached.
    pub fn signed(&mut self, pool: &TermPool, term: Term) -> (i128, i128) {
        self.signed_at(pool, term, 0)
    }

    /// Whether a comparison follows, or its negation.
    pub(crate) fn decide(&mut self, pool: &TermPool, condition: Term) -> Option<bool> {
        let (condition, is_positive) = match *pool.node(condition) {
            Node::Not(inner) => (inner, false),
            _ => (condition, true),
        };
        let Node::Cmp(op, a, b) = *pool.node(condition) else { return None };
        if pool.width(a) > MAX_WIDTH {
            return None;
        }
        let (of_a, of_b) = (self.signed(pool, a), self.signed(pool, b));
        let is_told = of_a.0 <= of_a.1 && of_b.0 <= of_b.1;
        let is_alike = of_a.0 >= 0 && of_b.0 >= 0;
        let difference = self.difference((a, of_a), (b, of_b));
        let less = |strict: i128| match difference {
            (_, most) if most + strict <= 0 => Some(true),
            (least, _) if least + strict > 0 => Some(false),
            _ => None,
        };
        let decided = match op {
            CmpOp::Slt => less(1),
            CmpOp::Sle => less(0),
            CmpOp::Ult if is_alike => less(1),
            CmpOp::Ule if is_alike => less(0),
            CmpOp::Eq if difference.0 > 0 || difference.1 < 0 => Some(false),
            CmpOp::Eq if difference == (0, 0) => Some(true),
            CmpOp::Eq | CmpOp::Ult | CmpOp::Ule => None,
        };
        decided.filter(|_| is_told).map(|holds| holds == is_positive)
    }

    /// The same for an operand, `depth` operators below the term that was asked about.
    fn signed_at(&mut self, pool: &TermPool, term: Term, depth: usize) -> Range {
        if let Some(&known) = self.found.get(&term) {
            return known;
        }
        let (least, greatest) = self.computed(pool, term, depth);
        let told = self.told.get(&term).copied().unwrap_or((i128::MIN, i128::MAX));
        let range = self.fewer_bits(pool, term, (least.max(told.0), greatest.min(told.1)));
        self.found.insert(term, range);
        range
    }

    /// Bounds of a term's lowest bits are bounds of the term if the rest of its bits are zero.
    fn fewer_bits(&self, pool: &TermPool, term: Term, range: Range) -> Range {
        let Node::Extract { arg, hi, lo: 0 } = *pool.node(term) else { return range };
        let mut fewer = range;
        for (end, lower) in self.lower.get(&arg).into_iter().flatten().filter(|(end, _)| *end < hi) {
            let told = self.told.get(lower).filter(|told| told.0 >= 0);
            if let Some(told) = told.filter(|_| range.0 >= 0 && range.1 >> (end + 1) == 0) {
                fewer = (fewer.0.max(told.0), fewer.1.min(told.1));
            }
        }
        fewer
    }

    fn assume(&mut self, pool: &TermPool, condition: Term) {
        let mut work = vec![(condition, true)];
        while let Some((condition, holds)) = work.pop() {
            match *pool.node(condition) {
                Node::Not(a) if pool.width(condition) == 1 => work.push((a, !holds)),
                Node::Binary(BinOp::And, a, b) if holds && pool.width(condition) == 1 => {
                    work.extend([(a, true), (b, true)])
                }
                Node::Binary(BinOp::Or, a, b) if !holds && pool.width(condition) == 1 => {
                    work.extend([(a, false), (b, false)]);
                }
                Node::Cmp(op, a, b) if pool.width(a) <= MAX_WIDTH => self.compare(pool, (op, a, b), holds),
                _ => {}
            }
        }
    }

    fn compare(&mut self, pool: &TermPool, (op, a, b): (CmpOp, Term, Term), holds: bool) {
        let (of_a, of_b) = (self.signed(pool, a), self.signed(pool, b));
        let (strict, is_signed) = match op {
            CmpOp::Eq if holds => {
                self.tell_difference(a, b, (0, 0));
                self.tell(pool, (a, of_a), of_b);
                self.tell(pool, (b, of_b), of_a);
                return;
            }
            CmpOp::Eq => {
                match self.difference((a, of_a), (b, of_b)) {
                    (0, 0) => self.is_contradiction = true,
                    (0, most) => self.tell_difference(a, b, (1, most)),
                    (least, 0) => self.tell_difference(a, b, (least, -1)),
                    _ => {}
                }
                self.differ(pool, (a, of_a), of_b);
                self.differ(pool, (b, of_b), of_a);
                return;
            }
            CmpOp::Ult => (1, false),
            CmpOp::Ule => (0, false),
            CmpOp::Slt => (1, true),
            CmpOp::Sle => (0, true),
        };
        // Not (a < b) is b <= a.
        let (low, high, strict) =
            if holds { ((a, of_a), (b, of_b), strict) } else { ((b, of_b), (a, of_a), 1 - strict) };
        if is_signed || (low.1.0 >= 0 && high.1.0 >= 0) {
            self.tell_difference(low.0, high.0, (i128::MIN, -strict));
        }
        if is_signed {
            self.tell(pool, low, (i128::MIN, high.1.1.saturating_sub(strict)));
            self.tell(pool, high, (low.1.0.saturating_add(strict), i128::MAX));
        } else if high.1.0 >= 0 {
            // Below a number that is not negative there are no others.
            self.tell(pool, low, (0, high.1.1 - strict));
            if low.1.0 >= 0 {
                self.tell(pool, high, (low.1.0 + strict, i128::MAX));
            }
        } else if low.1.1 < 0 {
            // Without signs, above a negative number there are only such.
            self.tell(pool, low, (i128::MIN, high.1.1.min(-1) - strict));
            self.tell(pool, high, (low.1.0.saturating_add(strict), -1));
        }
    }

    /// The difference of two terms, the first less the second, each within a range of its own. Empty ranges are kept
    /// small enough to be compared.
    fn difference(&self, (a, of_a): (Term, Range), (b, of_b): (Term, Range)) -> Range {
        let (least, greatest) = (of_a.0.saturating_sub(of_b.1), of_a.1.saturating_sub(of_b.0));
        let told = match self.differences.get(&ordered(a, b)) {
            Some(&told) if a <= b => told,
            Some(&(least, greatest)) => (negated(greatest), negated(least)),
            None => (i128::MIN, i128::MAX),
        };
        (least.max(told.0), greatest.min(told.1))
    }

    fn tell_difference(&mut self, a: Term, b: Term, (least, greatest): Range) {
        let (least, greatest) = if a <= b { (least, greatest) } else { (negated(greatest), negated(least)) };
        let told = self.differences.entry(ordered(a, b)).or_insert((i128::MIN, i128::MAX));
        *told = (told.0.max(least), told.1.min(greatest));
        self.is_contradiction |= told.0 > told.1;
    }

    /// A term differs from one within a range. That matters if the range is one number, at an end of the term's own
    /// range.
    fn differ(&mut self, pool: &TermPool, (term, own): (Term, Range), other: Range) {
        if other.0 == other.1 && own.0 == other.0 {
            self.tell(pool, (term, own), (own.0 + 1, i128::MAX));
        }
        if other.0 == other.1 && own.1 == other.0 {
            self.tell(pool, (term, own), (i128::MIN, own.1 - 1));
        }
    }

    /// Adds a range of a term that has a range of its own, and of what the term is computed from, if nothing wraps
    /// there.
    fn tell(&mut self, pool: &TermPool, term: (Term, Range), range: Range) {
        let (mut next, mut range) = (Some(term), range);
        while let Some((term, own)) = next.take() {
            let (least, greatest) = range;
            self.is_contradiction |= own.0.max(least) > own.1.min(greatest);
            let told = self.told.entry(term).or_insert((i128::MIN, i128::MAX));
            *told = (told.0.max(least), told.1.min(greatest));
            self.found.remove(&term);
            match *pool.node(term) {
                Node::Binary(BinOp::Add, x, c) if let Some(c) = pool.as_const_wide(c) => {
                    let (width, of_x) = (pool.width(term), self.signed(pool, x));
                    let (c, all) = (signed(width, c), full(width));
                    let within = (least.max(own.0), greatest.min(own.1));
                    if of_x.0 <= of_x.1 && of_x.0 + c >= all.0 && of_x.1 + c <= all.1 {
                        range = (least.saturating_sub(c), greatest.saturating_sub(c));
                        next = Some((x, of_x));
                    } else if within.0 <= within.1 && within.0 - c >= all.0 && within.1 - c <= all.1 {
                        // The sum may wrap, but not where it is within the range.
                        range = (within.0 - c, within.1 - c);
                        next = Some((x, of_x));
                    }
                }
                Node::Binary(BinOp::Add, p, q) => {
                    if let Some((a, b)) = difference_of(pool, p, q) {
                        let (of_a, of_b, all) = (self.signed(pool, a), self.signed(pool, b), full(pool.width(term)));
                        let fits = of_a.0 - of_b.1 >= all.0 && of_a.1 - of_b.0 <= all.1;
                        if fits && of_a.0 <= of_a.1 && of_b.0 <= of_b.1 {
                            self.tell_difference(a, b, range);
                        }
                    }
                }
                Node::Extract { arg, hi, lo: 0 } => {
                    let lower = self.lower.entry(arg).or_default();
                    if !lower.contains(&(hi, term)) {
                        lower.push((hi, term));
                        // What is known of the same bits and more may be less than is known now.
                        self.found.clear();
                    }
                }
                Node::SExt { arg, .. } => next = Some((arg, self.signed(pool, arg))),
                Node::ZExt { arg, .. } => {
                    let of_arg = self.signed(pool, arg);
                    let greatest = greatest.min(own.1);
                    // Without the highest bit it is no negative number.
                    if of_arg.0 >= 0 || greatest <= full(pool.width(arg)).1 {
                        range = (least.max(0), greatest);
                        next = Some((arg, of_arg));
                    }
                }
                _ => {}
            }
        }
    }

    /// The range of an arm of a choice where it is chosen. There the condition, or its negation, holds, which may bound
    /// the arm: the smaller of two numbers, an index that wraps around.
    fn chosen(&mut self, pool: &TermPool, arm: Term, (condition, holds): (Term, bool), depth: usize) -> Range {
        let own = self.signed_at(pool, arm, depth);
        let (condition, holds) = match *pool.node(condition) {
            Node::Not(inner) => (inner, !holds),
            _ => (condition, holds),
        };
        let Node::Cmp(op, x, y) = *pool.node(condition) else { return own };
        if own.0 > own.1 || pool.width(x) > MAX_WIDTH {
            return own;
        }
        if op == CmpOp::Eq {
            let Some(value) = equal_to(pool, arm, (x, y)) else { return own };
            return match holds {
                true => (own.0.max(value), own.1.min(value)),
                false => (own.0 + i128::from(own.0 == value), own.1 - i128::from(own.1 == value)),
            };
        }
        if arm != x && arm != y {
            return own;
        }
        let (of_x, of_y) = (self.signed_at(pool, x, depth), self.signed_at(pool, y, depth));
        let is_signed = matches!(op, CmpOp::Slt | CmpOp::Sle);
        if of_x.0 > of_x.1 || of_y.0 > of_y.1 || !(is_signed || of_x.0 >= 0 && of_y.0 >= 0) {
            return own;
        }
        // Not (x < y) is y <= x.
        let strict = i128::from(matches!(op, CmpOp::Ult | CmpOp::Slt) == holds);
        let ((low, of_low), (_, of_high)) = if holds { ((x, of_x), (y, of_y)) } else { ((y, of_y), (x, of_x)) };
        match arm == low {
            true => (own.0, own.1.min(of_high.1 - strict)),
            false => (own.0.max(of_low.0 + strict), own.1),
        }
    }

    /// What follows from the bounds of the operands.
    fn computed(&mut self, pool: &TermPool, term: Term, depth: usize) -> Range {
        let width = pool.width(term);
        if width > MAX_WIDTH {
            return (i128::MIN, i128::MAX);
        }
        let all = full(width);
        let (low, high) = pool.unsigned_range(term);
        let by_shape = if (low as i128) > all.1 {
            (signed(width, low), signed(width, high))
        } else if (high as i128) <= all.1 {
            (low as i128, high as i128)
        } else {
            all
        };
        if by_shape.0 >= by_shape.1 || depth == BUDGETS.bounds.depth {
            return by_shape;
        }
        let found =
            self.of_node(pool, term, depth + 1).filter(|found| found.0 >= all.0 && found.1 <= all.1).unwrap_or(all);
        (by_shape.0.max(found.0), by_shape.1.min(found.1))
    }

    /// The same if nothing wraps; the caller checks that.
    fn of_node(&mut self, pool: &TermPool, term: Term, depth: usize) -> Option<Range> {
        let not_empty = |range: Range| Some(range).filter(|range| range.0 <= range.1);
        match *pool.node(term) {
            Node::ZExt { arg, .. } => not_empty(self.signed_at(pool, arg, depth)).filter(|range| range.0 >= 0),
            Node::SExt { arg, .. } => not_empty(self.signed_at(pool, arg, depth)),
            // A number that fits into the lower bits is what they are.
            Node::Extract { arg, hi, lo: 0 } if pool.width(arg) <= MAX_WIDTH => {
                let (range, narrow) = (not_empty(self.signed_at(pool, arg, depth))?, full(hi + 1));
                (range.0 >= narrow.0 && range.1 <= narrow.1).then_some(range)
            }
            // The upper ones of lower bits are what these are shifted.
            Node::Extract { arg, hi, lo } if lo > 0 => {
                let &(_, lower) = self.lower.get(&arg)?.iter().find(|(end, _)| *end == hi)?;
                let range = not_empty(self.signed_at(pool, lower, depth)).filter(|range| range.0 >= 0)?;
                Some((range.0 >> lo, range.1 >> lo))
            }
            Node::Ite(condition, a, b) => {
                let a = not_empty(self.chosen(pool, a, (condition, true), depth));
                let b = not_empty(self.chosen(pool, b, (condition, false), depth));
                match (a, b) {
                    (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
                    // There is no such number.
                    (only, None) | (None, only) => only,
                }
            }
            Node::Binary(BinOp::Add, p, q) if let Some((a, b)) = difference_of(pool, p, q) => {
                let (x, y) = (not_empty(self.signed_at(pool, a, depth))?, not_empty(self.signed_at(pool, b, depth))?);
                let all = full(pool.width(term));
                let fits = x.0 - y.1 >= all.0 && x.1 - y.0 <= all.1;
                fits.then(|| self.difference((a, x), (b, y)))
            }
            Node::Binary(op, a, b) => {
                let (x, y) = (not_empty(self.signed_at(pool, a, depth))?, not_empty(self.signed_at(pool, b, depth))?);
                binary(op, x, y)
            }
            _ => None,
        }
    }
}

/// The number that a term is if two others are equal, one of which is a constant: it is the other one, or that
/// extended, and so much more.
fn equal_to(pool: &TermPool, term: Term, (x, y): (Term, Term)) -> Option<i128> {
    let (x, constant) = match (pool.as_const_wide(x), pool.as_const_wide(y)) {
        (None, Some(constant)) => (x, constant),
        (Some(constant), None) => (y, constant),
        _ => return None,
    };
    let parts = |t: Term| match *pool.node(t) {
        Node::Binary(BinOp::Add, base, more) if let Some(more) = pool.as_const_wide(more) => (base, more),
        _ => (t, 0),
    };
    let ((base, more), (other, less)) = (parts(term), parts(x));
    let found = match *pool.node(base) {
        _ if base == other => constant.wrapping_sub(less),
        Node::ZExt { arg, .. } if arg == x => constant,
        Node::SExt { arg, .. } if arg == x => signed(pool.width(x), constant).cast_unsigned(),
        _ => return None,
    };
    let width = pool.width(term);
    Some(signed(width, found.wrapping_add(more) & crate::terms::bits::mask(width)))
}

fn ordered(a: Term, b: Term) -> (Term, Term) {
    if a <= b { (a, b) } else { (b, a) }
}

/// The end of a range on the other side of zero; without limit stays without.
fn negated(end: i128) -> i128 {
    match end {
        i128::MIN => i128::MAX,
        i128::MAX => i128::MIN,
        end => -end,
    }
}

/// `(a, b)` if the sum of two terms is `a - b`.
fn difference_of(pool: &TermPool, p: Term, q: Term) -> Option<(Term, Term)> {
    let minus = |t: Term| match *pool.node(t) {
        Node::Binary(BinOp::Mul, b, factor)
            if pool.as_const_wide(factor) == Some(crate::terms::bits::mask(pool.width(factor))) =>
        {
            Some(b)
        }
        _ => None,
    };
    match (minus(p), minus(q)) {
        (Some(b), None) => Some((q, b)),
        (None, Some(b)) => Some((p, b)),
        _ => None,
    }
}

/// All numbers of so many bits.
fn full(width: u32) -> Range {
    let half = 1_i128 << (width - 1);
    (-half, half - 1)
}

fn binary(op: BinOp, x: Range, y: Range) -> Option<Range> {
    let constant = (y.0 == y.1).then_some(y.0);
    // Numbers of at most 64 bits: products fit.
    let corners = |of: fn(i128, i128) -> i128| {
        let all = [of(x.0, y.0), of(x.0, y.1), of(x.1, y.0), of(x.1, y.1)];
        (all.into_iter().min().unwrap_or_default(), all.into_iter().max().unwrap_or_default())
    };
    match op {
        BinOp::Add => Some((x.0 + y.0, x.1 + y.1)),
        BinOp::Mul => Some(corners(|a, b| a * b)),
        BinOp::UDiv if x.0 >= 0 && y.0 > 0 => Some(corners(|a, b| a / b)),
        BinOp::SDiv if y.0 > 0 => Some(corners(|a, b| a / b)),
        BinOp::URem if x.0 >= 0 && y.0 > 0 => Some(if x.1 < y.0 { x } else { (0, x.1.min(y.1 - 1)) }),
        BinOp::SRem if y.0 > 0 => {
            let least = if x.0 < 0 { x.0.max(1 - y.1) } else { 0 };
            let greatest = if x.1 > 0 { x.1.min(y.1 - 1) } else { 0 };
            Some((least, greatest))
        }
        BinOp::And if x.0 >= 0 || y.0 >= 0 => {
            let most = [x, y].iter().filter(|r| r.0 >= 0).map(|r| r.1).min()?;
            Some((0, most))
        }
        BinOp::Shl => constant.filter(|c| (0..64).contains(c)).map(|c| (x.0 << c, x.1 << c)),
        BinOp::AShr => constant.filter(|c| (0..64).contains(c)).map(|c| (x.0 >> c, x.1 >> c)),
        BinOp::LShr if x.0 >= 0 => constant.filter(|c| (0..64).contains(c)).map(|c| (x.0 >> c, x.1 >> c)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::random::Random;
    use crate::terms::model::Model;

    #[test]
    fn comparisons_bound_what_is_computed_from_their_operands() {
        let mut pool = TermPool::new();
        let (x, y) = (pool.symbol("x", 32), pool.symbol("y", 32));
        let [zero, one, nine] = [0, 1, 9].map(|n| pool.constant(32, n));
        let conditions = [pool.cmp(CmpOp::Sle, zero, x), pool.cmp(CmpOp::Slt, x, nine), pool.cmp(CmpOp::Slt, y, x)];
        let next = pool.binary(BinOp::Add, x, one);
        let mut ranges = Ranges::under(&pool, conditions);
        assert_eq!(ranges.signed(&pool, next), (1, 9));
        assert_eq!(ranges.signed(&pool, y), (i128::from(i32::MIN), 7));
    }

    #[test]
    fn what_is_chosen_is_within_what_it_is_chosen_for() {
        let mut pool = TermPool::new();
        let (x, y) = (pool.symbol("x", 32), pool.symbol("y", 32));
        let [zero, one, four, nine] = [0, 1, 4, 9].map(|n| pool.constant(32, n));
        let between = |pool: &mut TermPool, t, most| [pool.cmp(CmpOp::Sle, zero, t), pool.cmp(CmpOp::Sle, t, most)];
        let conditions = [between(&mut pool, x, four), between(&mut pool, y, nine)].concat();
        let mut ranges = Ranges::under(&pool, conditions);
        // An index that begins anew behind the last element.
        let next = pool.binary(BinOp::Add, x, one);
        let is_last = pool.cmp(CmpOp::Eq, x, four);
        let index = pool.ite(is_last, zero, next);
        assert_eq!(ranges.signed(&pool, index), (0, 4));
        let is_less = pool.cmp(CmpOp::Slt, x, y);
        let (least, greatest) = (pool.ite(is_less, x, y), pool.ite(is_less, y, x));
        assert_eq!((ranges.signed(&pool, least), ranges.signed(&pool, greatest)), ((0, 4), (0, 9)));
    }

    #[test]
    fn a_sum_that_may_wrap_is_any_number() {
        let mut pool = TermPool::new();
        let (x, zero, one) = (pool.symbol("x", 32), pool.constant(32, 0), pool.constant(32, 1));
        let positive = pool.cmp(CmpOp::Slt, zero, x);
        let next = pool.binary(BinOp::Add, x, one);
        assert_eq!(Ranges::under(&pool, [positive]).signed(&pool, next), full(32));
    }

    #[test]
    fn intervals_show_contradictions() {
        let mut pool = TermPool::new();
        let x = pool.symbol("x", 32);
        let [zero, one, nine] = [0, 1, 9].map(|n| pool.constant(32, n));
        let next = pool.binary(BinOp::Add, x, one);
        let conditions =
            [pool.cmp(CmpOp::Sle, zero, x), pool.cmp(CmpOp::Slt, x, nine), pool.cmp(CmpOp::Slt, nine, next)];
        assert!(Ranges::contradict(&pool, &conditions));
        assert!(!Ranges::contradict(&pool, &conditions[..2]));
    }

    #[test]
    fn what_is_said_of_a_sum_that_cannot_wrap_is_said_of_its_operand() {
        let mut pool = TermPool::new();
        let x = pool.symbol("x", 32);
        let [zero, one, minus_nine, limit] = [0, 1, -9, 258].map(|n: i64| pool.constant(32, n as u64));
        let less = pool.binary(BinOp::Add, x, minus_nine);
        let conditions =
            [pool.cmp(CmpOp::Sle, zero, x), pool.cmp(CmpOp::Slt, x, limit), pool.cmp(CmpOp::Slt, less, one)];
        assert_eq!(Ranges::under(&pool, conditions).signed(&pool, x), (0, 9));
        // Without a limit it may wrap, but not where it is below one.
        assert_eq!(Ranges::under(&pool, [conditions[2]]).signed(&pool, x), (full(32).0 + 9, 9));
        // Where it may be any number that is not one, it may.
        let other = pool.ne(less, one);
        assert_eq!(Ranges::under(&pool, [other]).signed(&pool, x), full(32));
    }

    /// How compilers ask whether a number is within two others.
    #[test]
    fn unsigned_comparisons_of_sums() {
        let mut pool = TermPool::new();
        let x = pool.symbol("x", 32);
        let constant = |pool: &mut TermPool, number: i32| pool.constant(32, u64::from(number.cast_unsigned()));
        for (addend, end) in [(-1, 64), (5, 2)] {
            let (addend_term, end_term) = (constant(&mut pool, addend), constant(&mut pool, end));
            let sum = pool.binary(BinOp::Add, x, addend_term);
            let below = pool.cmp(CmpOp::Ult, sum, end_term);
            let range = (i128::from(-addend), i128::from(end - addend - 1));
            assert_eq!(Ranges::under(&pool, [below]).signed(&pool, x), range);
        }
        // The same from the other side: x - 65 is one of the 64 numbers below zero.
        let (sixty_five, end) = (constant(&mut pool, -65), constant(&mut pool, -65));
        let sum = pool.binary(BinOp::Add, x, sixty_five);
        let above = pool.cmp(CmpOp::Ult, end, sum);
        assert_eq!(Ranges::under(&pool, [above]).signed(&pool, x), (1, 64));
    }

    #[test]
    fn comparisons_bound_differences_that_cannot_wrap() {
        let mut pool = TermPool::new();
        let (x, y) = (pool.symbol("x", 32), pool.symbol("y", 32));
        let [zero, one] = [0, 1].map(|n| pool.constant(32, n));
        let difference = pool.binary(BinOp::Sub, x, y);
        let next = pool.binary(BinOp::Add, difference, one);
        let (known, less) =
            ([pool.cmp(CmpOp::Sle, zero, x), pool.cmp(CmpOp::Sle, zero, y)], pool.cmp(CmpOp::Slt, x, y));
        let mut ranges = Ranges::under(&pool, known.into_iter().chain([less]));
        assert_eq!(ranges.signed(&pool, next), (-i128::from(i32::MAX) + 1, 0));
        // What is said of the difference is said of the numbers.
        let (positive, at_most) = (pool.cmp(CmpOp::Slt, zero, difference), pool.cmp(CmpOp::Sle, x, y));
        let mut ranges = Ranges::under(&pool, known.into_iter().chain([positive]));
        assert_eq!(ranges.decide(&pool, at_most), Some(false));
        let equal = pool.cmp(CmpOp::Eq, x, y);
        assert_eq!(ranges.decide(&pool, equal), Some(false));
        // It may wrap.
        assert_eq!(Ranges::under(&pool, [less]).signed(&pool, difference), full(32));
    }

    #[test]
    fn half_of_a_number_and_products_of_small_ones_are_small() {
        let mut pool = TermPool::new();
        let (wide, chunk) = (pool.symbol("wide", 64), pool.symbol("chunk", 32));
        let [one, four, end] = [1, 4, 65].map(|n| pool.constant(32, n));
        let number = pool.extract(wide, 31, 0);
        let conditions =
            [pool.cmp(CmpOp::Ult, number, end), pool.cmp(CmpOp::Sle, one, chunk), pool.cmp(CmpOp::Sle, chunk, four)];
        let half = pool.binary(BinOp::LShr, number, one);
        let product = pool.binary(BinOp::Mul, half, chunk);
        let ratio = pool.binary(BinOp::SDiv, number, chunk);
        let rest = pool.binary(BinOp::SRem, number, chunk);
        let mut ranges = Ranges::under(&pool, conditions);
        let said = [half, product, ratio, rest].map(|term| ranges.signed(&pool, term));
        assert_eq!(said, [(0, 32), (0, 128), (0, 64), (0, 3)]);
    }

    /// How compilers count up to a number that is not negative.
    #[test]
    fn what_fits_into_fewer_bits_is_what_they_are() {
        let mut pool = TermPool::new();
        let wide = pool.symbol("wide", 64);
        let [zero, three] = [0, 3].map(|n| pool.constant(32, n));
        let number = pool.extract(wide, 31, 0);
        let mask = pool.constant(64, 0x7fff_ffff);
        let (rest, two) = (pool.binary(BinOp::And, wide, mask), pool.constant(64, 2));
        let is_two = pool.cmp(CmpOp::Eq, rest, two);
        let conditions = [pool.cmp(CmpOp::Slt, zero, number), pool.cmp(CmpOp::Sle, number, three), is_two];
        assert_eq!(Ranges::under(&pool, conditions).signed(&pool, number), (2, 2));
        assert_eq!(Ranges::under(&pool, [is_two]).signed(&pool, number), full(32));
    }

    #[test]
    fn numbers_that_are_at_most_each_other_do_not_differ() {
        let mut pool = TermPool::new();
        let (x, y) = (pool.symbol("x", 32), pool.symbol("y", 32));
        let equal = pool.cmp(CmpOp::Eq, x, y);
        let conditions = [pool.cmp(CmpOp::Sle, x, y), pool.cmp(CmpOp::Sle, y, x), pool.not(equal)];
        assert!(Ranges::contradict(&pool, &conditions));
        assert!(!Ranges::contradict(&pool, &conditions[1..]));
    }

    #[test]
    fn an_unsigned_comparison_with_what_may_be_negative_says_nothing() {
        let mut pool = TermPool::new();
        let (x, y, three) = (pool.symbol("x", 8), pool.symbol("y", 8), pool.constant(8, 3));
        let conditions = [pool.cmp(CmpOp::Ult, x, y), pool.cmp(CmpOp::Ult, three, y)];
        let mut ranges = Ranges::under(&pool, conditions);
        assert_eq!(ranges.signed(&pool, x), full(8));
        assert_eq!(ranges.signed(&pool, y), full(8));
    }

    /// Random terms over two symbols of eight bits: whatever satisfies the conditions is within what is said.
    #[test]
    fn no_value_is_outside() {
        let mut random = Random(7);
        let comparisons = [CmpOp::Eq, CmpOp::Ult, CmpOp::Ule, CmpOp::Slt, CmpOp::Sle];
        for _ in 0..300 {
            let mut pool = TermPool::new();
            let wide = pool.symbol("z", 16);
            let mut terms = vec![pool.symbol("x", 8), pool.symbol("y", 8), pool.constant(8, random.next() & 0xff)];
            terms.push(pool.extract(wide, 7, 0));
            let [upper, fewer] = [pool.extract(wide, 7, 2), pool.extract(wide, 5, 0)];
            terms.extend([pool.zext(upper, 8), pool.zext(fewer, 8)]);
            for _ in 0..6 {
                let mut pick = |n: usize| random.below(n);
                let (a, b) = (terms[pick(terms.len())], terms[pick(terms.len())]);
                let new = match pick(4) {
                    0 => {
                        let low = pool.extract(a, 3, 0);
                        if pick(2) == 0 { pool.zext(low, 8) } else { pool.sext(low, 8) }
                    }
                    1 => {
                        let low = pool.extract(a, 3, 0);
                        let guard = match pick(3) {
                            0 => {
                                let number = pool.constant(4, pick(16) as u64);
                                pool.cmp(CmpOp::Eq, low, number)
                            }
                            _ => pool.cmp(comparisons[pick(5)], a, b),
                        };
                        let guard = if pick(2) == 0 { guard } else { pool.not(guard) };
                        let more = pool.constant(8, pick(3) as u64);
                        let next = pool.binary(BinOp::Add, a, more);
                        let upper = pool.zext(low, 8);
                        let above = pool.binary(BinOp::Add, upper, more);
                        let arms = [a, b, next, above];
                        pool.ite(guard, arms[pick(4)], arms[pick(4)])
                    }
                    _ => pool.binary(BinOp::ALL[pick(BinOp::ALL.len())], a, b),
                };
                terms.push(new);
            }
            let mut conditions = Vec::new();
            for _ in 0..3 {
                let (a, b) = (terms[random.below(terms.len())], terms[random.below(terms.len())]);
                let condition = pool.cmp(comparisons[random.below(5)], a, b);
                conditions.push(if random.below(2) == 0 { condition } else { pool.not(condition) });
            }
            let mut ranges = Ranges::under(&pool, conditions.iter().copied());
            let unasked: Vec<Term> = (0..6)
                .map(|_| {
                    let (a, b) = (terms[random.below(terms.len())], terms[random.below(terms.len())]);
                    pool.cmp(comparisons[random.below(5)], a, b)
                })
                .collect();
            let decided: Vec<Option<bool>> = unasked.iter().map(|&c| ranges.decide(&pool, c)).collect();
            let is_impossible = Ranges::contradict(&pool, &conditions);
            let said: Vec<Range> = terms.iter().map(|&t| ranges.signed(&pool, t)).collect();
            for _ in 0..400 {
                let mut model = Model::new();
                model.set("x", 8, u128::from(random.next() & 0xff));
                model.set("y", 8, u128::from(random.next() & 0xff));
                model.set("z", 16, u128::from(random.next() & 0xffff));
                if !conditions.iter().all(|&c| pool.eval_bool(c, &model)) {
                    continue;
                }
                assert!(!is_impossible);
                for (&condition, decided) in unasked.iter().zip(&decided) {
                    assert!(decided.is_none_or(|holds| holds == pool.eval_bool(condition, &model)));
                }
                for (&term, &(least, greatest)) in terms.iter().zip(&said) {
                    let value = signed(8, u128::from(pool.eval(term, &model)));
                    assert!(least <= value && value <= greatest, "{:?}", pool.node(term));
                }
            }
        }
    }
}
