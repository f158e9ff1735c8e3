//! The machine in the concrete domain, on small programs in text form.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use icsched_ir::{Program, parse, verify};
use icsched_machine::concrete::ConcreteDomain;
use icsched_machine::host::MemoryHost;
use icsched_machine::memory::global_object;
use icsched_machine::step::{Argument, Arguments};
use icsched_machine::trace::{EventMode, SyncEvent};
use icsched_machine::{
    ErrorKind, ExecLimits, Limit, Machine, MemoryByte, Options, PathEnd, State, Stop, ThreadId, exec,
};

fn program(text: &str) -> Arc<Program> {
    let program = parse(text).unwrap_or_else(|e| panic!("{e}"));
    verify(&program).unwrap();
    Arc::new(program)
}

fn run(text: &str) -> PathEnd {
    let host = Box::new(MemoryHost::default());
    exec(&program(text), &[b"prog".to_vec()], &[], host, Options::default(), &ExecLimits::default()).end
}

fn status(text: &str) -> i32 {
    match run(text) {
        PathEnd::Exit { status: Some(status) } => status,
        end => panic!("{end:?}"),
    }
}

fn error(text: &str) -> (ErrorKind, String) {
    match run(text) {
        PathEnd::Error(error) => (error.kind, error.message),
        end => panic!("{end:?}"),
    }
}

/// Runs to the end, with events, and returns the last state.
fn finish(text: &str) -> (PathEnd, State<ConcreteDomain>) {
    let mut machine = machine(text);
    let mut state = start(&mut machine);
    state.record_events = true;
    match machine.run(&mut state, &mut (), u64::MAX) {
        Err(Stop::End(end)) => (*end, state),
        other => panic!("{other:?}"),
    }
}

fn machine(text: &str) -> Machine<ConcreteDomain> {
    Machine::new(program(text), ConcreteDomain, Box::new(MemoryHost::default()), Options::default())
}

fn start(machine: &mut Machine<ConcreteDomain>) -> State<ConcreteDomain> {
    let argument = Argument { bytes: b"prog\0".iter().map(|&b| MemoryByte::Constant(b)).collect(), present: None };
    machine.initial_state(&Arguments { argc: 1, argv: vec![argument], environment: vec![] }).unwrap()
}

fn word(state: &State<ConcreteDomain>, name: &str) -> u64 {
    let (global, _) = state.program().globals.iter().find(|(_, g)| g.name == name).unwrap();
    let byte = |i| match state.heap.byte(&mut ConcreteDomain, &(), global_object(global), i) {
        MemoryByte::Constant(b) => u64::from(b),
        MemoryByte::Symbolic(never) => match never {},
    };
    (0..4).rev().fold(0, |word, i| word << 8 | byte(i))
}

#[test]
fn block_parameters_are_bound_at_once() {
    // Swapping in a loop goes wrong if the edge's arguments are copied one after the other.
    let text = "function @main() -> i32 {
        a:
            jump loop(1, 10, 0)
        loop(%x: i32, %y: i32, %i: i32):
            %j = add %i, 1
            %more = icmp.ult %j, 4
            branch %more, loop(%y, %x, %j), done(%x, %y)
        done(%p: i32, %q: i32):
            %t = mul %p, 100
            %r = add %t, %q
            return %r
        }";
    assert_eq!(status(text), 1001);
}

#[test]
fn calls_return_several_values_and_recursion_works() {
    let text = "function @divide(%a: i32, %b: i32) -> i32, i32 {
        a:
            %q = udiv %a, %b
            %r = urem %a, %b
            return %q, %r
        }
        function @sum(%n: i32) -> i32 {
        a:
            %zero = icmp.eq %n, 0
            branch %zero, base, step
        base:
            return 0
        step:
            %m = add %n, -1
            %s: i32 = call @sum(%m)
            %t = add %s, %n
            return %t
        }
        function @main() -> i32 {
        a:
            %s: i32 = call @sum(10)
            %q: i32, %r: i32 = call @divide(%s, 7)
            %h = mul %q, 100
            %v = add %h, %r
            return %v
        }";
    assert_eq!(status(text), 706);
}

