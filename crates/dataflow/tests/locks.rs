//! Which locks threads may hold.

use crate::common::{At, analysed, thread};
use icsched_dataflow::{Context, HeldLock, Options, Status};

const LOCKS: &str = "global @m size 8 align 8
global @n size 8 align 8
global @ms size 64 align 8
global @q size 8 align 8 = { 0: @m }
global @flag size 4 align 4
function @lock(%p: ptr) model {
entry:
    call __ics_acquire(%p)
    return
}
function @unlock(%p: ptr) -> i32 model {
entry:
    %x: i32 = load [@flag]
    %c: i1 = icmp.eq %x, 0
    branch %c, wrong, right
wrong:
    call __ics_not_held(%p)
    return 1
right:
    call __ics_release(%p)
    return 0
}
function @wait(%p: ptr) model {
entry:
    call __ics_release(%p)
    call __ics_wait(@flag)
    call __ics_acquire(%p)
    return
}
";

/// The locks that may be held at a stack, in words; `any` if nothing is known.
fn held(text: &str, stack: &[At<'_>]) -> Vec<String> {
    analysed(text, |program, analysis| {
        let context = Context { threads: vec![thread(program, stack, Status::Running)], ..Context::default() };
        let state = analysis.initial_state(&context, &Options::default()).expect("a context of the program");
        if !state.locks_known {
            return vec!["any".to_owned()];
        }
        let say = |held: &HeldLock| match held {
            HeldLock::At { lock, .. } => analysis.pool().describe(program, *lock),
            HeldLock::Within(places) => {
                let of = |&(object, offsets): &(_, icsched_pointsto::Offsets)| {
                    let name = analysis.points_to().describe_object(program, object);
                    offsets.exact().map_or_else(|| format!("{name}+?"), |x| format!("{name}+{x}"))
                };
                format!("in {}", places.iter().map(of).collect::<Vec<_>>().join(", "))
            }
        };
        let mut lines: Vec<String> = state.threads[0].held.iter().map(say).collect();
        lines.extend(state.abandoned.iter().map(|lock| format!("left: {}", say(lock))));
        lines.sort();
        lines
    })
}

fn of_main(body: &str, rest: &str) -> Vec<String> {
    let text = format!(
        "{LOCKS}function @main(%argc: i32) -> i32 {{\nentry:\n{body}\n    %h: i32 = add 12345, 1\n    return 0\n}}\n{rest}"
    );
    held(&text, &[At::Mark(1)])
}

const NONE: [&str; 0] = [];

#[test]
fn what_is_locked_is_held_until_it_is_unlocked() {
    assert_eq!(of_main("    call @lock(@m)\n    call @lock(@n)", ""), ["&m", "&n"]);
    assert_eq!(of_main("    call @lock(@m)\n    call @lock(@n)\n    %u: i32 = call @unlock(@m)", ""), ["&n"]);
    assert_eq!(of_main("    call @lock(@m)\n    %u: i32 = call @unlock(@n)", ""), ["&m"]);
}

#[test]
fn locks_are_counted() {
    let twice = "    call @lock(@m)\n    call @lock(@m)\n    %u: i32 = call @unlock(@m)";
    assert_eq!(of_main(twice, ""), ["&m"]);
    assert_eq!(of_main(&format!("{twice}\n    %v: i32 = call @unlock(@m)"), ""), NONE);
    assert_eq!(of_main("    %u: i32 = call @unlock(@m)\n    call @lock(@m)\n    %v: i32 = call @unlock(@m)", ""), NONE);
}

#[test]
fn a_wait_gives_the_lock_back() {
    assert_eq!(of_main("    call @lock(@m)\n    call @wait(@m)", ""), ["&m"]);
    assert_eq!(of_main("    call @lock(@m)\n    call @wait(@m)\n    %u: i32 = call @unlock(@m)", ""), NONE);
    let text = format!(
        "{LOCKS}function @main() -> i32 {{\nentry:\n    call @lock(@m)\n    call @lock(@n)\n    call @wait(@m)\n    return 0\n}}"
    );
    assert_eq!(held(&text, &[At::Call("main", "wait"), At::Intrinsic("wait", "__ics_wait")]), ["&n"]);
}

#[test]
fn branches_may_hold_what_either_does() {
    let body = |yes: &str, no: &str| {
        format!(
            "    %c: i1 = icmp.eq %argc, 0\n    call @lock(@n)\n    branch %c, yes, no\nyes:\n{yes}\n    jump join\nno:\n{no}\n    jump join\njoin:"
        )
    };
    assert_eq!(of_main(&body("    call @lock(@m)", ""), ""), ["&m", "&n"]);
    assert_eq!(of_main(&body("    %u: i32 = call @unlock(@n)", ""), ""), ["&n"]);
    assert_eq!(of_main(&body("    %u: i32 = call @unlock(@n)", "    %v: i32 = call @unlock(@n)"), ""), NONE);
}

#[test]
fn where_ways_meet_a_lock_has_the_name_that_both_hand_on() {
    let body = |behind: &str| {
        format!(
            "    %c: i1 = icmp.eq %argc, 0\n    branch %c, yes, no\nyes:\n    call @lock(@m)\n    jump join(@m)\nno:\n    call @lock(@n)\n    \
             jump join(@n)\njoin(%l: ptr):\n{behind}"
        )
    };
    assert_eq!(of_main(&body("    %u: i32 = call @unlock(%l)"), ""), NONE);
    assert_eq!(of_main(&body("    %u: i32 = call @unlock(@m)"), ""), ["v2#0"], "it may be the other one");
    let crossed = body("    %u: i32 = call @unlock(%l)").replace("call @lock(@n)", "call @lock(@m)");
    assert_eq!(of_main(&crossed, ""), ["&m"], "the one way hands on another lock than it has taken");
}

#[test]
fn a_lock_that_is_handed_from_iteration_to_iteration_keeps_a_name() {
    let body = "    %first = address @ms + 8\n    call @lock(%first)\n    jump head(@ms)\nhead(%s: ptr):\n    %next: ptr = load [%s]\n    \
                %c: i1 = icmp.eq %next, 0\n    branch %c, done, on\non:\n    %to = address %next + 8\n    call @lock(%to)\n    \
                %from = address %s + 8\n    %u: i32 = call @unlock(%from)\n    jump head(%next)\ndone:";
    let held = of_main(&body.replace("icmp.eq %next, 0", "icmp.eq %next, null"), "");
    assert!(matches!(&held[..], [only] if only.ends_with("+8") && !only.starts_with("in ")), "{held:?}");
    let let_go = format!(
        "{}\n    %last = address %s + 8\n    %v: i32 = call @unlock(%last)",
        body.replace("icmp.eq %next, 0", "icmp.eq %next, null")
    );
    assert_eq!(of_main(&let_go, ""), NONE);
}

#[test]
fn functions_do_it_to_their_parameters() {
    let rest = "function @enter(%s: ptr) {\nentry:\n    %l = address %s + 8\n    call @lock(%l)\n    return\n}
function @leave(%s: ptr) {\nentry:\n    %l = address %s + 8\n    %u: i32 = call @unlock(%l)\n    return\n}";
    assert_eq!(of_main("    call @enter(@ms)", rest), ["&ms+8"]);
    assert_eq!(of_main("    call @enter(@ms)\n    call @leave(@ms)", rest), NONE);
    let other = "    %o = address @ms + 8\n    call @enter(@ms)\n    call @leave(%o)";
    assert_eq!(of_main(other, rest), ["&ms+8"]);
}

#[test]
fn a_lock_whose_address_is_lost_is_one_of_those_it_may_be() {
    let body = "    jump head(0)\nhead(%i: i64):\n    %l = address @ms + %i*8\n    call @lock(%l)\n    %n: i64 = add %i, 1\n    \
                %c: i1 = icmp.slt %n, 4\n    branch %c, head(%n), done\ndone:";
    let few = ["Add(&ms, Mul(v1#0, 8))", "in ms+0, ms+8, ms+16, ms+24"];
    assert_eq!(of_main(body, ""), few, "the last one, and those before");
    let many = body.replace("icmp.slt %n, 4", "icmp.slt %n, 40");
    assert_eq!(of_main(&many, ""), ["Add(&ms, Mul(v1#0, 8))", "in ms+?"]);
    let paired = body.replace("    %n: i64", "    %u: i32 = call @unlock(%l)\n    %n: i64");
    assert_eq!(of_main(&paired, ""), NONE);
    let inside = "function @take() {\nentry:\n    %l: ptr = load [@q]\n    call @lock(%l)\n    return\n}";
    assert_eq!(of_main("    store [@q], @m\n    call @take()\n    store [@q], @n", inside), ["in m+0, n+0"]);
}

#[test]
fn functions_that_call_themselves_may_hold_all_that_any_depth_does() {
    let rest = "function @down(%p: ptr, %d: i32) {\nentry:\n    call @lock(%p)\n    %c: i1 = icmp.eq %d, 0\n    branch %c, end, on
on:\n    %q = address %p + 8\n    %e: i32 = sub %d, 1\n    call @down(%q, %e)\n    jump end\nend:\n    return\n}";
    let all = of_main("    call @down(@ms, %argc)", rest);
    assert!(all.iter().any(|lock| lock.contains("ms+?")), "{all:?}");
}

