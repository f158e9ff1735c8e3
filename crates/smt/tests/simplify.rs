//! What the simplifier promises to the engine: shapes that other crates recognise.

use icsched_smt::{BinOp, CmpOp, FpOp, Node, Term, TermPool};

fn add(pool: &mut TermPool, a: Term, b: Term) -> Term {
    pool.binary(BinOp::Add, a, b)
}

fn add_const(pool: &mut TermPool, a: Term, c: u64) -> Term {
    let c = pool.constant(pool.width(a), c);
    add(pool, a, c)
}

fn eq_const(pool: &mut TermPool, a: Term, c: u64) -> Term {
    let c = pool.constant(pool.width(a), c);
    pool.cmp(CmpOp::Eq, a, c)
}

#[test]
fn a_pointer_keeps_one_constant_offset() {
    let mut pool = TermPool::new();
    let (p, i) = (pool.symbol("p", 64), pool.symbol("i", 32));
    let i = pool.sext(i, 64);
    let four = pool.constant(64, 4);
    let scaled = pool.binary(BinOp::Mul, i, four);
    let field = add_const(&mut pool, p, 16);
    let element = add(&mut pool, field, scaled);
    let element = add_const(&mut pool, element, 8);
    let (rest, offset) = pool.split_constant(element);
    assert_eq!((rest, offset), (Some(add(&mut pool, p, scaled)), 24));
    assert_eq!(pool.binary(BinOp::Sub, element, rest.unwrap()), pool.constant(64, 24));
    let back = add_const(&mut pool, element, 0u64.wrapping_sub(24));
    assert_eq!(Some(back), rest);
}

#[test]
fn long_sums_keep_one_constant_and_cancel_where_they_can() {
    let mut pool = TermPool::new();
    let mut sum = pool.constant(64, 0);
    for i in 0..200 {
        let x = pool.symbol(&format!("x{i}"), 64);
        sum = add(&mut pool, sum, x);
        sum = add_const(&mut pool, sum, 3);
        assert_eq!(pool.split_constant(sum).1, 3 * (i + 1));
    }
}

#[test]
fn bytes_of_a_term_join_to_the_term() {
    let mut pool = TermPool::new();
    let byte = pool.symbol("c", 8);
    let i = pool.symbol("i", 32);
    let sum = add_const(&mut pool, i, 7);
    let wide = pool.zext(i, 64);
    let four = pool.constant(64, 4);
    let c = pool.cmp(CmpOp::Ult, i, sum);
    let (big, small) = (pool.constant(32, 0x1234_5678), pool.constant(32, 0xff00));
    let terms = [
        pool.symbol("x", 64),
        sum,
        pool.binary(BinOp::Mul, wide, four),
        pool.zext(byte, 32),
        pool.sext(byte, 64),
        pool.sext(i, 64),
        pool.ite(c, big, small),
        pool.zext(c, 32),
    ];
    for t in terms {
        let bytes: Vec<Term> = (0..pool.width(t) / 8).map(|k| pool.extract(t, 8 * k + 7, 8 * k)).collect();
        let upwards = bytes.iter().copied().reduce(|low, high| pool.concat(high, low)).unwrap();
        let downwards = bytes.iter().rev().copied().reduce(|high, low| pool.concat(high, low)).unwrap();
        assert_eq!(upwards, t, "{:?}", pool.node(t));
        assert_eq!(downwards, t, "{:?}", pool.node(t));
    }
}

#[test]
fn a_choice_of_constants_stays_one_when_bytes_agree() {
    let mut pool = TermPool::new();
    let c = pool.symbol("c", 1);
    for (a, b) in [(0x8000_0005_0001_0000, 0x8000_0006_0001_0000), (0x1234, 0xff34), (7, 0x7000_0000_0000_0007)] {
        let (a, b) = (pool.constant(64, a), pool.constant(64, b));
        let choice = pool.ite(c, a, b);
        let bytes: Vec<Term> = (0..8).map(|k| pool.extract(choice, 8 * k + 7, 8 * k)).collect();
        let upwards = bytes.iter().copied().reduce(|low, high| pool.concat(high, low)).unwrap();
        let downwards = bytes.iter().rev().copied().reduce(|high, low| pool.concat(high, low)).unwrap();
        assert_eq!((upwards, downwards), (choice, choice));
    }
}

#[test]
fn shifts_and_ors_of_bytes_are_a_concatenation() {
    let mut pool = TermPool::new();
    let bytes: Vec<Term> = (0..4).map(|k| pool.symbol(&format!("b{k}"), 8)).collect();
    let joined = bytes.iter().copied().reduce(|low, high| pool.concat(high, low)).unwrap();
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]] {
        let mut value = pool.constant(32, 0);
        for k in order {
            let byte = pool.zext(bytes[k], 32);
            let amount = pool.constant(32, 8 * k as u64);
            let field = pool.binary(BinOp::Shl, byte, amount);
            value = pool.binary(BinOp::Or, value, field);
        }
        // The middle-out order leaves a gap that only the solver sees through.
        assert!(value == joined || order[0] == 2, "{order:?}");
    }
}

