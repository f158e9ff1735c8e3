//! What other threads may do to facts, and what a new thread knows.

use crate::common::{At, analysed, places, solve, thread};
use icsched_dataflow::{Context, ContextError, Status};

const WORKER: &str = "global @shared size 16 align 8
global @early size 16 align 8
global @later size 16 align 8
function @worker(%arg: ptr) -> ptr {
entry:
    store [@shared], 1:i32
    store [@later], 1:i32
    %m: i32 = add 12345, 2
    return null
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
    return
}
";

/// `main` with a worker thread; mark 1 is at its end, mark 2 in the worker.
fn program(body: &str, rest: &str) -> String {
    format!("{WORKER}function @main() -> i32 {{\nentry:\n{body}\n    %h: i32 = add 12345, 1\n    return 0\n}}\n{rest}")
}

const CREATE: &str = "    %t: i32 = call __ics_thread_create(@worker, null, 1:i32)\n";

fn of_main(body: &str) -> Vec<String> {
    places(&program(body, ""), &[At::Mark(1)])
}

#[test]
fn shared_places_are_kept_while_the_thread_does_not_synchronise() {
    let body = format!("{CREATE}    call @lock(@early)\n    store [@shared], 5:i32\n    call __ics_free(null)");
    assert_eq!(of_main(&body), ["[shared+0:4] = 5"]);
}

#[test]
fn synchronisation_lets_others_change_shared_places() {
    for operation in [
        "call @unlock(@early)",
        "call @lock(@early)\n    call @unlock(@early)",
        "call __ics_yield()",
        "call __ics_wait(@early)",
        "call __ics_notify_all(@early)",
        "%x: i32 = load seq_cst [@early]",
        "fence seq_cst",
        "%x: i32 = call __ics_thread_create(@worker, null, 1:i32)",
    ] {
        let body = format!("{CREATE}    store [@shared], 5:i32\n    {operation}");
        assert_eq!(of_main(&body), Vec::<String>::new(), "{operation}");
    }
}

#[test]
fn taking_a_lock_lets_nobody_change_shared_places() {
    let rest = "function @deep() {\nentry:\n    call @lock(@later)\n    return\n}";
    let body = format!("{CREATE}    store [@shared], 5:i32\n    call @lock(@early)\n    call @deep()");
    assert_eq!(places(&program(&body, rest), &[At::Mark(1)]), ["[shared+0:4] = 5"]);
    let model = format!(
        "{rest}\nfunction @both(%m: ptr) model {{\nentry:\n    call __ics_acquire(%m)\n    call __ics_release(%m)\n    return\n}}"
    );
    let body = format!("{CREATE}    store [@shared], 5:i32\n    call @both(@early)");
    assert_eq!(places(&program(&body, &model), &[At::Mark(1)]), Vec::<String>::new(), "it is let go as well");
    // While it waits for the lock, too; the model's own facts are nobody's business.
    let slow = "function @slow(%m: ptr) model {\nentry:\n    store [@later], 4:i32\n    call __ics_wait(%m)\n    call __ics_acquire(%m)\n    return\n}";
    let body = format!("{CREATE}    store [@shared], 5:i32\n    store [@later], 6:i32\n    call @slow(@early)");
    let inside = [At::Call("main", "slow"), At::Intrinsic("slow", "__ics_wait")];
    assert_eq!(places(&program(&body, slow), &inside), ["[shared+0:4] = 5"]);
}

#[test]
fn calls_that_synchronise_somewhere_inside_do_too() {
    for inside in ["call @unlock(@early)", "call __ics_yield()"] {
        let rest = format!(
            "function @deep() {{\nentry:\n    {inside}\n    return\n}}\nfunction @call() {{\nentry:\n    call @deep()\n    return\n}}"
        );
        let body = format!("{CREATE}    store [@shared], 5:i32\n    call @call()");
        assert_eq!(places(&program(&body, &rest), &[At::Mark(1)]), Vec::<String>::new(), "{inside}");
    }
}

