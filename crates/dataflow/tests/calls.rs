//! Function summaries: what a call that has returned makes known, and what it takes.

use crate::common::{At, definitions, main_with, places, places_of_main};

/// The definitions at mark 1 of a `main` with this body.
fn of_main(body: &str, rest: &str) -> Vec<String> {
    definitions(&main_with(body, rest), &[At::Mark(1)])
}

#[test]
fn a_call_defines_what_its_callee_stores() {
    let rest = "function @set(%x: i32) {\nentry:\n    store [@a], %x\n    return\n}";
    assert_eq!(places_of_main("    call @set(%argc)", rest), ["[a+0:4] = v0#0"]);
    assert_eq!(places_of_main("    call @set(7)", rest), ["[a+0:4] = 7"]);
}

#[test]
fn a_call_kills_what_its_callee_may_store() {
    let rest = "function @may(%x: i32) {
entry:
    %c = icmp.sgt %x, 3
    branch %c, yes, no
yes:
    store [@a], %x
    jump no
no:
    return
}";
    let body = "    store [@a], 5:i32\n    store [@b], 6:i32\n    call @may(%argc)";
    assert_eq!(places_of_main(body, rest), ["[b+0:4] = 6"]);
}

#[test]
fn what_is_stored_through_a_parameter_is_at_the_argument() {
    let rest = "function @set(%p: ptr, %x: i32) {
entry:
    %q = address %p + 4
    %y = add %x, 1
    store [%q], %y
    return
}";
    let body = "    %u = address @a + 4\n    call @set(%u, 7)";
    assert_eq!(of_main(body, rest), ["v2#0 = &a+4", "[a+8:4] = 8"]);
    assert_eq!(of_main("    call @set(%argv, 8)", rest), ["[v1#0+4:4] = 9"]);
}

#[test]
fn parameters_that_may_be_one_pointer_kill_each_other() {
    let rest = "function @two(%p: ptr, %q: ptr) {
entry:
    store [%p], 1:i32
    store [%q], 2:i32
    return
}";
    let body = "    %l: ptr = alloca 4 align 4\n    call @two(%l, %l)\n    call @two(@a, @b)";
    let found = places_of_main(body, rest);
    assert!(!found.contains(&"[v2#0+0:4] = 1".to_owned()), "{found:?}");
    assert!(found.contains(&"[b+0:4] = 2".to_owned()), "{found:?}");
}

#[test]
fn a_result_is_what_the_callee_returns() {
    let rest = "function @next(%x: i32) -> i32 {\nentry:\n    %y = add %x, 1\n    return %y\n}";
    let body = "    %x: i32 = call @next(%argc)\n    %y: i32 = call @next(%x)\n    %z: i32 = call @next(1)";
    assert_eq!(of_main(body, rest), ["v2#0 = v0#0+1", "v3#0 = v0#0+2", "v4#0 = 2"]);
}

#[test]
fn a_result_that_differs_is_a_symbol() {
    let rest = "function @pick(%x: i32) -> i32 {
entry:
    %c = icmp.sgt %x, 3
    branch %c, yes, no
yes:
    return 1
no:
    return 2
}";
    assert_eq!(of_main("    %x: i32 = call @pick(%argc)", rest), Vec::<String>::new());
}

#[test]
fn what_is_in_registers_of_the_callee_is_gone() {
    let rest = "function @set() {\nentry:\n    %x: i32 = load volatile [@b]\n    store [@a], %x\n    return\n}";
    assert_eq!(of_main("    call @set()", rest), Vec::<String>::new());
}

#[test]
fn a_returned_register_is_the_result() {
    let rest = "function @make(%n: i32) -> ptr {
entry:
    %q: ptr = call __ics_malloc(16:i64, 0:i32)
    store [%q], %n
    store [@p], %q
    return %q
}";
    let body = "    %x: ptr = call @make(3)\n    %y: i32 = load [%x]";
    assert_eq!(of_main(body, rest), ["v3#0 = 3", "[p+0:8] = v2#0", "[v2#0+0:4] = 3"]);
}

#[test]
fn a_local_that_is_returned_is_gone() {
    let rest = "function @bad() -> ptr {
entry:
    %q: ptr = alloca 4 align 4
    store [%q], 3:i32
    return %q
}";
    let body = "    %x: ptr = call @bad()\n    %m: i32 = add 12345, 2\n    store [%x], 4:i32";
    assert_eq!(definitions(&main_with(body, rest), &[At::Mark(2)]), Vec::<String>::new());
}

#[test]
fn a_getter_returns_what_the_caller_knows() {
    let rest = "function @get(%p: ptr) -> i32 {\nentry:\n    %x: i32 = load [%p]\n    return %x\n}";
    let body = "    store [@a], 7:i32\n    %x: i32 = call @get(@a)\n    %y: i32 = call @get(@b)";
    assert_eq!(of_main(body, rest), ["v2#0 = 7", "[a+0:4] = 7", "[b+0:4] = v3#0"]);
}

