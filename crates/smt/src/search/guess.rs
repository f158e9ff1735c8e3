//! Guessing: a query is evaluated under many assignments before (and while) a solver is asked. Computations like hashes
//! are what bit-blasting is worst at, while nearly every input goes through nearly every branch on them.
//!
//! Starts from models that satisfy what they can, and changes the symbols of the newest condition: to constants of the
//! query and their neighbours, to extreme and small values, by single bits, at last to pseudo-random values inside the
//! bounds that the query states. Only ever finds solutions: that nothing was found says nothing.
//!
//! The assignments tried depend on the query and on the models handed in, not on time; work is counted in evaluated
//! nodes.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::budgets::{BUDGETS, GuessEffort};
use crate::search::invert::{Goal, Inversion};
use crate::search::random::Random;
use crate::terms::bits::{mask, sign_bit, signed};
use crate::terms::eval::Evaluation;
use crate::terms::model::{Model, ModelValue};
use crate::terms::node::{CmpOp, Node, Term};
use crate::terms::pool::TermPool;

/// A symbol and the interval that the query's plain comparisons leave to it.
#[derive(Clone, Copy, Debug)]
struct Variable {
    term: Term,
    width: u32,
    /// Values are `start`, ..., `start + span`, modulo 2^width.
    start: u128,
    span: u128,
}

/// Symbols behind each other, and at which bit each begins.
type Parts = SmallVec<[(Term, u32); 8]>;

/// A query laid out for being evaluated again and again: a run ends at the first term that does not hold.
#[derive(Default)]
struct Plan {
    steps: Vec<(Term, Node)>,
    /// Positions in `steps` at which a term of the query is complete, with the term.
    checks: Vec<(usize, Term)>,
    /// The symbols of the newest condition, then the others.
    variables: Vec<Variable>,
    /// How many of the variables are symbols of the newest condition.
    newest: usize,
    /// Numbers of the newest condition that are several symbols behind each other, the largest first, with the symbols
    /// and where they begin.
    words: Vec<(Variable, Parts)>,
    /// The constants, those of the newest condition first.
    constants: Vec<(Term, u128)>,
    /// Symbols and constants seen so far, with the nodes above them.
    leaves: FxHashSet<Term>,
}

/// Guesses solutions of queries about one pool. Keeps nothing between queries but memory.
#[derive(Debug, Default)]
pub(crate) struct Guesser {
    /// Values under the assignment being tried, by index of the term.
    values: Vec<u128>,
    left: u64,
}

impl Guesser {
    /// A model of all `terms`, the last of which is the newest condition; found by changing one of `bases`.
    pub(crate) fn guess(
        &mut self,
        pool: &TermPool,
        terms: &[Term],
        bases: &[impl AsRef<Model>],
        effort: GuessEffort,
    ) -> Option<Model> {
        let plan = Plan::new(pool, terms, effort.nodes)?;
        if plan.variables.is_empty() {
            return None;
        }
        self.values.resize(pool.len(), 0);
        for &(constant, bits) in &plan.constants {
            self.values[constant.index()] = bits;
        }
        let seed = pool.facts(*terms.last()?).structure;
        for (turn, base) in bases.iter().enumerate() {
            let base = base.as_ref();
            self.left = effort.evaluations / bases.len() as u64;
            self.start_from(pool, &plan, base);
            if self.change_one(pool, &plan, base)
                || (effort.invert && self.invert(pool, &plan, base, seed))
                || self.change_many(pool, &plan, base, seed ^ turn as u64)
            {
                let model = self.model(pool, &plan, base);
                let mut known = Evaluation::default();
                return terms.iter().all(|&t| pool.eval_with(t, &model, &mut known) == 1).then_some(model);
            }
        }
        None
    }

    /// The model in which each symbol is the number nearest to zero that plain comparisons leave to it, if all `terms`
    /// hold there.
    pub(crate) fn plainest(pool: &TermPool, terms: &[Term], nodes: usize) -> Option<Model> {
        let plan = Plan::new(pool, terms, nodes)?;
        let mut model = Model::new();
        for variable in &plan.variables {
            let name = pool.symbol_name(variable.term).expect("symbols have names");
            model.set(name, variable.width, variable.nearest_to_zero());
        }
        let mut known = Evaluation::default();
        terms.iter().all(|&t| pool.eval_with(t, &model, &mut known) == 1).then_some(model)
    }

