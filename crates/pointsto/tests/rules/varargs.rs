//! Variable arguments.

use crate::common::Solved;
use crate::rules::check::{program, returned_with};

/// A function that returns what the lines find behind the list that it starts.
fn variadic(lines: &str) -> String {
    format!(
        "function @f(%first: ptr, ...) -> ptr {{
entry:
    %list \"list\" = alloca 24 align 8
    va_start [%list]
{lines}
}}"
    )
}

const CALL: &str = "    %x: ptr = call @f(@a, @b, 7:i32, @c)\n    return %x";
const NEXT: &str = "    %place = address %list + 8\n    %area: ptr = load [%place]\n";

#[test]
fn a_list_leads_to_the_arguments_behind_the_named_ones() {
    assert_eq!(returned_with(CALL, &variadic(&format!("{NEXT}    return %area"))), "...@f+*");
    assert_eq!(returned_with(CALL, &variadic(&format!("{NEXT}    %x: ptr = load [%area]\n    return %x"))), "b+0 c+0");
    let later = format!("{NEXT}    %second = address %area + 16\n    %x: ptr = load [%second]\n    return %x");
    assert_eq!(returned_with(CALL, &variadic(&later)), "b+0 c+0", "places are not told apart");
}

#[test]
fn the_rest_of_a_list_is_numbers() {
    assert_eq!(returned_with(CALL, &variadic("    %x: ptr = load [%list]\n    return %x")), "");
    let last = "    %last = address %list + 16\n    %x: ptr = load [%last]\n    return %x";
    assert_eq!(returned_with(CALL, &variadic(last)), "");
}

#[test]
fn a_copied_list_leads_there_too() {
    let copied = "    %other = alloca 32 align 8
    va_copy [%other], [%list]
    %place = address %other + 8
    %area: ptr = load [%place]
    %x: ptr = load [%area]
    return %x";
    assert_eq!(returned_with(CALL, &variadic(copied)), "b+0 c+0");
    let computed = "function @f(%first: ptr, ...) -> ptr {
entry:
    %lists \"lists\" = alloca 64 align 8
    %list = address %lists + 8
    %other = address %lists + 32
    %same = address %lists + 8
    va_start [%list]
    va_copy [%other], [%same]
    %area: ptr = call @second(%lists)
    %x: ptr = load [%area]
    return %x
}
function @second(%lists: ptr) -> ptr {
entry:
    %place = address %lists + 40
    %area: ptr = load [%place]
    return %area
}";
    assert_eq!(returned_with(CALL, computed), "b+0 c+0");
    let started = "    %second = address %first + 32
    va_copy [%second], [%list]
    %place = address %first + 40
    %area: ptr = load [%place]
    %x: ptr = load [%area]
    return %x";
    assert_eq!(returned_with(CALL, &variadic(started)), "b+0 c+0");
    let behind = "    %behind = address %first + 24
    store [%behind], @p
    %other = alloca 32 align 8
    va_copy [%other], [%first]
    %place = address %other + 24
    %x: ptr = load [%place]
    return %x";
    assert_eq!(returned_with(CALL, &variadic(behind)), "", "24 bytes of it");
}

#[test]
fn a_list_is_handed_to_other_functions() {
    let rest = format!(
        "{}\nfunction @use(%list: ptr) -> ptr {{\nentry:\n{NEXT}    %x: ptr = load [%area]\n    return %x\n}}",
        variadic("    %x: ptr = call @use(%list)\n    return %x")
    );
    assert_eq!(returned_with(CALL, &rest), "b+0 c+0");
}

#[test]
fn calls_through_pointers_pass_them_too() {
    let body = "    store [@p], @f\n    %f: ptr = load [@p]\n    %x: ptr = call *%f(@a, @b)\n    return %x";
    assert_eq!(returned_with(body, &variadic(&format!("{NEXT}    %x: ptr = load [%area]\n    return %x"))), "b+0");
}

#[test]
fn models_are_told_which_of_them_are_bytes() {
    let printf = |name: &str| {
        let rest = variadic(&format!(
            "{NEXT}    %x: ptr = load [%area]\n    store [@q], %x\n    %y: ptr = load [%x]\n    return %y"
        ))
        .replace("@f(", &format!("@{name}("))
        .replace("-> ptr {", "-> ptr model {");
        let body = format!("    store [@b], @c\n    %x: ptr = call @{name}(@a, @b)\n    return %x");
        let solved = Solved::new(&program(&body, &rest));
        [solved.contents("q"), solved.returned("main")]
    };
    assert_eq!(printf("printf"), ["b+0", ""], "what is printed");
    assert_eq!(printf("no_function_of_the_library"), ["b+0", "c+0"]);
}
