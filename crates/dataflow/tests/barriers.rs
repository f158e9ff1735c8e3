//! What barriers may have been told to expect.

use crate::common::{At, analysed, thread};
use icsched_dataflow::{Context, Count, Options, Status};

const BARRIERS: &str = "global @b size 32 align 8
global @c size 32 align 8
global @n size 4 align 4
global @wide size 8 align 8
function @barrier_init(%b: ptr, %n: i32) model {
entry:
    call __ics_barrier_init(%b, %n)
    return
}
function @worker(%p: ptr) -> ptr {
entry:
    return null
}
";

/// Per initialisation which barriers it is about and what they are to expect, in words.
fn counts(body: &str, rest: &str) -> Vec<String> {
    let text = format!(
        "{BARRIERS}function @main(%argc: i32) -> i32 {{\nentry:\n{body}\n    %h: i32 = add 12345, 1\n    return 0\n}}\n{rest}"
    );
    analysed(&text, |program, analysis| {
        let context = Context { threads: vec![thread(program, &[At::Mark(1)], Status::Running)], ..Context::default() };
        let state = analysis.initial_state(&context, &Options::default()).expect("a context of the program");
        let points_to = analysis.points_to();
        let said = state.barriers.iter().map(|known| {
            let objects = known.barriers.iter().map(|b| points_to.describe_object(program, b.0));
            let count = match known.count {
                Count::Constant(number) => number.to_string(),
                Count::Place(place) => place.describe(program, analysis.pool()),
                Count::Any => "any".to_owned(),
            };
            format!("{}: {count}", objects.collect::<Vec<_>>().join(", "))
        });
        said.collect()
    })
}

const CREATE: &str = "    %t: i32 = call __ics_thread_create(@worker, null, 1:i32)\n";

#[test]
fn a_number_is_followed_to_the_call() {
    assert_eq!(counts("    call @barrier_init(@b, 3)", ""), ["b: 3"]);
    assert_eq!(counts("    call @barrier_init(@b, 3)\n    call @barrier_init(@c, 4)", ""), ["b: 3", "c: 4"]);
    let own = "function @make(%b: ptr, %k: i32) {\nentry:\n    call @barrier_init(%b, %k)\n    return\n}";
    assert_eq!(counts("    call @make(@b, 5)\n    call @make(@c, 6)", own), ["b: 5", "c: 6"]);
}

#[test]
fn a_variable_counts_while_it_is_not_written() {
    let init = "    store [@n], %argc\n    %x: i32 = load [@n]\n    call @barrier_init(@b, %x)\n";
    assert_eq!(counts(&format!("{init}{CREATE}"), ""), ["b: n+0:4"]);
    assert_eq!(counts(&format!("{init}    store [@n], 7:i32"), ""), ["b: any"], "written later");
    assert_eq!(counts(&format!("{CREATE}{init}"), ""), ["b: any"], "written when there are threads");
    let wide = "    %w: i64 = load [@wide]\n    %x: i32 = trunc %w\n    call @barrier_init(@b, %x)";
    assert_eq!(counts(&format!("    %a: i64 = sext %argc\n    store [@wide], %a\n{wide}"), ""), ["b: wide+0:4"]);
}

#[test]
fn what_callers_do_behind_the_call_counts_too() {
    let own = "function @make() {\nentry:\n    %x: i32 = load [@n]\n    call @barrier_init(@b, %x)\n    return\n}";
    let body = |behind: &str| format!("    store [@n], %argc\n    call @make()\n{behind}");
    assert_eq!(counts(&body(""), own), ["b: n+0:4"]);
    assert_eq!(counts(&body("    store [@n], 7:i32"), own), ["b: any"]);
}

#[test]
fn what_is_computed_is_not_known() {
    assert_eq!(counts("    call @barrier_init(@b, %argc)", ""), ["b: any"]);
    assert_eq!(counts("", "function @never() {\nentry:\n    call @barrier_init(@c, 3)\n    return\n}"), [""; 0]);
}
