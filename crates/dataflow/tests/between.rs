//! What holds between threads.

use crate::common::{At, analysed, thread};
use icsched_dataflow::{Context, Options, RelationKind, Status};

const MODELS: &str = "global @table size 64 align 8
global @items size 800 align 8
global @next size 4 align 4
global @own size 8 align 8
function @trampoline(%block: ptr) -> ptr model {
entry:
    %start: ptr = load [%block]
    %field = address %block + 8
    %arg: ptr = load [%field]
    %result: ptr = call *%start(%arg)
    return %result
}
function @create(%start: ptr, %arg: ptr) model {
entry:
    %slot: i32 = load [@table]
    %index: i64 = zext %slot
    %block = address @table + %index*16
    store [%block], %start
    %field = address %block + 8
    store [%field], %arg
    %thread: i32 = call __ics_thread_create(@trampoline, %block, %slot)
    return
}
function @lock(%m: ptr) model {
entry:
    call __ics_acquire(%m)
    call __ics_event(%m, 0:i32)
    return
}
function @unlock(%m: ptr) model {
entry:
    call __ics_release(%m)
    call __ics_event(%m, 0:i32)
    return
}
function @worker(%p: ptr) -> ptr {
entry:
    call @deep(%p)
    return null
}
function @deep(%q: ptr) {
entry:
    %m: i32 = add 12345, 2
    return
}
";

