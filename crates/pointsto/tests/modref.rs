//! What functions may write, read and synchronise, rule by rule on text IR.

use crate::common::Solved;
use icsched_ir::{BlockId, EntityId, ProgramPoint};
use icsched_pointsto::{Options, Regions};

fn mods(text: &str, function: &str) -> String {
    Solved::new(text).mods(function)
}

const GLOBALS: &str = "
global @a size 16 align 8
global @b size 16 align 8
global @c size 16 align 8
global @p size 8 align 8
";

/// A `main` with this body, and `rest` behind it.
fn main_with(body: &str, rest: &str) -> String {
    format!("{GLOBALS}\nfunction @main() -> i32 {{\nentry:\n{body}\n    return 0\n}}\n{rest}")
}

#[test]
fn stores_write_as_many_bytes_as_their_value_has() {
    let text =
        main_with("    store [@a], 1:i32\n    %x = address @a + 8\n    store [%x], 1:i8\n    store [@b], 1:i1", "");
    assert_eq!(mods(&text, "main"), "a+0:4 a+8:1 b+0:1");
}

#[test]
fn atomic_operations_write_and_read() {
    let body = "    %x: i32 = rmw add seq_cst [@a], 1\n    %y: i64 = cmpxchg seq_cst seq_cst [@b], 0, 1\n";
    let solved = Solved::new(&main_with(body, ""));
    assert_eq!(solved.mods("main"), "a+0:4 b+0:8");
    assert_eq!(solved.refs("main"), "a+0:4 b+0:8");
}

#[test]
fn copies_and_fills_of_memory_write_as_much_as_they_say() {
    let body = "    %n: i64 = load [@c]
    memcpy [@a], [@b], 12
    memset [@b], 0:i8, %n
    %x = address @c + 8
    memmove [%x], [@a], %n";
    let solved = Solved::new(&main_with(body, ""));
    assert_eq!(solved.mods("main"), "a+0:12 b+0:* c+8:*");
    assert_eq!(solved.refs("main"), "a+0:* b+0:12 c+0:8");
}

#[test]
fn variable_argument_lists_are_written_by_starting_and_copying_them() {
    let body = "    call @f(@a, @b)";
    let rest = "function @f(%x: ptr, %y: ptr, ...) {
entry:
    va_start [%x]
    va_copy [%y], [%x]
    return
}";
    assert_eq!(mods(&main_with(body, rest), "f"), "a+0:24 b+0:24");
}

#[test]
fn operations_of_the_engine_write_through_their_arguments() {
    let body = "    %n: i64 = load [@c]
    %r: i64 = call __ics_host_read(0:i32, @a, 4:i64)
    %s: i64 = call __ics_host_clock(0:i32, @b)
    call __ics_memset(@c, 0:i32, %n)
    %w: i64 = call __ics_host_write(1:i32, @p, 3:i64)";
    let solved = Solved::new(&main_with(body, ""));
    assert_eq!(solved.mods("main"), "a+0:4 b+0:16 c+0:*");
    assert_eq!(solved.refs("main"), "c+0:8 p+0:3");
}

#[test]
fn freeing_ends_the_life_of_the_whole_object() {
    let body = "    %m: ptr = call __ics_malloc(24:i64, 0:i32)
    store [@p], %m
    call @f()";
    let rest = "function @f() {
entry:
    %x: ptr = load [@p]
    %y = address %x + 8
    call __ics_free(%y)
    return
}";
    let solved = Solved::new(&main_with(body, rest));
    let modref = solved.modref();
    let set = modref.set(modref.of_function(solved.function("f")).mods);
    assert!(modref.touches(set, solved.object("heap@main"), 0, 1), "bytes before the address too");
}