#[test]
fn a_getter_that_writes_does_not() {
    let rest = "function @pop(%p: ptr) -> i32 {
entry:
    %x: i32 = load [%p]
    %y = add %x, 1
    store [%p], %y
    return %x
}";
    let body = "    store [@a], 7:i32\n    %x: i32 = call @pop(@a)";
    assert_eq!(of_main(body, rest), ["[a+0:4] = v2#0+1"]);
}

#[test]
fn summaries_of_summaries() {
    let rest = "function @outer(%p: ptr, %x: i32) {
entry:
    %q = address %p + 4
    call @inner(%q, %x)
    return
}
function @inner(%p: ptr, %x: i32) {
entry:
    %q = address %p + 4
    %y = add %x, 1
    store [%q], %y
    return
}";
    assert_eq!(places_of_main("    call @outer(@a, 5)", rest), ["[a+8:4] = 6"]);
}

#[test]
fn all_targets_of_a_call_count() {
    let rest = "function @f() {\nentry:\n    store [@a], 1:i32\n    store [@b], 3:i32\n    return\n}
function @g() {\nentry:\n    store [@a], 2:i32\n    store [@b], 3:i32\n    return\n}";
    let body = "    %c = icmp.sgt %argc, 1\n    %t: ptr = select %c, @f, @g\n    store [@p], 9:i32\n    call *%t()";
    assert_eq!(places_of_main(body, rest), ["[b+0:4] = 3", "[p+0:4] = 9"]);
}

#[test]
fn functions_that_are_not_known_may_change_what_they_can_reach() {
    let rest = "declare @unknown(%x: ptr)";
    let body = "    store [@a], 5:i32\n    store [@b], 6:i32\n    call @unknown(@a)";
    let found = places_of_main(body, rest);
    assert!(!found.contains(&"[a+0:4] = 5".to_owned()), "{found:?}");
}

#[test]
fn a_call_that_does_not_return_says_nothing() {
    let rest = "function @die() {\nentry:\n    call __ics_abort()\n    unreachable\n}";
    let body = "    %c = icmp.sgt %argc, 1\n    store [@a], 1:i32\n    branch %c, yes, no\nyes:\n    store [@a], 2:i32
    call @die()\n    jump no\nno:";
    assert_eq!(places_of_main(body, rest), ["[a+0:4] = 1"]);
}

#[test]
fn recursion_is_solved_until_it_holds() {
    let rest = "function @down(%n: i32) {
entry:
    store [@a], 1:i32
    %c = icmp.sgt %n, 0
    branch %c, more, end
more:
    %m = sub %n, 1
    call @down(%m)
    store [@b], %n
    jump end
end:
    return
}";
    // The first round sees only the way without a call: `b` is not stored, `a` is 1.
    assert_eq!(places_of_main("    store [@b], 5:i32\n    call @down(%argc)", rest), ["[a+0:4] = 1"]);
    let rest = "function @even(%n: i32) -> i32 {
entry:
    %c = icmp.sgt %n, 0
    branch %c, more, end
more:
    %m = sub %n, 1
    %x: i32 = call @odd(%m)
    return %x
end:
    return 1
}
function @odd(%n: i32) -> i32 {
entry:
    %c = icmp.sgt %n, 0
    branch %c, more, end
more:
    %m = sub %n, 1
    %x: i32 = call @even(%m)
    return %x
end:
    return 0
}";
    assert_eq!(of_main("    %x: i32 = call @even(%argc)", rest), Vec::<String>::new());
    let rest = rest.replace("return 0", "return 1");
    assert_eq!(of_main("    %x: i32 = call @even(%argc)", &rest), ["v2#0 = 1"]);
}

#[test]
fn locals_of_a_recursive_caller_are_killed_by_inner_activations() {
    let rest = "function @f(%n: i32, %up: ptr) {
entry:
    %l: ptr = alloca 4 align 4
    store [%l], 1:i32
    store [%up], 2:i32
    %c = icmp.sgt %n, 0
    branch %c, more, end
more:
    %m = sub %n, 1
    call @f(%m, %l)
    %mark: i32 = add 12345, 2
    jump end
end:
    return
}";
    let found = definitions(&main_with("    call @f(%argc, @a)", rest), &[At::Call("main", "f"), At::Mark(2)]);
    assert!(!found.iter().any(|l| l.ends_with("= 1") && l.starts_with('[')), "{found:?}");
}

