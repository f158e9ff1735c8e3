//! What a symbolic path assumes of the inputs (Bergan 2.3, figure 2.3: the path constraint `C`).
//!
//! Two things are kept apart. The *constraints* are everything the solver may use. The *decided* conditions are those
//! that an instruction of this path asked for: only they are answered without being asked again. An input constraint
//! assumed before the run is a constraint but not decided, so that each condition that follows from it is still asked
//! for, and recorded, where the path relies on it.

use std::rc::Rc;

use icsched_smt::{Node, Term, TermPool};
use rustc_hash::FxHashMap;

use crate::initial::root::Places;
use crate::pointers::alternative::Alternative;
use crate::summaries::beginning::LoopBeginning;
use icsched_machine::abstraction::Passage;
use icsched_machine::memory::ObjectId;

/// The assumptions of one path. Cloning is O(1); the first assumption after a clone copies the list.
#[derive(Clone, Default, Debug)]
pub struct SymPath {
    inner: Rc<Inner>,
}

#[derive(Clone, Default, Debug)]
struct Inner {
    constraints: Vec<Term>,
    /// What observed conditions say of each other and of the inputs, the outcomes of floating-point comparisons being
    /// inputs.
    outcomes: Vec<Term>,
    /// How many of the constraints hold wherever the path's executions begin.
    facts: usize,
    /// What else holds in all executions that have not ended.
    checked: Vec<Term>,
    decided: FxHashMap<Term, bool>,
    /// Pointers of the initial state that were used, and where they may point.
    exposed: FxHashMap<Term, Rc<[Alternative]>>,
    /// The same pointers, in the order in which they were.
    order: Vec<Term>,
    /// What that says, as constraints: taken for granted of every pointer.
    granted: Vec<Term>,
    primaries: Vec<Primary>,
    /// The loops that were replaced on the path, in order.
    forgotten: Vec<Passage>,
    /// What those of them began with that leave the same behind whenever they begin with it.
    beginnings: FxHashMap<LoopBeginning, Passage>,
}

/// An object of the initial state that the path knows of (the list `A` of Bergan's figure 2.6).
#[derive(Clone, Debug)]
pub(crate) struct Primary {
    pub(crate) object: ObjectId,
    /// Where the byte at `origin` may be, as points-to analysis names places.
    pub(crate) places: Places,
    pub(crate) origin: u64,
}

impl SymPath {
    /// A path that starts from an input constraint. Nothing counts as decided.
    pub fn assuming(pool: &TermPool, constraint: Term) -> Self {
        let mut path = SymPath::default();
        path.constrain(pool, constraint);
        path
    }

    /// The constraints in the order they were added, none twice in a row, none constant true.
    pub fn constraints(&self) -> &[Term] {
        &self.inner.constraints
    }

    /// Adds a constraint that no instruction asked for (bounds of inputs, an input constraint). Conjunctions are split.
    pub fn constrain(&mut self, pool: &TermPool, condition: Term) {
        let inner = Rc::make_mut(&mut self.inner);
        push_conjuncts(pool, condition, &mut inner.constraints);
    }

    /// Adds a condition that an instruction asked for; [`decided`](Self::decided) answers it from now on, and its
    /// negation. `condition` is the question, `taken` the answer.
    pub fn decide(&mut self, pool: &mut TermPool, condition: Term, taken: bool) {
        let negated = pool.not(condition);
        let holds = if taken { condition } else { negated };
        let inner = Rc::make_mut(&mut self.inner);
        inner.decided.insert(condition, taken);
        inner.decided.insert(negated, !taken);
        push_conjuncts(pool, holds, &mut inner.constraints);
    }

    /// All constraints so far hold wherever executions begin.
    pub fn begin(&mut self) {
        let inner = Rc::make_mut(&mut self.inner);
        inner.facts = inner.constraints.len();
    }

    /// Adds a condition without which executions end at once, where it was decided.
    pub fn check(&mut self, condition: Term) {
        Rc::make_mut(&mut self.inner).checked.push(condition);
    }