#[test]
fn a_function_of_the_library_writes_what_its_row_says_and_what_that_leads_to() {
    let body = "    store [@a], @b
    %r: ptr = call @memcpy(@a, @c, 8)";
    let rest = "declare @memcpy(%to: ptr, %from: ptr, %n: i64) -> ptr";
    let solved = Solved::new(&main_with(body, rest));
    assert_eq!(solved.mods("main"), "a b");
    assert_eq!(solved.refs("main"), "c");
    assert!(!solved.modref().of_function(solved.function("main")).synchronises);
}

#[test]
fn an_unknown_function_may_write_what_it_can_reach_and_call_what_it_was_given() {
    let body = "    store [@a], @b
    call @unheard_of(@a, @callback)";
    let rest = "declare @unheard_of(%x: ptr, %f: ptr)
function @callback() {
entry:
    store [@c], 1:i32
    return
}";
    let solved = Solved::new(&main_with(body, rest));
    assert_eq!(solved.mods("main"), "a b c+0:4 outside");
    assert!(solved.modref().of_function(solved.function("main")).synchronises);
}

#[test]
fn what_was_not_lowered_may_write_everything() {
    assert_eq!(mods(&main_with("    unsupported \"asm\"", ""), "main"), "everything");
}

#[test]
fn an_address_put_together_from_narrow_numbers_may_be_any() {
    let body = "    %low: i32 = load [@a]
    %high: i32 = load [@b]
    %l: i64 = zext %low
    %h: i64 = zext %high
    %s: i64 = shl %h, 32
    %n: i64 = or %s, %l
    %at: ptr = bitcast %n
    store [%at], 1:i8";
    assert_eq!(mods(&main_with(body, ""), "main"), "everything");
    // A number that is added to a pointer is an offset.
    let body = "    %low: i32 = load [@b]
    %l: i64 = zext %low
    %i: i64 = bitcast @a
    %n: i64 = add %i, %l
    %at: ptr = bitcast %n
    store [%at], 1:i8";
    assert_eq!(mods(&main_with(body, ""), "main"), "a");
}

const POINTS_TO_LOCAL: &str = "function @f() {
entry:
    %x \"x\" = alloca 4 align 4
    call @set(%x)
    store [@c], 1:i32
    return
}
function @set(%to: ptr) {
entry:
    store [%to], 7:i32
    return
}";

#[test]
fn the_locals_of_a_callee_are_gone_when_it_returns() {
    let solved =
        Solved::with(&main_with("    call @f()", POINTS_TO_LOCAL), &Options { clone_depth: 0, ..Options::default() });
    assert_eq!(solved.mods("set"), "x@f+0:4");
    assert_eq!(solved.mods("f"), "c+0:4");
    let modref = solved.modref();
    let inside = modref.inside_instance(solved.instance("f"));
    assert_eq!(solved.describe(&modref, modref.set(inside.mods)), "c+0:4 x@f+0:4");
}

#[test]
fn the_locals_of_an_outer_activation_are_still_there() {
    // The inner call of f sets the outer one's x.
    let rest = "function @f(%to: ptr, %n: i32) {
entry:
    %x \"x\" = alloca 4 align 4
    store [%to], 1:i32
    %more = icmp.sgt %n, 0
    branch %more, again, done
again:
    %m = sub %n, 1
    call @f(%x, %m)
    jump done
done:
    return
}";
    let solved = Solved::new(&main_with("    call @f(@a, 3:i32)", rest));
    let modref = solved.modref();
    let (f, func) = (solved.instance("f"), solved.function("f"));
    let call = ProgramPoint { func, block: BlockId::from_index(1), inst: 1 };
    let at_call = modref.of_instruction(f, call);
    let text = solved.describe(&modref, &at_call.mods);
    assert!(modref.touches(&at_call.mods, solved.object("x@f"), 0, 4), "{text}");
}

