//! What the tests of reaching definitions on text IR share.
//!
//! A context is marked in the program: `%h: i32 = add 12345, N` is never executed, the thread stands in front of it.

#![allow(unreachable_pub, reason = "shared by the modules of the test binary")]

use icsched_dataflow::{Analysis, Definitions, Status, ThreadContext};
use icsched_ir::{BinOp, CallStack, Callee, Const, FuncId, Op, Operand, Program, ProgramPoint};
use icsched_pointsto::{ModRef, Options, PointsTo, Startup};

const MARK: u64 = 12345;

/// A point of a program, by what stands there.
#[derive(Copy, Clone)]
pub enum At<'a> {
    /// The mark with this number.
    Mark(u64),
    /// The first call of `.1` in `.0`.
    Call(&'a str, &'a str),
    /// The first call of the intrinsic `.1` in `.0`.
    Intrinsic(&'a str, &'a str),
}

fn function(program: &Program, name: &str) -> FuncId {
    program.function_named(name).unwrap_or_else(|| panic!("no function {name}"))
}

fn find(program: &Program, at: At<'_>) -> ProgramPoint {
    let stands_there = |func: FuncId, op: &Op| match (at, op) {
        (At::Mark(number), Op::Binary { op: BinOp::Add, a, b, .. }) => {
            let is = |operand: &Operand, x| matches!(operand, Operand::Const(Const::Bits { bits, .. }) if *bits == x);
            is(a, MARK) && is(b, number)
        }
        (At::Call(from, to), Op::Call { callee: Callee::Direct(f), .. }) => {
            func == function(program, from) && *f == function(program, to)
        }
        (At::Call(from, "*"), Op::Call { callee: Callee::Indirect(_), .. }) => func == function(program, from),
        (At::Intrinsic(from, name), Op::Call { callee: Callee::Intrinsic(i), .. }) => {
            func == function(program, from) && i.name() == name
        }
        _ => false,
    };
    for (func, body) in program.functions.iter() {
        for (block, body) in body.blocks.iter() {
            if let Some(at) = body.insts.iter().position(|i| stands_there(func, &i.op)) {
                return ProgramPoint { func, block, inst: u32::try_from(at).expect("tests are small") };
            }
        }
    }
    panic!("the test's program has no such point")
}

/// Hands the analysis of a program to `look`.
pub fn analysed<R>(text: &str, look: impl FnOnce(&Program, &mut Analysis<'_, '_>) -> R) -> R {
    let program = icsched_ir::parse(text).unwrap_or_else(|error| panic!("{error}"));
    icsched_ir::verify(&program).expect("the test's program is well formed");
    let points_to = PointsTo::new(&program, &Options::default()).expect("nothing interrupts it");
    let known = |f: &icsched_ir::Function| icsched_externals::known_not_to_synchronise(&f.name, f.params.len());
    let modref = ModRef::new(&program, &points_to, &known);
    let startup = Startup::new(&modref);
    look(&program, &mut Analysis::new(&modref, &startup))
}

/// A thread whose frames stand at these points.
pub fn thread(program: &Program, stack: &[At<'_>], status: Status) -> ThreadContext {
    let points = stack.iter().map(|&at| find(program, at)).collect();
    let complete = matches!(stack.first(), Some(At::Call("main", _) | At::Intrinsic("main", _)));
    ThreadContext { stack: CallStack(points), complete, folds: Vec::new(), status }
}

/// Solves for one thread of a program and hands the result to `look`.
pub fn solve<R>(
    text: &str,
    stack: &[At<'_>],
    status: Status,
    look: impl FnOnce(&Program, &Definitions, &Analysis<'_, '_>) -> R,
) -> R {
    analysed(text, |program, analysis| {
        let thread = thread(program, stack, status);
        let found = analysis.definitions(&thread).expect("the stack is one of the program's");
        let again = analysis.definitions(&thread).expect("the stack is one of the program's");
        assert_eq!(found, again, "what is remembered changes nothing");
        look(program, &found, analysis)
    })
}

/// The definitions of a running thread, in words: registers, then places.
pub fn definitions(text: &str, stack: &[At<'_>]) -> Vec<String> {
    solve(text, stack, Status::Running, |program, found, analysis| {
        assert!(found.is_reached, "the context is reached");
        found.describe(program, analysis.pool())
    })
}

/// The places among them, in words.
pub fn places(text: &str, stack: &[At<'_>]) -> Vec<String> {
    definitions(text, stack).into_iter().filter(|line| line.starts_with('[')).collect()
}

/// The registers among them, in words.
pub fn registers(text: &str, stack: &[At<'_>]) -> Vec<String> {
    definitions(text, stack).into_iter().filter(|line| !line.starts_with('[')).collect()
}

/// A `main` with this body that is at mark 1 somewhere in it, and `rest` behind it.
pub fn main_with(body: &str, rest: &str) -> String {
    format!(
        "global @a size 16 align 8\nglobal @b size 16 align 8\nglobal @p size 8 align 8\n\
         function @main(%argc: i32, %argv: ptr) -> i32 {{\nentry:\n{body}\n    %h: i32 = add 12345, 1\n    return 0\n}}\n{rest}"
    )
}

/// The places that are known at mark 1 of such a `main`.
pub fn places_of_main(body: &str, rest: &str) -> Vec<String> {
    places(&main_with(body, rest), &[At::Mark(1)])
}
