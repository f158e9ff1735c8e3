//! Simultaneous replacement of subterms.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::node::{Sort, Term};
use crate::pool::TermPool;

/// What to replace by what; usually symbols by values. Old and new have one sort.
pub type Substitution = BTreeMap<Term, Term>;

impl TermPool {
    /// The condition with every comparison of floats replaced by a symbol of its own, the same wherever it stands: what is impossible for
    /// any outcomes of them is impossible. Linear in the size of the term's graph. `t` is one bit wide.
    pub fn without_floats(&mut self, t: Term) -> Term {
        self.split_floats(t).0
    }

    /// [`TermPool::without_floats`], with the comparisons that were replaced, each once, and their symbols.
    pub fn split_floats(&mut self, t: Term) -> (Term, Vec<(Term, Term)>) {
        if !self.has_float(t) {
            return (t, Vec::new());
        }
        let mut outcomes = Vec::new();
        let mut new: FxHashMap<Term, Term> = FxHashMap::default();
        // A connective is looked into; any other condition on floats is an outcome.
        let is_connective = |pool: &Self, t: Term| {
            let node = *pool.node(t);
            let mut children = node.children();
            children.next().is_some() && node.children().all(|c| pool.sort(c) == Sort::Bv(1))
        };
        let is_leaf = |pool: &Self, t: Term| !pool.has_float(t) || !is_connective(pool, t);
        for t in self.postorder(&[t], |t| is_leaf(self, t)) {
            let node = *self.node(t);
            for child in node.children() {
                new.entry(child).or_insert_with(|| match self.has_float(child) {
                    true => self.outcome(child, &mut outcomes),
                    false => child,
                });
            }
            let result = self.rebuild(node, |c| new[&c]);
            new.insert(t, result);
        }
        if let Some(&done) = new.get(&t) {
            return (done, outcomes);
        }
        let symbol = self.outcome(t, &mut outcomes);
        (symbol, outcomes)
    }

    fn outcome(&mut self, comparison: Term, outcomes: &mut Vec<(Term, Term)>) -> Term {
        let symbol = self.symbol(&format!("outcome of {}", comparison.index()), 1);
        outcomes.push((comparison, symbol));
        symbol
    }

    /// The terms with every product and quotient of two unknown numbers replaced by a symbol of its own, the same wherever it stands: what is
    /// impossible whatever they are is impossible. Linear in the size of the terms' graph.
    pub fn without_products(&mut self, terms: &[Term]) -> Vec<Term> {
        let products: Vec<Term> =
            self.postorder(terms, |_| false).into_iter().filter(|&t| self.is_product(t)).collect();
        let mut map = Substitution::new();
        for product in products {
            let symbol = self.symbol(&format!("product {}", product.index()), self.width(product));
            map.insert(product, symbol);
        }
        self.substitute_all(terms, &map)
    }

    /// The term with every occurrence of a key of `map` replaced by its value, simplified anew. Replacements are
    /// simultaneous: values are not searched for keys. Linear in the size of the term's graph.
    pub fn substitute(&mut self, t: Term, map: &Substitution) -> Term {
        self.substitute_all(&[t], map)[0]
    }

    /// [`TermPool::substitute`] for several terms, sharing the work on what they share.
    pub fn substitute_all(&mut self, terms: &[Term], map: &Substitution) -> Vec<Term> {
        let mut new: FxHashMap<Term, Term> = FxHashMap::default();
        for (&from, &to) in map {
            assert_eq!(self.sort(from), self.sort(to), "substitution keeps sorts");
            new.insert(from, to);
        }
        for t in self.postorder(terms, |t| map.contains_key(&t)) {
            let node = *self.node(t);
            let changed = node.children().any(|c| new[&c] != c);
            let result = if changed { self.rebuild(node, |c| new[&c]) } else { t };
            new.insert(t, result);
        }
        terms.iter().map(|t| new[t]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::{BinOp, CmpOp};

    #[test]
    fn products_of_unknowns_become_symbols_and_those_with_constants_stay() {
        let mut pool = TermPool::new();
        let (a, b, three) = (pool.symbol("a", 32), pool.symbol("b", 32), pool.constant(32, 3));
        let product = pool.binary(BinOp::Mul, a, b);
        let sum = pool.binary(BinOp::Add, product, a);
        let (turn, tripled) = (pool.binary(BinOp::URem, sum, three), pool.binary(BinOp::Mul, a, three));
        let same = pool.cmp(CmpOp::Eq, turn, product);
        let [without, alone, kept] = pool.without_products(&[same, product, tripled])[..] else { panic!("three") };
        assert_eq!(kept, tripled);
        assert!(pool.symbol_name(alone).is_some_and(|name| name.starts_with("product ")));
        let again = pool.binary(BinOp::Add, alone, a);
        let again = pool.binary(BinOp::URem, again, three);
        assert_eq!(pool.cmp(CmpOp::Eq, again, alone), without, "it has one symbol wherever it stands");
        // Of nested ones, the outermost is replaced.
        let cubed = pool.binary(BinOp::Mul, product, b);
        let cubed = pool.without_products(&[cubed])[0];
        assert_eq!(pool.symbols_of(cubed)[..], [cubed]);
    }
}
