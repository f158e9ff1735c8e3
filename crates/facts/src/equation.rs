//! Linear equations between numbers that the program compares. For example, `made - taken - count = 0` in front of a
//! wait for `count > 0` says that who waits does not wait for ever.
//!
//! They are affine relations (Karr, Affine relationships among variables of a program, 1976), modulo powers of two
//! (Müller-Olm and Seidl, Analysis of modular arithmetic, 2007).
//!
//! Equations are between words, which wrap, so nothing need be known of overflows. Those of 32 bits are also of the
//! lower halves of words of 64. If all coefficients of one are multiples of a power of two, it says something of
//! remainders only: `2^30 (last - first - count) = 0` of a ring with four places.

use std::collections::{BTreeMap, BTreeSet};

use icsched_smt::{BinOp, CmpOp, Node as TermNode, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::budgets::BUDGETS;
use crate::place::Place;

/// The sum of some places, times a number each, is a constant, modulo two to the power of `width`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Equation {
    /// 32 or 64.
    pub width: u8,
    /// Places, ascending, with their coefficients, which are not 0.
    pub terms: Vec<(Place, u64)>,
    /// What their sum is.
    pub constant: u64,
}

/// A sum of terms' lowest bits, times a number each, and a constant.
#[derive(Clone, Default, Debug)]
struct Linear {
    atoms: BTreeMap<Term, u64>,
    constant: u64,
}

impl Linear {
    fn add(&mut self, other: &Self, factor: u64) {
        for (&atom, &by) in &other.atoms {
            let sum = self.atoms.entry(atom).or_default();
            *sum = sum.wrapping_add(by.wrapping_mul(factor));
        }
        self.constant = self.constant.wrapping_add(other.constant.wrapping_mul(factor));
    }

    /// What the lowest bits of a term are the sum of. O(operations in it), up to a limit.
    fn of(pool: &TermPool, term: Term, width: u32) -> Self {
        let mut sum = Self::default();
        let mut work = vec![(term, 1_u64)];
        for n in 0.. {
            let Some((next, factor)) = work.pop() else { break };
            if let Some(bits) = pool.as_const_wide(next) {
                sum.constant = sum.constant.wrapping_add((bits as u64).wrapping_mul(factor));
                continue;
            }
            let is_wide = |t: Term| pool.width(t) >= width;
            match *pool.node(next) {
                _ if n > BUDGETS.sum_operations => {}
                TermNode::Binary(BinOp::Add, a, b) => {
                    work.extend([(a, factor), (b, factor)]);
                    continue;
                }
                TermNode::Binary(BinOp::Mul, a, b) => {
                    let of = |c: Term, rest: Term| pool.as_const_wide(c).map(|by| (rest, by as u64));
                    if let Some((rest, by)) = of(a, b).or_else(|| of(b, a)) {
                        work.push((rest, factor.wrapping_mul(by)));
                        continue;
                    }
                }
                TermNode::Not(a) => {
                    sum.constant = sum.constant.wrapping_sub(factor);
                    work.push((a, factor.wrapping_neg()));
                    continue;
                }
                TermNode::ZExt { arg, .. } | TermNode::SExt { arg, .. } | TermNode::Extract { arg, lo: 0, .. }
                    if is_wide(arg) =>
                {
                    work.push((arg, factor));
                    continue;
                }
                TermNode::Concat(_, low) if is_wide(low) => {
                    work.push((low, factor));
                    continue;
                }
                _ => {}
            }
            let known = sum.atoms.entry(next).or_default();
            *known = known.wrapping_add(factor);
        }
        sum
    }
}

/// Rows of coefficients modulo a power of two.
struct Rows {
    rows: Vec<Vec<u64>>,
    mask: u64,
}

/// The inverse of an odd number modulo two to the power of 64 (Newton's iteration; each step doubles the bits that are
/// right).
fn inverse(odd: u64) -> u64 {
    (0..6).fold(odd, |x, _| x.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(x))))
}

