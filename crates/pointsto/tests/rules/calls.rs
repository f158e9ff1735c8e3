//! Calls of functions with bodies.

use crate::common::Solved;
use crate::rules::check::{program, returned, returned_with};

/// Too large to be analysed once per call.
const KEEP: &str = "function @keep(%x: ptr, %y: ptr) -> ptr {
entry:
    store [@p], %x
    store [@q], %y
    return %x
}";

fn solved(body: &str, rest: &str) -> Solved {
    Solved::new(&program(body, rest))
}

#[test]
fn arguments_reach_parameters_by_position_and_results_come_back() {
    let direct = solved("    %x: ptr = call @keep(@a, @b)\n    return %x", KEEP);
    assert_eq!([direct.contents("p"), direct.contents("q"), direct.returned("main")], ["a+0", "b+0", "a+0"]);
    let by_name = solved("    %x: ptr = call *@keep(@a, @b)\n    return %x", KEEP);
    assert_eq!([by_name.contents("p"), by_name.contents("q"), by_name.returned("main")], ["a+0", "b+0", "a+0"]);
    let table = format!("{KEEP}\nglobal @table size 8 align 8 = {{ 0: @keep }}");
    let pointer = solved("    %f: ptr = load [@table]\n    %x: ptr = call *%f(@a, @b)\n    return %x", &table);
    assert_eq!([pointer.contents("p"), pointer.contents("q"), pointer.returned("main")], ["a+0", "b+0", "a+0"]);
}

#[test]
fn what_others_pass_does_not_come_back_through_an_argument() {
    let body = "    store [@c], @a
    %x: ptr = load [@c]
    call @set(%x)
    call @set(@b)
    return %x";
    let set = "function @set(%x: ptr) {\nentry:\n    store [@p], %x\n    return\n}";
    let solved = solved(body, set);
    assert_eq!([solved.returned("main"), solved.contents("p")], ["a+0", "a+0 b+0"]);
}

#[test]
fn functions_that_are_not_called_do_nothing() {
    let body = "    store [@p], @c\n    %x: ptr = load [@p]\n    return %x";
    let uncalled = "function @f() {\nentry:\n    store [@p], @a\n    return\n}";
    assert_eq!(returned_with(body, uncalled), "c+0");
}

#[test]
fn several_results_are_told_apart() {
    let two = "function @two(%x: ptr, %y: ptr) -> ptr, ptr {\nentry:\n    return %x, %y\n}";
    assert_eq!(returned_with("    %x: ptr, %y: ptr = call @two(@a, @b)\n    return %x", two), "a+0");
    assert_eq!(returned_with("    %x: ptr, %y: ptr = call @two(@a, @b)\n    return %y", two), "b+0");
    let body = "    %f = select %yes, @two, null\n    %x: ptr, %y: ptr = call *%f(@a, @b)\n    return %y";
    assert_eq!(returned_with(body, two), "b+0");
}

#[test]
fn every_return_is_a_result() {
    let f = "function @f(%x: ptr) -> ptr {
entry:
    %no = icmp.eq %x, null
    branch %no, one, two
one:
    return @a
two:
    return @b
}";
    assert_eq!(returned_with("    %x: ptr = call @f(@c)\n    return %x", f), "a+0 b+0");
}

#[test]
fn a_call_with_arguments_missing_runs_nothing() {
    let less = solved("    store [@p], @c\n    %x: ptr = call @keep(@a)\n    return %x", KEEP);
    assert_eq!([less.contents("p"), less.returned("main")], ["c+0", ""]);
    let pointer = solved(
        "    store [@p], @c\n    %f = select %yes, @keep, null\n    %x: ptr = call *%f(@a)\n    return %x",
        KEEP,
    );
    assert_eq!([pointer.contents("p"), pointer.returned("main")], ["c+0", ""]);
}

#[test]
fn arguments_that_nobody_takes_are_dropped() {
    let more = solved("    %x: ptr = call @keep(@a, @b, @c)\n    return %x", KEEP);
    assert_eq!([more.contents("p"), more.contents("q"), more.returned("main")], ["a+0", "b+0", "a+0"]);
}