#[test]
fn what_is_written_before_there_are_threads_stays() {
    let body = format!("    store [@early], 5:i32\n    store [@later], 6:i32\n{CREATE}");
    assert_eq!(of_main(&body), ["[early+0:4] = 5"]);
}

#[test]
fn what_some_thread_may_write_later_does_not() {
    let late = "function @change() {\nentry:\n    store [@early], 9:i32\n    return\n}";
    let body = format!("    store [@early], 5:i32\n{CREATE}    call @lock(@later)");
    assert_eq!(places(&program(&body, ""), &[At::Mark(1)]), ["[early+0:4] = 5"]);
    let body = format!("{body}\n    %g: i32 = add 12345, 3\n    call @change()");
    assert_eq!(places(&program(&body, late), &[At::Mark(3)]), Vec::<String>::new());
}

#[test]
fn private_objects_are_kept() {
    let body = format!(
        "    %l: ptr = alloca 8 align 8\n    store [%l], 5:i32\n{CREATE}    call @unlock(@early)\n    call __ics_yield()"
    );
    assert_eq!(of_main(&body), ["[v0#0+0:4] = 5"]);
    let escaped = format!(
        "    %l: ptr = alloca 8 align 8\n    store [@later], %l\n{CREATE}    store [%l], 5:i32\n    call __ics_yield()"
    );
    assert_eq!(of_main(&escaped), Vec::<String>::new());
    let passed = "    %l: ptr = alloca 8 align 8\n    store [%l], 5:i32\n    \
                  %t: i32 = call __ics_thread_create(@worker, %l, 1:i32)\n    store [%l], 6:i32\n    call @unlock(@early)";
    assert_eq!(of_main(passed), Vec::<String>::new());
}

#[test]
fn a_new_thread_knows_what_is_written_early_only() {
    let body = format!(
        "    %l: ptr = alloca 8 align 8\n    store [%l], 5:i32\n    store [@early], 6:i32
    store [@later], 7:i32\n{CREATE}    store [@later], 8:i32"
    );
    assert_eq!(places(&program(&body, ""), &[At::Mark(2)]), ["[shared+0:4] = 1", "[early+0:4] = 6", "[later+0:4] = 1"]);
    assert_eq!(
        places(&program(&body, "").replace("    store [@later], 1:i32\n", ""), &[At::Mark(2)]),
        ["[shared+0:4] = 1", "[early+0:4] = 6"]
    );
}

#[test]
fn a_new_thread_is_given_its_argument() {
    let text = program("    store [@early], 6:i32\n    %t: i32 = call __ics_thread_create(@worker, @early, 1:i32)", "");
    solve(&text, &[At::Mark(2)], Status::Running, |program, found, analysis| {
        let lines = found.describe(program, analysis.pool());
        assert_eq!(lines[0], "v0#0 = &early");
    });
    let twice = "    %t: i32 = call __ics_thread_create(@worker, @early, 1:i32)\n    \
                 %u: i32 = call __ics_thread_create(@worker, @later, 2:i32)";
    solve(&program(twice, ""), &[At::Mark(2)], Status::Running, |_, found, _| {
        assert!(found.registers[0].is_empty(), "one has one argument, the other another");
    });
}

#[test]
fn a_thread_that_waits_lets_others_run() {
    let rest = "function @await() {\nentry:\n    store [@shared], 5:i32\n    call __ics_wait(@later)\n    return\n}";
    let body = format!("    store [@early], 6:i32\n{CREATE}    call @await()");
    let stack = [At::Call("main", "await"), At::Intrinsic("await", "__ics_wait")];
    assert_eq!(places(&program(&body, rest), &stack), ["[early+0:4] = 6"]);
    // A point that the program marks as waiting, though nothing of that is in the code.
    let body = format!("    store [@early], 6:i32\n{CREATE}    store [@shared], 5:i32");
    solve(&program(&body, ""), &[At::Mark(1)], Status::Waiting, |program, found, analysis| {
        assert_eq!(found.describe(program, analysis.pool()), ["[early+0:4] = 6"]);
    });
}

