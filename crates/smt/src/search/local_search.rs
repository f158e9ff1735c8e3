//! Local search: one symbol of a model is changed after the other until all conditions hold.
//!
//! A condition that does not hold is followed down to a symbol: at each operator one operand is picked and given a
//! value that makes the result the wanted one while the other operands keep theirs ([`undo`]). Of a few such moves the
//! one is made that costs least; what stays unsatisfied where no move helps costs more from then on. This is
//! propagation-based local search (Niemetz, Preiner and Biere, FMSD 2017) with the weights of local search for SAT.
//! Divisions and products of unknowns, on which bit-blasting spends seconds, are as easy to undo as sums.
//!
//! Only ever finds solutions: that nothing was found says nothing. What is tried depends on the query and on the models
//! handed in, not on time; work is counted in evaluated nodes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use crate::bounds::interval::{self, Interval};
use crate::budgets::{BUDGETS, SearchEffort};
use crate::search::random::Random;
use crate::search::undo::undo;
use crate::terms::bits::mask;
use crate::terms::model::Model;
use crate::terms::node::{BinOp, CmpOp, Node, Term};
use crate::terms::pool::TermPool;

/// Once in so many times a symbol of the condition just gets another value.
const JUMPS: usize = 6;
/// Once in so many times a move is made that makes nothing better.
const WORSE: usize = 12;

/// Searches models of queries about one pool. Keeps nothing between queries but memory.
#[derive(Debug, Default)]
pub(crate) struct LocalSearch {
    /// Values under the current assignment, by index of the term.
    values: Vec<u128>,
    /// Positions in `order`, by index of the term; of terms of other queries anything.
    position: Vec<u32>,
    /// The terms of the query, operands first.
    order: Vec<Term>,
    /// The users of each term, by position.
    users: Vec<Vec<u32>>,
    /// Terms to be evaluated again.
    pending: BinaryHeap<Reverse<u32>>,
    is_pending: Vec<bool>,
    /// Positions of conditions that do not hold, and where each is in that list.
    failing: Vec<u32>,
    failing_at: FxHashMap<u32, Option<usize>>,
    /// What it costs that a condition does not hold, by position: more the longer it did not.
    weights: Vec<u64>,
    /// The cost of the current assignment.
    cost: u64,
    /// The comparisons among the conditions, by operand.
    compared: FxHashMap<Term, Vec<Term>>,
    left: u64,
}

impl LocalSearch {
    /// A model of all `terms`, made from one of `bases`, or from nothing.
    pub(crate) fn search(
        &mut self,
        pool: &TermPool,
        terms: &[Term],
        bases: &[impl AsRef<Model>],
        effort: SearchEffort,
    ) -> Option<Model> {
        if !self.prepare(pool, terms, effort.nodes) {
            return None;
        }
        let nothing = Model::new();
        let mut random = Random(pool.facts(*terms.last()?).structure);
        self.left = effort.evaluations;
        let share = effort.evaluations / (bases.len() as u64 + 1);
        for turn in 0.. {
            let base = bases.get(turn).map_or(&nothing, AsRef::as_ref);
            let reserve = if turn < bases.len() { self.left.saturating_sub(share) } else { 0 };
            self.start_from(pool, base);
            if self.improve(pool, base, &mut random, reserve) {
                let model = self.model(pool, base);
                return terms.iter().all(|&t| pool.eval_bool(t, &model)).then_some(model);
            }
            if self.left == 0 {
                return None;
            }
        }
        None
    }

    /// Lays the query out; false if it is too large.
    fn prepare(&mut self, pool: &TermPool, terms: &[Term], max_nodes: usize) -> bool {
        self.order = pool.postorder(terms, |_| false);
        if self.order.len() > max_nodes {
            return false;
        }
        self.values.resize(pool.len(), 0);
        self.position.resize(pool.len(), 0);
        self.users.iter_mut().for_each(Vec::clear);
        self.users.resize(self.users.len().max(self.order.len()), Vec::new());
        self.is_pending.clear();
        self.is_pending.resize(self.order.len(), false);
        self.weights.clear();
        self.weights.resize(self.order.len(), 1);
        for (at, &t) in (0u32..).zip(&self.order) {
            self.position[t.index()] = at;
            for child in pool.node(t).children() {
                self.users[self.position[child.index()] as usize].push(at);
            }
        }
        self.failing_at = terms.iter().map(|t| (self.position[t.index()], None)).collect();
        self.compared.clear();
        for &t in terms {
            if let Node::Cmp(op, a, b) = *pool.node(t)
                && op != CmpOp::Eq
            {
                for operand in [a, b].into_iter().filter(|&o| pool.as_const_wide(o).is_none()) {
                    self.compared.entry(operand).or_default().push(t);
                }
            }
        }
        true
    }

