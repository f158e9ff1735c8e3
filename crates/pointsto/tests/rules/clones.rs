//! Which calls are told apart.

use icsched_pointsto::Options;

use crate::common::Solved;
use crate::rules::check::{program, returned_under, returned_with};

/// Two calls that make an object each, and what was stored in the first.
const MAKE_TWO: &str = "    %x: ptr = call @make(8:i64)
    %y: ptr = call @make(8:i64)
    store [%x], @a
    store [%y], @b
    %z: ptr = load [%x]
    return %z";

/// A wrapper of the allocator with this many more instructions.
fn wrapper(more: usize) -> String {
    let padding: String = (0..more).map(|i| format!("    %k{i} = add %n, {i}\n")).collect();
    format!(
        "function @make(%n: i64) -> ptr {{\nentry:\n{padding}    %x: ptr = call __ics_malloc(%n, 0:i32)\n    return %x\n}}"
    )
}

#[test]
fn calls_of_a_function_that_returns_new_objects_make_one_each() {
    assert_eq!(returned_with(MAKE_TWO, &wrapper(0)), "a+0");
    assert_eq!(returned_with(MAKE_TWO, &wrapper(99)), "a+0");
    assert_eq!(returned_with(MAKE_TWO, &wrapper(100)), "a+0 b+0", "too large");
}

#[test]
fn two_places_that_allocate_make_two_objects() {
    let body = "    %x: ptr = call __ics_malloc(8:i64, 0:i32)
    %y: ptr = call __ics_malloc(8:i64, 0:i32)
    store [%x], @a
    store [%y], @b
    %z: ptr = load [%x]
    return %z";
    assert_eq!(returned_with(body, ""), "a+0");
}

#[test]
fn telling_apart_can_be_turned_off_and_has_a_budget() {
    let off = Options { clone_depth: 0, ..Options::default() };
    assert_eq!(returned_under(&off, MAKE_TWO, &wrapper(0)), "a+0 b+0");
    let nothing_left = Options { clone_budget: 0, ..Options::default() };
    assert_eq!(returned_under(&nothing_left, MAKE_TWO, &wrapper(0)), "a+0 b+0");
    let enough_for_two = Options { clone_budget: 2, ..Options::default() };
    assert_eq!(returned_under(&enough_for_two, MAKE_TWO, &wrapper(0)), "a+0");
    let enough_for_one = Options { clone_budget: 1, ..Options::default() };
    let one = Solved::with(&program(MAKE_TWO, &wrapper(0)), &enough_for_one);
    assert_eq!(one.returned("main"), "a+0");
    assert_eq!(clones(&one, "make"), 2);
    assert!(one.points_to.shared_instance(one.function("make")).is_some(), "the second call has none of its own");
}

fn clones(solved: &Solved, name: &str) -> usize {
    solved.points_to.instances_of(solved.function(name)).len()
}

/// `make`, called through so many wrappers of it.
fn wrapped(wrappers: usize) -> String {
    let mut text = wrapper(0).replace("@make", "@make0");
    for i in 1..=wrappers {
        let name = if i == wrappers { "make".to_owned() } else { format!("make{i}") };
        let inner = i - 1;
        text += &format!(
            "\nfunction @{name}(%n: i64) -> ptr {{\nentry:\n    %x: ptr = call @make{inner}(%n)\n    return %x\n}}"
        );
    }
    text
}

#[test]
fn chains_of_calls_are_told_apart_up_to_their_bound() {
    assert_eq!(returned_with(MAKE_TWO, &wrapped(3)), "a+0");
    assert_eq!(returned_with(MAKE_TWO, &wrapped(4)), "a+0 b+0");
    let deeper = Options { clone_depth: 5, ..Options::default() };
    assert_eq!(returned_under(&deeper, MAKE_TWO, &wrapped(4)), "a+0");
}