    /// Constraints that hold in all executions that have come as far, whatever else they have decided: what holds where
    /// they begin, and what they would have ended without.
    pub(crate) fn certain(&self) -> impl Iterator<Item = Term> + Clone + '_ {
        self.inner.constraints[..self.inner.facts].iter().chain(&self.inner.checked).copied()
    }

    /// The same for a condition on floating-point numbers, comparisons of which are inputs of their own (design
    /// decision D7): it is no constraint, but its [outcome](Self::outcomes) is known.
    pub fn observe(&mut self, pool: &mut TermPool, condition: Term, taken: bool) {
        let negated = pool.not(condition);
        let outcome = pool.without_floats(if taken { condition } else { negated });
        let inner = Rc::make_mut(&mut self.inner);
        inner.decided.insert(condition, taken);
        inner.decided.insert(negated, !taken);
        push_conjuncts(pool, outcome, &mut inner.outcomes);
    }

    /// The conditions that were observed, with a symbol for each comparison of floating-point numbers
    /// ([`TermPool::without_floats`]). They are not among the [constraints](Self::constraints).
    pub fn outcomes(&self) -> &[Term] {
        &self.inner.outcomes
    }

    /// Where a pointer of the initial state may point, if it was exposed.
    pub(crate) fn exposed(&self, pointer: Term) -> Option<&Rc<[Alternative]>> {
        self.inner.exposed.get(&pointer)
    }

    /// The pointers of the initial state that were exposed, in that order, and the addresses that each may have; of
    /// some only the start of the object that it may be in.
    pub fn exposures(&self) -> impl Iterator<Item = (Term, Vec<u64>)> {
        let addresses =
            |pointer| self.exposed(pointer).map(|a| a.iter().filter(|a| !a.dangling).map(|a| a.constant).collect());
        self.inner.order.iter().map(move |&pointer| (pointer, addresses(pointer).unwrap_or_default()))
    }

    /// Every pointer of the initial state that was exposed.
    pub fn all_exposed(&self) -> impl Iterator<Item = (Term, &Rc<[Alternative]>)> {
        self.inner.exposed.iter().map(|(&pointer, alternatives)| (pointer, alternatives))
    }

    /// Says where a pointer of the initial state may point, if it is used as one; `any`: it points to one of these.
    pub(crate) fn expose(&mut self, pointer: Term, alternatives: Rc<[Alternative]>, any: Term) {
        let inner = Rc::make_mut(&mut self.inner);
        inner.order.push(pointer);
        inner.exposed.insert(pointer, alternatives);
        inner.granted.push(any);
    }

    /// Whether a constraint says no more than that a pointer of the initial state points into some object or is null.
    pub fn is_granted(&self, constraint: Term) -> bool {
        self.inner.granted.contains(&constraint)
    }

    /// The objects of the initial state that the path knows of, globals apart.
    pub(crate) fn primaries(&self) -> &[Primary] {
        &self.inner.primaries
    }

    /// Adds an object of the initial state.
    pub(crate) fn add_primary(&mut self, primary: Primary) {
        Rc::make_mut(&mut self.inner).primaries.push(primary);
    }

    /// Notes that a loop was replaced.
    /// The first loop that began like this, which is about to be replaced: it, if there was none.
    pub(crate) fn first_with(&mut self, beginning: LoopBeginning, passage: Passage) -> Passage {
        match self.inner.beginnings.get(&beginning) {
            Some(&first) => first,
            None => *Rc::make_mut(&mut self.inner).beginnings.entry(beginning).or_insert(passage),
        }
    }

    pub(crate) fn forget(&mut self, passage: Passage) {
        Rc::make_mut(&mut self.inner).forgotten.push(passage);
    }

    /// The loops that were replaced on the path, in order.
    pub fn forgotten(&self) -> &[Passage] {
        &self.inner.forgotten
    }

    /// The answer to a condition that was decided on this path before.
    pub fn decided(&self, condition: Term) -> Option<bool> {
        self.inner.decided.get(&condition).copied()
    }
}

/// Appends the conjuncts of a condition, left to right, except those the list holds already.
pub fn push_conjuncts(pool: &TermPool, condition: Term, out: &mut Vec<Term>) {
    let mut work = vec![condition];
    while let Some(term) = work.pop() {
        match *pool.node(term) {
            Node::Binary(icsched_smt::BinOp::And, a, b) => work.extend([b, a]),
            _ if pool.is_true(term) || out.contains(&term) => {}
            _ => out.push(term),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use icsched_smt::{BinOp, FpOp};

    #[test]
    fn a_clone_does_not_see_later_decisions() {
        let mut pool = TermPool::new();
        let x = pool.symbol("x", 1);
        let mut path = SymPath::default();
        let before = path.clone();
        path.decide(&mut pool, x, false);
        let not_x = pool.not(x);
        assert_eq!(path.decided(x), Some(false));
        assert_eq!(path.decided(not_x), Some(true));
        assert_eq!(path.constraints(), [not_x]);
        assert_eq!(before.decided(x), None);
        assert!(before.constraints().is_empty());
    }

    #[test]
    fn an_input_constraint_decides_nothing() {
        let mut pool = TermPool::new();
        let (x, y) = (pool.symbol("x", 1), pool.symbol("y", 1));
        let both = pool.binary(BinOp::And, x, y);
        let path = SymPath::assuming(&pool, both);
        assert_eq!(path.constraints().len(), 2);
        assert_eq!(path.decided(x), None);
        assert_eq!(path.decided(both), None);
    }

    #[test]
    fn of_an_observed_condition_only_the_outcome_is_known() {
        let mut pool = TermPool::new();
        let (x, a, b) = (pool.symbol("x", 1), pool.symbol("a", 64), pool.symbol("b", 64));
        let is_less = pool.fp(FpOp::FLt, &[a, b]);
        let both = pool.binary(BinOp::And, x, is_less);
        let mut path = SymPath::default();
        path.observe(&mut pool, both, true);
        assert_eq!(path.decided(both), Some(true));
        assert!(path.constraints().is_empty());
        let outcome = pool.without_floats(is_less);
        assert_eq!(path.outcomes().len(), 2);
        assert!(path.outcomes().contains(&x) && path.outcomes().contains(&outcome));
        assert!(!pool.has_float(outcome));
    }
}