    fn start_from(&mut self, pool: &TermPool, plan: &Plan, base: &Model) {
        for variable in &plan.variables {
            let name = pool.symbol_name(variable.term).expect("symbols have names");
            self.values[variable.term.index()] = match base.get_sized(name, variable.width) {
                Some(ModelValue::Bv { bits, .. }) => *bits,
                Some(ModelValue::Array(_)) | None => 0,
            };
        }
    }

    /// One number of several symbols, or one symbol, at a time takes a likely value.
    fn change_one(&mut self, pool: &TermPool, plan: &Plan, base: &Model) -> bool {
        for (variable, parts) in plan.words.iter().take(BUDGETS.guess.single) {
            let olds: SmallVec<[u128; 8]> = parts.iter().map(|(part, _)| self.values[part.index()]).collect();
            let old = olds.iter().zip(parts).fold(0, |old, (bits, (_, at))| old | bits << at);
            for value in likely_values(plan, variable, old) {
                for &(part, at) in parts {
                    self.values[part.index()] = value >> at & mask(pool.width(part));
                }
                if self.left == 0 || self.holds(pool, plan, base) {
                    return self.left > 0;
                }
            }
            for (&(part, _), bits) in parts.iter().zip(olds) {
                self.values[part.index()] = bits;
            }
        }
        for variable in plan.variables[..plan.newest].iter().take(BUDGETS.guess.single) {
            let at = variable.term.index();
            let old = self.values[at];
            for value in likely_values(plan, variable, old) {
                self.values[at] = value;
                if self.left == 0 || self.holds(pool, plan, base) {
                    return self.left > 0;
                }
            }
            self.values[at] = old;
        }
        false
    }

    /// A symbol takes the values that give the rarest term of the query one of its wanted values.
    fn invert(&mut self, pool: &TermPool, plan: &Plan, base: &Model, seed: u64) -> bool {
        let Some(goal) = plan.rarest(pool) else { return false };
        let budget = self.left / 2;
        // A run that ended early left values of earlier runs behind.
        for &(t, node) in &plan.steps {
            self.values[t.index()] = pool.value_of(node, base, |t| self.values[t.index()]);
        }
        for &variable in plan.variables.iter().take(BUDGETS.guess.single) {
            let Some(inversion) = Inversion::new(pool, goal.term, variable.term) else { continue };
            let at = variable.term.index();
            let old = self.values[at];
            let mut random = Random(seed);
            let (size, reserve) = (goal.greatest - goal.least, self.left.saturating_sub(budget));
            for attempt in 0..=size.min(BUDGETS.guess.wanted) {
                let wanted =
                    goal.least + if size <= BUDGETS.guess.wanted { attempt } else { u128::from(random.next()) % size };
                let solved = inversion.solve(pool, base, &mut self.values, wanted, &mut self.left);
                if let Some(value) = solved {
                    self.values[at] = value;
                    if self.holds(pool, plan, base) {
                        return true;
                    }
                }
                if self.left <= reserve {
                    break;
                }
            }
            self.values[at] = old;
        }
        false
    }

    /// All symbols of the newest condition (in every fourth round: of the query) take pseudo-random values.
    fn change_many(&mut self, pool: &TermPool, plan: &Plan, base: &Model, seed: u64) -> bool {
        let old: Vec<u128> = plan.variables.iter().map(|v| self.values[v.term.index()]).collect();
        let mut random = Random(seed);
        for round in 0u64.. {
            let changed = if round % 4 == 3 { plan.variables.len() } else { plan.newest };
            for (index, variable) in plan.variables.iter().enumerate() {
                let kept = index >= changed || (changed > 1 && random.next() & 3 == 0);
                let value = if kept { old[index] } else { random.value(plan, variable, old[index]) };
                self.values[variable.term.index()] = value;
            }
            if self.left == 0 {
                return false;
            }
            if self.holds(pool, plan, base) {
                return true;
            }
        }
        false
    }

