//! Constants, and what hands a pointer on as it is.

use crate::rules::check::{returned, returned_with};

#[test]
fn constants_point_to_what_they_name() {
    assert_eq!(returned("    return @a"), "a+0");
    assert_eq!(returned("    return @a + 8"), "a+8");
    assert_eq!(returned("    return @main"), "&main");
}

#[test]
fn numbers_blocks_and_undefined_values_point_nowhere() {
    assert_eq!(returned("    return null"), "");
    assert_eq!(returned("    return undef"), "");
    assert_eq!(returned("    jump b1\nb1:\n    return @main:b1"), "");
}

#[test]
fn freezing_and_casting_hand_on() {
    assert_eq!(returned("    %x = freeze @a\n    return %x"), "a+0");
    assert_eq!(returned("    %i: i64 = bitcast @a\n    %x: ptr = bitcast %i\n    return %x"), "a+0");
}

#[test]
fn a_choice_is_either() {
    assert_eq!(returned("    %x = select %yes, @a, @b\n    return %x"), "a+0 b+0");
    assert_eq!(returned("    %x: ptr = select %yes, @a, null\n    return %x"), "a+0");
    assert_eq!(returned("    %x: ptr = select %yes, null, @a\n    return %x"), "a+0");
}

#[test]
fn the_engines_choice_is_either_and_not_its_condition() {
    let body = "    %a: i64 = bitcast @a
    %b: i64 = bitcast @b
    %c: i64 = bitcast @c
    %x: i64 = call __ics_select(%c, %a, %b)
    %y: ptr = bitcast %x
    return %y";
    assert_eq!(returned(body), "a+0 b+0");
}

#[test]
fn the_least_and_the_greatest_are_either() {
    for op in ["umin", "umax", "smin", "smax"] {
        let body = format!(
            "    %a: i64 = bitcast @a\n    %b: i64 = bitcast @b\n    %x = {op} %a, %b\n    %y: ptr = bitcast %x\n    return %y"
        );
        assert_eq!(returned(&body), "a+0 b+0", "{op}");
    }
}

#[test]
fn edges_pass_arguments_to_their_own_parameters() {
    let body = "    branch %yes, one(@a, @b), two(@c)
one(%x: ptr, %y: ptr):
    jump two(%x)
two(%z: ptr):
    return %z";
    assert_eq!(returned(body), "a+0 c+0");
    let body = "    branch %yes, one(@a), one(@b)\none(%x: ptr):\n    return %x";
    assert_eq!(returned(body), "a+0 b+0");
}

#[test]
fn a_local_is_an_object_per_alloca() {
    let body = "    %x \"x\" = alloca 8 align 8
    %y \"y\" = alloca 8 align 8
    store [%y], @a
    store [%x], %y
    %z: ptr = load [%x]
    return %z";
    assert_eq!(returned(body), "y@main+0");
    let other = "    %z: ptr = call @f(@a)\n    return %z";
    let f = "function @f(%x: ptr) -> ptr {
entry:
    %l \"l\" = alloca 8 align 8
    %other = select true, %l, %x
    return %other
}";
    assert_eq!(returned_with(other, f), "a+0 l@f+0");
}

#[test]
fn a_local_is_as_large_as_its_elements_together() {
    let at = |alloca: &str| {
        returned(&format!(
            "    %x = alloca {alloca}\n    %y = address %x + 8\n    store [%y], @a\n    %z: ptr = load [%y]\n    return %z"
        ))
    };
    assert_eq!(at("16"), "a+0");
    assert_eq!(at("8 x 2"), "a+0");
    assert_eq!(at("8 x %n"), "a+0");
    assert_eq!(at("8"), "", "behind its end");
}

#[test]
fn results_of_other_operations_carry_no_pointer() {
    for op in ["mul %a, %b", "udiv %a, %b", "sdiv %a, %b", "urem %a, %b", "srem %a, %b", "abs %a", "ctpop %a"] {
        let body = format!(
            "    %a: i64 = bitcast @a\n    %b: i64 = bitcast @b\n    %x = {op}\n    %y: ptr = bitcast %x\n    return %y"
        );
        assert_eq!(returned(&body), "", "{op}");
    }
    for (op, expected) in [("ctlz", ""), ("cttz", ""), ("bswap", "a+*"), ("bitreverse", "a+*")] {
        let body = format!("    %a: i64 = bitcast @a\n    %x = {op} %a\n    %y: ptr = bitcast %x\n    return %y");
        assert_eq!(returned(&body), expected, "{op}");
    }
    for op in ["icmp.eq @a, @b", "uadd_overflows %a, %b"] {
        let body = format!(
            "    %a: i64 = bitcast @a\n    %b: i64 = bitcast @b\n    %x = {op}\n    %w: i64 = zext %x\n    %y: ptr = bitcast %w\n    return %y"
        );
        assert_eq!(returned(&body), "", "{op}");
    }
    for op in ["fneg %d", "fadd %d, %d", "fabs %d"] {
        let body = format!(
            "    %d: f64 = bitcast @a\n    %x = {op}\n    %w: i64 = bitcast %x\n    %y: ptr = bitcast %w\n    return %y"
        );
        assert_eq!(returned(&body), "", "{op}");
    }
}

#[test]
fn fences_traps_and_fills_of_memory_change_no_pointer() {
    let body = "    store [@p], @a
    fence seq_cst
    memset [@p], 0:i8, 8
    call __ics_memset(@p, 0:i32, 8:i64)
    %x: ptr = load [@p]
    branch %yes, end, dead
end:
    return %x
dead:
    trap
    unreachable";
    assert_eq!(returned(body), "a+0");
}

#[test]
fn a_value_with_many_uses_gets_to_each() {
    let mut body = String::from("    %x: ptr = load [@p]\n");
    for at in 0..40 {
        body += &format!("    %at{at} = address @table + {}\n    store [%at{at}], %x\n", at * 8);
    }
    for at in 0..40 {
        let load = format!("    store [@p], @a\n    %y: ptr = load [%at{at}]\n    return %y");
        assert_eq!(returned_with(&format!("{body}{load}"), "global @table size 320 align 8"), "a+0", "{at}");
    }
}
