//! What constraints look like in C.

use icsched_smt::{CmpOp, TermPool};

use super::*;

struct Terms {
    pool: TermPool,
}

impl Terms {
    fn new() -> Self {
        Terms { pool: TermPool::new() }
    }

    fn int(&mut self, name: &str) -> Term {
        self.pool.symbol(name, 32)
    }

    fn byte(&mut self, index: u64) -> Term {
        self.pool.symbol(&format!("argv[1][{index}]"), 8)
    }

    fn constant(&mut self, width: u32, value: i64) -> Term {
        self.pool.constant(width, value as u64)
    }

    fn compare(&mut self, op: CmpOp, a: Term, value: i64) -> Term {
        let b = self.constant(self.pool.width(a), value);
        self.pool.cmp(op, a, b)
    }

    fn condition(&self, t: Term) -> String {
        Printer::new(&self.pool).condition(t)
    }

    /// `argv[1]` starts with (or is, when it ends in NUL) these bytes.
    fn starts_with(&mut self, text: &str) -> Term {
        let tests: Vec<Term> = text
            .bytes()
            .zip(0..)
            .map(|(c, i)| {
                let byte = self.byte(i);
                self.compare(CmpOp::Eq, byte, i64::from(c))
            })
            .collect();
        self.pool.and_all(&tests)
    }
}

#[test]
fn comparisons_with_zero_read_as_written() {
    let mut t = Terms::new();
    let n = t.int("atoi(argv[1])");
    let zero = t.constant(32, 0);
    let positive = t.pool.cmp(CmpOp::Slt, zero, n);
    let not_positive = t.pool.not(positive);
    let negative = t.pool.cmp(CmpOp::Slt, n, zero);
    let not_negative = t.pool.not(negative);
    let is_zero = t.pool.cmp(CmpOp::Eq, n, zero);
    let not_zero = t.pool.not(is_zero);
    assert_eq!(t.condition(positive), "atoi(argv[1]) > 0");
    assert_eq!(t.condition(not_positive), "atoi(argv[1]) <= 0");
    assert_eq!(t.condition(negative), "atoi(argv[1]) < 0");
    assert_eq!(t.condition(not_negative), "atoi(argv[1]) >= 0");
    assert_eq!(t.condition(is_zero), "atoi(argv[1]) == 0");
    assert_eq!(t.condition(not_zero), "atoi(argv[1]) != 0");
}

#[test]
fn bounds_have_the_rounder_constant() {
    let mut t = Terms::new();
    let n = t.int("n");
    let at_most_10 = t.compare(CmpOp::Slt, n, 11);
    let below_100 = t.compare(CmpOp::Slt, n, 100);
    let not_below_100 = t.pool.not(below_100);
    let below_3 = t.compare(CmpOp::Slt, n, 3);
    assert_eq!(t.condition(at_most_10), "n <= 10");
    assert_eq!(t.condition(below_100), "n < 100");
    assert_eq!(t.condition(not_below_100), "n >= 100");
    assert_eq!(t.condition(below_3), "n < 3");
    let byte = t.byte(0);
    let at_most_nine = t.compare(CmpOp::Slt, byte, i64::from(b'9') + 1);
    assert_eq!(t.condition(at_most_nine), "argv[1][0] <= '9'");
}

#[test]
fn conjuncts_that_say_nothing_new_are_left_out() {
    let mut t = Terms::new();
    let n = t.int("n");
    let zero = t.compare(CmpOp::Eq, n, 0);
    let not_zero = t.pool.not(zero);
    let below_11 = t.compare(CmpOp::Slt, n, 11);
    let above_10 = t.pool.not(below_11);
    let below_6 = t.compare(CmpOp::Slt, n, 6);
    let above_5 = t.pool.not(below_6);
    let print = |parts: &[Term]| Printer::new(&t.pool).conjunction(parts);
    assert_eq!(print(&[not_zero, above_10, above_5]), "n > 10");
    assert_eq!(print(&[below_11, below_6, not_zero]), "n <= 5 && n != 0");
    assert_eq!(print(&[below_11, zero]), "n == 0");
    assert_eq!(print(&[above_5, below_11]), "n > 5 && n <= 10");
    let below_7 = t.compare(CmpOp::Slt, n, 7);
    assert_eq!(Printer::new(&t.pool).conjunction(&[above_5, below_7]), "n == 6");
}

