//! Relaxation: products, quotients and remainders of unknowns become unknowns of their own.
//!
//! Example: `(head + 1) % size == head` becomes `rest == head`, with what is known of `rest`. What contradicts itself
//! without knowing products does so with them, too, and a back end sees it at once. The other way round nothing
//! follows.
//!
//! Some things are said of quotients and remainders that need no division: their bounds; that a number less than the
//! divisor is its own remainder; that one less than twice the divisor leaves the difference; and how two remainders by
//! the same number are related if their dividends are a constant apart. So in the example, `size` is 1.

use crate::budgets::BUDGETS;
use crate::stack::cache::Verdict;
use crate::stack::query::Query;
use crate::stack::tactic::{Run, Tactic};
use crate::terms::bits::{binary, mask, sign_bit};
use crate::terms::node::{BinOp, CmpOp, Node, Term};
use crate::terms::pool::TermPool;
use crate::terms::substitute::Substitution;

/// Asks the back end about relaxed conditions, for less time after failures. Only a contradiction is an answer.
pub(super) struct Relaxation;

impl Tactic for Relaxation {
    fn name(&self) -> &'static str {
        "relaxation"
    }

    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
        let relaxed = relax(run.pool, query.rest())?;
        let (&extra, constraints) = relaxed.split_last()?;
        let limit = BUDGETS.patience.relaxed / 2u32.pow(run.memory.given_up.within(query.key).min(4));
        let is_contradiction = run.pool.is_false(extra)
            || matches!(run.back_end.model_within(run.pool, constraints, extra, limit), Ok(None));
        is_contradiction.then_some(Verdict::Unsat)
    }
}

/// The relaxed conditions, behind what is known of the new unknowns; nothing if there are no such operators.
fn relax(pool: &mut TermPool, terms: &[Term]) -> Option<Vec<Term>> {
    let all = pool.postorder(terms, |_| false);
    let by_constants = all.iter().filter(|&&t| pool.is_wide_division_by_constant(t)).count();
    let (mut map, mut divisions) = (Substitution::new(), Vec::new());
    for t in all {
        // One of them is no work.
        if !pool.is_wide_product(t) && (by_constants < 2 || !pool.is_wide_division_by_constant(t)) {
            continue;
        }
        // No name of a program has a space at its start.
        let name = format!(" {}", map.len());
        let unknown = pool.symbol(&name, pool.width(t));
        map.insert(t, unknown);
        if let Node::Binary(op, dividend, divisor) = *pool.node(t)
            && op != BinOp::Mul
        {
            divisions.push(Division { op, dividend, divisor, result: unknown });
        }
    }
    if map.is_empty() {
        return None;
    }
    let operands: Vec<Term> = divisions.iter().flat_map(|division| [division.dividend, division.divisor]).collect();
    for (division, operands) in divisions.iter_mut().zip(pool.substitute_all(&operands, &map).chunks(2)) {
        (division.dividend, division.divisor) = (operands[0], operands[1]);
    }
    let mut known = Vec::new();
    for (at, division) in divisions.iter().enumerate() {
        division.say(pool, &mut known);
        for other in divisions[..at].iter().rev().take(BUDGETS.relaxation.compared) {
            division.say_beside(pool, other, &mut known);
        }
    }
    // The newest condition stays the last one.
    known.extend(pool.substitute_all(terms, &map));
    known.retain(|&t| !pool.is_true(t));
    Some(known)
}

/// A quotient or remainder that is an unknown of its own.
struct Division {
    op: BinOp,
    dividend: Term,
    divisor: Term,
    result: Term,
}

impl Division {
    fn less(&self, pool: &mut TermPool, a: Term, b: Term) -> Term {
        pool.cmp(if self.op.divides_signed() { CmpOp::Slt } else { CmpOp::Ult }, a, b)
    }

    /// That the dividend is not less than zero, and the divisor is greater.
    fn is_plain(&self, pool: &mut TermPool) -> Term {
        let zero = pool.constant(pool.width(self.result), 0);
        let is_negative = self.less(pool, self.dividend, zero);
        let (is_not, is_positive) = (pool.not(is_negative), self.less(pool, zero, self.divisor));
        pool.binary(BinOp::And, is_not, is_positive)
    }

    /// What is true of the result where the operation is plain.
    fn say(&self, pool: &mut TermPool, known: &mut Vec<Term>) {
        let (dividend, divisor, result) = (self.dividend, self.divisor, self.result);
        let width = pool.width(result);
        let (zero, one) = (pool.constant(width, 0), pool.constant(width, 1));
        let is_plain = self.is_plain(pool);
        let is_below = self.less(pool, dividend, divisor);
        let rest = pool.binary(BinOp::Sub, dividend, divisor);
        let is_once = self.less(pool, rest, divisor);
        let is_negative = self.less(pool, result, zero);
        let is_more = self.less(pool, dividend, result);
        let mut all = vec![pool.not(is_negative), pool.not(is_more)];
        let (below, once, at_least) = if self.op.is_remainder() {
            all.push(self.less(pool, result, divisor));
            // Without a difference: that would be one more circuit.
            let sum = pool.binary(BinOp::Add, result, divisor);
            (dividend, rest, self.less(pool, dividend, sum))
        } else {
            (zero, one, self.less(pool, result, one))
        };
        let (below, once) = (pool.cmp(CmpOp::Eq, result, below), pool.cmp(CmpOp::Eq, result, once));
        all.push(implied(pool, is_below, below));
        let at_least = pool.not(at_least);
        all.push(pool.binary(BinOp::Or, is_below, at_least));
        let once = implied(pool, is_once, once);
        all.push(pool.binary(BinOp::Or, is_below, once));
        for holds in all {
            known.push(implied(pool, is_plain, holds));
        }
        if self.op.divides_signed() {
            self.say_below_zero(pool, known);
            self.say_at_ends(pool, known);
        }
    }

