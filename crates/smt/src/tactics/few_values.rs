//! Terms of few values: all combinations are tried.
//!
//! Example: `(x % 9) * 3 == (y & 3) + 1`. What is bounded, a remainder, or some low bits of a number has few values,
//! and so has what is computed from it. Where conditions hold for none of their combinations, they contradict each
//! other.
//!
//! A term of few values that is computed from something of many (`x % 9`) is an unknown of its own, and conditions on
//! other terms are left out. So contradictions are certain; a combination is a model only if all unknowns are symbols
//! and all conditions were tried. A back end takes longer to be told of such conditions than all of this takes.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::bounds::ranges::Ranges;
use crate::budgets::BUDGETS;
use crate::stack::cache::Verdict;
use crate::stack::query::Query;
use crate::stack::tactic::{Run, Tactic};
use crate::terms::bits::mask;
use crate::terms::model::Model;
use crate::terms::node::{BinOp, Node, Term};
use crate::terms::pool::TermPool;

/// Unknowns in a query: the bits of a set of them.
const MAX_UNKNOWNS: usize = 64;

/// Tries all values, before anything that takes longer.
pub(super) struct FewValues;

/// The same with more effort, of what implied values leave.
pub(super) struct AllFewValues;

impl Tactic for FewValues {
    fn name(&self) -> &'static str {
        "few values"
    }

    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
        match try_all(run, query, BUDGETS.few_values.quick) {
            Tried::Contradiction => Some(Verdict::Unsat),
            Tried::Model(model) => Some(run.completed_guess(query, model)),
            Tried::Nothing => None,
            Tried::Unfinished => {
                query.has_untried_values = true;
                None
            }
        }
    }
}

impl Tactic for AllFewValues {
    fn name(&self) -> &'static str {
        "all few values"
    }

    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
        if !query.has_untried_values && !query.is_reduced() {
            return None;
        }
        match try_all(run, query, BUDGETS.few_values.thorough) {
            Tried::Contradiction => Some(Verdict::Unsat),
            Tried::Model(model) => Some(run.completed_guess(query, model)),
            Tried::Nothing | Tried::Unfinished => None,
        }
    }
}

fn try_all(run: &mut Run<'_>, query: &mut Query<'_>, effort: usize) -> Tried {
    let (rest, ranges) = query.rest_with_ranges(run.pool);
    run.memory.scratch.of::<FiniteDomains>().decide(run.pool, rest, ranges, effort)
}

/// What trying all values shows.
#[derive(Debug)]
enum Tried {
    Contradiction,
    /// The values under which all conditions hold, in terms of nothing but symbols.
    Model(Model),
    Nothing,
    /// There are more values than were to be tried.
    Unfinished,
}

/// Tries all values. Keeps nothing between queries but memory.
#[derive(Debug, Default)]
struct FiniteDomains {
    /// By index of the term.
    values: Vec<u128>,
}

/// A term that is taken for unknown.
#[derive(Copy, Clone, Debug)]
struct Unknown {
    term: Term,
    /// Its values as signed numbers.
    least: i128,
    greatest: i128,
}

impl Unknown {
    fn count(&self) -> i128 {
        self.greatest - self.least + 1
    }
}

/// What becomes known with an unknown.
#[derive(Debug)]
struct Level {
    unknown: Unknown,
    width: u32,
    /// Each condition, behind the terms that it needs and that were not computed before, operands first.
    conditions: Vec<(Vec<Term>, Term)>,
}

/// Unknowns that a term is computed from, as a set of their numbers.
type Needed = FxHashMap<Term, u64>;

