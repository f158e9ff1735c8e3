//! Implied values: `x == 5`, `x == y`, or `0 < x && x < 2` say what `x` is, and it is put in.
//!
//! Some of a symbol's bits can be implied, too (an `int` that a `long` was cut to). With values put in, products and
//! divisions often lose their unknowns, which is worth seconds of a back end. After KLEE's implied values (Cadar et
//! al., OSDI 2008, 3.3), which do not look at bounds.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::bounds::interval::{self, Interval};
use crate::bounds::ranges::Ranges;
use crate::budgets::BUDGETS;
use crate::terms::bits::{inverse_of_odd, mask, negate};
use crate::terms::eval::Evaluation;
use crate::terms::model::Model;
use crate::terms::node::{CmpOp, Node, Term};
use crate::terms::pool::TermPool;
use crate::terms::simplify::arith::Sum;
use crate::terms::substitute::Substitution;

/// Conditions without the symbols whose values they imply.
#[derive(Debug)]
pub(crate) struct Reduced {
    /// What is left of the conditions, in their order; only the constant false if they contradict each other.
    pub(crate) terms: Vec<Term>,
    /// The symbols that were replaced, in this order, with what replaced them: a constant, another symbol, a sum, or
    /// the symbol itself with some bits constant.
    replaced: Vec<(Term, Term)>,
}

impl Reduced {
    /// Puts implied values in until there are none left.
    pub(crate) fn new(pool: &mut TermPool, terms: &[Term]) -> Reduced {
        let mut reduced = Reduced { terms: terms.to_vec(), replaced: Vec::new() };
        reduced.put_values_in(pool);
        reduced
    }

    fn put_values_in(&mut self, pool: &mut TermPool) {
        for _ in 0..BUDGETS.implied.rounds {
            let Some(implied) = implied(pool, &self.terms) else {
                let never = pool.bool(false);
                self.terms = vec![never];
                break;
            };
            if implied.is_empty() {
                break;
            }
            self.put_in(pool, implied);
        }
        if let Some(&never) = self.terms.iter().find(|t| pool.is_false(**t)) {
            self.terms = vec![never];
        }
    }

    fn put_in(&mut self, pool: &mut TermPool, values: Substitution) {
        self.terms = pool.substitute_all(&self.terms, &values);
        self.replaced.extend(values);
        let mut seen = FxHashSet::default();
        self.terms.retain(|&t| !pool.is_true(t) && seen.insert(t));
    }

    /// The same with equations between sums solved for a symbol each, which is put in. What is left is equivalent and
    /// has fewer unknowns. Nothing if there are no such equations.
    pub(crate) fn solved(&self, pool: &mut TermPool) -> Option<Reduced> {
        let mut solved = Reduced { terms: self.terms.clone(), replaced: self.replaced.clone() };
        for _ in 0..BUDGETS.implied.equations {
            let Some((symbol, sum)) = solvable(pool, &solved.terms) else { break };
            solved.put_in(pool, Substitution::from([(symbol, sum)]));
            solved.put_values_in(pool);
        }
        (solved.replaced.len() > self.replaced.len()).then_some(solved)
    }

    /// Whether the conditions contradict each other.
    pub(crate) fn is_false(&self, pool: &TermPool) -> bool {
        self.terms.first().is_some_and(|&t| pool.is_false(t))
    }

    /// Whether no value was implied.
    pub(crate) fn is_all(&self) -> bool {
        self.replaced.is_empty()
    }

    /// Adds the values of the symbols that were replaced.
    pub(crate) fn complete(&self, pool: &TermPool, model: &mut Model) {
        for &(symbol, by) in self.replaced.iter().rev() {
            let name = pool.symbol_name(symbol).expect("symbols have names");
            let bits = pool.eval_with(by, model, &mut Evaluation::default());
            model.set(name, pool.width(symbol), bits);
        }
    }
}

/// What comparisons with constants leave to a symbol.
#[derive(Clone, Copy)]
struct Bounds {
    signed: Interval,
    unsigned: Interval,
}

/// Whether a term is a symbol, or some of the bits of one.
fn is_of_symbol(pool: &TermPool, t: Term) -> bool {
    let is_symbol = |t: Term| matches!(pool.node(t), Node::Symbol { .. });
    is_symbol(t) || matches!(*pool.node(t), Node::Extract { arg, .. } if is_symbol(arg))
}

