//! If-then-else.

use smallvec::SmallVec;

use crate::budgets::BUDGETS;
use crate::terms::bits::mask;
use crate::terms::node::{BinOp, CmpOp, Node, Term};
use crate::terms::pool::TermPool;

/// What holds in one arm of a choice.
#[derive(Default)]
struct Assumed {
    /// Truth values, and whether they are true. None is a complement.
    literals: SmallVec<[(Term, bool); BUDGETS.terms.arm_literals]>,
    /// A term that equals a constant.
    equal: Option<(Term, Term)>,
}

impl TermPool {
    /// `a` where the `Bv(1)` condition `c` holds, else `b`; both of one sort (arrays too).
    pub fn ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        self.expect_bool(c);
        assert_eq!(self.sort(a), self.sort(b), "arms of one sort");
        if a == b || self.is_true(c) {
            return a;
        }
        if self.is_false(c) {
            return b;
        }
        if let Node::Not(inner) = *self.node(c) {
            return self.ite(inner, b, a);
        }
        let (mut a, mut b) = (self.chosen_arm(c, a, true), self.chosen_arm(c, b, false));
        // What holds in one arm only shares nothing with other terms, so that arms are looked into where one is a
        // number.
        if self.as_const_wide(a).is_some() || self.as_const_wide(b).is_some() {
            let (when, otherwise) = (self.assumed(c, true), self.assumed(c, false));
            (a, b) = (self.arm_under(&when, a), self.arm_under(&otherwise, b));
            // One arm may be what the other one is where it is chosen: `x == 0 ? 0 : x`, `c ? 1 : zext(c)`.
            if self.arm_under(&when, b) == a {
                return b;
            }
            if self.arm_under(&otherwise, a) == b {
                return a;
            }
        }
        if a == b {
            return a;
        }
        if self.width(a) == 1 {
            return self.truth_ite(c, a, b);
        }
        if let Some(result) = self.ite_of_constants(c, a, b) {
            return result;
        }
        self.intern(Node::Ite(c, a, b))
    }

    /// The arm, when its own choice is by the same condition.
    fn chosen_arm(&self, c: Term, arm: Term, holds: bool) -> Term {
        match *self.node(arm) {
            Node::Ite(inner, x, y) if inner == c => {
                if holds {
                    x
                } else {
                    y
                }
            }
            _ => arm,
        }
    }

    /// What holds where the condition has this value.
    fn assumed(&self, condition: Term, holds: bool) -> Assumed {
        let mut assumed = Assumed::default();
        let mut todo: SmallVec<[(Term, bool); BUDGETS.terms.arm_literals]> =
            SmallVec::from_slice(&[(condition, holds)]);
        while let Some((t, holds)) = todo.pop() {
            match *self.node(t) {
                Node::Not(inner) => todo.push((inner, !holds)),
                Node::Binary(op, x, y)
                    if op == (if holds { BinOp::And } else { BinOp::Or })
                        && assumed.literals.len() + todo.len() + 2 <= BUDGETS.terms.arm_literals =>
                {
                    todo.extend([(y, holds), (x, holds)]);
                }
                Node::Cmp(CmpOp::Eq, x, k) if holds && self.as_const_wide(k).is_some() => {
                    assumed.equal.get_or_insert((x, k));
                    assumed.literals.push((t, holds));
                }
                _ => assumed.literals.push((t, holds)),
            }
        }
        assumed
    }

    /// An arm as it is where it is chosen. Looks at a bounded number of its nodes.
    fn arm_under(&mut self, assumed: &Assumed, arm: Term) -> Term {
        let mut left = BUDGETS.terms.arm_nodes;
        self.guarded(|pool| pool.under(assumed, arm, &mut left)).unwrap_or(arm)
    }

    /// The truth value that a term has, if it is one of the conditions that are known, or the complement of one.
    fn decided(&self, assumed: &Assumed, t: Term) -> Option<bool> {
        assumed.literals.iter().find_map(|&(known, holds)| match known == t {
            true => Some(holds),
            false => self.complementary(known, t).then_some(!holds),
        })
    }

    fn under(&mut self, assumed: &Assumed, t: Term, left: &mut u32) -> Term {
        if let Some(holds) = self.decided(assumed, t) {
            return self.bool(holds);
        }
        if let Some((x, k)) = assumed.equal
            && x == t
        {
            return k;
        }
        if *left == 0 {
            return t;
        }
        *left -= 1;
        match *self.node(t) {
            Node::Ite(c, x, y) if let Some(holds) = self.decided(assumed, c) => {
                self.under(assumed, if holds { x } else { y }, left)
            }
            node => {
                let old: SmallVec<[Term; 3]> = node.children().collect();
                let mut new = old.clone();
                // Of a choice the arms first: the condition is mostly another one.
                for i in (0..new.len()).rev() {
                    new[i] = self.under(assumed, old[i], left);
                }
                if new == old {
                    return t;
                }
                self.rebuild(node, |c| old.iter().position(|&o| o == c).map_or(c, |at| new[at]))
            }
        }
    }

    /// Choices between 0 and 1, or 0 and -1, are extensions of the condition.
    fn ite_of_constants(&mut self, c: Term, a: Term, b: Term) -> Option<Term> {
        let values = self.both_const(a, b)?;
        let width = self.width(a);
        let ones = mask(width);
        match values {
            (1, 0) => Some(self.zext(c, width)),
            (x, 0) if x == ones => Some(self.sext(c, width)),
            (0, 1) => {
                let c = self.not(c);
                Some(self.zext(c, width))
            }
            (0, y) if y == ones => {
                let c = self.not(c);
                Some(self.sext(c, width))
            }
            _ => None,
        }
    }

    /// Choices between truth values with a constant arm, or an arm that repeats the condition, are connectives.
    fn truth_ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        let not_c = self.not(c);
        if a == c || self.is_true(a) {
            return self.binary(BinOp::Or, c, b);
        }
        if a == not_c || self.is_false(a) {
            return self.binary(BinOp::And, not_c, b);
        }
        if b == c || self.is_false(b) {
            return self.binary(BinOp::And, c, a);
        }
        if b == not_c || self.is_true(b) {
            return self.binary(BinOp::Or, not_c, a);
        }
        self.intern(Node::Ite(c, a, b))
    }
}
