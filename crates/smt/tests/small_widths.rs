//! All terms of one shape in four bits: what the rules make of symbols, against folding (which `operators.rs` compares
//! with Z3), under every assignment. Random terms rarely meet the constants at which a rule changes its mind.

use icsched_smt::{BinOp, CmpOp, Model, Term, TermPool};

const WIDTH: u32 = 4;
const ALL: std::ops::Range<u64> = 0..1 << WIDTH;

const COMPARISONS: [CmpOp; 5] = [CmpOp::Eq, CmpOp::Ult, CmpOp::Ule, CmpOp::Slt, CmpOp::Sle];

/// Checks that `build` of symbols evaluates to what `build` of their values folds to.
fn check(pool: &mut TermPool, symbols: &[Term], models: &[Model], build: impl Fn(&mut TermPool, &[Term]) -> Term) {
    let open = build(pool, symbols);
    for model in models {
        let values: Vec<Term> = symbols
            .iter()
            .map(|&s| {
                let bits = pool.eval(s, model);
                pool.constant(WIDTH, bits)
            })
            .collect();
        let folded = build(pool, &values);
        assert_eq!(Some(pool.eval(open, model)), pool.as_const(folded), "{:?} under {model:?}", pool.node(open));
    }
}

fn models(pairs: impl Iterator<Item = (u64, u64)>) -> Vec<Model> {
    pairs
        .map(|(x, y)| {
            let mut model = Model::new();
            model.set("x", WIDTH, u128::from(x));
            model.set("y", WIDTH, u128::from(y));
            model
        })
        .collect()
}

/// Shapes of one operand that comparisons look into.
fn shapes(pool: &mut TermPool, x: Term, c: Term) -> Vec<Term> {
    let mut shapes: Vec<Term> =
        BinOp::ALL.iter().flat_map(|&op| [pool.binary(op, x, c), pool.binary(op, c, x)]).collect();
    let half = pool.extract(x, 1, 0);
    let below = pool.cmp(CmpOp::Slt, x, c);
    let zero = pool.constant(WIDTH, 0);
    let low = pool.extract(c, 1, 0);
    shapes.extend([
        pool.not(x),
        pool.zext(half, WIDTH),
        pool.sext(half, WIDTH),
        pool.zext(below, WIDTH),
        pool.sext(below, WIDTH),
        pool.concat(half, low),
        pool.concat(low, half),
        pool.ite(below, c, zero),
        pool.ite(below, x, c),
        pool.ite(below, zero, x),
    ]);
    shapes
}

#[test]
fn comparisons_of_every_shape_with_every_constant() {
    let mut pool = TermPool::new();
    let x = pool.symbol("x", WIDTH);
    let models = models(ALL.map(|x| (x, 0)));
    for c in ALL {
        let c = pool.constant(WIDTH, c);
        let count = shapes(&mut pool, x, c).len();
        for (shape, k) in (0..count).flat_map(|shape| ALL.map(move |k| (shape, k))) {
            let k = pool.constant(WIDTH, k);
            check(&mut pool, &[x], &models, |pool, values| {
                let t = shapes(pool, values[0], c)[shape];
                let results: Vec<Term> =
                    COMPARISONS.iter().flat_map(|&op| [pool.cmp(op, t, k), pool.cmp(op, k, t)]).collect();
                results.into_iter().reduce(|all, bit| pool.concat(all, bit)).expect("there are comparisons")
            });
        }
    }
}

#[test]
fn two_operators_with_constants_and_a_comparison_of_two_symbols() {
    let mut pool = TermPool::new();
    let symbols = [pool.symbol("x", WIDTH), pool.symbol("y", WIDTH)];
    let models = models([(0, 0), (3, 12), (7, 8), (8, 7), (15, 1), (5, 5), (10, 2)].into_iter());
    for (first, second) in BinOp::ALL.iter().flat_map(|&a| BinOp::ALL.map(|b| (a, b))) {
        for (c, d) in [(1, 15), (2, 4), (8, 8), (3, 5), (12, 3), (7, 6)] {
            let (c, d) = (pool.constant(WIDTH, c), pool.constant(WIDTH, d));
            check(&mut pool, &symbols, &models, |pool, values| {
                let (x, y) = (values[0], values[1]);
                let t = pool.binary(first, x, c);
                let chained = pool.binary(second, t, d);
                let u = pool.binary(second, y, d);
                let mixed = pool.binary(second, t, y);
                let masked = pool.trunc(mixed, 3);
                let results: Vec<Term> = COMPARISONS
                    .iter()
                    .flat_map(|&op| [pool.cmp(op, t, u), pool.cmp(op, chained, y), pool.cmp(op, t, x)])
                    .chain([chained, mixed, masked])
                    .collect();
                results.into_iter().reduce(|all, part| pool.concat(all, part)).expect("there are results")
            });
        }
    }
}

#[test]
fn connectives_of_equalities_and_orders() {
    let mut pool = TermPool::new();
    let symbols = [pool.symbol("x", WIDTH), pool.symbol("y", WIDTH)];
    let models = models(ALL.flat_map(|x| [(x, 3), (x, x)]));
    for (c, d) in [(3, 3), (3, 4), (0, 15), (7, 8)] {
        let (c, d) = (pool.constant(WIDTH, c), pool.constant(WIDTH, d));
        check(&mut pool, &symbols, &models, |pool, values| {
            let (x, y) = (values[0], values[1]);
            let mut atoms = vec![pool.cmp(CmpOp::Eq, x, y)];
            for op in COMPARISONS {
                atoms.extend([pool.cmp(op, x, c), pool.cmp(op, d, x), pool.cmp(op, x, y)]);
            }
            let negations: Vec<Term> = atoms.iter().map(|&a| pool.not(a)).collect();
            atoms.extend(negations);
            let mut hash = pool.constant(64, 1);
            let factor = pool.constant(64, 31);
            for (i, &a) in atoms.iter().enumerate() {
                for &b in &atoms[i..] {
                    let ite = pool.ite(a, b, atoms[0]);
                    for bit in [pool.and_all(&[a, b]), pool.or_all(&[a, b]), pool.binary(BinOp::Xor, a, b), ite] {
                        let bit = pool.zext(bit, 64);
                        hash = pool.binary(BinOp::Mul, hash, factor);
                        hash = pool.binary(BinOp::Xor, hash, bit);
                    }
                }
            }
            hash
        });
    }
}
