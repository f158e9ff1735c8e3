//! Guessed models: what a solver without any back end can and must not answer, and what the back end is left with.

use std::time::Duration;

use icsched_smt::{
    Answer, BinOp, CachingSolver, CmpOp, Model, Solver, SolverStatistics, Term, TermPool, UnknownReason, Z3Solver,
};
use proptest::prelude::*;

/// A back end that decides nothing, and remembers how long it was given.
#[derive(Default)]
struct Clueless {
    limits: Vec<Option<Duration>>,
}

type Outcome = Result<Option<Model>, UnknownReason>;

impl Solver for Clueless {
    fn check(&mut self, _: &mut TermPool, _: &[Term], _: Term) -> Answer {
        Answer::Unknown(UnknownReason::Timeout)
    }

    fn model(&mut self, _: &mut TermPool, _: &[Term], _: Term) -> Outcome {
        self.limits.push(None);
        Err(UnknownReason::Timeout)
    }

    fn model_within(&mut self, _: &mut TermPool, _: &[Term], _: Term, limit: Duration) -> Outcome {
        self.limits.push(Some(limit));
        Err(UnknownReason::Timeout)
    }

    fn statistics(&self) -> SolverStatistics {
        SolverStatistics::default()
    }
}

/// Conditions over a few symbols, made from numbers by a stack machine.
fn conditions(pool: &mut TermPool, width: u32, program: &[(u8, u64)]) -> Vec<Term> {
    let mut stack: Vec<Term> = (0..3).map(|i| pool.symbol(&format!("x{i}"), width)).collect();
    let memory = pool.array_symbol("m");
    let mut conditions = Vec::new();
    for &(what, number) in program {
        let pick = |n: u64| stack[n as usize % stack.len()];
        let (a, b) = (pick(number), pick(number >> 8));
        use BinOp::*;
        let operators = [Add, Mul, Xor, And, Or, URem, Shl, LShr, SDiv];
        let t = match what % 13 {
            n @ 0..=8 => pool.binary(operators[usize::from(n)], a, b),
            9 => pool.constant(width, number >> (number & 63)),
            10 => {
                let index = pool.zext(a, 64);
                let byte = pool.select(memory, index);
                pool.zext(byte, width)
            }
            11 => {
                let condition = pool.extract(a, 0, 0);
                pool.ite(condition, a, b)
            }
            _ => {
                let operators = [CmpOp::Eq, CmpOp::Ult, CmpOp::Slt];
                let condition = pool.cmp(operators[number as usize % 3], b, a);
                conditions.push(if number >> 20 & 1 == 1 { pool.not(condition) } else { condition });
                continue;
            }
        };
        stack.push(t);
    }
    conditions
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    /// What is claimed to be satisfiable without a back end comes with a model that satisfies it and is not refuted by
    /// Z3, and what is refuted has no solution.
    #[test]
    fn guesses_are_checked_and_refutations_are_right(
        program in prop::collection::vec((any::<u8>(), any::<u64>()), 4..40),
        width in prop::sample::select(vec![8u32, 16, 32]),
    ) {
        let mut pool = TermPool::new();
        let all = conditions(&mut pool, width, &program);
        let mut solver = CachingSolver::new(Clueless::default());
        let mut z3 = Z3Solver::default();
        let mut path: Vec<Term> = Vec::new();
        for condition in all {
            if pool.as_const(condition).is_some() {
                continue;
            }
            match solver.model(&mut pool, &path, condition) {
                Ok(Some(model)) => {
                    prop_assert!(path.iter().chain([&condition]).all(|&t| pool.eval_bool(t, &model)));
                    prop_assert_ne!(z3.check(&mut pool, &path, condition), Answer::Unsat);
                    prop_assert_eq!(solver.check(&mut pool, &path, condition), Answer::Sat);
                    path.push(condition);
                }
                // Values that constraints imply may contradict each other.
                Ok(None) => {
                    prop_assert_ne!(z3.check(&mut pool, &path, condition), Answer::Sat);
                    prop_assert_eq!(solver.check(&mut pool, &path, condition), Answer::Unsat);
                }
                // The negation of a constraint needs no back end.
                Err(_) if path.contains(&pool.not(condition)) => {
                    prop_assert_eq!(solver.check(&mut pool, &path, condition), Answer::Unsat);
                }
                Err(_) => prop_assert!(matches!(solver.check(&mut pool, &path, condition), Answer::Unknown(_))),
            }
        }
    }
}

/// One round of a hash over 32 bits.
fn mix(pool: &mut TermPool, v: Term) -> Term {
    [(BinOp::Shl, 13), (BinOp::LShr, 17), (BinOp::Shl, 5)].into_iter().fold(v, |v, (shift, by)| {
        let by = pool.constant(32, by);
        let shifted = pool.binary(shift, v, by);
        pool.binary(BinOp::Xor, v, shifted)
    })
}

/// The low bits of a hash, round after round, with what a path that takes the odd sides assumes before each.
fn odd_rounds(pool: &mut TermPool, rounds: u64) -> Vec<Term> {
    let mut v = pool.symbol("x", 32);
    (0..rounds)
        .map(|round| {
            let salt = pool.constant(32, 77 * round);
            let salted = pool.binary(BinOp::Add, v, salt);
            v = mix(pool, salted);
            pool.extract(v, 0, 0)
        })
        .collect()
}

