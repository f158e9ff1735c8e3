//! Conditions on products, quotients and remainders of unknowns: local search finds what a back end would spend seconds
//! on.

use icsched_smt::{
    Answer, BinOp, CachingSolver, CmpOp, Model, Solver, SolverStatistics, Term, TermPool, UnknownReason, Z3Solver,
};

/// A back end that knows nothing.
struct Ignorant;

impl Solver for Ignorant {
    fn check(&mut self, _: &mut TermPool, _: &[Term], _: Term) -> Answer {
        Answer::Unknown(UnknownReason::Timeout)
    }

    fn model(&mut self, _: &mut TermPool, _: &[Term], _: Term) -> Result<Option<Model>, UnknownReason> {
        Err(UnknownReason::Timeout)
    }

    fn statistics(&self) -> SolverStatistics {
        SolverStatistics::default()
    }
}

/// `(k % columns) * rows + k % rows == id`, as in a program that gives blocks of a matrix to threads.
fn owner(pool: &mut TermPool, k: Term, [rows, columns]: [Term; 2], id: Term) -> Term {
    let (across, down) = (pool.binary(BinOp::SRem, k, columns), pool.binary(BinOp::SRem, k, rows));
    let above = pool.binary(BinOp::Mul, across, rows);
    let owner = pool.binary(BinOp::Add, above, down);
    pool.cmp(CmpOp::Eq, owner, id)
}

#[test]
fn the_owner_of_a_block() {
    let mut pool = TermPool::new();
    let [k, rows, columns, id, other] = ["k", "rows", "columns", "id", "other"].map(|name| pool.symbol(name, 32));
    let (zero, one, three) = (pool.constant(32, 0), pool.constant(32, 1), pool.constant(32, 3));
    let (next, later) = (pool.binary(BinOp::Add, k, one), pool.binary(BinOp::Add, k, three));
    let same = pool.cmp(CmpOp::Eq, id, other);
    let mut path = vec![
        pool.cmp(CmpOp::Sle, zero, k),
        pool.cmp(CmpOp::Slt, zero, rows),
        pool.cmp(CmpOp::Slt, zero, columns),
        pool.not(same),
        owner(&mut pool, k, [rows, columns], id),
    ];
    let second = owner(&mut pool, next, [rows, columns], id);
    let third = owner(&mut pool, later, [rows, columns], id);
    path.push(pool.not(second));
    let mut solver = CachingSolver::new(Ignorant);
    assert_eq!(solver.check(&mut pool, &path, third), Answer::Sat);
    let model = solver.model(&mut pool, &path, third).expect("decided").expect("satisfiable");
    assert!(path.iter().all(|&t| pool.eval_bool(t, &model)) && pool.eval_bool(third, &model));
}

#[test]
fn factors_quotients_and_remainders() {
    let mut pool = TermPool::new();
    let (x, y) = (pool.symbol("x", 32), pool.symbol("y", 32));
    let [one, three, seven, product] = [1, 3, 7, 391].map(|bits| pool.constant(32, bits));
    let times = pool.binary(BinOp::Mul, x, y);
    let (quotient, rest) = (pool.binary(BinOp::SDiv, x, y), pool.binary(BinOp::SRem, x, y));
    let factors = [pool.cmp(CmpOp::Slt, one, x), pool.cmp(CmpOp::Slt, one, y)];
    let is_product = pool.cmp(CmpOp::Eq, times, product);
    let division = [pool.cmp(CmpOp::Eq, quotient, seven)];
    let is_rest = pool.cmp(CmpOp::Eq, rest, three);
    let mut solver = CachingSolver::new(Ignorant);
    assert_eq!(solver.check(&mut pool, &factors, is_product), Answer::Sat);
    assert_eq!(solver.check(&mut pool, &division, is_rest), Answer::Sat);
}

#[test]
fn contradictions_that_need_no_product_are_found_without_it() {
    let mut pool = TermPool::new();
    let [a, b, x, y, id, other] = ["a", "b", "x", "y", "id", "other"].map(|name| pool.symbol(name, 64));
    let product = pool.binary(BinOp::Mul, x, y);
    let rest = pool.binary(BinOp::SRem, product, a);
    let mixed = pool.binary(BinOp::Mul, rest, b);
    let same = pool.cmp(CmpOp::Eq, id, other);
    let path = [pool.not(same), pool.cmp(CmpOp::Eq, mixed, id)];
    let also = pool.cmp(CmpOp::Eq, mixed, other);
    let mut solver = CachingSolver::new(Z3Solver::default());
    assert_eq!(solver.check(&mut pool, &path, also), Answer::Unsat);
}