    /// Whether the query holds under the assignment in `values` (array symbols: in `base`).
    fn holds(&mut self, pool: &TermPool, plan: &Plan, base: &Model) -> bool {
        let mut done = 0;
        for &(end, term) in &plan.checks {
            for &(t, node) in &plan.steps[done..end] {
                self.values[t.index()] = pool.value_of(node, base, |t| self.values[t.index()]);
            }
            self.left = self.left.saturating_sub((end - done) as u64 + 1);
            done = end;
            if self.values[term.index()] != 1 {
                return false;
            }
        }
        true
    }

    fn model(&self, pool: &TermPool, plan: &Plan, base: &Model) -> Model {
        let mut model = base.clone();
        for variable in &plan.variables {
            let name = pool.symbol_name(variable.term).expect("symbols have names");
            model.set(name, variable.width, self.values[variable.term.index()]);
        }
        model
    }
}

impl Plan {
    fn new(pool: &TermPool, terms: &[Term], max_nodes: usize) -> Option<Plan> {
        let newest = *terms.last()?;
        let mut plan = Plan::default();
        let mut seen = FxHashSet::default();
        for &t in terms {
            for u in pool.postorder(&[t], |u| seen.contains(&u)) {
                seen.insert(u);
                match *pool.node(u) {
                    Node::Symbol { .. } | Node::Const { .. } => {}
                    node => plan.steps.push((u, node)),
                }
            }
            if seen.len() > max_nodes {
                return None;
            }
            plan.checks.push((plan.steps.len(), t));
        }
        plan.add_leaves(pool, newest);
        plan.newest = plan.variables.len();
        if plan.steps.iter().any(|(_, node)| matches!(node, Node::Concat(..))) {
            plan.add_words(pool, newest);
        }
        for &t in terms {
            plan.add_leaves(pool, t);
        }
        for variable in plan.variables.iter_mut().chain(plan.words.iter_mut().map(|(word, _)| word)) {
            variable.narrow(pool, terms);
        }
        Some(plan)
    }

    /// Adds the numbers in a term that are nothing but symbols behind each other.
    fn add_words(&mut self, pool: &TermPool, t: Term) {
        let mut inner = FxHashSet::default();
        for &u in pool.postorder(&[t], |_| false).iter().rev() {
            if !matches!(pool.node(u), Node::Concat(..)) || inner.contains(&u) {
                continue;
            }
            let mut parts = Parts::new();
            let (mut work, mut is_word) = (vec![(u, 0)], true);
            while let Some((part, at)) = work.pop() {
                match *pool.node(part) {
                    Node::Concat(high, low) => {
                        inner.insert(part);
                        work.extend([(high, at + pool.width(low)), (low, at)]);
                    }
                    Node::Symbol { .. } if parts.len() < BUDGETS.guess.parts => parts.push((part, at)),
                    _ => is_word = false,
                }
            }
            if is_word {
                let width = pool.width(u);
                self.words.push((Variable { term: u, width, start: 0, span: mask(width) }, parts));
            }
        }
    }

    /// The term of the query that the smallest part of its values satisfies, if that is a small part.
    fn rarest(&self, pool: &TermPool) -> Option<Goal> {
        let goals = self.checks.iter().filter_map(|&(_, t)| Goal::of(pool, t));
        let chance = |goal: &Goal| mask(pool.width(goal.term)) / (goal.greatest - goal.least).max(1);
        goals.max_by_key(chance).filter(|goal| chance(goal) >= BUDGETS.guess.common)
    }

    /// Adds the symbols and constants of a term that are not there yet.
    fn add_leaves(&mut self, pool: &TermPool, t: Term) {
        let seen = &mut self.leaves;
        for u in pool.postorder(&[t], |u| seen.contains(&u)) {
            self.leaves.insert(u);
            match *pool.node(u) {
                Node::Symbol { width, .. } => {
                    self.variables.push(Variable { term: u, width, start: 0, span: mask(width) });
                }
                Node::Const { bits, .. } => self.constants.push((u, bits)),
                _ => {}
            }
        }
    }
}

impl Variable {
    fn nearest_to_zero(&self) -> u128 {
        // The interval wraps, or begins there.
        let has_zero = self.start.wrapping_neg() & mask(self.width) <= self.span;
        if has_zero { 0 } else { self.start }
    }

