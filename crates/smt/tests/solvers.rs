//! The solver stack: answers, models, slicing, caching, limits.

use std::time::Duration;

use icsched_smt::{
    Answer, BinOp, CachingSolver, CmpOp, FpOp, Model, Solver, SolverOptions, SolverStatistics, Term, TermPool,
    UnknownReason, Validity, Z3Solver,
};

fn less_than(pool: &mut TermPool, t: Term, bound: u64) -> Term {
    let bound = pool.constant(pool.width(t), bound);
    pool.cmp(CmpOp::Ult, t, bound)
}

/// A solver that records what it is asked.
#[derive(Default)]
struct Recorder {
    inner: Z3Solver,
    asked: Vec<Vec<Term>>,
}

impl Solver for Recorder {
    fn check(&mut self, pool: &mut TermPool, constraints: &[Term], extra: Term) -> Answer {
        self.asked.push([constraints, &[extra]].concat());
        self.inner.check(pool, constraints, extra)
    }

    fn model(&mut self, pool: &mut TermPool, c: &[Term], extra: Term) -> Result<Option<Model>, UnknownReason> {
        self.asked.push([c, &[extra]].concat());
        self.inner.model(pool, c, extra)
    }

    fn statistics(&self) -> SolverStatistics {
        self.inner.statistics()
    }
}

#[test]
fn path_conditions_grow_and_shrink() {
    let mut pool = TermPool::new();
    let mut z3 = Z3Solver::default();
    let x = pool.symbol("x", 32);
    let (small, tiny) = (less_than(&mut pool, x, 100), less_than(&mut pool, x, 10));
    let large = pool.not(small);
    assert_eq!(z3.check(&mut pool, &[small], tiny), Answer::Sat);
    assert_eq!(z3.check(&mut pool, &[small, tiny], large), Answer::Unsat);
    assert_eq!(z3.check(&mut pool, &[large], tiny), Answer::Unsat);
    assert_eq!(z3.check(&mut pool, &[], large), Answer::Sat);
    assert_eq!(z3.must_be_true(&mut pool, &[tiny], small), Validity::Valid);
    assert_eq!(z3.must_be_true(&mut pool, &[small], tiny), Validity::Invalid);
    assert_eq!(z3.may_be_true(&mut pool, &[small], tiny), Answer::Sat);
}

#[test]
fn a_new_pool_does_not_inherit_assertions() {
    let mut z3 = Z3Solver::default();
    for expected in [Answer::Sat, Answer::Sat] {
        let mut pool = TermPool::new();
        let x = pool.symbol("x", 8);
        let small = less_than(&mut pool, x, 2);
        let large = pool.not(small);
        assert_eq!(z3.check(&mut pool, &[small], small), expected);
        assert_eq!(z3.check(&mut pool, &[], large), expected);
    }
}

#[test]
fn models_cover_arrays_floats_and_wide_numbers() {
    let mut pool = TermPool::new();
    let mut z3 = Z3Solver::default();
    let (m, p) = (pool.array_symbol("m"), pool.symbol("p", 64));
    let byte = pool.select(m, p);
    let index = pool.zext(byte, 64);
    let deep = pool.select(m, index);
    let seven = pool.constant(8, 7);
    let is_seven = pool.cmp(CmpOp::Eq, deep, seven);
    let differs = pool.ne(byte, seven);
    let model = z3.model(&mut pool, &[differs], is_seven).unwrap().unwrap();
    assert!(pool.eval_bool(is_seven, &model) && pool.eval_bool(differs, &model));

    let x = pool.symbol("x", 64);
    let half = pool.constant(64, 0.5f64.to_bits());
    let sum = pool.fp(FpOp::FAdd, &[x, half]);
    let three = pool.constant(64, 3f64.to_bits());
    let equal = pool.fp(FpOp::FEq, &[sum, three]);
    let model = z3.model(&mut pool, &[], equal).unwrap().unwrap();
    assert_eq!(f64::from_bits(pool.eval(x, &model)), 2.5);

    let wide = pool.symbol("w", 128);
    let value = pool.constant_wide(128, 0x0123_4567_89ab_cdef_u128 << 61 | 5);
    let equal = pool.cmp(CmpOp::Eq, wide, value);
    let model = z3.model(&mut pool, &[], equal).unwrap().unwrap();
    assert!(pool.eval_bool(equal, &model));
    let text = serde_json::to_string(&model).unwrap();
    assert_eq!(serde_json::from_str::<Model>(&text).unwrap(), model);
}

#[test]
fn what_the_solver_is_not_given_is_unknown() {
    let mut pool = TermPool::new();
    let mut z3 = Z3Solver::default();
    let (x, y) = (pool.symbol("x", 64), pool.symbol("y", 64));
    let rest = pool.fp(FpOp::FRem, &[x, y]);
    let equal = pool.fp(FpOp::FEq, &[rest, x]);
    assert_eq!(z3.check(&mut pool, &[], equal), Answer::Unknown(UnknownReason::Unsupported));
}

/// Factoring a product of two 31-bit primes takes Z3 far more than the limit. The solver must say so, and work after.
#[test]
fn a_limit_is_unknown_and_the_solver_goes_on() {
    let mut pool = TermPool::new();
    let (x, y) = (pool.symbol("x", 32), pool.symbol("y", 32));
    let (wide_x, wide_y) = (pool.zext(x, 64), pool.zext(y, 64));
    let product = pool.binary(BinOp::Mul, wide_x, wide_y);
    let target = pool.constant(64, 2_147_483_647 * 2_147_483_629);
    let factored = pool.cmp(CmpOp::Eq, product, target);
    let one = pool.constant(32, 1);
    let (big_x, big_y) = (pool.ugt(x, one), pool.ugt(y, one));
    let small = less_than(&mut pool, x, 50);
    for (options, reason) in [
        (SolverOptions { timeout: Some(Duration::from_millis(80)), ..Default::default() }, UnknownReason::Timeout),
        (SolverOptions { resource_limit: Some(20_000), ..Default::default() }, UnknownReason::ResourceLimit),
    ] {
        let mut z3 = Z3Solver::new(options);
        assert_eq!(z3.check(&mut pool, &[big_x, big_y], factored), Answer::Unknown(reason));
        z3.set_options(SolverOptions::default());
        assert_eq!(z3.check(&mut pool, &[big_x, big_y], small), Answer::Sat);
        assert_eq!(z3.check(&mut pool, &[small], big_x), Answer::Sat);
    }
}