#[test]
fn integers_of_a_pointers_width_are_handed_over_and_others_are_not() {
    let f = "function @f(%x: i64) -> i64 {\nentry:\n    return %x\n}";
    let body = "    %i: i64 = bitcast @a\n    %j: i64 = call @f(%i)\n    %x: ptr = bitcast %j\n    return %x";
    assert_eq!(returned_with(body, f), "a+0");
    let narrow = "function @f(%x: i32) -> i32 {\nentry:\n    store [@q], %x\n    return %x\n}";
    let body = "    store [@p], @a
    %piece: i32 = load [@p]
    %back: i32 = call @f(%piece)
    store [@c], %back
    return null";
    let solved = solved(body, narrow);
    assert_eq!([solved.contents("q"), solved.contents("c")], ["", ""]);
}

const TWO: &str = "function @f(%x: ptr) -> ptr {\nentry:\n    store [@p], %x\n    return @b\n}
function @g(%x: ptr) -> ptr {\nentry:\n    store [@q], %x\n    return @c\n}
function @h(%x: ptr) -> ptr {\nentry:\n    store [@q], @c\n    return @c\n}
global @table size 16 align 8 = { 0: @f, 8: @g }";

#[test]
fn a_call_through_a_pointer_reaches_what_it_points_to() {
    let one = solved("    %f: ptr = load [@table]\n    %x: ptr = call *%f(@a)\n    return %x", TWO);
    assert_eq!(one.targets("main"), ["f"]);
    assert_eq!([one.returned("main"), one.contents("p")], ["b+0", "a+0"]);
    let both = "    %at = address @table + %n*8\n    %f: ptr = load [%at]\n    %x: ptr = call *%f(@a)\n    return %x";
    let both = solved(both, TWO);
    assert_eq!(both.targets("main"), ["f g"]);
    assert_eq!([both.returned("main"), both.contents("p"), both.contents("q")], ["b+0 c+0", "a+0", "a+0"]);
}

#[test]
fn what_another_target_returns_is_not_the_functions_result() {
    let body = "    %at = address @table + %n*8
    %f: ptr = load [%at]
    %x: ptr = call *%f(@a)
    %y: ptr = call @f(@a)
    store [@number], %x
    return %y";
    assert_eq!(returned_with(body, TWO), "b+0");
}

#[test]
fn targets_that_become_known_late_are_called_too() {
    // What f returns is what is called next.
    let rest = "function @f() -> ptr {\nentry:\n    return @g\n}
function @g() -> ptr {\nentry:\n    return @h\n}
function @h() -> ptr {\nentry:\n    return @a\n}";
    let body = "    store [@p], @f
    %f: ptr = load [@p]
    %g: ptr = call *%f()
    %h: ptr = call *%g()
    %x: ptr = call *%h()
    return %x";
    let solved = solved(body, rest);
    assert_eq!(solved.targets("main"), ["f", "g", "h"]);
    assert_eq!(solved.returned("main"), "a+0");
}

#[test]
fn a_pointer_into_code_or_data_calls_what_it_is_derived_from() {
    let moved = "    %f = address @f + 8\n    %g = address %f - 8\n    %x: ptr = call *%g(@a)\n    return %x";
    assert_eq!(solved(moved, TWO).targets("main"), ["f"]);
    let entry = "    %g = address @f + %n*8\n    %x: ptr = call *%g(@a)\n    return %x";
    assert_eq!(solved(entry, TWO).targets("main"), ["f"]);
    let rounded = "    %x = address @f + 1
    %i: i64 = bitcast %x
    %j = and %i, -2
    %g: ptr = bitcast %j
    %y: ptr = call *%g(@a)
    return %y";
    assert_eq!(solved(rounded, TWO).targets("main"), ["f"]);
    let tagged = "    %i: i64 = bitcast @f
    %j = or %i, 1
    %g: ptr = bitcast %j
    %y: ptr = call *%g(@a)
    return %y";
    assert_eq!(solved(tagged, TWO).targets("main"), ["f"]);
    let every = "    %at = address @table + %n*8
    %f: ptr = load [%at]
    %g = select %yes, %f, @h
    %h = address %g + %n*8
    %x: ptr = call *%h(@a)
    return %x";
    assert_eq!(solved(every, TWO).targets("main"), ["f g h"]);
    let inside = "    %g = address @f + 8\n    %x: ptr = call *%g(@a)\n    return %x";
    assert_eq!(solved(inside, TWO).targets("main"), [""], "that is an error");
    let data = "    %f = select %yes, @a, @f\n    %x: ptr = call *%f(@a)\n    return %x";
    assert_eq!(solved(data, TWO).targets("main"), ["f"]);
}

