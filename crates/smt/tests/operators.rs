//! Every operator on chosen and random constants: our evaluator against Z3.

use icsched_smt::{Answer, BinOp, CmpOp, FpOp, Solver, SolverOptions, Term, TermPool, Z3Solver};

/// A small generator of reproducible numbers (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }
}

/// Symbols bound to the operands by constraints, so that nothing is folded before Z3 sees it.
struct Bench {
    pool: TermPool,
    solver: Z3Solver,
    failures: Vec<String>,
}

impl Bench {
    fn new() -> Self {
        let options = SolverOptions { timeout: None, float_timeout: None, resource_limit: None };
        Bench { pool: TermPool::new(), solver: Z3Solver::new(options), failures: Vec::new() }
    }

    /// `build` on symbols that equal `values` must have the value that `build` on the constants folds to.
    fn agree(&mut self, what: &str, values: &[(u32, u128)], build: &dyn Fn(&mut TermPool, &[Term]) -> Term) {
        let pool = &mut self.pool;
        let constants: Vec<Term> = values.iter().map(|&(w, v)| pool.constant_wide(w, v)).collect();
        let symbols: Vec<Term> = (values.iter().enumerate()).map(|(i, v)| pool.symbol(&format!("x{i}"), v.0)).collect();
        let bound: Vec<Term> = symbols.iter().zip(&constants).map(|(&s, &c)| pool.cmp(CmpOp::Eq, s, c)).collect();
        let folded = build(pool, &constants);
        assert!(pool.as_const_wide(folded).is_some(), "{what} of constants folds");
        let open = build(pool, &symbols);
        let different = pool.ne(open, folded);
        let answer = self.solver.check(pool, &bound, different);
        if answer != Answer::Unsat {
            self.failures.push(format!("{what} {values:x?} = {:x?}: {answer:?}", self.pool.as_const_wide(folded)));
        }
    }

    fn finish(self) {
        assert!(self.failures.is_empty(), "{} disagreements:\n{}", self.failures.len(), self.failures.join("\n"));
    }
}

fn operands(width: u32, numbers: &mut Numbers) -> Vec<(u128, u128)> {
    let ones = if width == 128 { u128::MAX } else { (1 << width) - 1 };
    let sign = 1 << (width - 1);
    let mut special = vec![0, 1, ones, sign, sign - 1, u128::from(width) & ones, u128::from(width + 1) & ones];
    special.dedup();
    let mut pairs = Vec::new();
    for &a in &special {
        for &b in &special {
            pairs.push((a, b));
        }
    }
    for _ in 0..6 {
        let wide = |n: &mut Numbers| (u128::from(n.next()) << 64 | u128::from(n.next())) & ones;
        let (a, b) = (wide(numbers), wide(numbers));
        pairs.extend([(a, b), (a, (b % u128::from(2 * width)) & ones), (a, (b & 0xff) & ones)]);
    }
    pairs
}

#[test]
fn bit_vector_operators_agree_with_z3() {
    let mut bench = Bench::new();
    let mut numbers = Numbers(1);
    for width in [1, 7, 8, 32, 64, 128] {
        for (a, b) in operands(width, &mut numbers) {
            let values = [(width, a), (width, b)];
            for op in BinOp::ALL {
                bench.agree(&format!("{op:?}"), &values, &|pool, x| pool.binary(op, x[0], x[1]));
            }
            for op in [CmpOp::Eq, CmpOp::Ult, CmpOp::Ule, CmpOp::Slt, CmpOp::Sle] {
                bench.agree(&format!("{op:?}"), &values, &|pool, x| pool.cmp(op, x[0], x[1]));
            }
        }
    }
    bench.finish();
}

/// What divides a small constant is told apart where terms are translated.
#[test]
fn small_constants_are_divided_as_z3_does() {
    let mut bench = Bench::new();
    for width in [8, 16, 32, 64] {
        let ones = (1 << width) - 1;
        let negated = |n: u128| n.wrapping_neg() & ones;
        for small in [1, 2, 7, 15, 16, 17] {
            for dividend in [small, negated(small)] {
                let near = (0..=small + 1).flat_map(|n| [n, negated(n)]);
                for divisor in near.chain([1 << (width - 1), ones >> 1]) {
                    for op in [BinOp::UDiv, BinOp::URem, BinOp::SDiv, BinOp::SRem] {
                        bench.agree(&format!("{op:?} of {dividend:x}"), &[(width, divisor)], &|pool, x| {
                            let dividend = pool.constant_wide(width, dividend);
                            pool.binary(op, dividend, x[0])
                        });
                    }
                }
            }
        }
    }
    bench.finish();
}