#[test]
fn indirect_calls_tolerate_what_c_tolerates() {
    let callee = "function @low(%a: i8) -> i32 {
        a:
            %w: i32 = zext %a
            return %w
        }";
    let main = |call: &str| {
        format!(
            "{callee}
            global @f = {{ 0: @low }}
            function @main() -> i32 {{
            a:
                %p: ptr = load [@f]
                {call}
                return %r
            }}"
        )
        .replace("global @f =", "global @f size 8 =")
    };
    assert_eq!(status(&main("%r: i32 = call *%p(0x1234:i32, 7:i64)")), 0x34);
    assert_eq!(error(&main("%r: i32 = call *%p()")).0, ErrorKind::BadCall);
    assert_eq!(error(&main("%r: i32 = call *%p(1.5:f64)")).0, ErrorKind::BadCall);
    assert_eq!(error(&main("%r: i32 = call *@f(1:i8)")).0, ErrorKind::BadCall);
}

#[test]
fn variable_arguments_lie_in_the_overflow_area() {
    // What clang generates for va_arg(list, int) when the register area is used up.
    let text = "function @second(%n: i32, ...) -> i32 {
        a:
            %list = alloca 24
            va_start [%list]
            %gp: i32 = load [%list]
            %p = address %list + 8
            %area: ptr = load [%p]
            %next = address %area + 8
            store [%p], %next
            %copy = alloca 24
            va_copy [%copy], [%list]
            %q = address %copy + 8
            %at: ptr = load [%q]
            %x: i32 = load [%at]
            %r = add %x, %gp
            return %r
        }
        function @main() -> i32 {
        a:
            %r: i32 = call @second(2, 7:i32, 1000:i64)
            return %r
        }";
    assert_eq!(status(text), 1048);
}

#[test]
fn constructors_run_first_and_argv_is_there() {
    let text = "global @n = i32 0
        constructors @early
        function @early() {
        a:
            store [@n], 40:i32
            return
        }
        function @main(%argc: i32, %argv: ptr) -> i32 {
        a:
            %n: i32 = load [@n]
            %name: ptr = load [%argv]
            %c: i8 = load [%name]
            %w: i32 = zext %c
            %s = add %n, %w
            %t = add %s, %argc
            return %t
        }";
    assert_eq!(status(text), 40 + i32::from(b'p') + 1);
}

/// `main` with these statements; `@a` has 16 bytes, `@k` is constant.
fn main_with(body: &str) -> String {
    format!(
        "global @a size 16 align 8
        global @k size 4 align 4 constant = i32 1
        function @dangling() -> ptr {{
        a:
            %x: ptr \"x\" = alloca 4
            return %x
        }}
        function @main() -> i32 {{
        a:
            {body}
            return 0
        }}"
    )
}