impl Rows {
    fn new(rows: Vec<Vec<u64>>, width: u8) -> Self {
        Self { rows, mask: u64::MAX >> (64 - width) }
    }

    fn subtract(row: &mut [u64], from: &[u64], factor: u64, mask: u64) {
        for (a, b) in row.iter_mut().zip(from) {
            *a = a.wrapping_sub(b.wrapping_mul(factor)) & mask;
        }
    }

    /// Takes a row out with which a column becomes 0 in all others: the one whose coefficient has the fewest factors of
    /// two. They are all that is left of it. If there are some, its multiples without that column remain.
    fn pivot(&mut self, column: usize) -> Option<Vec<u64>> {
        let candidates = self.rows.iter().enumerate().filter(|(_, row)| row[column] != 0);
        let (at, _) = candidates.min_by_key(|(_, row)| row[column].trailing_zeros())?;
        let mut pivot = self.rows.swap_remove(at);
        let shift = pivot[column].trailing_zeros();
        let unit = inverse(pivot[column] >> shift);
        pivot.iter_mut().for_each(|a| *a = a.wrapping_mul(unit) & self.mask);
        for row in &mut self.rows {
            let factor = row[column] >> shift;
            Self::subtract(row, &pivot, factor, self.mask);
        }
        if shift > 0 {
            let over = self.mask.count_ones() - shift;
            self.rows.push(pivot.iter().map(|a| (a << over) & self.mask).collect());
        }
        Some(pivot)
    }

    /// What follows without the first columns.
    fn eliminate(&mut self, columns: usize) {
        for column in 0..columns {
            drop(self.pivot(column));
        }
        self.rows.iter_mut().for_each(|row| drop(row.drain(..columns)));
        self.rows.retain(|row| row.iter().any(|&a| a != 0));
    }

    /// A normal form for the first columns: pivots with fewer factors of two first, each of which divides all
    /// coefficients of its row, and in each column that has one the nearest to 0, positive or negative, in the rows
    /// before. The same rows for the same module.
    fn normal(mut self, columns: usize) -> Vec<Vec<u64>> {
        let mut done: Vec<(usize, Vec<u64>)> = Vec::new();
        for shift in 0..self.mask.count_ones() {
            for column in 0..columns {
                if self.rows.iter().any(|row| row[column] != 0 && row[column].trailing_zeros() == shift) {
                    done.extend(self.pivot(column).map(|row| (column, row)));
                }
            }
        }
        for at in 0..done.len() {
            let (before, rest) = done.split_at_mut(at);
            let (column, pivot) = &rest[0];
            let shift = pivot[*column].trailing_zeros();
            for (_, row) in before {
                let half = if shift > 0 { 1 << (shift - 1) } else { 0 };
                let factor = (row[*column].wrapping_add(half) & self.mask) >> shift;
                Self::subtract(row, pivot, factor, self.mask);
            }
        }
        done.into_iter().map(|(_, row)| row).collect()
    }
}

/// The equations of one width that rows of coefficients of these places, and a constant each, say.
fn equations(rows: Rows, places: &[Place], width: u8) -> impl Iterator<Item = Equation> {
    rows.normal(places.len()).into_iter().map(move |row| {
        let (constant, factors) = row.split_last().expect("there is a constant");
        let terms = places.iter().copied().zip(factors.iter().copied()).filter(|&(_, by)| by != 0);
        Equation { width, terms: terms.collect(), constant: *constant }
    })
}

/// The places of some equations, ascending.
fn all_places<'e>(equations: impl Iterator<Item = &'e Equation>) -> Vec<Place> {
    let places: BTreeSet<Place> = equations.flat_map(|e| e.terms.iter().map(|&(place, _)| place)).collect();
    places.into_iter().collect()
}