impl FiniteDomains {
    /// Decides the conjunction of `terms`, of which `ranges` knows, evaluating as many terms as `effort` says.
    fn decide(&mut self, pool: &TermPool, terms: &[Term], ranges: &mut Ranges, effort: usize) -> Tried {
        let order = pool.postorder(terms, |_| false);
        if order.len() > BUDGETS.few_values.nodes {
            return Tried::Nothing;
        }
        let (mut unknowns, mut needed) = (Vec::new(), Needed::default());
        let users = users(pool, terms, &order);
        for term in order {
            let Some(unknown) = look(pool, term, ranges, &mut needed) else { continue };
            // What it is used for takes its place.
            if is_used_for_less(pool, unknown, &users, ranges) {
                continue;
            }
            if unknown.count() <= 0 {
                return Tried::Contradiction;
            }
            if unknown.count() <= BUDGETS.few_values.values && unknowns.len() < MAX_UNKNOWNS {
                needed.insert(term, 1 << unknowns.len());
                unknowns.push(unknown);
            }
        }
        let conditions: Vec<Term> = terms.iter().filter(|t| needed.contains_key(t)).copied().collect();
        let levels = levels(pool, &unknowns, &needed, &conditions);
        if levels.is_empty() {
            return Tried::Nothing;
        }
        if self.values.len() < pool.len() {
            self.values = vec![0; pool.len().next_power_of_two()];
        }
        let is_symbol = |level: &Level| matches!(pool.node(level.unknown.term), Node::Symbol { .. });
        match self.search(pool, &conditions, &levels, effort) {
            Some(false) => Tried::Contradiction,
            Some(true) if conditions.len() == terms.len() && levels.iter().all(is_symbol) => {
                let mut model = Model::new();
                for level in &levels {
                    let name = pool.symbol_name(level.unknown.term).expect("symbols have names");
                    model.set(name, level.width, self.values[level.unknown.term.index()]);
                }
                Tried::Model(model)
            }
            Some(true) => Tried::Nothing,
            None => Tried::Unfinished,
        }
    }

    /// Whether all conditions hold for some values, which are then in `values`; `None` if that would take long.
    fn search(&mut self, pool: &TermPool, conditions: &[Term], levels: &[Level], effort: usize) -> Option<bool> {
        let nothing = Model::new();
        let constants = pool.postorder(conditions, |_| false);
        for term in constants {
            if let Some(bits) = pool.as_const_wide(term) {
                self.values[term.index()] = bits;
            }
        }
        let (mut tried, mut at, mut budget) = (vec![0; levels.len()], 0, effort);
        while let Some(level) = levels.get(at) {
            if tried[at] == level.unknown.count() {
                tried[at] = 0;
                match at.checked_sub(1) {
                    Some(before) => at = before,
                    None => return Some(false),
                }
                continue;
            }
            let value = level.unknown.least + tried[at];
            self.values[level.unknown.term.index()] = value as u128 & mask(level.width);
            tried[at] += 1;
            budget = budget.checked_sub(1)?;
            let mut holds = true;
            for (computed, condition) in &level.conditions {
                budget = budget.checked_sub(computed.len())?;
                for &term in computed {
                    let value = pool.value_of(*pool.node(term), &nothing, |operand| self.values[operand.index()]);
                    self.values[term.index()] = value;
                }
                holds = self.values[condition.index()] == 1;
                if !holds {
                    break;
                }
            }
            at += usize::from(holds);
        }
        Some(true)
    }
}

/// Notes which unknowns a term is computed from. If that cannot be said, returns the term as an unknown with its
/// bounds.
fn look(pool: &TermPool, term: Term, ranges: &mut Ranges, needed: &mut Needed) -> Option<Unknown> {
    let node = *pool.node(term);
    let is_open = matches!(node, Node::Symbol { .. } | Node::Select(..)) || pool.width(term) == 0;
    let operands = node.children().try_fold(0, |all, operand| Some(all | needed.get(&operand)?));
    if let Some(all) = operands.filter(|_| !is_open) {
        needed.insert(term, all);
        return None;
    }
    let is_wide = !(1..=64).contains(&pool.width(term));
    if is_wide {
        return None;
    }
    let (least, greatest) = ranges.signed(pool, term);
    Some(Unknown { term, least, greatest })
}

