//! Queries that end because somebody wants it.

use std::sync::Arc;

use icsched_smt::{
    Answer, BinOp, CachingSolver, CmpOp, Interrupt, Solver, SolverOptions, Term, TermPool, UnknownReason, Z3Solver,
};

/// `x * y` is a large prime, and neither is 1: to say no takes Z3 longer than any test.
fn factors_of_a_prime(pool: &mut TermPool) -> Term {
    let (x, y) = (pool.symbol("x", 64), pool.symbol("y", 64));
    let one = pool.constant_wide(64, 1);
    let prime = pool.constant_wide(128, 604_462_909_807_314_587_353_111);
    let (wide_x, wide_y) = (pool.zext(x, 128), pool.zext(y, 128));
    let product = pool.binary(BinOp::Mul, wide_x, wide_y);
    let is_product = pool.cmp(CmpOp::Eq, product, prime);
    let (large_x, large_y) = (pool.cmp(CmpOp::Ult, one, x), pool.cmp(CmpOp::Ult, one, y));
    pool.and_all(&[is_product, large_x, large_y])
}

fn without_limits(interrupt: &Arc<Interrupt>) -> Z3Solver {
    let options = SolverOptions { timeout: None, float_timeout: None, resource_limit: None };
    Z3Solver::new(options).interrupted_by(interrupt)
}

/// Whatever is asked after the end of a run: without it, this test would not come to its own.
#[test]
fn nothing_is_asked_any_more_when_a_run_is_over() {
    let interrupt = Arc::new(Interrupt::default());
    let mut solver = CachingSolver::new(without_limits(&interrupt));
    interrupt.ask();
    let mut pool = TermPool::new();
    let hard = factors_of_a_prime(&mut pool);
    assert_eq!(solver.check(&mut pool, &[], hard), Answer::Unknown(UnknownReason::Interrupted));
    assert_eq!(solver.model(&mut pool, &[], hard), Err(UnknownReason::Interrupted));
}

#[test]
fn a_part_ends_alone() {
    let whole = Arc::new(Interrupt::default());
    let (part, other) = (Arc::new(Interrupt::part_of(&whole)), Arc::new(Interrupt::part_of(&whole)));
    part.ask();
    assert_eq!((whole.is_asked(), part.is_asked(), other.is_asked()), (false, true, false));
    let mut pool = TermPool::new();
    let x = pool.symbol("x", 8);
    let three = pool.constant_wide(8, 3);
    let is_three = pool.cmp(CmpOp::Eq, x, three);
    assert_eq!(without_limits(&other).check(&mut pool, &[], is_three), Answer::Sat);
    assert_eq!(without_limits(&part).check(&mut pool, &[], is_three), Answer::Unknown(UnknownReason::Interrupted));
}
