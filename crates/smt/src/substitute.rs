//! Simultaneous replacement of subterms.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::node::Term;
use crate::pool::TermPool;

/// What to replace by what; usually symbols by values. Old and new have one sort.
pub type Substitution = BTreeMap<Term, Term>;

impl TermPool {
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