#[test]
fn what_an_unknown_caller_may_hold_is_held() {
    let rest = "function @work(%p: ptr) {\nentry:\n    %m: i32 = add 12345, 2\n    return\n}";
    let text = |body: &str| format!("{LOCKS}{rest}\nfunction @main() -> i32 {{\nentry:\n{body}\n    return 0\n}}");
    let inside = [At::Mark(2)];
    assert_eq!(held(&text("    call @work(@m)"), &inside), NONE);
    assert_eq!(held(&text("    call @lock(@m)\n    call @work(@m)"), &inside), ["&m"]);
    assert_eq!(held(&text("    call @work(@n)\n    call @lock(@m)\n    call @work(@n)"), &inside), ["&m"]);
    let local = "    %l: ptr = alloca 8 align 8\n    call @lock(%l)\n    call @work(%l)";
    assert_eq!(held(&text(local), &inside), ["v0#0"], "it is the callee's parameter");
}

#[test]
fn a_new_thread_holds_nothing() {
    let text = format!(
        "{LOCKS}function @worker(%p: ptr) -> ptr {{\nentry:\n    %m: i32 = add 12345, 2\n    return null\n}}
function @main() -> i32 {{\nentry:\n    call @lock(@m)\n    %t: i32 = call __ics_thread_create(@worker, null, 1:i32)\n    return 0\n}}"
    );
    assert_eq!(held(&text, &[At::Mark(2)]), NONE);
}