/// What holds between two threads at a stack, in words.
fn relations(text: &str, stack: &[At<'_>]) -> Vec<String> {
    analysed(text, |program, analysis| {
        let mut one = thread(program, stack, Status::Running);
        one.complete = matches!(stack[0], At::Call("trampoline", _));
        let context = Context { threads: vec![one.clone(), one], ..Context::default() };
        let state = analysis.initial_state(&context, &Options::default()).expect("a context of the program");
        let say = |r: &icsched_dataflow::Relation| {
            let sign = if r.kind == RelationKind::Equal { "==" } else { "!=" };
            let side = |(thread, e)| format!("{thread}:{}", analysis.pool().describe(program, e));
            format!("{} {sign} {}", side(r.a), side(r.b))
        };
        state.relations.iter().map(say).collect()
    })
}

fn main_with(body: &str) -> String {
    format!("{MODELS}function @main(%argc: i32) -> i32 {{\nentry:\n{body}\n    return 0\n}}")
}

const NONE: [&str; 0] = [];

/// A loop around the creation, with `%i` counting from 0.
fn created_in_loop(argument: &str) -> String {
    main_with(&format!(
        "    jump head(0)\nhead(%i: i32):\n    %c: i1 = icmp.slt %i, %argc\n    branch %c, body, done\nbody:\n{argument}\n    \
         call @create(@worker, %arg)\n    %n: i32 = add %i, 1\n    jump head(%n)\ndone:"
    ))
}

#[test]
fn threads_of_a_loop_have_arguments_of_their_own() {
    let stack = [At::Call("trampoline", "*"), At::Call("worker", "deep"), At::Mark(2)];
    let item = created_in_loop("    %w: i64 = sext %i\n    %arg = address @items + %w*8");
    assert_eq!(
        relations(&item, &stack),
        ["0:v0#1 != 1:v0#1", "0:v0#1 != 1:v0#2", "0:v0#2 != 1:v0#1", "0:v0#2 != 1:v0#2"]
    );
    assert_eq!(relations(&item, &[At::Mark(2)]), ["0:v0#0 != 1:v0#0"], "the only caller passes it on");
    let same = created_in_loop("    %w: i64 = sext %i\n    %z: i64 = and %w, 1\n    %arg = address @items + %z*8");
    assert_eq!(relations(&same, &[At::Mark(2)]), NONE);
    let fixed = created_in_loop("    %arg = address @items + 8");
    assert_eq!(relations(&fixed, &[At::Mark(2)]), NONE);
    let also = item.replace("done:", "done:\n    call @create(@worker, @items)");
    assert_eq!(relations(&also, &[At::Mark(2)]), NONE, "the last one may have what one of the loop has");
    let called = item.replace("done:", "done:\n    call @deep(@items)");
    assert_eq!(relations(&called, &[At::Mark(2)]), NONE);
}

#[test]
fn a_launcher_for_one_start_function_needs_no_parameter_for_it() {
    let text = created_in_loop("    %w: i64 = sext %i\n    %arg = address @items + %w*8");
    let special = text.replace("store [%block], %start", "store [%block], @worker");
    assert_ne!(text, special);
    let stack = [At::Mark(2)];
    assert_eq!(relations(&special, &stack), relations(&text, &stack));
}

#[test]
fn a_loop_that_runs_twice_passes_everything_twice() {
    let item = created_in_loop("    %w: i64 = sext %i\n    %arg = address @items + %w*8");
    let twice = item.replace("function @main(%argc: i32)", "function @start(%argc: i32)")
        + "\nfunction @main() -> i32 {\nentry:\n    %a: i32 = call @start(2)\n    %b: i32 = call @start(2)\n    return 0\n}";
    assert_eq!(relations(&twice, &[At::Mark(2)]), NONE);
    let once = twice.replace("    %b: i32 = call @start(2)\n", "");
    assert_eq!(relations(&once, &[At::Mark(2)]), ["0:v0#0 != 1:v0#0"]);
}

#[test]
fn constants_that_differ_do() {
    let two =
        |second: &str| main_with(&format!("    call @create(@worker, @items)\n    call @create(@worker, {second})"));
    assert_eq!(relations(&two("@own"), &[At::Mark(2)]), ["0:v0#0 != 1:v0#0"]);
    assert_eq!(relations(&two("@items"), &[At::Mark(2)]), NONE);
}

/// Threads that take numbers; the mark is behind that.
fn counting(body: &str, rest: &str) -> String {
    let main = created_in_loop("    %arg = address @items + 8")
        .replace("entry:\n    jump head", "entry:\n    store [@next], 0:i32\n    jump head");
    let worker = format!("    call @lock(@own)\n{body}\n    call @lock(@own)\n    %m: i32 = add 12345, 3\n    {rest}");
    main.replace("    call @deep(%p)", &worker)
}

#[test]
fn numbers_from_a_counter_differ() {
    let number = "    %x: i32 = load [@next]\n    %y: i32 = add %x, 1\n    store [@next], %y";
    assert_eq!(relations(&counting(number, ""), &[At::Mark(3)]), ["0:v1#0 != 1:v1#0"]);
    let again =
        "    %x: i32 = load [@next]\n    %o: i32 = load [@next]\n    %y: i32 = add %o, 1\n    store [@next], %y";
    assert_eq!(relations(&counting(again, ""), &[At::Mark(3)]), ["0:v1#0 != 1:v1#0"], "the second load gives the same");
    let acquires = number.replace("    %y", "    call @lock(@own)\n    %y");
    assert_eq!(relations(&counting(&acquires, ""), &[At::Mark(3)]), ["0:v1#0 != 1:v1#0"], "nobody else is let in");
    let apart = number.replace("    %y", "    call @unlock(@own)\n    %y");
    assert_eq!(relations(&counting(&apart, ""), &[At::Mark(3)]), NONE, "another thread may load in between");
    assert_eq!(relations(&counting(number, "store [@next], 0:i32"), &[At::Mark(3)]), NONE, "written again");
    let maybe = "    %x: i32 = load [@next]\n    %c: i1 = icmp.eq %x, 3\n    branch %c, on, off\non:\n    %y: i32 = add %x, 1\n    \
                 store [@next], %y\n    jump off\noff:";
    assert_eq!(relations(&counting(maybe, ""), &[At::Mark(3)]), NONE, "not every load counts on");
    let local = number.replace("@next", "%l").replacen(
        "    %x",
        "    %l: ptr = alloca 4 align 4\n    store [%l], 0:i32\n    %x",
        1,
    );
    assert_eq!(relations(&counting(&local, ""), &[At::Mark(3)]), NONE, "everybody has a counter");
}

const BARRIER: &str = "global @barrier size 32 align 8
global @processors size 4 align 4
global @size size 4 align 4
function @barrier_init(%b: ptr, %n: i32) model {
entry:
    call __ics_barrier_init(%b, %n)
    return
}
function @await(%b: ptr) model {
entry:
    call __ics_barrier_arrive(%b)
    call __ics_wait(%b)
    return
}
";

/// As many threads as a variable says, the main one among them, in a loop around what `body` is; the mark is at its
/// start.
fn rounds(body: &str) -> String {
    let start = "function @rounds(%p: ptr) -> ptr {\nentry:\n    call @await(@barrier)\n    jump head(0, 0)\nhead(%k: i32, %j: i32):\n    \
                 %m: i32 = add 12345, 4\n    %size: i32 = load [@size]\n    %c: i1 = icmp.slt %k, 100\n    branch %c, body, done\nbody:\n";
    let end = "\n    %step: i32 = load [@size]\n    %next: i32 = add %k, %step\n    %one: i32 = add %j, 1\n    jump head(%next, %one)\ndone:\n    return null\n}";
    let main = "    store [@processors], %argc\n    store [@size], %argc\n    %n: i32 = load [@processors]\n    call @barrier_init(@barrier, %n)
    jump head(1)\nhead(%i: i32):\n    %bound: i32 = load [@processors]\n    %c: i1 = icmp.slt %i, %bound\n    branch %c, body, done\nbody:
    call @create(@rounds, null)\n    %o: i32 = add %i, 1\n    jump head(%o)\ndone:\n    %r: ptr = call @rounds(null)";
    format!("{BARRIER}{start}{body}{end}\n{}", main_with(main))
}

const WAIT: &str = "    call @await(@barrier)";

#[test]
fn threads_between_the_same_barriers_are_in_the_same_iteration() {
    let same = ["0:v1#0 == 1:v1#0", "0:v2#0 == 1:v2#0"];
    assert_eq!(relations(&rounds(WAIT), &[At::Mark(4)]), same);
    let two = format!("{WAIT}\n    call @lock(@own)\n{WAIT}");
    assert_eq!(relations(&rounds(&two), &[At::Mark(4)]), same);
    let size = "0:v4#0 == 1:v4#0";
    assert_eq!(relations(&rounds(&two), &[At::Call("rounds", "lock")]), [same[0], same[1], size]);
    assert_eq!(relations(&rounds(""), &[At::Mark(4)]), NONE);
    let maybe = format!("    %d: i1 = icmp.eq %k, 3\n    branch %d, on, off\non:\n{WAIT}\n    jump off\noff:");
    assert_eq!(relations(&rounds(&maybe), &[At::Mark(4)]), NONE, "not every iteration waits");
}

#[test]
fn a_thread_inside_of_a_barrier_may_be_one_ahead() {
    let inside = [At::Call("rounds", "await"), At::Intrinsic("await", "__ics_wait")];
    let stack = |text: &str| relations(text, &inside);
    // The first wait is in front of the loop: these are all the same point.
    let text = rounds(WAIT).replacen("entry:\n    call @await(@barrier)\n", "entry:\n", 1);
    assert_eq!(stack(&text), NONE);
    let two = rounds(&format!("{WAIT}\n{WAIT}")).replacen("entry:\n    call @await(@barrier)\n", "entry:\n", 1);
    assert_eq!(stack(&two), ["0:v1#0 == 1:v1#0", "0:v2#0 == 1:v2#0"]);
}

#[test]
fn a_barrier_expects_all_threads_of_the_context() {
    let least = |text: &str, number: usize| {
        analysed(text, |program, analysis| {
            let one = thread(program, &[At::Mark(4)], Status::Running);
            let context = Context { threads: vec![one; number], ..Context::default() };
            analysis.initial_state(&context, &Options::default()).expect("a context of the program").least_expected
        })
    };
    assert_eq!(least(&rounds(WAIT), 3), 3);
    let more = rounds(WAIT).replace("done:\n    %r: ptr", "done:\n    call @create(@rounds, null)\n    %r: ptr");
    assert_eq!(least(&more, 3), 0, "four threads could wait at a barrier for three");
    let fewer = rounds(WAIT).replace("call @barrier_init(@barrier, %n)", "call @barrier_init(@barrier, 2)");
    assert_eq!(least(&fewer, 3), 0);
}

#[test]
fn threads_that_the_barrier_does_not_expect_break_the_rounds() {
    let more = rounds(WAIT).replace("done:\n    %r: ptr", "done:\n    call @create(@rounds, null)\n    %r: ptr");
    assert_eq!(relations(&more, &[At::Mark(4)]), NONE);
    let fewer = rounds(WAIT).replace("call @barrier_init(@barrier, %n)", "call @barrier_init(@barrier, 2)");
    assert_eq!(relations(&fewer, &[At::Mark(4)]), NONE);
    let changed = rounds(WAIT).replace("    %r: ptr", "    store [@size], 3:i32\n    %r: ptr");
    assert_eq!(relations(&changed, &[At::Mark(4)]), ["0:v2#0 == 1:v2#0"], "the step is not the same for all");
}

/// Threads in loops around barriers, with numbers of their own in `%id`; as many as a variable says, joined and created
/// again for each of two rounds of the main thread. The body of the start function is what differs.
fn phases(body: &str) -> String {
    let create = "function @pthread_create(%t: ptr, %a: ptr, %start: ptr, %arg: ptr) -> i32 model {\nentry:\n    store [%t], 1:i64\n    \
                  call @create(%start, %arg)\n    return 0\n}\nfunction @pthread_join(%t: i64, %r: ptr) -> i32 model {\nentry:\n    \
                  call __ics_yield()\n    return 0\n}\nglobal @shared size 8 align 8\nglobal @limit size 8 align 8\n";
    let start = format!("function @start(%id: ptr) -> ptr {{\nentry:\n{body}\n    return null\n}}\n");
    let search = "function @search() {\nentry:\n    %a: ptr = alloca 128 align 8\n    %n: i32 = load [@processors]
    %s: i64 = sext %n\n    store [@shared], %s\n    store [@items], %s
    call @barrier_init(@barrier, %n)\n    jump head(0)\nhead(%i: i32):\n    %bound: i32 = load [@processors]
    %c: i1 = icmp.slt %i, %bound\n    branch %c, body, made\nbody:\n    %w: i64 = sext %i\n    %t = address %a + %w*8
    %arg = address @items + %w*8\n    %e: i32 = call @pthread_create(%t, null, @start, %arg)\n    %f: i1 = icmp.ne %e, 0
    branch %f, failed, on\nfailed:\n    call __ics_exit(1:i32)\n    unreachable\non:\n    %o: i32 = add %i, 1\n    jump head(%o)
made:\n    jump wait(0)\nwait(%j: i32):\n    %limit: i32 = load [@processors]\n    %d: i1 = icmp.slt %j, %limit
    branch %d, join, done\njoin:\n    %v: i64 = sext %j\n    %u = address %a + %v*8\n    %h: i64 = load [%u]
    %z: i32 = call @pthread_join(%h, null)\n    %p: i32 = add %j, 1\n    jump wait(%p)\ndone:\n    return\n}\n";
    let main = "    store [@processors], %argc\n    call @search()\n    call @search()";
    format!("{BARRIER}{create}{VISIT}{start}{search}{}", main_with(main))
}

