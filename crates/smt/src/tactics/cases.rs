//! Case by case: an unknown with few values is replaced by each of them, where that makes products or quotients
//! constant.
//!
//! Example: `(1 << n) * x < 64`. Products of unknowns are hard for a back end, but the amount of a shift has few
//! values. With each put in, the shift is a constant, and most cases contradict themselves at sight. The kinds of
//! cases:
//!
//! 1. The amount of a shift below a product or quotient. Programs get them from `1 << n` with an input `n`: sizes of
//!    transforms, numbers of digits.
//! 2. A divisor of which conditions leave few values: `key % buckets` with few buckets.
//! 3. The remainder of a number, where several sums with it are divided by one small constant: `k % 3` beside
//!    `(k + 1) % 3`.
//! 4. A number of which two sums near each other are multiples: it divides their distance. So the numbers of two
//!    threads are multiples of the same `n` only if `n` is small.
//! 5. What divides a small constant: the numbers of blocks that the first rows of a matrix are in.

use std::collections::{BTreeMap, BTreeSet};

use crate::bounds::ranges::Ranges;
use crate::budgets::BUDGETS;
use crate::stack::cache::Verdict;
use crate::stack::query::Query;
use crate::stack::tactic::{Run, Tactic};
use crate::terms::bits::{gcd, mask};
use crate::terms::divisions::HARD_WIDTH;
use crate::terms::node::{BinOp, CmpOp, Node, Term};
use crate::terms::pool::TermPool;
use crate::terms::substitute::Substitution;

/// Decides each case as a query of its own. What is left of a case is the same for many queries of a path.
pub(super) struct Cases;

/// Where the tactic is, as deciding a case may get there again.
#[derive(Debug, Default)]
struct Progress {
    /// Queries under way that are decided case by case.
    nesting: u32,
    /// The cases of the outermost one so far.
    cases: u32,
}

impl Tactic for Cases {
    fn name(&self) -> &'static str {
        "cases"
    }

    fn decide(&self, run: &mut Run<'_>, query: &mut Query<'_>) -> Option<Verdict> {
        if run.is_impatient || run.memory.scratch.of::<Progress>().nesting >= BUDGETS.cases.nesting {
            return None;
        }
        let cases = cases(run.pool, query.rest())?;
        let progress = run.memory.scratch.of::<Progress>();
        if progress.nesting == 0 {
            progress.cases = 0;
        }
        progress.nesting += 1;
        let verdict = decide_each(run, query.rest(), &cases);
        run.memory.scratch.of::<Progress>().nesting -= 1;
        Some(run.completed_verdict(query.reduction(), verdict?))
    }
}

/// Unsatisfiable if all cases are; satisfiable if one has a model under which the terms hold. Else nothing is said.
fn decide_each(run: &mut Run<'_>, terms: &[Term], cases: &[Vec<Term>]) -> Option<Verdict> {
    for case in cases {
        let progress = run.memory.scratch.of::<Progress>();
        progress.cases += 1;
        if progress.cases > BUDGETS.cases.cases {
            return None;
        }
        match run.decide(case) {
            Verdict::Sat(model) if terms.iter().all(|&t| run.pool.eval_bool(t, &model)) => {
                return Some(Verdict::Sat(model));
            }
            Verdict::Unsat => {}
            Verdict::Sat(_) | Verdict::Unknown(_) => return None,
        }
    }
    Some(Verdict::Unsat)
}

/// A conjunction as a disjunction of cases, without those that are false at sight. They are of the first kind in the
/// module's list that there is; nothing if there is none. Linear in the size of the terms' graph, for each case.
fn cases(pool: &mut TermPool, terms: &[Term]) -> Option<Vec<Vec<Term>>> {
    let cases = match amount(pool, terms) {
        Some(amount) => amounts(pool, amount),
        None => of_few(pool, terms)
            .or_else(|| remainders(pool, terms))
            .or_else(|| multiples(pool, terms))
            .or_else(|| quotients(pool, terms))?,
    };
    let mut possible = Vec::new();
    for (condition, put_in) in cases {
        let mut case = vec![condition];
        case.extend(pool.substitute_all(terms, &put_in));
        case.retain(|&t| !pool.is_true(t));
        if !case.iter().any(|&t| pool.is_false(t)) {
            possible.push(case);
        }
    }
    Some(possible)
}

