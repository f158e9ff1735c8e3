//! Pointers on their way through integers.

use crate::common::Solved;
use crate::rules::check::{program, returned, returned_with};

#[test]
fn they_are_stored_as_one_and_loaded_as_the_other() {
    let body = "    %i: i64 = bitcast @a\n    store [@p], %i\n    %x: ptr = load [@p]\n    return %x";
    assert_eq!(returned(body), "a+0");
    let body =
        "    store [@p], @a\n    %i: i64 = load [@p]\n    %j = add %i, 8\n    %x: ptr = bitcast %j\n    return %x";
    assert_eq!(returned(body), "a+8");
    let body = "    %d: f64 = bitcast @a\n    store [@p], %d\n    %x: ptr = load [@p]\n    return %x";
    assert_eq!(returned(body), "a+0", "even as a float, where it is only copied");
}

#[test]
fn a_tag_is_set_and_taken_off() {
    let body = "    %i: i64 = bitcast @a
    %tagged = or %i, 3
    store [@p], %tagged
    %j: i64 = load [@p]
    %clear = and %j, -4
    %x: ptr = bitcast %clear
    return %x";
    assert_eq!(returned(body), "a+0");
}

#[test]
fn two_pointers_in_one_word_are_both() {
    let body = "    %a: i64 = bitcast @a
    %b: i64 = bitcast @b
    %both = xor %a, %b
    store [@p], %both
    %loaded: i64 = load [@p]
    %other = xor %loaded, %a
    %x: ptr = bitcast %other
    return %x";
    assert_eq!(returned(body), "a+* b+*");
}

#[test]
fn a_pointer_may_be_an_index() {
    let null = "    %i: i64 = bitcast @a\n    %x: ptr = address null + %i*1\n    return %x";
    assert_eq!(returned(null), "a+*");
    let loaded = "    store [@p], @a\n    %i: i64 = load [@p]\n    %x: ptr = address null + %i*1\n    return %x";
    assert_eq!(returned(loaded), "a+*");
    let base = "    %i: i64 = bitcast @a\n    %x: ptr = address %envp + %i*1\n    return %x";
    assert_eq!(returned(base), "a+* environ+*");
    let scaled = "    %i: i64 = bitcast @a\n    %x: ptr = address @b + %i*8\n    return %x";
    assert_eq!(returned(scaled), "b+0+8k", "no multiple of one");
    let number = "    store [@p], @a\n    %i: i64 = load [@p]\n    %x: ptr = address @b + %i*1\n    return %x";
    assert_eq!(returned(number), "b+*", "a number where nothing says that it is a pointer");
}

#[test]
fn halves_are_stored_side_by_side() {
    let body = "    %i: i64 = bitcast @a
    %low: i32 = trunc %i
    %shifted = lshr %i, 32
    %high: i32 = trunc %shifted
    %second = address @p + 4
    store [@p], %low
    store [%second], %high
    %x: ptr = load [@p]
    return %x";
    assert_eq!(returned(body), "a+*");
}

/// What is known of a pointer made of narrow numbers apart from where the pointers lead that were taken apart.
const ELSEWHERE: &str = "outside+*";

/// Puts a pointer together from two halves.
const TOGETHER: &str = "    %wide: i64 = EXTEND %high
    %top = shl %wide, 32
    %bottom: i64 = zext %low
    %word = or %top, %bottom
    %x: ptr = bitcast %word
    return %x";

#[test]
fn halves_are_loaded_and_put_together() {
    for extend in ["zext", "sext"] {
        let body = "    store [@p], @a\n    %second = address @p + 4\n    %low: i32 = load [@p]\n    %high: i32 = load [%second]\n";
        assert_eq!(
            returned(&format!("{body}{}", TOGETHER.replace("EXTEND", extend))),
            format!("a+* {ELSEWHERE}"),
            "{extend}"
        );
    }
}