#[test]
fn the_locals_of_another_thread_are_still_there() {
    // Each thread publishes its local; each writes through what is published.
    let body = "    %t: i32 = call __ics_thread_create(@worker, null, 1:i32)\n    call @publish()";
    let rest = "function @worker(%arg: ptr) -> ptr {
entry:
    call @publish()
    return null
}
function @publish() {
entry:
    %x \"x\" = alloca 4 align 4
    store [@p], %x
    %other: ptr = load [@p]
    store [%other], 1:i32
    return
}";
    assert_eq!(mods(&main_with(body, rest), "publish"), "p+0:8 x@publish+0:4");
}

#[test]
fn calls_through_pointers_write_what_their_targets_do() {
    let body = "    store [@p], @one
    %f: ptr = load [@p]
    call *%f()";
    let rest = "function @one() {
entry:
    store [@a], 1:i32
    return
}
function @two() {
entry:
    store [@b], 1:i32
    return
}
global @unused size 8 align 8 = { 0: @two }";
    assert_eq!(mods(&main_with(body, rest), "main"), "a+0:4 p+0:8");
}

#[test]
fn starting_a_thread_synchronises_and_does_not_write_what_the_thread_does() {
    let body = "    %t: i32 = call __ics_thread_create(@worker, null, 1:i32)";
    let rest = "function @worker(%arg: ptr) -> ptr {
entry:
    store [@a], 1:i32
    return null
}";
    let solved = Solved::new(&main_with(body, rest));
    assert_eq!(solved.mods("main"), "");
    assert!(solved.modref().of_function(solved.function("main")).synchronises);
    assert!(!solved.modref().of_function(solved.function("worker")).synchronises);
}

#[test]
fn synchronisation_is_seen_through_calls_and_in_atomic_accesses() {
    let body = "    call @quiet()\n    call @locks()\n    call @reads()";
    let rest = "function @quiet() {
entry:
    store [@a], 1:i32
    return
}
function @locks() {
entry:
    call @inner()
    return
}
function @inner() {
entry:
    call __ics_event(@a, 0:i32)
    return
}
function @reads() {
entry:
    %x: i32 = load acquire [@a]
    return
}";
    let solved = Solved::new(&main_with(body, rest));
    let modref = solved.modref();
    let synchronises = |name: &str| modref.of_function(solved.function(name)).synchronises;
    assert_eq!(["quiet", "locks", "inner", "reads", "main"].map(synchronises), [false, true, true, true, true]);
}

#[test]
fn calls_of_a_helper_are_told_apart_by_what_they_pass() {
    let body = "    %x: ptr = call @next(@a)\n    store [%x], 1:i32\n    call @g()";
    let rest = "function @next(%p: ptr) -> ptr {
entry:
    store [%p], 0:i64
    %q = address %p + 8
    return %q
}
function @g() {
entry:
    %x: ptr = call @next(@b)
    return
}";
    let solved = Solved::new(&main_with(body, rest));
    assert_eq!(solved.mods("g"), "b+0:8");
    assert_eq!(solved.mods("next"), "a+0:8 b+0:8");
    let modref = solved.modref();
    let call = ProgramPoint { func: solved.function("g"), block: BlockId::from_index(0), inst: 0 };
    let effects = modref.of_call(solved.instance("g"), call);
    assert_eq!(solved.describe(&modref, modref.set(effects.mods)), "b+0:8");
}

#[test]
fn parts_of_a_function_have_only_their_own_effects() {
    let body = "    store [@p], 0:i64
    %n: i32 = load [@c]
    jump head(0:i32)
head(%i: i32):
    %more = icmp.slt %i, %n
    branch %more, body, done
body:
    store [@a], 1:i32
    %j = add %i, 1
    jump head(%j)
done:
    %odd = icmp.eq %n, 7
    branch %odd, then, end
then:
    store [@b], 1:i32
    call __ics_event(@a, 0:i32)
    jump end
end:
    store [@c], 1:i32";
    let solved = Solved::new(&main_with(body, ""));
    let modref = solved.modref();
    let mut regions = Regions::new(&modref);
    let main = solved.instance("main");
    let [(only, _)] = regions.loops(solved.function("main"))[..] else { panic!("one loop") };
    let in_loop = regions.of_loop(main, only);
    assert_eq!((solved.describe(&modref, &in_loop.mods), in_loop.synchronises), ("a+0:4".to_owned(), false));
    let behind = regions.of_branch(main, BlockId::from_index(3));
    assert_eq!((solved.describe(&modref, &behind.mods), behind.synchronises), ("b+0:4".to_owned(), true));
}