#[test]
fn branches_on_a_hash_need_no_back_end() {
    let mut pool = TermPool::new();
    let odd = odd_rounds(&mut pool, 12);
    let mut solver = CachingSolver::new(Clueless::default());
    for (round, &condition) in odd.iter().enumerate() {
        let negation = pool.not(condition);
        assert_eq!(solver.check(&mut pool, &odd[..round], condition), Answer::Sat, "round {round}");
        assert_eq!(solver.check(&mut pool, &odd[..round], negation), Answer::Sat, "round {round}");
    }
    assert!(solver.statistics().guesses > 0);
}

#[test]
fn the_same_query_gets_the_same_guess() {
    let guess = || {
        let mut pool = TermPool::new();
        let odd = odd_rounds(&mut pool, 10);
        let mut solver = CachingSolver::new(Clueless::default());
        solver.model(&mut pool, &odd[..9], odd[9]).unwrap().unwrap()
    };
    assert_eq!(guess(), guess());
}

/// Once a path has constraints that nothing was found under, later queries under them get less and less time.
#[test]
fn what_was_given_up_on_is_not_waited_for_again() {
    let mut pool = TermPool::new();
    let mut solver = CachingSolver::new(Clueless::default());
    let (x, y) = (pool.symbol("x", 64), pool.symbol("y", 64));
    let product = pool.binary(BinOp::Mul, x, y);
    let one = pool.constant(64, 1);
    let prime = pool.constant(64, 0xffff_ffff_ffff_ffc5);
    let mut path = vec![pool.cmp(CmpOp::Eq, product, prime), pool.ugt(x, one), pool.ugt(y, one)];
    let bound = pool.constant(64, 1 << 32);
    path.extend([pool.cmp(CmpOp::Ult, x, bound), pool.cmp(CmpOp::Ult, y, bound)]);
    let mut given = Vec::new();
    for bit in 0..8 {
        let condition = pool.extract(x, bit, bit);
        assert_eq!(solver.check(&mut pool, &path, condition), Answer::Unknown(UnknownReason::Timeout));
        let limits = std::mem::take(&mut solver.inner_mut().limits);
        // The solver's own limit counts as an hour.
        given.push(limits.into_iter().map(|limit| limit.unwrap_or(Duration::from_secs(3600))).sum::<Duration>());
        path.push(condition);
    }
    assert!(given.windows(2).all(|pair| pair[0] >= pair[1]), "{given:?}");
    // A short time with what products are, and a longer one without.
    let first = Duration::from_millis(40) + Duration::from_millis(300);
    assert!(given[0] == Duration::from_secs(3600) + first && given[7] < Duration::from_millis(50), "{given:?}");
    // Constraints that have nothing to do with it are waited for.
    let z = pool.symbol("z", 64);
    let cube = pool.binary(BinOp::Mul, z, z);
    let cube = pool.binary(BinOp::Mul, cube, z);
    let root = pool.cmp(CmpOp::Eq, cube, prime);
    assert_eq!(solver.check(&mut pool, &path, root), Answer::Unknown(UnknownReason::Timeout));
    assert_eq!(solver.inner().limits.last(), Some(&None));
}

/// A generator of random numbers divides what it has divided: nobody waits for that.
#[test]
fn quotients_of_quotients_are_not_waited_for() {
    let mut pool = TermPool::new();
    let mut solver = CachingSolver::new(Clueless::default());
    let (factor, by) = (pool.constant(64, 16_807), pool.constant(64, 127_773));
    let mut number = pool.symbol("seed", 64);
    let mut longest = Vec::new();
    for _ in 0..2 {
        let quotient = pool.binary(BinOp::SDiv, number, by);
        let product = pool.binary(BinOp::Mul, number, factor);
        number = pool.binary(BinOp::Sub, product, quotient);
        let wanted = pool.constant(64, 0x1234_5678_9abc_def1);
        let condition = pool.cmp(CmpOp::Eq, number, wanted);
        assert!(!matches!(solver.check(&mut pool, &[], condition), Answer::Unsat));
        let limits = std::mem::take(&mut solver.inner_mut().limits);
        longest.push(limits.into_iter().map(|limit| limit.unwrap_or(Duration::from_secs(3600))).max());
        assert_eq!(pool.is_hard(condition), longest.len() == 2);
    }
    let own = Duration::from_secs(3600);
    assert!(longest[0] == Some(own) && longest[1].is_some_and(|limit| limit < own), "{longest:?}");
}

/// About one value in 2^32 has this hash, and one in 2^27 a small one with the bits asked for: too rare to be hit by
/// chance.
#[test]
fn hashes_are_inverted() {
    let mut pool = TermPool::new();
    let x = pool.symbol("x", 32);
    let mut v = x;
    for round in 0..8 {
        let (factor, salt) = (pool.constant(32, 0x0100_0193), pool.constant(32, 77 * round));
        v = mix(&mut pool, v);
        v = pool.binary(BinOp::Mul, v, factor);
        v = pool.binary(BinOp::Add, v, salt);
    }
    let target = pool.constant(32, 0x1234_5678);
    let collides = pool.cmp(CmpOp::Eq, v, target);
    let mut solver = CachingSolver::new(Clueless::default());
    let model = solver.model(&mut pool, &[], collides).unwrap().unwrap();
    assert_eq!(pool.eval(v, &model), 0x1234_5678);
    let bound = pool.constant(32, 1000);
    let small = pool.cmp(CmpOp::Ult, v, bound);
    let parities: Vec<Term> = (0..5).map(|bit| pool.extract(x, 7 * bit, 7 * bit)).collect();
    assert_eq!(solver.check(&mut pool, &parities, small), Answer::Sat);
}
