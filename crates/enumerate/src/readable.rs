//! Conditions on one input, said the short way: `atoi(argv[1]) == 3` instead of what the path happened to ask.
//!
//! A constraint that depends on one quantity alone (an input, or its low 32 bits as `atoi` returns them) is compared
//! with "equals", "differs from" and "lies between" by the solver.

use icsched_smt::{Answer, CmpOp, Node, Solver, Term, TermPool, Validity};

/// A readable condition that holds for all inputs in one of `cores` and only for inputs in `allowed`, which contains
/// them, if there is one. Equalities come first, then ranges, then what is left out of a range.
pub(crate) fn readable(pool: &mut TermPool, solver: &mut dyn Solver, cores: &[Term], allowed: Term) -> Option<Term> {
    if pool.has_float(allowed) {
        // Queries about floats are slow, and ranges of bit patterns say nothing.
        return None;
    }
    let quantities = quantities(pool, allowed);
    let mut ranges = Vec::new();
    for &core in cores {
        for &quantity in &quantities {
            if let Some(range) = range_of(pool, solver, core, quantity)
                && solver.must_be_true(pool, &[range], allowed) == Validity::Valid
            {
                ranges.push(range);
            }
        }
    }
    let is_equality = |t: &&Term| matches!(pool.node(**t), Node::Cmp(CmpOp::Eq, ..));
    if let Some(&range) = ranges.iter().find(is_equality).or(ranges.first()) {
        return Some(range);
    }
    let outside = pool.not(allowed);
    for quantity in quantities {
        let Some(range) = range_of(pool, solver, outside, quantity) else { continue };
        let elsewhere = pool.not(range);
        if cores.iter().any(|&core| solver.must_be_true(pool, &[core], elsewhere) == Validity::Valid) {
            return Some(elsewhere);
        }
    }
    None
}

/// What a constraint may be a condition on: its only symbol, or the symbol's low 32 bits.
fn quantities(pool: &mut TermPool, constraint: Term) -> Vec<Term> {
    let symbols = pool.symbols_of(constraint);
    let [symbol] = symbols[..] else { return Vec::new() };
    if !matches!(pool.node(symbol), Node::Symbol { .. }) || pool.width(symbol) > 64 {
        return Vec::new();
    }
    match pool.width(symbol) {
        64 => vec![pool.trunc(symbol, 32), symbol],
        _ => vec![symbol],
    }
}

/// The smallest `low <= x && x <= high` (signed), or `x == low`, that holds wherever the constraint does.
fn range_of(pool: &mut TermPool, solver: &mut dyn Solver, constraint: Term, x: Term) -> Option<Term> {
    let width = pool.width(x);
    let model = solver.model(pool, &[], constraint).ok()??;
    let some = pool.eval(x, &model);
    let low = bound(pool, solver, constraint, x, some, CmpOp::Slt, false)?;
    let high = bound(pool, solver, constraint, x, some, CmpOp::Slt, true)?;
    let (lowest, highest) = (1u64 << (width - 1), (1u64 << (width - 1)) - 1);
    let (low_term, high_term) = (pool.constant(width, low), pool.constant(width, high));
    if low == high {
        return Some(pool.cmp(CmpOp::Eq, x, low_term));
    }
    let mut parts = Vec::new();
    if low != lowest {
        parts.push(pool.cmp(CmpOp::Sle, low_term, x));
    }
    if high != highest {
        parts.push(pool.cmp(CmpOp::Sle, x, high_term));
    }
    Some(pool.and_all(&parts))
}

/// The largest (or smallest) value of `x` under the constraint, by bisection from one value it can have.
fn bound(
    pool: &mut TermPool,
    solver: &mut dyn Solver,
    constraint: Term,
    x: Term,
    some: u64,
    less: CmpOp,
    upper: bool,
) -> Option<u64> {
    let width = pool.width(x);
    let signed = |bits: u64| ((bits << (64 - width)) as i64) >> (64 - width);
    let half = 1i128 << (width - 1);
    let limit = if upper { half - 1 } else { -half };
    // Invariant: some value at or beyond `reached` exists, none beyond `excluded`.
    let (mut reached, mut excluded) = (i128::from(signed(some)), limit);
    while reached != excluded {
        let middle = if upper { (reached + excluded + 1).div_euclid(2) } else { (reached + excluded).div_euclid(2) };
        let mask = if width == 64 { u64::MAX } else { (1 << width) - 1 };
        let term = pool.constant(width, middle as u64 & mask);
        let beyond = if upper { pool.cmp(less, x, term) } else { pool.cmp(less, term, x) };
        let beyond = pool.not(beyond);
        match solver.check(pool, &[constraint], beyond) {
            Answer::Sat => reached = middle,
            Answer::Unsat => excluded = if upper { middle - 1 } else { middle + 1 },
            Answer::Unknown(_) => return None,
        }
    }
    Some(reached as u64 & if width == 64 { u64::MAX } else { (1 << width) - 1 })
}
