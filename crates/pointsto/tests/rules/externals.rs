//! Functions without a body, by their row in the table of externals.

use crate::common::Solved;
use crate::rules::check::{program, returned_with};

/// What unknown functions may hold after a call, which is what one of them returns.
fn held(call: &str, declaration: &str) -> String {
    let rest = format!("declare {declaration}\ndeclare @unheard_of() -> ptr");
    returned_with(
        &format!("    store [@a], @b\n    call {call}\n    %x: ptr = call @unheard_of()\n    return %x"),
        &rest,
    )
}

const NOTHING: &str = "outside+*";
const KEPT: &str = "a+* b+* outside+*";

#[test]
fn what_a_row_keeps_may_come_back_from_anywhere() {
    assert_eq!(held("@putenv(@a)", "@putenv(%x: ptr) -> i32"), KEPT);
    assert_eq!(held("@posix_memalign(@a, 8, 8)", "@posix_memalign(%x: ptr, %a: i64, %n: i64) -> i32"), KEPT);
}

#[test]
fn what_a_row_uses_only_does_not() {
    for (call, declaration) in [
        ("@toupper(@a)", "@toupper(%x: ptr) -> i32"),
        ("@getenv(@a)", "@getenv(%x: ptr) -> ptr"),
        ("@strlen(@a)", "@strlen(%x: ptr) -> i64"),
        ("@bzero(@a, 8)", "@bzero(%x: ptr, %n: i64)"),
        ("@read(0, @a, 8)", "@read(%f: i32, %x: ptr, %n: i64) -> i64"),
        ("@sem_init(@a, 0, 0)", "@sem_init(%x: ptr, %s: i32, %n: i32) -> i32"),
        ("@free(@a)", "@free(%x: ptr)"),
    ] {
        assert_eq!(held(call, declaration), NOTHING, "{call}");
    }
}

#[test]
fn what_a_row_calls_is_called() {
    let rest = "declare @atexit(%f: ptr) -> i32\nfunction @last() {\nentry:\n    store [@p], @a\n    return\n}";
    let solved = Solved::new(&program("    %r: i32 = call @atexit(@last)\n    return null", rest));
    assert_eq!(solved.contents("p"), "a+0");
}

#[test]
fn results_are_what_the_row_says() {
    let result = |call: &str, declaration: &str| {
        returned_with(&format!("    %x: ptr = call {call}\n    return %x"), &format!("declare {declaration}"))
    };
    assert_eq!(result("@toupper(@a)", "@toupper(%x: ptr) -> ptr"), "", "a number");
    assert_eq!(result("@malloc(8)", "@malloc(%n: i64) -> ptr"), "library@main+0", "new");
    assert_eq!(result("@getenv(@a)", "@getenv(%x: ptr) -> ptr"), "library@main+0", "of the library");
    assert_eq!(result("@strchr(@a, 1)", "@strchr(%x: ptr, %c: i32) -> ptr"), "a+*", "somewhere in an argument");
    let bsearch = "@bsearch(%key: ptr, %base: ptr, %n: i64, %size: i64, %compare: ptr) -> ptr";
    assert_eq!(result("@bsearch(@a, @b, 1, 8, null)", bsearch), "b+*", "the one that the row names");
}

#[test]
fn new_objects_are_told_apart_by_the_call() {
    let body = "    %x: ptr = call @malloc(8)
    %y: ptr = call @malloc(8)
    store [%x], @a
    store [%y], @b
    %z: ptr = load [%x]
    return %z";
    assert_eq!(returned_with(body, "declare @malloc(%n: i64) -> ptr"), "a+0");
}

#[test]
fn a_pointer_to_a_declared_function_calls_it_too() {
    let rest = "declare @strchr(%x: ptr, %c: i32) -> ptr\nglobal @table size 8 align 8 = { 0: @strchr }";
    let body = "    %f: ptr = load [@table]\n    %x: ptr = call *%f(@a, 1:i32)\n    return %x";
    assert_eq!(returned_with(body, rest), "a+*");
}

#[test]
fn a_row_with_further_arguments_covers_them() {
    assert_eq!(held("@printf(@c, @a)", "@printf(%format: ptr, ...) -> i32"), NOTHING);
}
