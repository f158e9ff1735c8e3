//! Random terms: what the simplifying constructors make of them, against an evaluator that knows no simplification, and
//! against Z3.

use icsched_smt::{Answer, BinOp, CmpOp, Model, Solver, Term, TermPool, Z3Solver, serial};
use proptest::prelude::*;

/// A term as it was asked for. Widths are those of the children, cut or extended to fit.
#[derive(Clone, Debug)]
enum Expr {
    Symbol(u8),
    Const(u64),
    Binary(BinOp, Box<Expr>, Box<Expr>),
    Cmp(CmpOp, Box<Expr>, Box<Expr>),
    Not(Box<Expr>),
    Ite(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Cut to some bits and extended to the width again.
    Slice(Box<Expr>, u32, u32, bool),
    /// Taken apart into pieces of a width and put together, some pieces of another term.
    Pieces(Box<Expr>, Box<Expr>, u32, u32),
    Memory(Box<Expr>, Box<Expr>, Box<Expr>),
}

const SYMBOLS: u8 = 3;

fn operator() -> impl Strategy<Value = BinOp> {
    use BinOp::*;
    // Sums and masks more often: they have most rules.
    prop::sample::select(vec![
        Add, Add, Add, Sub, Sub, Mul, Mul, UDiv, SDiv, URem, SRem, And, And, Or, Or, Xor, Shl, LShr, AShr,
    ])
}

fn comparison() -> impl Strategy<Value = CmpOp> {
    prop::sample::select(vec![CmpOp::Eq, CmpOp::Eq, CmpOp::Ult, CmpOp::Ule, CmpOp::Slt, CmpOp::Sle])
}

fn constant() -> impl Strategy<Value = u64> {
    prop_oneof![
        prop::sample::select(vec![
            0,
            1,
            2,
            3,
            4,
            7,
            8,
            0x7f,
            0x80,
            0xff,
            0x100,
            0x7fff,
            0x8000,
            u64::MAX,
            u64::MAX - 1
        ]),
        any::<u64>(),
    ]
}

fn expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![(0..SYMBOLS).prop_map(Expr::Symbol), constant().prop_map(Expr::Const)];
    leaf.prop_recursive(5, 40, 3, |inner| {
        let e = inner.prop_map(Box::new).boxed();
        prop_oneof![
            4 => (operator(), e.clone(), e.clone()).prop_map(|(op, a, b)| Expr::Binary(op, a, b)),
            3 => (comparison(), e.clone(), e.clone()).prop_map(|(op, a, b)| Expr::Cmp(op, a, b)),
            1 => e.clone().prop_map(Expr::Not),
            2 => (e.clone(), e.clone(), e.clone()).prop_map(|(c, a, b)| Expr::Ite(c, a, b)),
            2 => (e.clone(), 0..64u32, 0..64u32, any::<bool>()).prop_map(|(a, x, y, s)| Expr::Slice(a, x, y, s)),
            2 => (e.clone(), e.clone(), 0..3u32, any::<u32>()).prop_map(|(a, b, n, m)| Expr::Pieces(a, b, n, m)),
            1 => (e.clone(), e.clone(), e).prop_map(|(a, b, c)| Expr::Memory(a, b, c)),
        ]
    })
}

