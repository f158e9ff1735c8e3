//! What specialisation folds, and what it must leave alone.

use expect_test::{Expect, expect};

use icsched_epochs::specialise::specialise;

fn check(text: &str, function: &str, expected: Expect) {
    let program = icsched_ir::parse(text).unwrap_or_else(|error| panic!("{error}"));
    let folded = specialise(&program);
    let func = folded.function_named(function).expect("the function is there");
    expected.assert_eq(&folded.functions[func].to_text(&folded));
}

#[test]
fn a_flag_that_only_unreachable_code_sets_is_never_set() {
    check(
        "global @flag size 4 align 4
function f0 @main() -> i32 {
b0:
    v0: i32 = load [@flag]
    v1: i1 = icmp.ne v0, 0
    branch v1, b1, b2
b1:
    call @raise()
    jump b2
b2:
    return 0
}
function f1 @raise() {
b0:
    store [@flag], 1:i32
    return
}",
        "main",
        expect![[r#"
            function @main() -> i32 {
            b0:
                v0: i32 = load [@flag]
                v1: i1 = icmp.ne v0, 0
                jump b2
            b1:
                unreachable
            b2:
                return 0
            }
        "#]],
    );
}

#[test]
fn a_flag_whose_address_is_taken_may_be_set() {
    let text = "global @flag size 4 align 4
global @hole size 8 align 8 = { 0: @flag }
function f0 @main() -> i32 {
b0:
    v0: i32 = load [@flag]
    v1: i1 = icmp.ne v0, 0
    branch v1, b1, b2
b1:
    jump b2
b2:
    return 0
}";
    let program = icsched_ir::parse(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(specialise(&program), program);
}

#[test]
fn a_function_whose_address_is_stored_is_reached() {
    let text = "global @handlers size 8 align 8 = { 0: @raise }
global @flag size 4 align 4
function f0 @main() -> i32 {
b0:
    v0: ptr = load [@handlers]
    call *v0()
    v1: i32 = load [@flag]
    v2: i1 = icmp.ne v1, 0
    branch v2, b1, b2
b1:
    jump b2
b2:
    return 0
}
function f1 @raise() {
b0:
    store [@flag], 1:i32
    return
}";
    let program = icsched_ir::parse(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(specialise(&program), program);
}

#[test]
fn the_domain_is_a_constant() {
    check(
        "function f0 @main() -> i32 {
b0:
    v0: i32 = call __ics_is_symbolic_domain()
    v1: i1 = icmp.eq v0, 0
    branch v1, b1, b2
b1:
    return 1
b2:
    return 2
}",
        "main",
        expect![[r#"
            function @main() -> i32 {
            b0:
                v0: i32 = call __ics_is_symbolic_domain()
                v1: i1 = icmp.eq v0, 0
                jump b2
            b1:
                unreachable
            b2:
                return 2
            }
        "#]],
    );
}

/// A function that fails where a flag says so, one that hands on what it returns, and a loop that tries again.
const TRIES_AGAIN: &str = "global @signalled size 4 align 4
function f0 @main() -> i32 {
b0:
    jump b1
b1:
    v0: i32 = call @wait()
    v1: i1 = icmp.eq v0, -1
    branch v1, b1, b2
b2:
    return 0
}
function f1 @wait() -> i32 {
b0:
    v0: i32 = call @take(7)
    return v0
}
function f2 @take(v0: i32) -> i32 {
b0:
    v1: i32 = load [@signalled]
    v2: i1 = icmp.ne v1, 0
    v3: i1 = icmp.eq v0, 2
    v4: i1 = and v3, v2
    branch v4, b1, b2
b1:
    return -1
b2:
    return 0
}";

#[test]
fn calls_return_what_the_returns_that_are_reached_give() {
    check(
        TRIES_AGAIN,
        "main",
        expect![[r#"
            function @main() -> i32 {
            b0:
                jump b1
            b1:
                v0: i32 = call @wait()
                v1: i1 = icmp.eq v0, -1
                jump b2
            b2:
                return 0
            }
        "#]],
    );
    let may_fail = TRIES_AGAIN.replace("    jump b1\n", "    store [@signalled], 1:i32\n    jump b1\n");
    let program = icsched_ir::parse(&may_fail).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(specialise(&program), program);
}

#[test]
fn who_is_called_by_address_or_defined_elsewhere_may_return_anything() {
    for call in ["v2: ptr = load [@which]\n    v0: i32 = call *v2()", "v0: i32 = call @elsewhere()"] {
        let text = TRIES_AGAIN.replace("v0: i32 = call @wait()", call);
        let text = format!("global @which size 8 align 8 = {{ 0: @wait }}\n{text}\ndeclare @elsewhere() -> i32\n");
        let program = icsched_ir::parse(&text).unwrap_or_else(|error| panic!("{error}"));
        let main = program.main.expect("there is one");
        assert_eq!(specialise(&program).functions[main], program.functions[main], "{call}");
    }
}

#[test]
fn who_returns_twice_or_less_than_is_wanted_may_return_anything() {
    let twice = TRIES_AGAIN.replace(
        "function f2 @take(v0: i32) -> i32 {\nb0:\n",
        "function f2 @take(v0: i32) -> i32 {\nb0:\n    call __ics_save_context(null)\n",
    );
    let narrow = TRIES_AGAIN.replace("v0: i32 = call @wait()", "v0: i64 = call @wait()");
    for text in [twice, narrow] {
        let program = icsched_ir::parse(&text).unwrap_or_else(|error| panic!("{error}"));
        let main = program.main.expect("there is one");
        assert_eq!(specialise(&program).functions[main], program.functions[main], "{text}");
    }
}

#[test]
fn nothing_is_behind_a_call_that_does_not_return() {
    check(
        "function f0 @main() -> i32 {
b0:
    v0: i32 = call @forever()
    v1: i1 = icmp.eq v0, 0
    branch v1, b1, b2
b1:
    return 1
b2:
    return 0
}
function f1 @forever() -> i32 {
b0:
    jump b0
}",
        "main",
        expect![[r#"
            function @main() -> i32 {
            b0:
                v0: i32 = call @forever()
                v1: i1 = icmp.eq v0, 0
                branch v1, b1, b2
            b1:
                unreachable
            b2:
                unreachable
            }
        "#]],
    );
}