/// A loop around waits whose condition is read from shared memory in each phase, with a loop of the same kind inside;
/// one thread writes.
const NESTED: &str = "    jump outer(0)\nouter(%i: i64):\n    call @await(@barrier)\n    %n: i64 = load [@shared]
    %c: i1 = icmp.slt %i, %n\n    branch %c, start, done\nstart:\n    jump inner(0)\ninner(%k: i64):\n    %l: i64 = load [@limit]
    %d: i1 = icmp.slt %k, %l\n    branch %d, body, next\nbody:\n    %first: i1 = icmp.eq %id, @items\n    branch %first, one, all\none:
    store [@limit], %k\n    jump all\nall:\n    call @await(@barrier)\n    call @visit(%k)\n    %k1: i64 = add %k, 1\n    jump inner(%k1)
next:\n    %i1: i64 = add %i, 1\n    jump outer(%i1)\ndone:";

const VISIT: &str =
    "function @visit(%x: i64) {\nentry:\n    %m: i32 = add 12345, 5\n    call @await(@barrier)\n    return\n}\n";

#[test]
fn loops_around_waits_with_conditions_that_are_the_same_for_all_are_in_step() {
    let text = phases(NESTED);
    let known = relations(&text, &[At::Call("start", "visit"), At::Mark(5)]);
    // The counters and the bounds that were loaded; their parameter is one of them.
    for register in ["v1", "v2", "v4", "v5"] {
        let same = format!("0:{register}#0 == 1:{register}#0");
        assert!(known.contains(&same), "{same} in {known:?}");
    }
    let own = text
        .replace("icmp.slt %k, %l", "icmp.slt %k, %own")
        .replace("    %l: i64 = load [@limit]", "    %own: i64 = load [%id]");
    let known = relations(&own, &[At::Call("start", "visit"), At::Mark(5)]);
    assert!(!known.iter().any(|r| r.contains("==")), "each thread has a bound of its own: {known:?}");
}

