//! Evaluation of many terms under one assignment after another, without an allocation per assignment: values lie in a
//! vector by index of the term, and a stamp says which of them belong to the current assignment.

use crate::terms::model::Model;
use crate::terms::node::{Node, Term};
use crate::terms::pool::TermPool;

/// Values under the current assignment: a model, with some symbols set to something else.
#[derive(Debug, Default)]
pub(crate) struct DenseEvaluation {
    /// Value and stamp, by index of the term.
    values: Vec<(u128, u32)>,
    /// Stamp of the current assignment; 0 is no assignment's.
    stamp: u32,
    stack: Vec<Term>,
    /// Nodes evaluated since the caller set it.
    pub(crate) evaluated: u64,
}

impl DenseEvaluation {
    /// Begins another assignment. Until the next call `value` must be given the same model.
    pub(crate) fn restart(&mut self, pool: &TermPool) {
        self.values.resize(pool.len(), (0, 0));
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.values.fill((0, 0));
            self.stamp = 1;
        }
    }

    /// Sets a symbol, before anything is evaluated.
    pub(crate) fn set(&mut self, symbol: Term, bits: u128) {
        self.values[symbol.index()] = (bits, self.stamp);
    }

    /// The value of a term below one that was evaluated under this assignment.
    pub(crate) fn known(&self, t: Term) -> u128 {
        self.values[t.index()].0
    }

    /// The value of a term; 0 for arrays.
    pub(crate) fn value(&mut self, pool: &TermPool, t: Term, model: &Model) -> u128 {
        self.stack.push(t);
        while let Some(&u) = self.stack.last() {
            if self.values[u.index()].1 == self.stamp {
                self.stack.pop();
                continue;
            }
            let node = *pool.node(u);
            let waiting = self.stack.len();
            if !matches!(node, Node::Const { .. } | Node::Symbol { .. }) {
                let missing = node.children().filter(|c| self.values[c.index()].1 != self.stamp);
                self.stack.extend(missing);
            }
            if self.stack.len() == waiting {
                let value = pool.value_of(node, model, |c| self.values[c.index()].0);
                self.values[u.index()] = (value, self.stamp);
                self.evaluated += 1;
                self.stack.pop();
            }
        }
        self.known(t)
    }
}