#[test]
fn signal_handlers_that_keep_a_lock_may_do_so_anywhere() {
    let rest = |body: &str| format!("function @handler() {{\nentry:\n    call @lock(@m)\n{body}    return\n}}");
    let body = "    %x: i32 = call __ics_interrupt(0:i32, @handler)";
    assert_eq!(of_main(body, &rest("")), ["any"]);
    assert_eq!(of_main(body, &rest("    %u: i32 = call @unlock(@m)\n")), NONE);
}

#[test]
fn after_a_jump_back_anything_may_be_held() {
    let rest = "global @env size 256 align 16\nfunction @save() -> i32 {\nentry:\n    %r: i32 = call __ics_save_context(@env)\n    return %r\n}";
    let text = "    %r: i32 = call @save()\n    call @lock(@m)\n    %u: i32 = call @unlock(@m)";
    assert_eq!(of_main(text, rest), ["any"]);
}

#[test]
fn locks_of_threads_that_have_ended_stay_taken() {
    let text = |body: &str| {
        format!(
            "{LOCKS}function @worker(%p: ptr) -> ptr {{\nentry:\n{body}\n    return null\n}}
function @start(%p: ptr) -> ptr {{\nentry:\n    %r: ptr = call @worker(%p)\n    call @end()\n    unreachable\n}}
function @end() {{\nentry:\n    call __ics_thread_exit()\n    unreachable\n}}
function @main() -> i32 {{\nentry:\n    %t: i32 = call __ics_thread_create(@start, null, 1:i32)\n    %h: i32 = add 12345, 1\n    return 0\n}}"
        )
    };
    let main = [At::Mark(1)];
    assert_eq!(held(&text("    call @lock(@m)\n    %u: i32 = call @unlock(@m)"), &main), NONE);
    assert_eq!(held(&text("    call @lock(@m)"), &main), ["left: &m"]);
    assert_eq!(held(&text("    call @lock(@m)\n    call @end()"), &main), ["left: &m"]);
    let local = held(&text("    %l: ptr = alloca 8 align 8\n    call @lock(%l)"), &main);
    assert!(matches!(&local[..], [only] if only.starts_with("left: in ")), "{local:?}");
}
