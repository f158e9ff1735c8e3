//! Inverting a computation: which value of one symbol gives a term a wanted value.
//!
//! Hashes and generators of random numbers are chains of steps, each of which can be undone when the step alone is
//! looked at: `v ^= v << 13` fixes the low 13 bits of `v`, these the next 13, and so on. So the term is cut where all
//! paths from it to the symbol meet, and each piece is solved by iteration: go down one path with the values that the
//! other operands have now, evaluate, repeat until nothing changes. A heuristic in the manner of propagation-based
//! local search (Niemetz, Preiner and Biere, FMSD 2017); whoever uses the result checks it.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::budgets::BUDGETS;
use crate::terms::bits::{inverse_of_odd, mask};
use crate::terms::model::Model;
use crate::terms::node::{BinOp, CmpOp, Node, Term};
use crate::terms::pool::TermPool;

/// A term cut into pieces between itself and a symbol.
pub(crate) struct Inversion {
    pieces: Vec<Piece>,
}

/// What lies between two terms that all paths go through.
struct Piece {
    top: Term,
    bottom: Term,
    /// From the bottom (exclusive) to the top, operands first.
    steps: Vec<(Term, Node)>,
    inside: FxHashSet<Term>,
}

/// A term with the wanted values `least..=greatest`.
pub(crate) struct Goal {
    pub(crate) term: Term,
    pub(crate) least: u128,
    pub(crate) greatest: u128,
}

impl Goal {
    /// The goal that a condition states: bounds of, or a value for, a term that is no symbol.
    pub(crate) fn of(pool: &TermPool, condition: Term) -> Option<Goal> {
        let Node::Cmp(op, a, b) = *pool.node(condition) else { return None };
        let ones = mask(pool.width(a));
        let strict = u128::from(op == CmpOp::Ult);
        let goal = match (op, pool.as_const_wide(a), pool.as_const_wide(b)) {
            (CmpOp::Eq, None, Some(c)) => Goal { term: a, least: c, greatest: c },
            (CmpOp::Eq, Some(c), None) => Goal { term: b, least: c, greatest: c },
            (CmpOp::Ult | CmpOp::Ule, None, Some(c)) => Goal { term: a, least: 0, greatest: c.checked_sub(strict)? },
            (CmpOp::Ult | CmpOp::Ule, Some(c), None) => {
                Goal { term: b, least: c.checked_add(strict).filter(|&c| c <= ones)?, greatest: ones }
            }
            _ => return None,
        };
        (!matches!(pool.node(goal.term), Node::Symbol { .. })).then_some(goal)
    }
}

impl Inversion {
    /// Prepares the inversion of a term for a symbol; `None` when the term does not mention the symbol.
    pub(crate) fn new(pool: &TermPool, term: Term, symbol: Term) -> Option<Inversion> {
        let order = pool.postorder(&[term], |_| false);
        let mut dependent = FxHashSet::from_iter([symbol]);
        for &t in &order {
            if pool.node(t).children().any(|c| dependent.contains(&c)) {
                dependent.insert(t);
            }
        }
        if !dependent.contains(&term) {
            return None;
        }
        let position: FxHashMap<Term, usize> = order.iter().enumerate().map(|(i, &t)| (t, i)).collect();
        // From the top down: a term that is alone on the front is on every path.
        let mut front = BTreeMap::from([(position[&term], term)]);
        let (mut pieces, mut steps, mut top) = (Vec::new(), Vec::new(), None);
        while let Some((_, t)) = front.pop_last() {
            if front.is_empty()
                && let Some(top) = top.replace(t)
            {
                let mut steps: Vec<(Term, Node)> = std::mem::take(&mut steps);
                steps.reverse();
                let inside = steps.iter().map(|&(t, _)| t).chain([t]).collect();
                pieces.push(Piece { top, bottom: t, steps, inside });
            }
            steps.push((t, *pool.node(t)));
            let below = pool.node(t).children().filter(|c| dependent.contains(c));
            front.extend(below.map(|c| (position[&c], c)));
        }
        Some(Inversion { pieces })
    }

    /// The symbol's value that gives the term the value `wanted`, where `values` holds everything else.
    pub(crate) fn solve(
        &self,
        pool: &TermPool,
        base: &Model,
        values: &mut [u128],
        mut wanted: u128,
        left: &mut u64,
    ) -> Option<u128> {
        for piece in &self.pieces {
            wanted = piece.solve(pool, base, values, wanted, left)?;
        }
        Some(wanted)
    }
}