#[test]
fn control_may_come_back_behind_a_saved_context() {
    let rest = "function @save(%buf: ptr) -> i32 {\nentry:\n    call __ics_save_context(%buf)\n    return 0\n}";
    let body = "    %buf: ptr = alloca 24 align 8
    store [@a], 1:i32
    %x: i32 = call @save(%buf)
    %m: i32 = add 12345, 2
    store [@b], 2:i32";
    let text = main_with(body, rest);
    assert_eq!(definitions(&text, &[At::Mark(2)]), Vec::<String>::new());
    assert_eq!(definitions(&text, &[At::Mark(1)]), ["v4#0 = 12347", "[b+0:4] = 2"]);
}

#[test]
fn a_call_that_writes_where_nothing_is_known_of_kills_everything() {
    let rest = "function @wild() {\nentry:\n    %q: ptr = load [@p]\n    store [%q], 6:i32\n    return\n}
function @outer() {\nentry:\n    call @wild()\n    return\n}";
    assert_eq!(places_of_main("    store [@a], 5:i32\n    call @outer()", rest), Vec::<String>::new());
    let body = "    store [@a], 5:i32\n    %q: ptr = load volatile [@p]\n    call *%q()";
    assert_eq!(places_of_main(body, ""), Vec::<String>::new());
}

/// Divides what it loads, stores results through parameters, as a slice of an array is computed.
const SLICE: &str = "function @slice(%n: ptr, %id: i32, %first: ptr) {
entry:
    %count: i32 = load [%n]
    %threads: i32 = load [@b]
    %share = sdiv %count, %threads
    %start = mul %share, %id
    store [%first], %start
    return
}";

#[test]
fn what_a_callee_computed_with_has_a_name() {
    let body = "    store volatile [@b], %argc\n    %l: ptr = alloca 4 align 4\n    call @slice(@a, %argc, %l)";
    assert_eq!(
        places_of_main(body, SLICE),
        [
            "[a+0:4] = v3(+2>slice)#0",
            "[b+0:4] = v4(+2>slice)#0",
            "[v2#0+0:4] = Mul(v0#0, SDiv(v3(+2>slice)#0, v4(+2>slice)#0))"
        ]
    );
}

#[test]
fn what_a_callee_loaded_is_what_the_caller_knows() {
    let body = "    store volatile [@b], %argc\n    %l: ptr = alloca 4 align 4\n    %t: i32 = load [@b]\n    call @slice(@a, 3, %l)\n    call @slice(@a, 5, %l)";
    assert_eq!(
        places_of_main(body, SLICE),
        ["[a+0:4] = v3(+3>slice)#0", "[b+0:4] = v3#0", "[v2#0+0:4] = Mul(SDiv(v3(+3>slice)#0, v3#0), 5)"]
    );
}

#[test]
fn names_go_through_calls_inside_one_another() {
    let rest =
        format!("function @outer(%x: i32, %to: ptr) {{\nentry:\n    call @slice(@a, %x, %to)\n    return\n}}\n{SLICE}");
    let body = "    store volatile [@b], %argc\n    %l: ptr = alloca 4 align 4\n    call @outer(7, %l)";
    assert_eq!(
        places_of_main(body, &rest),
        [
            "[a+0:4] = v3(+2>outer+0>slice)#0",
            "[b+0:4] = v4(+2>outer+0>slice)#0",
            "[v2#0+0:4] = Mul(SDiv(v3(+2>outer+0>slice)#0, v4(+2>outer+0>slice)#0), 7)"
        ]
    );
}

#[test]
fn a_call_that_is_executed_again_makes_another_activation() {
    let text = main_with(
        "    store volatile [@b], %argc
    %l: ptr = alloca 4 align 4
    jump loop(0:i32)
loop(%i: i32):
    %h2: i32 = add 12345, 2
    call @slice(@a, %i, %l)
    %next = add %i, 1
    %c = icmp.slt %next, %argc
    branch %c, loop(%next), out
out:",
        SLICE,
    );
    // Also because the next iteration's `i` is another one.
    assert_eq!(places(&text, &[At::Mark(2)]), Vec::<String>::new());
    assert_eq!(
        places(&text, &[At::Mark(1)]),
        [
            "[a+0:4] = v3(+4>slice)#0",
            "[b+0:4] = v4(+4>slice)#0",
            "[v2#0+0:4] = Mul(SDiv(v3(+4>slice)#0, v4(+4>slice)#0), v3#0)"
        ]
    );
}

#[test]
fn names_of_a_call_that_may_run_several_functions_are_gone() {
    let rest = format!("{SLICE}\n{}", SLICE.replace("@slice", "@other").replace("mul %share", "add %share"));
    let body = "    store volatile [@b], %argc
    %l: ptr = alloca 4 align 4
    %c = icmp.sgt %argc, 3
    %f: ptr = select %c, @slice, @other
    call *%f(@a, %argc, %l)";
    assert_eq!(places_of_main(body, &rest), Vec::<String>::new());
}
