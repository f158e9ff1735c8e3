//! What the harnesses of verification suites mean by names.

use crate::common::compile;
use icsched_frontend::{LoadOptions, Program, load};
use icsched_ir::{Callee, Const, Function, Inst, Op, Operand, Origin};

const LEVELS: [&str; 3] = ["-O0", "-O1", "-O2"];

fn loaded(source: &str, level: &str) -> Program {
    let compiled = compile(source, &["-g", level]);
    let program = load(&compiled.path, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}\n{source}"));
    assert_eq!(icsched_ir::verify(&program), Ok(()), "{level}");
    program
}

/// The calls of functions of this name in a function.
fn calls<'p>(program: &'p Program, function: &'p Function, name: &str) -> Vec<&'p [Operand]> {
    let is_it = |inst: &'p Inst| match &inst.op {
        Op::Call { callee: Callee::Direct(f), args } if program.functions[*f].name == name => Some(&args[..]),
        _ => None,
    };
    function.blocks.values().flat_map(|block| &block.insts).filter_map(is_it).collect()
}

fn function<'p>(program: &'p Program, name: &str) -> &'p Function {
    &program.functions[program.function_named(name).expect("it is there")]
}

/// Names and widths of the inputs that a function reads, sorted.
fn inputs(program: &Program, name: &str) -> Vec<(String, u64)> {
    let input = |args: &[Operand]| match args {
        [Operand::Const(Const::Global { global, offset: 0 }), Operand::Const(Const::Bits { bits, .. })] => {
            let text = program.globals[*global].data.strip_suffix(&[0]).expect("a string of C");
            (String::from_utf8(text.to_vec()).expect("a name"), *bits)
        }
        other => panic!("{other:?}"),
    };
    let mut found: Vec<_> = calls(program, function(program, name), "ics_nondet").into_iter().map(input).collect();
    found.sort();
    found
}

/// `body` reads inputs of these names and widths, at all levels.
fn reads(body: &str, expected: &[(&str, u64)]) {
    let source = format!(
        "#include <stdbool.h>\n\
         extern int __VERIFIER_nondet_int(); extern char __VERIFIER_nondet_char(void);\n\
         extern bool __VERIFIER_nondet_bool(void); extern double __VERIFIER_nondet_double(void);\n\
         extern float __VERIFIER_nondet_float(void); extern void *__VERIFIER_nondet_pointer(void);\n\
         extern unsigned short nondet_ushort(void); extern unsigned __int128 __VERIFIER_nondet_uint128(void);\n\
         int nondet_bool(void);\n\
         struct point {{ int x, y; }} origin; int global; int table[8]; extern void use(int *); extern void see(int);\n\
         int f(int n, struct point *p) {{ {body} }}\nint main(void) {{ return f(3, &origin); }}\n"
    );
    for level in LEVELS {
        let program = loaded(&source, level);
        let expected: Vec<_> = expected.iter().map(|&(name, bits)| (name.to_owned(), bits)).collect();
        assert_eq!(inputs(&program, "f"), expected, "{level}: {body}");
    }
}

#[test]
fn inputs_are_named_after_variables() {
    reads("int x = __VERIFIER_nondet_int(); return x + 1;", &[("x", 32)]);
    reads("int x; x = __VERIFIER_nondet_int(); use(&x); return x;", &[("x", 32)]);
    reads("global = __VERIFIER_nondet_int(); return 0;", &[("global", 32)]);
    reads("origin.y = __VERIFIER_nondet_int(); return 0;", &[("origin.y", 32)]);
    reads("table[3] = __VERIFIER_nondet_int(); return 0;", &[("table[3]", 32)]);
    reads("table[n] = __VERIFIER_nondet_int(); return 0;", &[("table", 32)]);
    reads("p->y = __VERIFIER_nondet_int(); return 0;", &[("p->y", 32)]);
    reads("bool b = __VERIFIER_nondet_bool(); return b ? 3 : n;", &[("b", 1)]);
    reads("int c = __VERIFIER_nondet_char(); return c;", &[("c", 8)]);
}

#[test]
fn what_is_stored_nowhere_is_named_after_the_function() {
    reads("return __VERIFIER_nondet_int();", &[("nondet_int", 32)]);
    reads("see(nondet_ushort()); return 0;", &[("nondet_ushort", 16)]);
    reads("if (nondet_bool()) see(1); return 0;", &[("nondet_bool", 1)]);
}

#[test]
fn an_input_is_as_wide_as_its_type() {
    reads("double d = __VERIFIER_nondet_double(); return d > 1;", &[("d", 64)]);
    reads("float s = __VERIFIER_nondet_float(); return s > 1;", &[("s", 32)]);
    reads("void *q = __VERIFIER_nondet_pointer(); return q != 0;", &[("q", 64)]);
    reads("return __VERIFIER_nondet_uint128() > 7;", &[("nondet_uint128", 64), ("nondet_uint128", 64)]);
}

#[test]
fn addresses_of_input_functions_can_be_taken() {
    let program = loaded(
        "extern int __VERIFIER_nondet_int(void);\nint (*ask)(void) = __VERIFIER_nondet_int;\n\
         int main(void) { return ask(); }\n",
        "-O0",
    );
    assert_eq!(inputs(&program, "__VERIFIER_nondet_int"), [("nondet_int".to_owned(), 32)]);
    assert_eq!(function(&program, "__VERIFIER_nondet_int").origin, Origin::Model);
}

#[test]
fn a_definition_of_the_program_wins() {
    for level in LEVELS {
        let program = loaded(
            "__attribute__((noinline)) int __VERIFIER_nondet_int(void) { return 5; }\n\
             int main(void) { int x = __VERIFIER_nondet_int(); return x; }\n",
            level,
        );
        assert_eq!(inputs(&program, "main"), []);
        assert_eq!(function(&program, "__VERIFIER_nondet_int").origin, Origin::Program);
    }
}

#[test]
fn functions_with_such_names_are_atomic() {
    let program = loaded(
        "int n;\nint __VERIFIER_atomic_add(int by) { if (by < 0) return n; n += by; return n + 1; }\n\
         int atomic_add(int by) { return n += by; }\n\
         int main(void) { return __VERIFIER_atomic_add(1) + atomic_add(1); }\n",
        "-O0",
    );
    let count = |function_name: &str, called: &str| calls(&program, function(&program, function_name), called).len();
    assert_eq!(count("__VERIFIER_atomic_add", "__VERIFIER_atomic_begin"), 1);
    assert_eq!(count("__VERIFIER_atomic_add", "__VERIFIER_atomic_end"), 1);
    assert_eq!(count("atomic_add", "__VERIFIER_atomic_begin"), 0);
}
