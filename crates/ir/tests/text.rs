//! The text form: exact round trips, hand-written input, errors with their place.

use crate::common;
use expect_test::{Expect, expect};
use icsched_ir::{EntityId, FuncId, Op, parse, verify};
use proptest::prelude::*;

#[test]
fn printed_form_is_a_fixed_point() {
    let text = include_str!("programs/queue.ir");
    let program = parse(text).unwrap();
    assert_eq!(program.to_text(), text);
    assert_eq!(program.main, None);
    assert_eq!(program.constructors, [FuncId::from_index(3)]);
    // The out-of-module call signature of `@pair` takes a variable argument; nothing else is unusual.
    verify(&program).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn generated_programs_round_trip(choices in proptest::collection::vec(any::<u64>(), 0..600)) {
        let program = common::program(&choices);
        prop_assert_eq!(verify(&program), Ok(()));
        let text = program.to_text();
        let read = parse(&text);
        prop_assert_eq!(read.as_ref(), Ok(&program), "{}", text);
        prop_assert_eq!(read.unwrap().to_text(), text);
    }

    #[test]
    fn damaged_text_is_an_error_or_a_program(at in any::<prop::sample::Index>(), length in 0..12usize, with in "[ -~\n]{0,3}") {
        let mut text = include_str!("programs/queue.ir").to_owned();
        let start = at.index(text.len());
        let end = (start + length).min(text.len());
        text.replace_range(start..end, &with);
        if let Ok(program) = parse(&text) {
            // May be wrong in what the parser does not check, but prints and is judged without a panic.
            let _ = (program.to_text(), verify(&program));
        }
    }
}

#[test]
fn the_documented_examples_are_programs() {
    let page = include_str!("../../../docs/internals/ir.md");
    let examples: Vec<&str> = page.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let [printed, by_hand] = examples[..] else { panic!("the page has two examples") };
    assert_eq!(parse(printed).unwrap().to_text(), printed);
    for example in [printed, by_hand] {
        assert_eq!(verify(&parse(example).unwrap()), Ok(()));
    }
}