#[test]
fn a_model_tells_nothing_of_shared_places() {
    let rest = "function @set(%p: ptr) model {\nentry:\n    store [%p], 3:i32\n    return\n}";
    let body = format!("{CREATE}    %l: ptr = alloca 8 align 8\n    call @set(@shared)");
    assert_eq!(places(&program(&body, rest), &[At::Mark(1)]), Vec::<String>::new());
    let body = format!("{CREATE}    %l: ptr = alloca 8 align 8\n    call @set(%l)");
    assert_eq!(places(&program(&body, rest), &[At::Mark(1)]), ["[v1#0+0:4] = 3"]);
    let own = rest.replace(" model", "");
    let body = format!("{CREATE}    call @set(@shared)");
    assert_eq!(places(&program(&body, &own), &[At::Mark(1)]), ["[shared+0:4] = 3"]);
}

#[test]
fn what_a_model_knows_is_not_passed_to_what_it_calls() {
    let rest = "function @apply(%f: ptr) model {\nentry:\n    store [@shared], 3:i32\n    call *%f()\n    return\n}
function @back() {\nentry:\n    %m: i32 = add 12345, 4\n    return\n}";
    let body = format!("    store [@early], 6:i32\n{CREATE}    call @apply(@back)");
    let stack = [At::Call("main", "apply"), At::Call("apply", "*"), At::Mark(4)];
    assert_eq!(places(&program(&body, rest), &stack), ["[early+0:4] = 6"]);
    assert_eq!(places(&program(&body, rest), &[At::Mark(4)]), ["[early+0:4] = 6"]);
}

#[test]
fn signal_handlers_may_write_at_any_time() {
    let rest = "function @handler() {\nentry:\n    store [@early], 9:i32\n    call __ics_resume()\n    unreachable\n}";
    let body =
        "    %x: i32 = call __ics_interrupt(0:i32, @handler)\n    store [@early], 5:i32\n    store [@later], 6:i32";
    assert_eq!(places(&program(body, rest), &[At::Mark(1)]), ["[later+0:4] = 6"]);
}

#[test]
fn a_library_is_used_by_several_threads() {
    let text = "global @state size 8 align 8\nglobal @own size 8 align 8 local
function @enter(%p: ptr) {\nentry:\n    store [@state], 5:i32\n    store [@own], 6:i32\n    call __ics_yield()\n    %m: i32 = add 12345, 2\n    return\n}";
    solve(text, &[At::Mark(2)], Status::Running, |program, found, analysis| {
        assert!(found.is_reached);
        assert_eq!(found.describe(program, analysis.pool()), Vec::<String>::new());
    });
}

#[test]
fn what_two_threads_say_of_a_shared_variable_counts_for_none() {
    let body = format!("    store [@early], 6:i32\n{CREATE}    store [@shared], 5:i32");
    analysed(&program(&body, ""), |program, analysis| {
        let [main, worker] = [1, 2].map(|mark| thread(program, &[At::Mark(mark)], Status::Running));
        let alone = analysis
            .context(&Context { threads: vec![main.clone()], ..Context::default() })
            .expect("a context of the program");
        let both = analysis
            .context(&Context { threads: vec![main, worker], ..Context::default() })
            .expect("a context of the program");
        let say = |found: &[icsched_dataflow::Definitions]| -> Vec<Vec<String>> {
            found.iter().map(|f| f.describe(program, analysis.pool())).collect()
        };
        assert_eq!(say(&alone), [["[shared+0:4] = 5", "[early+0:4] = 6"]]);
        assert_eq!(
            say(&both),
            [vec!["[early+0:4] = 6"], vec!["v0#0 = 0", "[early+0:4] = 6", "[later+0:4] = 1"]],
            "`early` is written before there are threads"
        );
    });
}