/// The symbols whose values conditions imply; `None` if the conditions contradict each other.
fn implied(pool: &mut TermPool, terms: &[Term]) -> Option<Substitution> {
    let is_symbol = |pool: &TermPool, t: Term| matches!(pool.node(t), Node::Symbol { .. });
    let mut values: BTreeMap<Term, u128> = BTreeMap::new();
    let mut equal: Vec<(Term, Term)> = Vec::new();
    let mut bounds: BTreeMap<Term, Bounds> = BTreeMap::new();
    for &t in terms {
        match *pool.node(t) {
            Node::Symbol { .. } | Node::Extract { .. } if is_of_symbol(pool, t) => _ = values.insert(t, 1),
            Node::Not(s) if is_of_symbol(pool, s) => _ = values.insert(s, 0),
            Node::Cmp(CmpOp::Eq, a, b) => match (pool.as_const_wide(a), pool.as_const_wide(b)) {
                (None, Some(bits)) if is_of_symbol(pool, a) => _ = values.insert(a, bits),
                (Some(bits), None) if is_of_symbol(pool, b) => _ = values.insert(b, bits),
                (None, None) if is_symbol(pool, a) && is_symbol(pool, b) => equal.push((a, b)),
                _ => {}
            },
            Node::Cmp(op, a, b) if pool.width(a) <= interval::MAX_WIDTH => {
                for (t, other, left) in [(a, b, true), (b, a, false)] {
                    let Some(bits) = pool.as_const_wide(other).filter(|_| is_of_symbol(pool, t)) else { continue };
                    let both = bounds.entry(t).or_insert_with(|| Bounds {
                        signed: Interval::of(pool, CmpOp::Sle, t),
                        unsigned: Interval::of(pool, CmpOp::Ule, t),
                    });
                    let one = if interval::is_signed(op) { &mut both.signed } else { &mut both.unsigned };
                    one.narrow(op, left, interval::read(op, pool.width(t), bits), true);
                }
            }
            _ => {}
        }
    }
    for (&t, both) in &bounds {
        for interval in [both.signed, both.unsigned] {
            if interval.is_empty() {
                return None;
            }
            if let Some(value) = interval.only() {
                values.insert(t, value as u128 & mask(pool.width(t)));
            }
        }
    }
    let mut map = Substitution::new();
    let mut ranges = None;
    for (&t, &bits) in &values {
        let value = pool.constant_wide(pool.width(t), bits);
        match *pool.node(t) {
            Node::Extract { arg: symbol, hi, lo } => {
                let so_far = map.get(&symbol).copied().unwrap_or(symbol);
                let ranges = ranges.get_or_insert_with(|| Ranges::under(pool, terms.iter().copied()));
                let with = whole_value(pool, ranges, symbol).unwrap_or_else(|| with_bits(pool, so_far, value, hi, lo));
                map.insert(symbol, with);
            }
            _ => _ = map.insert(t, value),
        }
    }
    // A symbol that is put in must not be replaced in the same round.
    let mut kept: FxHashSet<Term> = FxHashSet::default();
    for (a, b) in equal {
        if map.contains_key(&a) || map.contains_key(&b) || a == b {
            continue;
        }
        let (old, new) = if kept.contains(&a) { (b, a) } else { (a, b) };
        if !kept.contains(&old) {
            kept.insert(new);
            map.insert(old, new);
        }
    }
    Some(map)
}

