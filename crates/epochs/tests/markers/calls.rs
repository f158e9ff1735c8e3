//! Recursion, threads that create threads, and what models call, on a few lines of IR each.

use expect_test::expect;

use super::check;

#[test]
fn recursion_that_synchronises_on_its_way_down() {
    let text = |before: &str, behind: &str| {
        format!(
            "function @main(%c: i1) {{
entry:
    call @walk(%c)
    return
}}
function @walk(%c: i1) {{
entry:
    {before}
    branch %c, deeper, out
deeper:
    call @walk(%c)
    {behind}
    jump out
out:
    return
}}"
        )
    };
    let (lock, compute) = ("call @lock(@m)", "call @compute()");
    check(&text(compute, compute), expect![[""]]);
    check(
        &text(lock, compute),
        expect![[r#"
        walk b0:0 recursion
    "#]],
    );
    // Coming back from a deep recursion must not synchronise without end either, and going down must not go on
    // without end.
    check(
        &text(compute, lock),
        expect![[r#"
            walk b0:0 recursion
            walk b1:1 recursion
        "#]],
    );
    check(
        &text(lock, lock),
        expect![[r#"
        walk b0:0 recursion
        walk b1:1 recursion
    "#]],
    );
}

#[test]
fn a_loop_around_the_recursive_call_covers_the_recursion() {
    check(
        "function @main(%c: i1) {
entry:
    call @walk(%c)
    return
}
function @walk(%c: i1) {
entry:
    call @lock(@m)
    jump head
head:
    branch %c, child, out
child:
    call @walk(%c)
    jump head
out:
    return
}",
        expect![[r#"
            walk b1:0 loop
        "#]],
    );
}

#[test]
fn mutual_recursion_needs_one_marker() {
    check(
        "function @main(%c: i1) {
entry:
    call @even(%c)
    return
}
function @even(%c: i1) {
entry:
    call @lock(@m)
    branch %c, on, out
on:
    call @odd(%c)
    jump out
out:
    return
}
function @odd(%c: i1) {
entry:
    call @lock(@m)
    call @even(%c)
    return
}",
        expect![[r#"
            even b0:0 recursion
        "#]],
    );
}

#[test]
fn threads_that_create_threads_like_themselves() {
    check(
        "function @main() {
entry:
    call @pthread_create(@slot, null, @thread, null)
    return
}
function @thread(%a: ptr) -> ptr {
entry:
    call @compute()
    call @pthread_create(@slot, null, @thread, null)
    return null
}",
        expect![[r#"
            thread b0:0 recursion
        "#]],
    );
}

#[test]
fn functions_that_a_model_calls_in_a_loop() {
    let text = |loops: &str| {
        format!(
            "function @main() {{
entry:
    call @sort(@compare)
    return
}}
function @compare(%a: ptr) -> i32 {{
entry:
    call @lock(@m)
    return 0
}}
function @sort(%f: ptr) model {{
entry:
    jump head
head:
    %x: i32 = call *%f(null)
    %less = icmp.slt %x, 0
    branch %less, {loops}, out
out:
    return
}}"
        )
    };
    check(
        &text("head"),
        expect![[r#"
        compare b0:0 callback
    "#]],
    );
    check(&text("out"), expect![[""]]);
}

#[test]
fn calls_that_do_not_come_back_repeat_nothing() {
    check(
        "function @main(%c: i1) {
entry:
    jump head
head:
    branch %c, body, done
body:
    branch %c, head, fatal
fatal:
    call @fail()
    unreachable
done:
    return
}
function @fail() {
entry:
    call @lock(@m)
    call @leave()
    unreachable
}
function @unused(%c: i1) {
entry:
    jump head
head:
    call @lock(@m)
    jump head
}",
        expect![[r#"
            main b1: does not synchronise
            unused b1: is never executed
        "#]],
    );
}
