//! Paths whose branches test parts of the same numbers: the path's own model with a few symbols changed answers both
//! sides of each, and a back end is never asked.

use std::time::Duration;

use icsched_smt::{
    Answer, BinOp, CachingSolver, CmpOp, Model, Solver, SolverStatistics, Term, TermPool, UnknownReason,
};

/// A back end that must not be asked.
struct Absent;

impl Solver for Absent {
    fn check(&mut self, _: &mut TermPool, _: &[Term], _: Term) -> Answer {
        panic!("the back end was asked")
    }

    fn model(&mut self, _: &mut TermPool, _: &[Term], _: Term) -> Result<Option<Model>, UnknownReason> {
        panic!("the back end was asked")
    }

    fn model_within(
        &mut self,
        pool: &mut TermPool,
        constraints: &[Term],
        extra: Term,
        _: Duration,
    ) -> Result<Option<Model>, UnknownReason> {
        let mut terms = constraints.to_vec();
        terms.push(extra);
        let text = icsched_smt::smtlib::script(pool, &terms).expect("no remainders of floats").text;
        panic!("the back end was asked for {text}")
    }

    fn statistics(&self) -> SolverStatistics {
        SolverStatistics::default()
    }
}

type Solving = CachingSolver<Absent>;

/// Follows all paths through `branches` (each makes its condition from the path so far) and counts them.
fn explore(
    pool: &mut TermPool,
    solver: &mut Solving,
    path: &mut Vec<Term>,
    x: Term,
    left: usize,
    branch: &impl Fn(&mut TermPool, Term, usize) -> (Term, Term, Term),
) -> usize {
    if left == 0 {
        return 1;
    }
    let (condition, when_true, when_false) = branch(pool, x, left);
    let negation = pool.not(condition);
    let mut paths = 0;
    for (side, next) in [(condition, when_true), (negation, when_false)] {
        assert_eq!(solver.check(pool, path, side), Answer::Sat);
        let length = path.len();
        path.push(side);
        paths += explore(pool, solver, path, next, left - 1, branch);
        path.truncate(length);
    }
    paths
}

#[test]
fn bits_of_one_number() {
    let mut pool = TermPool::new();
    let x = pool.symbol("x", 32);
    let branch = |pool: &mut TermPool, x: Term, left: usize| {
        let bit = pool.constant(32, 1 << left);
        let masked = pool.binary(BinOp::And, x, bit);
        let zero = pool.constant(32, 0);
        (pool.cmp(CmpOp::Eq, masked, zero), x, x)
    };
    let mut solver = CachingSolver::new(Absent);
    assert_eq!(explore(&mut pool, &mut solver, &mut Vec::new(), x, 9, &branch), 1 << 9);
}

#[test]
fn bits_of_a_number_made_of_bytes_that_changes_on_the_way() {
    let mut pool = TermPool::new();
    let bytes: Vec<Term> = (0..4).map(|i| pool.symbol(&format!("b{i}"), 8)).collect();
    let x = bytes[1..].iter().fold(bytes[0], |x, &b| pool.concat(x, b));
    let branch = |pool: &mut TermPool, x: Term, left: usize| {
        let bit = pool.constant(32, 1 << (9 - left));
        let masked = pool.binary(BinOp::And, x, bit);
        let zero = pool.constant(32, 0);
        let clear = pool.cmp(CmpOp::Eq, masked, zero);
        let (one, three, eight) =
            (pool.constant(32, 1), pool.constant(32, 3), pool.constant(32, 8 * (9 - left) as u64));
        let tripled = pool.binary(BinOp::Mul, x, three);
        (clear, pool.binary(BinOp::Add, x, eight), pool.binary(BinOp::Add, tripled, one))
    };
    let mut solver = CachingSolver::new(Absent);
    assert_eq!(explore(&mut pool, &mut solver, &mut Vec::new(), x, 9, &branch), 1 << 9);
}
