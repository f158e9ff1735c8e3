//! That a watched run finds what an analysis misses: the runs are held against the analysis of another program.

use std::time::Duration;

use c_tests_runner::soundness::{Report, watched};
use icsched_ir::{Program, parse, verify};
use icsched_machine::host::MemoryHost;
use icsched_pointsto::{ModRef, Options, PointsTo};

fn program(text: &str) -> Program {
    let program = parse(text).unwrap_or_else(|e| panic!("{e}"));
    verify(&program).expect("the test's program is well formed");
    program
}

/// Runs `runs` and holds it against the analysis of `analysed`, which has the same functions, blocks and values.
fn watch(runs: &str, analysed: &str) -> Report {
    let (runs, analysed) = (program(runs), program(analysed));
    let points_to = PointsTo::new(&analysed, &Options::default()).expect("nothing interrupts it");
    let modref = ModRef::new(&analysed, &points_to, &|_| true);
    watched(&runs, &modref, &[b"prog".to_vec()], &[], Box::new(MemoryHost::default()), Duration::MAX)
}

/// A program that stores through a pointer in a variable and calls another one.
fn text(pointer: &str, function: &str) -> String {
    format!(
        "global @a = i64 0
        global @b = i64 0
        global @p align 8 = i64 0 {{ 0: {pointer} }}
        global @f align 8 = i64 0 {{ 0: {function} }}
        function @one() {{
        a:
            return
        }}
        function @two() {{
        a:
            store [@b], 2:i64
            return
        }}
        function @main() -> i32 {{
        a:
            %b: i64 = load [@b]
            %p: ptr = load [@p]
            store [%p], 1:i32
            %f: ptr = load [@f]
            call *%f()
            return 0:i32
        }}"
    )
}

fn misses(runs: &str, analysed: &str) -> Vec<String> {
    watch(runs, analysed).misses.into_iter().map(|miss| miss.text).collect()
}

#[test]
fn nothing_is_missed_by_the_programs_own_analysis() {
    let right = text("@a", "@one");
    let report = watch(&right, &right);
    assert!(report.misses.is_empty(), "{:?}", report.misses);
    assert_eq!((report.count.accesses, report.count.calls, report.count.skipped), (4, 2, 0));
}

#[test]
fn another_object_is_found() {
    let found = misses(&text("@b", "@one"), &text("@a", "@one"));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("writes 4 bytes at +0 of `b`") && found[0].contains("{`a` +0}"), "{found:?}");
    assert!(found[1].contains("not in the mod set of `main`"), "{found:?}");
}

#[test]
fn another_offset_is_found() {
    let found = misses(&text("@a + 4", "@one"), &text("@a", "@one"));
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].contains("writes 4 bytes at +4 of `a`"), "{found:?}");
}

#[test]
fn another_function_is_found() {
    let found = misses(&text("@a", "@two"), &text("@a", "@one"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("`main` calls `two`") && found[0].contains("`one`"), "{found:?}");
}