/// A symbol of an equation between sums, and the sum that it equals. The symbol has an odd factor, which has an
/// inverse. Of those in the first such equation it has the widest range: a symbol of few values is best left to be
/// tried.
fn solvable(pool: &mut TermPool, terms: &[Term]) -> Option<(Term, Term)> {
    let mut ranges = None;
    for &t in terms {
        let Node::Cmp(CmpOp::Eq, a, b) = *pool.node(t) else { continue };
        let width = pool.width(a);
        if width == 1 || width > interval::MAX_WIDTH {
            continue;
        }
        let (Some(left), Some(right)) = (pool.as_sum(a), pool.as_sum(b)) else { continue };
        let difference = pool.combine(width, &left, &right, u128::MAX);
        let symbols = difference.addends.iter().filter(|&&(atom, factor)| {
            let is_elsewhere = || {
                let mut others = difference.addends.iter().filter(|other| other.0 != atom);
                others.any(|&(other, _)| pool.symbols_of(other).binary_search(&atom).is_ok())
            };
            factor & 1 != 0 && matches!(pool.node(atom), Node::Symbol { .. }) && !is_elsewhere()
        });
        let symbols: Vec<(Term, u128)> = symbols.copied().collect();
        if symbols.is_empty() {
            continue;
        }
        let ranges = ranges.get_or_insert_with(|| Ranges::under(pool, terms.iter().copied()));
        let extent = |ranges: &mut Ranges, t: Term| {
            let (least, greatest) = ranges.signed(pool, t);
            greatest.wrapping_sub(least)
        };
        let (symbol, factor) = symbols.into_iter().max_by_key(|&(symbol, _)| extent(ranges, symbol))?;
        // Of f * x + rest == 0 it is -rest / f.
        let rest = Sum {
            addends: difference.addends.iter().copied().filter(|addend| addend.0 != symbol).collect(),
            ..difference
        };
        let inverse = negate(width, inverse_of_odd(width, factor));
        let value = pool.combine(width, &Sum::default(), &rest, inverse);
        return Some((symbol, pool.sum_term(width, &value)));
    }
    None
}

/// The value of a symbol of which some bits are known, if its range leaves one.
fn whole_value(pool: &mut TermPool, ranges: &mut Ranges, symbol: Term) -> Option<Term> {
    let width = pool.width(symbol);
    if width > interval::MAX_WIDTH {
        return None;
    }
    let (least, greatest) = ranges.signed(pool, symbol);
    (least == greatest).then(|| pool.constant_wide(width, least.cast_unsigned() & mask(width)))
}

