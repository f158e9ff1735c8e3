//! What is in a precondition slice and what is not, on the smallest programs in text IR.
//!
//! Programs synchronise through the intrinsics directly. Each test lists the schedules as `constraint => nodes`.

use std::sync::Arc;

use expect_test::{Expect, expect};
use icsched_enumerate::enumerate;
use icsched_epochs::{Request, RunLimits, SearchOptions, Technique};
use icsched_schedule::Enumeration;

const GLOBALS: &str = r#"
global @x_name size 2 align 1 constant = "x\00"
global @y_name size 2 align 1 constant = "y\00"
global @A size 8 align 8
global @B size 8 align 8
global @cell size 4 align 4
global @other size 4 align 4
"#;

fn run(body: &str, without: &[Technique], search: SearchOptions) -> Enumeration {
    let program = icsched_ir::parse(&format!("{GLOBALS}\n{body}")).unwrap_or_else(|error| panic!("{error}"));
    icsched_ir::verify(&program).expect("the test's program is well formed");
    let request = Request {
        program: Arc::new(program),
        inputs: Default::default(),
        externs: Default::default(),
        memory_errors: Default::default(),
        search,
        limits: RunLimits::default(),
        // One epoch: what slicing says of it is looked at.
        without: without.iter().copied().chain([Technique::Epochs]).collect(),
    };
    enumerate(&request).expect("the program starts")
}

fn render(result: &Enumeration) -> String {
    let mut text = String::new();
    for schedule in result.epochs.iter().flat_map(|e| e.tree.leaves()) {
        let nodes: Vec<&str> = schedule.graph.nodes().iter().map(|n| &*n.object).collect();
        text += &format!("{} => {} [{}]\n", schedule.constraint.c, nodes.join(" "), schedule.ends);
    }
    for early in result.epochs.iter().filter_map(|e| e.early_exits.as_ref()) {
        text += &format!("{} => a prefix\n", early.c);
    }
    for reason in result.all_reasons() {
        text += &format!("incomplete: {}\n", reason.kind);
    }
    text
}

fn check(body: &str, expected: Expect) {
    expected.assert_eq(&render(&run(body, &[], SearchOptions::default())));
}

