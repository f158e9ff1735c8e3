//! What points-to analysis takes out of slices, and what it must leave in, on the smallest programs in text IR.

use std::sync::Arc;

use icsched_enumerate::enumerate;
use icsched_epochs::{Request, RunLimits, SearchOptions, Technique};

const GLOBALS: &str = r#"
global @x_name size 2 align 1 constant = "x\00"
global @A size 8 align 8
global @B size 8 align 8
global @cell size 16 align 8
global @other size 16 align 8
global @p size 8 align 8
global @q size 8 align 8
"#;

/// Paths that have to be executed with points-to analysis and without: one more for each branch in a slice.
fn paths(body: &str) -> [u64; 2] {
    let program = icsched_ir::parse(&format!("{GLOBALS}\n{body}")).unwrap_or_else(|error| panic!("{error}"));
    icsched_ir::verify(&program).expect("the test's program is well formed");
    let program = Arc::new(program);
    [vec![], vec![Technique::PointsTo]].map(|without| {
        let request = Request {
            program: Arc::clone(&program),
            inputs: Default::default(),
            externs: Default::default(),
            memory_errors: Default::default(),
            search: SearchOptions::default(),
            limits: RunLimits::default(),
            without: without.into_iter().chain([Technique::Epochs]).collect(),
        };
        let result = enumerate(&request).expect("the program starts");
        assert!(result.is_complete(), "nothing stops it");
        result.statistics.paths
    })
}

/// A `main` that stores through the pointer in `@p` if the input is 0, then synchronises on A if `cell` was 0 at
/// `cell_at` and on B if not. Both `@cell` and `@other` have escaped.
fn store_through(set_up: &str, cell_at: u32) -> String {
    format!(
        "function @main() -> i32 {{
entry:
    store [@q], @cell
{set_up}
    %v: i64 = call __ics_input(@x_name, 32:i32)
    %c = icmp.eq %v, 0
    branch %c, then, join
then:
    %to: ptr = load [@p]
    store [%to], 1:i32
    jump join
join:
    %at = address @cell + {cell_at}
    %w: i32 = load [%at]
    %zero = icmp.eq %w, 0
    branch %zero, a, b
a:
    call __ics_event(@A, 0:i32)
    return 0
b:
    call __ics_event(@B, 0:i32)
    return 0
}}"
    )
}

#[test]
fn a_store_through_a_pointer_to_something_else_does_not_matter() {
    assert_eq!(paths(&store_through("    store [@p], @other", 0)), [1, 2]);
}

#[test]
fn a_store_through_a_pointer_to_it_matters() {
    assert_eq!(paths(&store_through("    store [@p], @cell", 0)), [2, 2]);
}

#[test]
fn a_store_to_other_bytes_does_not_matter() {
    assert_eq!(paths(&store_through("    store [@p], @cell", 8)), [1, 2]);
}

#[test]
fn a_store_to_one_of_two_objects_matters_for_both() {
    let set_up = "    %u: i64 = call __ics_input(@x_name, 32:i32)
    %d = icmp.eq %u, 7
    %either = select %d, @cell, @other
    store [@p], %either";
    let [with, without] = paths(&store_through(set_up, 0));
    assert!(with > 1 && without >= with, "{with} {without}");
}

/// The same with a call in the place of the store.
fn call_through(table: &str, rest: &str) -> String {
    format!(
        "function @main() -> i32 {{
entry:
{table}
    %v: i64 = call __ics_input(@x_name, 32:i32)
    %c = icmp.eq %v, 0
    branch %c, then, join
then:
    %to: ptr = load [@p]
    call *%to()
    jump join
join:
    call __ics_event(@A, 0:i32)
    return 0
}}
function @quiet() {{
entry:
    store [@other], 1:i32
    return
}}
function @loud() {{
entry:
    call __ics_event(@B, 0:i32)
    return
}}
{rest}"
    )
}