#[test]
fn what_is_loaded_behind_other_synchronisation_may_differ() {
    let text = phases(NESTED).replace("    %n: i64 = load", "    call @lock(@own)\n    %n: i64 = load");
    let known = relations(&text, &[At::Call("start", "visit"), At::Mark(5)]);
    assert!(!known.iter().any(|r| r.contains("==")), "a thread may write between two locks: {known:?}");
}

#[test]
fn threads_that_were_at_one_wait_last_agree_since() {
    // How often the loop runs differs, and so does what it counts.
    let body = "    jump outer(0)\nouter(%i: i64):\n    %n: i64 = load [%id]\n    %c: i1 = icmp.slt %i, %n\n    branch %c, body, done\nbody:
    call @await(@barrier)\n    %x: i64 = load [@shared]\n    call @visit(%x)\n    %i1: i64 = add %i, 1\n    jump outer(%i1)\ndone:";
    let known = relations(&phases(body), &[At::Call("start", "visit"), At::Mark(5)]);
    let equal: Vec<_> = known.iter().filter(|r| r.contains("==")).collect();
    assert_eq!(equal, ["0:v4#0 == 1:v4#0", "0:v1#0 == 1:v1#0"]);
    let later = "    %x: i64 = load [@shared]\n    call @lock(@own)\n";
    let moved = phases(body)
        .replace("    %x: i64 = load [@shared]\n", &later.replace("    %x", "    call @lock(@own)\n    %x"));
    let known = relations(&moved, &[At::Call("start", "visit"), At::Mark(5)]);
    let equal: Vec<_> = known.iter().filter(|r| r.contains("==")).collect();
    assert_eq!(equal, ["0:v1#0 == 1:v1#0"]);
}