#[test]
fn recursive_calls_share_an_instance() {
    let walk = "function @walk(%x: ptr, %n: i64) -> ptr {
entry:
    %done = icmp.eq %n, 0
    branch %done, end, more
more:
    %m = sub %n, 1
    %y: ptr = call @walk(%x, %m)
    return %y
end:
    return %x
}";
    let solved = Solved::new(&program("    %x: ptr = call @walk(@a, %n)\n    return %x", walk));
    assert_eq!((solved.returned("main").as_str(), clones(&solved, "walk")), ("a+0", 2));
}

/// What `%x` is, where the first of two calls of `@f` gives it.
fn first_of_two(f: &str) -> String {
    let body = "    %x: ptr = call @f(@a)\n    %y: ptr = call @f(@b)\n    store [@p], %y\n    return %x";
    returned_with(body, f)
}

/// A function with this body.
fn f(body: &str) -> String {
    format!("function @f(%x: ptr) -> ptr {{\nentry:\n{body}\n}}")
}

#[test]
fn calls_of_a_helper_that_returns_what_it_is_given_are_told_apart() {
    for body in [
        "    return %x",
        "    %y = freeze %x\n    return %y",
        "    %c = icmp.eq %x, null\n    %y = select %c, null, %x\n    return %y",
        "    %i: i64 = bitcast %x\n    %j = and %i, -16\n    %y: ptr = bitcast %j\n    return %y",
        "    %c = icmp.eq %x, null\n    branch %c, next(null), next(%x)\nnext(%y: ptr):\n    return %y",
        "    %i: i64 = bitcast %x\n    %j: i64 = call __ics_select(1:i64, %i, 0:i64)\n    %y: ptr = bitcast %j\n    return %y",
        "    %i: i64 = bitcast %x\n    %j: i64 = call __ics_select(1:i64, 0:i64, %i)\n    %y: ptr = bitcast %j\n    return %y",
    ] {
        assert_eq!(first_of_two(&f(body)), "a+0", "{body}");
    }
    let through = format!(
        "{}\n{}",
        f("    %y: ptr = call @g(null, %x)\n    return %y"),
        "function @g(%other: ptr, %x: ptr) -> ptr {\nentry:\n    return %x\n}"
    );
    assert_eq!(first_of_two(&through), "a+0");
}

#[test]
fn a_helper_has_few_instructions() {
    let padded = |count: usize| {
        let padding: String = (0..count).map(|i| format!("    %k{i} = address %x + {i}\n")).collect();
        f(&format!("{padding}    return %x"))
    };
    assert_eq!(first_of_two(&padded(24)), "a+0");
    assert_eq!(first_of_two(&padded(25)), "a+0 b+0");
}

#[test]
fn a_helper_with_variable_arguments_is_analysed_once() {
    assert_eq!(first_of_two("function @f(%x: ptr, ...) -> ptr {\nentry:\n    return %x\n}"), "a+0 b+0");
}

#[test]
fn a_function_that_returns_something_else_is_analysed_once() {
    let solved = Solved::new(&program(
        "    %x: ptr = call @f(@a)\n    %y: ptr = call @f(@b)\n    return %x",
        &f("    %y: ptr = load [%x]\n    return %y"),
    ));
    assert_eq!(clones(&solved, "f"), 1);
    let by_callee = format!(
        "{}\nfunction @g(%x: ptr) -> ptr {{\nentry:\n    return @c\n}}",
        f("    %y: ptr = call @g(%x)\n    return %y")
    );
    let solved =
        Solved::new(&program("    %x: ptr = call @f(@a)\n    %y: ptr = call @f(@b)\n    return %x", &by_callee));
    assert_eq!((clones(&solved, "f"), solved.returned("main").as_str()), (1, "c+0"));
}

#[test]
fn what_only_stores_is_analysed_once() {
    let set = "function @set(%to: ptr, %x: ptr) {\nentry:\n    store [%to], %x\n    return\n}";
    let body = "    call @set(@p, @a)\n    call @set(@q, @b)\n    %x: ptr = load [@p]\n    return %x";
    assert_eq!(returned_with(body, set), "a+0 b+0");
}