#[test]
fn unsigned_comparisons_are_cast_where_it_matters() {
    let mut t = Terms::new();
    let n = t.int("n");
    let below = t.compare(CmpOp::Ult, n, 10);
    assert_eq!(t.condition(below), "(unsigned)n < 10");
    let seven = t.constant(32, 7);
    let masked = t.pool.binary(BinOp::And, n, seven);
    let small = t.compare(CmpOp::Ult, masked, 5);
    assert!(!t.condition(small).contains("unsigned)(n"), "{}", t.condition(small));
}

#[test]
fn bytes_are_compared_with_characters() {
    let mut t = Terms::new();
    let byte = t.byte(0);
    let is_a = t.compare(CmpOp::Eq, byte, i64::from(b'a'));
    let is_end = t.compare(CmpOp::Eq, byte, 0);
    let is_quote = t.compare(CmpOp::Eq, byte, i64::from(b'\''));
    let is_high = t.compare(CmpOp::Eq, byte, 0xff);
    assert_eq!(t.condition(is_a), "argv[1][0] == 'a'");
    assert_eq!(t.condition(is_end), r"argv[1][0] == '\0'");
    assert_eq!(t.condition(is_quote), r"argv[1][0] == '\''");
    assert_eq!(t.condition(is_high), r"argv[1][0] == '\xff'");
}