#[test]
fn a_stack_that_is_none_of_the_program_is_refused() {
    let body = format!("{CREATE}    call @lock(@early)");
    analysed(&program(&body, ""), |program, analysis| {
        let refused = |analysis: &mut icsched_dataflow::Analysis<'_, '_>, stack: &[At<'_>]| {
            analysis.definitions(&thread(program, stack, Status::Running)).expect_err("no stack")
        };
        assert_eq!(refused(analysis, &[]), ContextError::Empty);
        assert_eq!(refused(analysis, &[At::Mark(1), At::Mark(2)]), ContextError::NoSuchCall(0));
        assert_eq!(refused(analysis, &[At::Call("main", "lock"), At::Mark(2)]), ContextError::NoSuchCall(0));
        let mut far = thread(program, &[At::Mark(1)], Status::Running);
        far.stack.0[0].inst = 99;
        assert_eq!(analysis.definitions(&far), Err(ContextError::NoSuchPoint(0)));
    });
}

/// What keeps the start function and its argument in a table, as the model of `pthread_create` does.
const LAUNCHER: &str = "global @table size 64 align 8
function @trampoline(%block: ptr) -> ptr model {
entry:
    %start: ptr = load [%block]
    %field = address %block + 8
    %arg: ptr = load [%field]
    %result: ptr = call *%start(%arg)
    return %result
}
function @launch(%start: ptr, %arg: ptr, %slot: i32) model {
entry:
    %index: i64 = zext %slot
    %block = address @table + %index*16
    store [%block], %start
    %field = address %block + 8
    store [%field], %arg
    %thread: i32 = call __ics_thread_create(@trampoline, %block, %slot)
    return
}
function @create(%start: ptr, %arg: ptr) model {
entry:
    call @launch(%start, %arg, 1)
    return
}
function @other(%arg: ptr) -> ptr {
entry:
    %m: i32 = add 12345, 5
    return null
}
";

fn known_in_worker(body: &str, stack: &[At<'_>]) -> Vec<String> {
    solve(&program(body, LAUNCHER), stack, Status::Running, |program, found, analysis| {
        found.describe(program, analysis.pool())
    })
}

#[test]
fn arguments_pass_through_the_table_of_a_model() {
    let worker = [At::Mark(2)];
    let body = "    store [@early], 6:i32\n    call @create(@worker, @early)\n    call @create(@other, @later)";
    assert_eq!(
        known_in_worker(body, &worker),
        ["v0#0 = &early", "[shared+0:4] = 1", "[early+0:4] = 6", "[later+0:4] = 1"]
    );
    assert_eq!(known_in_worker(body, &[At::Mark(5)]), ["v0#0 = &later", "[early+0:4] = 6"]);
    let stack = [At::Call("trampoline", "*"), At::Mark(2)];
    assert!(known_in_worker(body, &stack).contains(&"v0#1 = &early".to_owned()), "{:?}", known_in_worker(body, &stack));
    let twice = format!("{body}\n    call @launch(@worker, null, 2)");
    assert_eq!(known_in_worker(&twice, &worker), ["[shared+0:4] = 1", "[early+0:4] = 6", "[later+0:4] = 1"]);
    let local = "    %l: ptr = alloca 8 align 8\n    call @create(@worker, %l)";
    assert_eq!(known_in_worker(local, &worker)[0], "[shared+0:4] = 1", "the creator's registers have no names");
}

#[test]
fn a_start_function_that_is_also_called_has_what_both_agree_on() {
    let body = "    call @create(@other, @later)\n    %r: ptr = call @other(@early)";
    assert_eq!(known_in_worker(body, &[At::Mark(5)]), Vec::<String>::new());
}