/// The coefficients of an equation, and its constant.
fn row(equation: &Equation, places: &[Place]) -> Vec<u64> {
    let mut row = vec![0; places.len() + 1];
    for (place, by) in &equation.terms {
        row[places.binary_search(place).expect("it is one of them")] = *by;
    }
    row[places.len()] = equation.constant;
    row
}

const WIDTHS: [u8; 2] = [32, 64];

/// What some equations say of the places that have another name, with those names.
fn renamed(of: &[Equation], mut name: impl FnMut(Place) -> Option<Place>) -> Vec<Equation> {
    let mut found = Vec::new();
    for width in WIDTHS {
        let known: Vec<&Equation> = of.iter().filter(|e| e.width == width).collect();
        let (mut lost, mut kept): (Vec<Place>, BTreeMap<Place, Place>) = (Vec::new(), BTreeMap::new());
        for place in all_places(known.iter().copied()) {
            match name(place) {
                Some(other) => drop(kept.insert(other, place)),
                None => lost.push(place),
            }
        }
        let columns: Vec<Place> = lost.iter().chain(kept.values()).copied().collect();
        let of_row = |equation: &&Equation| {
            let by = |place: &Place| equation.terms.iter().find(|(known, _)| known == place).map_or(0, |&(_, by)| by);
            columns.iter().map(by).chain([equation.constant]).collect()
        };
        let mut rows = Rows::new(known.iter().map(of_row).collect(), width);
        rows.eliminate(lost.len());
        let kept: Vec<Place> = kept.into_keys().collect();
        found.extend(equations(rows, &kept, width));
    }
    found
}

/// The equations that follow from either of two sets of them: the meet of the modules that their rows generate
/// (Zassenhaus).
pub(crate) fn common(a: &[Equation], b: &[Equation]) -> Vec<Equation> {
    let mut found = Vec::new();
    for width in WIDTHS {
        let of = |all: &[Equation]| all.iter().filter(|e| e.width == width).cloned().collect::<Vec<_>>();
        let (a, b) = (of(a), of(b));
        if a == b {
            found.extend(a);
            continue;
        }
        let places = all_places(a.iter().chain(&b));
        let doubled = a.iter().map(|e| [row(e, &places), row(e, &places)].concat());
        let single = b.iter().map(|e| [row(e, &places), vec![0; places.len() + 1]].concat());
        let mut rows = Rows::new(doubled.chain(single).collect(), width);
        rows.eliminate(places.len() + 1);
        found.extend(equations(rows, &places, width));
    }
    found
}

/// Equal terms that conditions say are equal: themselves, or parts of a conjunction.
pub fn equalities(pool: &TermPool, conditions: &[Term]) -> Vec<(Term, Term)> {
    let equal = |term: Term| match *pool.node(term) {
        TermNode::Cmp(CmpOp::Eq, a, b) if pool.width(a) > 1 => Some((a, b)),
        _ => None,
    };
    parts(pool, conditions).into_iter().filter_map(equal).collect()
}

/// Pairs of terms that may be equal, as far as conditions say on which side of each other they are: `a` and `b` where
/// `a <= b`, `a + 1` and `b` where `a < b`.
pub fn ordered(pool: &mut TermPool, conditions: &[Term]) -> Vec<(Term, Term)> {
    let mut found = Vec::new();
    for term in parts(pool, conditions) {
        let (is_negated, inner) = match *pool.node(term) {
            TermNode::Not(inner) => (true, inner),
            _ => (false, term),
        };
        let TermNode::Cmp(op, a, b) = *pool.node(inner) else { continue };
        let (less, more) = if is_negated { (b, a) } else { (a, b) };
        let is_strict = is_negated == matches!(op, CmpOp::Sle | CmpOp::Ule);
        if op == CmpOp::Eq || !matches!(pool.width(a), 32 | 64) {
            continue;
        }
        let one = pool.constant(pool.width(a), 1);
        let least = if is_strict { pool.binary(BinOp::Add, less, one) } else { less };
        found.push((least, more));
    }
    found
}

