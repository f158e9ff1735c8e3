//! What is not known: functions without a row, code that was not lowered, variables that are only declared.

use crate::common::Solved;
use crate::rules::check::{program, returned_with};

const UNKNOWN: &str = "declare @unheard_of(%x: ptr) -> ptr";

fn solved(body: &str, rest: &str) -> Solved {
    Solved::new(&program(body, rest))
}

#[test]
fn an_unknown_function_returns_what_it_can_reach_and_things_of_its_own() {
    let body = "    store [@a], @b\n    %x: ptr = call @unheard_of(@a)\n    return %x";
    assert_eq!(returned_with(body, UNKNOWN), "a+* b+* outside+*");
    assert_eq!(returned_with("    %x: ptr = call @unheard_of(null)\n    return %x", UNKNOWN), "outside+*");
}

#[test]
fn what_it_returns_leads_to_the_same() {
    let body = "    %x: ptr = call @unheard_of(@a)\n    %y: ptr = load [%x]\n    return %y";
    assert_eq!(returned_with(body, UNKNOWN), "a+* outside+*");
}

#[test]
fn an_unknown_function_stores_everything_in_everything() {
    let body = "    store [@a], @b\n    store [@c], @q\n    call @unheard_of(@a)\n    return null";
    let solved = solved(body, UNKNOWN);
    assert_eq!(solved.contents("a"), "a+* b+* outside+*");
    assert_eq!(solved.contents("b"), "a+* b+* outside+*");
    assert_eq!(solved.contents("outside"), "a+* b+* outside+*");
    assert_eq!(solved.contents("c"), "q+0", "that it cannot reach");
}

#[test]
fn an_unknown_function_calls_what_it_can_reach() {
    let rest = "function @called(%x: ptr, %y: ptr) -> ptr {
entry:
    store [@p], %y
    return @c
}
declare @unheard_of(%x: ptr, %f: ptr) -> ptr";
    let solved = solved("    %x: ptr = call @unheard_of(@a, @called)\n    return %x", rest);
    let all = "&called a+* c+* outside+*";
    assert_eq!([solved.contents("p"), solved.returned("main")], [all; 2]);
}

#[test]
fn an_unknown_function_does_not_move_an_address_back_to_a_function() {
    let called = "function @called(%x: ptr) {\nentry:\n    store [@p], @b\n    return\n}";
    let rest = format!("{UNKNOWN}\n{called}");
    let body = "    store [@p], @c\n    %x = address @called + 8\n    call @unheard_of(%x)\n    return null";
    assert_eq!(solved(body, &rest).contents("p"), "c+0");
}

#[test]
fn an_unknown_function_may_be_called_through_a_pointer() {
    let body = "    store [@p], @unheard_of\n    %f: ptr = load [@p]\n    %x: ptr = call *%f(@a)\n    return %x";
    assert_eq!(returned_with(body, UNKNOWN), "a+* outside+*");
    assert_eq!(solved(body, UNKNOWN).targets("main"), ["unheard_of"]);
}

#[test]
fn code_that_was_not_lowered_gives_what_is_outside() {
    let body = "    %r: ptr = call @unheard_of(@a)\n    %x: ptr = unsupported \"asm\"\n    return %x";
    assert_eq!(returned_with(body, UNKNOWN), "a+* outside+*");
    assert_eq!(returned_with("    %x: ptr = unsupported \"asm\"\n    return %x", ""), "outside+*");
}

#[test]
fn what_was_not_known_is_said_once() {
    let body = "    %x: ptr = call @unheard_of(@a)
    %y: ptr = call @unheard_of(@b)
    unsupported \"asm\"
    %z: ptr = load [@far]
    branch %yes, end, never
end:
    return %x
never:
    unsupported_end \"callbr\"";
    let rest = format!("{UNKNOWN}\nglobal @far size 8 align 8 external\nglobal @unused size 8 align 8 external");
    assert_eq!(
        solved(body, &rest).notes(),
        [
            "`unheard_of` has no definition and is not known: it may store and call everything it can reach",
            "the variable `far` has no definition: it may hold everything that is known outside",
            "not analysed: asm",
            "not analysed: callbr",
        ]
    );
    let rest = "declare @strlen(%x: ptr) -> i64\nglobal @environ size 8 align 8 external";
    let known = solved("    %x: i64 = call @strlen(@a)\n    %y: ptr = load [@environ]\n    return %y", rest);
    assert_eq!(known.notes(), [""; 0]);
}

#[test]
fn a_variable_that_is_only_declared_is_one_of_the_outside() {
    let far = "global @far size 8 align 8 external";
    let outside = "a+* far+* outside+*";
    assert_eq!(returned_with("    store [@far], @a\n    %x: ptr = load [@far]\n    return %x", far), outside);
    let body = "    store [@far], @p\n    store [@p], null\n    %x: ptr = load [@p]\n    return %x";
    assert_eq!(returned_with(body, far), "far+* outside+* p+*", "what it leads to is written there");
    let body = "    store [@far], @a\n    %x: ptr = call @unheard_of(@b)\n    return %x";
    assert_eq!(returned_with(body, &format!("{UNKNOWN}\n{far}")), "a+* b+* far+* outside+*");
    assert_eq!(returned_with("    store [@p], @a\n    return @p", far), "p+0", "if it is used");
}

#[test]
fn a_place_is_said_where_it_is_known() {
    let body = "    unsupported \"asm\" at main.c:3\n    return null";
    assert_eq!(solved(body, "").notes(), ["main.c:3: not analysed: asm"]);
}