#[test]
fn a_loop_without_a_wait_does_not_tell_iterations_apart() {
    let body = "    call @await(@barrier)\n    %n: i64 = load [@shared]\n    jump head(0)\nhead(%i: i64):\n    %c: i1 = icmp.slt %i, %n
    branch %c, body, done\nbody:\n    %m: i32 = add 12345, 6\n    %i1: i64 = add %i, 1\n    jump head(%i1)\ndone:\n    call @await(@barrier)";
    let known = relations(&phases(body), &[At::Mark(6)]);
    let equal: Vec<_> = known.iter().filter(|r| r.contains("==")).collect();
    assert_eq!(equal, ["0:v1#0 == 1:v1#0"], "the bound is the same, the counter is not");
}

#[test]
fn threads_that_are_not_joined_break_the_rounds_of_the_next_ones() {
    let text = phases(NESTED);
    let stack = [At::Call("start", "visit"), At::Mark(5)];
    let say = |text: &str| relations(text, &stack).iter().filter(|r| r.contains("==")).count();
    assert_ne!(say(&text), 0);
    assert_eq!(say(&text.replace("    jump wait(0)", "    jump wait(1)")), 0, "the first one is not joined");
    let early = text.replace(
        "%z: i32 = call @pthread_join(%h, null)",
        "%z: i32 = call @pthread_join(%h, null)\n    \
                                branch %d, on2, done\non2:",
    );
    assert_eq!(say(&early), 0, "a way leaves the loop");
    let other = text.replace("    %h: i64 = load [%u]", "    store [%u], 3:i64\n    %h: i64 = load [%u]");
    assert_eq!(say(&other), 0, "another handle");
    let twice = text.replace(
        "    call @search()\n    call @search()",
        "    call @search()\n    call @create(@start, null)\n    call @search()",
    );
    assert_eq!(say(&twice), 0, "one more thread");
    let detached = text.replace(
        "function @search",
        "function @pthread_detach(%t: i64) -> i32 model {\nentry:\n    return 0\n}\nfunction @search",
    );
    let detached = detached.replace("    jump wait(0)", "    %q: i32 = call @pthread_detach(1)\n    jump wait(0)");
    assert_eq!(say(&detached), 0, "detached");
}

