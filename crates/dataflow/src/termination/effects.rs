//! What code may do besides computing: end its thread or the process, wait, or jump elsewhere.

use std::collections::BTreeSet;

use icsched_externals::{Kind, ResultEffect, Row};
use icsched_ir::{Callee, FuncId, Intrinsic, Op, Origin};

use super::code::{Code, calls};
use super::scope::Scope;

impl Code<'_, '_> {
    /// Whether what a function gives depends on its arguments and on memory only, and it does nothing else but to write
    /// memory.
    pub(super) fn only_computes(&self, func: FuncId) -> bool {
        let mut seen = BTreeSet::from([func]);
        let mut work = vec![func];
        while let Some(func) = work.pop() {
            let function = &self.program.functions[func];
            let row = icsched_externals::lookup(function.library_name());
            if function.origin == Origin::Model || function.is_declaration() {
                let is_plain = |row: &Row| {
                    row.result() == ResultEffect::Value
                        && match row.kind {
                            Kind::Pure => true,
                            // What they say of strings they say by an input where the string is one.
                            Kind::Model { file } => matches!(file, "string" | "ctype"),
                            _ => false,
                        }
                };
                if !row.is_some_and(is_plain) {
                    return false;
                }
                continue;
            }
            let computes = |op: &Op| match op {
                Op::Load { access, .. } | Op::Store { access, .. } => !access.volatile && access.atomic.is_none(),
                Op::Call { callee, .. } => matches!(callee, Callee::Direct(_)),
                op => !op.may_synchronise() && !ends_otherwise(op),
            };
            if !function.blocks.values().flat_map(|block| &block.insts).all(|inst| computes(&inst.op)) {
                return false;
            }
            work.extend(self.calls.callees(func).iter().copied().filter(|&callee| seen.insert(callee)));
        }
        true
    }

    /// Whether a scope does nothing, by itself or in what it calls, that may end it in another way than by leaving it.
    pub(super) fn only_returns(&self, scope: &Scope<'_>) -> bool {
        let mut called = BTreeSet::new();
        for (at, targets, _) in calls(self.program, self.modref, scope.func) {
            if scope.contains(at.block) {
                if targets.is_empty() {
                    return false;
                }
                called.extend(targets);
            }
        }
        let own = scope.blocks.iter().flat_map(|&block| &scope.function.blocks[block].insts);
        if own.into_iter().any(|inst| ends_otherwise(&inst.op)) {
            return false;
        }
        let mut work: Vec<FuncId> = called.iter().copied().collect();
        while let Some(func) = work.pop() {
            let function = &self.program.functions[func];
            if function.no_return || function.is_declaration() {
                return false;
            }
            if function.blocks.values().flat_map(|block| &block.insts).any(|inst| ends_otherwise(&inst.op)) {
                return false;
            }
            work.extend(self.calls.callees(func).iter().copied().filter(|&callee| called.insert(callee)));
        }
        true
    }
}

/// Whether an instruction may end the process or the thread, go on elsewhere, or is not known.
fn ends_otherwise(op: &Op) -> bool {
    match op {
        Op::Trap | Op::Unsupported { .. } => true,
        Op::Call { callee: Callee::Intrinsic(i), .. } => {
            let jumps = [Intrinsic::ThreadExit, Intrinsic::Resume, Intrinsic::SaveContext, Intrinsic::RestoreContext];
            i.ends_process() || i.is_synchronisation() || jumps.contains(i)
        }
        _ => false,
    }
}