#[test]
fn what_intervals_contradict_does_not_reach_the_solver() {
    let mut pool = TermPool::new();
    let mut solver = CachingSolver::new(Recorder::default());
    let (x, y) = (pool.symbol("x", 32), pool.symbol("y", 32));
    let below = pool.cmp(CmpOp::Ult, x, y);
    let y_small = less_than(&mut pool, y, 10);
    let large = pool.constant(32, 50);
    let x_large = pool.ugt(x, large);
    assert_eq!(solver.check(&mut pool, &[below, y_small], x_large), Answer::Unsat);
    assert!(solver.inner().asked.is_empty());
}

#[test]
fn only_dependent_constraints_reach_the_solver() {
    let mut pool = TermPool::new();
    let mut solver = CachingSolver::new(Recorder::default());
    let (x, y, z) = (pool.symbol("x", 32), pool.symbol("y", 32), pool.symbol("z", 32));
    let below = pool.cmp(CmpOp::Ult, x, y);
    let (y_small, z_small) = (less_than(&mut pool, y, 1000), less_than(&mut pool, z, 10));
    let path = [below, z_small, y_small];
    // Where other bits are set intervals say nothing, and there are too many values to try them.
    let bit = pool.constant(32, 2048);
    let other = pool.binary(BinOp::Xor, x, bit);
    let other_small = less_than(&mut pool, other, 1500);
    assert_eq!(solver.check(&mut pool, &path, other_small), Answer::Unsat);
    assert_eq!(solver.inner().asked, [vec![below, y_small, other_small]]);
    // The same set in another order, with another bystander: no second query.
    assert_eq!(solver.check(&mut pool, &[y_small, below], other_small), Answer::Unsat);
    assert_eq!(solver.inner().asked.len(), 1);
    assert_eq!(solver.statistics().cache_hits, 1);
}

#[test]
fn recent_models_answer_queries() {
    let mut pool = TermPool::new();
    let mut solver = CachingSolver::new(Recorder::default());
    let x = pool.symbol("x", 24);
    // The roots of a square are too few to be guessed, and no operand of it can be changed alone.
    let wanted = 3_141_593_u64;
    let (product, bound) = (pool.constant(24, (wanted * wanted) & 0xff_ffff), pool.constant(24, 1 << 23));
    let square = pool.binary(BinOp::Mul, x, x);
    let (small, root) = (pool.cmp(CmpOp::Ult, x, bound), pool.cmp(CmpOp::Eq, square, product));
    assert_eq!(solver.check(&mut pool, &[small], root), Answer::Sat);
    let odd = pool.extract(x, 0, 0);
    assert_eq!(solver.check(&mut pool, &[small, root], odd), Answer::Sat);
    // The first query is asked without knowing what the square is, and then with.
    assert_eq!((solver.inner().asked.len(), solver.statistics().model_reuse_hits), (2, 1));
}

#[test]
fn a_model_of_independent_parts_satisfies_all() {
    let mut pool = TermPool::new();
    let mut solver = CachingSolver::new(Z3Solver::default());
    let symbols: Vec<Term> = (0..6).map(|i| pool.symbol(&format!("x{i}"), 16)).collect();
    let mut path = Vec::new();
    for (i, pair) in symbols.chunks(2).enumerate() {
        path.push(pool.cmp(CmpOp::Ult, pair[0], pair[1]));
        let bound = pool.constant(16, 100 * i as u64 + 7);
        path.push(pool.ugt(pair[0], bound));
    }
    let extra = pool.cmp(CmpOp::Ult, symbols[5], symbols[0]);
    let model = solver.model(&mut pool, &path, extra).unwrap().unwrap();
    assert!(path.iter().chain([&extra]).all(|&c| pool.eval_bool(c, &model)));
    let bound = pool.constant(16, 7);
    let contradiction = pool.cmp(CmpOp::Ule, symbols[0], bound);
    assert_eq!(solver.model(&mut pool, &path, contradiction), Ok(None));
    assert_eq!(solver.least_value(&mut pool, &path, symbols[1]), Ok(Some(9)));
}

#[test]
fn every_stack_gives_the_same_answers() {
    let mut pool = TermPool::new();
    let (mut plain, mut cached) = (Z3Solver::default(), CachingSolver::new(Z3Solver::default()));
    let x = pool.symbol("x", 16);
    let y = pool.symbol("y", 16);
    let mut path = Vec::new();
    for k in 0..60u64 {
        let factor = pool.constant(16, 2 * k + 3);
        let t = if k % 3 == 0 { y } else { x };
        let product = pool.binary(BinOp::Mul, t, factor);
        let condition = less_than(&mut pool, product, 0xc000 - 400 * k);
        let answer = plain.check(&mut pool, &path, condition);
        assert_eq!(cached.check(&mut pool, &path, condition), answer, "step {k}");
        let taken = if answer == Answer::Sat { condition } else { pool.not(condition) };
        path.push(taken);
        if k % 7 == 6 {
            path.truncate(path.len() / 2);
        }
    }
}
