//! Code that certainly fails: through pointers that are null or no addresses, and only where it can be reached.

use crate::common::Solved;

/// For each block of `main`, whether it may get to a certain error.
fn failing(blocks: &str, rest: &str) -> Vec<bool> {
    let text = format!(
        "global @p size 8 align 8
global @q size 8 align 8
global @set size 8 align 8
global @x_name size 2 align 1 constant = \"x\\00\"
function @main() -> i32 {{
entry:
    store [@set], @p
{blocks}
    return 0
}}
{rest}"
    );
    let solved = Solved::new(&text);
    let modref = solved.modref();
    let main = solved.instance("main");
    let blocks = solved.program.functions[solved.function("main")].blocks.ids();
    blocks.map(|block| modref.of_blocks(main, [block]).fails).collect()
}

#[test]
fn accesses_through_pointers_that_nobody_sets_fail() {
    let of = |access: &str| failing(&format!("    %at: ptr = load [@q]\n{access}"), "")[0];
    assert!(of("    store [%at], 1:i32"));
    assert!(of("    %v: i32 = load [%at]"));
    assert!(of("    memcpy [%at], [@p], 4"));
    assert!(of("    %n: i64 = load [@p]\n    memset [%at], 0:i8, %n"));
    assert!(of("    %field = address %at + 4\n    store [%field], 1:i32"));
    assert!(!of("    memcpy [%at], [@p], 0"));
    assert!(!of("    call __ics_free(%at)"));
    assert!(!of("    %same = icmp.eq %at, null"));
}

#[test]
fn an_access_at_a_constant_that_is_no_address_fails() {
    assert_eq!(failing("    store [4096:ptr], 1:i32", ""), [true]);
    assert_eq!(failing("    store [@p], 1:i32", ""), [false]);
}

#[test]
fn an_access_through_a_pointer_that_somebody_sets_does_not_count() {
    assert_eq!(failing("    %at: ptr = load [@set]\n    store [%at], 1:i32", ""), [false]);
}

#[test]
fn a_call_that_reaches_nothing_fails() {
    let call = "    %f: ptr = load [@q]\n    call *%f()";
    assert_eq!(failing(call, ""), [true]);
    let known = "    store [@q], @f\n    %f: ptr = load [@q]\n    call *%f()";
    assert_eq!(failing(known, "function @f() {\nentry:\n    return\n}"), [false]);
    // A function without a body is one.
    assert_eq!(failing(known, "declare @f()"), [false]);
}

#[test]
fn callers_fail_with_what_they_call() {
    let rest = "function @outer() {
entry:
    call @inner()
    return
}
function @inner() {
entry:
    %at: ptr = load [@q]
    store [%at], 1:i32
    return
}";
    assert_eq!(failing("    jump next\nnext:\n    call @outer()", rest), [false, true]);
}

/// A hook that nobody sets, called behind this test of it.
fn hook(test: &str) -> Vec<bool> {
    let body = format!(
        "    %hook: ptr = load [@q]
{test}
    branch %c, then, join
then:
    %f: ptr = load [@q]
    call *%f()
    jump join
join:"
    );
    failing(&body, "")
}

#[test]
fn behind_a_test_for_null_nothing_fails() {
    const NOTHING: [bool; 3] = [false; 3];
    assert_eq!(hook("    %c = icmp.ne %hook, null"), NOTHING);
    assert_eq!(hook("    %n = icmp.eq %hook, null\n    %c = xor %n, 1"), NOTHING);
    let other = "    %v: i64 = call __ics_input(@x_name, 64:i32)\n    %d = icmp.eq %v, 0\n";
    assert_eq!(hook(&format!("{other}    %n = icmp.ne %hook, null\n    %c = and %d, %n")), NOTHING);
    assert_eq!(hook(&format!("{other}    %n = icmp.ne %hook, null\n    %c = select %d, %n, 0:i1")), NOTHING);
    // Tests of something else, or that say nothing.
    assert_eq!(hook("    %s: ptr = load [@set]\n    %c = icmp.ne %s, null"), [false, true, false]);
    assert_eq!(hook("    %c = icmp.eq %hook, null"), [false, true, false]);
    assert_eq!(hook(&format!("{other}    %n = icmp.ne %hook, null\n    %c = or %d, %n")), [false, true, false]);
}