#[test]
fn memory_errors_are_told_apart() {
    let cases = [
        (
            "%x: i32 = load [@a + 13]",
            ErrorKind::OutOfBounds,
            "read of 4 bytes at offset 13 of global `a`, which has 16 bytes",
        ),
        (
            "store [@a - 1], 1:i8",
            ErrorKind::OutOfBounds,
            "write of 1 byte at offset -1 of global `a`, which has 16 bytes",
        ),
        ("%x: i32 = load [null]", ErrorKind::NullPointer, "read through a null pointer"),
        ("store [@k], 1:i32", ErrorKind::WriteToConstant, "write to constant global `k`"),
        ("%x: i32 = load [0x123456789abc]", ErrorKind::NullPointer, "read through a null pointer plus 0x123456789abc"),
        ("%x: i32 = load [@main]", ErrorKind::WildPointer, "read of 4 bytes at the address of code"),
        (
            "%p: ptr = call @dangling()\n %x: i32 = load [%p]",
            ErrorKind::UseAfterReturn,
            "read of local `x` of dangling, whose function has returned",
        ),
        (
            "%p: ptr = call __ics_malloc(8:i64, 0:i32)\n call __ics_free(%p)\n store [%p], 1:i8",
            ErrorKind::UseAfterFree,
            "write of heap object allocated at main, which was freed at main",
        ),
        (
            "%p: ptr = call __ics_malloc(8:i64, 0:i32)\n call __ics_free(%p)\n call __ics_free(%p)",
            ErrorKind::DoubleFree,
            "free of heap object allocated at main, which was freed at main",
        ),
        ("call __ics_free(@a)", ErrorKind::InvalidFree, "free of global `a`, which malloc did not return"),
        (
            "%p: ptr \"p\" = alloca 4\n call __ics_free(%p)",
            ErrorKind::InvalidFree,
            "free of local `p` of main, which malloc did not return",
        ),
        ("memcpy [@a], [@a + 4], 8", ErrorKind::Overlap, "memcpy of 8 bytes from a+4 to a, which overlap"),
        (
            "memset [@a], 1, 17",
            ErrorKind::OutOfBounds,
            "write of 17 bytes at offset 0 of global `a`, which has 16 bytes",
        ),
        ("%x: i32 = load [@a]\n %y = sdiv 1, %x", ErrorKind::DivisionByZero, "division by zero"),
        ("%x: i32 = call *null()", ErrorKind::NullPointer, "call through a null function pointer"),
        ("%p = alloca 100000000", ErrorKind::StackOverflow, "the thread's stack exceeds 64 MiB"),
        ("trap", ErrorKind::Unreachable, "trap"),
    ];
    for (body, kind, message) in cases {
        let (found, text) = error(&main_with(body));
        assert_eq!((found, text.as_str()), (kind, message), "{body}");
    }
}

#[test]
fn legal_accesses_at_the_edges_are_no_errors() {
    let body = "store [@a + 12], -1:i32
        memmove [@a + 1], [@a], 15
        memcpy [@a + 16], [@a + 16], 0
        memset [null], 0, 0
        %end = address @a + 16
        %back = address %end + -4
        %x: i32 = load [%back]
        call __ics_free(null)
        %p: ptr = call __ics_malloc(0:i64, 0:i32)
        call __ics_free(%p)";
    assert_eq!(status(&main_with(body)), 0);
}

#[test]
fn endless_recursion_overflows_the_stack() {
    let text = "function @f() {
        a:
            call @f()
            return
        }
        function @main() -> i32 {
        a:
            call @f()
            return 0
        }";
    assert_eq!(error(text).0, ErrorKind::StackOverflow);
}

#[test]
fn what_is_not_there_is_a_value_not_a_guess() {
    let calls = "declare @ghost(%a: i32) -> i32
        function @main() -> i32 {
        a:
            %r: i32 = call @ghost(1)
            return %r
        }";
    assert!(matches!(run(calls), PathEnd::Unmodelled { function, .. } if function == "ghost"));
    let reads = "global @gone size 4 align 4 external
        function @main() -> i32 {
        a:
            %r: i32 = load [@gone]
            return %r
        }";
    assert!(matches!(run(reads), PathEnd::Unsupported { what, .. } if what.contains("`gone`")));
    let odd = "function @main() -> i32 {
        a:
            unsupported \"an odd thing\"
            return 0
        }";
    assert!(matches!(run(odd), PathEnd::Unsupported { what, .. } if what == "an odd thing"));
}