    /// What the result is of the least and of the greatest dividend, which sums of others come to when they overflow.
    fn say_at_ends(&self, pool: &mut TermPool, known: &mut Vec<Term>) {
        let width = pool.width(self.result);
        let Some(divisor) = pool.as_const_wide(self.divisor) else { return };
        for end in [sign_bit(width), sign_bit(width) - 1] {
            let result = binary(self.op, width, end, divisor);
            let (end, result) = (pool.constant_wide(width, end), pool.constant_wide(width, result));
            let (is_there, is_it) = (pool.cmp(CmpOp::Eq, self.dividend, end), pool.cmp(CmpOp::Eq, self.result, result));
            known.push(implied(pool, is_there, is_it));
        }
    }

    /// What is true of the result where the dividend is less than zero, and the divisor is not.
    fn say_below_zero(&self, pool: &mut TermPool, known: &mut Vec<Term>) {
        let (dividend, divisor, result) = (self.dividend, self.divisor, self.result);
        let zero = pool.constant(pool.width(result), 0);
        let (is_negative, is_positive) = (self.less(pool, dividend, zero), self.less(pool, zero, divisor));
        let when = pool.binary(BinOp::And, is_negative, is_positive);
        let rest = pool.binary(BinOp::Add, dividend, divisor);
        let is_above = self.less(pool, zero, rest);
        let (is_more, is_less) = (self.less(pool, zero, result), self.less(pool, result, dividend));
        let mut all = vec![pool.not(is_more), pool.not(is_less)];
        let (above, at_most) = if self.op.is_remainder() {
            let sum = pool.binary(BinOp::Add, result, divisor);
            all.push(self.less(pool, zero, sum));
            let is_less = self.less(pool, result, rest);
            (dividend, pool.not(is_less))
        } else {
            (zero, self.less(pool, result, zero))
        };
        let above = pool.cmp(CmpOp::Eq, result, above);
        all.push(implied(pool, is_above, above));
        all.push(pool.binary(BinOp::Or, is_above, at_most));
        for holds in all {
            known.push(implied(pool, when, holds));
        }
    }

    /// How two remainders by the same number are related, if their dividends are a constant apart.
    fn say_beside(&self, pool: &mut TermPool, other: &Self, known: &mut Vec<Term>) {
        if !self.op.is_remainder() || self.op != other.op || self.divisor != other.divisor {
            return;
        }
        let width = pool.width(self.result);
        let sign = sign_bit(width);
        let apart = pool.binary(BinOp::Sub, self.dividend, other.dividend);
        let Some(apart) = pool.as_const_wide(apart).filter(|&apart| apart != 0) else { return };
        let (less, more, apart) =
            if apart < sign { (other, self, apart) } else { (self, other, apart.wrapping_neg() & mask(width)) };
        let apart = match pool.as_const_wide(self.divisor) {
            Some(divisor) if 0 < divisor && divisor < sign => apart % divisor,
            None if apart <= BUDGETS.relaxation.apart => apart,
            _ => return,
        };
        let apart = pool.constant_wide(width, apart);
        // Where the divisor is less than what is between them, nothing is said.
        let is_less = self.less(pool, self.divisor, apart);
        let is_wrapped = self.less(pool, more.dividend, less.dividend);
        let zero = pool.constant(width, 0);
        let is_positive = self.less(pool, zero, self.divisor);
        let mut always = is_positive;
        for never in [is_less, is_wrapped] {
            let not = pool.not(never);
            always = pool.binary(BinOp::And, always, not);
        }
        let left = pool.binary(BinOp::Sub, self.divisor, apart);
        let (sum, rest) = (pool.binary(BinOp::Add, less.result, apart), pool.binary(BinOp::Sub, less.result, left));
        let (less_below, more_below) = (self.less(pool, less.dividend, zero), self.less(pool, more.dividend, zero));
        let (less_above, more_above) = (pool.not(less_below), pool.not(more_below));
        // Neither is less than zero: what remains is as much more, or the divisor less than that.
        let fits = self.less(pool, less.result, left);
        let is_what = pool.ite(fits, sum, rest);
        let is_it = pool.cmp(CmpOp::Eq, more.result, is_what);
        let both = pool.binary(BinOp::And, less_above, more_above);
        let when = pool.binary(BinOp::And, always, both);
        known.push(implied(pool, when, is_it));
        // Both are: what remains is not more than zero.
        let is_above = self.less(pool, zero, sum);
        let is_what = pool.ite(is_above, rest, sum);
        let is_it = pool.cmp(CmpOp::Eq, more.result, is_what);
        let both = pool.binary(BinOp::And, less_below, more_below);
        let when = pool.binary(BinOp::And, always, both);
        known.push(implied(pool, when, is_it));
    }
}

