//! Loads, stores and atomic operations.

use crate::common::Solved;
use crate::rules::check::{program, returned, returned_with};

/// What is loaded as a pointer from `@p`, the contents of `@c` included, after these lines.
fn loaded(body: &str, from: &str) -> String {
    returned(&format!("{body}\n    %loaded: ptr = load [{from}]\n    return %loaded"))
}

#[test]
fn what_is_stored_is_loaded_from_there() {
    assert_eq!(loaded("    store [@p], @a\n    store [@q], @b", "@p"), "a+0");
    assert_eq!(loaded("    %x = select %yes, @p, @q\n    store [%x], @a", "@q"), "a+0", "either is written");
    assert_eq!(loaded("    store [@p], @a\n    store [@q], @b\n    %x = select %yes, @p, @q", "%x"), "a+0 b+0");
}

#[test]
fn fields_are_told_apart() {
    let body = "    %x = address @c + 8\n    %y = address @c + 16\n    store [@c], @a\n    store [%x], @b";
    assert_eq!(loaded(body, "@c"), "a+0");
    assert_eq!(loaded(body, "%x"), "b+0");
    assert_eq!(loaded(body, "%y"), "");
}

#[test]
fn accesses_that_overlap_by_a_byte_meet() {
    let body = |store: i64, load: i64| {
        let at = format!("    %x = address @c + {store}\n    store [%x], @a\n    %y = address @c + {load}");
        loaded(&at, "%y")
    };
    assert_eq!(body(4, 0), "a+0");
    assert_eq!(body(4, 8), "a+0");
    assert_eq!(body(0, 4), "a+0");
    assert_eq!(body(0, 8), "");
}

#[test]
fn narrow_copies_carry_pieces_of_pointers() {
    for ty in ["i8", "i16", "i32", "f32", "f64", "i64"] {
        let body = format!("    store [@p], @a\n    %t: {ty} = load [@p]\n    store [@q], %t");
        assert_eq!(loaded(&body, "@q"), "a+0", "{ty}");
    }
    let truth = "    store [@p], @a\n    %t: i1 = load [@p]\n    store [@q], %t";
    assert_eq!(loaded(truth, "@q"), "", "one bit of a pointer is none");
}

#[test]
fn narrow_copies_go_through_choices_and_edges() {
    let body = "    store [@p], @a
    %s: i32 = load [@p]
    %t = select %yes, %s, 7:i32
    %u = freeze %t
    jump next(%u)
next(%v: i32):
    store [@q], %v";
    assert_eq!(loaded(body, "@q"), "a+0");
}

#[test]
fn narrow_copies_go_through_casts() {
    let body = "    store [@p], @a\n    %s: f32 = load [@p]\n    %t: i32 = bitcast %s\n    store [@q], %t";
    assert_eq!(loaded(body, "@q"), "a+0");
}

#[test]
fn numbers_computed_from_pieces_are_no_pointers() {
    let body = "    store [@p], @a\n    %t: i32 = load [@p]\n    %u = add %t, 1\n    store [@q], %u";
    assert_eq!(loaded(body, "@q"), "");
}

#[test]
fn accesses_outside_of_an_object_touch_nothing() {
    let at = |offset: i64, width: &str| {
        let body = format!(
            "    %x = address @c + {offset}\n    %i: i64 = bitcast @a\n    %v: {width} = trunc %i\n    store [%x], %v"
        );
        let solved = Solved::new(&program(&format!("{body}\n    return @c"), ""));
        solved.contents("c")
    };
    assert_eq!(at(60, "i32"), "a+*");
    assert_eq!(at(61, "i32"), "", "over the end");
    assert_eq!(at(-1, "i8"), "");
    assert_eq!(at(64, "i8"), "");
    let reading = |offset: i64| {
        let around = "    %x = address @c + 56\n    store [%x], @a\n    store [@c], @b";
        loaded(&format!("{around}\n    %y = address @c + {offset}"), "%y")
    };
    assert_eq!(reading(56), "a+0");
    assert_eq!(reading(57), "");
    assert_eq!(reading(-4), "");
}

#[test]
fn an_object_of_unknown_size_has_no_end() {
    let body = "    %x = address @far + 4096\n    store [%x], @a\n    %y: ptr = load [%x]\n    return %y";
    assert_eq!(
        returned_with(body, "global @far size 0 align 8 external"),
        "a+* far+* outside+*",
        "and what is outside"
    );
    let body = "    %x = address @far - 8\n    store [%x], @a\n    %y: ptr = load [%x]\n    return %y";
    assert_eq!(returned_with(body, "global @far size 0 align 8 external"), "", "but a start");
    let body = "    store [@none], @a\n    %y: ptr = load [@none]\n    return %y";
    assert_eq!(returned_with(body, "global @none size 0 align 8"), "", "one without bytes has");
}