#[test]
fn touching_is_by_bytes() {
    let solved = Solved::new(&main_with("    %x = address @a + 4\n    store [%x], 1:i32", ""));
    let modref = solved.modref();
    let set = modref.set(modref.of_function(solved.function("main")).mods);
    let a = solved.object("a");
    assert_eq!(
        [(0, 4), (0, 5), (7, 1), (8, 8)].map(|(start, len)| modref.touches(set, a, start, len)),
        [false, true, true, false]
    );
}

/// An array of 256 numbers with something in front of it and behind it, written at an index.
fn table(index: &str, address: &str) -> String {
    let body = format!("    %c: i8 = load [@a]\n    {index}\n    {address}\n    store [%x], 1:i32");
    format!("global @t size 1040 align 8\n{}", main_with(&body, ""))
}

#[test]
fn an_index_that_was_a_byte_reaches_a_byte_far() {
    let near = "%row = address @t + 8\n    %x = address %row + %i*4";
    let mods = |index: &str| mods(&table(index, near), "main");
    assert_eq!(mods("%i: i64 = zext %c"), "t+8:1024");
    assert_eq!(mods("%w: i32 = zext %c\n    %i: i64 = zext %w"), "t+8:1024");
    assert_eq!(mods("%n: i64 = load [@a]\n    %i = and %n, 15"), "t+8:64");
    assert_eq!(mods("%n: i64 = load [@a]\n    %i = lshr %n, 60"), "t+8:64");
    assert_eq!(mods("%n: i64 = load [@a]\n    %i = urem %n, 10"), "t+8:40");
    let any = mods("%i: i64 = sext %c");
    assert_eq!(mods("%i: i64 = load [@a]"), any, "negative, or any number");
    assert!(!any.contains("t+8:"), "{any}");
}

#[test]
fn arrays_in_arrays_reach_as_far_as_both_indices() {
    let index = "%i: i64 = zext %c\n    %n: i64 = load [@a]\n    %j = and %n, 1";
    let nested = "%row = address @t + 8\n    %at = address %row + %j*512\n    %x = address %at + %i*1";
    assert_eq!(mods(&table(index, nested), "main"), "t+8:771");
    // In front of the base is not behind it.
    let before = "%x = address @t + -4 + %i*4";
    assert!(!mods(&table(index, before), "main").contains(":1024"));
}

#[test]
fn an_index_that_counts_a_loop_reaches_as_far_as_its_test_lets_it() {
    let counted = |from: &str, test: &str, step: &str, at: &str| {
        let body = format!(
            "    %row = address @t + 8
    %n: i32 = load [@c]
    jump head({from}:i32)
head(%i: i32):
    %more = icmp.{test}
    branch %more, body, done
body:
    %w: i64 = sext %i
    {at}
    store [%x], 1:i32
    %j = add %i, {step}
    jump head(%j)
done:"
        );
        mods(&format!("global @t size 1040 align 8\n{}", main_with(&body, "")), "main")
    };
    let element = "%x = address %row + %w*4";
    assert_eq!(counted("0", "slt %i, 256", "1", element), "t+8:1024");
    assert_eq!(counted("0", "ne %i, 16", "4", element), "t+8:52");
    assert_eq!(counted("9", "sge %i, 0", "-1", element), "t+8:40");
    let any = counted("0", "slt %i, %n", "1", element);
    assert!(!any.contains("t+8:"), "nobody knows how far: {any}");
    assert_eq!(counted("-3", "slt %i, 256", "1", element), any, "it begins in front of the table");
}
