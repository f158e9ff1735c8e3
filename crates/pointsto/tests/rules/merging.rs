//! What is known to be equal is one node, and what is new gets everywhere in one wave: rules that change no answer, but
//! without which large programs are not solved.

use icsched_pointsto::Statistics;

use crate::common::Solved;
use crate::rules::check::program;

fn statistics(body: &str, rest: &str) -> Statistics {
    *Solved::new(&program(body, rest)).points_to.statistics()
}

/// How many more nodes become one with another in the first program than in the second.
fn more_merged(equal: &str, other: &str) -> usize {
    statistics(equal, "").merged - statistics(other, "").merged
}

/// Keeps two values, so that they are followed.
const KEEP: &str = "    store [@a], %x\n    store [@b], %y\n    return null";

#[test]
fn equal_loads_are_one() {
    let loads = |second: &str| format!("    %x: ptr = load [@p]\n    %y: ptr = load [{second}]\n{KEEP}");
    assert_eq!(more_merged(&loads("@p"), &loads("@q")), 1);
}

#[test]
fn equal_moves_are_one() {
    let moves = |second: &str| {
        format!("    %z: ptr = load [@p]\n    %x = address %z + 8\n    %y = address %z + {second}\n{KEEP}")
    };
    assert_eq!(more_merged(&moves("8"), &moves("16")), 1);
}

#[test]
fn a_value_that_is_another_one_is_one_with_it() {
    let copy = |op: &str| format!("    %x: ptr = load [@p]\n    %y: ptr = {op}\n{KEEP}");
    assert_eq!(more_merged(&copy("freeze %x"), &copy("load [@q]")), 1);
}

/// A block with two parameters and the values that it gets from two others.
fn choices(first: [&str; 2], second: [&str; 2]) -> String {
    choices_then(first, second, KEEP)
}

/// The same with these lines behind it.
fn choices_then(first: [&str; 2], second: [&str; 2], lines: &str) -> String {
    let ([a, b], [c, d]) = (first, second);
    format!(
        "    %u: ptr = load [@p]
    %v: ptr = load [@q]
    %w: ptr = freeze %u
    %kept = address @a + 56
    store [%kept], %w
    branch %yes, next({a}, {b}), other
other:
    jump next({c}, {d})
next(%x: ptr, %y: ptr):
{lines}"
    )
}

#[test]
fn choices_between_the_same_are_one() {
    let base = choices(["%u", "%v"], ["%v", "@c"]);
    assert_eq!(more_merged(&choices(["%u", "%u"], ["%v", "%v"]), &base), 1);
    assert_eq!(more_merged(&choices(["%u", "%v"], ["%v", "%u"]), &base), 1, "in any order");
    assert_eq!(more_merged(&choices(["%u", "%w"], ["%v", "%v"]), &base), 1, "when that is known");
    assert_eq!(more_merged(&choices(["%u", "%v"], ["%u", "@c"]), &base), 1, "there is no choice");
    assert_eq!(more_merged(&choices(["%u", "%v"], ["%w", "@c"]), &base), 1, "there is none");
}

#[test]
fn choices_of_functions_that_are_called_late_are_compared() {
    let merged = |last: &str| {
        // Nothing else in it is merged.
        let late = choices(["%u", "%u"], ["%v", last]).replace("freeze %u", "load [@number]");
        let late = late.replace("return null", "return");
        let function = format!("function @f(%yes: i1) {{\nentry:\n{late}\n}}");
        let call = "    store [@c], @f\n    %f: ptr = load [@c]\n    call *%f(%yes)\n    return null";
        statistics(call, &function).merged
    };
    assert_eq!(merged("%v"), merged("@c") + 1);
}

#[test]
fn a_choice_between_a_value_and_itself_is_none() {
    // `%z` is stored by the time it is found to be `%x`.
    let again = |back: &str| {
        format!(
            "    %u: ptr = load [@p]
    jump head(%u)
head(%x: ptr):
    jump copy
used:
    store [@a], %z
    store [@b], %z
    branch %yes, head({back}), done
copy:
    %z = freeze %x
    jump used
done:
    return null"
        )
    };
    assert_eq!(more_merged(&again("%z"), &again("@c")), 1);
    assert_eq!(more_merged(&again("%x"), &again("@c")), 1);
}

