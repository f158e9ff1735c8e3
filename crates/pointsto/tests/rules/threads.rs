//! What the engine calls: threads, handlers of signals, functions to run at exit.

use crate::common::Solved;
use crate::rules::check::program;

const WORKER: &str = "function @worker(%arg: ptr) -> ptr {\nentry:\n    store [@p], %arg\n    return @c\n}";

fn solved(body: &str, rest: &str) -> Solved {
    Solved::new(&program(body, rest))
}

#[test]
fn a_thread_is_started_with_its_argument() {
    let direct = solved("    %t: i32 = call __ics_thread_create(@worker, @a, 1:i32)\n    return null", WORKER);
    assert_eq!(direct.contents("p"), "a+0");
    assert_eq!(direct.points_to.instances_of(direct.function("worker")).len(), 1);
}

#[test]
fn the_start_of_a_thread_may_be_computed() {
    let body = "    store [@q], @worker
    %f: ptr = load [@q]
    %t: i32 = call __ics_thread_create(%f, @a, 1:i32)
    return null";
    assert_eq!(solved(body, WORKER).contents("p"), "a+0");
}

#[test]
fn a_thread_gets_one_argument() {
    let two = "function @worker(%arg: ptr, %more: ptr) -> ptr {\nentry:\n    store [@p], @a\n    return null\n}";
    let body = "    store [@p], @c\n    %t: i32 = call __ics_thread_create(@worker, @a, 1:i32)\n    return null";
    assert_eq!(solved(body, two).contents("p"), "c+0");
}

#[test]
fn an_interrupt_runs_its_handler() {
    let rest = "function @handler() {\nentry:\n    store [@p], @a\n    return\n}";
    let body = "    %t: i32 = call __ics_interrupt(1:i32, @handler)\n    return null";
    assert_eq!(solved(body, rest).contents("p"), "a+0");
    let body = "    store [@q], @handler\n    %f: ptr = load [@q]\n    %t: i32 = call __ics_interrupt(1:i32, %f)\n    return null";
    assert_eq!(solved(body, rest).contents("p"), "a+0");
}

#[test]
fn functions_to_run_at_exit_are_handed_out() {
    let rest =
        "function @one() {\nentry:\n    return\n}\nfunction @two() {\nentry:\n    return\n}\ndestructors @one, @two";
    let body = "    %f: ptr = call __ics_destructor(0:i32)\n    call *%f()\n    return %f";
    let solved = solved(body, rest);
    assert_eq!(solved.returned("main"), "&one &two");
    assert_eq!(solved.targets("main"), ["", "one two"]);
}

#[test]
fn other_operations_of_the_engine_hand_on_no_pointer() {
    let body = "    store [@p], @a
    call __ics_free(@p)
    call __ics_save_context(@c)
    %size: i64 = call __ics_object_size(@p)
    %room: i64 = call __ics_room(@p)
    %read: i64 = call __ics_host_read(0:i32, @p, 8:i64)
    %input: i64 = call __ics_input(@p, 64:i32)
    %math: i64 = call __ics_math(0:i32, %size, %room)
    %mark: ptr = call __ics_stack_save()
    %sum = or %size, %room
    %more = or %read, %input
    %all = or %sum, %more
    %every = or %all, %math
    %x: ptr = bitcast %every
    %y = select %yes, %x, %mark
    return %y";
    let solved = solved(body, "");
    assert_eq!([solved.returned("main"), solved.contents("p")], ["", "a+0"]);
}
