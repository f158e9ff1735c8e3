//! Which objects threads share, and what is written before there are any.

use crate::common::Solved;
use icsched_pointsto::Startup;

const WORKER: &str = "function @worker(%arg: ptr) -> ptr {
entry:
    %own \"own\" = alloca 8 align 8
    store [%own], %arg
    %x: i32 = load [@shared]
    return null
}";

fn program(globals: &str, main: &str, rest: &str) -> Solved {
    Solved::new(&format!(
        "global @shared size 4 align 4\n{globals}\nfunction @main() -> i32 {{\nentry:\n{main}\n    return 0\n}}\n{rest}"
    ))
}

const CREATE: &str = "    %t: i32 = call __ics_thread_create(@worker, null, 1:i32)";

fn shared(solved: &Solved, object: &str) -> bool {
    solved.modref().escape().is_shared(solved.object(object))
}

#[test]
fn a_local_whose_address_stays_with_its_thread_is_its_own() {
    let solved = program("", &format!("    %y \"y\" = alloca 4 align 4\n    store [%y], 1:i32\n{CREATE}"), WORKER);
    assert!(!shared(&solved, "y@main"));
    assert!(!shared(&solved, "own@worker"));
    assert!(shared(&solved, "shared"));
}

#[test]
fn an_argument_of_a_thread_is_shared_with_what_it_leads_to() {
    let main = "    %y \"y\" = alloca 8 align 8
    %z \"z\" = alloca 4 align 4
    store [%y], %z
    %t: i32 = call __ics_thread_create(@worker, %y, 1:i32)";
    let solved = program("", main, WORKER);
    assert!(shared(&solved, "y@main"));
    assert!(shared(&solved, "z@main"));
    assert!(!shared(&solved, "own@worker"));
}

#[test]
fn what_a_global_points_to_is_shared() {
    let main = format!("    %y \"y\" = alloca 4 align 4\n    store [@p], %y\n{CREATE}");
    assert!(shared(&program("global @p size 8 align 8", &main, WORKER), "y@main"));
}

#[test]
fn a_thread_local_global_is_its_threads_own_unless_its_address_escapes() {
    let globals = "global @mine size 8 align 8 thread_local\nglobal @p size 8 align 8";
    let kept = program(globals, &format!("    store [@mine], 1:i64\n{CREATE}"), WORKER);
    assert!(!shared(&kept, "mine"));
    let given = program(globals, &format!("    store [@p], @mine\n{CREATE}"), WORKER);
    assert!(shared(&given, "mine"));
    let inside = format!("    %y \"y\" = alloca 4 align 4\n    store [@mine], %y\n{CREATE}");
    assert!(!shared(&program(globals, &inside, WORKER), "y@main"));
}

#[test]
fn without_threads_nothing_is_shared() {
    assert!(!shared(&program("", "    store [@shared], 1:i32", ""), "shared"));
}

#[test]
fn what_an_unknown_function_was_given_is_shared() {
    let main = format!("    %y \"y\" = alloca 4 align 4\n    call @unheard_of(%y)\n{CREATE}");
    let rest = format!("declare @unheard_of(%x: ptr)\n{WORKER}");
    assert!(shared(&program("", &main, &rest), "y@main"));
}

fn early(solved: &Solved, object: &str) -> bool {
    let modref = solved.modref();
    Startup::new(&modref).written_early_only(&modref, solved.object(object), 0, 4)
}

#[test]
fn writes_are_early_up_to_the_first_thread() {
    let globals = "global @before = i32 0\nglobal @after = i32 0\nglobal @in_thread = i32 0";
    let worker = "function @worker(%arg: ptr) -> ptr {
entry:
    store [@in_thread], 1:i32
    %x: i32 = load [@before]
    return null
}";
    let main = format!("    store [@before], 1:i32\n{CREATE}\n    store [@after], 1:i32");
    let solved = program(globals, &main, worker);
    assert_eq!(["before", "after", "in_thread"].map(|g| early(&solved, g)), [true, false, false]);
}

#[test]
fn only_the_bytes_that_are_written_late_count() {
    let main = format!("    store [@pair], 1:i32\n{CREATE}\n    %x = address @pair + 4\n    store [%x], 1:i32");
    let solved = program("global @pair size 8 align 4", &main, WORKER);
    let modref = solved.modref();
    let startup = Startup::new(&modref);
    let pair = solved.object("pair");
    assert!(startup.written_early_only(&modref, pair, 0, 4));
    assert!(!startup.written_early_only(&modref, pair, 4, 4));
}

#[test]
fn a_function_is_early_if_all_of_its_calls_are() {
    let globals = "global @x = i32 0\nglobal @y = i32 0";
    let main = "    call @set_up()\n    call @both()\n    call @start()\n    call @both()";
    let rest = format!(
        "function @set_up() {{
entry:
    store [@x], 1:i32
    return
}}
function @both() {{
entry:
    store [@y], 1:i32
    return
}}
function @start() {{
entry:
{CREATE}
    return
}}
{WORKER}"
    );
    let solved = program(globals, main, &rest);
    assert_eq!(["x", "y"].map(|g| early(&solved, g)), [true, false]);
    let startup_of = |name| Startup::new(&solved.modref()).entered_late(solved.instance(name));
    assert_eq!(["set_up", "both", "start", "worker"].map(startup_of), [false, true, false, true]);
}

#[test]
fn a_loop_that_creates_threads_comes_round_late() {
    let main = "    %n: i32 = load [@shared]
    jump head(0:i32)
head(%i: i32):
    %more = icmp.slt %i, %n
    branch %more, body, done
body:
    store [@x], 1:i32
    %t: i32 = call __ics_thread_create(@worker, null, 1:i32)
    %j = add %i, 1
    jump head(%j)
done:";
    let main = format!("    store [@y], 1:i32\n{main}");
    let solved = program("global @x = i32 0\nglobal @y = i32 0", &main, WORKER);
    assert_eq!(["x", "y"].map(|g| early(&solved, g)), [false, true]);
}

#[test]
fn what_runs_after_main_is_late() {
    let rest = format!(
        "function @clean_up() {{
entry:
    store [@x], 1:i32
    return
}}
{WORKER}
destructors @clean_up"
    );
    let solved = program("global @x = i32 0", CREATE, &rest);
    assert!(!early(&solved, "x"));
}

#[test]
fn in_a_library_nothing_is_early() {
    let text = "global @x = i32 0\nfunction @set() {\nentry:\n    store [@x], 1:i32\n    return\n}";
    let solved = Solved::new(text);
    assert!(!early(&solved, "x"), "several threads may call it, though it creates none");
}
