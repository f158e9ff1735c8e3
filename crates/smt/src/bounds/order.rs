//! What comparisons say of each other whatever their operands are: `a < b && b < c` says that `a < c`, and contradicts
//! `c <= a`. A back end blasts them to bits, and takes long for what a look at the circle shows.

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::FxHashMap;

use crate::budgets::BUDGETS;
use crate::terms::node::{CmpOp, Node, Term};
use crate::terms::pool::TermPool;

/// What follows from the comparisons among some conditions. Signed and unsigned ones are kept apart; constants have no
/// values here.
pub(crate) struct Orders {
    signed: Order,
    unsigned: Order,
}

impl Orders {
    /// O(conditions).
    pub(crate) fn of(pool: &TermPool, conditions: impl Iterator<Item = Term> + Clone) -> Self {
        Self { signed: Order::of(pool, conditions.clone(), true), unsigned: Order::of(pool, conditions, false) }
    }

    /// Whether the order that conditions say is impossible. O(conditions).
    pub(crate) fn are_circular(pool: &TermPool, conditions: &[Term]) -> bool {
        Self::of(pool, conditions.iter().copied()).contradict(pool, conditions)
    }

    /// Whether conditions, those that were looked at, contradict each other: a term is less than itself, or two that
    /// differ are each at most the other. O(conditions).
    pub(crate) fn contradict(&self, pool: &TermPool, conditions: &[Term]) -> bool {
        [&self.signed, &self.unsigned].into_iter().any(|order| order.is_circular(pool, conditions))
    }

    /// Whether a condition follows, or its negation. O(comparisons) for each term that is asked about.
    pub(crate) fn decide(&mut self, pool: &TermPool, condition: Term) -> Option<bool> {
        let (condition, is_positive) = match *pool.node(condition) {
            Node::Not(inner) => (inner, false),
            _ => (condition, true),
        };
        let Node::Cmp(op, a, b) = *pool.node(condition) else { return None };
        let decided = match op {
            CmpOp::Slt => self.signed.is_less(a, b),
            CmpOp::Sle => self.signed.is_less(b, a).map(|less| !less),
            CmpOp::Ult => self.unsigned.is_less(a, b),
            CmpOp::Ule => self.unsigned.is_less(b, a).map(|less| !less),
            CmpOp::Eq => self.signed.is_equal(a, b).or_else(|| self.unsigned.is_equal(a, b)),
        };
        decided.map(|holds| holds == is_positive)
    }
}

/// How far a term is above another one, as far as comparisons say.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Above {
    Unknown,
    AtLeast,
    Greater,
}

/// Terms, with an edge to what is at least as great; its weight says whether it is greater.
struct Order {
    graph: DiGraph<(), bool>,
    places: FxHashMap<Term, NodeIndex>,
    /// How far each term is above those that were asked about.
    above: FxHashMap<NodeIndex, Vec<Above>>,
}

impl Order {
    fn of(pool: &TermPool, conditions: impl Iterator<Item = Term> + Clone, is_signed: bool) -> Self {
        let mut order = Self { graph: DiGraph::new(), places: FxHashMap::default(), above: FxHashMap::default() };
        for condition in conditions.clone() {
            let Node::Cmp(op, low, high) = *pool.node(condition) else { continue };
            match (op, is_signed) {
                (CmpOp::Slt, true) | (CmpOp::Ult, false) => order.add(low, high, true),
                (CmpOp::Sle, true) | (CmpOp::Ule, false) => order.add(low, high, false),
                (CmpOp::Eq, _) => {
                    order.add(low, high, false);
                    order.add(high, low, false);
                }
                _ => {}
            }
        }
        let different = conditions.filter_map(|condition| unequal(pool, condition));
        for (a, b) in different {
            let Some((&a, &b)) = order.places.get(&a).zip(order.places.get(&b)) else { continue };
            for (low, high) in [(a, b), (b, a)] {
                if let Some(edge) = order.graph.find_edge(low, high) {
                    order.graph[edge] = true;
                }
            }
        }
        order
    }

    fn add(&mut self, low: Term, high: Term, is_strict: bool) {
        let (low, high) = (self.place(low), self.place(high));
        self.graph.add_edge(low, high, is_strict);
    }

    fn place(&mut self, t: Term) -> NodeIndex {
        *self.places.entry(t).or_insert_with(|| self.graph.add_node(()))
    }

    fn is_circular(&self, pool: &TermPool, conditions: &[Term]) -> bool {
        let mut circle = vec![0; self.graph.node_count()];
        for (number, members) in tarjan_scc(&self.graph).into_iter().enumerate() {
            members.into_iter().for_each(|member| circle[member.index()] = number);
        }
        let same = |a: NodeIndex, b: NodeIndex| circle[a.index()] == circle[b.index()];
        let is_strict = |edge: &petgraph::graph::Edge<bool>| edge.weight && same(edge.source(), edge.target());
        let differ = |&condition: &Term| {
            let places = unequal(pool, condition).and_then(|(a, b)| self.places.get(&a).zip(self.places.get(&b)));
            places.is_some_and(|(&a, &b)| same(a, b))
        };
        self.graph.raw_edges().iter().any(is_strict) || conditions.iter().any(differ)
    }

