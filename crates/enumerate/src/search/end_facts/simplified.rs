//! Products and quotients of two unknown numbers that are simpler under what is known: what remains of a division where
//! that is the number itself, or as much less as the divisor is; products of which one factor is constant. And choices
//! of which it is known which they are.

use icsched_facts::Place;
use icsched_smt::{BinOp, CmpOp, Node, Ranges, Substitution, Term, TermPool};
use rustc_hash::FxHashMap;

use super::consequences::Consequences;
use super::finder::Finder;
use super::reasoning::is_simple;
use crate::budgets::BUDGETS;

impl Finder<'_> {
    /// What products and quotients in numbers are equal to if intervals say that they are constant under some
    /// conditions, or that a factor is: as many threads were created as an input says, and there are two.
    pub(super) fn products(&mut self, held: &[(Place, Term)], conditions: &[Term]) -> Vec<(Term, Term)> {
        let roots: Vec<Term> = held.iter().map(|(_, term)| *term).collect();
        let pool = self.asker.pool();
        let mut products: Vec<Term> =
            pool.postorder(&roots, |_| false).into_iter().filter(|&term| pool.is_product(term)).collect();
        products.truncate(BUDGETS.products_of_path);
        if products.is_empty() {
            return Vec::new();
        }
        let mut ranges = self.ranges(conditions);
        let pool = self.asker.pool();
        products.into_iter().filter_map(|product| Some((product, settled(pool, &mut ranges, product)?))).collect()
    }

    /// A term that is equal to another one in all executions that come to the end, with fewer remainders by unknown
    /// numbers: of `(head + 1) % size`, if `head` is less than `size`, it is known that it is `head + 1`, or 0 if that
    /// is `size`. Solvers take long for others.
    pub(super) fn reduced(&mut self, term: Term, consequences: &mut Consequences) -> Term {
        let pool = self.asker.pool();
        let is_remainder = |pool: &TermPool, t: Term| matches!(*pool.node(t), Node::Binary(BinOp::URem | BinOp::SRem, _, by) if pool.as_const_wide(by).is_none());
        let all: Vec<Term> =
            pool.postorder(&[term], |_| false).into_iter().filter(|&t| is_remainder(pool, t)).collect();
        if all.is_empty() || all.len() > BUDGETS.remainders_of_term {
            return term;
        }
        for remainder in all {
            if self.remainders.contains_key(&remainder) || self.is_late() {
                continue;
            }
            let pool = self.asker.pool();
            let Node::Binary(op, number, divisor) = *pool.node(remainder) else { continue };
            let [number, divisor] = [number, divisor].map(|of| pool.substitute(of, &self.remainders));
            let less = if op == BinOp::SRem { CmpOp::Slt } else { CmpOp::Ult };
            let zero = pool.constant(pool.width(number), 0);
            let (is_negative, is_less, is_same) =
                (pool.cmp(less, number, zero), pool.cmp(less, number, divisor), pool.cmp(CmpOp::Eq, number, divisor));
            let is_positive = [pool.not(is_negative), pool.cmp(less, zero, divisor)];
            let rest = pool.binary(BinOp::Sub, number, divisor);
            let is_once = pool.cmp(less, rest, divisor);
            let once = pool.ite(is_less, number, rest);
            // An index that goes on by one is mostly the length itself where it begins anew: that is asked first, for
            // it is simpler.
            let at_end = pool.ite(is_same, zero, number);
            for (is_near, whole) in [(is_same, at_end), (is_once, once)] {
                let pool = self.asker.pool();
                let is_near = pool.binary(BinOp::Or, is_less, is_near);
                let conditions = pool.and_all(&[is_positive[0], is_positive[1], is_near]);
                if is_simple(pool, conditions) && consequences.contain(&mut self.asker, conditions) {
                    self.remainders.insert(remainder, whole);
                    break;
                }
            }
        }
        self.asker.pool().substitute(term, &self.remainders)
    }

    /// A term that is equal to another one in all executions that come to the end, with fewer choices: whether a
    /// semaphore is the one that another thread has posted, of an array by an index of which it is known what it is
    /// not.
    pub(super) fn without_choices(&mut self, mut term: Term, consequences: &mut Consequences) -> Term {
        let mut known: FxHashMap<Term, Option<bool>> = FxHashMap::default();
        // What is chosen may be a choice.
        for _ in 0..BUDGETS.nested_choices {
            let pool = self.asker.pool();
            let all = pool.postorder(&[term], |_| false);
            if all.len() > BUDGETS.simplified_nodes {
                break;
            }
            let mut settled = Substitution::new();
            for choice in all {
                let Node::Ite(condition, a, b) = *self.asker.pool().node(choice) else { continue };
                let is_new = !known.contains_key(&condition);
                if is_new && (known.len() == BUDGETS.choice_conditions || self.is_late()) {
                    break;
                }
                let holds = *known.entry(condition).or_insert_with(|| self.decided(condition, consequences));
                settled.extend(holds.map(|holds| (choice, if holds { a } else { b })));
            }
            if settled.is_empty() {
                break;
            }
            term = self.asker.pool().substitute(term, &settled);
        }
        term
    }

    /// Whether a condition holds in all executions that come to the end, or in none of them.
    fn decided(&mut self, condition: Term, consequences: &mut Consequences) -> Option<bool> {
        if !is_simple(self.asker.pool(), condition) {
            return None;
        }
        let otherwise = self.asker.pool().not(condition);
        let holds = consequences.contain(&mut self.asker, condition);
        (holds || consequences.contain(&mut self.asker, otherwise)).then_some(holds)
    }
}

/// What a product or a quotient is equal to within some ranges.
fn settled(pool: &mut TermPool, ranges: &mut Ranges, product: Term) -> Option<Term> {
    if let Some(constant) = only(pool, ranges, product) {
        return Some(constant);
    }
    let Node::Binary(op, a, b) = *pool.node(product) else { return None };
    let (of_a, of_b) = (only(pool, ranges, a), only(pool, ranges, b));
    if of_a.is_none() && of_b.is_none() {
        return None;
    }
    Some(pool.binary(op, of_a.unwrap_or(a), of_b.unwrap_or(b)))
}

/// The only number that a term can be.
fn only(pool: &mut TermPool, ranges: &mut Ranges, term: Term) -> Option<Term> {
    let width = pool.width(term);
    if width > 64 || pool.as_const_wide(term).is_some() {
        return None;
    }
    let (least, greatest) = ranges.signed(pool, term);
    let number = i64::try_from(least).ok().filter(|_| least == greatest)?;
    Some(pool.constant(width, number.cast_unsigned()))
}