/// The condition of a case, and the terms that are replaced in it.
type Case = (Term, Substitution);

/// The case that a term has a value.
fn equal(pool: &mut TermPool, term: Term, value: Term) -> Case {
    (pool.cmp(CmpOp::Eq, term, value), Substitution::from([(term, value)]))
}

fn amounts(pool: &mut TermPool, amount: Term) -> Vec<Case> {
    let (least, greatest) = pool.unsigned_range(amount);
    let width = pool.width(amount);
    let mut cases = Vec::new();
    for value in least..=greatest {
        let value = pool.constant_wide(width, value);
        cases.push(equal(pool, amount, value));
    }
    cases
}

/// Cases of the remainder of a number: the first one with which several sums are divided by the same small constant.
fn remainders(pool: &mut TermPool, terms: &[Term]) -> Option<Vec<Case>> {
    let mut sums: BTreeMap<(Term, u128), BTreeSet<(u128, Term)>> = BTreeMap::new();
    for t in pool.postorder(terms, |_| false) {
        let Node::Binary(BinOp::URem, dividend, by) = *pool.node(t) else { continue };
        let is_small = |by: &u128| (2..=BUDGETS.cases.divisors.unsigned_abs()).contains(by);
        let Some(by) = pool.as_const_wide(by).filter(is_small) else { continue };
        let (base, addend) = match *pool.node(dividend) {
            Node::Binary(BinOp::Add, base, addend) if let Some(addend) = pool.as_const_wide(addend) => (base, addend),
            _ => (dividend, 0),
        };
        if (HARD_WIDTH..=64).contains(&pool.width(t)) {
            sums.entry((base, by)).or_default().insert((addend, t));
        }
    }
    let ((base, by), sums) = sums.into_iter().find(|(_, sums)| sums.len() > 1)?;
    let width = pool.width(base);
    let (divisor, all) = (pool.constant_wide(width, by), 1_u128 << width);
    let left = pool.binary(BinOp::URem, base, divisor);
    let cases = (0..by).map(|rest| {
        let mut put_in = Substitution::new();
        for &(addend, sum) in &sums {
            let [of_sum, wrapped] =
                [0, all % by].map(|less| pool.constant_wide(width, (rest + addend + by - less) % by));
            let last = pool.constant_wide(width, all - 1 - addend);
            let fits = pool.cmp(CmpOp::Ule, base, last);
            put_in.insert(sum, pool.ite(fits, of_sum, wrapped));
        }
        let rest = pool.constant_wide(width, rest);
        (pool.cmp(CmpOp::Eq, left, rest), put_in)
    });
    Some(cases.collect())
}

