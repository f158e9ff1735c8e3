//! Conditions without products, quotients and remainders of unknowns: each is an unknown of its own. What contradicts itself
//! without knowing them does so with them too, and a back end sees it at once; the other way round nothing follows.

use crate::node::Term;
use crate::pool::TermPool;
use crate::substitute::Substitution;

/// Narrower operands are no work for a back end.
const LEAST_WIDTH: u32 = 16;

/// Relaxes conditions; nothing if they have no such operators.
pub(crate) fn relax(pool: &mut TermPool, terms: &[Term]) -> Option<Vec<Term>> {
    let mut map = Substitution::new();
    for t in pool.postorder(terms, |_| false) {
        if is_hard(pool, t) {
            // No name of a program has a space at its start.
            let name = format!(" {}", map.len());
            let width = pool.width(t);
            let unknown = pool.symbol(&name, width);
            map.insert(t, unknown);
        }
    }
    (!map.is_empty()).then(|| pool.substitute_all(terms, &map))
}

/// Whether the term is a product, quotient or remainder of unknowns that is work for a back end.
pub(crate) fn is_hard(pool: &TermPool, t: Term) -> bool {
    pool.width(t) >= LEAST_WIDTH && pool.is_product(t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::{BinOp, CmpOp};

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
    fn products_with_constants_stay() {
        let mut pool = TermPool::new();
        let x = pool.symbol("x", 32);
        let three = pool.constant(32, 3);
        let product = pool.binary(BinOp::Mul, x, three);
        let below = pool.cmp(CmpOp::Ult, product, three);
        assert_eq!(relax(&mut pool, &[below]), None);
    }
}