#[test]
fn declared_functions_are_targets_where_they_are_called_by_name_or_pointed_to() {
    let rest = "declare @strlen(%s: ptr) -> i64\ndeclare @rand() -> i32";
    let body = "    %x: i64 = call @strlen(@a)
    %f = select %yes, @strlen, null
    %y: i64 = call *%f(@a)
    %z: i64 = call *@strlen(@a)
    return null";
    assert_eq!(solved(body, rest).targets("main"), ["strlen"; 3]);
    let moved = "    %f = address @strlen + 8\n    %g = address %f - 8\n    %x: i64 = call *%g(@a)\n    return null";
    assert_eq!(solved(moved, rest).targets("main"), ["strlen"]);
}

#[test]
fn recursion_ends() {
    let f = "function @f(%x: ptr, %n: i64) -> ptr {
entry:
    %done = icmp.eq %n, 0
    branch %done, end, more
more:
    %m = sub %n, 1
    %y: ptr = call @f(@b, %m)
    return %y
end:
    return %x
}";
    assert_eq!(returned_with("    %x: ptr = call @f(@a, %n)\n    return %x", f), "a+0 b+0");
    assert_eq!(
        returned(
            "    branch %yes, again, end\nagain:\n    %x: ptr = call @main(1, @a, @b)\n    return %x\nend:\n    return %argv"
        ),
        "a+0 argv+0"
    );
}

/// A function that keeps its argument and what that leads to.
fn keeping(declaration: &str) -> Solved {
    let rest = format!(
        "function {declaration} {{\nentry:\n    store [@p], %x\n    %inside: ptr = load [%x]\n    store [@q], %inside\n    return 0\n}}"
    );
    solved("    store [@a], @b\n    %r: i64 = call @strlen(@a)\n    return null", &rest)
}

#[test]
fn models_read_and_write_no_pointers_through_what_their_row_says_is_bytes() {
    let model = keeping("@strlen(%x: ptr) -> i64 model");
    assert_eq!([model.contents("p"), model.contents("q")], ["a+0", ""]);
    let own = keeping("@strlen(%x: ptr) -> i64");
    assert_eq!([own.contents("p"), own.contents("q")], ["a+0", "b+0"], "the program's own function may do anything");
}

#[test]
fn bytes_are_not_written_copied_or_reached_by_moving() {
    let f = "function @bzero(%x: ptr, %n: i64) model {
entry:
    %field = address %x + 8
    store [%field], @b
    memcpy [%field], [@c], 32
    memcpy [@p], [%x], %n
    return
}";
    let body = "    store [@c], @q
    %field = address @a + 8
    store [@a], @number
    call @bzero(@a, 8)
    %x: ptr = load [%field]
    return %x";
    let solved = solved(body, f);
    assert_eq!([solved.returned("main"), solved.contents("p")], ["", ""]);
}

#[test]
fn all_bytes_of_an_object_do_not_stand_for_pointers_into_it() {
    let f = "function @strlen(%x: ptr) -> i64 model {
entry:
    %n: i64 = load [@number]
    %any = address %x + %n*1
    %field = address @a + 8
    %y = select true, %any, %field
    %inside: ptr = load [%y]
    store [@p], %inside
    return 0
}";
    let body = "    store [@a], @c
    %field = address @a + 8
    store [%field], @b
    %r: i64 = call @strlen(@a)
    return null";
    assert_eq!(solved(body, f).contents("p"), "b+0");
}

#[test]
fn bytes_may_come_back_in_the_result() {
    let strcpy = "function @strcpy(%to: ptr, %from: ptr) -> ptr model {
entry:
    %inside: ptr = load [%from]
    store [@p], %inside
    return %to
}";
    let body = "    store [@b], @c\n    store [@a], @q\n    %x: ptr = call @strcpy(@a, @b)\n    %y: ptr = load [%x]\n    return %y";
    let solved = solved(body, strcpy);
    assert_eq!([solved.returned("main"), solved.contents("p")], ["q+0", ""]);
}

#[test]
fn what_was_written_to_a_file_may_be_read_from_any() {
    let body = "    %field = address @c + 8
    store [%field], @a
    %written: i64 = call __ics_host_write(1:i32, @c, 16:i64)
    %read: i64 = call __ics_host_read(3:i32, @b, 16:i64)
    %place = address @b + 24
    %x: ptr = load [%place]
    return %x";
    let files = solved(body, "");
    assert_eq!([files.returned("main"), files.contents("c")], ["a+0", "a+0"]);
    let none = body.replace("    %written: i64 = call __ics_host_write(1:i32, @c, 16:i64)\n", "");
    assert_eq!(solved(&none, "").returned("main"), "", "nothing was written");
}