#[test]
fn limits_cut_endless_runs() {
    let text = "function @main() -> i32 {
        a:
            jump b
        b:
            jump b
        }";
    let limits = ExecLimits { instructions: Some(1000), ..ExecLimits::default() };
    let host = Box::new(MemoryHost::default());
    let result = exec(&program(text), &[], &[], host, Options::default(), &limits);
    assert_eq!((result.end, result.instructions), (PathEnd::Limit(Limit::Instructions), 1000));
}

#[test]
fn output_goes_to_the_host() {
    let text = "global @text = \"hello\"
        function @main() -> i32 {
        a:
            %n: i64 = call __ics_host_write(1:i32, @text, 5:i64)
            %r: i32 = trunc %n
            call __ics_exit(%r)
            unreachable
        }";
    let host = Rc::new(RefCell::new(MemoryHost::default()));
    let result = exec(&program(text), &[], &[], Box::new(host.clone()), Options::default(), &ExecLimits::default());
    assert_eq!(result.end, PathEnd::Exit { status: Some(5) });
    assert_eq!(host.borrow().stdout, b"hello");
}

/// Three threads run `@worker`, which does `worker`; `main` then does `then`.
fn three_threads(worker: &str, then: &str) -> String {
    format!(
        "global @log = i32 0
        global @q = i32 0
        global @mine size 4 align 4 thread_local = i32 5
        function @note(%digit: i32) {{
        a:
            %old: i32 = load [@log]
            %up = mul %old, 10
            %new = add %up, %digit
            store [@log], %new
            return
        }}
        function @worker(%arg: ptr) -> ptr {{
        a:
            %slot: i32 = call __ics_thread_self()
            {worker}
            return null
        }}
        function @main() -> i32 {{
        a:
            %t1: i32 = call __ics_thread_create(@worker, null, 1:i32)
            %t2: i32 = call __ics_thread_create(@worker, null, 2:i32)
            %t3: i32 = call __ics_thread_create(@worker, null, 3:i32)
            {then}
            %r: i32 = load [@log]
            return %r
        }}"
    )
}

#[test]
fn wait_queues_are_first_in_first_out() {
    let worker = "call __ics_wait(@q)\n call @note(%slot)";
    let then = "call __ics_pause()\n call __ics_notify_one(@q)\n call __ics_pause()\n call __ics_notify_all(@q)\n call __ics_pause()";
    assert_eq!(status(&three_threads(worker, then)), 123);
    let last = "call __ics_pause()\n call __ics_notify_thread(3:i32)\n call __ics_pause()";
    assert_eq!(status(&three_threads(worker, last)), 3);
    let other = "call __ics_pause()\n call __ics_notify_all(@log)\n call __ics_pause()";
    assert_eq!(status(&three_threads(worker, other)), 0);
}

#[test]
fn a_timed_wait_runs_out_only_when_nothing_else_can_happen() {
    let worker = "%late: i32 = call __ics_wait_timed(@q, -1:i64)
        %d = add %slot, 0
        %ten = mul %late, 4
        %n = add %d, %ten
        call @note(%n)";
    // Thread 1 is notified (1), then 2 and 3 run out in the order in which they began to wait (2+4, 3+4).
    let then = "call __ics_pause()\n call __ics_notify_one(@q)\n call __ics_wait_timed(@log, -1:i64)";
    let text = three_threads(worker, &then.replace("call __ics_wait_timed", "%w: i32 = call __ics_wait_timed"));
    assert_eq!(status(&text), 167);
}

#[test]
fn deadlines_run_out_in_their_order_and_not_in_that_of_the_waits() {
    let worker = "%inverse = sub 4:i32, %slot
        %wide: i64 = zext %inverse
        %far = mul %wide, 1000000000
        %late: i32 = call __ics_wait_timed(@q, %far)
        call @note(%slot)";
    let then = "%w: i32 = call __ics_wait_timed(@log, 9000000000:i64)";
    assert_eq!(status(&three_threads(worker, then)), 321);
}