/// By term its only user, if there is just one.
fn users(pool: &TermPool, terms: &[Term], order: &[Term]) -> FxHashMap<Term, Option<Term>> {
    let mut users: FxHashMap<Term, Option<Term>> = terms.iter().map(|&term| (term, None)).collect();
    for &user in order {
        for operand in pool.node(user).children() {
            users.entry(operand).and_modify(|known| *known = known.filter(|&one| one == user)).or_insert(Some(user));
        }
    }
    users
}

/// Whether the only use of an unknown is a remainder, a quotient or some bits of it with fewer values: better unknowns.
fn is_used_for_less(
    pool: &TermPool,
    unknown: Unknown,
    users: &FxHashMap<Term, Option<Term>>,
    ranges: &mut Ranges,
) -> bool {
    let Some(user) = users.get(&unknown.term).copied().flatten() else { return false };
    let is_part = match *pool.node(user) {
        Node::Extract { .. } => true,
        Node::Binary(op, _, by) => (op.divides() || op == BinOp::LShr) && pool.as_const_wide(by).is_some(),
        _ => false,
    };
    if !is_part || pool.width(user) > 64 {
        return false;
    }
    let (least, greatest) = ranges.signed(pool, user);
    greatest - least + 1 < unknown.count()
}

/// The unknowns that conditions need, in an order in which conditions become known early.
fn levels(pool: &TermPool, unknowns: &[Unknown], needed: &Needed, conditions: &[Term]) -> Vec<Level> {
    let (mut chosen, mut levels) = (0_u64, Vec::<Level>::new());
    // Those of constants become known with whatever is first.
    let (mut known, mut waiting): (Vec<Term>, Vec<Term>) = conditions.iter().partition(|t| needed[*t] == 0);
    let mut computed: FxHashSet<Term> = unknowns.iter().map(|unknown| unknown.term).collect();
    let missing = |needs: u64, chosen: u64| {
        unknowns.iter().enumerate().filter(move |(number, _)| (needs & !chosen) >> number & 1 == 1)
    };
    let combinations = |condition: &Term, chosen: u64| {
        let counts = missing(needed[condition], chosen).map(|(_, unknown)| unknown.count() as u64);
        counts.fold(1, u64::saturating_mul)
    };
    while let Some((at, _)) = waiting.iter().enumerate().min_by_key(|(_, condition)| combinations(condition, chosen)) {
        let condition = waiting.remove(at);
        let mut next: Vec<(usize, &Unknown)> = missing(needed[&condition], chosen).collect();
        next.sort_by_key(|(number, unknown)| (unknown.count(), *number));
        for (number, &unknown) in next {
            chosen |= 1 << number;
            levels.push(Level { unknown, width: pool.width(unknown.term), conditions: Vec::new() });
        }
        known.push(condition);
        let Some(last) = levels.last_mut() else { continue };
        for condition in known.drain(..) {
            let mut new = pool.postorder(&[condition], |term| computed.contains(&term));
            new.retain(|&term| pool.as_const_wide(term).is_none());
            computed.extend(&new);
            last.conditions.push((new, condition));
        }
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::random::Random;
    use crate::terms::node::CmpOp;

    fn decide(pool: &TermPool, terms: &[Term]) -> Tried {
        FiniteDomains::default().decide(pool, terms, &mut Ranges::under(pool, terms.iter().copied()), 1 << 16)
    }

    #[test]
    fn remainders_and_low_bits_have_few_values() {
        let mut pool = TermPool::new();
        let (x, y) = (pool.symbol("x", 32), pool.symbol("y", 32));
        let [one, three, nine] = [1, 3, 9].map(|n| pool.constant(32, n));
        let (a, b) = (pool.binary(BinOp::URem, x, nine), pool.extract(y, 1, 0));
        let b = pool.zext(b, 32);
        let sum = pool.binary(BinOp::Mul, a, three);
        let next = pool.binary(BinOp::Add, b, one);
        let equal = pool.cmp(CmpOp::Eq, sum, next);
        let two = pool.constant(32, 2);
        let other = pool.ne(b, two);
        assert!(matches!(decide(&pool, &[equal, other]), Tried::Contradiction));
        // There is an assignment, but of a remainder.
        assert!(matches!(decide(&pool, &[equal]), Tried::Nothing));
    }

    #[test]
    fn a_model_of_bounded_symbols() {
        let mut pool = TermPool::new();
        let (x, y) = (pool.symbol("x", 32), pool.symbol("y", 32));
        let [zero, seven, ten] = [0, 7, 10].map(|n| pool.constant(32, n));
        let product = pool.binary(BinOp::Mul, x, y);
        let mut terms: Vec<Term> =
            [x, y].into_iter().flat_map(|t| [pool.cmp(CmpOp::Slt, zero, t), pool.cmp(CmpOp::Slt, t, ten)]).collect();
        let rest = pool.binary(BinOp::URem, product, seven);
        terms.push(pool.cmp(CmpOp::Eq, rest, zero));
        let Tried::Model(model) = decide(&pool, &terms) else { panic!("7 is a multiple of 7") };
        assert!(terms.iter().all(|&t| pool.eval_bool(t, &model)));
        for t in [x, y] {
            terms.push(pool.ne(t, seven));
        }
        assert!(matches!(decide(&pool, &terms), Tried::Contradiction));
    }

    /// Random conditions over two symbols of six bits: what is said is what trying all of their values shows.
    #[test]
    fn what_is_shown_is_so() {
        let mut random = Random(11);
        let comparisons = [CmpOp::Eq, CmpOp::Ult, CmpOp::Ule, CmpOp::Slt, CmpOp::Sle];
        let (mut contradictions, mut models) = (0, 0);
        for _ in 0..400 {
            let mut pool = TermPool::new();
            let (x, y) = (pool.symbol("x", 6), pool.symbol("y", 6));
            let wide = pool.symbol("w", 64);
            let low = pool.extract(wide, 5, 0);
            let mut terms = vec![x, if random.below(2) == 0 { y } else { low }, pool.constant(6, random.next() & 63)];
            for _ in 0..5 {
                let (a, b) = (terms[random.below(terms.len())], terms[random.below(terms.len())]);
                terms.push(match random.below(5) {
                    0 => {
                        let guard = pool.cmp(CmpOp::Slt, a, b);
                        pool.ite(guard, a, b)
                    }
                    1 => {
                        let part = pool.extract(a, 2, 0);
                        pool.zext(part, 6)
                    }
                    _ => pool.binary(BinOp::ALL[random.below(BinOp::ALL.len())], a, b),
                });
            }
            let conditions: Vec<Term> = (0..4)
                .map(|_| {
                    let (a, b) = (terms[random.below(terms.len())], terms[random.below(terms.len())]);
                    let condition = pool.cmp(comparisons[random.below(5)], a, b);
                    if random.below(2) == 0 { condition } else { pool.not(condition) }
                })
                .collect();
            let is_possible = (0..64 * 64).any(|values: u64| {
                let mut model = Model::new();
                model.set("x", 6, u128::from(values % 64));
                model.set("y", 6, u128::from(values / 64));
                model.set("w", 64, u128::from(values / 64));
                conditions.iter().all(|&c| pool.eval_bool(c, &model))
            });
            match decide(&pool, &conditions) {
                Tried::Contradiction => {
                    assert!(!is_possible);
                    contradictions += 1;
                }
                Tried::Model(model) => {
                    assert!(conditions.iter().all(|&c| pool.eval_bool(c, &model)));
                    models += 1;
                }
                Tried::Nothing | Tried::Unfinished => {}
            }
        }
        assert!(contradictions > 50 && models > 20, "{contradictions} contradictions, {models} models");
    }
}
