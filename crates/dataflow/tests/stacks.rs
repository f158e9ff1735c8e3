//! Frames of a context that have not returned, and what leads to the oldest known one.

use crate::common::{At, definitions, main_with, places, solve};
use icsched_dataflow::Status;

const WORK: &str = "function @work(%p: ptr, %n: i32) {
entry:
    %l: ptr = alloca 4 align 4
    store [%l], %n
    %m: i32 = add 12345, 2
    store [%p], 8:i32
    return
}";

#[test]
fn a_frame_starts_with_what_holds_at_its_call() {
    let body = "    %k = add %argc, 1\n    store [@a], 5:i32\n    call @work(@b, %k)\n    store [@a], 6:i32";
    assert_eq!(
        definitions(&main_with(body, WORK), &[At::Call("main", "work"), At::Mark(2)]),
        ["v2#0 = v0#0+1", "v0#1 = &b", "v1#1 = v0#0+1", "[a+0:4] = 5", "[v2#1+0:4] = v0#0+1"]
    );
}

#[test]
fn calls_that_returned_go_by_summary_and_the_last_one_does_not() {
    // Bergan's example: main calls foo(41), foo(42) and bar(5).
    let rest = "function @foo(%x: i32) {\nentry:\n    store [@a], %x\n    return\n}
function @bar(%x: i32) {\nentry:\n    %m: i32 = add 12345, 2\n    store [@a], %x\n    return\n}";
    let body = "    call @foo(41)\n    call @foo(42)\n    call @bar(5)";
    assert_eq!(
        definitions(&main_with(body, rest), &[At::Call("main", "bar"), At::Mark(2)]),
        ["v0#1 = 5", "[a+0:4] = 42"]
    );
}

#[test]
fn a_callee_kills_facts_about_its_callers_locals() {
    let rest = "function @work(%p: ptr) {
entry:
    store [%p], 8:i32
    %m: i32 = add 12345, 2
    return
}";
    let body = "    %l: ptr = alloca 8 align 8
    %x = address %l + 4
    store [%l], 5:i32
    store [%x], 6:i32
    call @work(%l)";
    assert_eq!(
        places(&main_with(body, rest), &[At::Call("main", "work"), At::Mark(2)]),
        ["[v2#0+0:4] = 8", "[v2#0+4:4] = 6"]
    );
    // Handed over through memory, it is another name, and the callee may write anywhere in it.
    let rest = "function @work() {
entry:
    %p: ptr = load volatile [@p]
    store [%p], 8:i32
    %m: i32 = add 12345, 2
    return
}";
    let body = "    %l: ptr = alloca 8 align 8\n    store [@p], %l\n    store [%l], 5:i32\n    call @work()";
    assert_eq!(
        places(&main_with(body, rest), &[At::Call("main", "work"), At::Mark(2)]),
        ["[p+0:8] = v2#0", "[v0#1+0:4] = 8"]
    );
}

const TWO_CALLERS: &str = "    %c = icmp.sgt %argc, 1
    store [@a], 5:i32
    branch %c, yes, no
yes:
    store [@b], 1:i32
    call @work(@p, 3)
    jump join
no:
    store [@b], 2:i32
    call @work(@p, 4)
    jump join
join:";

#[test]
fn an_oldest_frame_that_anybody_may_have_called_has_what_all_calls_agree_on() {
    assert_eq!(
        definitions(&main_with(TWO_CALLERS, WORK), &[At::Mark(2)]),
        ["v0#0 = &p", "[a+0:4] = 5", "[v2#0+0:4] = v1#0"]
    );
    let once = TWO_CALLERS.replace("call @work(@p, 4)", "store [@p], 9:i32");
    assert_eq!(
        definitions(&main_with(&once, WORK), &[At::Mark(2)]),
        ["v0#0 = &p", "v1#0 = 3", "[a+0:4] = 5", "[b+0:4] = 1", "[v2#0+0:4] = 3"]
    );
}

#[test]
fn registers_of_unknown_callers_have_no_names() {
    let body = "    %k: i32 = load volatile [@b]\n    store [@a], %k\n    call @work(@p, %k)";
    // But what was passed has one: the parameter.
    assert_eq!(
        definitions(&main_with(body, WORK), &[At::Mark(2)]),
        ["v0#0 = &p", "[a+0:4] = v1#0", "[v2#0+0:4] = v1#0"]
    );
    let body = "    %k: i32 = load volatile [@b]\n    store [@a], %k\n    call @work(@p, 3)";
    assert_eq!(definitions(&main_with(body, WORK), &[At::Mark(2)]), ["v0#0 = &p", "v1#0 = 3", "[v2#0+0:4] = 3"]);
}

#[test]
fn what_was_passed_by_address_is_found_again() {
    let rest = "function @use(%p: ptr) {\nentry:\n    %m: i32 = add 12345, 2\n    store [%p], 1:i32\n    return\n}";
    let body = "    %l: ptr = alloca 8 align 8\n    %x = address %l + 4\n    store [%x], 7:i32\n    call @use(%l)";
    assert_eq!(places(&main_with(body, rest), &[At::Mark(2)]), ["[v0#0+4:4] = 7"]);
}

#[test]
fn the_second_call_sees_what_the_first_one_did() {
    let rest = "function @twice() {
entry:
    %m: i32 = add 12345, 2
    store [@a], 6:i32
    return
}";
    let body = "    store [@a], 5:i32\n    store [@b], 7:i32\n    call @twice()\n    call @twice()";
    assert_eq!(places(&main_with(body, rest), &[At::Mark(2)]), ["[b+0:4] = 7"]);
}

#[test]
fn a_recursive_function_is_entered_by_itself_too() {
    let rest = "function @down(%n: i32) {
entry:
    %m: i32 = add 12345, 2
    store [@a], %n
    %c = icmp.sgt %n, 0
    branch %c, more, end
more:
    %k = sub %n, 1
    call @down(%k)
    jump end
end:
    return
}";
    let body = "    store [@a], 5:i32\n    store [@b], 7:i32\n    call @down(3)";
    assert_eq!(definitions(&main_with(body, rest), &[At::Mark(2)]), ["[b+0:4] = 7"]);
    // With its frames known it is not: this is the second activation.
    assert_eq!(
        definitions(&main_with(body, rest), &[At::Call("main", "down"), At::Call("down", "down"), At::Mark(2)]),
        ["v0#1 = 3", "v1#1 = 12347", "v2#1 = 1", "v3#1 = 2", "v0#2 = 2", "[a+0:4] = 3", "[b+0:4] = 7"]
    );
}

#[test]
fn a_point_that_nothing_leads_to_has_no_facts() {
    let body = "    store [@a], 5:i32\n    jump end\nlost:\n    %m: i32 = add 12345, 2\n    jump end\nend:";
    solve(&main_with(body, ""), &[At::Mark(2)], Status::Running, |_, found, _| {
        assert!(!found.is_reached);
        assert!(found.places.is_empty());
    });
}

#[test]
fn destructors_run_whenever_the_program_ends() {
    let rest = "function @last() {\nentry:\n    %m: i32 = add 12345, 2\n    return\n}";
    let text = format!("destructors @last\n{}", main_with("    store [@a], 5:i32", rest));
    solve(&text, &[At::Mark(2)], Status::Running, |_, found, _| assert!(found.places.is_empty()));
}
