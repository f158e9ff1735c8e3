//! What solvers need long for: products, quotients and remainders.

use crate::terms::node::{BinOp, Node};
use crate::terms::table::TermTable;

/// Hard is one product of unknowns, or two divisions by constants of each other.
const HARD: u8 = 2;

/// Whether so much hardness makes a term hard.
pub(super) const fn is_hard(hardness: u8) -> bool {
    hardness >= HARD
}

/// The hardness of a term with this node: what its hardest operand has and what the node adds, up to `HARD`.
pub(super) fn of_node(table: &TermTable, node: &Node) -> u8 {
    let of_operands = node.children().map(|c| table.facts(c).hardness).max().unwrap_or_default();
    let own = if multiplies_unknowns(table, node) { HARD } else { u8::from(divides_by_constant(table, node)) };
    (of_operands + own).min(HARD)
}

/// Whether a node is the quotient or the remainder of an unknown by a constant that is no power of two.
pub(super) fn divides_by_constant(table: &TermTable, node: &Node) -> bool {
    let Node::Binary(op, a, b) = *node else { return false };
    op.divides() && table.as_const_wide(a).is_none() && table.as_const_wide(b).is_some_and(|by| !by.is_power_of_two())
}

/// Whether a node is a product, quotient or remainder of two numbers that both are no constants.
pub(super) fn multiplies_unknowns(table: &TermTable, node: &Node) -> bool {
    let Node::Binary(op, a, b) = *node else { return false };
    (op == BinOp::Mul || op.divides()) && table.as_const_wide(a).is_none() && table.as_const_wide(b).is_none()
}