#[test]
fn constants_are_not_written() {
    let table = "global @table size 8 align 8 constant = { 0: @a }";
    assert_eq!(returned_with("    store [@table], @b\n    %x: ptr = load [@table]\n    return %x", table), "a+0");
    let text = "global @text size 8 align 8 constant = \"7654321\\00\"";
    assert_eq!(returned_with("    store [@text], @b\n    %x: ptr = load [@text]\n    return %x", text), "");
    let elsewhere = "global @table size 8 align 8 constant external";
    assert_eq!(
        returned_with("    store [@table], @b\n    %x: ptr = load [@table]\n    return %x", elsewhere),
        "b+* outside+* table+*",
        "of one that is only declared nothing is known"
    );
}

#[test]
fn functions_have_no_contents() {
    let body = "    store [@p], @a\n    store [@main], @a\n    %x: ptr = load [@main]\n    return %x";
    assert_eq!(returned(body), "");
    let byte = "    store [@p], @a
    %byte: i8 = load [@p]
    store [@main], %byte
    %code: i8 = load [@main]
    store [@q], %code";
    assert_eq!(loaded(byte, "@q"), "");
}

#[test]
fn an_access_at_a_stride_meets_what_it_may_touch() {
    let body = |store: &str, load: &str| {
        let lines = format!("    %x = address @c + {store}\n    store [%x], @a\n    %y = address @c + {load}");
        loaded(&lines, "%y")
    };
    assert_eq!(body("%n*16", "16"), "a+0");
    assert_eq!(body("%n*16", "8"), "");
    assert_eq!(body("8 + %n*16", "24"), "a+0");
    assert_eq!(body("24", "8 + %n*16"), "a+0");
    assert_eq!(body("16", "8 + %n*16"), "");
    assert_eq!(body("%n*16", "%n*24"), "a+0", "16 * 3 is 24 * 2");
    assert_eq!(body("%n*16", "8 + %n*16"), "");
    assert_eq!(body("%n*16", "%n*1"), "a+0");
    assert_eq!(body("%n*1", "40"), "a+0");
}

#[test]
fn what_is_written_at_a_stride_is_in_the_object() {
    let body = "    %x = address @c + %n*16\n    store [%x], @a\n    return null";
    assert_eq!(Solved::new(&program(body, "")).contents("c"), "a+0");
}

#[test]
fn reads_at_a_stride_meet_later_writes_and_no_other_reads() {
    let body = "    %read = address @c + %n*16
    %early: ptr = load [%read]
    store [@p], %early
    %write = address @c + %n*32
    store [%write], @a";
    assert_eq!(loaded(body, "@p"), "a+0");
    let body = "    %second = address @c + 8
    store [@c], @a
    store [%second], @b
    %anywhere = address @c + %n*1
    %first = address @c + %n*16
    %any: ptr = load [%anywhere]
    %one: ptr = load [%first]
    store [@p], %one
    store [@q], %any";
    assert_eq!(loaded(body, "@p"), "a+0");
    assert_eq!(loaded(body, "@q"), "a+0 b+0");
}

#[test]
fn wide_and_narrow_accesses_at_one_stride_differ() {
    let stores = ["store [%x], %piece", "store [%x], @a"];
    for [first, second] in [[0, 1], [1, 0]] {
        let body = format!(
            "    %piece: i32 = load [@p]\n    %x = address @c + 4 + %n*16\n    {}\n    {}\n    store [@p], @b\n    %y = address @c + 8",
            stores[first], stores[second]
        );
        assert_eq!(loaded(&body, "%y"), "a+0");
        assert_eq!(loaded(&body, "@c"), "a+0 b+0");
    }
}

#[test]
fn strides_are_counted_in_whole_pointers() {
    let body = |store: &str, load: &str| {
        let lines = format!("    %x = address @c + {store}\n    store [%x], @a\n    %y = address @c + {load}");
        loaded(&lines, "%y")
    };
    assert_eq!(body("4 + %n*16", "8"), "a+0", "reaches into the next one");
    assert_eq!(body("4 + %n*16", "0"), "a+0");
    assert_eq!(body("4 + %n*24", "16"), "", "but not further");
    assert_eq!(body("%n*12", "8"), "a+0", "soon anywhere");
    assert_eq!(body("%n*36", "8"), "a+0", "taken to be anywhere");
    let narrow = "    store [@p], @a
    %v: i32 = load [@p]
    %x = address @c + 4 + %n*16
    store [%x], %v
    %y = address @c + 8";
    assert_eq!(loaded(narrow, "%y"), "", "four bytes do not");
    assert_eq!(loaded(narrow, "@c"), "a+0");
}