#[test]
fn what_is_computed_alike_from_equal_values_is_equal() {
    let both = |lines: &str| {
        let lines = format!("{lines}\n    return null");
        let of = |last| choices_then(["%u", "%u"], ["%v", last], &lines);
        more_merged(&of("%v"), &of("@c"))
    };
    assert_eq!(both("    store [@a], %x\n    store [@b], %y"), 1);
    let moves = "    %m = address %x + 8\n    %o = address %y + 8\n    store [@a], %m\n    store [@b], %o";
    assert_eq!(both(moves), 2);
    let loads = "    %m: ptr = load [%x]\n    %o: ptr = load [%y]\n    store [@a], %m\n    store [@b], %o";
    assert_eq!(both(loads), 2);
    assert_eq!(both("    store [%x], @a\n    store [%y], @b"), 2, "what is stored through either");
    assert_eq!(both("    %m: i32 = load [@q]\n    store [%x], @a\n    store [%y], %m"), 1, "as wide");
    let choices = "    branch %yes, last(%x, %y), also
also:
    jump last(@a, @a)
last(%m: ptr, %o: ptr):
    store [@a], %m
    store [@b], %o";
    assert_eq!(both(choices), 2);
    let before = |last: &str| {
        format!(
            "    %u: ptr = load [@p]
    %v: ptr = load [@q]
    jump choose
chosen:
    branch %yes, last(%x, %y), also
also:
    jump last(@a, @a)
choose:
    branch %yes, next(%u, %u), other
other:
    jump next(%v, {last})
next(%x: ptr, %y: ptr):
    jump chosen
last(%m: ptr, %o: ptr):
    store [@a], %m
    store [@b], %o
    return null"
        )
    };
    assert_eq!(more_merged(&before("%v"), &before("@c")), 2, "seen again");
}

/// A program in which `%x` and `%y` are found to be equal before it is known that they point to `@c`, where `@a` is.
fn equal_then(lines: &str, rest: &str) -> Solved {
    let lines = format!("    store [@c], @a\n{lines}    store [@p], @c\n    return null");
    Solved::new(&program(&choices_then(["%u", "%u"], ["%v", "%v"], &lines), rest))
}

#[test]
fn what_is_done_with_either_of_equal_values_is_done() {
    let function = "function @f(%x: ptr) -> ptr {\nentry:\n    store [@number], %x\n    return null\n}";
    let contents = |lines: &str, of: &str| equal_then(lines, function).contents(of);
    for [one, other] in [["%x", "%y"], ["%y", "%x"]] {
        assert_eq!(contents(&format!("    store [@b], {one}\n"), "b"), "c+0", "{one}");
        assert_eq!(contents(&format!("    %m = address {one} + 8\n    store [@b], %m\n"), "b"), "c+8", "{one}");
        assert_eq!(contents(&format!("    %m: ptr = load [{one}]\n    store [@b], %m\n"), "b"), "a+0", "{one}");
        assert_eq!(contents(&format!("    store [{one}], @b\n"), "c"), "a+0 b+0", "{one}");
        assert_eq!(contents(&format!("    memcpy [@b], [{one}], %n\n"), "b"), "a+0", "{one}");
        assert_eq!(contents(&format!("    store [@b], @q\n    memcpy [{one}], [@b], %n\n"), "c"), "a+0 q+0", "{one}");
        let call = format!("    store [@p], @f\n    call *{one}(@b)\n");
        assert_eq!(contents(&call, "number"), "b+0", "{one}");
        // The same is done with the other one, in another way.
        let load = format!(
            "    %m: i32 = load [{one}]\n    store [@b], %m\n    %o: ptr = load [{other}]\n    %at = address @b + 8\n    store [%at], %o\n"
        );
        let at = |at: i64| {
            format!("{load}    %part = address @b + {at}\n    %r: ptr = load [%part]\n    store [@number], %r\n")
        };
        assert_eq!([contents(&at(0), "number"), contents(&at(8), "number")], ["a+0", "a+0"], "{one}");
        let both = format!("    store [{one}], @b\n    %o: ptr = load [{other}]\n    store [@number], %o\n");
        assert_eq!(contents(&both, "number"), "a+0 b+0", "{one}");
        let both = format!(
            "    %m = address {one} + 8\n    store [@b], %m\n    %o = address {other} + 16\n    store [@number], %o\n"
        );
        assert_eq!([contents(&both, "b"), contents(&both, "number")], ["c+8", "c+16"], "{one}");
        let both = format!(
            "    %m = address {one} + 8\n    store [@b], %m\n    %o = address {other} + 8\n    store [@number], %o\n"
        );
        assert_eq!([contents(&both, "b"), contents(&both, "number")], ["c+8"; 2], "{one}");
        let both = format!(
            "    %m: ptr = load [{one}]\n    store [@b], %m\n    %o: ptr = load [{other}]\n    store [@number], %o\n"
        );
        assert_eq!([contents(&both, "b"), contents(&both, "number")], ["a+0"; 2], "{one}");
        let both = format!("    store [{one}], @b\n    store [{other}], @q\n");
        assert_eq!(contents(&both, "c"), "a+0 b+0 q+0", "{one}");
        let both = format!("    store [@p], @f\n    call *{one}(@b)\n    call *{other}(@q)\n");
        assert_eq!(contents(&both, "number"), "b+0 q+0", "{one}");
        let both = format!("    memcpy [@b], [{one}], %n\n    memcpy [@number], [{other}], %n\n");
        assert_eq!([contents(&both, "b"), contents(&both, "number")], ["a+0"; 2], "{one}");
    }
}