    /// Takes over the bounds that comparisons of the symbol with constants state: of the unsigned and the signed
    /// interval the shorter one.
    fn narrow(&mut self, pool: &TermPool, terms: &[Term]) {
        let (mut low, mut high) = (0, mask(self.width));
        let (mut least, mut greatest) = (signed(self.width, sign_bit(self.width)), (sign_bit(self.width) - 1) as i128);
        for &t in terms {
            let Node::Cmp(op, a, b) = *pool.node(t) else { continue };
            let strict = u128::from(matches!(op, CmpOp::Ult | CmpOp::Slt));
            if let (true, Some(bound)) = (a == self.term, pool.as_const_wide(b)) {
                match op {
                    CmpOp::Eq => (low, high) = (bound, bound),
                    CmpOp::Ult | CmpOp::Ule => high = high.min(bound.saturating_sub(strict)),
                    CmpOp::Slt | CmpOp::Sle => {
                        greatest = greatest.min(signed(self.width, bound).saturating_sub(strict as i128));
                    }
                }
            } else if let (true, Some(bound)) = (b == self.term, pool.as_const_wide(a)) {
                match op {
                    CmpOp::Eq => (low, high) = (bound, bound),
                    CmpOp::Ult | CmpOp::Ule => low = low.max(bound.saturating_add(strict)),
                    CmpOp::Slt | CmpOp::Sle => {
                        least = least.max(signed(self.width, bound).saturating_add(strict as i128));
                    }
                }
            }
        }
        if low <= high {
            (self.start, self.span) = (low, high - low);
        }
        if least <= greatest {
            let span = greatest.wrapping_sub(least) as u128;
            if span < self.span {
                (self.start, self.span) = (least as u128 & mask(self.width), span);
            }
        }
    }
}

/// Values to try first in place of `old`: the ends of the interval, constants of the query and their neighbours, small
/// and extreme numbers, and `old` with one bit changed.
fn likely_values(plan: &Plan, variable: &Variable, old: u128) -> impl Iterator<Item = u128> {
    let width = variable.width;
    let Variable { start, span, .. } = *variable;
    let ends = [start, start.wrapping_add(1), start.wrapping_add(span), start.wrapping_add(span).wrapping_sub(1)];
    let near = |bits: u128| [bits, bits.wrapping_add(1), bits.wrapping_sub(1)];
    let constants: Vec<u128> =
        plan.constants.iter().take(BUDGETS.guess.constants).flat_map(|&(_, bits)| near(bits)).collect();
    let general =
        [0, 1, u128::MAX, sign_bit(width), sign_bit(width) - 1, 2, 3, 4, 10, old.wrapping_add(1), old.wrapping_sub(1)];
    let bits = (0..width).map(move |bit| old ^ 1 << bit);
    ends.into_iter().chain(constants).chain(general).chain(bits).map(move |value| value & mask(width))
}

impl Random {
    /// Mostly any value of the interval, or one that is small beside it: as many of each length. Sometimes one near its
    /// start, near `old`, or near a constant.
    fn value(&mut self, plan: &Plan, variable: &Variable, old: u128) -> u128 {
        let kind = self.next();
        let mut bits = u128::from(self.next());
        if variable.width > 64 {
            bits |= u128::from(self.next()) << 64;
        }
        let inside = |bits: u128| {
            let offset = match variable.span.checked_add(1) {
                Some(size) if size.is_power_of_two() => bits & variable.span,
                Some(size) => bits % size,
                None => bits,
            };
            variable.start.wrapping_add(offset)
        };
        let value = match kind & 15 {
            0 => inside(bits & 0xff),
            1 => old.wrapping_add(bits & 0x1f).wrapping_sub(0x10),
            2 if !plan.constants.is_empty() => {
                let (_, constant) = plan.constants[(kind >> 4) as usize % plan.constants.len()];
                constant.wrapping_add(bits & 7).wrapping_sub(4)
            }
            // Few numbers of all are the seed of a generator of random numbers, or a size.
            3..=6 => inside(bits & mask((kind >> 4) as u32 % variable.width + 1)),
            _ => inside(bits),
        };
        value & mask(variable.width)
    }
}