#[test]
fn comparisons_undo_what_c_does_to_conditions() {
    let mut pool = TermPool::new();
    let (a, b) = (pool.symbol("a", 32), pool.symbol("b", 32));
    let less = pool.cmp(CmpOp::Slt, a, b);
    // if ((int)(a < b) != 0)
    let as_int = pool.zext(less, 32);
    let is_zero = eq_const(&mut pool, as_int, 0);
    assert_eq!(pool.not(is_zero), less);
    assert_eq!(is_zero, pool.sge(a, b));
    // (a + 5 == 12) is (a == 7)
    let sum = add_const(&mut pool, a, 5);
    assert_eq!(eq_const(&mut pool, sum, 12), eq_const(&mut pool, a, 7));
    // (a < b ? 3 : 9) == 9
    let (three, nine) = (pool.constant(32, 3), pool.constant(32, 9));
    let choice = pool.ite(less, three, nine);
    assert_eq!(eq_const(&mut pool, choice, 9), is_zero);
    assert_eq!(eq_const(&mut pool, choice, 4), pool.bool(false));
    // A character compared as an int.
    let c = pool.symbol("c", 8);
    let promoted = pool.sext(c, 32);
    assert_eq!(eq_const(&mut pool, promoted, 65), eq_const(&mut pool, c, 65));
    assert_eq!(eq_const(&mut pool, promoted, 300), pool.bool(false));
    let unsigned = pool.zext(c, 32);
    let limit = pool.constant(32, 256);
    assert_eq!(pool.cmp(CmpOp::Slt, unsigned, limit), pool.bool(true));
    // p + 4*i == p + 8 says nothing of p.
    let eight = pool.constant(32, 8);
    let (left, right) = (add(&mut pool, a, b), add(&mut pool, a, eight));
    assert_eq!(pool.cmp(CmpOp::Eq, left, right), eq_const(&mut pool, b, 8));
}

#[test]
fn connectives_absorb_and_contradict() {
    let mut pool = TermPool::new();
    let (p, q) = (pool.symbol("p", 1), pool.symbol("q", 1));
    let not_p = pool.not(p);
    let (both, either) = (pool.and_all(&[p, q]), pool.or_all(&[p, q]));
    assert_eq!(pool.and_all(&[p, q, p]), both);
    assert_eq!(pool.and_all(&[q, p]), both);
    assert_eq!(pool.and_all(&[p, either]), p);
    assert_eq!(pool.or_all(&[p, both]), p);
    assert_eq!(pool.and_all(&[p, q, not_p]), pool.bool(false));
    assert_eq!(pool.or_all(&[p, not_p]), pool.bool(true));
    assert_eq!(pool.not(not_p), p);
    assert_eq!(pool.and_all(&[]), pool.bool(true));
    let x = pool.symbol("x", 32);
    let (one, two) = (eq_const(&mut pool, x, 1), eq_const(&mut pool, x, 2));
    assert_eq!(pool.and_all(&[one, two]), pool.bool(false));
    let not_two = pool.not(two);
    assert_eq!(pool.and_all(&[one, not_two]), one);
}

#[test]
fn arms_of_a_choice_know_its_condition() {
    let mut pool = TermPool::new();
    let (x, y) = (pool.symbol("x", 32), pool.symbol("y", 32));
    let (c, d) = (pool.cmp(CmpOp::Slt, x, y), eq_const(&mut pool, x, 3));
    let [zero, one, two, three] = [0, 1, 2, 3].map(|k| pool.constant(32, k));
    // What was set where `c` holds is cleared there.
    let set = pool.ite(c, one, zero);
    assert_eq!(pool.ite(c, zero, set), zero);
    let two_there = pool.ite(c, two, zero);
    assert_eq!(pool.ite(c, zero, two_there), zero);
    // Below operators, where the other arm is a number.
    let sum = add(&mut pool, two_there, y);
    let (with, without) = (add_const(&mut pool, y, 2), pool.ite(c, sum, three));
    assert_eq!(without, pool.ite(c, with, three));
    // The complement of a comparison of order is another comparison.
    let not_less = pool.cmp(CmpOp::Sle, y, x);
    let inner = pool.ite(not_less, one, two);
    assert_eq!(pool.ite(c, inner, one), pool.ite(c, two, one));
    // Each part of a conjunction holds, and no part of a disjunction that does not.
    let (both, either) = (pool.binary(BinOp::And, c, d), pool.binary(BinOp::Or, c, d));
    let of_c = pool.ite(c, one, two);
    assert_eq!(pool.ite(both, of_c, three), pool.ite(both, one, three));
    assert_eq!(pool.ite(either, three, of_c), pool.ite(either, three, two));
    // A number that is known, and an arm that is the other one then.
    let (next, four) = (add_const(&mut pool, x, 1), pool.constant(32, 4));
    assert_eq!(pool.ite(d, next, one), pool.ite(d, four, one));
    assert_eq!(pool.ite(d, three, x), x);
    assert_eq!(pool.ite(d, four, next), next);
}