/// A term with its bits from `hi` to `lo` replaced.
fn with_bits(pool: &mut TermPool, t: Term, bits: Term, hi: u32, lo: u32) -> Term {
    let width = pool.width(t);
    let mut with = bits;
    if lo > 0 {
        let low = pool.extract(t, lo - 1, 0);
        with = pool.concat(with, low);
    }
    if hi + 1 < width {
        let high = pool.extract(t, width - 1, hi + 1);
        with = pool.concat(high, with);
    }
    with
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::model::ModelValue;
    use crate::terms::node::BinOp;

    fn reduce(pool: &mut TermPool, terms: &[Term]) -> Reduced {
        let reduced = Reduced::new(pool, terms);
        let mut model = Model::new();
        reduced.complete(pool, &mut model);
        // What was put in holds, whatever becomes of the rest.
        if reduced.terms.is_empty() {
            assert!(terms.iter().all(|&t| pool.eval_bool(t, &model)));
        }
        reduced
    }

    #[test]
    fn bounds_that_meet_are_a_value() {
        let mut pool = TermPool::new();
        let (x, y) = (pool.symbol("x", 32), pool.symbol("y", 32));
        let (zero, two) = (pool.constant(32, 0), pool.constant(32, 2));
        let product = pool.binary(BinOp::Mul, x, y);
        let terms = [pool.cmp(CmpOp::Slt, zero, x), pool.cmp(CmpOp::Slt, x, two), pool.cmp(CmpOp::Slt, product, two)];
        let reduced = reduce(&mut pool, &terms);
        assert_eq!(reduced.terms, [pool.cmp(CmpOp::Slt, y, two)]);
    }

    #[test]
    fn values_are_put_in_until_there_are_none() {
        let mut pool = TermPool::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| pool.symbol(name, 8));
        let five = pool.constant(8, 5);
        let sum = pool.binary(BinOp::Add, x, y);
        let terms = [pool.cmp(CmpOp::Eq, y, z), pool.cmp(CmpOp::Eq, x, five), pool.cmp(CmpOp::Eq, sum, five)];
        assert!(reduce(&mut pool, &terms).terms.is_empty());
    }

    #[test]
    fn equal_symbols_of_a_chain_become_one() {
        let mut pool = TermPool::new();
        let symbols = ["a", "b", "c", "d"].map(|name| pool.symbol(name, 16));
        let mut terms: Vec<Term> = symbols.windows(2).map(|w| pool.cmp(CmpOp::Eq, w[0], w[1])).collect();
        let seven = pool.constant(16, 7);
        terms.push(pool.cmp(CmpOp::Ult, seven, symbols[0]));
        terms.push(pool.cmp(CmpOp::Ult, symbols[3], seven));
        // Both bounds are of one symbol, and contradict each other.
        assert!(reduce(&mut pool, &terms).is_false(&pool));
    }

    #[test]
    fn some_bits_of_a_symbol_have_a_value() {
        let mut pool = TermPool::new();
        let (x, y) = (pool.symbol("x", 64), pool.symbol("y", 32));
        let [three, four, five] = [3, 4, 5].map(|n| pool.constant(32, n));
        let low = pool.extract(x, 31, 0);
        let top = pool.extract(x, 63, 62);
        let one = pool.constant(2, 1);
        let rest = pool.binary(BinOp::SRem, low, four);
        let product = pool.binary(BinOp::Mul, rest, y);
        let sum = pool.binary(BinOp::Add, product, y);
        let terms = [
            pool.cmp(CmpOp::Slt, three, low),
            pool.cmp(CmpOp::Slt, low, five),
            pool.cmp(CmpOp::Eq, top, one),
            pool.cmp(CmpOp::Eq, sum, three),
        ];
        let reduced = reduce(&mut pool, &terms);
        assert!(reduced.terms.is_empty());
        let mut model = Model::new();
        reduced.complete(&pool, &mut model);
        assert_eq!(model.get_sized("x", 64), Some(&ModelValue::Bv { width: 64, bits: 1 << 62 | 4 }));
    }

    #[test]
    fn equations_are_solved_for_the_symbol_of_the_widest_range() {
        let mut pool = TermPool::new();
        let [column, row, next] = ["column", "row", "next"].map(|name| pool.symbol(name, 32));
        let [zero, one, two, eight] = [0, 1, 2, 8].map(|n| pool.constant(32, n));
        let first = pool.binary(BinOp::Mul, column, eight);
        let (number, before) = (pool.binary(BinOp::Add, first, row), pool.binary(BinOp::Sub, next, one));
        let (least, most) = (pool.cmp(CmpOp::Slt, zero, next), pool.cmp(CmpOp::Sle, next, two));
        let terms = [least, most, pool.cmp(CmpOp::Eq, number, before), pool.cmp(CmpOp::Eq, number, zero)];
        let solved = reduce(&mut pool, &terms).solved(&mut pool).expect("there is an equation");
        // It was solved for the row: that the number is 0 says what is next.
        assert!(solved.terms.is_empty(), "{:?}", solved.terms);
        let mut model = Model::new();
        model.set("column", 32, 7);
        solved.complete(&pool, &mut model);
        assert!(terms.iter().all(|&t| pool.eval_bool(t, &model)));
        assert_eq!(model.get_sized("row", 32), Some(&ModelValue::Bv { width: 32, bits: u128::from(u32::MAX) - 55 }));
    }

    #[test]
    fn even_factors_and_products_are_not_solved_for() {
        let mut pool = TermPool::new();
        let [x, y] = ["x", "y"].map(|name| pool.symbol(name, 32));
        let (two, five) = (pool.constant(32, 2), pool.constant(32, 5));
        let (double, product) = (pool.binary(BinOp::Mul, x, two), pool.binary(BinOp::Mul, x, y));
        let sum = pool.binary(BinOp::Add, product, double);
        let terms = [pool.cmp(CmpOp::Eq, sum, five)];
        assert!(reduce(&mut pool, &terms).solved(&mut pool).is_none());
        // Of what is in a product as well, there is no value without it.
        let sum = pool.binary(BinOp::Add, product, y);
        let terms = [pool.cmp(CmpOp::Eq, sum, five)];
        assert!(reduce(&mut pool, &terms).solved(&mut pool).is_none());
    }

    #[test]
    fn contradictions() {
        let mut pool = TermPool::new();
        let x = pool.symbol("x", 8);
        let (three, five) = (pool.constant(8, 3), pool.constant(8, 5));
        let apart = [pool.cmp(CmpOp::Ult, x, three), pool.cmp(CmpOp::Ult, five, x)];
        assert!(reduce(&mut pool, &apart).is_false(&pool));
        let two = [pool.cmp(CmpOp::Eq, x, three), pool.cmp(CmpOp::Eq, x, five)];
        assert!(reduce(&mut pool, &two).is_false(&pool));
    }
}
