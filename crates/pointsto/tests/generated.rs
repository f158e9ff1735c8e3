//! The generated programs of the benchmarks: well formed, of the size asked for, and shaped as their module says.

#[path = "../benches/family/mod.rs"]
mod family;

use std::collections::BTreeSet;

use icsched_ir::{Callee, Const, FuncId, Op, Operand, Program, Type, verify};

fn instructions(program: &Program) -> usize {
    let blocks = program.functions.values().flat_map(|f| f.blocks.values());
    blocks.map(|b| b.insts.len() + 1).sum()
}

#[test]
fn programs_are_well_formed_and_of_the_size_asked_for() {
    for (size, seed) in [(5_000, 1), (12_000, 2), (90_000, 3)] {
        let program = family::program(size, seed);
        let findings = verify::find(&program);
        assert_eq!((findings.errors, findings.notes), (Vec::new(), Vec::new()), "{size}, seed {seed}");
        let found = instructions(&program);
        assert!(found.abs_diff(size) * 20 < size, "{found} instructions instead of {size}");
    }
}

#[test]
fn one_seed_is_one_program() {
    let program = family::program(6_000, 7);
    assert!(program == family::program(6_000, 7));
    assert!(program != family::program(6_000, 8));
}

#[test]
fn the_text_form_reads_back() {
    let program = family::program(5_000, 4);
    assert!(icsched_ir::parse(&program.to_string()).expect("the printed form parses") == program);
}

/// Functions that a function calls or whose address it takes.
fn mentioned(program: &Program, func: FuncId) -> Vec<FuncId> {
    let mut found = Vec::new();
    for block in program.functions[func].blocks.values() {
        for inst in &block.insts {
            if let Op::Call { callee: Callee::Direct(callee), .. } = inst.op {
                found.push(callee);
            }
            inst.op.for_each_operand(|operand| match operand {
                Operand::Const(Const::Func(callee)) => found.push(callee),
                Operand::Const(Const::Global { global, .. }) => {
                    let pointers = program.globals[global].relocations.iter();
                    found.extend(pointers.filter_map(|r| match r.value {
                        Const::Func(callee) => Some(callee),
                        _ => None,
                    }));
                }
                _ => {}
            });
        }
    }
    found
}

#[test]
fn nearly_all_functions_can_be_reached_from_main() {
    let program = family::program(40_000, 5);
    let mut reached = BTreeSet::new();
    let mut todo = vec![program.main.expect("there is a main")];
    while let Some(func) = todo.pop() {
        if reached.insert(func) {
            todo.extend(mentioned(&program, func));
        }
    }
    let unreached = program.functions.len() - reached.len();
    assert!(unreached * 20 < program.functions.len(), "{unreached} of {}", program.functions.len());
}

#[test]
fn the_mixture_of_instructions_is_that_of_c() {
    let program = family::program(60_000, 6);
    let [mut addresses, mut numbers, mut pointers, mut stores, mut direct, mut indirect] = [0; 6];
    for function in program.functions.values() {
        for inst in function.blocks.values().flat_map(|b| &b.insts) {
            *match &inst.op {
                Op::Address { .. } => &mut addresses,
                Op::Load { .. } if function.values[inst.results[0]].ty == Type::Ptr => &mut pointers,
                Op::Load { .. } => &mut numbers,
                Op::Store { .. } => &mut stores,
                Op::Call { callee: Callee::Indirect(_), .. } => &mut indirect,
                Op::Call { .. } => &mut direct,
                _ => continue,
            } += 1;
        }
    }
    let total = instructions(&program);
    let percent = |count: usize| count as f64 * 100.0 / total as f64;
    let near = |what: &str, count: usize, wanted: f64, tolerance: f64| {
        let found = percent(count);
        assert!((found - wanted).abs() < tolerance, "{what}: {found:.1}% instead of {wanted}%");
    };
    near("address", addresses, 17.5, 4.0);
    near("load of a number", numbers, 8.8, 3.0);
    near("load of a pointer", pointers, 6.9, 3.0);
    near("store", stores, 5.4, 2.0);
    near("call", direct + indirect, 8.3, 3.0);
    near("indirect call", indirect, 0.5, 0.4);
}