#[test]
fn halves_are_handed_over_and_put_together() {
    let f = format!("function @f(%low: i32, %high: i32) -> ptr {{\nentry:\n{}\n}}", TOGETHER.replace("EXTEND", "zext"));
    let body = "    %i: i64 = bitcast @a
    %low: i32 = trunc %i
    %shifted = lshr %i, 32
    %high: i32 = trunc %shifted
    %x: ptr = call @f(%low, %high)
    return %x";
    assert_eq!(returned_with(body, &f), format!("a+* {ELSEWHERE}"));
    let none = "    %j: i64 = bitcast @b\n    store [@p], %j\n    %x: ptr = call @f(1, 2)\n    return %x";
    assert_eq!(returned_with(none, &f), ELSEWHERE, "a pointer that no part was taken of");
}

#[test]
fn what_a_model_cuts_off_is_no_part_of_a_pointer() {
    let together = TOGETHER.replace("EXTEND", "zext");
    let cut = "    %i: i64 = bitcast %x\n    %low: i32 = trunc %i\n    store [@q], %low\n    return";
    let rest = |origin: &str| {
        format!(
            "function @f(%low: i32, %high: i32) -> ptr {{\nentry:\n{together}\n}}
function @cut(%x: ptr){origin} {{\nentry:\n{cut}\n}}"
        )
    };
    let body = "    call @cut(@a)\n    %x: ptr = call @f(1, 2)\n    return %x";
    assert_eq!(returned_with(body, &rest("")), format!("a+* {ELSEWHERE}"));
    assert_eq!(returned_with(body, &rest(" model")), ELSEWHERE);
    let body = "    call @cut(@a)\n    %x: ptr = load [@q]\n    return %x";
    assert_eq!([returned_with(body, &rest("")), returned_with(body, &rest(" model"))], ["a+*", ""]);
}

#[test]
fn the_lower_half_alone_is_no_pointer_that_is_known() {
    let body = "    store [@p], @a\n    %low: i32 = load [@p]\n    %wide: i64 = zext %low\n    %x: ptr = bitcast %wide\n    return %x";
    assert_eq!(returned(body), ELSEWHERE);
}

#[test]
fn numbers_of_a_byte_and_of_later_blocks_make_pointers_too() {
    let byte = "    %low: i8 = load [@p]\n    %wide: i64 = zext %low\n    %x: ptr = bitcast %wide\n    return %x";
    assert_eq!(returned(byte), ELSEWHERE);
    let body = "    jump first
last:
    %x: ptr = bitcast %word
    return %x
second:
    %word = shl %wide, 32
    jump last
first:
    %low: i32 = load [@p]
    %wide: i64 = zext %low
    jump second";
    assert_eq!(returned(body), ELSEWHERE);
}

#[test]
fn a_part_of_a_word_is_followed_where_it_is_stored() {
    let body = "    %i: i64 = bitcast @a\n    %low: i32 = trunc %i\n    %lower: i16 = trunc %low\n    store [@p], %lower\n    return null";
    assert_eq!(Solved::new(&program(body, "")).contents("p"), "a+*");
}

#[test]
fn a_part_of_a_part_is_not_put_together_elsewhere() {
    let f = format!("function @f(%low: i32, %high: i32) -> ptr {{\nentry:\n{}\n}}", TOGETHER.replace("EXTEND", "zext"));
    let body = "    store [@p], @a
    %low: i32 = load [@p]
    %lower: i16 = trunc %low
    store [@q], %lower
    %x: ptr = call @f(1, 2)
    return %x";
    let solved = Solved::new(&program(body, &f));
    assert_eq!([solved.returned("main"), solved.contents("q")], [ELSEWHERE, "a+*"]);
}

#[test]
fn conversions_to_numbers_of_another_kind_carry_none() {
    let body = "    %i: i64 = bitcast @a\n    %d: f64 = uitofp %i\n    %j: i64 = fptoui %d\n    %x: ptr = bitcast %j\n    return %x";
    assert_eq!(returned(body), "");
}

#[test]
fn a_pointer_is_rounded_by_a_quotient() {
    for (op, by, expected) in [("udiv", 8, "a+*"), ("sdiv", 16, "a+*"), ("udiv", 24, "")] {
        let body = format!(
            "    %i: i64 = bitcast @a\n    %up = add %i, 7\n    %d = {op} %up, {by}\n    %m = mul %d, {by}\n    %x: ptr = bitcast %m\n    return %x"
        );
        assert_eq!(returned(&body), expected, "{op} {by}");
    }
}