    /// Evaluates everything under a model.
    fn start_from(&mut self, pool: &TermPool, base: &Model) {
        self.cost = 0;
        self.failing.clear();
        self.failing_at.values_mut().for_each(|at| *at = None);
        for at in 0..self.order.len() {
            let t = self.order[at];
            self.values[t.index()] = pool.value_of(*pool.node(t), base, |t| self.values[t.index()]);
            self.note(u32::try_from(at).expect("queries are small"));
        }
        self.left = self.left.saturating_sub(self.order.len() as u64);
    }

    /// Keeps the list of conditions that do not hold.
    fn note(&mut self, at: u32) {
        let Some(entry) = self.failing_at.get_mut(&at) else { return };
        let holds = self.values[self.order[at as usize].index()] == 1;
        match *entry {
            None if !holds => {
                self.cost += self.weights[at as usize];
                *entry = Some(self.failing.len());
                self.failing.push(at);
            }
            Some(index) if holds => {
                self.cost -= self.weights[at as usize];
                *entry = None;
                self.failing.swap_remove(index);
                if let Some(moved) = self.failing.get(index) {
                    self.failing_at.insert(*moved, Some(index));
                }
            }
            _ => {}
        }
    }

    /// Changes a symbol and what depends on it.
    fn set(&mut self, pool: &TermPool, base: &Model, symbol: Term, bits: u128) {
        self.values[symbol.index()] = bits;
        let at = self.position[symbol.index()];
        self.note(at);
        self.push_users(at);
        while let Some(Reverse(at)) = self.pending.pop() {
            self.is_pending[at as usize] = false;
            let t = self.order[at as usize];
            let node = *pool.node(t);
            let value = pool.value_of(node, base, |t| self.values[t.index()]);
            self.left = self.left.saturating_sub(1);
            let is_array = matches!(node, Node::Store(..)) || matches!(node, Node::Ite(_, a, _) if is_array(pool, a));
            if value != self.values[t.index()] || is_array {
                self.values[t.index()] = value;
                self.note(at);
                self.push_users(at);
            }
        }
    }

    fn push_users(&mut self, at: u32) {
        for &user in &self.users[at as usize] {
            if !std::mem::replace(&mut self.is_pending[user as usize], true) {
                self.pending.push(Reverse(user));
            }
        }
    }

    /// Makes moves until all conditions hold, or none of the work above `reserve` is left, or nothing gets better.
    fn improve(&mut self, pool: &TermPool, base: &Model, random: &mut Random, reserve: u64) -> bool {
        let (mut fewest, mut moves) = (self.failing.len(), 0);
        while !self.failing.is_empty() {
            if self.left <= reserve || moves > BUDGETS.local_search.patience {
                return false;
            }
            moves += 1;
            let newest = *self.failing.iter().max().expect("some condition fails");
            let at = if random.one_in(2) { newest } else { self.failing[random.below(self.failing.len())] };
            let condition = self.order[at as usize];
            let before = self.cost;
            let mut best: Option<(u64, Term, u128)> = None;
            for _ in 0..BUDGETS.local_search.candidates {
                self.left = self.left.saturating_sub(4);
                let proposal = if random.one_in(JUMPS) {
                    self.jump(pool, condition, random)
                } else {
                    self.propose(pool, condition, random)
                };
                let Some((symbol, bits)) = proposal else { continue };
                let old = self.values[symbol.index()];
                if old == bits {
                    continue;
                }
                self.set(pool, base, symbol, bits);
                let cost = self.cost;
                self.set(pool, base, symbol, old);
                if best.is_none_or(|(least, ..)| cost < least) {
                    best = Some((cost, symbol, bits));
                }
            }
            if let Some((cost, symbol, bits)) = best
                && (cost < before || random.one_in(WORSE))
            {
                self.set(pool, base, symbol, bits);
            } else {
                // No way down: what fails here costs more from now on.
                for &at in &self.failing {
                    self.weights[at as usize] += 1;
                    self.cost += 1;
                }
            }
            if self.failing.len() < fewest {
                (fewest, moves) = (self.failing.len(), 0);
            }
        }
        true
    }