    /// Whether `a < b`, if that is known.
    fn is_less(&mut self, a: Term, b: Term) -> Option<bool> {
        match (self.above(a, b), self.above(b, a)) {
            (Above::Greater, _) => Some(true),
            (_, Above::AtLeast | Above::Greater) => Some(false),
            _ => None,
        }
    }

    fn is_equal(&mut self, a: Term, b: Term) -> Option<bool> {
        match (self.above(a, b), self.above(b, a)) {
            (Above::Greater, _) | (_, Above::Greater) => Some(false),
            (Above::AtLeast, Above::AtLeast) => Some(true),
            _ => None,
        }
    }

    /// How far `high` is above `low`.
    fn above(&mut self, low: Term, high: Term) -> Above {
        let Some((&low, &high)) = self.places.get(&low).zip(self.places.get(&high)) else { return Above::Unknown };
        if self.graph.node_count() > BUDGETS.bounds.ordered_terms {
            return Above::Unknown;
        }
        let graph = &self.graph;
        self.above.entry(low).or_insert_with(|| all_above(graph, low))[high.index()]
    }
}

/// The terms that a condition says are not equal.
fn unequal(pool: &TermPool, condition: Term) -> Option<(Term, Term)> {
    let Node::Not(inner) = *pool.node(condition) else { return None };
    let Node::Cmp(CmpOp::Eq, a, b) = *pool.node(inner) else { return None };
    Some((a, b))
}

/// How far each term is above one.
fn all_above(graph: &DiGraph<(), bool>, low: NodeIndex) -> Vec<Above> {
    let mut above = vec![Above::Unknown; graph.node_count()];
    let mut todo = vec![(low, Above::AtLeast)];
    while let Some((at, known)) = todo.pop() {
        if above[at.index()] >= known {
            continue;
        }
        above[at.index()] = known;
        let mut edges = graph.neighbors(at).detach();
        while let Some((edge, next)) = edges.next(graph) {
            todo.push((next, if graph[edge] { Above::Greater } else { known }));
        }
    }
    above
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contradicts(pool: &TermPool, conditions: &[Term]) -> bool {
        Orders::of(pool, conditions.iter().copied()).contradict(pool, conditions)
    }

    #[test]
    fn a_circle_of_comparisons_is_a_contradiction_if_one_is_strict() {
        let mut pool = TermPool::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| pool.symbol(name, 64));
        let (ab, bc, ca) = (pool.cmp(CmpOp::Sle, a, b), pool.cmp(CmpOp::Slt, b, c), pool.cmp(CmpOp::Sle, c, a));
        let weak = pool.cmp(CmpOp::Sle, b, c);
        assert!(contradicts(&pool, &[ab, bc, ca]));
        assert!(!contradicts(&pool, &[ab, weak, ca]));
        assert!(!contradicts(&pool, &[ab, bc]));
    }

    #[test]
    fn what_is_at_most_each_other_does_not_differ() {
        let mut pool = TermPool::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| pool.symbol(name, 64));
        let (ab, ba, equal) = (pool.cmp(CmpOp::Ule, a, b), pool.cmp(CmpOp::Ule, b, c), pool.cmp(CmpOp::Eq, c, a));
        let same = pool.cmp(CmpOp::Eq, a, b);
        let differ = pool.not(same);
        assert!(contradicts(&pool, &[ab, ba, equal, differ]));
        assert!(!contradicts(&pool, &[ab, ba, differ]));
        // `a < b`, since they differ.
        let not_above = pool.cmp(CmpOp::Ule, b, a);
        assert_eq!(Orders::of(&pool, [ab, differ].into_iter()).decide(&pool, not_above), Some(false));
    }

    #[test]
    fn what_follows_is_decided() {
        let mut pool = TermPool::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|name| pool.symbol(name, 64));
        let conditions = [pool.cmp(CmpOp::Sle, a, b), pool.cmp(CmpOp::Slt, b, c), pool.cmp(CmpOp::Sle, b, a)];
        let mut orders = Orders::of(&pool, conditions.iter().copied());
        let mut decide = |op, a, b| {
            let condition = pool.cmp(op, a, b);
            let negation = pool.not(condition);
            let decided = orders.decide(&pool, condition);
            assert_eq!(orders.decide(&pool, negation), decided.map(|holds| !holds));
            decided
        };
        assert_eq!(decide(CmpOp::Slt, a, c), Some(true));
        assert_eq!(decide(CmpOp::Sle, c, a), Some(false));
        assert_eq!(decide(CmpOp::Slt, a, b), Some(false));
        assert_eq!(decide(CmpOp::Eq, a, b), Some(true));
        assert_eq!(decide(CmpOp::Eq, a, c), Some(false));
        assert_eq!(decide(CmpOp::Ult, a, c), None);
        assert_eq!(decide(CmpOp::Slt, a, d), None);
    }

    #[test]
    fn signed_and_unsigned_comparisons_are_not_mixed() {
        let mut pool = TermPool::new();
        let [a, b] = ["a", "b"].map(|name| pool.symbol(name, 64));
        let (below, above) = (pool.cmp(CmpOp::Slt, a, b), pool.cmp(CmpOp::Ult, b, a));
        assert!(!contradicts(&pool, &[below, above]));
    }
}