/// Cases of the first unknown of which two sums with one number are multiples. It divides their distance. Where one of
/// the sums wraps, both are near the ends of all numbers, and the unknown divides these ends.
fn multiples(pool: &mut TermPool, terms: &[Term]) -> Option<Vec<Case>> {
    let mut sums: BTreeMap<(Term, bool, Term), BTreeSet<u128>> = BTreeMap::new();
    for &t in terms {
        let Node::Cmp(CmpOp::Eq, a, b) = *pool.node(t) else { continue };
        let (rest, zero) = if pool.as_const_wide(a).is_some() { (b, a) } else { (a, b) };
        let Node::Binary(op @ (BinOp::SRem | BinOp::URem), dividend, by) = *pool.node(rest) else { continue };
        if pool.as_const_wide(zero) == Some(0)
            && pool.as_const_wide(by).is_none()
            && (HARD_WIDTH..=64).contains(&pool.width(rest))
            && let (Some(base), addend) = pool.split_constant_wide(dividend)
        {
            sums.entry((by, op.divides_signed(), base)).or_default().insert(addend);
        }
    }
    let ((by, is_signed, base), (low, apart)) = sums.into_iter().find_map(|(key, addends)| {
        let all = 1_u128 << pool.width(key.2);
        let pairs = addends.iter().flat_map(|a| addends.iter().map(move |b| (*a, (b + all - a) % all)));
        let near = pairs.filter(|pair| pair.1 != 0).min_by_key(|pair| pair.1);
        near.filter(|pair| pair.1 <= BUDGETS.cases.apart).map(|pair| (key, pair))
    })?;
    let width = pool.width(base);
    let all = 1_u128 << width;
    let mut values: BTreeSet<u128> = divisors_of(apart).collect();
    let mut ends = Vec::new();
    let greatest = if is_signed { all / 2 - 1 } else { all - 1 };
    for below in 0..apart {
        let last = greatest - below;
        // Behind the greatest number is the least one.
        let wrapped = (last + apart) % all;
        let magnitude = if is_signed { all - wrapped } else { wrapped };
        match gcd(last, magnitude) {
            common if common <= BUDGETS.cases.multiple => values.extend(divisors_of(common)),
            _ => ends.push((last + all - low) % all),
        }
    }
    let mut cases = Vec::new();
    for value in values {
        let negated = is_signed.then_some(all - value);
        for value in [Some(value), negated].into_iter().flatten() {
            let value = pool.constant_wide(width, value);
            cases.push(equal(pool, by, value));
        }
    }
    for end in ends {
        let end = pool.constant_wide(width, end);
        cases.push(equal(pool, base, end));
    }
    Some(cases)
}

fn divisors_of(number: u128) -> impl Iterator<Item = u128> {
    (1..=number).filter(move |&by| number.is_multiple_of(by))
}

/// Cases of the first divisor that has few values under the conditions.
fn of_few(pool: &mut TermPool, terms: &[Term]) -> Option<Vec<Case>> {
    let divisor = |t: Term| match *pool.node(t) {
        Node::Binary(op, _, by) if op.divides() && pool.as_const_wide(by).is_none() => Some(by),
        _ => None,
    };
    let mut divisors: Vec<Term> = pool.postorder(terms, |_| false).into_iter().filter_map(divisor).collect();
    divisors.retain(|&by| (HARD_WIDTH..=64).contains(&pool.width(by)));
    if divisors.is_empty() {
        return None;
    }
    let mut ranges = Ranges::under(pool, terms.iter().copied());
    let (by, least, greatest) = divisors.into_iter().find_map(|by| {
        let (least, greatest) = ranges.signed(pool, by);
        (least..least.saturating_add(BUDGETS.cases.divisors)).contains(&greatest).then_some((by, least, greatest))
    })?;
    let width = pool.width(by);
    let values = (least..=greatest).map(|value| {
        let value = pool.constant_wide(width, value as u128 & mask(width));
        equal(pool, by, value)
    });
    Some(values.collect())
}

/// Cases of what divides a small constant, for the first quotient or remainder of one.
fn quotients(pool: &mut TermPool, terms: &[Term]) -> Option<Vec<Case>> {
    let (quotient, op, (dividend, by), divisors) =
        pool.postorder(terms, |_| false).into_iter().find_map(|t| match *pool.node(t) {
            Node::Binary(op, a, b) => Some((t, op, (a, b), pool.divisors_up_to(op, a, BUDGETS.cases.dividend)?)),
            _ => None,
        })?;
    let width = pool.width(quotient);
    let mut cases = Vec::new();
    for &divisor in &divisors {
        let divisor = pool.constant_wide(width, divisor);
        cases.push(equal(pool, by, divisor));
    }
    let none = pool.constant(width, 0);
    let beyond = if op.is_remainder() { dividend } else { none };
    let (less, most) =
        if op.divides_signed() { (CmpOp::Slt, divisors.len() / 2) } else { (CmpOp::Ult, divisors.len() - 1) };
    let most = pool.constant(width, u64::try_from(most).expect("they are few"));
    cases.push((pool.cmp(less, most, by), Substitution::from([(quotient, beyond)])));
    if op.divides_signed() {
        let least = pool.binary(BinOp::Sub, none, most);
        cases.push((pool.cmp(less, by, least), Substitution::from([(quotient, beyond)])));
    }
    Some(cases)
}