    /// A symbol and a value for it that may make a condition hold.
    fn propose(&mut self, pool: &TermPool, condition: Term, random: &mut Random) -> Option<(Term, u128)> {
        let (mut t, mut wanted) = (condition, 1);
        for _ in 0..BUDGETS.local_search.descent {
            let node = *pool.node(t);
            (t, wanted) = match node {
                Node::Symbol { .. } => return Some((t, wanted)),
                Node::Cmp(op, a, b) => self.compare(pool, (op, a, b), wanted == 1, random)?,
                Node::Binary(BinOp::And | BinOp::Or, a, b) if pool.width(t) == 1 => {
                    // Of operands that have the value already, the other one is to change.
                    let [a, b] = if random.one_in(2) { [a, b] } else { [b, a] };
                    let has = |t: Term| self.values[t.index()] == wanted;
                    (if has(a) || pool.as_const_wide(a).is_some() { b } else { a }, wanted)
                }
                Node::Ite(condition, a, b) => {
                    let holds = self.values[condition.index()];
                    let (arm, other) = if holds == 1 { (a, b) } else { (b, a) };
                    let switch = pool.as_const_wide(arm).is_some()
                        || self.values[other.index()] == wanted && !random.one_in(4)
                        || random.one_in(8);
                    if switch && pool.as_const_wide(condition).is_none() {
                        (condition, 1 - holds)
                    } else {
                        (arm, wanted)
                    }
                }
                _ => undo(pool, t, wanted, |t| self.values[t.index()], random)?,
            };
        }
        None
    }

    /// Any symbol of a condition, and a value that programs are fond of: a small number, or what another symbol has.
    fn jump(&self, pool: &TermPool, condition: Term, random: &mut Random) -> Option<(Term, u128)> {
        let symbols = pool.symbols_of(condition);
        let symbol = *symbols.get(random.below(symbols.len().max(1)))?;
        let width = pool.width(symbol);
        let bits = match random.below(4) {
            0 => self.values[symbols[random.below(symbols.len())].index()],
            1 => u128::from(random.next() & 0xf).wrapping_neg(),
            _ => u128::from(random.next() & 0x3),
        };
        Some((symbol, bits & mask(width)))
    }

    /// Picks an operand of a comparison and a value for it.
    fn compare(
        &self,
        pool: &TermPool,
        (op, a, b): (CmpOp, Term, Term),
        holds: bool,
        random: &mut Random,
    ) -> Option<(Term, u128)> {
        let value = |t: Term| self.values[t.index()];
        let swap = random.one_in(2);
        let (t, other, left) = if pool.as_const_wide(a).is_some() || swap && pool.as_const_wide(b).is_none() {
            (b, a, false)
        } else {
            (a, b, true)
        };
        let width = pool.width(t);
        if op == CmpOp::Eq {
            return Some((t, if holds { value(other) } else { different(value(t), width, random) }));
        }
        if width > interval::MAX_WIDTH {
            return Some((t, random.wide() & mask(width)));
        }
        let read = |t: Term| interval::read(op, width, value(t));
        let mut own = Interval::of(pool, op, t);
        own.narrow(op, left, read(other), holds);
        if own.is_empty() {
            return None;
        }
        let mut all = own;
        for &term in self.compared.get(&t).into_iter().flatten() {
            if let Node::Cmp(other_op, a, b) = *pool.node(term)
                && interval::is_signed(other_op) == interval::is_signed(op)
                && a != b
            {
                all.narrow(other_op, a == t, read(if a == t { b } else { a }), true);
            }
        }
        let interval = if all.is_empty() { own } else { all };
        Some((t, interval.any(read(t), random) as u128 & mask(width)))
    }

    fn model(&self, pool: &TermPool, base: &Model) -> Model {
        let mut model = base.clone();
        for &t in &self.order {
            if let (Node::Symbol { width, .. }, Some(name)) = (*pool.node(t), pool.symbol_name(t)) {
                model.set(name, width, self.values[t.index()]);
            }
        }
        model
    }
}

fn is_array(pool: &TermPool, t: Term) -> bool {
    pool.sort(t) == crate::terms::node::Sort::Array
}

/// Another value than `old`.
fn different(old: u128, width: u32, random: &mut Random) -> u128 {
    let ones = mask(width);
    let candidate = match random.below(4) {
        0 => old.wrapping_add(1),
        1 => old ^ 1 << random.below(width as usize),
        2 => (random.next() & 7).into(),
        _ => random.wide(),
    } & ones;
    if candidate == old { old.wrapping_add(1) & ones } else { candidate }
}