#[test]
fn slices_agree_with_z3() {
    let mut bench = Bench::new();
    let mut numbers = Numbers(2);
    for _ in 0..40 {
        let (a, b) = (u128::from(numbers.next()) & 0xffff_ffff, u128::from(numbers.next()) & 0xffff);
        let values = [(32, a), (16, b), (1, a & 1)];
        bench.agree("zext", &values, &|pool, x| pool.zext(x[0], 64));
        bench.agree("sext", &values, &|pool, x| pool.sext(x[0], 64));
        bench.agree("sext of a bit", &values, &|pool, x| pool.sext(x[2], 64));
        bench.agree("extract", &values, &|pool, x| pool.extract(x[0], 19, 3));
        bench.agree("trunc", &values, &|pool, x| pool.trunc(x[0], 9));
        bench.agree("concat", &values, &|pool, x| pool.concat(x[0], x[1]));
        bench.agree("not", &values, &|pool, x| pool.not(x[0]));
        bench.agree("neg", &values, &|pool, x| pool.neg(x[0]));
        bench.agree("ite", &values, &|pool, x| {
            let wide = pool.sext(x[1], 32);
            pool.ite(x[2], x[0], wide)
        });
    }
    bench.finish();
}

fn floats(width: u32, numbers: &mut Numbers) -> Vec<u128> {
    let mut bits: Vec<u128> = if width == 32 {
        let plain = [0.0f32, -0.0, 1.0, -1.5, 2.5, 0.1, f32::MAX, f32::MIN_POSITIVE, 1e-45, f32::INFINITY, -3e9];
        plain.iter().map(|f| u128::from(f.to_bits())).chain([0x7f80_0001, 0xffc1_2345]).collect()
    } else {
        let plain = [0.0f64, -0.0, 1.0, -2.5, 0.1, f64::MAX, 5e-324, f64::NEG_INFINITY, -3e9, 1.8446744073709552e19];
        plain.iter().map(|f| u128::from(f.to_bits())).chain([0x7ff0_0000_0000_0001, 0xfff8_1234_5678_9abc]).collect()
    };
    for _ in 0..2 {
        bits.push(u128::from(numbers.next()) & if width == 32 { 0xffff_ffff } else { u128::from(u64::MAX) });
    }
    bits
}

fn unary_floats_agree(width: u32) {
    let mut bench = Bench::new();
    let other = 96 - width;
    let mut ops = vec![FpOp::FNeg, FpOp::FAbs, FpOp::FSqrt, FpOp::FFloor, FpOp::FCeil, FpOp::FTrunc, FpOp::FRoundEven];
    ops.push(FpOp::FpToFp(other));
    for to in [8, 32, 64] {
        ops.extend([FpOp::FpToSi(to), FpOp::FpToUi(to)]);
    }
    for bits in floats(width, &mut Numbers(3)) {
        for &op in &ops {
            bench.agree(&format!("{op:?}"), &[(width, bits)], &|pool, x| pool.fp(op, x));
        }
    }
    for from in [8, 32, 64] {
        let mut numbers = Numbers(4);
        let ones = u128::MAX >> (128 - from);
        for bits in [0, 1, ones, ones >> 1, (ones >> 1) + 1, u128::from(numbers.next()) & ones] {
            for op in [FpOp::SiToFp(width), FpOp::UiToFp(width)] {
                bench.agree(&format!("{op:?}"), &[(from, bits)], &|pool, x| pool.fp(op, x));
            }
        }
    }
    bench.finish();
}

fn binary_floats_agree(width: u32) {
    let mut bench = Bench::new();
    let all = floats(width, &mut Numbers(5));
    let ops = [FpOp::FAdd, FpOp::FSub, FpOp::FMul, FpOp::FDiv, FpOp::FEq, FpOp::FLt, FpOp::FLe, FpOp::FUno];
    for (i, &a) in all.iter().enumerate() {
        // Each value meets itself and a few others: all pairs take Z3 minutes.
        for step in [0, 1, 4, 7] {
            let b = all[(i + step) % all.len()];
            for op in ops {
                bench.agree(&format!("{op:?}"), &[(width, a), (width, b)], &|pool, x| pool.fp(op, x));
            }
        }
    }
    bench.finish();
}

#[test]
fn unary_float_operators_agree_with_z3() {
    unary_floats_agree(32);
    unary_floats_agree(64);
}

#[test]
fn binary_float_operators_agree_with_z3() {
    binary_floats_agree(32);
    binary_floats_agree(64);
}
