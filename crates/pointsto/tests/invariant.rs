//! Which loads are the same throughout a loop, rule by rule: `for (i = 0; i < bound; i++) body`, as it is at -O0.

use crate::common::Solved;
use icsched_ir::{Cfg, CountedLoops, DomTree, LoopForest};
use icsched_pointsto::{InvariantLoads, Startup};

/// Whether the loop of `main` is counted, whose bound is loaded from this address and that does this.
fn is_counted(bound: &str, set_up: &str, body: &str, rest: &str) -> bool {
    is_counted_by(false, bound, set_up, body, rest)
}

/// The same, if the loop orders threads in one direction only.
fn is_counted_by(one_way: bool, bound: &str, set_up: &str, body: &str, rest: &str) -> bool {
    let solved = Solved::new(&format!(
        "global @n size 16 align 8
global @m size 16 align 8
global @p size 8 align 8
global @A size 8 align 8
function @main() -> i32 {{
entry:
    store [@n], 5:i32
{set_up}
    jump head(0:i32)
head(%i: i32):
    %at = address {bound} + 0
    %bound: i32 = load [%at]
    %more = icmp.slt %i, %bound
    branch %more, body, done
body:
{body}
    %j = add %i, 1
    jump head(%j)
done:
    return 0
}}
function @thread(%arg: ptr) {{
entry:
{rest}
    return
}}
function @writes_m() {{
entry:
    store [@m], 1:i32
    return
}}
function @writes_n() {{
entry:
    store [@n], 1:i32
    return
}}"
    ));
    let modref = solved.modref();
    let startup = Startup::new(&modref);
    let loads = InvariantLoads::new(&modref, &startup);
    let main = solved.function("main");
    let function = &solved.program.functions[main];
    let cfg = Cfg::new(function);
    let (dominators, loops) = (DomTree::dominators(&cfg), LoopForest::new(&cfg));
    let invariant = |l, block, at| match one_way {
        true => loads.is_invariant_one_way(main, l, block, at),
        false => loads.is_invariant(main, l, block, at),
    };
    let counts = CountedLoops::with_loads(function, &cfg, &dominators, &loops, &Default::default(), &invariant);
    let [(_, only)] = counts.iter().collect::<Vec<_>>()[..] else { panic!("one loop") };
    only.is_exact
}

const START: &str = "    %t: i32 = call __ics_thread_create(@thread, null, 1:i32)";
const EVENT: &str = "    call __ics_event(@A, 0:i32)";

#[test]
fn a_bound_that_the_loop_does_not_write_is_one_value() {
    let counted = |body: &str| is_counted("@n", "    store [@p], @m", body, "");
    assert!(counted("    store [@m], %i"));
    assert!(!counted("    store [@n], %i"));
    assert!(counted("    %x = address @n + 4\n    store [%x], %i"));
    assert!(!counted("    %x = address @n + 2\n    store [%x], %i"));
    assert!(counted("    call @writes_m()"));
    assert!(!counted("    call @writes_n()"));
    assert!(counted("    %to: ptr = load [@p]\n    store [%to], %i"));
    assert!(!counted("    unsupported \"asm\""));
}

#[test]
fn a_bound_behind_a_pointer_is_one_value_if_the_pointer_is() {
    let counted = |set_up: &str, body: &str| is_counted("%q", &format!("{set_up}\n    %q: ptr = load [@p]"), body, "");
    assert!(counted("    store [@p], @n", "    store [@m], %i"));
    assert!(!counted("    store [@p], @n", "    store [@n], %i"));
    // It may be either.
    let either = "    %v: i1 = icmp.eq @n, @m\n    %x = select %v, @n, @m\n    store [@p], %x";
    assert!(!counted(either, "    store [@m], %i"));
    // Nothing is known of where it points.
    assert!(!counted("", "    store [@m], %i"));
}

#[test]
fn other_threads_write_what_is_shared_only_where_there_is_synchronisation() {
    let write = "    store [@n], 7:i32";
    let nothing = "    store [@m], 7:i32";
    assert!(is_counted("@n", START, "    store [@p], %i", write), "a write by the thread would be a race");
    assert!(!is_counted("@n", START, EVENT, write));
    assert!(is_counted("@n", START, EVENT, nothing), "no thread writes it");
    assert!(is_counted("@n", "", EVENT, write), "there is no thread");
    assert!(!is_counted("@n", "", START, write));
}

#[test]
fn nobody_writes_between_two_loads_of_a_loop_that_only_creates_threads() {
    let counted = |body: &str| is_counted_by(true, "@n", "", body, "    store [@n], 7:i32");
    assert!(counted(START), "what the thread writes is not ordered before the next load");
    assert!(!counted(&format!("{START}\n    store [@n], %i")), "the loop writes it itself");
}

#[test]
fn what_one_thread_alone_has_is_written_by_it_alone() {
    let own = format!("    %own = alloca 4 align 4\n    store [%own], 3:i32\n{START}");
    assert!(is_counted("%own", &own, EVENT, ""));
    let given = own.replace("null", "%own");
    assert!(!is_counted("%own", &given, EVENT, "    store [%arg], 3:i32"));
}