#[test]
fn whole_strings_are_strcmp() {
    let mut t = Terms::new();
    let fast = t.starts_with("fast\0");
    let other = t.pool.not(fast);
    assert_eq!(t.condition(fast), r#"strcmp(argv[1], "fast") == 0"#);
    assert_eq!(t.condition(other), r#"strcmp(argv[1], "fast") != 0"#);
    let prefix = t.starts_with("-v");
    assert_eq!(t.condition(prefix), r#"strncmp(argv[1], "-v", 2) == 0"#);
    let n = t.int("n");
    let n_is_3 = t.compare(CmpOp::Eq, n, 3);
    let both = Printer::new(&t.pool).conjunction(&[n_is_3, fast]);
    assert_eq!(both, r#"n == 3 && strcmp(argv[1], "fast") == 0"#);
}

#[test]
fn a_single_byte_and_a_gap_are_no_string() {
    let mut t = Terms::new();
    let (first, third) = (t.byte(0), t.byte(2));
    let a = t.compare(CmpOp::Eq, first, i64::from(b'a'));
    let c = t.compare(CmpOp::Eq, third, i64::from(b'c'));
    let text = Printer::new(&t.pool).conjunction(&[a, c]);
    assert_eq!(text, "argv[1][0] == 'a' && argv[1][2] == 'c'");
}

#[test]
fn consecutive_bytes_are_one_access() {
    let mut t = Terms::new();
    let bytes: Vec<Term> = (4..8).map(|i| t.pool.symbol(&format!("stdin[{i}]"), 8)).collect();
    let word = bytes[1..].iter().fold(bytes[0], |low, &high| t.pool.concat(high, low));
    let test = t.compare(CmpOp::Slt, word, 100);
    assert_eq!(t.condition(test), "*(int *)&stdin[4] < 100");
}

#[test]
fn conjunctions_disjunctions_and_negations() {
    let mut t = Terms::new();
    let (x, y) = (t.int("x"), t.int("y"));
    let (a, b) = (t.compare(CmpOp::Eq, x, 1), t.compare(CmpOp::Slt, y, 5));
    let both = t.pool.binary(BinOp::And, a, b);
    let either = t.pool.binary(BinOp::Or, a, b);
    let neither = t.pool.not(either);
    let text = t.condition(both);
    assert!(text == "x == 1 && y < 5" || text == "y < 5 && x == 1", "{text}");
    let text = t.condition(either);
    assert!(text == "x == 1 || y < 5" || text == "y < 5 || x == 1", "{text}");
    let text = t.condition(neither);
    assert!(text == "x != 1 && y >= 5" || text == "y >= 5 && x != 1", "{text}");
    assert_eq!(Printer::new(&t.pool).conjunction(&[]), "true");
}

#[test]
fn parentheses_follow_precedence() {
    let mut t = Terms::new();
    let (x, y) = (t.int("x"), t.int("y"));
    let sum = t.pool.binary(BinOp::Add, x, y);
    let three = t.constant(32, 3);
    let quotient = t.pool.binary(BinOp::SDiv, sum, three);
    let text = Printer::new(&t.pool).value(quotient);
    assert!(text == "(x + y) / 3" || text == "(y + x) / 3", "{text}");
    let difference = t.pool.binary(BinOp::Sub, x, three);
    assert_eq!(Printer::new(&t.pool).value(difference), "x - 3");
    let remainder = t.pool.binary(BinOp::SRem, x, three);
    let odd = t.compare(CmpOp::Eq, remainder, 1);
    assert_eq!(t.condition(odd), "x % 3 == 1");
}

#[test]
fn digits_and_bits() {
    let mut t = Terms::new();
    let byte = t.byte(0);
    let wide = t.pool.sext(byte, 32);
    let zero_char = t.constant(32, 48);
    let digit = t.pool.binary(BinOp::Sub, wide, zero_char);
    assert_eq!(Printer::new(&t.pool).value(digit), "argv[1][0] - '0'");
    let x = t.int("x");
    let bit = t.pool.extract(x, 2, 2);
    assert_eq!(t.condition(bit), "(x & 4) != 0");
    let clear = t.pool.not(bit);
    assert_eq!(t.condition(clear), "(x & 4) == 0");
}

#[test]
fn remainders_of_few_bits_are_unsigned() {
    let mut t = Terms::new();
    let x = t.int("x");
    let low = t.pool.extract(x, 2, 0);
    let five = t.constant(3, 5);
    let remainder = t.pool.binary(BinOp::URem, low, five);
    let wide = t.pool.zext(remainder, 32);
    let last = t.compare(CmpOp::Eq, wide, 4);
    assert_eq!(t.condition(last), "(x & 0x7) % 5 == 4");
    let byte = t.pool.extract(x, 7, 0);
    let most = t.constant(8, 253);
    let quotient = t.pool.binary(BinOp::UDiv, byte, most);
    assert_eq!(Printer::new(&t.pool).value(quotient), "(unsigned char)x / 253");
}

#[test]
fn floats_are_printed_as_floats() {
    let mut t = Terms::new();
    let x = t.pool.symbol("atof(argv[1])", 64);
    let half = t.pool.constant(64, 0.5f64.to_bits());
    let less = t.pool.fp(FpOp::FLt, &[x, half]);
    let not_less = t.pool.not(less);
    assert_eq!(t.condition(less), "atof(argv[1]) < 0.5");
    assert_eq!(t.condition(not_less), "!(atof(argv[1]) < 0.5)");
}

#[test]
fn text_stays_bounded_for_shared_terms() {
    let mut t = Terms::new();
    let mut x = t.int("x");
    for i in 0..200 {
        let c = t.compare(CmpOp::Slt, x, i);
        let y = t.pool.binary(BinOp::Mul, x, x);
        x = t.pool.ite(c, x, y);
    }
    assert!(Printer::new(&t.pool).value(x).len() < 100_000);
}

#[test]
fn a_signed_comparison_with_a_mask_stays_signed() {
    // Once read as unsigned: a hexadecimal mask with its highest bit set has an unsigned type in C.
    let mut t = Terms::new();
    let (n, m) = (t.pool.symbol("n", 32), t.pool.symbol("m", 32));
    let mask = t.pool.constant(32, 0xffff_fffc);
    let masked = t.pool.binary(BinOp::Or, m, mask);
    let below = t.pool.cmp(CmpOp::Slt, n, masked);
    assert_eq!(t.condition(below), "n < (int)(m | 0xfffffffc)");
}

#[test]
fn large_numbers_are_hexadecimal_and_keep_their_sign() {
    let mut t = Terms::new();
    let n = t.pool.symbol("n", 64);
    let mut not = |bits: i64| {
        let number = t.constant(64, bits);
        let other = t.pool.ne(n, number);
        t.condition(other)
    };
    assert_eq!(not(1 << 40), "n != 0x10000000000");
    assert_eq!(not(-0x1_0001_0000), "n != -0x100010000");
    assert_eq!(not(-7), "n != -7");
}

#[test]
fn a_range_that_is_one_unsigned_comparison_is_two_bounds() {
    // What compilers make of `1 <= n && n < 10`, `'0' <= c && c <= '9'`, and of an index that is in bounds.
    let mut t = Terms::new();
    let n = t.int("n");
    let minus_one = t.constant(32, -1);
    let moved = t.pool.binary(BinOp::Add, n, minus_one);
    let within = t.compare(CmpOp::Ult, moved, 9);
    let outside = t.pool.not(within);
    assert_eq!(t.condition(within), "n > 0 && n < 10");
    assert_eq!(t.condition(outside), "n <= 0 || n >= 10");
    let index = t.pool.sext(n, 64);
    let eight = t.constant(64, 8);
    let bytes = t.pool.binary(BinOp::Mul, index, eight);
    let inside = t.compare(CmpOp::Ule, bytes, 120);
    assert_eq!(t.condition(inside), "n >= 0 && n < 16");
    let byte = t.byte(0);
    let minus_zero = t.constant(8, -48);
    let moved = t.pool.binary(BinOp::Add, byte, minus_zero);
    let digit = t.compare(CmpOp::Ult, moved, 10);
    assert_eq!(t.condition(digit), "argv[1][0] >= '0' && argv[1][0] <= '9'");
}

#[test]
fn conjuncts_are_told_once_each() {
    let mut t = Terms::new();
    let (x, y) = (t.int("x"), t.int("y"));
    let (a, b) = (t.compare(CmpOp::Eq, x, 1), t.compare(CmpOp::Slt, y, 5));
    let either = t.pool.binary(BinOp::Or, a, b);
    let printer = Printer::new(&t.pool);
    assert_eq!(printer.conjuncts(&[a, b, a]), ["x == 1", "y < 5"]);
    assert!(printer.conjuncts(&[]).is_empty());
    assert!(printer.conjuncts(&[either, a])[0].starts_with('('), "{:?}", printer.conjuncts(&[either, a]));
    assert!(!printer.conjuncts(&[either])[0].starts_with('('));
}

#[test]
fn halves_of_numbers_are_what_the_c_library_makes_of_them() {
    let mut t = Terms::new();
    for (name, expected) in [
        ("strtol(argv[1])", "atoi(argv[1]) > 0"),
        ("strtol(argv[1], NULL, 10)", "atoi(argv[1]) > 0"),
        ("strtol(word(line, 2), NULL, 10)@0", "atoi(word(line, 2))@0 > 0"),
        ("strtol(argv[1], NULL, 0)", "(int)strtol(argv[1], NULL, 0) > 0"),
        ("strtol(argv[1], &end, 10)", "(int)strtol(argv[1], &end, 10) > 0"),
    ] {
        let long = t.pool.symbol(name, 64);
        let half = t.pool.extract(long, 31, 0);
        let zero = t.constant(32, 0);
        let positive = t.pool.cmp(CmpOp::Slt, zero, half);
        assert_eq!(t.condition(positive), expected);
    }
}