#[test]
fn a_thread_that_only_computes_is_interrupted_by_a_deadline() {
    let text = "global @stop = i32 0
        global @q = i32 0
        function @sleeper(%arg: ptr) -> ptr {
        a:
            %late: i32 = call __ics_wait_timed(@q, 100000:i64)
            store [@stop], 7:i32
            return null
        }
        function @main() -> i32 {
        a:
            %t: i32 = call __ics_thread_create(@sleeper, null, 1:i32)
            call __ics_pause()
            jump b(0:i32)
        b(%n: i32):
            %more = add %n, 1
            %seen: i32 = load [@stop]
            %go_on = icmp.eq %seen, 0
            branch %go_on, b(%more), c
        c:
            %ran = icmp.ult 5000:i32, %n
            %r: i32 = select %ran, 1:i32, %seen
            return %r
        }";
    assert_eq!(status(text), 7);
}

#[test]
fn threads_have_their_own_thread_locals() {
    let worker = "%x: i32 = load [@mine]
        %y = add %x, %slot
        store [@mine], %y
        call __ics_pause()
        %z: i32 = load [@mine]
        call @note(%z)";
    let then = "call __ics_pause()\n call __ics_pause()\n call __ics_pause()";
    assert_eq!(status(&three_threads(worker, then)), 678);
}

#[test]
fn everybody_waiting_is_a_deadlock_with_reasons() {
    let worker = "call __ics_acquire(@q)\n call __ics_wait(@log)";
    let (end, _) = finish(&three_threads(worker, "call __ics_wait(@q)"));
    let PathEnd::Deadlock { blocked } = end else { panic!("{end:?}") };
    let threads: Vec<u32> = blocked.iter().map(|b| b.thread.0).collect();
    assert_eq!(threads, [0, 1, 2, 3]);
    assert_eq!(blocked[0].holder, Some(ThreadId(1)), "the first to have acquired");
    assert_eq!(blocked[1].holder, None);
    assert_eq!(blocked[1].operation, "worker");
}

#[test]
fn a_thread_that_has_ended_still_holds_its_locks() {
    let (end, _) = finish(&three_threads("call __ics_acquire(@q)", "call __ics_pause()\n call __ics_wait(@q)"));
    let PathEnd::Deadlock { blocked } = end else { panic!("{end:?}") };
    let found: Vec<(u32, Option<ThreadId>)> = blocked.iter().map(|b| (b.thread.0, b.holder)).collect();
    assert_eq!(found, [(0, Some(ThreadId(1)))], "the others have ended");
}

#[test]
fn threads_outlive_main_that_exits_its_thread() {
    let worker = "call @note(%slot)\n store [@q], %slot";
    let (end, state) = finish(&three_threads(worker, "call __ics_thread_exit()"));
    assert_eq!(end, PathEnd::Exit { status: Some(0) });
    assert_eq!(word(&state, "log"), 123);
}

#[test]
fn a_thread_that_spins_does_not_starve_the_others() {
    for spin in ["%x: i32 = load [@q]", "%x: i32 = load seq_cst [@q]", "call __ics_yield()\n %x: i32 = load [@q]"] {
        let text = three_threads(
            "%was: i32 = load [@q]\n %now = add %was, 1\n store [@q], %now",
            &format!("jump wait\n wait:\n {spin}\n %go = icmp.ult %x, 3\n branch %go, wait, done\n done:"),
        );
        assert_eq!(status(&text), 0, "{spin}");
    }
}

#[test]
fn spinning_is_recognised_early_and_without_end() {
    let text = three_threads(
        "%was: i32 = load [@q]\n %now = add %was, 1\n store [@q], %now",
        "jump wait\n wait:\n %x: i32 = load [@q]\n %go = icmp.ult %x, 3\n branch %go, wait, done\n done:",
    );
    let (_, state) = finish(&text);
    assert!(state.instructions < 100_000, "{}", state.instructions);
    // Nobody ever writes what the main thread looks at.
    let text = "global @q = i32 0
        function @main() -> i32 {
        a:
            jump wait
        wait:
            %x: i32 = load [@q]
            %go = icmp.eq %x, 0
            branch %go, wait, done
        done:
            return 0
        }";
    let PathEnd::Endless { loops, blocked } = run(text) else { panic!("recognised as endless") };
    assert_eq!((loops.len(), blocked.len()), (1, 0), "{loops:?}");
}

