//! The symbolic domain on values, memory and addresses.

use std::sync::Arc;

use icsched_ir::Program;
use icsched_smt::{CmpOp, Model, Z3Solver};

use super::*;
use crate::print::Printer;
use icsched_machine::memory::{ObjectId, ObjectKind, address};
use icsched_machine::stop::ErrorKind;

fn domain() -> SymbolicDomain {
    SymbolicDomain::new(Box::new(Z3Solver::default()))
}

fn heap() -> Heap<SymbolicDomain> {
    Heap::new(Arc::new(Program::default()))
}

fn model(values: &[(&str, u32, u64)]) -> Model {
    let mut model = Model::new();
    for &(name, width, bits) in values {
        model.set(name, width, bits.into());
    }
    model
}

fn evaluate(domain: &mut SymbolicDomain, value: SymValue, width: u32, model: &Model) -> u64 {
    let term = domain.term(&value, width);
    domain.pool.eval(term, model)
}

fn argument(domain: &mut SymbolicDomain, size: u64) -> Vec<MemoryByte<Term>> {
    domain.declare_input("argv[1]", size);
    let mut bytes: Vec<_> = (0..size).map(|i| domain.input_byte("argv[1]", i)).collect();
    bytes.push(MemoryByte::Constant(0));
    bytes
}

/// What a branch-free string comparison computes: the first difference, unless a NUL or difference came before it.
fn compare_strings(domain: &mut SymbolicDomain, bytes: &[MemoryByte<Term>], text: &[u8]) -> SymValue {
    let long = Type::Int(64);
    let mut result = SymValue::Constant(0);
    let mut decided = SymValue::Constant(0);
    for (byte, &c) in bytes.iter().zip(text) {
        let x = domain.join_bytes(std::slice::from_ref(byte));
        let x = domain.cast(CastOp::ZExt, Type::Int(8), long, &x).expect("a cast");
        let difference = domain.binary(BinOp::Sub, long, &x, &SymValue::Constant(c.into())).expect("a difference");
        result = domain.select(long, &decided, &result, &difference);
        for ends in [
            domain.int_compare(IntPredicate::Ne, long, &difference, &SymValue::Constant(0)),
            domain.int_compare(IntPredicate::Eq, long, &x, &SymValue::Constant(0)),
        ] {
            decided = domain.binary(BinOp::Or, Type::Int(1), &decided, &ends).expect("a disjunction");
        }
        if c == 0 {
            break;
        }
    }
    domain.cast(CastOp::Trunc, long, Type::Int(32), &result).expect("a cast")
}

