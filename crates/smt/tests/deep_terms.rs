//! Terms far deeper than any stack: everything that walks them must not recurse on their depth.

use icsched_smt::{Answer, BinOp, CmpOp, Model, Solver, Substitution, Term, TermPool, Z3Solver, serial, smtlib};

const DEPTH: u64 = 60_000;

/// A hash-like chain `(h ^ b) * 31 + k | 1`, choices, and stores, `DEPTH` levels deep.
fn chain(pool: &mut TermPool) -> (Term, Term) {
    let x = pool.symbol("x", 32);
    let mut h = x;
    for k in 0..DEPTH {
        let c = pool.constant(32, k * 7 + 3);
        h = pool.binary(BinOp::Xor, h, c);
        h = match k % 4 {
            0 => pool.binary(BinOp::Mul, h, c),
            1 => pool.binary(BinOp::Or, h, c),
            2 => pool.not(h),
            _ => {
                let condition = pool.cmp(CmpOp::Ult, h, c);
                pool.ite(condition, c, h)
            }
        };
    }
    (x, h)
}

#[test]
fn walks_do_not_recurse() {
    let mut pool = TermPool::new();
    let (x, h) = chain(&mut pool);
    assert_eq!(pool.symbols_of(h).as_ref(), [x]);
    let mut model = Model::new();
    model.set("x", 32, 12345);
    let value = pool.eval(h, &model);
    let constant = pool.constant(32, 12345);
    let closed = pool.substitute(h, &Substitution::from([(x, constant)]));
    assert_eq!(pool.as_const(closed), Some(value));
    let dag = serial::export(&pool, &[h]);
    let again = serial::import(&mut pool, &dag).unwrap()[0];
    assert_eq!(pool.eval(again, &model), value);
    let cut = pool.trunc(h, 8);
    assert_eq!(pool.eval(cut, &model), value & 0xff);
    let is_value = pool.cmp(CmpOp::Eq, h, constant);
    assert_eq!(pool.eval_bool(is_value, &model), value == 12345);
    assert!(smtlib::script(&pool, &[is_value]).is_ok());
}

#[test]
fn a_long_chain_of_choices_compares_with_a_constant() {
    let mut pool = TermPool::new();
    let x = pool.symbol("x", 64);
    let mut t = pool.symbol("other", 64);
    for k in 0..DEPTH {
        let c = pool.constant(64, k);
        let here = pool.cmp(CmpOp::Eq, x, c);
        let value = pool.constant(64, k + 1_000_000);
        t = pool.ite(here, value, t);
    }
    let target = pool.constant(64, 5);
    let found = pool.cmp(CmpOp::Eq, t, target);
    let mut model = Model::new();
    model.set("x", 64, u128::from(DEPTH));
    model.set("other", 64, 5);
    assert!(pool.eval_bool(found, &model));
}

/// Z3 itself recurses when it preprocesses, so this one is as deep as real path conditions get.
#[test]
fn translation_to_z3_does_not_recurse() {
    let mut pool = TermPool::new();
    let (x, y) = (pool.symbol("x", 16), pool.symbol("y", 16));
    let mut h = x;
    for _ in 0..2_000 {
        h = pool.binary(BinOp::Xor, h, y);
        h = pool.binary(BinOp::And, h, x);
    }
    let zero = pool.constant(16, 0);
    let (x_zero, h_nonzero) = (pool.cmp(CmpOp::Eq, x, zero), pool.ne(h, zero));
    assert_eq!(Z3Solver::default().check(&mut pool, &[x_zero], h_nonzero), Answer::Unsat);
}
