//! What creations pass in structures.

use crate::common::{At, analysed, thread};
use icsched_dataflow::{Context, Count, Options, RelationKind, Status};

const MODELS: &str = "global @table size 64 align 8
global @items size 800 align 8
global @size size 4 align 4
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
function @malloc(%n: i64) -> ptr model {
entry:
    %q: ptr = call __ics_malloc(%n, 0:i32)
    return %q
}
function @worker(%p: ptr) -> ptr {
entry:
    %x: i32 = load [%p]
    %f = address %p + 4
    %y: i32 = load [%f]
    call @deep(%y, %p)
    return null
}
function @deep(%n: i32, %q: ptr) {
entry:
    %g = address %q + 8
    %z: i64 = load [%g]
    %m: i32 = add 12345, 2
    return
}
";

const STACK: [At<'_>; 2] = [At::Call("worker", "deep"), At::Mark(2)];

/// What holds between two threads, and between what the numbers of one are.
fn known(text: &str) -> Vec<String> {
    analysed(text, |program, analysis| {
        let one = thread(program, &STACK, Status::Running);
        let context = Context { threads: vec![one.clone(), one], ..Context::default() };
        let state = analysis.initial_state(&context, &Options::default()).expect("a context of the program");
        let pool = analysis.pool();
        let mut said = Vec::new();
        for relation in &state.relations {
            let sign = if relation.kind == RelationKind::Equal { "==" } else { "!=" };
            let [(0, a), (1, b)] = [relation.a, relation.b] else { panic!("two threads") };
            let (a, b) = (pool.describe(program, a), pool.describe(program, b));
            // That the pointers differ is not new.
            if a != "v0#0" && b != "v0#0" && a != "v1#1" {
                said.push(format!("{a} {sign} {b}"));
            }
        }
        for range in &state.threads[0].ranges {
            let bound = match range.bound {
                Count::Constant(number) => number.to_string(),
                Count::Place(place) => place.describe(program, pool),
                Count::Any => "any".to_owned(),
            };
            said.push(format!("{} <= {} < {bound}", range.start, pool.describe(program, range.value)));
        }
        said
    })
}

/// Threads are created in a loop with the counter `%i`; `pass` says what they get.
fn created(pass: &str, bound: &str) -> String {
    format!(
        "{MODELS}function @main(%argc: i32) -> i32 {{\nentry:\n    store [@size], %argc\n    %l: i64 = sext %argc\n    jump head(0)\nhead(%i: i32):
    {bound}\n    %c: i1 = icmp.slt %i, %n\n    branch %c, body, done\nbody:\n{pass}\n    call @create(@worker, %arg)
    %next: i32 = add %i, 1\n    jump head(%next)\ndone:\n    return 0\n}}"
    )
}

const VARIABLE: &str = "%n: i32 = load [@size]";

/// An element of a global array: a number for all, the counter, and again a number for all.
const ELEMENT: &str = "    %w: i64 = sext %i\n    %arg = address @items + %w*16\n    store [%arg], %argc
    %second = address %arg + 4\n    store [%second], %i\n    %third = address %arg + 8\n    store [%third], %l";

#[test]
fn fields_are_equal_or_count() {
    let counted = |bound: &str| {
        vec![
            "v1#0 == v1#0".to_owned(),
            "v3#0 != v3#0".to_owned(),
            "v3#1 == v3#1".to_owned(),
            format!("0 <= v3#0 < {bound}"),
        ]
    };
    assert_eq!(known(&created(ELEMENT, VARIABLE)), counted("size+0:4"));
    assert_eq!(known(&created(ELEMENT, "%n: i32 = add 4, 3")), counted("size+0:4")[..3]);
}

#[test]
fn each_thread_may_have_an_object_of_its_own() {
    let object = ELEMENT.replace("%arg = address @items + %w*16", "%arg: ptr = call @malloc(16)");
    let found = known(&created(&object, VARIABLE));
    assert_eq!(found, ["v1#0 == v1#0", "v3#0 != v3#0", "v3#1 == v3#1", "0 <= v3#0 < size+0:4"]);
}

#[test]
fn a_number_that_is_the_argument_counts() {
    let pass = "    %w: i64 = sext %i\n    %arg: ptr = bitcast %w";
    assert_eq!(known(&created(pass, VARIABLE)), ["0 <= v0#0 < size+0:4"]);
}

#[test]
fn what_somebody_else_may_write_is_not_known() {
    let text = created(ELEMENT, VARIABLE);
    let writes = text.replace("    call @deep(%y, %p)", "    store [%p], 7:i32\n    call @deep(%y, %p)");
    let found = known(&writes);
    assert!(!found.iter().any(|f| f.contains("v1#0 ==")) && found.contains(&"v3#0 != v3#0".to_owned()), "{found:?}");
    let later = text.replace("    %next: i32", "    store [%second], 7:i32\n    %next: i32");
    assert!(!known(&later).contains(&"v3#0 != v3#0".to_owned()), "written behind the creation");
    let others = text.replace("    %third =", "    store [@items], 3:i32\n    %third =");
    assert!(!known(&others).contains(&"v1#0 == v1#0".to_owned()), "written in each iteration for the first");
    let overlap = text.replace("%w*16", "%w*4");
    assert_eq!(known(&overlap), Vec::<String>::new(), "elements overlap");
}

#[test]
fn one_run_of_one_creation_hands_over() {
    let text = created(ELEMENT, VARIABLE);
    let twice = text.replace("done:\n", "done:\n    call @create(@worker, @items)\n");
    assert_eq!(known(&twice), Vec::<String>::new());
    let fixed = text.replace("%arg = address @items + %w*16", "%arg = address @items + 16");
    assert_eq!(known(&fixed), Vec::<String>::new(), "all have one piece");
}