fn ones(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

fn build(pool: &mut TermPool, width: u32, e: &Expr) -> Term {
    match e {
        Expr::Symbol(i) => pool.symbol(&format!("x{i}"), width),
        Expr::Const(bits) => pool.constant(width, *bits),
        Expr::Binary(op, a, b) => {
            let (a, b) = (build(pool, width, a), build(pool, width, b));
            pool.binary(*op, a, b)
        }
        Expr::Cmp(op, a, b) => {
            let (a, b) = (build(pool, width, a), build(pool, width, b));
            let bit = pool.cmp(*op, a, b);
            pool.zext(bit, width)
        }
        Expr::Not(a) => {
            let a = build(pool, width, a);
            pool.not(a)
        }
        Expr::Ite(c, a, b) => {
            let (c, a, b) = (build(pool, width, c), build(pool, width, a), build(pool, width, b));
            let c = pool.extract(c, 0, 0);
            pool.ite(c, a, b)
        }
        Expr::Slice(a, x, y, is_signed) => {
            let a = build(pool, width, a);
            let (lo, hi) = ((x % width).min(y % width), (x % width).max(y % width));
            let cut = if lo == 0 { pool.trunc(a, hi + 1) } else { pool.extract(a, hi, lo) };
            if *is_signed { pool.sext(cut, width) } else { pool.zext(cut, width) }
        }
        Expr::Pieces(a, b, n, choice) => {
            let (a, b) = (build(pool, width, a), build(pool, width, b));
            let size = piece(width, *n);
            (0..width / size)
                .map(|k| {
                    let from = if choice >> k & 1 == 1 && k % 2 == 1 { b } else { a };
                    pool.extract(from, (k + 1) * size - 1, k * size)
                })
                .collect::<Vec<_>>()
                .into_iter()
                .reduce(|low, high| pool.concat(high, low))
                .expect("at least one piece")
        }
        Expr::Memory(a, b, c) => {
            let [a, b, c] = [a, b, c].map(|e| {
                let t = build(pool, width, e);
                let low = pool.trunc(t, width.min(8));
                pool.zext(low, 64)
            });
            let array = pool.array_symbol("m");
            let byte = pool.trunc(b, 8);
            let array = pool.store(array, a, byte);
            let next = pool.constant(64, 1);
            let next = pool.binary(BinOp::Add, a, next);
            let array = pool.store(array, next, byte);
            let read = pool.select(array, c);
            if width < 8 { pool.trunc(read, width) } else { pool.zext(read, width) }
        }
    }
}

fn piece(width: u32, n: u32) -> u32 {
    [width, width / 2, width / 4][n as usize].max(1)
}

/// The value of symbol `i`, and of the array's elements, under an assignment given by a seed.
fn assigned(seed: u64, i: u64) -> u64 {
    let x = seed.wrapping_add(i).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    // Small and huge values often: that is where rules go wrong.
    match x >> 61 {
        0 => x >> 32 & 3,
        1 => !(x >> 32 & 3),
        2 => x >> 32 & 0xff,
        _ => x ^ x >> 29,
    }
}

/// The meaning by definition, in at most 64 bits.
fn reference(width: u32, e: &Expr, seed: u64) -> u64 {
    let go = |e: &Expr| reference(width, e, seed);
    let signed = |x: u64| (x << (64 - width)) as i64 >> (64 - width);
    let value = match e {
        Expr::Symbol(i) => assigned(seed, u64::from(*i)),
        Expr::Const(bits) => *bits,
        Expr::Not(a) => !go(a),
        Expr::Binary(op, a, b) => {
            let (a, b) = (go(a), go(b));
            let negative = signed(a) < 0;
            match op {
                BinOp::Add => a.wrapping_add(b),
                BinOp::Sub => a.wrapping_sub(b),
                BinOp::Mul => a.wrapping_mul(b),
                BinOp::UDiv if b == 0 => u64::MAX,
                BinOp::UDiv => a / b,
                BinOp::URem if b == 0 => a,
                BinOp::URem => a % b,
                BinOp::SDiv if b == 0 => [u64::MAX, 1][usize::from(negative)],
                BinOp::SDiv => (i128::from(signed(a)) / i128::from(signed(b))) as u64,
                BinOp::SRem if b == 0 => a,
                BinOp::SRem => (i128::from(signed(a)) % i128::from(signed(b))) as u64,
                BinOp::And => a & b,
                BinOp::Or => a | b,
                BinOp::Xor => a ^ b,
                BinOp::Shl => {
                    if b < u64::from(width) {
                        a << b
                    } else {
                        0
                    }
                }
                BinOp::LShr => {
                    if b < u64::from(width) {
                        a >> b
                    } else {
                        0
                    }
                }
                BinOp::AShr => (signed(a) >> b.min(63)) as u64,
            }
        }
        Expr::Cmp(op, a, b) => {
            let (a, b) = (go(a), go(b));
            u64::from(match op {
                CmpOp::Eq => a == b,
                CmpOp::Ult => a < b,
                CmpOp::Ule => a <= b,
                CmpOp::Slt => signed(a) < signed(b),
                CmpOp::Sle => signed(a) <= signed(b),
            })
        }
        Expr::Ite(c, a, b) => {
            if go(c) & 1 == 1 {
                go(a)
            } else {
                go(b)
            }
        }
        Expr::Slice(a, x, y, is_signed) => {
            let (lo, hi) = ((x % width).min(y % width), (x % width).max(y % width));
            let cut = go(a) >> lo & ones(hi - lo + 1);
            let unused = 63 - (hi - lo);
            if *is_signed { ((cut << unused) as i64 >> unused) as u64 } else { cut }
        }
        Expr::Pieces(a, b, n, choice) => {
            let (a, b, size) = (go(a), go(b), piece(width, *n));
            (0..width / size).fold(0, |all, k| {
                let from = if choice >> k & 1 == 1 && k % 2 == 1 { b } else { a };
                all | (from >> (k * size) & ones(size)) << (k * size)
            })
        }
        Expr::Memory(a, b, c) => {
            let [a, b, c] = [a, b, c].map(|e| go(e) & 0xff);
            if c == a || c == a + 1 { b } else { assigned(seed, 100 + c) & 0xff }
        }
    };
    value & ones(width)
}

fn model_for(seed: u64, width: u32) -> Model {
    let mut model = Model::new();
    for i in 0..SYMBOLS {
        model.set(&format!("x{i}"), width, u128::from(assigned(seed, u64::from(i))));
    }
    let entries = (0..512).map(|i| (i, assigned(seed, 100 + i) as u8)).collect();
    model.set_array("m", icsched_smt::ArrayValue { default: 0, entries });
    model
}

fn width() -> impl Strategy<Value = u32> {
    prop::sample::select(vec![1, 2, 4, 8, 16, 32, 64])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn simplified_terms_mean_what_was_built(e in expr(), width in width(), seed in any::<u64>()) {
        let mut pool = TermPool::new();
        let t = build(&mut pool, width, &e);
        for seed in (0..8).map(|k| seed.wrapping_add(k << 32)) {
            let value = pool.eval(t, &model_for(seed, width));
            prop_assert_eq!(value, reference(width, &e, seed));
            let (min, max) = pool.unsigned_range(t);
            prop_assert!(min <= u128::from(value) && u128::from(value) <= max);
        }
    }

    #[test]
    fn a_term_does_not_depend_on_the_rest_of_the_pool(e in expr(), other in expr(), width in width()) {
        let mut pool = TermPool::new();
        let t = build(&mut pool, width, &e);
        let mut crowded = TermPool::new();
        build(&mut crowded, width, &other);
        let u = build(&mut crowded, width, &e);
        let dag = serial::export(&pool, &[t]);
        prop_assert_eq!(&dag, &serial::export(&crowded, &[u]));
        let text = serde_json::to_string(&dag).expect("a list of texts is JSON");
        let dag = serde_json::from_str(&text).expect("what was written is read");
        let read = serial::import(&mut pool, &dag).expect("what was exported is imported")[0];
        for seed in 0..4 {
            let model = model_for(seed, width);
            prop_assert_eq!(pool.eval(read, &model), pool.eval(t, &model));
        }
    }

    #[test]
    fn substituting_values_is_evaluation(e in expr(), width in width(), seed in any::<u64>()) {
        let mut pool = TermPool::new();
        let t = build(&mut pool, width, &e);
        let model = model_for(seed, width);
        let mut map = icsched_smt::Substitution::new();
        for i in 0..SYMBOLS {
            let symbol = pool.symbol(&format!("x{i}"), width);
            let value = pool.constant(width, assigned(seed, u64::from(i)));
            map.insert(symbol, value);
        }
        let closed = pool.substitute(t, &map);
        prop_assert_eq!(pool.eval(closed, &model), reference(width, &e, seed));
        let arrays_only = pool.symbols_of(closed).iter().all(|&s| pool.width(s) == 0);
        prop_assert!(arrays_only);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn z3_agrees_with_the_reference(e in expr(), width in prop::sample::select(vec![1u32, 4, 8, 16]), seed in any::<u64>()) {
        let mut pool = TermPool::new();
        let t = build(&mut pool, width, &e);
        let mut bound = Vec::new();
        for i in 0..SYMBOLS {
            let symbol = pool.symbol(&format!("x{i}"), width);
            let value = pool.constant(width, assigned(seed, u64::from(i)));
            bound.push(pool.cmp(CmpOp::Eq, symbol, value));
        }
        let array = pool.array_symbol("m");
        for i in 0..260u64 {
            if !matches!(e, Expr::Symbol(_)) {
                let index = pool.constant(64, i);
                let element = pool.select(array, index);
                let value = pool.constant(8, assigned(seed, 100 + i));
                bound.push(pool.cmp(CmpOp::Eq, element, value));
            }
        }
        if !pool.symbols_of(t).contains(&array) {
            bound.truncate(usize::from(SYMBOLS));
        }
        let value = pool.constant(width, reference(width, &e, seed));
        let different = pool.ne(t, value);
        prop_assert_eq!(Z3Solver::default().check(&mut pool, &bound, different), Answer::Unsat);
    }

    #[test]
    fn models_of_z3_evaluate_to_true(e in expr(), width in prop::sample::select(vec![1u32, 4, 8, 16]), want in any::<u64>()) {
        let mut pool = TermPool::new();
        let t = build(&mut pool, width, &e);
        let want = pool.constant(width, want);
        let condition = pool.ne(t, want);
        match Z3Solver::default().model(&mut pool, &[], condition) {
            Ok(Some(model)) => prop_assert!(pool.eval_bool(condition, &model)),
            Ok(None) => {
                let seed_model = model_for(1, width);
                prop_assert!(!pool.eval_bool(condition, &seed_model));
            }
            Err(reason) => prop_assert_eq!(reason, icsched_smt::UnknownReason::Timeout),
        }
    }
}
