//! Simultaneous replacement of subterms.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::terms::node::{Node, Sort, Term};
use crate::terms::pool::TermPool;

/// What to replace by what; usually symbols by values. Old and new have one sort.
pub type Substitution = BTreeMap<Term, Term>;

impl TermPool {
    /// The term with every comparison of floats, and every number that is computed from floats, replaced by a symbol of
    /// its own, the same wherever it stands: what is impossible whatever they are is impossible. Linear in the size of
    /// the term's graph.
    pub fn without_floats(&mut self, t: Term) -> Term {
        if !self.has_float(t) {
            return t;
        }
        let is_float = |t: Term| matches!(self.node(t), Node::FpUnary(..) | Node::FpBinary(..));
        let floats = self.first_of(t, is_float);
        let mut map = Substitution::new();
        for t in floats {
            let symbol = self.symbol(&format!("outcome of {}", t.index()), self.width(t));
            map.insert(t, symbol);
        }
        self.substitute(t, &map)
    }

    /// The conditions on floats that a condition is put together from.
    pub fn float_conditions(&self, t: Term) -> Vec<Term> {
        let is_connective = |t: Term| {
            let mut children = self.node(t).children();
            self.node(t).children().next().is_some() && children.all(|c| self.sort(c) == Sort::Bv(1))
        };
        let mut conditions = self.first_of(t, |t| !is_connective(t));
        conditions.retain(|&t| self.has_float(t));
        conditions
    }

    /// The terms from a root down that are looked for, each once, and none that is only below another one.
    fn first_of(&self, root: Term, is_wanted: impl Fn(Term) -> bool) -> Vec<Term> {
        if is_wanted(root) {
            return vec![root];
        }
        let others = self.postorder(&[root], |t| !self.has_float(t) || is_wanted(t));
        let mut seen = FxHashSet::default();
        let children = others.iter().flat_map(|&t| self.node(t).children());
        children.filter(|&t| is_wanted(t) && seen.insert(t)).collect()
    }

    /// The terms with every product and quotient of two unknown numbers replaced by a symbol of its own, the same
    /// wherever it stands: what is impossible whatever they are is impossible. Linear in the size of the terms' graph.
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
    use crate::terms::node::{BinOp, CmpOp, FpOp};

    #[test]
    fn what_is_computed_from_floats_becomes_a_symbol() {
        let mut pool = TermPool::new();
        let (a, b, n) = (pool.symbol("a", 64), pool.symbol("b", 64), pool.symbol("n", 32));
        let sum = pool.fp(FpOp::FAdd, &[a, b]);
        let (cell, less) = (pool.fp(FpOp::FpToSi(32), &[sum]), pool.fp(FpOp::FLt, &[a, sum]));
        let (same, ten) = (pool.cmp(CmpOp::Eq, cell, n), pool.constant(32, 10));
        let small = pool.cmp(CmpOp::Slt, cell, ten);
        let or = pool.binary(BinOp::Or, same, less);
        let all = pool.binary(BinOp::And, or, small);
        let without = pool.without_floats(all);
        assert!(!pool.has_float(without));
        // The same number each time, as wide as it is, and nothing else is lost.
        let (cell, less) = (pool.without_floats(cell), pool.without_floats(less));
        assert_eq!((pool.width(cell), pool.width(less)), (32, 1));
        let (same, small) = (pool.cmp(CmpOp::Eq, cell, n), pool.cmp(CmpOp::Slt, cell, ten));
        let or = pool.binary(BinOp::Or, same, less);
        assert_eq!(pool.binary(BinOp::And, or, small), without);
        let mut conditions = pool.float_conditions(all);
        conditions.sort_unstable();
        assert_eq!(conditions.len(), 3, "two comparisons of numbers and one of floats");
        assert_eq!(pool.without_floats(n), n);
        assert_eq!(pool.float_conditions(n), []);
    }

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