/// What gets into `@number` where `%x` is known to be one pointer and `%y` another before either is found to get what
/// the other has. There is `@c` in `@a`, and `@b` in itself.
fn cycle_then([one, other]: [&str; 2], lines: &str) -> String {
    let body = format!(
        "    store [@a], @c
    store [@b], @b
    store [@p], {one}
    store [@q], {other}
    %x: ptr = load [@p]
    %y: ptr = load [@q]
{lines}
    store [@q], %x
    store [@p], %y
    return null"
    );
    let functions =
        "function @f() -> ptr {\nentry:\n    return @a\n}\nfunction @g() -> ptr {\nentry:\n    return @b\n}";
    Solved::new(&program(&body, functions)).contents("number")
}

#[test]
fn what_is_done_with_a_value_of_a_cycle_is_done_with_all_that_it_gets() {
    for value in ["%x", "%y"] {
        let of = |lines: &str| cycle_then(["@a", "@b"], &format!("{lines}\n    store [@number], %m"));
        assert_eq!(of(&format!("    %m = freeze {value}")), "a+0 b+0", "{value}");
        assert_eq!(of(&format!("    %m = address {value} + 8")), "a+8 b+8", "{value}");
        assert_eq!(of(&format!("    %m: ptr = load [{value}]")), "b+0 c+0", "{value}");
        for place in ["@a", "@b"] {
            let lines = format!(
                "    %at = address {value} + 8\n    store [%at], @p\n    %part = address {place} + 8\n    %m: ptr = load [%part]"
            );
            assert_eq!(of(&lines), "p+0", "{value}");
        }
        assert_eq!(
            of(&format!("    memcpy [@number], [{value}], %n\n    %m: ptr = freeze null")),
            "b+0 c+0",
            "{value}"
        );
        let call = format!("    %m: ptr = call *{value}()\n    store [@number], %m");
        assert_eq!(cycle_then(["@f", "@g"], &call), "a+0 b+0", "{value}");
    }
}

#[test]
fn what_one_call_passes_and_gets_is_the_parameter_and_the_result() {
    let merged = |calls: &str| {
        let body = format!("    %x: ptr = load [@p]\n{calls}\n    store [@a], %y\n    return null");
        let rest = "function @told_apart(%x: ptr) -> ptr {\nentry:\n    store [@q], %x\n    return %x\n}
function @shared(%x: ptr, ...) -> ptr {\nentry:\n    store [@q], %x\n    return %x\n}";
        statistics(&body, rest).merged
    };
    let none = merged("    %y: ptr = load [@q]");
    assert_eq!(merged("    %y: ptr = call @shared(%x)"), none + 1, "the result");
    assert_eq!(merged("    %y: ptr = call @told_apart(%x)"), none + 2, "both");
}

#[test]
fn cycles_are_one() {
    let cycle = |back: &str| {
        format!(
            "    store [@p], @a\n    %x: ptr = load [@p]\n    store [@q], %x\n    %y: ptr = load [@q]\n    store [{back}], %y\n    return null"
        )
    };
    // The two variables, what is loaded from them, and what is stored through their addresses.
    assert_eq!(more_merged(&cycle("@p"), &cycle("@c")), 5);
}

#[test]
fn what_is_new_passes_a_chain_of_copies_in_one_wave() {
    let waves = |copies: usize| {
        let lines: String = (1..=copies).map(|at| format!("    %x{at} = select %yes, %x{}, @b\n", at - 1)).collect();
        let body = format!("{lines}    store [@q], %x{copies}\n    store [@p], @a\n    return null");
        statistics(&format!("    %x0: ptr = load [@p]\n{body}"), "").waves
    };
    assert_eq!(waves(40), waves(2));
}

/// How many locations what `main` returns points to.
fn locations(body: &str) -> usize {
    let solved = Solved::new(&program(body, ""));
    let main = solved.function("main");
    let last = solved.program.functions[main].values.ids().last().expect("a value");
    solved.points_to.pointer_info(main, last.into()).locations.len()
}

#[test]
fn a_set_with_all_of_an_object_has_no_parts_of_it() {
    let part = "    %part = address @a + 8\n    %other = address @b + 8\n";
    let any = "    %any = address @a + %n*1\n";
    let choice = |one: &str, other: &str| format!("    %x = select %yes, {one}, {other}\n    return %x");
    assert_eq!(locations(&format!("{part}{any}{}", choice("%any", "%part"))), 1);
    assert_eq!(locations(&format!("{part}{any}{}", choice("%part", "%any"))), 1);
    assert_eq!(locations(&format!("{part}{any}{}", choice("%other", "%any"))), 2);
    let moved = "    %y = select %yes, @a, %part\n    %x = address %y + %n*1\n    return %x";
    assert_eq!(locations(&format!("{part}{moved}")), 1, "both are moved to it");
    let rounded = "    %each = address @a + %n*16
    %y = select %yes, %each, %part
    %i: i64 = bitcast %y
    %j = and %i, -8
    %x: ptr = bitcast %j
    return %x";
    assert_eq!(locations(&format!("{part}{rounded}")), 1, "one is moved to all of it");
    let some = "    %y = select %yes, %any, %other\n    %z = select %yes, @a, %other\n    %x = select %yes, %y, %z\n    return %x";
    assert_eq!(locations(&format!("{part}{any}{some}")), 2);
}