#[test]
fn a_call_through_a_pointer_synchronises_if_one_of_its_targets_does() {
    // Both functions' addresses are taken.
    assert_eq!(paths(&call_through("    store [@p], @quiet\n    store [@q], @loud", "")), [1, 2]);
    assert_eq!(paths(&call_through("    store [@p], @loud\n    store [@q], @quiet", "")), [2, 2]);
}

#[test]
fn heap_objects_are_told_apart_by_the_calls_that_make_them() {
    let program = |stored: &str| {
        format!(
            "function @main() -> i32 {{
entry:
    %one: ptr = call __ics_malloc(8:i64, 1:i32)
    %two: ptr = call __ics_malloc(8:i64, 1:i32)
    store [@p], {stored}
    store [@q], %one
    %v: i64 = call __ics_input(@x_name, 32:i32)
    %c = icmp.eq %v, 0
    branch %c, then, join
then:
    %to: ptr = load [@p]
    store [%to], 1:i32
    jump join
join:
    %from: ptr = load [@q]
    %w: i32 = load [%from]
    %zero = icmp.eq %w, 0
    branch %zero, a, b
a:
    call __ics_event(@A, 0:i32)
    return 0
b:
    call __ics_event(@B, 0:i32)
    return 0
}}"
        )
    };
    assert_eq!(paths(&program("%two")), [1, 2]);
    assert_eq!(paths(&program("%one")), [2, 2]);
}

#[test]
fn locals_of_two_calls_of_a_function_are_one_object() {
    // The outer activation's local is written through a pointer by the inner one.
    let program = "function @main() -> i32 {
entry:
    call @f(1:i32)
    return 0
}
function @f(%depth: i32) {
entry:
    %own = alloca 8 align 8
    store [%own], 0:i32
    %outer = icmp.ne %depth, 0
    branch %outer, again, inner
inner:
    %v: i64 = call __ics_input(@x_name, 32:i32)
    %c = icmp.eq %v, 0
    branch %c, then, done
then:
    %to: ptr = load [@p]
    store [%to], 1:i32
    jump done
again:
    store [@p], %own
    call @f(0:i32)
    %w: i32 = load [%own]
    %zero = icmp.eq %w, 0
    branch %zero, a, b
a:
    call __ics_event(@A, 0:i32)
    jump done
b:
    call __ics_event(@B, 0:i32)
    jump done
done:
    return
}";
    assert_eq!(paths(program), [2, 2]);
}

/// A `main` that does `then` for some inputs between two events, and `set_up` before.
fn between(set_up: &str, then: &str) -> String {
    format!(
        "function @main() -> i32 {{
entry:
{set_up}
    call __ics_event(@A, 0:i32)
    %v: i64 = call __ics_input(@x_name, 32:i32)
    %c = icmp.eq %v, 0
    branch %c, then, join
then:
    %to: ptr = load [@p]
{then}
    jump join
join:
    call __ics_event(@B, 0:i32)
    return 0
}}"
    )
}

#[test]
fn an_access_that_certainly_fails_matters() {
    assert_eq!(paths(&between("", "    store [%to], 1:i32")), [2, 1]);
    assert_eq!(paths(&between("", "    %w: i32 = load [%to]")), [2, 1]);
    assert_eq!(paths(&between("    store [@p], @other", "    store [%to], 1:i32")), [1, 1]);
}

#[test]
fn a_call_that_reaches_nothing_matters() {
    assert_eq!(paths(&between("", "    call *%to()"))[0], 2);
    let quiet = "\nfunction @quiet() {\nentry:\n    return\n}";
    assert_eq!(paths(&(between("    store [@p], @quiet", "    call *%to()") + quiet))[0], 1);
}

#[test]
fn a_hook_that_nobody_sets_does_not_matter() {
    let hook = "    %set = icmp.ne %to, null
    branch %set, call_it, join
call_it:
    %again: ptr = load [@p]
    call *%again()";
    assert_eq!(paths(&between("", hook))[0], 1);
}
