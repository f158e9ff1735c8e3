//! The tests of figure 3.3: what going the other way, or writing elsewhere, could have changed.

use icsched_ir::{BlockId, Callee, EntityId, Op, Terminator};
use icsched_symex::stop::DecisionKind;
use icsched_symex::thread::FrameId;
use icsched_symex::trace::Decision;

use super::Slicer;
use crate::modref::Write;
use crate::objects::ObjectClass;
use crate::provenance::Base;

impl Slicer<'_, '_> {
    /// Figure 3.3, for the branch at the end of `block` that went by its else edge or not.
    pub(super) fn branch_matters(&mut self, frame: FrameId, block: BlockId, by_else: bool) -> bool {
        let (statics, func) = (self.statics, self.state(frame).func);
        let control = statics.control.function(func);
        let terminator = &statics.program.functions[func].blocks[block].terminator;
        let (Some(taken), Some(other)) = (edge_taken(terminator, by_else), edge_taken(terminator, !by_else)) else {
            return false;
        };
        if taken == other {
            return false;
        }
        if control.quiet_exit.contains(block.index()) {
            // Whichever way, nothing synchronises any more; but one way may lead to the error that is claimed.
            return self.keep_exits;
        }
        let quiet = |b: BlockId| control.quiet_exit.contains(b.index());
        if quiet(other.target) || quiet(taken.target) {
            self.state(frame).avoids_exit = quiet(other.target);
            return quiet(taken.target) || self.keep_exits;
        }
        let state = &self.frames[&frame];
        if state.head.is_some_and(|head| !control.postdominators.dominates(head, other.target)) {
            return true;
        }
        let region = self.regions.behind(statics.program, statics.control, statics.modref, (func, block, !by_else));
        region.synchronises
            || state.live.iter().any(|v| region.defines.contains(v.index()))
            || state.assignable.iter().any(|b| region.assigns.contains(b.index()))
            || region.writes.iter().any(|write| self.hits_live(frame, *write))
    }

    /// Whether a write in terms of `frame`'s values may change a live byte.
    pub(super) fn hits_live(&self, frame: FrameId, write: Write) -> bool {
        let modref = self.statics.modref;
        let func = self.trace.frames[&frame].func;
        let matching = |wanted: ObjectClass| {
            self.memory.any_object(|object, live| self.objects.class(object) == wanted && touches(live, write.range))
        };
        match write.base {
            Base::Global(global) => matching(ObjectClass::Global(global)),
            Base::Alloca(value) => matching(ObjectClass::Local { func, value }),
            Base::Unknown => self.memory.any_object(|object, _| match self.objects.class(object) {
                ObjectClass::Global(global) => modref.global_escapes(global),
                ObjectClass::Local { func, value } => modref.alloca_escapes(func, value),
                ObjectClass::Other => true,
            }),
            Base::Param(number) => {
                let unknown = Write { base: Base::Unknown, range: None };
                let Some((caller, point)) = self.trace.frames[&frame].caller else {
                    return self.hits_live(frame, unknown);
                };
                let program = self.statics.program;
                let block = &program.functions[point.func].blocks[point.block];
                let arg = match block.insts.get(point.inst as usize).map(|i| &i.op) {
                    Some(Op::Call { args, .. }) => args.get(number as usize).copied(),
                    _ => None,
                };
                let Some(arg) = arg else { return self.hits_live(frame, unknown) };
                let origin = modref.provenance(point.func, arg);
                if origin.bases().is_empty() {
                    return self.hits_live(caller, unknown);
                }
                let range = origin.offset().zip(write.range).map(|(by, (start, len))| (start.wrapping_add(by), len));
                origin.bases().iter().any(|&base| self.hits_live(caller, Write { base, range }))
            }
        }
    }

    /// Whether a decision is a condition of the schedule.
    pub(super) fn takes(&mut self, frame: FrameId, inst: u32, decision: &Decision) -> bool {
        let is_terminator = self.inst(frame, inst).is_none();
        match decision.kind {
            DecisionKind::Branch if is_terminator => std::mem::take(&mut self.state(frame).branch_included),
            DecisionKind::Assume => false,
            DecisionKind::InBounds | DecisionKind::Alive | DecisionKind::Divisor if decision.taken => false,
            DecisionKind::Concretise if self.only_reads(frame, inst) => self.state(frame).included == Some(inst),
            DecisionKind::Branch
            | DecisionKind::InBounds
            | DecisionKind::Alive
            | DecisionKind::Divisor
            | DecisionKind::SyncAddress
            | DecisionKind::CallTarget
            | DecisionKind::Concretise
            | DecisionKind::Other => {
                self.include(frame, inst);
                true
            }
        }
    }

    /// Whether another value of a concretised operand could change nothing but the instruction's result.
    fn only_reads(&self, frame: FrameId, inst: u32) -> bool {
        match self.inst(frame, inst).map(|i| &i.op) {
            Some(Op::Load { .. }) => true,
            Some(Op::Call { callee: Callee::Intrinsic(i), .. }) => {
                !i.is_synchronisation() && crate::modref::written_argument(*i).is_none()
            }
            Some(_) | None => false,
        }
    }
}

fn touches(live: &[(u64, u64)], range: Option<(i64, u64)>) -> bool {
    let Some((start, len)) = range else { return true };
    // A write that starts before the object is an error and cannot be judged; count it as touching.
    let Ok(start) = u64::try_from(start) else { return true };
    live.iter().any(|&(s, e)| s < start.saturating_add(len) && start < e)
}

pub(super) fn edge_taken(terminator: &Terminator, by_else: bool) -> Option<&icsched_ir::Edge> {
    match terminator {
        Terminator::Branch { then_edge, else_edge, .. } => Some(if by_else { else_edge } else { then_edge }),
        Terminator::Jump(edge) => Some(edge),
        Terminator::Return(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => None,
    }
}
