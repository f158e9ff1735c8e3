//! Case by case: products and quotients of shifted numbers are hard for a back end, but the amount of a shift has few values. With
//! each of them put in, the shift is a constant, and most cases contradict themselves at sight. Programs get such terms from
//! `1 << n` with an input `n`: sizes of transforms and of digits.

use crate::node::{BinOp, CmpOp, Node, Term};
use crate::pool::TermPool;
use crate::relax::is_hard;
use crate::substitute::Substitution;

/// The greatest amount of a shift that is told apart.
const MAX_AMOUNT: u128 = 63;

/// A conjunction as a disjunction of conjunctions, one for each amount of a shift below a product or quotient of unknowns; those that are
/// false at sight are left out. Nothing if there is no such shift. Linear in the size of the terms' graph, for each case.
pub(crate) fn cases(pool: &mut TermPool, terms: &[Term]) -> Option<Vec<Vec<Term>>> {
    let amount = amount(pool, terms)?;
    let (least, greatest) = pool.unsigned_range(amount);
    let width = pool.width(amount);
    let mut cases = Vec::new();
    for value in least..=greatest {
        let value = pool.constant_wide(width, value);
        let mut case = vec![pool.cmp(CmpOp::Eq, amount, value)];
        case.extend(pool.substitute_all(terms, &Substitution::from([(amount, value)])));
        case.retain(|&t| !pool.is_true(t));
        if !case.iter().any(|&t| pool.is_false(t)) {
            cases.push(case);
        }
    }
    Some(cases)
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
}
