//! What remains of a division by an unknown number, where that is the number itself, or as much less as the divisor is.

use icsched_smt::{BinOp, CmpOp, Node, Term, TermPool};

use super::{Behind, Consequences, is_simple};

/// Remainders of one term that are looked at.
const MAX_REMAINDERS: usize = 4;

impl Behind<'_> {
    /// A term that is equal to another one in all executions that come to the end, with fewer remainders by unknown numbers: of `(head + 1) %
    /// size`, if `head` is less than `size`, it is known that it is `head + 1`, or 0 if that is `size`. Solvers take long for others.
    pub(super) fn reduced(&mut self, term: Term, consequences: &mut Consequences) -> Term {
        let pool = self.asker.pool();
        let is_remainder = |pool: &TermPool, t: Term| matches!(*pool.node(t), Node::Binary(BinOp::URem | BinOp::SRem, _, by) if pool.as_const_wide(by).is_none());
        let all: Vec<Term> =
            pool.postorder(&[term], |_| false).into_iter().filter(|&t| is_remainder(pool, t)).collect();
        if all.is_empty() || all.len() > MAX_REMAINDERS {
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
            // An index that goes on by one is mostly the length itself where it begins anew: that is asked first, for it is simpler.
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
}