#[test]
fn reading_and_writing_everywhere_does_not_mix_fields() {
    let body = "    %x = address @c + 8
    store [@c], @a
    store [%x], @b
    %anywhere = address @c + %n*1
    %byte: i8 = load [%anywhere]
    %other: i8 = load [@number]
    store [%anywhere], %other";
    assert_eq!(loaded(body, "@c"), "a+0");
    assert_eq!(loaded(body, "%x"), "b+0");
    assert_eq!(loaded(body, "%anywhere"), "a+0 b+0");
    let written = format!("{body}\n    store [%anywhere], @p");
    assert_eq!(loaded(&written, "@c"), "a+0 p+0");
    assert_eq!(loaded(&written, "%x"), "b+0 p+0");
}

#[test]
fn an_object_of_a_pointers_size_has_one_field() {
    let body = "    %x = address @p + 4 + %n*16\n    store [%x], @a";
    assert_eq!(loaded(body, "@p"), "a+0");
    let body = "    store [@p], @a\n    %x = address @p + 12 + %n*16";
    assert_eq!(loaded(body, "%x"), "a+0");
}

#[test]
fn an_exchange_gives_the_old_and_stores_the_new_pointer() {
    let body = "    store [@p], @a\n    %old: ptr = rmw xchg seq_cst [@p], @b\n    store [@q], %old";
    assert_eq!(loaded(body, "@p"), "a+0 b+0");
    assert_eq!(loaded(body, "@q"), "a+0 b+0");
}

#[test]
fn atomic_arithmetic_moves_what_is_there_and_what_is_added() {
    for op in ["add", "sub", "and", "nand", "or", "xor"] {
        let body = format!(
            "    %b: i64 = bitcast @b\n    store [@p], @a\n    %old: i64 = rmw {op} seq_cst [@p], %b\n    store [@q], %old"
        );
        assert_eq!(loaded(&body, "@p"), "a+* b+*", "{op}");
        assert_eq!(loaded(&body, "@q"), "a+* b+*", "{op}");
    }
}

#[test]
fn atomic_extremes_store_either() {
    for op in ["max", "min", "umax", "umin"] {
        let body = format!(
            "    %b: i64 = bitcast @b\n    store [@p], @a\n    %old: i64 = rmw {op} seq_cst [@p], %b\n    store [@q], %old"
        );
        assert_eq!(loaded(&body, "@p"), "a+0 b+0", "{op}");
        assert_eq!(loaded(&body, "@q"), "a+0 b+0", "{op}");
    }
}

#[test]
fn atomic_sums_of_floats_store_no_pointer() {
    for op in ["fadd", "fsub"] {
        let body = format!(
            "    %d: f64 = bitcast @b\n    store [@p], @a\n    %old: f64 = rmw {op} seq_cst [@p], %d\n    store [@q], %old"
        );
        assert_eq!(loaded(&body, "@p"), "a+0", "{op}");
        assert_eq!(loaded(&body, "@q"), "a+0", "{op}: the old value");
    }
}

#[test]
fn a_compared_exchange_gives_the_old_and_stores_the_new_pointer_only() {
    let body = "    store [@p], @a\n    %old: ptr = cmpxchg seq_cst seq_cst [@p], @c, @b\n    store [@q], %old";
    assert_eq!(loaded(body, "@p"), "a+0 b+0");
    assert_eq!(loaded(body, "@q"), "a+0 b+0");
    let computed = "    %at = address @c + 8\n    %new = address @b + 8\n    %old: ptr = cmpxchg seq_cst seq_cst [%at], null, %new";
    assert_eq!(loaded(&format!("{computed}\n    %field = address @c + 8"), "%field"), "b+8");
}

#[test]
fn volatile_and_atomic_accesses_are_accesses() {
    let body = "    store volatile [@p], @a\n    %x: ptr = load acquire [@p]\n    store release [@q], %x";
    assert_eq!(loaded(body, "@q"), "a+0");
}

#[test]
fn equal_loads_are_one_and_others_are_not() {
    let body = "    %x = address @c + 8
    store [@c], @a
    store [%x], @b
    %one: ptr = load [@c]
    %two: ptr = load [@c]
    %other: ptr = load [%x]
    store [@q], %other
    %both = select %yes, %one, %two
    store [@p], %both";
    assert_eq!(loaded(body, "@p"), "a+0");
    assert_eq!(loaded(body, "@q"), "b+0");
    // Of one byte there is less than of eight.
    let widths = "    store [@c], @a
    %x = address @c + 4
    %y = address @c + 8
    store [%y], @b
    %four: i32 = load [%x]
    store [@p], %four
    %eight: ptr = load [%x]
    store [@q], %eight";
    assert_eq!(loaded(widths, "@p"), "a+0");
    assert_eq!(loaded(widths, "@q"), "a+0 b+0");
}
