//! Whether loops and recursions end: each rule with a case that it proves, and near misses that it must not prove.

mod counters;
mod memory;
mod numbers;
mod recursion;

use icsched_dataflow::termination::{Termination, Verdict};
use icsched_ir::{FuncId, Program};
use icsched_pointsto::{ModRef, Options, PointsTo, Startup};

/// Hands the analysis of a program to `look`.
fn analysed<R>(text: &str, look: impl FnOnce(&Program, &Termination<'_, '_>) -> R) -> R {
    let program = icsched_ir::parse(text).unwrap_or_else(|error| panic!("{error}"));
    icsched_ir::verify(&program).expect("the test's program is well formed");
    let points_to = PointsTo::new(&program, &Options::default()).expect("nothing interrupts it");
    let known = |f: &icsched_ir::Function| icsched_externals::known_not_to_synchronise(&f.name, f.params.len());
    let modref = ModRef::new(&program, &points_to, &known);
    let startup = Startup::new(&modref);
    look(&program, &Termination::new(&modref, &startup))
}

fn function(program: &Program, name: &str) -> FuncId {
    program.function_named(name).unwrap_or_else(|| panic!("no function {name}"))
}

fn words(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Ends(why) => format!("ends: {}", why.describe()),
        Verdict::Endless => "endless".to_owned(),
        Verdict::Unknown => "unknown".to_owned(),
    }
}

/// What is said of the loops of `@main`, outer ones first, one line each.
fn loops(text: &str) -> String {
    analysed(text, |program, termination| {
        let main = function(program, "main");
        let forest = icsched_ir::LoopForest::new(&icsched_ir::Cfg::new(&program.functions[main]));
        let lines = forest.iter().map(|(_, l)| words(&termination.of_loop(main, l.header)));
        lines.collect::<Vec<_>>().join("\n")
    })
}

/// What is said of the loops of a `@main` that has two parameters and these blocks.
fn body(blocks: &str) -> String {
    loops(&format!("function @main(%v0: i32 \"n\", %v1: ptr \"a\") -> i32 {{\n{blocks}\n}}"))
}

/// Whether the outermost loop is proved to end.
#[track_caller]
fn ends(blocks: &str) {
    let found = body(blocks);
    assert!(found.starts_with("ends: "), "{found}");
}

/// Whether nothing is known of the outermost loop.
#[track_caller]
fn is_unknown(blocks: &str) {
    let found = body(blocks);
    assert!(found.starts_with("unknown"), "{found}");
}

/// Whether the outermost loop is known to go on for ever.
#[track_caller]
fn is_endless(blocks: &str) {
    let found = body(blocks);
    assert!(found.starts_with("endless"), "{found}");
}

/// What is said of the recursion that `@f` is part of.
fn recursion(text: &str) -> String {
    analysed(text, |program, termination| words(&termination.of_recursion(function(program, "f"))))
}