impl Piece {
    fn solve(&self, pool: &TermPool, base: &Model, values: &mut [u128], wanted: u128, left: &mut u64) -> Option<u128> {
        for _ in 0..pool.width(self.bottom) + BUDGETS.guess.extra_rounds {
            for &(t, node) in &self.steps {
                values[t.index()] = pool.value_of(node, base, |t| values[t.index()]);
            }
            *left = left.saturating_sub(self.steps.len() as u64);
            if values[self.top.index()] == wanted {
                return Some(values[self.bottom.index()]);
            }
            let next = self.descend(pool, values, wanted)?;
            if *left == 0 || next == values[self.bottom.index()] {
                return None;
            }
            values[self.bottom.index()] = next;
        }
        None
    }

    /// The value of the bottom that one path down to it asks for.
    fn descend(&self, pool: &TermPool, values: &[u128], mut wanted: u128) -> Option<u128> {
        let mut at = self.top;
        while at != self.bottom {
            (at, wanted) = self.step(pool, values, at, wanted)?;
        }
        Some(wanted)
    }

    /// The operand to go on with and the value it should have.
    fn step(&self, pool: &TermPool, values: &[u128], at: Term, wanted: u128) -> Option<(Term, u128)> {
        let inside = |t: Term| self.inside.contains(&t);
        let second = match *pool.node(at) {
            // Of two paths the one to the bottom itself, else the first that loses no bits.
            Node::Binary(_, a, b) => {
                inside(b) && (!inside(a) || b == self.bottom || (a != self.bottom && loses(pool, a)))
            }
            Node::Concat(a, _) => !inside(a),
            _ => false,
        };
        undo(pool, at, wanted, second, |t| values[t.index()]).filter(|&(path, _)| inside(path))
    }
}

/// The operand of a term, and the value for it, that gives the term the value `wanted` while its other operands keep
/// theirs; of two operands the `second` one or the first. Where there is no such value, one that comes near.
pub(crate) fn undo(
    pool: &TermPool,
    at: Term,
    wanted: u128,
    second: bool,
    value: impl Fn(Term) -> u128,
) -> Option<(Term, u128)> {
    match *pool.node(at) {
        Node::Not(a) => Some((a, !wanted & mask(pool.width(a)))),
        Node::Binary(op, a, b) => {
            let ones = mask(pool.width(a));
            let (path, other) = if second { (b, value(a)) } else { (a, value(b)) };
            let value = match op {
                BinOp::Xor => wanted ^ other,
                BinOp::Add => wanted.wrapping_sub(other) & ones,
                BinOp::Mul if other & 1 == 1 => wanted.wrapping_mul(inverse_of_odd(pool.width(a), other)) & ones,
                BinOp::Mul if other.is_power_of_two() => {
                    let shift = other.trailing_zeros();
                    wanted >> shift | (value(path) & !(ones >> shift))
                }
                BinOp::And => wanted & other | value(path) & !other,
                BinOp::Or => wanted & !other | value(path) & other,
                BinOp::UDiv if !second && other != 0 => wanted.checked_mul(other).filter(|&v| v <= ones)?,
                BinOp::URem if !second && wanted < other => {
                    (value(path) - value(path) % other).checked_add(wanted).filter(|&v| v <= ones)?
                }
                _ => return None,
            };
            Some((path, value))
        }
        Node::Ite(c, a, b) => Some((if value(c) == 1 { a } else { b }, wanted)),
        Node::ZExt { arg, .. } | Node::SExt { arg, .. } => Some((arg, wanted & mask(pool.width(arg)))),
        Node::Extract { arg, hi, lo } => {
            let window = mask(hi - lo + 1) << lo;
            Some((arg, value(arg) & !window | wanted << lo))
        }
        Node::Concat(a, b) => {
            let low = pool.width(b);
            Some(if second { (b, wanted & mask(low)) } else { (a, wanted >> low) })
        }
        Node::Const { .. }
        | Node::Symbol { .. }
        | Node::Cmp(..)
        | Node::Select(..)
        | Node::Store(..)
        | Node::ArraySymbol { .. }
        | Node::ConstArray { .. }
        | Node::FpUnary(..)
        | Node::FpBinary(..) => None,
    }
}

/// Whether an operand is a part of what it is made from: a shift or a slice.
fn loses(pool: &TermPool, t: Term) -> bool {
    match *pool.node(t) {
        Node::ZExt { arg, .. } => loses(pool, arg),
        Node::Extract { .. } | Node::Concat(..) => true,
        Node::Binary(BinOp::Mul, _, b) => pool.as_const_wide(b).is_some_and(|bits| bits & 1 == 0),
        Node::Binary(BinOp::Add, a, _) => loses(pool, a),
        Node::Binary(BinOp::And | BinOp::Shl | BinOp::LShr | BinOp::UDiv, ..) => true,
        _ => false,
    }
}