fn implied(pool: &mut TermPool, when: Term, holds: Term) -> Term {
    let not = pool.not(when);
    pool.binary(BinOp::Or, not, holds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::random::Random;
    use crate::solver::{Answer, Solver as _};
    use crate::terms::model::Model;
    use crate::z3_backend::Z3Solver;

    #[test]
    fn a_product_is_one_unknown_wherever_it_occurs() {
        let mut pool = TermPool::new();
        let (x, y) = (pool.symbol("x", 32), pool.symbol("y", 32));
        let product = pool.binary(BinOp::Mul, x, y);
        let (five, seven) = (pool.constant(32, 5), pool.constant(32, 7));
        let terms = [pool.cmp(CmpOp::Ult, product, five), pool.cmp(CmpOp::Ult, seven, product)];
        let relaxed = relax(&mut pool, &terms).expect("there is a product");
        let unknown: Vec<_> = relaxed.iter().map(|&t| pool.symbols_of(t)).collect();
        assert_eq!(unknown[0].len(), 1);
        assert_eq!(unknown[0], unknown[1]);
    }

    #[test]
    fn what_is_said_of_remainders_and_quotients_is_true() {
        let (mut random, mut most) = (Random(7), 0);
        for turn in 0..4000 {
            let mut pool = TermPool::new();
            let (x, y) = (pool.symbol("x", 16), pool.symbol("y", 16));
            let by = if turn % 3 == 0 { pool.constant(16, 1 + random.next() % 9) } else { y };
            let apart = pool.constant(16, random.next() % 20);
            let more = pool.binary(BinOp::Add, x, apart);
            let ops = [BinOp::UDiv, BinOp::SDiv, BinOp::URem, BinOp::SRem];
            let op = ops[turn % 4];
            let results = [pool.binary(op, x, by), pool.binary(op, more, by)];
            let nested = pool.binary(op, results[1], by);
            let zero = pool.constant(16, 0);
            let terms = [results[0], results[1], nested].map(|t| pool.cmp(CmpOp::Eq, t, zero));
            let Some(relaxed) = relax(&mut pool, &terms) else { continue };
            let mut model = Model::new();
            // As many numbers of each length, half of them below zero.
            let mut number = || {
                let bits = (random.next() & 0xffff) >> (random.next() % 16);
                u128::from(if random.one_in(2) { bits.wrapping_neg() & 0xffff } else { bits })
            };
            model.set("x", 16, number());
            model.set("y", 16, number());
            let divisions: Vec<Term> = pool
                .postorder(&terms, |_| false)
                .into_iter()
                .filter(|&t| pool.is_wide_product(t) || pool.is_wide_division_by_constant(t))
                .collect();
            for (n, &division) in divisions.iter().enumerate() {
                let value = pool.eval(division, &model);
                model.set(&format!(" {n}"), 16, u128::from(value));
            }
            // All but the conditions themselves.
            let said = &relaxed[..relaxed.len().saturating_sub(terms.len())];
            most = most.max(said.len());
            assert!(said.iter().all(|&t| pool.eval_bool(t, &model)), "{op:?} under {model:?}");
        }
        assert!(most > 30, "much is said of three remainders");
    }

    #[test]
    fn the_next_index_of_a_ring_is_another_one() {
        let mut pool = TermPool::new();
        let (head, size) = (pool.symbol("head", 32), pool.symbol("size", 32));
        let (zero, one, many) = (pool.constant(32, 0), pool.constant(32, 1), pool.constant(32, 1000));
        let next = pool.binary(BinOp::Add, head, one);
        let next = pool.binary(BinOp::SRem, next, size);
        let mut terms = vec![
            pool.cmp(CmpOp::Sle, zero, head),
            pool.cmp(CmpOp::Slt, head, many),
            pool.cmp(CmpOp::Slt, one, size),
            pool.cmp(CmpOp::Eq, next, head),
        ];
        let mut solver = Z3Solver::default();
        let mut answer = |pool: &mut TermPool, terms: &[Term]| {
            let relaxed = relax(pool, terms).expect("there is a remainder");
            let (&newest, others) = relaxed.split_last().expect("they are some");
            solver.check(pool, others, newest)
        };
        assert_eq!(answer(&mut pool, &terms), Answer::Unsat);
        terms[2] = pool.cmp(CmpOp::Slt, zero, size);
        assert_eq!(answer(&mut pool, &terms), Answer::Sat);
    }

    #[test]
    fn products_with_constants_stay() {
        let mut pool = TermPool::new();
        let x = pool.symbol("x", 32);
        let three = pool.constant(32, 3);
        let product = pool.binary(BinOp::Mul, x, three);
        let below = pool.cmp(CmpOp::Ult, product, three);
        assert_eq!(relax(&mut pool, &[below]), None);
    }
}
