//! Which constraints can influence which: two terms depend on each other when they share a symbol, directly or through
//! other constraints.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::node::Term;
use crate::pool::TermPool;

/// Constraints by the symbols they mention.
pub(crate) struct Dependence {
    symbols: Vec<Arc<[Term]>>,
    users: FxHashMap<Term, Vec<usize>>,
    taken: Vec<bool>,
}

impl Dependence {
    pub(crate) fn new(pool: &TermPool, constraints: &[Term]) -> Self {
        let symbols: Vec<_> = constraints.iter().map(|&c| pool.symbols_of(c)).collect();
        let mut users: FxHashMap<Term, Vec<usize>> = FxHashMap::default();
        for (index, mentioned) in symbols.iter().enumerate() {
            for &symbol in mentioned.iter() {
                users.entry(symbol).or_default().push(index);
            }
        }
        Dependence { taken: vec![false; symbols.len()], symbols, users }
    }

    /// Takes out the constraints that depend on `symbols`, as ascending positions.
    pub(crate) fn take(&mut self, symbols: &[Term]) -> Vec<usize> {
        let mut found = Vec::new();
        let mut todo = symbols.to_vec();
        while let Some(symbol) = todo.pop() {
            // Each symbol is followed once: its users are gone afterwards.
            for index in self.users.remove(&symbol).unwrap_or_default() {
                if !std::mem::replace(&mut self.taken[index], true) {
                    found.push(index);
                    todo.extend(self.symbols[index].iter().copied());
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Takes out the first constraint left and all that depend on it.
    pub(crate) fn take_next(&mut self) -> Option<Vec<usize>> {
        let first = self.taken.iter().position(|&taken| !taken)?;
        let symbols = self.symbols[first].clone();
        let mut found = self.take(&symbols);
        if !std::mem::replace(&mut self.taken[first], true) {
            found.push(first);
        }
        Some(found)
    }
}