/// What the function `@one` is given, which the first of two calls of `@apply` is given.
fn given_to_one(apply: &str) -> String {
    let rest = format!(
        "{apply}
function @one(%x: ptr) -> ptr {{\nentry:\n    store [@p], %x\n    return null\n}}
function @other(%x: ptr) -> ptr {{\nentry:\n    store [@q], %x\n    return null\n}}"
    );
    let body = "    call @apply(@one, @a)\n    call @apply(@other, @b)\n    return null";
    Solved::new(&program(body, &rest)).contents("p")
}

#[test]
fn calls_of_a_function_that_calls_what_it_is_given_are_told_apart() {
    for body in
        ["    %r: ptr = call *%f(%x)\n    return", "    %r: i32 = call __ics_thread_create(%f, %x, 1:i32)\n    return"]
    {
        assert_eq!(given_to_one(&format!("function @apply(%f: ptr, %x: ptr) {{\nentry:\n{body}\n}}")), "a+0", "{body}");
    }
    let through = "function @apply(%f: ptr, %x: ptr) {\nentry:\n    call @inner(%x, %f)\n    return\n}
function @inner(%x: ptr, %f: ptr) {\nentry:\n    %r: ptr = call *%f(%x)\n    return\n}";
    assert_eq!(given_to_one(through), "a+0");
}

/// Whether the two calls of a model are told apart: what the first gives.
fn model(declaration: &str, body: &str, call: &str) -> String {
    let rest = format!("function {declaration} model {{\nentry:\n{body}\n}}");
    let (one, two) = (call.replace('$', "@a"), call.replace('$', "@b"));
    returned_with(
        &format!("    %x: ptr = call {one}\n    %y: ptr = call {two}\n    store [@p], %y\n    return %x"),
        &rest,
    )
}

#[test]
fn models_are_told_apart_by_their_row() {
    // Its row says that it returns its argument, whatever an analysis of it would say.
    let opaque = "    store [@c], %x\n    %y: ptr = load [@c]\n    return %y";
    let identity = "    return %x";
    assert_eq!(model("@strchr(%x: ptr, %c: i32) -> ptr", identity, "@strchr($, 1)"), "a+0");
    assert_eq!(model("@getenv(%x: ptr) -> ptr", identity, "@getenv($)"), "a+0 b+0", "an object of the library");
    // Without a row, by what they do.
    assert_eq!(model("@part_of_a_model(%x: ptr) -> ptr", identity, "@part_of_a_model($)"), "a+0");
    assert_eq!(model("@part_of_a_model(%x: ptr) -> ptr", opaque, "@part_of_a_model($)"), "a+0 b+0");
}

#[test]
fn a_model_without_a_row_that_calls_what_it_is_given_is_told_apart() {
    let apply = "function @apply(%f: ptr, %x: ptr) model {\nentry:\n    %r: ptr = call *%f(%x)\n    return\n}";
    assert_eq!(given_to_one(apply), "a+0");
}

#[test]
fn a_model_without_a_row_that_hands_nothing_back_is_analysed_once() {
    let part = "function @part_of_a_model(%x: ptr) model {\nentry:\n    store [@c], %x\n    return\n}";
    let solved =
        Solved::new(&program("    call @part_of_a_model(@a)\n    call @part_of_a_model(@b)\n    return null", part));
    assert_eq!(clones(&solved, "part_of_a_model"), 1);
}

#[test]
fn a_large_model_is_analysed_once() {
    let padded = |count: usize| {
        let padding: String = (0..count).map(|i| format!("    %k{i} = address %x + {i}\n")).collect();
        model("@strchr(%x: ptr, %c: i32) -> ptr", &format!("{padding}    return %x"), "@strchr($, 1)")
    };
    assert_eq!(padded(250), "a+0");
    assert_eq!(padded(251), "a+0 b+0");
}

