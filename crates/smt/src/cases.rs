//! Case by case: products and quotients of shifted numbers are hard for a back end, but the amount of a shift has few values. With
//! each of them put in, the shift is a constant, and most cases contradict themselves at sight. Programs get such terms from
//! `1 << n` with an input `n`: sizes of transforms and of digits. Likewise the quotient of a small constant by an input: the numbers of
//! blocks that the first rows of a matrix are in.

use crate::bits::mask;
use crate::node::{BinOp, CmpOp, Node, Term};
use crate::pool::TermPool;
use crate::relax::is_hard;
use crate::substitute::Substitution;

/// The greatest amount of a shift that is told apart.
const MAX_AMOUNT: u128 = 63;

/// The greatest constant, or its negative, that is divided case by case.
const MAX_DIVIDEND: u128 = 4;

/// Narrower numbers are divided in no time.
const LEAST_DIVIDED: u32 = 16;

/// A conjunction as a disjunction of conjunctions; those that are false at sight are left out. There is one for each amount of a shift below
/// a product or quotient of unknowns; without such a shift, one for each number that a small constant can be divided by, and those beyond.
/// Nothing if there is neither. Linear in the size of the terms' graph, for each case.
pub(crate) fn cases(pool: &mut TermPool, terms: &[Term]) -> Option<Vec<Vec<Term>>> {
    let cases = match amount(pool, terms) {
        Some(amount) => amounts(pool, amount),
        None => quotients(pool, terms)?,
    };
    let mut possible = Vec::new();
    for (condition, replaced, value) in cases {
        let mut case = vec![condition];
        case.extend(pool.substitute_all(terms, &Substitution::from([(replaced, value)])));
        case.retain(|&t| !pool.is_true(t));
        if !case.iter().any(|&t| pool.is_false(t)) {
            possible.push(case);
        }
    }
    Some(possible)
}

/// When a case is, and a term with what it is there.
type Case = (Term, Term, Term);

fn amounts(pool: &mut TermPool, amount: Term) -> Vec<Case> {
    let (least, greatest) = pool.unsigned_range(amount);
    let width = pool.width(amount);
    let mut cases = Vec::new();
    for value in least..=greatest {
        let value = pool.constant_wide(width, value);
        cases.push((pool.cmp(CmpOp::Eq, amount, value), amount, value));
    }
    cases
}

/// What a small constant is divided by, for the first quotient or remainder of one.
fn quotients(pool: &mut TermPool, terms: &[Term]) -> Option<Vec<Case>> {
    let (quotient, op, (dividend, by), divisors) =
        pool.postorder(terms, |_| false).into_iter().find_map(|t| match *pool.node(t) {
            Node::Binary(op, a, b) => Some((t, op, (a, b), divisors(pool, op, a, MAX_DIVIDEND)?)),
            _ => None,
        })?;
    let width = pool.width(quotient);
    let mut cases = Vec::new();
    for &divisor in &divisors {
        let divisor = pool.constant_wide(width, divisor);
        cases.push((pool.cmp(CmpOp::Eq, by, divisor), by, divisor));
    }
    let none = pool.constant(width, 0);
    let beyond = if op.is_remainder() { dividend } else { none };
    let (less, most) =
        if op.divides_signed() { (CmpOp::Slt, divisors.len() / 2) } else { (CmpOp::Ult, divisors.len() - 1) };
    let most = pool.constant(width, u64::try_from(most).expect("they are few"));
    cases.push((pool.cmp(less, most, by), quotient, beyond));
    if op.divides_signed() {
        let least = pool.binary(BinOp::Sub, none, most);
        cases.push((pool.cmp(less, by, least), quotient, beyond));
    }
    Some(cases)
}

