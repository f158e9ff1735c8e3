//! Sums as integers: whether comparisons of sums contradict each other as linear integer arithmetic.
//!
//! Example: `made + more - taken == count`. A sum of bit vectors is the sum of the numbers that they are, less a
//! multiple of 2^width. How great that multiple may be follows from the operands' ranges: mostly there is none. So
//! comparisons of sums are linear integer arithmetic, exactly, which Z3's simplex decides at once where blasting them
//! to bits takes long.
//!
//! A number that is divided by a constant is that many times the quotient, and the remainder: linear, too. What is no
//! such comparison is left out, so that only a contradiction counts.

use rustc_hash::FxHashMap;
use z3::ast::Int;
use z3::{SatResult, Solver as RawSolver};

use crate::bounds::ranges::Ranges;
use crate::budgets::BUDGETS;
use crate::solver::UnknownReason;
use crate::terms::bits::signed;
use crate::terms::node::{BinOp, CmpOp, Node, Term};
use crate::terms::pool::TermPool;
use crate::z3_backend::limits::Limits;

/// Wider numbers are left out.
const MAX_WIDTH: u32 = 64;

type Range = (i128, i128);

/// Where quotients are rounded to.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
enum Rounding {
    /// To the next smaller number.
    Down,
    /// To the next greater one.
    Up,
    /// To the one that is nearer to zero, whatever the sign is.
    ToZero,
}

/// A quotient and a remainder.
struct Division {
    quotient: Linear,
    remainder: Linear,
}

/// A sum of a constant and of unknown integers, each times a factor that is not zero, in order of their numbers.
#[derive(Clone, Debug, Default)]
struct Linear {
    parts: Vec<(u32, i128)>,
    constant: i128,
}

impl Linear {
    fn constant(constant: i128) -> Self {
        Self { parts: Vec::new(), constant }
    }

    fn variable(number: u32) -> Self {
        Self { parts: vec![(number, 1)], constant: 0 }
    }

    /// The sum of this and so many times another one, if its numbers are not too large.
    fn plus(&self, other: &Self, factor: i128) -> Option<Self> {
        let mut sum = Self::constant(self.constant.checked_add(other.constant.checked_mul(factor)?)?);
        sum.parts.reserve(self.parts.len() + other.parts.len());
        let (mut own, mut others) = (self.parts.iter().peekable(), other.parts.iter().peekable());
        loop {
            let next = match (own.peek(), others.peek()) {
                (None, None) => return Some(sum),
                (Some(a), Some(b)) if a.0 == b.0 => {
                    (a.0, own.next()?.1.checked_add(others.next()?.1.checked_mul(factor)?)?)
                }
                (Some(a), Some(b)) if a.0 < b.0 => *own.next()?,
                (Some(_), None) => *own.next()?,
                (_, Some(b)) => (b.0, others.next()?.1.checked_mul(factor)?),
            };
            if next.1 != 0 {
                sum.parts.push(next);
            }
        }
    }
}

/// How a sum compares with zero.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Sign {
    Zero,
    NotZero,
    Negative,
    /// Negative or zero.
    NotPositive,
}

/// The query as it is translated.
struct Integers<'p> {
    pool: &'p TermPool,
    ranges: &'p mut Ranges,
    known: FxHashMap<Term, Linear>,
    /// Quotients and remainders of numbers that are divided by constants.
    divided: FxHashMap<(Term, i128, Rounding), Division>,
    asserted: Vec<(Linear, Sign)>,
    /// How many unknown integers there are.
    unknowns: u32,
    /// Whether some number is a sum of two that are unknown: without one, ranges and orders say as much.
    has_sums: bool,
}

/// Whether conditions contradict each other as integers, as far as they are comparisons of sums; `ranges` are what they
/// say. False, too, where that is not found soon. To make a solver takes longer than most answers: it is `kept`, and
/// made where there is something to ask. Z3 gives up after `milliseconds`.
pub(super) fn contradict(
    kept: &mut Option<RawSolver>,
    pool: &TermPool,
    ranges: &mut Ranges,
    terms: &[Term],
    milliseconds: u32,
) -> bool {
    let mut integers = Integers {
        pool,
        ranges,
        known: FxHashMap::default(),
        divided: FxHashMap::default(),
        asserted: Vec::new(),
        unknowns: 0,
        has_sums: false,
    };
    for &term in terms {
        if integers.literal(term).is_none() || integers.known.len() > BUDGETS.integers.terms {
            return false;
        }
    }
    integers.has_sums
        && !integers.may_take_long()
        && integers.have_no_solution(kept.get_or_insert_with(|| solver(milliseconds)))
}

