//! Which symbols a term mentions.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::terms::node::{Node, Term};
use crate::terms::pool::TermPool;

impl TermPool {
    /// The symbols and array symbols in a term, sorted by handle, each once.
    ///
    /// Remembered per term asked about; the first time linear in the part of the graph not below a remembered term.
    pub fn symbols_of(&self, t: Term) -> Arc<[Term]> {
        if let Some(known) = self.symbols.borrow().get(&t) {
            return known.clone();
        }
        for operand in self.node(t).children() {
            if !self.symbols.borrow().contains_key(&operand) {
                self.collect_symbols(operand);
            }
        }
        self.collect_symbols(t)
    }

    /// The symbol or array symbol of a term that has just one. Linear in the part of the graph that is looked at until
    /// there is another one.
    pub fn only_symbol(&self, t: Term) -> Option<Term> {
        let (mut only, mut seen, mut work) = (None, FxHashSet::default(), vec![t]);
        while let Some(next) = work.pop() {
            if matches!(self.node(next), Node::Symbol { .. } | Node::ArraySymbol { .. }) {
                if only.is_some_and(|known| known != next) {
                    return None;
                }
                only = Some(next);
            } else if seen.insert(next) {
                work.extend(self.node(next).children());
            }
        }
        only
    }

    fn collect_symbols(&self, t: Term) -> Arc<[Term]> {
        let mut memo = self.symbols.borrow_mut();
        let mut found = Vec::new();
        let visited = self.postorder(&[t], |u| memo.contains_key(&u));
        for &u in &visited {
            if matches!(self.node(u), Node::Symbol { .. } | Node::ArraySymbol { .. }) {
                found.push(u);
            }
            let known = self.node(u).children().filter_map(|c| memo.get(&c));
            found.extend(known.flat_map(|symbols| symbols.iter().copied()));
        }
        found.sort_unstable();
        found.dedup();
        let symbols: Arc<[Term]> = found.into();
        memo.insert(t, symbols.clone());
        symbols
    }
}