/// What the first of two calls of a model with the row of `posix_memalign` stores through its argument leads to, where
/// `@part` does it.
fn given_by_part(part: &str, called: &str) -> String {
    let rest = format!(
        "function @posix_memalign(%to: ptr, %from: ptr, %n: i64) -> i32 model {{\nentry:\n    call @part(%to, %from)\n    return 0\n}}
function @part(%to: ptr, %from: ptr) model {{\nentry:\n{part}\n    return\n}}"
    );
    let body = format!(
        "    %three = alloca 8 align 8
    store [@a], %three
    store [@b], %three
    call {called}(@p, @a{0})
    call {called}(@q, @b{0})
    %x: ptr = load [@p]
    %y: ptr = load [@q]
    store [%x], @a
    store [%y], @b
    %z: ptr = load [%x]
    return %z",
        if called == "@part" { "" } else { ", 8" }
    );
    returned_with(&body, &rest)
}

#[test]
fn a_part_of_a_model_that_gives_new_objects_is_told_apart_with_its_caller() {
    let part = "    %x: ptr = call __ics_malloc(8:i64, 0:i32)\n    store [%to], %x";
    assert_eq!(given_by_part(part, "@posix_memalign"), "a+0");
    assert_eq!(given_by_part(part, "@part"), "a+0 b+0", "not without it");
    let exchanged = "    %x: ptr = call __ics_malloc(8:i64, 0:i32)\n    %old: ptr = rmw xchg seq_cst [%to], %x";
    assert_eq!(given_by_part(exchanged, "@posix_memalign"), "a+0");
}

#[test]
fn a_part_of_a_model_that_copies_is_told_apart_with_its_caller() {
    // Copies what its caller's argument leads to; both calls together would copy both.
    for copy in
        ["memcpy [%to], [%from], 8", "call __ics_memcpy(%to, %from, 8:i64)", "call __ics_memmove(%to, %from, 8:i64)"]
    {
        let rest = format!(
            "function @posix_memalign(%to: ptr, %from: ptr, %n: i64) -> i32 model {{\nentry:\n    call @part(%to, %from)\n    return 0\n}}
function @part(%to: ptr, %from: ptr) model {{\nentry:\n    call @inner(%to, %from)\n    return\n}}
function @inner(%to: ptr, %from: ptr) model {{\nentry:\n    {copy}\n    return\n}}"
        );
        let body = "    store [@a], @number
    store [@b], @c
    %x: i32 = call @posix_memalign(@p, @a, 8)
    %y: i32 = call @posix_memalign(@q, @b, 8)
    %z: ptr = load [@p]
    return %z";
        assert_eq!(returned_with(body, &rest), "number+0", "{copy}");
    }
}

#[test]
fn an_object_is_as_large_as_the_calls_of_its_wrappers_say() {
    // Behind the end of eight bytes there is nothing.
    let behind = |call: &str, rest: &str| {
        let body = format!(
            "    %x: ptr = call {call}\n    %y = address %x + 8\n    store [%y], @a\n    %z: ptr = load [%y]\n    return %z"
        );
        returned_with(&body, rest)
    };
    assert_eq!(behind("__ics_malloc(8:i64, 0:i32)", ""), "");
    assert_eq!(behind("__ics_malloc(16:i64, 0:i32)", ""), "a+0");
    assert_eq!(behind("__ics_malloc(%n, 0:i32)", ""), "a+0");
    assert_eq!(behind("@make(8:i64)", &wrapped(2)), "");
    assert_eq!(behind("@make(16:i64)", &wrapped(2)), "a+0");
    assert_eq!(behind("@make(%n)", &wrapped(2)), "a+0");
    let computed = "function @make(%n: i64) -> ptr {\nentry:\n    %m = mul %n, 2\n    %x: ptr = call __ics_malloc(%m, 0:i32)\n    return %x\n}";
    assert_eq!(behind("@make(8:i64)", computed), "a+0", "not computed");
    assert_eq!(behind("@make(8:i64)", &wrapper(101)), "a+0", "not where calls are not told apart");
    let through_pointer = "    %f = select %yes, @make, null
    %x: ptr = call *%f(8:i64)
    %y = address %x + 8
    store [%y], @a
    %z: ptr = load [%y]
    return %z";
    assert_eq!(returned_with(through_pointer, &wrapper(0)), "", "calls through pointers say it too");
}
