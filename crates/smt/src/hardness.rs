//! What solvers need long for: products and quotients.

use crate::node::{BinOp, Node, Term};
use crate::pool::TermPool;

/// Hard is one product of unknowns, or two divisions by constants of each other.
const HARD: u8 = 2;

impl TermPool {
    /// Whether a term is a product, a quotient or a remainder of two numbers that both are no constants.
    pub fn is_product(&self, t: Term) -> bool {
        self.multiplies_unknowns(self.node(t))
    }

    /// Whether solvers need long to reason about the term: there are products, quotients or remainders of unknowns in it, or quotients
    /// and remainders by constants of each other. O(1).
    pub fn is_hard(&self, t: Term) -> bool {
        self.facts(t).hardness >= HARD
    }

    /// Whether a node is the quotient or the remainder of an unknown by a constant that is no power of two.
    pub(crate) fn divides_by_constant(&self, node: &Node) -> bool {
        let Node::Binary(op, a, b) = *node else { return false };
        op.divides() && self.as_const_wide(a).is_none() && self.as_const_wide(b).is_some_and(|by| !by.is_power_of_two())
    }

    /// What [`is_hard`](Self::is_hard) counts up to.
    pub(crate) fn hardness_of(&self, node: &Node) -> u8 {
        let of_operands = node.children().map(|c| self.facts(c).hardness).max().unwrap_or_default();
        let own = if self.multiplies_unknowns(node) { HARD } else { u8::from(self.divides_by_constant(node)) };
        (of_operands + own).min(HARD)
    }

    fn multiplies_unknowns(&self, node: &Node) -> bool {
        let Node::Binary(op, a, b) = *node else { return false };
        (op == BinOp::Mul || op.divides()) && self.as_const_wide(a).is_none() && self.as_const_wide(b).is_none()
    }
}