fn solver(milliseconds: u32) -> RawSolver {
    let solver = RawSolver::new_for_logic("QF_LIA").expect("Z3 knows the logic QF_LIA");
    // Sums that wrap make numbers of which a single unit can take long.
    Limits { milliseconds, units: BUDGETS.integers.units, reached: UnknownReason::Timeout }.set(&solver);
    solver
}

/// Of all that makes integers, nothing is `None` but what has numbers that are too large.
impl Integers<'_> {
    /// Whether Z3 finds soon that what is asserted contradicts itself.
    fn have_no_solution(&self, solver: &RawSolver) -> bool {
        let unknowns: Vec<Int> = (0..self.unknowns).map(|n| Int::new_const(format!("n{n}"))).collect();
        let zero = number(0);
        solver.push();
        for (sum, sign) in &self.asserted {
            let parts = sum.parts.iter().map(|&(unknown, factor)| match factor {
                1 => unknowns[unknown as usize].clone(),
                _ => &unknowns[unknown as usize] * number(factor),
            });
            let sum = parts.fold(number(sum.constant), |sum, part| sum + part);
            solver.assert(match sign {
                Sign::Zero => sum.eq(&zero),
                Sign::NotZero => sum.eq(&zero).not(),
                Sign::Negative => sum.lt(&zero),
                Sign::NotPositive => sum.le(&zero),
            });
        }
        let is_contradiction = solver.check() == SatResult::Unsat;
        solver.pop(1);
        is_contradiction
    }

    /// Whether something is divided, and multiplied by much.
    fn may_take_long(&self) -> bool {
        let is_large = |factor: i128| {
            factor.unsigned_abs() > BUDGETS.integers.divided_factor && !factor.unsigned_abs().is_power_of_two()
        };
        let mut factors = self.asserted.iter().flat_map(|(sum, _)| sum.parts.iter().map(|part| part.1));
        !self.divided.is_empty() && factors.any(is_large)
    }

    /// Says what a comparison says, or its negation.
    fn literal(&mut self, term: Term) -> Option<()> {
        let (comparison, holds) = match *self.pool.node(term) {
            Node::Not(inner) => (inner, false),
            _ => (term, true),
        };
        let Node::Cmp(op, a, b) = *self.pool.node(comparison) else { return Some(()) };
        if self.pool.width(a) > MAX_WIDTH {
            return Some(());
        }
        let is_positive = |range: Range| range.0 >= 0 && range.0 <= range.1;
        let of = [a, b].map(|term| self.ranges.signed(self.pool, term));
        if matches!(op, CmpOp::Ult | CmpOp::Ule) && !of.into_iter().all(is_positive) {
            return Some(());
        }
        let (a, b) = (self.integer(a)?, self.integer(b)?);
        // Not (a < b) is b <= a.
        let (low, high) = if holds { (a, b) } else { (b, a) };
        let sign = match (op, holds) {
            (CmpOp::Eq, true) => Sign::Zero,
            (CmpOp::Eq, false) => Sign::NotZero,
            (CmpOp::Ult | CmpOp::Slt, true) | (CmpOp::Ule | CmpOp::Sle, false) => Sign::Negative,
            (CmpOp::Ult | CmpOp::Slt, false) | (CmpOp::Ule | CmpOp::Sle, true) => Sign::NotPositive,
        };
        self.asserted.push((low.plus(&high, -1)?, sign));
        Some(())
    }

    /// The number that a term is, with its sign.
    fn integer(&mut self, term: Term) -> Option<Linear> {
        if let Some(known) = self.known.get(&term) {
            return Some(known.clone());
        }
        let integer = match *self.pool.node(term) {
            Node::Const { width, bits } => Linear::constant(signed(width, bits)),
            Node::SExt { arg, .. } => self.integer(arg)?,
            Node::ZExt { arg, .. } if self.ranges.signed(self.pool, arg).0 >= 0 => self.integer(arg)?,
            Node::Binary(BinOp::Add | BinOp::Mul, ..) => self.sum(term)?,
            Node::Binary(op, a, b) if let Some(division) = self.divides(op, a, b) => self.part(op, a, division)?,
            _ => self.unknown(term)?,
        };
        self.known.insert(term, integer.clone());
        Some(integer)
    }

    /// Some number within its range.
    fn unknown(&mut self, term: Term) -> Option<Linear> {
        let integer = self.fresh();
        let range = self.ranges.signed(self.pool, term);
        self.between(&integer, range)?;
        Some(integer)
    }

    fn fresh(&mut self) -> Linear {
        self.unknowns += 1;
        Linear::variable(self.unknowns - 1)
    }

    fn between(&mut self, integer: &Linear, (least, greatest): Range) -> Option<()> {
        self.asserted.push((Linear::constant(least).plus(integer, -1)?, Sign::NotPositive));
        self.asserted.push((integer.plus(&Linear::constant(greatest), -1)?, Sign::NotPositive));
        Some(())
    }

    /// The constant that divides a number, and the rounding; shifts and masks divide, too.
    fn divides(&mut self, op: BinOp, a: Term, b: Term) -> Option<(i128, Rounding)> {
        let width = self.pool.width(a);
        let constant = signed(width, self.pool.as_const_wide(b)?);
        let (least, greatest) = self.ranges.signed(self.pool, a);
        let (divisor, rounding) = match op {
            // All of them are the same for numbers that are not negative.
            BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem if least >= 0 => (constant, Rounding::Down),
            BinOp::SDiv | BinOp::SRem if greatest <= 0 => (constant, Rounding::Up),
            BinOp::SDiv | BinOp::SRem => (constant, Rounding::ToZero),
            BinOp::AShr if (0..i128::from(width)).contains(&constant) => (1 << constant, Rounding::Down),
            BinOp::LShr if least >= 0 && (0..i128::from(width)).contains(&constant) => (1 << constant, Rounding::Down),
            BinOp::And if constant > 0 && (constant + 1).count_ones() == 1 => (constant + 1, Rounding::Down),
            _ => return None,
        };
        ((1..=BUDGETS.integers.factor).contains(&divisor) && least <= greatest).then_some((divisor, rounding))
    }

    /// A quotient or a remainder.
    fn part(&mut self, op: BinOp, a: Term, (divisor, rounding): (i128, Rounding)) -> Option<Linear> {
        let key = (a, divisor, rounding);
        if !self.divided.contains_key(&key) {
            let made = self.division(key)?;
            self.divided.insert(key, made);
        }
        let Division { quotient, remainder } = &self.divided[&key];
        Some(if op.is_remainder() || op == BinOp::And { remainder.clone() } else { quotient.clone() })
    }

    fn division(&mut self, (a, divisor, rounding): (Term, i128, Rounding)) -> Option<Division> {
        self.has_sums = true;
        let dividend = self.integer(a)?;
        let [quotient, remainder] = [self.fresh(), self.fresh()];
        self.asserted.push((remainder.plus(&quotient, divisor)?.plus(&dividend, -1)?, Sign::Zero));
        let rest = match rounding {
            Rounding::Down => (0, divisor - 1),
            Rounding::Up => (1 - divisor, 0),
            // On the dividend's side of zero: that is left out.
            Rounding::ToZero => (1 - divisor, divisor - 1),
        };
        self.between(&remainder, rest)?;
        Some(Division { quotient, remainder })
    }

    /// A sum of numbers, times a constant each.
    fn sum(&mut self, term: Term) -> Option<Linear> {
        let width = self.pool.width(term);
        let mut parts: FxHashMap<Term, i128> = FxHashMap::default();
        let mut constant = 0_i128;
        let mut work = vec![(term, 1_i128)];
        let mut visits = 0;
        while let Some((next, factor)) = work.pop() {
            visits += 1;
            if factor.abs() > BUDGETS.integers.factor || visits > BUDGETS.integers.terms {
                return self.unknown(term);
            }
            match *self.pool.node(next) {
                Node::Const { bits, .. } => {
                    constant = constant.saturating_add(signed(width, bits).saturating_mul(factor))
                }
                Node::Binary(BinOp::Add, a, b) => work.extend([(a, factor), (b, factor)]),
                Node::Binary(BinOp::Mul, a, b) => {
                    let by = |c: Term| self.pool.as_const_wide(c).map(|bits| signed(width, bits));
                    match (by(a), by(b)) {
                        (Some(c), _) if c.abs() <= BUDGETS.integers.factor => work.push((b, factor.saturating_mul(c))),
                        (_, Some(c)) if c.abs() <= BUDGETS.integers.factor => work.push((a, factor.saturating_mul(c))),
                        _ => *parts.entry(next).or_default() += factor,
                    }
                }
                _ => *parts.entry(next).or_default() += factor,
            }
        }
        if parts.len() == 1 && parts.contains_key(&term) {
            return self.unknown(term);
        }
        self.has_sums |= parts.len() > 1;
        let (mut least, mut greatest) = (constant, constant);
        let mut sum = Linear::constant(constant);
        let mut parts: Vec<(Term, i128)> = parts.into_iter().filter(|part| part.1 != 0).collect();
        parts.sort_unstable();
        for (part, factor) in parts {
            let range = self.ranges.signed(self.pool, part);
            let ends = (range.0.saturating_mul(factor), range.1.saturating_mul(factor));
            (least, greatest) = (least.saturating_add(ends.0.min(ends.1)), greatest.saturating_add(ends.0.max(ends.1)));
            sum = sum.plus(&self.integer(part)?, factor)?;
        }
        let all = 1_i128 << width;
        let (lowest, highest) = (-all / 2, all / 2 - 1);
        if least >= lowest && greatest <= highest {
            return Some(sum);
        }
        // How often it wraps.
        let wraps = self.fresh();
        self.between(&wraps, ((least - lowest).div_euclid(all), (greatest - lowest).div_euclid(all)))?;
        // It is a number of its own, so that factors do not grow from one to the next.
        let wrapped = self.fresh();
        self.asserted.push((sum.plus(&wraps, -all)?.plus(&wrapped, -1)?, Sign::Zero));
        let range = self.ranges.signed(self.pool, term);
        self.between(&wrapped, (range.0.max(lowest), range.1.min(highest)))?;
        Some(wrapped)
    }
}