fn parts(pool: &TermPool, conditions: &[Term]) -> Vec<Term> {
    let (mut found, mut seen, mut work) = (Vec::new(), FxHashSet::default(), conditions.to_vec());
    while let Some(term) = work.pop() {
        match *pool.node(term) {
            TermNode::Binary(BinOp::And, a, b) if pool.width(term) == 1 => work.extend([a, b]),
            _ if seen.insert(term) => found.push(term),
            _ => {}
        }
    }
    found.sort_unstable();
    found
}

/// What a term is the remainder of by a power of two, and the exponent.
fn remainder(pool: &TermPool, term: Term) -> Option<(Term, u32)> {
    let exponent = |by: Term| pool.as_const(by).filter(|by| by.is_power_of_two()).map(u64::trailing_zeros);
    match *pool.node(term) {
        TermNode::Binary(BinOp::URem | BinOp::SRem, of, by) => Some((of, exponent(by)?)),
        TermNode::Binary(BinOp::And, of, mask) => {
            let mask = pool.as_const(mask).filter(|mask| mask & mask.wrapping_add(1) == 0)?;
            Some((of, mask.trailing_ones()))
        }
        TermNode::ZExt { arg, .. } => match *pool.node(arg) {
            TermNode::Extract { arg, hi, lo: 0 } => Some((arg, hi + 1)),
            _ => None,
        },
        _ => None,
    }
}

/// Says of what the atoms are remainders.
fn remainders(pool: &TermPool, bits: u32, lines: &mut Vec<(Linear, Option<Place>)>) {
    let mut seen = FxHashSet::default();
    let mut work: Vec<Term> = lines.iter().flat_map(|(line, _)| line.atoms.keys().copied()).collect();
    while let Some(atom) = work.pop() {
        let found = remainder(pool, atom).filter(|&(of, by)| (1..bits).contains(&by) && pool.width(of) >= bits);
        let Some((of, exponent)) = found.filter(|_| seen.insert(atom) && seen.len() <= BUDGETS.equation_atoms) else {
            continue;
        };
        let mut apart = Linear { atoms: [(atom, 1)].into(), constant: 0 };
        apart.add(&Linear::of(pool, of, bits), u64::MAX);
        let mut scaled = Linear::default();
        scaled.add(&apart, 1 << (bits - exponent));
        work.extend(scaled.atoms.keys());
        lines.push((scaled, None));
    }
}

/// The equations between places that hold these terms, where some terms are equal. Terms and places are of 32 or 64
/// bits.
pub fn between(pool: &TermPool, held: &[(Place, Term)], equal: &[(Term, Term)]) -> Vec<Equation> {
    let mut found = Vec::new();
    for width in WIDTHS {
        let bits = u32::from(width);
        let held: Vec<&(Place, Term)> = held.iter().filter(|(_, term)| pool.width(*term) >= bits).collect();
        let mut places: Vec<Place> = held.iter().map(|(place, _)| *place).collect();
        places.sort_unstable();
        let mut lines: Vec<(Linear, Option<Place>)> =
            held.iter().map(|&&(place, term)| (Linear::of(pool, term, bits), Some(place))).collect();
        for &(a, b) in equal.iter().filter(|(a, _)| pool.width(*a) >= bits) {
            let mut apart = Linear::of(pool, a, bits);
            apart.add(&Linear::of(pool, b, bits), u64::MAX);
            lines.push((apart, None));
        }
        remainders(pool, bits, &mut lines);
        let atoms: BTreeSet<Term> = lines.iter().flat_map(|(line, _)| line.atoms.keys().copied()).collect();
        if places.len() < 2 || atoms.len() > BUDGETS.equation_atoms {
            continue;
        }
        let mask = u64::MAX >> (64 - width);
        let column: FxHashMap<Term, usize> = atoms.iter().copied().zip(0..).collect();
        let of_line = |(line, place): (Linear, Option<Place>)| {
            let mut row = vec![0; atoms.len() + places.len() + 1];
            for (atom, by) in line.atoms {
                row[column[&atom]] = by & mask;
            }
            if let Some(place) = place {
                row[atoms.len() + places.binary_search(&place).expect("it is one of them")] = mask;
            }
            row[atoms.len() + places.len()] = line.constant.wrapping_neg() & mask;
            row
        };
        let mut rows = Rows::new(lines.into_iter().map(of_line).collect(), width);
        rows.eliminate(atoms.len());
        found.extend(equations(rows, &places, width));
    }
    found
}

