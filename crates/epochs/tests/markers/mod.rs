//! Where epoch markers go, and why not elsewhere.

mod calls;
mod loops;
mod random;

use std::fmt::Write as _;

use expect_test::Expect;
use icsched_epochs::markers::{MarkerOptions, Markers};
use icsched_ir::{Function, Program};
use icsched_pointsto::{ModRef, PointsTo};
use icsched_slicing::QuietEnds;
use icsched_slicing::control::Control;

/// The library functions that the programs here call; the models are not needed.
const LIBRARY: &str = "
global @m size 40 align 8
global @n size 4 align 4
global @slot size 8 align 8
declare @lock(%a: ptr)
declare @pthread_barrier_wait(%a: ptr)
declare @pthread_cond_wait(%a: ptr, %b: ptr)
declare @pthread_cond_timedwait(%a: ptr, %b: ptr, %c: ptr)
declare @pthread_create(%a: ptr, %b: ptr, %c: ptr, %d: ptr)
declare @pthread_join(%a: i64, %b: ptr)
declare @compute()
declare @leave() no_return
";

fn place(text: &str, prune: bool) -> (Program, Markers) {
    let program = icsched_ir::parse(&format!("{LIBRARY}{text}")).unwrap_or_else(|error| panic!("{error}"));
    let harmless = |f: &Function| f.name == "compute";
    let points_to = PointsTo::new(&program, &Default::default()).expect("nothing interrupts it");
    let modref = ModRef::new(&program, &points_to, &harmless);
    let control = Control::new(&program, &harmless, QuietEnds::All, Some(&points_to));
    let markers = Markers::place(&program, &control, Some(&modref), &MarkerOptions { prune });
    (program, markers)
}

fn show(text: &str, prune: bool) -> String {
    let (program, markers) = place(text, prune);
    let mut out = String::new();
    for (point, kind) in markers.iter() {
        let name = &program.functions[point.func].name;
        writeln!(out, "{name} {}:{} {}", point.block, point.inst, kind.name()).expect("a string grows");
        assert!(markers.contains(point) && markers.kind(point) == Some(kind));
    }
    for l in markers.loops() {
        if let Some(why) = &l.unmarked {
            let name = &program.functions[l.func].name;
            writeln!(out, "{name} {}: {}", l.header, why.describe(&program)).expect("a string grows");
        }
    }
    out
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&show(text, true));
}

/// `while (%c) { body }` in main.
fn while_loop(body: &str) -> String {
    format!(
        "function @main(%c: i1) {{
entry:
    jump head
head:
    branch %c, body, done
body:
{body}
    jump head
done:
    return
}}
"
    )
}

/// `for (i = 0; i < n; i++) { body }` in main; `n` is a global.
fn counted_loop(body: &str) -> String {
    format!(
        "function @main() {{
entry:
    jump head(0:i32)
head(%i: i32):
    %bound: i32 = load [@n]
    %more = icmp.slt %i, %bound
    branch %more, body, done
body:
{body}
    %j = add %i, 1
    jump head(%j)
done:
    return
}}
"
    )
}
