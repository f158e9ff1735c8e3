//! Which constraints can influence which: two terms depend on each other when they share a symbol, directly or through
//! other constraints.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::budgets::BUDGETS;
use crate::terms::node::Term;
use crate::terms::pool::TermPool;

/// Finds the constraints that one condition depends on; keeps nothing between queries but memory.
#[derive(Debug, Default)]
pub(crate) struct Slicer {
    /// By index of the term: the number of the query in which it was reached.
    reached: Vec<u32>,
    query: u32,
    sets: Vec<Option<Arc<[Term]>>>,
}

impl Slicer {
    /// The constraints that `extra` depends on, in their order, and `extra`.
    pub(crate) fn slice(&mut self, pool: &TermPool, constraints: &[Term], extra: Term) -> Vec<Term> {
        let symbols = pool.symbols_of(extra);
        let mut terms: Vec<Term> = Vec::with_capacity(constraints.len().min(BUDGETS.slicing.scanned_conditions) + 1);
        if constraints.len() > BUDGETS.slicing.scanned_conditions {
            let relevant = Dependence::new(pool, constraints).take(&symbols);
            terms.extend(relevant.into_iter().map(|index| constraints[index]));
        } else {
            self.reach(pool, &symbols);
            self.sets.clear();
            self.sets.extend(constraints.iter().map(|&c| Some(pool.symbols_of(c))));
            self.close();
            let taken = constraints.iter().zip(&self.sets).filter(|(_, set)| set.is_none());
            terms.extend(taken.map(|(&c, _)| c));
        }
        terms.push(extra);
        terms
    }

    /// Begins a query that reaches these symbols.
    fn reach(&mut self, pool: &TermPool, symbols: &[Term]) {
        self.reached.resize(pool.len(), 0);
        self.query = self.query.wrapping_add(1);
        if self.query == 0 {
            self.reached.fill(0);
            self.query = 1;
        }
        for s in symbols {
            self.reached[s.index()] = self.query;
        }
    }

    /// Takes sets with a symbol that is reached until there is none left.
    fn close(&mut self) {
        let mut again = true;
        while std::mem::take(&mut again) {
            for slot in &mut self.sets {
                if slot.as_ref().is_some_and(|set| set.iter().any(|s| self.reached[s.index()] == self.query)) {
                    for s in slot.take().iter().flat_map(|set| set.iter()) {
                        again |= std::mem::replace(&mut self.reached[s.index()], self.query) != self.query;
                    }
                }
            }
        }
    }
}

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