#[test]
fn one_function_prints_without_its_id() {
    let program = parse(include_str!("programs/queue.ir")).unwrap();
    let setup = program.function_named("odd name").unwrap();
    expect![[r#"
        function @"odd name"() no_return model {
        b0:
            trap
            unreachable
        }
    "#]]
    .assert_eq(&program.functions[setup].to_text(&program));
}

/// What a text written by hand looks like in full.
fn check(text: &str, expected: &Expect) {
    let program = parse(text).unwrap_or_else(|e| panic!("{e}"));
    verify(&program).unwrap();
    expected.assert_eq(&program.to_text());
    assert_eq!(parse(&program.to_text()).unwrap(), program);
}

#[test]
fn ids_types_and_tables_may_be_left_out() {
    check(
        r#"
        global @n = i32 7, i32 -1   ; two numbers
        global @p size 8 = { 0: @n + 4 }
        function @main(%argc: i32, %argv: ptr) -> i32 {
        entry:
            %start: i32 = load [@n] at a.c:3
            %more = icmp.sgt %argc, 1 at a.c:4:7
            branch %more, loop(%start, 0), done(0)
        loop(%x: i32, %i: i32):
            %next = add %i, 1
            %y = mul 3, %x at a.c:3
            %wide: i64 = sext %next
            %slot = address @n + 4 + %wide*4 + 8
            store [%slot], %y
            %go = icmp.ult %next, %argc
            branch %go, loop(%y, %next), done(%y)
        done(%result: i32):
            return %result
        }
        "#,
        &expect![[r#"
            global @n size 8 align 1 = x"07000000ffffffff"
            global @p size 8 align 1 = { 0: @n + 4 }

            function f0 @main(v0: i32, v1: ptr) -> i32 {
            b0:
                v2: i32 = load [@n] at a.c:3
                v3: i1 = icmp.sgt v0, 1 at a.c:4:7
                branch v3, b1(v2, 0), b2(0)
            b1(v4: i32, v5: i32):
                v6: i32 = add v5, 1
                v7: i32 = mul 3, v4 at a.c:3
                v8: i64 = sext v6
                v9: ptr = address @n + 12 + v8*4
                store [v9], v7
                v10: i1 = icmp.ult v6, v0
                branch v10, b1(v7, v6), b2(v7)
            b2(v11: i32):
                return v11
            }

            file0 = "a.c"
            loc0 = file0:3:0
            loc1 = file0:4:7
        "#]],
    );
}

#[test]
fn results_of_a_direct_call_have_its_types() {
    let text = "declare @f(v0: i8) -> i32, f64\nfunction @main() {\nb0:\n  v0, v1 = call @f(200)\n  return\n}";
    let program = parse(text).unwrap();
    let main = program.main.unwrap();
    let types: Vec<String> = program.functions[main].values.values().map(|v| v.ty.to_string()).collect();
    assert_eq!(types, ["i32", "f64"]);
    let call = &program.functions[main].blocks.values().next().unwrap().insts[0];
    assert!(matches!(&call.op, Op::Call { args, .. } if args.len() == 1));
    verify(&program).unwrap();
}

#[test]
fn a_main_is_kept_apart_from_a_function_called_main() {
    let with_main = "function @main() {\nb0:\n  return\n}\nfunction @start() {\nb0:\n  return\n}\n";
    let program = parse(&format!("main @start\n{with_main}")).unwrap();
    assert_eq!(program.main, program.function_named("start"));
    assert_eq!(parse(&program.to_text()).unwrap(), program);
    let program = parse(&format!("main none\n{with_main}")).unwrap();
    assert_eq!(program.main, None);
    assert_eq!(parse(&program.to_text()).unwrap(), program);
}

#[test]
fn locations_that_a_name_would_not_tell_apart_go_by_id() {
    let text = "\
function f0 @f() at loc0 {
b0:
    trap at loc1
    trap at \"my file.c\":1:2
    trap at loc3
    trap at loc5
    return at only.c:7
}

file0 = \"a/x.c\"
file1 = \"b/x.c\"
file2 = \"my file.c\"
file3 = \"only.c\"
loc0 = file0:1:1
loc1 = file1:1:1
loc2 = file2:1:2
loc3 = file2:1:2
loc4 = file3:7:0
loc5 = file3:7:0 inlined_at loc4
";
    let program = parse(text).unwrap();
    assert_eq!(program.to_text(), text);
}

/// The error that a function with this body gives.
fn error(body: &str, expected: &Expect) {
    let text = format!("global @g size 4\nfunction @f(v0: i32) -> i32 {{\n{body}\n}}\n");
    expected.assert_eq(&parse(&text).expect_err("is wrong").to_string());
}

#[test]
fn errors_say_where_and_what() {
    error("b0:\n  v1 = frob v0\n  return v0", &expect!["4:8: `frob` is not an operation"]);
    error("b0:\n  v1 = add v0, v7\n  return v0", &expect!["4:16: v7 is never defined"]);
    error("b0:\n  v1 = add v0, %x\n  return v0", &expect!["4:16: %x is never defined"]);
    error(
        "b0:\n  v1 = load [@g]\n  return v0",
        &expect!["4:3: the type of this value is not clear here: write it as in `v0: i32`"],
    );
    error(
        "b0:\n  store [@g], 5\n  return v0",
        &expect!["4:15: the type of this constant is not clear here: write it as in `5:i32`"],
    );
    error("b0:\n  store [@h], v0\n  return v0", &expect!["4:10: there is no @h"]);
    error("b0:\n  v1: i8 = add 256, 1\n  return v0", &expect!["4:16: `256` is no i8"]);
    error(
        "b0:\n  v1: f64 = fadd 1, 2.0\n  return v0",
        &expect!["4:18: `1` is no f64; write it as in `1.0`, or its bits in hexadecimal"],
    );
    error("b0:\n  v0 = add 1:i32, 2\n  return v0", &expect!["4:3: this value is already defined"]);
    error("b0:\n  jump b3", &expect!["4:8: there is no block b3"]);
    error("b1:\n  jump b1", &expect!["3:1: blocks are numbered in order; this is b0"]);
    error(
        "b0:\n  trap\nb1:\n  return v0",
        &expect!["5:1: the block does not end with a jump, branch, return or unreachable before this"],
    );
    error("b0:\n  return v0 v0", &expect!["4:13: expected `,`"]);
    error("b0:\n  return v0 at loc4", &expect!["4:16: loc4 is not defined"]);
    error("b0:\n  v1: i65 = add v0, v0\n  return v0", &expect!["4:7: `i65` is not a type"]);
    error("b0:\n  unsupported \"x\n  return v0", &expect!["4:17: the string does not end on its line"]);
    error("b0:\n  call @g()\n  return v0", &expect!["4:8: @g is a global, not a function"]);
    error("b0:\n  call __ics_nothing()\n  return v0", &expect!["4:8: `__ics_nothing` is not an intrinsic"]);
    error("  return v0", &expect!["3:3: expected a label like `b0:` or `}`"]);
    error("", &expect!["5:1: a function has at least one block; write `declare` for one without"]);
}

#[test]
fn errors_outside_functions_say_where_and_what() {
    let error = |text: &str, expected: Expect| expected.assert_eq(&parse(text).expect_err("is wrong").to_string());
    error("fun @f()", expect!["1:1: `fun` does not start a function, global or table row"]);
    error("global @g\nglobal @g", expect!["2:8: @g is defined twice"]);
    error("global @g size -1", expect!["1:16: expected a size"]);
    error("global @g big", expect!["1:11: `big` is not an attribute of a global"]);
    error("main @f", expect!["1:6: there is no @f"]);
    error("t1 = opaque", expect!["1:1: the rows of a table are numbered 0, 1, 2, ..."]);
    error("t0 = tree", expect!["1:6: `tree` is not a kind of type"]);
    error("declare f1 @f()", expect!["1:9: functions are numbered in order; this is f0"]);
    error(
        "declare @f(v0: i32, v4000000000: i32)",
        expect!["1:21: v4000000000 is too large: ids are numbered without gaps"],
    );
    error("function @f() {\nb0:\n  return", expect!["3:9: expected a label like `b0:` or `}`"]);
    // A signature cut by a line break once had its values counted in the first line only, and looked up in both.
    error("declare @f(\nv0: i32)", expect!["2:1: expected a value like `v0` or `%name`"]);
    error("\u{1}", expect![[r#"1:1: unexpected character `\u{1}`"#]]);
}