#[test]
fn events_carry_the_programs_call() {
    let text = "global @m = i32 0
        function @inner() model {
        a:
            call __ics_event(@m, 0:i32)
            call __ics_order(@m, 1:i32)
            return
        }
        function @pthread_mutex_lock() model {
        a:
            call @inner()
            return
        }
        function @main() -> i32 {
        a:
            call @pthread_mutex_lock() at a.c:7
            %x: i32 = rmw add seq_cst [@m], 1:i32
            return %x
        }";
    let (_, state) = finish(text);
    let events: Vec<&SyncEvent> = state.events.iter().collect();
    let SyncEvent::Node { operation, stack, object_name, mode, .. } = events[0] else { panic!("{events:?}") };
    assert_eq!((&**operation, &**object_name, *mode), ("pthread_mutex_lock", "m", EventMode::Exclusive));
    let [point] = stack.0.as_slice() else { panic!("{stack:?}") };
    assert_eq!(state.heap.place(*point), "a.c:7");
    assert!(matches!(events[1], SyncEvent::Order { mode: EventMode::Shared, .. }));
    let SyncEvent::Node { operation, stack, .. } = events[2] else { panic!("{events:?}") };
    assert_eq!((&**operation, stack.0[0].inst), ("atomic update", 1));
    assert_eq!(events.len(), 3);
}

#[test]
fn forks_do_not_see_each_others_writes() {
    let text = "global @big size 100000 align 8
        global @log = i32 0
        function @main() -> i32 {
        a:
            jump loop(0)
        loop(%i: i64):
            %p = address @big + %i*4
            store [%p], 1:i32
            %old: i32 = load [@log]
            %new = add %old, 1
            store [@log], %new
            %j = add %i, 1
            %more = icmp.ult %j, 20000
            branch %more, loop(%j), done
        done:
            %r: i32 = load [@log]
            return %r
        }";
    let mut machine = machine(text);
    let mut state = start(&mut machine);
    machine.run(&mut state, &mut (), 50_000).unwrap();
    let half = word(&state, "log");
    let mut fork = state.clone();
    let end = machine.run(&mut fork, &mut (), u64::MAX);
    assert!(matches!(end, Err(Stop::End(end)) if *end == PathEnd::Exit { status: Some(20000) }));
    assert!(half > 0 && half < 20000);
    assert_eq!((word(&state, "log"), word(&fork, "log")), (half, 20000));
    // The original goes on where it was.
    let end = machine.run(&mut state, &mut (), u64::MAX);
    assert!(matches!(end, Err(Stop::End(end)) if *end == PathEnd::Exit { status: Some(20000) }));
    assert_eq!(state.instructions, fork.instructions);
}

#[test]
fn ids_of_dead_objects_come_back_late() {
    // Far more locals than the table's quarantine holds; the first one's address stays invalid for long.
    let text = "function @local() -> ptr {
        a:
            %x = alloca 4
            store [%x], 1:i32
            return %x
        }
        function @main() -> i32 {
        a:
            %first: ptr = call @local()
            jump loop(0)
        loop(%i: i32):
            %p: ptr = call @local()
            %same = icmp.eq %p, %first
            %j = add %i, 1
            %end = icmp.eq %j, 600000
            %out = or %same, %end
            branch %out, done(%j), loop(%j)
        done(%n: i32):
            return %n
        }";
    let reused_after = status(text);
    assert!(reused_after > 200_000 && reused_after < 600_000, "{reused_after}");
}
