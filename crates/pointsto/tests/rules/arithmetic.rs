//! What arithmetic does to the offset of a pointer.

use crate::rules::check::{returned, returned_with};

/// What an integer that is computed like this points to; `%a` and `%b` are addresses, `%n` a number.
fn integer(op: &str) -> String {
    let before = "    %a: i64 = bitcast @a\n    %b: i64 = bitcast @b\n";
    returned(&format!("{before}    %x: i64 = {op}\n    %y: ptr = bitcast %x\n    return %y"))
}

fn address(sum: &str) -> String {
    returned(&format!("    %x = address {sum}\n    return %x"))
}

#[test]
fn constant_distances_are_added() {
    assert_eq!(address("@a + 8"), "a+8");
    assert_eq!(address("@a + 8 - 12"), "a-4");
    assert_eq!(address("@a"), "a+0");
    assert_eq!(returned("    %x = address @a + 8\n    %y = address %x + 8\n    return %y"), "a+16");
    assert_eq!(integer("add %a, 24"), "a+24");
    assert_eq!(integer("add 24, %a"), "a+24");
    assert_eq!(integer("sub %a, 8"), "a-8");
}

#[test]
fn a_difference_carries_no_pointer_of_its_second_operand() {
    assert_eq!(integer("sub %a, %b"), "", "a distance");
    assert_eq!(integer("sub 8, %a"), "");
    assert_eq!(integer("sub %a, %n"), "a+*");
    // What was loaded may be a distance itself.
    let body = "    %i: i64 = bitcast @a
    %d: i64 = load [@p]
    %x = sub %i, %d
    %y: ptr = bitcast %x
    store [@p], @b
    return %y";
    assert_eq!(returned(body), "a+*");
}

#[test]
fn sums_and_bits_of_two_operands_may_be_of_either() {
    for op in ["add", "and", "or", "xor", "uadd_sat", "sadd_sat"] {
        assert_eq!(integer(&format!("{op} %a, %b")), "a+* b+*", "{op}");
        assert_eq!(integer(&format!("{op} %a, %n")), "a+*", "{op}");
        assert_eq!(integer(&format!("{op} %n, %a")), "a+*", "{op}");
    }
}

#[test]
fn what_is_shifted_or_taken_from_is_the_first_operand() {
    for op in ["shl", "lshr", "ashr", "usub_sat", "ssub_sat"] {
        assert_eq!(integer(&format!("{op} %a, %b")), "a+*", "{op}");
        assert_eq!(integer(&format!("{op} %a, 8")), "a+*", "{op}");
    }
    for op in ["fshl", "fshr"] {
        assert_eq!(integer(&format!("{op} %a, %b, %n")), "a+* b+*", "{op}");
        assert_eq!(integer(&format!("{op} %n, %n, %a")), "", "{op}: the distance");
    }
}

#[test]
fn constants_that_are_xored_or_added_with_saturation_lead_anywhere() {
    for op in ["xor", "uadd_sat", "sadd_sat"] {
        assert_eq!(integer(&format!("{op} %a, 8")), "a+*", "{op}");
    }
}

#[test]
fn rounding_down_keeps_an_offset_where_the_alignment_allows_it() {
    assert_eq!(integer("and %a, -8"), "a+0");
    assert_eq!(integer("and -8, %a"), "a+0");
    assert_eq!(integer("and %a, -16"), "a+0");
    assert_eq!(integer("and %a, -32"), "a+*", "aligned to 16 only");
    assert_eq!(integer("and %a, -12"), "a+*", "no power of two");
    assert_eq!(integer("and %a, 8"), "a+*", "takes bits");
    assert_eq!(integer("and %a, 0x8000000000000000"), "a+*", "the least integer");
    let body = |offset: &str| {
        format!(
            "    %x = address @a + {offset}\n    %i: i64 = bitcast %x\n    %j = and %i, -8\n    %y: ptr = bitcast %j\n    return %y"
        )
    };
    assert_eq!(returned(&body("13")), "a+8");
    assert_eq!(returned(&body("%n*8")), "a+*");
}

#[test]
fn setting_bits_keeps_an_offset_below_the_alignment() {
    assert_eq!(integer("or %a, 1"), "a+1");
    assert_eq!(integer("or 1, %a"), "a+1");
    assert_eq!(integer("or %a, 15"), "a+15");
    assert_eq!(integer("or %a, 16"), "a+*", "may be set already");
    assert_eq!(integer("or %a, -1"), "a+*");
    let body = |offset: &str| {
        format!(
            "    %x = address @a + {offset}\n    %i: i64 = bitcast %x\n    %j = or %i, 2\n    %y: ptr = bitcast %j\n    return %y"
        )
    };
    assert_eq!(returned(&body("9")), "a+11");
    assert_eq!(returned(&body("%n*8")), "a+*");
}

#[test]
fn the_alignment_is_that_of_the_object() {
    let tagged = |pointer: &str, rest: &str| {
        let body =
            format!("    %i: i64 = bitcast {pointer}\n    %j = or %i, 7\n    %y: ptr = bitcast %j\n    return %y");
        returned_with(&body, rest)
    };
    assert_eq!(tagged("@odd", "global @odd size 16 align 1"), "odd+*");
    assert_eq!(tagged("@even", "global @even size 16 align 8"), "even+7");
    let local = "    %x \"x\" = alloca 16 align 8\n    %i: i64 = bitcast %x\n    %j = or %i, 7\n    %y: ptr = bitcast %j\n    return %y";
    assert_eq!(returned(local), "x@main+7");
    let heap = "    %x: ptr = call __ics_malloc(16:i64, 0:i32)\n    %i: i64 = bitcast %x\n    %j = or %i, 15\n    %y: ptr = bitcast %j\n    return %y";
    assert_eq!(returned(heap), "heap@main+15");
}

#[test]
fn offsets_outside_of_an_object_are_kept() {
    assert_eq!(address("@a + 1048576"), "a+1048576");
    assert_eq!(address("@a - 65536"), "a-65536");
    let unknown = "    %x \"x\" = alloca 8 x %n\n    %y = address %x + 4096\n    return %y";
    assert_eq!(returned(unknown), "x@main+4096", "it may be that large");
}

#[test]
fn moved_functions_are_one_object() {
    assert_eq!(address("@main + 8"), "moved functions+8");
    assert_eq!(returned("    %x = address @main + %n*8\n    return %x"), "moved functions+0+8k");
    let tagged =
        "    %i: i64 = bitcast @main\n    %j = or %i, 1\n    %k = and %j, -2\n    %x: ptr = bitcast %k\n    return %x";
    assert_eq!(returned(tagged), "&main");
    assert_eq!(returned(&tagged.replace("bitcast %k", "bitcast %j")), "&main", "tagged, it stays what it is");
    let walk = "    jump head(@main)
head(%x: ptr):
    %y = address %x + 12
    branch %yes, head(%y), done
done:
    return %x";
    assert_eq!(returned(walk), "&main moved functions+0+12k");
}

#[test]
fn equal_moves_of_a_pointer_are_one_and_others_are_not() {
    let body = "    %x = address @a + 8
    %y = address @a + 8
    %z = address @a + 16
    %w = select %yes, %x, %y
    store [@p], %z
    return %w";
    assert_eq!(returned(body), "a+8");
}

#[test]
fn a_sum_of_two_pointers_is_neither_of_them_moved() {
    let body = "    %i: i64 = bitcast @a
    %j: i64 = bitcast @b
    %sum = add %i, %j
    store [@p], %sum
    %x = xor %i, 8
    %y: ptr = bitcast %x
    return %y";
    assert_eq!(returned(body), "a+*");
}