#[test]
fn a_branch_free_string_comparison_is_a_condition_on_bytes() {
    let mut domain = domain();
    let bytes = argument(&mut domain, 8);
    let result = compare_strings(&mut domain, &bytes, b"fast\0");
    let equal = domain.int_compare(IntPredicate::Eq, Type::Int(32), &result, &SymValue::Constant(0));
    let equal = domain.term(&equal, 1);
    let different = domain.pool.not(equal);
    assert_eq!(Printer::new(&domain.pool).condition(equal), r#"strcmp(argv[1], "fast") == 0"#);
    assert_eq!(Printer::new(&domain.pool).condition(different), r#"strcmp(argv[1], "fast") != 0"#);
}

#[test]
fn functions_of_strings_are_named_by_the_string() {
    let mut domain = domain();
    let bytes = argument(&mut domain, 4);
    let name = |domain: &SymbolicDomain, bytes: &[MemoryByte<Term>]| domain.name_of_string_function("atoi", bytes);
    assert_eq!(name(&domain, &bytes), "atoi(argv[1])");
    assert_eq!(name(&domain, &bytes[1..]), "atoi(argv[1] + 1)");
    let mut cut = bytes[..2].to_vec();
    cut.push(MemoryByte::Constant(0));
    assert_eq!(name(&domain, &cut), "atoi(argv[1][0..2])");
    let mut prefixed = vec![MemoryByte::Constant(b'-')];
    prefixed.extend(bytes.clone());
    assert_eq!(name(&domain, &prefixed), "atoi(\"-\" . argv[1])");
    assert_eq!(name(&domain, &[MemoryByte::Constant(0)]), "atoi(\"\")");
    let first = domain.input_of_string("atoi", &bytes, 32);
    assert_eq!(domain.input_of_string("atoi", &bytes, 32), first);
    assert_ne!(domain.input_of_string("atol", &bytes, 64), first);
}

#[test]
fn split_and_joined_bytes_are_the_value() {
    let mut domain = domain();
    let x = domain.input("x", 32);
    let bytes = domain.split_bytes(&x, 4);
    assert_eq!(domain.join_bytes(&bytes), x);
    assert_eq!(domain.split_bytes(&SymValue::Constant(0x0102), 2).as_slice(), [2, 1].map(MemoryByte::Constant));
}

#[test]
fn a_choice_between_two_pointers_is_one_after_it_was_in_memory() {
    let mut domain = domain();
    let pool = &mut domain.pool;
    let condition = pool.symbol("c", 1);
    // Of one the bytes 1 and 0xff are extensions of the condition, and others are the same in both.
    for [yes, no] in [[0x1_0001_0060, 0], [0x2_0000_ff01, 0x2_0000_0000], [u64::MAX, 0], [0x60, 0x100]] {
        let arms = [yes, no].map(|bits| domain.pool.constant(64, bits));
        let choice = domain.pool.ite(condition, arms[0], arms[1]);
        let bytes = domain.split_bytes(&SymValue::Term(choice), 8);
        assert_eq!(domain.join_bytes(&bytes), SymValue::Term(choice), "{yes:#x} or {no:#x}");
    }
}

/// Forty guarded choices with shared arms: joined along every way to them, this would not end.
#[test]
fn bytes_with_shared_choices_are_joined_once() {
    let mut domain = domain();
    let mut bytes: Vec<Term> = ["x", "y"].map(|name| domain.input(name, 8)).iter().map(|v| domain.term(v, 8)).collect();
    for level in 0..40_u64 {
        let [outer, inner] = ["c", "d"].map(|name| domain.input(&format!("{name}{level}"), 1));
        let (outer, inner) = (domain.term(&outer, 1), domain.term(&inner, 1));
        for (byte, part) in bytes.iter_mut().zip([0, 1]) {
            let [one, two] = [1, 2].map(|k| domain.pool.constant(8, 4 * level + 2 * part + k));
            let (yes, no) = (domain.pool.ite(inner, *byte, one), domain.pool.ite(inner, *byte, two));
            *byte = domain.pool.ite(outer, yes, no);
        }
    }
    let bytes: Vec<_> = bytes.into_iter().map(MemoryByte::Symbolic).collect();
    let word = domain.join_bytes(&bytes);
    let mut inputs = model(&[("x", 8, 0x34), ("y", 8, 0x12)]);
    for level in 0..40 {
        inputs.set(&format!("d{level}"), 1, 1_u64.into());
    }
    assert_eq!(evaluate(&mut domain, word, 16, &inputs), 0x1234);
}

/// Reads and writes at a symbolic index agree with an ordinary array, in both forms of the contents.
#[test]
fn arrays_behave_like_arrays() {
    for size in [32u64, 4096] {
        let mut domain = domain();
        let path = SymPath::default();
        let bytes: Vec<_> = (0..size).map(|i| MemoryByte::Constant((i * 7) as u8)).collect();
        let mut array = domain.array_from_bytes(&bytes);
        let offset = |domain: &mut SymbolicDomain, name: &str| {
            let i = domain.input(name, 32);
            let i = domain.cast(CastOp::ZExt, Type::Int(32), Type::Int(64), &i).expect("a cast");
            domain.binary(BinOp::Mul, Type::Int(64), &i, &SymValue::Constant(4)).expect("a product")
        };
        let (at_i, at_j) = (offset(&mut domain, "i"), offset(&mut domain, "j"));
        let value = domain.input("v", 32);
        let guard = domain.input("g", 1);
        domain.array_store(&mut array, &at_i, &value, 4, Some(&guard));
        let read = domain.array_load(&path, &array, size, &at_j, 4, false);
        for (i, j, g) in [(2, 2, 1), (2, 2, 0), (2, 3, 1), (7, 0, 1), (0, 7, 1)] {
            let model = model(&[("i", 32, i), ("j", 32, j), ("g", 1, g), ("v", 32, 0xdead_beef)]);
            let mut expected: Vec<u8> = (0..size).map(|k| (k * 7) as u8).collect();
            if g == 1 {
                expected[i as usize * 4..][..4].copy_from_slice(&0xdead_beef_u32.to_le_bytes());
            }
            let word = u32::from_le_bytes(expected[j as usize * 4..][..4].try_into().expect("four bytes"));
            assert_eq!(evaluate(&mut domain, read, 32, &model), u64::from(word), "size {size}: i {i} j {j} g {g}");
        }
    }
}

fn undecided(stop: Stop<SymbolicDomain>) -> (Term, DecisionKind, Option<ErrorKind>) {
    match stop {
        Stop::Undecided { condition: SymValue::Term(t), kind, error } => (t, kind, error.map(|e| e.0)),
        other => panic!("expected a question, got {other:?}"),
    }
}

#[test]
fn an_index_must_be_inside_its_object() {
    let mut domain = domain();
    let mut heap = heap();
    let table = heap.allocate(ObjectKind::Heap, 40, None);
    let i = domain.input("i", 32);
    let i = domain.cast(CastOp::SExt, Type::Int(32), Type::Int(64), &i).expect("a cast");
    let scaled = domain.binary(BinOp::Mul, Type::Int(64), &i, &SymValue::Constant(4)).expect("a product");
    let at = domain.binary(BinOp::Add, Type::Ptr, &SymValue::Constant(address(table, 0)), &scaled).expect("an address");
    let path = SymPath::default();
    let stop = domain.resolve(&path, &heap, &at, 4).expect_err("nothing bounds the index");
    let (condition, kind, error) = undecided(stop);
    assert_eq!((kind, error), (DecisionKind::InBounds, Some(ErrorKind::OutOfBounds)));
    for (i, inside) in [(0, true), (9, true), (10, false), (u64::from(u32::MAX), false)] {
        assert_eq!(domain.pool.eval_bool(condition, &model(&[("i", 32, i)])), inside, "index {i}");
    }
    domain.grant(condition, true);
    let targets = domain.resolve(&path, &heap, &at, 4).expect("in bounds now");
    assert_eq!(targets.len(), 1);
    assert_eq!(targets[0].object, table);
    assert!(targets[0].guard.is_none());
}

#[test]
fn a_choice_of_objects_is_guarded_and_null_is_excluded() {
    let mut domain = domain();
    let mut heap = heap();
    let [a, b] = [8, 16].map(|size| heap.allocate(ObjectKind::Heap, size, None));
    let (p, q) = (domain.input("p", 1), domain.input("q", 1));
    let inner = domain.select(Type::Ptr, &q, &SymValue::Constant(address(b, 8)), &SymValue::Constant(0));
    let either = domain.select(Type::Ptr, &p, &SymValue::Constant(address(a, 0)), &inner);
    let at = domain.binary(BinOp::Add, Type::Ptr, &either, &SymValue::Constant(4)).expect("an address");
    // `either + 4` with the null arm is a small integer, which is a null pointer too.
    let path = SymPath::default();
    let (condition, _, error) = undecided(domain.resolve(&path, &heap, &at, 4).expect_err("null is possible"));
    assert_eq!(error, Some(ErrorKind::NullPointer));
    for (p, q, fine) in [(1, 0, true), (0, 1, true), (0, 0, false)] {
        assert_eq!(domain.pool.eval_bool(condition, &model(&[("p", 1, p), ("q", 1, q)])), fine);
    }
    domain.grant(condition, true);
    let targets = domain.resolve(&path, &heap, &at, 4).expect("two objects");
    let found: Vec<(ObjectId, SymValue)> = targets.iter().map(|t| (t.object, t.offset)).collect();
    assert_eq!(found, [(a, SymValue::Constant(4)), (b, SymValue::Constant(12))]);
    assert!(targets.iter().all(|t| t.guard.is_some()));
}

#[test]
fn an_address_without_a_visible_object_is_decided_object_by_object() {
    let mut domain = domain();
    let mut heap = heap();
    let object = heap.allocate(ObjectKind::Heap, 64, None);
    let SymValue::Term(address_symbol) = domain.input("pointer", 64) else { panic!("an input is a term") };
    let wanted = domain.pool.constant(64, address(object, 0));
    let mut path = SymPath::default();
    // All the path knows: it points somewhere into the object.
    let last = domain.pool.constant(64, address(object, 60));
    let bounds =
        [domain.pool.cmp(CmpOp::Ule, wanted, address_symbol), domain.pool.cmp(CmpOp::Ule, address_symbol, last)];
    bounds.iter().for_each(|&b| path.constrain(&domain.pool, b));
    let mut targets = None;
    for _ in 0..4 {
        match domain.resolve(&path, &heap, &SymValue::Term(address_symbol), 4) {
            Ok(found) => {
                targets = Some(found);
                break;
            }
            Err(stop) => {
                let (condition, ..) = undecided(stop);
                path.decide(&mut domain.pool, condition, true);
                domain.grant(condition, true);
            }
        }
    }
    let targets = targets.expect("resolved after a few questions");
    assert_eq!(targets[0].object, object);
    let offset = evaluate(&mut domain, targets[0].offset, 64, &model(&[("pointer", 64, address(object, 12))]));
    assert_eq!(offset, 12);
}

#[test]
fn a_value_that_must_be_constant_is_asked_for_once() {
    let mut domain = domain();
    let n = domain.input("n", 64);
    let mut path = SymPath::default();
    let SymValue::Term(t) = n else { panic!("an input is a term") };
    let three = domain.equals(t, 3);
    path.constrain(&domain.pool, three);
    let stop = domain.concretise(&path, &n, DecisionKind::Concretise).expect_err("the instruction must ask");
    let (condition, kind, _) = undecided(stop);
    assert_eq!((condition, kind), (three, DecisionKind::Concretise));
    path.decide(&mut domain.pool, condition, true);
    domain.grant(condition, true);
    assert_eq!(domain.concretise(&path, &n, DecisionKind::Concretise).ok(), Some(3));
    // Another instruction asks again, so that its reliance is seen.
    domain.retract_grants();
    let stop = domain.concretise(&path, &n, DecisionKind::Concretise).expect_err("asked again");
    assert_eq!(undecided(stop).0, three);
}

#[test]
fn a_choice_of_constants_is_tried_in_order() {
    let mut domain = domain();
    let c = domain.input("c", 1);
    let pointer = domain.select(Type::Ptr, &c, &SymValue::Constant(0x500), &SymValue::Constant(0x600));
    let path = SymPath::default();
    let (condition, ..) = undecided(domain.concretise(&path, &pointer, DecisionKind::CallTarget).expect_err("two"));
    assert!(domain.pool.eval_bool(condition, &model(&[("c", 1, 1)])));
    let mut other = path.clone();
    other.decide(&mut domain.pool, condition, false);
    domain.grant(condition, false);
    let (condition, ..) = undecided(domain.concretise(&other, &pointer, DecisionKind::CallTarget).expect_err("one"));
    domain.grant(condition, true);
    assert_eq!(domain.concretise(&other, &pointer, DecisionKind::CallTarget).ok(), Some(0x600));
}

#[test]
fn scaled_and_clamped_numbers_fold_to_bounds() {
    let mut domain = domain();
    let word = Type::Int(64);
    let k = domain.input("k", 64);
    let index = domain.binary(BinOp::And, word, &k, &SymValue::Constant(3)).expect("a mask");
    let offset = domain.binary(BinOp::Mul, word, &index, &SymValue::Constant(40)).expect("a product");
    let at = domain.binary(BinOp::Add, word, &offset, &SymValue::Constant(0x500)).expect("a sum");
    let third = domain.int_compare(IntPredicate::Eq, word, &at, &SymValue::Constant(0x500 + 120));
    let between = domain.int_compare(IntPredicate::Eq, word, &at, &SymValue::Constant(0x500 + 50));
    assert_eq!(between, SymValue::Constant(0));
    let third = domain.term(&third, 1);
    assert_eq!(Printer::new(&domain.pool).condition(third), "(k & 0x3) == 3");
    let int = Type::Int(32);
    let n = domain.input("n", 32);
    let clamped = domain.binary(BinOp::SMax, int, &n, &SymValue::Constant(1)).expect("a maximum");
    let small = domain.int_compare(IntPredicate::Ult, int, &clamped, &SymValue::Constant(3));
    let small = domain.term(&small, 1);
    assert_eq!(Printer::new(&domain.pool).condition(small), "n < 3");
}

/// A character class table, as `ctype.h` has it: read without array theory, and tested as ranges.
#[test]
fn a_character_class_is_a_range() {
    let mut domain = domain();
    let path = SymPath::default();
    let word = Type::Int(64);
    let class = |c: usize| u16::from((c as u8).is_ascii_digit()) << 11 | u16::from((c as u8).is_ascii_lowercase()) << 9;
    let table: Vec<_> = (0..384)
        .flat_map(|i: usize| class(i.wrapping_sub(128)).to_le_bytes())
        .enumerate()
        .map(|(i, byte)| MemoryByte::Constant(if i < 256 { 0 } else { byte }))
        .collect();
    let array = domain.array_from_bytes(&table);
    let SymValue::Term(byte) = domain.input("argv[1][0]", 8) else { panic!("an input is a term") };
    let c = domain.cast(CastOp::ZExt, Type::Int(8), word, &SymValue::Term(byte)).expect("a cast");
    let scaled = domain.binary(BinOp::Mul, word, &c, &SymValue::Constant(2)).expect("a product");
    let offset = domain.binary(BinOp::Add, word, &scaled, &SymValue::Constant(256)).expect("a sum");
    let read = domain.array_load(&path, &array, 768, &offset, 2, false);
    let wide = domain.cast(CastOp::ZExt, Type::Int(16), Type::Int(32), &read).expect("a cast");
    let bit = domain.binary(BinOp::And, Type::Int(32), &wide, &SymValue::Constant(0x800)).expect("a mask");
    let is_digit = domain.int_compare(IntPredicate::Ne, Type::Int(32), &bit, &SymValue::Constant(0));
    let is_digit = domain.term(&is_digit, 1);
    for c in 0..256u64 {
        let model = model(&[("argv[1][0]", 8, c)]);
        assert_eq!(evaluate(&mut domain, read, 16, &model), u64::from(class(c as usize)), "class of {c}");
        assert_eq!(domain.pool.eval_bool(is_digit, &model), (c as u8).is_ascii_digit());
    }
    let text = Printer::new(&domain.pool).condition(is_digit);
    assert_eq!(text, "(unsigned char)argv[1][0] >= '0' && (unsigned char)argv[1][0] <= '9'");
}

#[test]
fn sums_with_constants_overflow_where_numbers_do() {
    let mut domain = domain();
    let byte = Type::Int(8);
    let x = domain.pool.symbol("x", 8);
    for op in [OverflowOp::SAdd, OverflowOp::UAdd, OverflowOp::SSub, OverflowOp::USub] {
        for constant in [0, 1, 5, 0x7f, 0x80, 0x81, 0xff] {
            let c = domain.pool.constant(8, constant);
            let (right, left) = (domain.overflow_term(op, x, c), domain.overflow_term(op, c, x));
            for value in 0..=255 {
                let model = model(&[("x", 8, value)]);
                let overflows = |a, b| icsched_machine::arith::overflow(op, byte, a, b);
                assert_eq!(
                    domain.pool.eval_bool(right, &model),
                    overflows(value, constant),
                    "{op:?} {value} {constant}"
                );
                assert_eq!(
                    domain.pool.eval_bool(left, &model),
                    overflows(constant, value),
                    "{op:?} {constant} {value}"
                );
            }
        }
    }
}