/// The first amount of a shift that is below something hard.
fn amount(pool: &TermPool, terms: &[Term]) -> Option<Term> {
    let mut hard = pool.postorder(terms, |_| false);
    hard.retain(|&t| pool.is_wide_product(t));
    pool.postorder(&hard, |_| false).into_iter().find_map(|t| match *pool.node(t) {
        Node::Binary(BinOp::Shl | BinOp::LShr | BinOp::AShr, _, amount)
            if pool.as_const_wide(amount).is_none() && pool.unsigned_range(amount).1 <= BUDGETS.cases.shift_amount =>
        {
            Some(amount)
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::model::Model;

    fn shifted(pool: &mut TermPool) -> Term {
        let n = pool.symbol("n", 32);
        let few = pool.constant(32, 31);
        let (one, amount) = (pool.constant(32, 1), pool.binary(BinOp::And, n, few));
        pool.binary(BinOp::Shl, one, amount)
    }

    #[test]
    fn each_amount_is_a_case_unless_it_contradicts_the_terms() {
        let mut pool = TermPool::new();
        let power = shifted(&mut pool);
        let x = pool.symbol("x", 32);
        let product = pool.binary(BinOp::Mul, power, x);
        let (hundred, all) = (pool.constant(32, 100), pool.constant(32, 64));
        let terms = [pool.cmp(CmpOp::Ult, power, hundred), pool.cmp(CmpOp::Ult, product, all)];
        let cases = cases(&mut pool, &terms).expect("there is a shift below a product");
        assert_eq!(cases.len(), 7, "1 << n is below 100 for seven n");
        assert!(cases.iter().flatten().all(|&t| !pool.is_wide_product(t)));
    }

    #[test]
    fn a_shift_that_nothing_hard_is_made_of_is_left_alone() {
        let mut pool = TermPool::new();
        let power = shifted(&mut pool);
        let hundred = pool.constant(32, 100);
        let below = pool.cmp(CmpOp::Ult, power, hundred);
        assert_eq!(cases(&mut pool, &[below]), None);
    }

    #[test]
    fn a_small_constant_is_divided_by_each_number_and_by_those_beyond() {
        let mut pool = TermPool::new();
        let x = pool.symbol("x", 32);
        let (zero, one, nine) = (pool.constant(32, 0), pool.constant(32, 1), pool.constant(32, 9));
        let quotient = pool.binary(BinOp::SDiv, one, x);
        let product = pool.binary(BinOp::Mul, quotient, x);
        let terms = [pool.cmp(CmpOp::Slt, zero, x), pool.cmp(CmpOp::Slt, product, nine)];
        let found = cases(&mut pool, &terms).expect("there is a quotient");
        // One, more than one, and less than minus one, which contradicts the first term, but not at sight.
        assert_eq!(found.len(), 3);
        assert!(found.iter().flatten().all(|&t| !pool.is_wide_product(t)));
        for number in [1, 2, 7] {
            let mut model = Model::new();
            model.set("x", 32, number);
            let holds = |case: &&Vec<Term>| case.iter().all(|&t| pool.eval_bool(t, &model));
            assert_eq!(found.iter().filter(holds).count(), 1, "{number} is in one case");
        }
    }

    #[test]
    fn what_is_divided_by_a_number_of_few_values() {
        let mut pool = TermPool::new();
        let (x, n) = (pool.symbol("x", 32), pool.symbol("n", 32));
        let (zero, five) = (pool.constant(32, 0), pool.constant(32, 5));
        let rest = pool.binary(BinOp::URem, x, n);
        let mut terms = vec![pool.cmp(CmpOp::Slt, zero, n), pool.cmp(CmpOp::Slt, rest, n)];
        assert_eq!(cases(&mut pool, &terms), None);
        terms.push(pool.cmp(CmpOp::Slt, n, five));
        let found = cases(&mut pool, &terms).expect("there are four divisors");
        assert_eq!(found.len(), 4);
        assert!(found.iter().flatten().all(|&t| !pool.is_wide_product(t)));
    }

    /// In each of them exactly what holds of the number holds of the terms, where sums wrap, too.
    #[test]
    fn what_is_left_of_sums_follows_from_what_is_left_of_a_number() {
        let mut pool = TermPool::new();
        let k = pool.symbol("k", 32);
        let [one, two, last, three] = [1, 2, u64::from(u32::MAX), 3].map(|n| pool.constant(32, n));
        let left: Vec<Term> = [None, Some(one), Some(last)]
            .map(|addend| {
                let sum = addend.map_or(k, |addend| pool.binary(BinOp::Add, k, addend));
                pool.binary(BinOp::URem, sum, three)
            })
            .to_vec();
        for (at, other) in [(1, two), (2, one)] {
            let terms = [pool.cmp(CmpOp::Ult, left[0], left[at]), pool.ne(left[at], other)];
            let found = cases(&mut pool, &terms).expect("two are divided by three");
            for number in (0..20).chain(u32::MAX - 20..=u32::MAX) {
                let mut model = Model::new();
                model.set("k", 32, number.into());
                let holds = |case: &Vec<Term>| case.iter().all(|&t| pool.eval_bool(t, &model));
                let is_solution = terms.iter().all(|&t| pool.eval_bool(t, &model));
                assert_eq!(found.iter().filter(|case| holds(case)).count(), usize::from(is_solution), "{number}");
            }
        }
    }

    /// Whatever divides two sums is in one of the cases, where they wrap, too.
    #[test]
    fn what_divides_neighbours_is_small() {
        for (op, apart) in [(BinOp::SRem, 1), (BinOp::SRem, 6), (BinOp::URem, 1), (BinOp::URem, 2)] {
            let mut pool = TermPool::new();
            let (x, y) = (pool.symbol("x", 16), pool.symbol("y", 16));
            let [zero, three, other] = [0, 3, 3 + apart].map(|n| pool.constant(16, n));
            let terms = [three, other].map(|addend| {
                let sum = pool.binary(BinOp::Add, x, addend);
                let rest = pool.binary(op, sum, y);
                pool.cmp(CmpOp::Eq, rest, zero)
            });
            let found = cases(&mut pool, &terms).expect("both are divided by y");
            let ends = (0..12).chain(0x7ff0..0x8010).chain(0xfff0..0x1_0000);
            for (number, by) in ends.flat_map(|number| (0..40).chain(0xffd0..0x1_0000).map(move |by| (number, by))) {
                let mut model = Model::new();
                model.set("x", 16, number);
                model.set("y", 16, by);
                let is_solution = terms.iter().all(|&t| pool.eval_bool(t, &model));
                let is_found = found.iter().any(|case| case.iter().all(|&t| pool.eval_bool(t, &model)));
                assert_eq!(is_found, is_solution, "{number} and {by}, {apart} apart");
            }
        }
    }

    #[test]
    fn large_constants_are_divided_by_nobody_knows_what() {
        let mut pool = TermPool::new();
        let (x, many) = (pool.symbol("x", 32), pool.constant(32, 5));
        let quotient = pool.binary(BinOp::UDiv, many, x);
        let below = pool.cmp(CmpOp::Ult, quotient, x);
        assert_eq!(cases(&mut pool, &[below]), None);
    }
}