#[test]
fn a_branch_around_nothing_that_matters_is_not_a_condition() {
    check(
        "function f0 @main() -> i32 {
b0:
    v0: i64 = call __ics_input(@x_name, 32:i32)
    v1: i32 = trunc v0
    v2: i1 = icmp.eq v1, 0
    branch v2, b1, b2
b1:
    store [@other], 1:i32
    jump b2
b2:
    call __ics_event(@A, 0:i32)
    return 0
}",
        expect![[r#"
            true => A [exit]
        "#]],
    );
}

#[test]
fn a_branch_that_synchronises_on_one_side_is_a_condition() {
    check(
        "function f0 @main() -> i32 {
b0:
    v0: i64 = call __ics_input(@x_name, 32:i32)
    v1: i32 = trunc v0
    v2: i1 = icmp.eq v1, 7
    branch v2, b1, b2
b1:
    call __ics_event(@A, 0:i32)
    jump b2
b2:
    call __ics_event(@B, 0:i32)
    return 0
}",
        expect![[r#"
            x != 7 => B [exit]
            x == 7 => A B [exit]
        "#]],
    );
}

#[test]
fn a_stored_value_that_later_decides_makes_its_branch_a_condition() {
    // The second branch's condition is a constant on each path; the first one chose which.
    check(
        "function f0 @main() -> i32 {
b0:
    v0: i64 = call __ics_input(@x_name, 32:i32)
    v1: i32 = trunc v0
    v2: i1 = icmp.slt v1, 0
    branch v2, b1, b2
b1:
    store [@cell], 1:i32
    jump b2
b2:
    v3: i32 = load [@cell]
    v4: i1 = icmp.ne v3, 0
    branch v4, b3, b4
b3:
    call __ics_event(@A, 0:i32)
    jump b4
b4:
    call __ics_event(@B, 0:i32)
    return 0
}",
        expect![[r#"
            x >= 0 => B [exit]
            x < 0 => A B [exit]
        "#]],
    );
}

#[test]
fn a_block_parameter_that_later_decides_makes_its_branch_a_condition() {
    check(
        "function f0 @main() -> i32 {
b0:
    v0: i64 = call __ics_input(@x_name, 32:i32)
    v1: i32 = trunc v0
    v2: i1 = icmp.slt v1, 0
    branch v2, b1(true), b1(false)
b1(v3: i1):
    branch v3, b2, b3
b2:
    call __ics_event(@A, 0:i32)
    jump b3
b3:
    call __ics_event(@B, 0:i32)
    return 0
}",
        expect![[r#"
            x < 0 => A B [exit]
            x >= 0 => B [exit]
        "#]],
    );
}

#[test]
fn the_branch_of_a_one_block_loop_decides_whether_it_runs_again() {
    // The block postdominates its own branch, and yet the branch decides how often it synchronises.
    check(
        "function f0 @main() -> i32 {
b0:
    v0: i64 = call __ics_input(@x_name, 32:i32)
    v1: i32 = trunc v0
    v2: i32 = and v1, 1
    jump b1(0)
b1(v3: i32):
    call __ics_event(@A, 0:i32)
    v4: i32 = add v3, 1
    v5: i1 = icmp.slt v3, v2
    branch v5, b1(v4), b2
b2:
    return 0
}",
        expect![[r#"
            true => A A [exit]
        "#]],
    );
}

#[test]
fn a_loop_that_may_count_further_decides_what_its_count_decides() {
    // Once missed: the loop ends at once on the first path, where the count is a constant, but its condition decides
    // whether the count is defined again.
    check(
        "function f0 @main() -> i32 {
b0:
    v0: i64 = call __ics_input(@x_name, 32:i32)
    v1: i32 = trunc v0
    v2: i32 = and v1, 1
    jump b1(0)
b1(v3: i32):
    v4: i1 = icmp.slt v3, v2
    branch v4, b2, b3
b2:
    v5: i32 = add v3, 1
    jump b1(v5)
b3:
    v6: i1 = icmp.eq v3, 1
    branch v6, b4, b5
b4:
    call __ics_event(@A, 0:i32)
    jump b5
b5:
    call __ics_event(@B, 0:i32)
    return 0
}",
        expect![[r#"
            (x & 1) == 0 => B [exit]
            (x & 1) != 0 => A B [exit]
        "#]],
    );
}

#[test]
fn ending_the_process_is_a_prefix() {
    let body = "function f0 @main() -> i32 {
b0:
    v0: i64 = call __ics_input(@x_name, 32:i32)
    v1: i32 = trunc v0
    call __ics_event(@A, 0:i32)
    v2: i1 = icmp.eq v1, 0
    branch v2, b1, b2
b1:
    call __ics_abort()
    unreachable
b2:
    call __ics_event(@B, 0:i32)
    return 0
}";
    check(
        body,
        expect![[r#"
            true => A B [exit]
        "#]],
    );
    let without = run(body, &[Technique::PrefixSchedules], SearchOptions::default());
    expect![[r#"
        x != 0 => A B [exit]
        x == 0 => A [abort]
    "#]]
    .assert_eq(&render(&without));
}

/// The schedules' constraints alone would leave an input out of a complete result: the deadlock's is exact, and the
/// other one need not include inputs that do not get to its condition.
#[test]
fn inputs_that_end_the_process_early_are_in_the_result() {
    let body = "function f0 @main() -> i32 {
b0:
    v0: i64 = call __ics_input(@x_name, 32:i32)
    v1: i32 = trunc v0
    call __ics_event(@A, 0:i32)
    v2: i1 = icmp.eq v1, 7
    branch v2, b1, b2
b1:
    call __ics_abort()
    unreachable
b2:
    v3: i1 = icmp.slt v1, 50
    branch v3, b3, b4
b3:
    call __ics_wait(@B)
    return 0
b4:
    call __ics_event(@B, 0:i32)
    return 0
}";
    check(
        body,
        expect![[r#"
        x != 7 && x < 50 => A [deadlock]
        x >= 50 => A B [exit]
        x == 7 => a prefix
    "#]],
    );
}

#[test]
fn synchronising_before_the_end_needs_a_schedule_of_its_own() {
    check(
        "function f0 @main() -> i32 {
b0:
    v0: i64 = call __ics_input(@x_name, 32:i32)
    v1: i32 = trunc v0
    v2: i1 = icmp.eq v1, 0
    branch v2, b1, b2
b1:
    call __ics_event(@A, 0:i32)
    call __ics_abort()
    unreachable
b2:
    call __ics_event(@B, 0:i32)
    return 0
}",
        expect![[r#"
            x != 0 => B [exit]
            x == 0 => A [abort]
        "#]],
    );
}

#[test]
fn the_wait_that_completes_a_deadlock_is_synchronisation() {
    // Once missed: the last wait never returns, so it left no event behind.
    check(
        "function f0 @main() -> i32 {
b0:
    v0: i64 = call __ics_input(@x_name, 32:i32)
    v1: i32 = trunc v0
    v2: i1 = icmp.eq v1, 3
    branch v2, b1, b2
b1:
    call __ics_wait(@A)
    jump b2
b2:
    call __ics_event(@B, 0:i32)
    return 0
}",
        expect![[r#"
            x != 3 => B [exit]
            x == 3 =>  [deadlock]
        "#]],
    );
}

/// One of three objects, as the input says.
const CHOSEN: &str = "global @locks size 24 align 8
function f0 @main() -> i32 {
b0:
    v0: i64 = call __ics_input(@x_name, 32:i32)
    v1: i64 = urem v0, 3
    v2: ptr = address @locks + v1*8
    call __ics_event(v2, 0:i32)
    call __ics_event(@A, 0:i32)
    return 0
}";

#[test]
fn every_object_that_an_input_can_choose_gets_its_schedule() {
    // Once missed: the last of three candidates was equal to none of the queued constraints and got lost.
    check(
        CHOSEN,
        expect![[r#"
            (unsigned)x % 3 == 0 => locks A [exit]
            (unsigned)x % 3 == 1 => locks+8 A [exit]
            (unsigned)x % 3 == 2 => locks+16 A [exit]
        "#]],
    );
}

#[test]
fn many_objects_are_one_schedule() {
    let search = |conservative_after| SearchOptions { conservative_after, ..SearchOptions::default() };
    let expected = expect![[r#"
        true => locks[*] A [exit]
    "#]];
    expected.assert_eq(&render(&run(CHOSEN, &[], search(0))));
    expected.assert_eq(&render(&run(CHOSEN, &[], search(2))));
    let decided = render(&run(CHOSEN, &[Technique::ConservativeOrder], search(0)));
    assert_eq!(decided.lines().count(), 3, "{decided}");
}

#[test]
fn a_write_through_an_unknown_pointer_spares_what_does_not_escape() {
    // `cell` is only ever accessed by name, so the store through the loaded pointer cannot hit it.
    check(
        "global @pointer size 8 align 8 = { 0: @other }
function f0 @main() -> i32 {
b0:
    v0: i64 = call __ics_input(@x_name, 32:i32)
    v1: i32 = trunc v0
    v2: i1 = icmp.eq v1, 0
    branch v2, b1, b2
b1:
    v3: ptr = load [@pointer]
    store [v3], 1:i32
    jump b2
b2:
    v4: i32 = load [@cell]
    v5: i1 = icmp.eq v4, 0
    branch v5, b3, b4
b3:
    call __ics_event(@A, 0:i32)
    jump b4
b4:
    call __ics_event(@B, 0:i32)
    return 0
}",
        expect![[r#"
            true => A B [exit]
        "#]],
    );
}

#[test]
fn a_call_on_the_other_side_may_write_through_its_parameter() {
    check(
        "function f0 @main() -> i32 {
b0:
    v0: i64 = call __ics_input(@x_name, 32:i32)
    v1: i32 = trunc v0
    v2: i1 = icmp.eq v1, 0
    branch v2, b1, b2
b1:
    call @set(@cell)
    jump b2
b2:
    v3: i32 = load [@cell]
    v4: i1 = icmp.eq v3, 0
    branch v4, b3, b4
b3:
    call __ics_event(@A, 0:i32)
    jump b4
b4:
    call __ics_event(@B, 0:i32)
    return 0
}
function f1 @set(v0: ptr) {
b0:
    store [v0], 1:i32
    return
}",
        expect![[r#"
            x != 0 => A B [exit]
            x == 0 => B [exit]
        "#]],
    );
}

const COUNTING: &str = "function f0 @main() -> i32 {
b0:
    v0: i64 = call __ics_input(@x_name, 32:i32)
    v1: i32 = trunc v0
    jump b1(0)
b1(v2: i32):
    v3: i1 = icmp.slt v2, v1
    branch v3, b2, b3
b2:
    call __ics_event(@A, 0:i32)
    v4: i32 = add v2, 1
    jump b1(v4)
b3:
    return 0
}";

#[test]
fn a_loop_without_bound_is_cut_and_said() {
    let search = SearchOptions { loop_bound: 2, ..SearchOptions::default() };
    expect![[r#"
        x == 2 => A A [exit]
        x < 2 => a prefix
        incomplete: unbounded-sync-loop
    "#]]
    .assert_eq(&render(&run(COUNTING, &[], search)));
}

#[test]
fn a_limit_on_paths_is_said() {
    let search = SearchOptions { max_paths: 1, ..SearchOptions::default() };
    let result = run(COUNTING, &[], search);
    assert!(!result.is_complete());
    assert_eq!(result.statistics.paths, 1);
}

#[test]
fn without_slicing_every_decision_counts() {
    let body = "function f0 @main() -> i32 {
b0:
    v0: i64 = call __ics_input(@x_name, 32:i32)
    v1: i32 = trunc v0
    v2: i1 = icmp.eq v1, 0
    branch v2, b1, b2
b1:
    store [@other], 1:i32
    jump b2
b2:
    call __ics_event(@A, 0:i32)
    return 0
}";
    let paths = |without: &[Technique]| run(body, without, SearchOptions::default()).statistics.paths;
    assert_eq!((paths(&[]), paths(&[Technique::Slicing])), (1, 2));
}
