//! Which recursions the names of epochs fold.

use std::borrow::Cow;

use icsched_ir::{Callee, FuncId, Op, Origin, Program, ProgramPoint};
use icsched_machine::folding::Folding;
use icsched_slicing::control::Control;
use rustc_hash::FxHashMap;

/// The recursions of the program's own functions, for the names of epochs. What a library model calls back is told
/// apart. O(instructions of recursive functions).
pub(crate) fn folding(program: &Program, control: &Control, depth: usize) -> Folding {
    let mut folding = Folding { depth: depth.max(1), ..Folding::default() };
    let own = |func: &FuncId| {
        let function = &program.functions[*func];
        !function.is_declaration() && function.origin == Origin::Program
    };
    let counters = icsched_ir::activations::counters(program);
    for (number, component) in (0..).zip(control.calls.components()) {
        if component.iter().all(|f| own(f) && control.calls.is_recursive(*f)) {
            folding.recursions.extend(component.iter().map(|&f| (f, number)));
            component.iter().for_each(|&f| recursive_calls((program, control), f, component, &mut folding));
            folding.handed_on.insert(number, handed_on(program, component, &folding.calls));
            let counter = component.first().and_then(|f| counters.get(f));
            let counts_here = |f: &FuncId| counter.is_some() && counters.get(f) == counter;
            let all = counters.values().filter(|other| Some(*other) == counter).count();
            let is_counted = component.iter().all(counts_here) && all == component.len();
            folding.counted.extend(is_counted.then_some(number));
        }
    }
    folding.calls.values_mut().for_each(|calls| calls.sort_unstable());
    folding
}

/// The parameters, by position, that functions hand on to each other as they are wherever they call each other: by
/// `calls`.
fn handed_on(program: &Program, component: &[FuncId], calls: &FxHashMap<FuncId, Vec<ProgramPoint>>) -> Vec<usize> {
    let parameter = |func: FuncId, at: usize| program.functions[func].params.get(at).copied();
    let ty = |func: FuncId, at: usize| parameter(func, at).map(|value| program.functions[func].values[value].ty);
    let is_same = |call: &ProgramPoint, at: usize| {
        let block = &program.functions[call.func].blocks[call.block];
        let Op::Call { args, .. } = &block.insts[call.inst as usize].op else { return false };
        args.get(at).is_some_and(|arg| arg.value().is_some() && arg.value() == parameter(call.func, at))
    };
    let inside = || component.iter().filter_map(|func| calls.get(func)).flatten();
    let first = component.first().map_or(0, |&func| program.functions[func].params.len());
    let of_one_type = |&at: &usize| component.iter().all(|&func| ty(func, at) == ty(component[0], at));
    (0..first).filter(of_one_type).filter(|&at| inside().all(|call| is_same(call, at))).collect()
}

/// Adds the calls that a function makes of those of its `component`.
fn recursive_calls(
    (program, control): (&Program, &Control),
    func: FuncId,
    component: &[FuncId],
    folding: &mut Folding,
) {
    for (block, body) in program.functions[func].blocks.iter() {
        for (inst, i) in (0..).zip(&body.insts) {
            let at = ProgramPoint { func, block, inst };
            let targets = match &i.op {
                Op::Call { callee: Callee::Direct(callee), .. } => Cow::Owned(vec![*callee]),
                Op::Call { callee: Callee::Indirect(_), args } => control.indirect_targets(program, at, args.len()),
                _ => continue,
            };
            for &target in targets.iter().filter(|t| component.contains(t)) {
                folding.calls.entry(target).or_default().push(at);
            }
        }
    }
}