impl Equation {
    /// The place that its first odd coefficient is of, which is 1, and the rest of it: what it says the place is equal
    /// to.
    pub(crate) fn solved(&self) -> Option<(Place, Rest)> {
        let at = self.terms.iter().position(|(_, by)| by & 1 == 1)?;
        let mut rest = self.terms.clone();
        let (place, _) = rest.remove(at);
        Some((place, (self.width, rest, self.constant)))
    }

    /// The condition that it holds where places hold these terms, of its width or more.
    pub fn holds(&self, pool: &mut TermPool, terms: &[Term]) -> Term {
        let width = u32::from(self.width);
        let mut sum = pool.constant(width, 0);
        for (&term, &(_, by)) in terms.iter().zip(&self.terms) {
            let low = if pool.width(term) > width { pool.extract(term, width - 1, 0) } else { term };
            let by = pool.constant(width, by);
            let product = pool.binary(BinOp::Mul, low, by);
            sum = pool.binary(BinOp::Add, sum, product);
        }
        let constant = pool.constant(width, self.constant);
        pool.cmp(CmpOp::Eq, sum, constant)
    }
}

/// Width, the other places with their coefficients, and the constant.
pub(crate) type Rest = (u8, Vec<(Place, u64)>, u64);

/// What equations say with other names for places, or without some.
pub(crate) fn with_names(equations: &[Equation], mut name: impl FnMut(Place) -> Option<Place>) -> Vec<Equation> {
    if equations.iter().all(|e| e.terms.iter().all(|&(place, _)| name(place) == Some(place))) {
        return equations.to_vec();
    }
    renamed(equations, name)
}

#[cfg(test)]
mod tests {
    use icsched_ir::{EntityId as _, GlobalId};

    use super::*;
    use crate::place::Node;

    fn place(n: u64) -> Place {
        Place::Memory(Node::Global(GlobalId::from_index(0)), 4 * n, 4)
    }

    /// The equation with these coefficients.
    fn sum(factors: &[i64], constant: i64) -> Equation {
        let word = |n: i64| n.cast_unsigned() & u64::from(u32::MAX);
        let terms = (0..).map(place).zip(factors.iter().map(|&by| word(by))).filter(|&(_, by)| by != 0);
        Equation { width: 32, terms: terms.collect(), constant: word(constant) }
    }

    /// What holds in one state only.
    fn point(numbers: &[i64]) -> Vec<Equation> {
        let of = |(at, &n): (usize, &i64)| sum(&[&vec![0; at][..], &[1]].concat(), n);
        numbers.iter().enumerate().map(of).collect()
    }

    #[test]
    fn odd_numbers_have_inverses() {
        for odd in [1, 3, 5, 0x1234_5677, u64::MAX] {
            assert_eq!(inverse(odd).wrapping_mul(odd), 1);
        }
    }

    #[test]
    fn what_holds_in_several_states_is_their_hull() {
        // Made by two, taken, in the bin.
        let states = [[0, 0, 0, 0], [1, 1, 1, 1], [2, 1, 2, 1], [5, 3, 1, 7], [6, 4, 3, 7]];
        let hull = |of: &[[i64; 4]]| of.iter().map(|state| point(state)).reduce(|a, b| common(&a, &b)).unwrap();
        let sum_of_all = sum(&[1, 1, -1, -1], 0);
        assert_eq!(hull(&states[..4]), [sum_of_all.clone(), sum(&[0, 1 << 30, 0, -1 << 30], 0)]);
        assert_eq!(hull(&states), [sum_of_all]);
        let odd = sum(&[1 << 31], 1 << 31);
        assert_eq!(common(&point(&[1, 2]), &point(&[3, 6])), [sum(&[-2, 1], 0), odd]);
        assert!(common(&point(&[1]), &point(&[2])).is_empty());
    }

