//! Call stacks as users write them.

use icsched_dataflow::parse_stack;
use icsched_ir::{Op, Program};
use icsched_pointsto::{Options, PointsTo};

const PROGRAM: &str = "global @hook size 8 align 8
function @main(%argc: i32, %argv: ptr) -> i32 at main.c:1 {
entry:
    store [@hook], @deep at main.c:2
    call @run(1:i32) at main.c:3
    call @run(2:i32) at main.c:4
    call @once() at main.c:4
    return 0:i32 at main.c:5
}
function @run(%x: i32) at run.c:1 {
entry:
    %y: i32 = add %x, 1 at run.c:2
    %h: ptr = load [@hook] at run.c:3
    call *%h() at run.c:3
    jump end at run.c:4
end:
    return at run.c:9
}
function @once() at main.c:20 {
entry:
    call @deep() at main.c:21
    return at main.c:22
}
function @deep() at deep.c:1 {
entry:
    return at deep.c:2
}
function @twin() at run.c:1 {
entry:
    return at run.c:2
}
declare @outside()
function @strlen(%s: ptr) -> i64 model at string.c:1 {
entry:
    return 0 at string.c:7
}";

fn solved() -> (Program, PointsTo) {
    let program = icsched_ir::parse(PROGRAM).unwrap_or_else(|error| panic!("{error}"));
    let points_to = PointsTo::new(&program, &Options::default()).expect("nothing interrupts it");
    (program, points_to)
}

/// The frames of a stack as `function:instruction`, with a star if it is complete; or why there is none.
fn parsed(text: &str) -> String {
    let (program, points_to) = solved();
    match parse_stack(&program, &points_to, text) {
        Err(error) => error.to_string(),
        Ok(thread) => {
            thread.check(&program).expect("what is parsed is a stack of the program");
            let frame = |p: &icsched_ir::ProgramPoint| {
                let function = &program.functions[p.func];
                let inst = function.blocks[p.block].insts.get(p.inst as usize);
                let what = match inst.map(|i| &i.op) {
                    Some(Op::Call { .. }) => "call",
                    Some(_) => "other",
                    None => "end",
                };
                format!("{}:{}:{what}", function.name, p.inst)
            };
            let frames: Vec<String> = thread.stack.0.iter().map(frame).collect();
            format!("{}{}", frames.join(" "), if thread.complete { " *" } else { "" })
        }
    }
}

#[test]
fn one_frame_is_a_line_or_a_function() {
    assert_eq!(parsed("main.c:3"), "main:1:call *");
    assert_eq!(parsed("main.c:4"), "main:2:call *", "the first of the line");
    assert_eq!(parsed("run.c:9"), "run:0:end");
    assert_eq!(parsed("run"), "run:0:other");
    assert_eq!(parsed("run+2"), "run:2:call");
    assert_eq!(parsed("run+4"), "run:0:end", "ends of blocks count");
    assert_eq!(parsed("twin@run.c:2"), "twin:0:end");
    assert_eq!(parsed("string.c:7"), "strlen:0:end", "models where the program has no such line");
    assert_eq!(parsed(" main @ main.c:3"), "the program has no code of a function `main `");
}

#[test]
fn callers_stand_at_their_calls() {
    assert_eq!(parsed("main>once>deep"), "main:3:call once:0:call deep:0:end *");
    assert_eq!(parsed("main@main.c:3 > run@run.c:2"), "main:1:call run:0:other *");
    assert_eq!(parsed("main+2>run"), "main:2:call run:0:other *");
    assert_eq!(parsed("run>deep"), "run:2:call deep:0:end", "through a pointer");
    assert_eq!(parsed("main.c:21>deep.c:2"), "once:0:call deep:0:end");
}

#[test]
fn what_is_not_one_place_is_said() {
    assert_eq!(parsed("run.c:2"), "`run.c:2` can be any of run@run.c:2, twin@run.c:2");
    assert_eq!(parsed("main>run"), "`main` can be any of main+1, main+2");
    assert_eq!(parsed("main>deep"), "`main` has no call of `deep` there");
    assert_eq!(parsed("main@main.c:2>run"), "`main@main.c:2` has no call of `run` there");
    assert_eq!(parsed("main.c:6"), "there is no code at main.c:6; the next line with code is main.c:21");
    assert_eq!(parsed("ain.c:3"), "there is no code at ain.c:3", "no part of a name");
    assert_eq!(parsed("other/main.c:3"), "there is no code at other/main.c:3");
    assert_eq!(parsed("run@deep.c:2"), "there is no code at run@deep.c:2");
    assert_eq!(parsed("nobody"), "the program has no code of a function `nobody`");
    assert_eq!(parsed("outside"), "the program has no code of a function `outside`");
    assert_eq!(parsed("twin+1"), "`twin` has 1 instructions, numbered from 0: there is no 1");
    for text in ["", "main>", ":3", "main.c:x", "run+x", "run+1@run.c:2", "@run.c:2", "run@run"] {
        assert!(parsed(text).contains("is no place: expected FILE:LINE"), "{text}: {}", parsed(text));
    }
}
