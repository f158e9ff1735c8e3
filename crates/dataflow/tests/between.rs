//! What holds between threads.

mod common;

use common::{At, analysed, thread};
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
        let context = Context { threads: vec![one.clone(), one] };
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
    let apart = number.replace("    %y", "    call @lock(@own)\n    %y");
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

/// As many threads as a variable says, the main one among them, in a loop around what `body` is; the mark is at its start.
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
    assert_eq!(relations(&rounds(&two), &[At::Call("rounds", "lock")]), same);
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
fn threads_that_the_barrier_does_not_expect_break_the_rounds() {
    let more = rounds(WAIT).replace("done:\n    %r: ptr", "done:\n    call @create(@rounds, null)\n    %r: ptr");
    assert_eq!(relations(&more, &[At::Mark(4)]), NONE);
    let fewer = rounds(WAIT).replace("call @barrier_init(@barrier, %n)", "call @barrier_init(@barrier, 2)");
    assert_eq!(relations(&fewer, &[At::Mark(4)]), NONE);
    let changed = rounds(WAIT).replace("    %r: ptr", "    store [@size], 3:i32\n    %r: ptr");
    assert_eq!(relations(&changed, &[At::Mark(4)]), ["0:v2#0 == 1:v2#0"], "the step is not the same for all");
}