/// The divisors that are no larger than a constant of at most `most`, by which it is divided, and zero.
pub(crate) fn divisors(pool: &TermPool, op: BinOp, dividend: Term, most: u128) -> Option<Vec<u128>> {
    let (width, bits) = (pool.width(dividend), pool.as_const_wide(dividend)?);
    let (is_signed, negated) = (op.divides_signed(), bits.wrapping_neg() & mask(width));
    let magnitude = if is_signed { bits.min(negated) } else { bits };
    if !op.divides() || magnitude > most || width < LEAST_DIVIDED {
        return None;
    }
    let negative = (1..=magnitude).map(|n| n.wrapping_neg() & mask(width)).filter(|_| is_signed);
    Some((0..=magnitude).chain(negative).collect())
}

/// The first amount that is below something hard.
fn amount(pool: &TermPool, terms: &[Term]) -> Option<Term> {
    let mut hard = pool.postorder(terms, |_| false);
    hard.retain(|&t| is_hard(pool, t));
    pool.postorder(&hard, |_| false).into_iter().find_map(|t| match *pool.node(t) {
        Node::Binary(BinOp::Shl | BinOp::LShr | BinOp::AShr, _, amount)
            if pool.as_const_wide(amount).is_none() && pool.unsigned_range(amount).1 <= MAX_AMOUNT =>
        {
            Some(amount)
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Model;

    fn shifted(pool: &mut TermPool) -> Term {
        let n = pool.symbol("n", 32);
        let few = pool.constant(32, 31);
        let (one, amount) = (pool.constant(32, 1), pool.binary(BinOp::And, n, few));
        pool.binary(BinOp::Shl, one, amount)
    }

    #[test]
    fn each_amount_is_a_case_unless_it_contradicts_the_terms() {
        let mut pool = TermPool::new();
        let power = shifted(&mut pool);
        let x = pool.symbol("x", 32);
        let product = pool.binary(BinOp::Mul, power, x);
        let (hundred, all) = (pool.constant(32, 100), pool.constant(32, 64));
        let terms = [pool.cmp(CmpOp::Ult, power, hundred), pool.cmp(CmpOp::Ult, product, all)];
        let cases = cases(&mut pool, &terms).expect("there is a shift below a product");
        assert_eq!(cases.len(), 7, "1 << n is below 100 for seven n");
        assert!(cases.iter().flatten().all(|&t| !is_hard(&pool, t)));
    }

    #[test]
    fn a_shift_that_nothing_hard_is_made_of_is_left_alone() {
        let mut pool = TermPool::new();
        let power = shifted(&mut pool);
        let hundred = pool.constant(32, 100);
        let below = pool.cmp(CmpOp::Ult, power, hundred);
        assert_eq!(cases(&mut pool, &[below]), None);
    }

    #[test]
    fn a_small_constant_is_divided_by_each_number_and_by_those_beyond() {
        let mut pool = TermPool::new();
        let x = pool.symbol("x", 32);
        let (zero, one, nine) = (pool.constant(32, 0), pool.constant(32, 1), pool.constant(32, 9));
        let quotient = pool.binary(BinOp::SDiv, one, x);
        let product = pool.binary(BinOp::Mul, quotient, x);
        let terms = [pool.cmp(CmpOp::Slt, zero, x), pool.cmp(CmpOp::Slt, product, nine)];
        let found = cases(&mut pool, &terms).expect("there is a quotient");
        // One, more than one, and less than minus one, which contradicts the first term, but not at sight.
        assert_eq!(found.len(), 3);
        assert!(found.iter().flatten().all(|&t| !is_hard(&pool, t)));
        for number in [1, 2, 7] {
            let mut model = Model::new();
            model.set("x", 32, number);
            let holds = |case: &&Vec<Term>| case.iter().all(|&t| pool.eval_bool(t, &model));
            assert_eq!(found.iter().filter(holds).count(), 1, "{number} is in one case");
        }
    }

    #[test]
    fn large_constants_are_divided_by_nobody_knows_what() {
        let mut pool = TermPool::new();
        let (x, many) = (pool.symbol("x", 32), pool.constant(32, 5));
        let quotient = pool.binary(BinOp::UDiv, many, x);
        let below = pool.cmp(CmpOp::Ult, quotient, x);
        assert_eq!(cases(&mut pool, &[below]), None);
    }
}