/// The most that barriers expect, and what is known within the first thread: that of `main`, at a call, beside two
/// others at a mark.
fn all_there(text: &str, number: usize) -> (Option<u64>, Vec<String>) {
    analysed(text, |program, analysis| {
        let mut main =
            thread(program, &[At::Call("main", "search"), At::Call("search", "pthread_join")], Status::Running);
        main.complete = true;
        let other = thread(program, &[At::Call("start", "visit"), At::Mark(5)], Status::Running);
        let mut threads = vec![main];
        threads.extend(vec![other; number]);
        let context = Context { threads, none_ended: true };
        let state = analysis.initial_state(&context, &Options::default()).expect("a context of the program");
        let side = |(thread, e)| format!("{thread}:{}", analysis.pool().describe(program, e));
        let within = state.relations.iter().filter(|r| r.a.0 == r.b.0);
        (state.most_expected, within.map(|r| format!("{} == {}", side(r.a), side(r.b))).collect())
    })
}

#[test]
fn a_barrier_expects_the_threads_of_the_context_if_all_are_there() {
    let text = phases(NESTED);
    assert_eq!(all_there(&text, 2), (Some(2), vec!["0:v12#1 == 0:0".to_owned()]));
    let ignored = text.replace("    branch %f, failed, on\n", "    jump on\n");
    assert_eq!(all_there(&ignored, 2).0, None, "a creation may fail");
    let left = text.replace(
        "    %e: i32 = call @pthread_create",
        "    %q: i1 = icmp.eq %i, 7\n    branch %q, made, go\ngo:\n    %e: i32 = call @pthread_create",
    );
    assert_eq!(all_there(&left, 2).0, None, "the loop is left early");
    let other = text.replace("    jump wait(0)", "    call @create(@start, null)\n    jump wait(0)");
    assert_eq!(all_there(&other, 2).0, None, "one more thread");
}
