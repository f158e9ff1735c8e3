//! Loops, on a few lines of IR each.

use expect_test::expect;

use super::{check, counted_loop, show, while_loop};

#[test]
fn a_loop_that_locks() {
    check(
        &while_loop("call @lock(@m)"),
        expect![[r#"
        main b1:0 loop
    "#]],
    );
    check(
        &while_loop("call @compute()"),
        expect![[r#"
        main b1: does not synchronise
    "#]],
    );
    check(
        &while_loop("call @leave()"),
        expect![[r#"
        main b1: does not synchronise
    "#]],
    );
}

#[test]
fn atomic_operations_are_synchronisation() {
    check(
        &while_loop("%x: i32 = load relaxed [@n]"),
        expect![[r#"
        main b1:0 loop
    "#]],
    );
    check(
        &while_loop("fence seq_cst"),
        expect![[r#"
        main b1: does not synchronise
    "#]],
    );
}

#[test]
fn loops_that_only_wait() {
    check(
        &while_loop("call @pthread_cond_wait(@m, @m)"),
        expect![[r#"
        main b1: only waits for a condition variable
    "#]],
    );
    check(
        &while_loop("call @pthread_cond_timedwait(@m, @m, @m)"),
        expect![[r#"
        main b1:0 loop
    "#]],
    );
    check(
        &while_loop("call @pthread_cond_wait(@m, @m)\ncall @lock(@m)"),
        expect![[r#"
        main b1:0 loop
    "#]],
    );
}

#[test]
fn a_wait_in_another_function() {
    let wait = "function @wait() {
entry:
    call @pthread_cond_wait(@m, @m)
    return
}";
    check(
        &(while_loop("call @wait()") + wait),
        expect![[r#"
        main b1: only waits for a condition variable
    "#]],
    );
}

#[test]
fn creating_and_joining() {
    let create = "call @pthread_create(@slot, null, @thread, null)";
    let join = "call @pthread_join(0, null)";
    let thread = "function @thread(%a: ptr) -> ptr {
entry:
    return null
}";
    check(
        &(counted_loop(create) + thread),
        expect![[r#"
        main b1: only creates threads, counted
    "#]],
    );
    check(
        &counted_loop(join),
        expect![[r#"
        main b1: only joins threads, counted
    "#]],
    );
    check(
        &counted_loop(&format!("{join}\ncall @pthread_cond_wait(@m, @m)")),
        expect![[r#"
        main b1: only joins threads, counted
    "#]],
    );
    // Threads that end can be created without end.
    check(
        &(while_loop(create) + thread),
        expect![[r#"
        main b1:0 loop
    "#]],
    );
    check(
        &while_loop(join),
        expect![[r#"
        main b1:0 loop
    "#]],
    );
    check(
        &(counted_loop(&format!("{create}\n{join}")) + thread),
        expect![[r#"
        main b1:0 loop
    "#]],
    );
    // The bound changes in the loop.
    check(
        &(counted_loop(&format!("{create}\nstore [@n], 7:i32")) + thread),
        expect![[r#"
        main b1:0 loop
    "#]],
    );
}

#[test]
fn barriers_cover_loops() {
    let barrier = "call @pthread_barrier_wait(@m)";
    check(
        &while_loop(&format!("call @lock(@m)\n{barrier}\ncall @compute()\n{barrier}")),
        expect![[r#"
        main b2:1 barrier
        main b1: covered by the marker at main b2:1, which every iteration executes unless it only waits
    "#]],
    );
    // Outside of loops a barrier ends no epoch.
    let outside = format!("function @main() {{\nentry:\n{barrier}\n{barrier}\nreturn\n}}");
    check(&outside, expect![[""]]);
    // Where the loop's function has none, the one in a callee is marked.
    let callee = format!("function @step() {{\nentry:\ncall @lock(@m)\n{barrier}\nreturn\n}}");
    check(
        &(while_loop("call @step()") + &callee),
        expect![[r#"
        step b0:1 barrier
        main b1: covered by the marker at step b0:1, which every iteration executes unless it only waits
    "#]],
    );
    // Directly in the loop's function if there is one.
    check(
        &(while_loop(&format!("call @step()\n{barrier}")) + &callee),
        expect![[r#"
        main b2:1 barrier
        main b1: covered by the marker at main b2:1, which every iteration executes unless it only waits
    "#]],
    );
}

#[test]
fn a_barrier_on_some_ways_only() {
    let text = |other: &str| {
        format!(
            "function @main(%c: i1) {{
entry:
    jump head
head:
    branch %c, left, right
left:
    call @pthread_barrier_wait(@m)
    jump head
right:
{other}
    jump head
}}"
        )
    };
    check(
        &text("call @lock(@m)"),
        expect![[r#"
        main b1:0 loop
    "#]],
    );
    // Iterations that do nothing would be repeated without end.
    check(
        &text("call @compute()"),
        expect![[r#"
            main b1:0 loop
        "#]],
    );
}

#[test]
fn an_inner_loop_covers_the_outer_one_if_every_iteration_gets_there() {
    let text = |first: &str| {
        format!(
            "function @main(%c: i1) {{
entry:
    jump outer
outer:
    branch %c, first, out
first:
{first}
inner:
    branch %c, body, latch
body:
    call @lock(@m)
    jump inner
latch:
    jump outer
out:
    return
}}"
        )
    };
    check(
        &text("call @lock(@m)\njump inner"),
        expect![[r#"
        main b3:0 loop
        main b1: covered by the marker at main b3:0, which every iteration executes unless it only waits
    "#]],
    );
    check(
        &text("branch %c, inner, latch"),
        expect![[r#"
            main b1:0 loop
            main b3:0 loop
        "#]],
    );
    check(
        &text("call @lock(@m)\nbranch %c, inner, latch"),
        expect![[r#"
        main b1:0 loop
        main b3:0 loop
    "#]],
    );
}

#[test]
fn a_loop_that_goes_round_gets_to_the_one_inside() {
    let text = |bound: &str| {
        format!(
            "function @main(%c: i1) {{
entry:
    jump outer
outer:
    branch %c, first, out
first:
    jump middle(0:i32)
middle(%i: i32):
    %more = icmp.slt %i, {bound}
    branch %more, inner, latch
inner:
    branch %c, body, next
body:
    call @lock(@m)
    jump inner
next:
    %j = add %i, 1
    jump middle(%j)
latch:
    jump outer
out:
    return
}}"
        )
    };
    check(
        &text("3"),
        expect![[r#"
            main b4:0 loop
            main b1: covered by the marker at main b4:0, which every iteration executes unless it only waits
            main b3: goes round at most 3 times
        "#]],
    );
    check(
        &text("0"),
        expect![[r#"
            main b1:0 loop
            main b4:0 loop
            main b3: goes round at most 0 times
        "#]],
    );
}

#[test]
fn two_ways_with_a_marker_each() {
    check(
        "function @main(%c: i1) {
entry:
    jump outer
outer:
    call @lock(@m)
    branch %c, left, right
left:
    call @lock(@m)
    branch %c, left, latch
right:
    call @locks_often(%c)
    jump latch
latch:
    branch %c, outer, out
out:
    return
}
function @locks_often(%c: i1) {
entry:
    jump head
head:
    call @lock(@m)
    branch %c, head, out
out:
    return
}",
        expect![[r#"
            main b2:0 loop
            locks_often b1:0 loop
            main b1: covered by the markers at main b2:0, locks_often b1:0, of which every iteration executes one unless it only waits
        "#]],
    );
}

#[test]
fn irreducible_loops() {
    check(
        "function @main(%c: i1) {
entry:
    branch %c, a, b
a:
    call @lock(@m)
    branch %c, b, out
b:
    branch %c, a, c
c:
    call @lock(@m)
    jump b
out:
    return
}",
        expect![[r#"
            main b2:0 loop
        "#]],
    );
}

#[test]
fn without_pruning_every_loop_that_synchronises_has_a_marker() {
    let text = while_loop("call @pthread_cond_wait(@m, @m)\ncall @pthread_barrier_wait(@m)\ncall @walk(%c)")
        + "function @walk(%c: i1) {
entry:
    jump head
head:
    call @lock(@m)
    branch %c, head, deeper
deeper:
    call @walk(%c)
    return
}";
    expect![[r#"
        walk b1:0 loop
        main b1: covered by the marker at walk b1:0, which every iteration executes unless it only waits
    "#]]
    .assert_eq(&show(&text, true));
    expect![[r#"
        main b1:0 loop
        walk b0:0 recursion
        walk b1:0 loop
    "#]]
    .assert_eq(&show(&text, false));
}
