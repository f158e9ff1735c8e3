//! Counters that give every thread a number of its own: `lock; id = next; next = id + 1; unlock`.
//!
//! A store adds a number to what was just loaded from the same variable. Nothing else writes there once there are
//! threads. Then no two executions load the same:
//!
//! 1. Without data races, loads and stores of two threads are ordered.
//! 2. A thread does not synchronise between its load and its store: that the variable still holds what was loaded is a
//!    fact about a shared place, and these end at synchronisation.
//! 3. So what is ordered before its store is ordered before its load, and pairs of load and store follow one another.
//!    Each loads what the one before has stored.
//!
//! After 2^width executions the counter would be back; no program creates that many numbers.

use std::collections::BTreeMap;

use icsched_ir::{Definition, Op, Operand, ProgramPoint, ValueId};
use icsched_pointsto::InstanceId;

use crate::code::point;
use crate::expr::Expr;
use crate::fold::signed;
use crate::patterns::cell::Cell;
use crate::patterns::late::is_late;
use crate::place::Frames;
use crate::reaching::facts::Entry;
use crate::reaching::solved::Reaching;

/// A store that adds to what was loaded.
struct Step {
    instance: InstanceId,
    at: ProgramPoint,
    loaded: ValueId,
    cell: Cell,
    up: bool,
}

/// The registers that numbers of counters are loaded to.
pub(super) type Numbers = BTreeMap<(InstanceId, ValueId), Cell>;

/// The registers that hold what no other thread has loaded from the same counter.
pub(super) fn find_numbers(reaching: &mut Reaching<'_, '_>) -> Numbers {
    let mut steps = Vec::new();
    // In a library everything runs with several threads, and callers may write what they like.
    let ids = reaching.view.points_to.instances().ids().filter(|_| reaching.view.program.main.is_some());
    for instance in ids.collect::<Vec<_>>() {
        if has_candidates(reaching, instance) {
            add_steps(reaching, instance, &mut steps);
        }
    }
    let mut numbers = Numbers::default();
    for step in &steps {
        let same: Vec<&Step> = steps.iter().filter(|s| s.cell == step.cell).collect();
        if same.iter().all(|s| s.up == step.up) && is_only_stepped(reaching, step, &same) {
            numbers.insert((step.instance, step.loaded), step.cell);
        }
    }
    numbers
}

/// Whether something adds a number to a loaded one and stores it, in a function that runs when there are threads.
fn has_candidates(reaching: &mut Reaching<'_, '_>, instance: InstanceId) -> bool {
    use icsched_ir::BinOp;
    let func = reaching.view.points_to.instances()[instance].func;
    let function = &reaching.view.program.functions[func];
    if !reaching.view.startup.entered_late(instance) {
        return false;
    }
    let structure = reaching.view.structure(func);
    let insts = function.blocks.values().flat_map(|b| &b.insts);
    let inst_of = |operand: Operand| structure.inst(function, operand.value()?);
    insts.filter_map(|inst| if let Op::Store { value, .. } = &inst.op { inst_of(*value) } else { None }).any(|inst| {
        let Op::Binary { op: BinOp::Add | BinOp::Sub, a, .. } = &inst.op else { return false };
        inst_of(*a).is_some_and(|inst| matches!(inst.op, Op::Load { .. }))
    })
}

fn add_steps(reaching: &mut Reaching<'_, '_>, instance: InstanceId, found: &mut Vec<Step>) {
    reaching.summarise_callees(&[instance]);
    let func = reaching.view.points_to.instances()[instance].func;
    let structure = reaching.view.structure(func);
    let solution = reaching.solve(Frames::Summary(instance), &Entry::default());
    let mut solver = reaching.resume(&solution);
    let function = solver.function;
    for (block, body) in function.blocks.iter() {
        for (index, inst) in body.insts.iter().enumerate() {
            let Op::Store { address, value, .. } = &inst.op else { continue };
            let bytes = function.type_of(*value).bytes();
            let (Some(place), Some(value)) = (solver.place(*address, bytes), solver.operand(*value)) else {
                continue;
            };
            let Some(facts) = solver.before(block, index) else { continue };
            let pool = &solver.view.pool;
            let (base, by) = pool.split_sum(value);
            let (Expr::Symbol { symbol, width }, true) = (pool.get(base), by != 0) else { continue };
            let holds = facts.get(place).is_some_and(|fact| fact.value == base);
            // In one block, so that no way leads past the store.
            let loads = structure
                .definition(symbol.value)
                .is_some_and(|d| symbol.inside.is_none() && matches!(d, Definition::Inst(at, _) if at == block))
                && structure.inst(function, symbol.value).is_some_and(|i| matches!(i.op, Op::Load { .. }));
            if !holds || !loads || solver.loaded_from(symbol.value) != Some(place) {
                continue;
            }
            let up = signed(width, by) > 0;
            let at = point(func, block, index);
            found.extend(solver.cell(place).map(|cell| Step { instance, at, loaded: symbol.value, cell, up }));
        }
    }
}

/// Whether nothing but steps of its counter writes a variable once there are threads.
fn is_only_stepped(reaching: &mut Reaching<'_, '_>, step: &Step, steps: &[&Step]) -> bool {
    let Op::Store { address, value, .. } =
        &reaching.view.program.functions[step.at.func].blocks[step.at.block].insts[step.at.inst as usize].op
    else {
        return false;
    };
    let bytes = u64::from(reaching.view.program.functions[step.at.func].type_of(*value).bytes());
    let info = reaching.view.points_to.pointer_info_in(step.instance, *address);
    if info.locations.is_empty() {
        return false;
    }
    for instance in reaching.view.points_to.instances().ids() {
        let effects = reaching.view.modref.inside_instance(instance).mods;
        let may = |set: &icsched_pointsto::AccessSet| {
            info.locations.iter().any(|l| reaching.view.modref.touches_at(set, l.object, l.offsets, bytes))
        };
        if !may(reaching.view.modref.set(effects)) {
            continue;
        }
        let func = reaching.view.points_to.instances()[instance].func;
        let function = &reaching.view.program.functions[func];
        for (block, body) in function.blocks.iter() {
            for (index, inst) in body.insts.iter().enumerate() {
                let at = point(func, block, index);
                let is_step = steps.iter().any(|s| s.instance == instance && s.at == at);
                let calls = !reaching.view.points_to.callees(instance, at).is_empty();
                let mut writes = matches!(inst.op, Op::Call { .. } | Op::Unsupported { .. });
                inst.op.for_each_write(function, |_| writes = true);
                if !writes || is_step || calls {
                    continue;
                }
                if may(&reaching.view.modref.of_instruction(instance, at).mods) && is_late(&reaching.view, instance, at)
                {
                    return false;
                }
            }
        }
    }
    true
}
