//! Walks over the term graph with explicit stacks: term depth is bounded by memory, not by the thread's stack.

use rustc_hash::FxHashSet;

use crate::terms::node::{Node, Term};
use crate::terms::pool::TermPool;

impl TermPool {
    /// The terms reachable from `roots`, operands before their users, each once; `done` terms and what is reachable
    /// only through them are left out. The order depends on the structure of the roots alone.
    pub fn postorder(&self, roots: &[Term], done: impl Fn(Term) -> bool) -> Vec<Term> {
        let mut order = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack: Vec<(Term, bool)> = roots.iter().rev().map(|&t| (t, false)).collect();
        while let Some((t, operands_done)) = stack.pop() {
            if operands_done {
                order.push(t);
            } else if !done(t) && seen.insert(t) {
                stack.push((t, true));
                let first = stack.len();
                stack.extend(self.node(t).children().map(|c| (c, false)));
                stack[first..].reverse();
            }
        }
        order
    }

    /// The simplified term for a node whose operands are replaced by `operand` of them.
    pub(crate) fn rebuild(&mut self, node: Node, operand: impl Fn(Term) -> Term) -> Term {
        match node {
            Node::Const { .. } | Node::Symbol { .. } | Node::ArraySymbol { .. } | Node::ConstArray { .. } => {
                self.intern(node)
            }
            Node::Not(a) => self.not(operand(a)),
            Node::Binary(op, a, b) => self.binary(op, operand(a), operand(b)),
            Node::Cmp(op, a, b) => self.cmp(op, operand(a), operand(b)),
            Node::Ite(c, a, b) => self.ite(operand(c), operand(a), operand(b)),
            Node::ZExt { arg, width } => self.zext(operand(arg), width),
            Node::SExt { arg, width } => self.sext(operand(arg), width),
            Node::Extract { arg, hi, lo } => self.extract(operand(arg), hi, lo),
            Node::Concat(a, b) => self.concat(operand(a), operand(b)),
            Node::Select(a, i) => self.select(operand(a), operand(i)),
            Node::Store(a, i, v) => self.store(operand(a), operand(i), operand(v)),
            Node::FpUnary(op, a) => self.fp(op, &[operand(a)]),
            Node::FpBinary(op, a, b) => self.fp(op, &[operand(a), operand(b)]),
        }
    }
}