    #[test]
    fn an_equation_is_kept_without_a_place() {
        let known = [sum(&[1, 1, -1], 0), sum(&[0, 1, 1], 8)];
        let without = |lost: u64| renamed(&known, |at| (at != place(lost)).then_some(at));
        assert_eq!(without(0), [sum(&[0, 1, 1], 8)]);
        assert_eq!(without(1), [sum(&[1, 0, -2], -8)]);
        let other = renamed(&known, |at| Some(if at == place(0) { place(7) } else { at }));
        assert_eq!(other, [sum(&[0, 1, 1], 8), sum(&[0, 0, -2, 0, 0, 0, 0, 1], -8)]);
    }

    #[test]
    fn terms_are_sums_of_others() {
        let mut pool = TermPool::new();
        let (x, y) = (pool.symbol("x", 32), pool.symbol("y", 32));
        let (one, eight) = (pool.constant(32, 1), pool.constant(32, 8));
        let (more, less) = (pool.binary(BinOp::Add, x, one), pool.binary(BinOp::Sub, y, one));
        let held = [(place(0), more), (place(1), less)];
        assert!(between(&pool, &held, &[]).is_empty());
        let total = pool.binary(BinOp::Add, x, y);
        assert_eq!(between(&pool, &held, &[(total, eight)]), [sum(&[1, 1], 8)]);
        // Where the word is the lower half of another one.
        let wide = pool.sext(x, 64);
        let wider = (Place::Memory(Node::Global(GlobalId::from_index(0)), 8, 8), wide);
        let found = between(&pool, &[held[0], wider], &[]);
        assert_eq!(found.len(), 1);
        let holds = found[0].holds(&mut pool, &[more, wide]);
        assert!(pool.is_true(holds));
    }

    #[test]
    fn a_ring_is_an_equation_of_remainders() {
        let mut pool = TermPool::new();
        let ring = |shift: i64| sum(&[shift, -shift, -shift], 0);
        let (last, count) = (pool.symbol("last", 32), pool.symbol("count", 32));
        let (one, four) = (pool.constant(32, 1), pool.constant(32, 4));
        let low = pool.extract(last, 1, 0);
        let (low, next) = (pool.zext(low, 32), pool.binary(BinOp::Add, last, one));
        let next = pool.binary(BinOp::SRem, next, four);
        let more = pool.binary(BinOp::Add, count, one);
        let first = pool.binary(BinOp::Sub, last, count);
        let before = between(&pool, &[(place(0), low), (place(1), first), (place(2), count)], &[]);
        assert_eq!(before, [ring(1 << 30)]);
        let after = between(&pool, &[(place(0), next), (place(1), first), (place(2), more)], &[]);
        assert_eq!(after, before);
    }

    #[test]
    fn numbers_that_may_be_equal_are_found_in_conditions() {
        let mut pool = TermPool::new();
        let (x, y) = (pool.symbol("x", 32), pool.symbol("y", 32));
        let one = pool.constant(32, 1);
        let next = pool.binary(BinOp::Add, x, one);
        let less = pool.cmp(CmpOp::Slt, x, y);
        let not_less = pool.not(less);
        assert_eq!(ordered(&mut pool, &[less]), [(next, y)]);
        assert_eq!(ordered(&mut pool, &[not_less]), [(y, x)]);
        let same = pool.cmp(CmpOp::Eq, x, y);
        let both = pool.and_all(&[same, less]);
        assert_eq!(equalities(&pool, &[both]).len(), 1);
    }
}