fn number(number: i128) -> Int {
    i64::try_from(number).map_or_else(|_| Int::from_i128(number), Int::from_i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::random::Random;
    use crate::terms::model::Model;

    fn contradict_alone(pool: &TermPool, terms: &[Term]) -> bool {
        contradict(&mut None, pool, &mut Ranges::under(pool, terms.iter().copied()), terms, 2_000)
    }

    /// Two producers who have made all there is to make, and a consumer who has not taken all and finds nothing.
    #[test]
    fn counters_that_add_up_to_each_other() {
        let mut pool = TermPool::new();
        let [made, more, taken, count, items, wanted] =
            ["made", "more", "taken", "count", "items", "wanted"].map(|name| pool.symbol(name, 32));
        let [zero, two, most] = [0, 2, 1000].map(|n| pool.constant(32, n));
        let both = pool.binary(BinOp::Add, made, more);
        let left = pool.binary(BinOp::Sub, both, taken);
        let all = pool.binary(BinOp::Mul, items, two);
        let mut terms = vec![pool.cmp(CmpOp::Eq, left, count), pool.cmp(CmpOp::Eq, wanted, all)];
        for number in [made, more, taken, count, items] {
            terms.extend([pool.cmp(CmpOp::Sle, zero, number), pool.cmp(CmpOp::Sle, number, most)]);
        }
        terms.extend([pool.cmp(CmpOp::Sle, items, made), pool.cmp(CmpOp::Sle, items, more)]);
        terms.push(pool.cmp(CmpOp::Slt, taken, wanted));
        assert!(!contradict_alone(&pool, &terms));
        terms.push(pool.cmp(CmpOp::Eq, count, zero));
        assert!(contradict_alone(&pool, &terms));
        // Without ends the sums may wrap.
        let unbounded = [terms[0], terms[1], terms[terms.len() - 2], terms[terms.len() - 1]];
        assert!(!contradict_alone(&pool, &unbounded));
    }

    /// What is left when a number is divided is shared out: the sum is what there was.
    #[test]
    fn quotients_and_remainders_are_a_whole() {
        let mut pool = TermPool::new();
        let n = pool.symbol("n", 64);
        let [zero, four] = [0, 4].map(|n| pool.constant(64, n));
        let quotient = pool.binary(BinOp::SDiv, n, four);
        let remainder = pool.binary(BinOp::SRem, n, four);
        let shares = pool.binary(BinOp::Mul, quotient, four);
        let all = pool.binary(BinOp::Add, shares, remainder);
        let is_less = pool.cmp(CmpOp::Slt, all, n);
        let mut terms = vec![is_less, pool.cmp(CmpOp::Slt, n, zero)];
        assert!(contradict_alone(&pool, &terms));
        terms[1] = pool.cmp(CmpOp::Slt, zero, n);
        assert!(contradict_alone(&pool, &terms));
        let is_less = pool.cmp(CmpOp::Slt, shares, n);
        assert!(!contradict_alone(&pool, &[is_less, terms[1]]));
    }

    /// No two neighbours are multiples of three, whether the sums wrap or not.
    #[test]
    fn neighbours_are_not_both_multiples() {
        let mut pool = TermPool::new();
        let n = pool.symbol("n", 64);
        let [one, two, three] = [1, 2, 3].map(|n| pool.constant(64, n));
        let mut is_multiple = |behind| {
            let number = pool.binary(BinOp::Add, n, behind);
            let rest = pool.binary(BinOp::SRem, number, three);
            let zero = pool.constant(64, 0);
            pool.cmp(CmpOp::Eq, rest, zero)
        };
        let [next, over] = [is_multiple(one), is_multiple(two)];
        let none = pool.constant(64, 0);
        let is_natural = pool.cmp(CmpOp::Sle, none, n);
        assert!(contradict_alone(&pool, &[is_natural, next, over]));
        let not_next = pool.not(next);
        assert!(!contradict_alone(&pool, &[is_natural, not_next, over]));
    }

    /// Random comparisons of sums of two symbols of eight bits: what some assignment satisfies is no contradiction.
    #[test]
    fn what_has_a_model_is_no_contradiction() {
        let mut random = Random(11);
        let comparisons = [CmpOp::Eq, CmpOp::Ult, CmpOp::Ule, CmpOp::Slt, CmpOp::Sle];
        let (mut contradictions, mut others) = (0, 0);
        for _ in 0..300 {
            let mut pool = TermPool::new();
            let (x, y) = (pool.symbol("x", 8), pool.symbol("y", 8));
            let mut terms = vec![x, y, pool.constant(8, random.next() & 0xff)];
            for _ in 0..5 {
                let (a, b) = (terms[random.below(terms.len())], terms[random.below(terms.len())]);
                let new = match random.below(5) {
                    0 => {
                        let low = pool.extract(a, 3, 0);
                        if random.below(2) == 0 { pool.zext(low, 8) } else { pool.sext(low, 8) }
                    }
                    1 => pool.binary(BinOp::Mul, a, b),
                    2 => pool.binary(BinOp::Sub, a, b),
                    3 => {
                        let by = pool.constant(8, 1 + random.next() % 9);
                        let operators =
                            [BinOp::UDiv, BinOp::SDiv, BinOp::URem, BinOp::SRem, BinOp::AShr, BinOp::LShr, BinOp::And];
                        pool.binary(operators[random.below(operators.len())], a, by)
                    }
                    _ => pool.binary(BinOp::Add, a, b),
                };
                terms.push(new);
            }
            let conditions: Vec<Term> = (0..4)
                .map(|_| {
                    let (a, b) = (terms[random.below(terms.len())], terms[random.below(terms.len())]);
                    let condition = pool.cmp(comparisons[random.below(5)], a, b);
                    if random.below(2) == 0 { condition } else { pool.not(condition) }
                })
                .collect();
            if !contradict_alone(&pool, &conditions) {
                others += 1;
                continue;
            }
            contradictions += 1;
            for bits in 0..1 << 16 {
                let mut model = Model::new();
                model.set("x", 8, bits & 0xff);
                model.set("y", 8, bits >> 8);
                assert!(!conditions.iter().all(|&c| pool.eval_bool(c, &model)), "{bits:#x}");
            }
        }
        assert!(contradictions > 10 && others > 10, "{contradictions} and {others}");
    }
}
