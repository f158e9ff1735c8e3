//! What a summarised loop depends on that writes nothing.

use std::collections::BTreeSet;

use icsched_ir::{BlockId, Callee, FuncId, Op, Program, ProgramPoint, ValueId};
use icsched_machine::abstraction::LoopInputs;
use icsched_pointsto::{ObjectKind, Piece};

use crate::analyses::Analyses;
use crate::budgets::BUDGETS;
use crate::setting::Setting;

/// What a loop's blocks depend on, if they write nothing, and nothing outside of the program: registers and memory.
/// What belongs to each thread is another memory for each. O(instructions of the loop and what it calls).
pub(super) fn of_loop(
    setting: &Setting<'_>,
    analyses: &Analyses<'_>,
    func: FuncId,
    blocks: &BTreeSet<BlockId>,
    header: BlockId,
) -> Option<LoopInputs> {
    let function = &setting.program.functions[func];
    let mut reads: Vec<Piece> = Vec::new();
    let (mut used, mut defined): (BTreeSet<ValueId>, BTreeSet<ValueId>) = Default::default();
    for &block in blocks {
        let body = &function.blocks[block];
        defined.extend(body.params.iter().filter(|_| block != header));
        used.extend(body.params.iter().filter(|_| block == header));
        for (inst, at) in body.insts.iter().zip(0..) {
            if !is_plain(setting.program, &inst.op, BUDGETS.call_depth) {
                return None;
            }
            defined.extend(&inst.results);
            inst.op.for_each_operand(|operand| used.extend(operand.value()));
            for &instance in analyses.points_to.instances_of(func) {
                let region = analyses.modref.of_instruction(instance, ProgramPoint { func, block, inst: at });
                if region.synchronises || !region.mods.is_empty() || region.refs.is_everything() {
                    return None;
                }
                reads.extend(analyses.modref.pieces(&region.refs));
            }
        }
        body.terminator.for_each_operand(|operand| used.extend(operand.value()));
        let edges = body.terminator.edges().filter(|edge| blocks.contains(&edge.target));
        edges.flat_map(|edge| &edge.args).for_each(|arg| used.extend(arg.value()));
    }
    let is_shared = |piece: &Piece| match analyses.points_to.objects()[piece.object].kind {
        ObjectKind::Global(global) => !setting.program.globals[global].thread_local,
        ObjectKind::Stack { .. } | ObjectKind::Heap { .. } => true,
        _ => false,
    };
    let is_variable = |piece: &Piece| matches!(analyses.points_to.objects()[piece.object].kind, ObjectKind::Global(_));
    let values = used.difference(&defined).copied().collect();
    let others = reads.iter().filter(|piece| !is_variable(piece)).copied().collect();
    reads.iter().all(is_shared).then_some(LoopInputs { values, reads, others })
}

/// Whether an operation depends on nothing but its operands and memory.
fn is_plain(program: &Program, op: &Op, depth: u32) -> bool {
    match op {
        Op::Load { access, .. } => !access.volatile && access.atomic.is_none(),
        Op::Call { callee: Callee::Direct(func), .. } => {
            let callee = &program.functions[*func];
            let mut all = callee.blocks.values().flat_map(|block| &block.insts);
            !callee.is_declaration() && depth > 0 && all.all(|inst| is_plain(program, &inst.op, depth - 1))
        }
        other => other.is_computation(),
    }
}