/// Two locks, one of which is taken and given back in each round: nothing is left of the rounds.
#[test]
fn what_is_undone_at_a_chosen_place_leaves_nothing() {
    let mut pool = TermPool::new();
    let [zero, one, owner] = [0, 1, 7].map(|k| pool.constant(32, k));
    let (mut locks, mut owners) = ([zero; 2], [zero; 2]);
    for round in 0..100 {
        let input = pool.symbol(&format!("input{round}"), 32);
        let low = pool.binary(BinOp::And, input, one);
        let first = eq_const(&mut pool, low, 0);
        let chosen = [first, pool.not(first)];
        for (value, of_owner) in [(one, owner), (zero, zero)] {
            for at in 0..2 {
                locks[at] = pool.ite(chosen[at], value, locks[at]);
                owners[at] = pool.ite(chosen[at], of_owner, owners[at]);
            }
        }
        assert_eq!((locks, owners), ([zero; 2], [zero; 2]), "round {round}");
    }
    assert!(pool.len() < 100 * 12, "{} terms", pool.len());
}

#[test]
fn reads_see_through_writes_elsewhere() {
    let mut pool = TermPool::new();
    let (m, p, v) = (pool.array_symbol("m"), pool.symbol("p", 64), pool.symbol("v", 8));
    let next = add_const(&mut pool, p, 1);
    let zero = pool.constant(8, 0);
    let written = pool.store(m, p, v);
    let written = pool.store(written, next, zero);
    assert_eq!(pool.select(written, p), v);
    assert_eq!(pool.select(written, next), zero);
    let far = add_const(&mut pool, p, 9);
    assert_eq!(pool.select(written, far), pool.select(m, far));
    let elsewhere = pool.symbol("q", 64);
    let read = pool.select(written, elsewhere);
    assert!(matches!(pool.node(read), Node::Select(..)));
    let same = pool.select(m, p);
    assert_eq!(pool.store(m, p, same), m);
}

#[test]
fn float_negation_is_a_bit_operation_and_a_nan_is_not_itself() {
    let mut pool = TermPool::new();
    let x = pool.symbol("x", 64);
    let negated = pool.fp(FpOp::FNeg, &[x]);
    assert!(!pool.has_float(negated));
    assert_eq!(pool.fp(FpOp::FNeg, &[negated]), x);
    let same = pool.fp(FpOp::FEq, &[x, x]);
    let unordered = pool.fp(FpOp::FUno, &[x, x]);
    assert_eq!(same, pool.not(unordered));
}

#[test]
fn the_same_name_with_another_width_is_another_symbol() {
    let mut pool = TermPool::new();
    let (a, b, c) = (pool.symbol("x", 8), pool.symbol("x", 16), pool.array_symbol("x"));
    assert!(a != b && pool.symbol_name(a) == pool.symbol_name(b) && pool.symbol_name(c) == Some("x"));
    assert_eq!(pool.symbol("x", 8), a);
}

#[test]
fn a_signed_remainder_is_smaller_than_its_constant_divisor() {
    let mut pool = TermPool::new();
    let x = pool.symbol("x", 32);
    for divisor in [9, 9_u64.wrapping_neg() & 0xffff_ffff] {
        let divisor = pool.constant(32, divisor);
        let rest = pool.binary(BinOp::SRem, x, divisor);
        let decided = |pool: &mut TermPool, op, bound: i32, is_left: bool| {
            let bound = pool.constant(32, u64::from(bound.cast_unsigned()));
            let compared = if is_left { pool.cmp(op, rest, bound) } else { pool.cmp(op, bound, rest) };
            pool.as_const(compared)
        };
        let orders = [
            (CmpOp::Slt, [(9, Some(1)), (8, None), (-7, None), (-8, Some(0))]),
            (CmpOp::Sle, [(8, Some(1)), (7, None), (-8, None), (-9, Some(0))]),
        ];
        for (op, cases) in orders {
            for (bound, expected) in cases {
                assert_eq!(decided(&mut pool, op, bound, true), expected, "{op:?} {bound}");
                assert_eq!(decided(&mut pool, op, -bound, false), expected, "{bound} {op:?}, mirrored");
            }
        }
    }
}
