//! Handlers of `pthread_cleanup_push` become functions, and functions that call themselves in place of the rest of them
//! become loops.

use crate::common::compile;
use icsched_frontend::{LoadOptions, Program, load};
use icsched_ir::{Callee, Function, Inst, Op, Origin, Terminator};

const LEVELS: [&str; 3] = ["-O0", "-O1", "-O2"];

fn loaded(source: &str, level: &str) -> Program {
    let compiled = compile(source, &[level]);
    let program = load(&compiled.path, &LoadOptions::default()).unwrap_or_else(|error| panic!("{error}\n{source}"));
    assert_eq!(icsched_ir::verify(&program), Ok(()), "{level}");
    program
}

fn instructions(function: &Function) -> impl Iterator<Item = &Inst> {
    function.blocks.values().flat_map(|block| &block.insts)
}

/// How often functions of the program call one of this name.
fn calls(program: &Program, name: &str) -> usize {
    let is_it = |inst: &&Inst| match &inst.op {
        Op::Call { callee: Callee::Direct(f), .. } => program.functions[*f].library_name() == name,
        _ => false,
    };
    let own = program.functions.values().filter(|f| f.origin == Origin::Program);
    own.flat_map(instructions).filter(is_it).count()
}

fn functions_like<'p>(program: &'p Program, name: &str) -> Vec<&'p Function> {
    program.functions.values().filter(|f| f.name == name || f.name.starts_with(&format!("{name}."))).collect()
}

const SECTIONS: &str = "#include <pthread.h>\n#include <stdlib.h>\nstatic pthread_mutex_t m;\n\
    static void unlock(void *p) { pthread_mutex_unlock(p); }\nstatic void note(void *p) { abort(); }\n\
    void *work(void *a) { int n = *(int *)a;\n\
    pthread_mutex_lock(&m);\n pthread_cleanup_push(unlock, &m);\n\
    for (int i = 0; i < n; i++) { pthread_cleanup_push(note, (char *)a + i); pthread_testcancel(); pthread_cleanup_pop(i & 1); }\n\
    pthread_cleanup_pop(1);\n return a; }\n\
    int main(void) { pthread_t t; int n = 3; pthread_create(&t, 0, work, &n); pthread_join(t, 0); return 0; }\n";

#[test]
fn each_section_registers_a_function() {
    for level in LEVELS {
        let program = loaded(SECTIONS, level);
        assert_eq!(calls(&program, "__sigsetjmp"), 0, "{level}");
        assert_eq!(calls(&program, "__pthread_unwind_next"), 0, "{level}");
        let sections = calls(&program, "ics_save_cleanup");
        // clang -O2 takes the loop apart, and so makes two of the inner section.
        assert_eq!(sections, if level == "-O2" { 3 } else { 2 }, "{level}");
        assert_eq!(functions_like(&program, "work.cleanup").len(), sections, "{level}");
        for handler in functions_like(&program, "work.cleanup") {
            assert_eq!(handler.params.len(), 1);
            let returns = handler.blocks.values().any(|block| matches!(block.terminator, Terminator::Return(_)));
            assert!(
                returns || handler.blocks.values().any(|b| matches!(b.terminator, Terminator::Unreachable)),
                "{level}"
            );
        }
    }
}

#[test]
fn other_jumps_stay_as_they_are() {
    let source = "#include <setjmp.h>\n#include <pthread.h>\nstatic sigjmp_buf b;\nstatic void h(void *p) { siglongjmp(b, 1); }\n\
        int main(void) { if (sigsetjmp(b, 0)) return 1;\n\
        pthread_cleanup_push(h, 0); pthread_exit(0); pthread_cleanup_pop(1); return 0; }\n";
    for level in LEVELS {
        let program = loaded(source, level);
        assert_eq!(calls(&program, "__sigsetjmp"), 1, "{level}");
        assert_eq!(calls(&program, "ics_save_cleanup"), 1, "{level}");
    }
}

#[test]
fn calls_of_itself_in_place_of_the_rest_are_a_loop() {
    let source = "#define TAIL __attribute__((musttail)) return\n\
        long count(long n, long sum) { int local[4]; local[n & 3] = 1; if (!n) return sum; TAIL count(n - 1, sum + local[n & 3]); }\n\
        void down(int n) { if (n > 5) TAIL down(n - 2); if (n > 0) TAIL down(n - 1); }\n\
        int main(int argc, char **argv) { down(argc); return (int)count(argc, 0); }\n";
    let program = loaded(source, "-O0");
    for name in ["count", "down"] {
        let id = program.function_named(name).expect("it is there");
        let function = &program.functions[id];
        let is_own = |inst: &Inst| matches!(inst.op, Op::Call { callee: Callee::Direct(f), .. } if f == id);
        assert!(!instructions(function).any(is_own), "{name}: {}", program.to_text());
        // Locals are made once.
        let entry = function.blocks.values().next().expect("it has code");
        let locals = |insts: &[Inst]| insts.iter().filter(|inst| matches!(inst.op, Op::Alloca { .. })).count();
        let all: usize = function.blocks.values().map(|block| locals(&block.insts)).sum();
        assert_eq!(locals(&entry.insts), all, "{name}");
    }
}

#[test]
fn calls_of_others_in_place_of_the_rest_are_marked() {
    let source = "#define TAIL __attribute__((musttail)) return\n\
        int odd(int n); int even(int n) { if (!n) return 1; TAIL odd(n - 1); }\n\
        int odd(int n) { if (!n) return 0; TAIL even(n - 1); }\n\
        int (*const table[])(int) = { even, odd };\n\
        int any(int n) { TAIL table[n & 1](n); }\n\
        int main(int argc, char **argv) { return any(argc); }\n";
    let program = loaded(source, "-O0");
    for name in ["even", "odd", "any"] {
        let function = &program.functions[program.function_named(name).expect("it is there")];
        let tails = function
            .blocks
            .values()
            .filter(|block| block.insts.len().checked_sub(1).is_some_and(|last| icsched_ir::is_tail_call(block, last)));
        assert_eq!(tails.count(), 1, "{name}: {}", program.to_text());
    }
}
