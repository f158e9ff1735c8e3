//! The tests of figure 3.3: what going the other way, or writing elsewhere, could have changed.

use icsched_ir::{BlockId, Callee, EntityId, Inst, Op, ProgramPoint};
use icsched_machine::stop::DecisionKind;
use icsched_machine::thread::FrameId;
use icsched_symbolic::trace::Decision;

use crate::alias_queries::Known;
use crate::corrections::corrects;
use crate::decisions::edge_taken;
use crate::ends_of_process::QuietEnds;
use crate::function_control::FunctionControl;
use crate::live_memory::Intervals;
use crate::modref::{READS_INPUT, Write, Writes};
use crate::objects::ObjectClass;
use crate::provenance::Base;
use crate::slicer::Slicer;
use crate::statics::Statics;

impl Slicer<'_, '_> {
    /// Figure 3.3, for the branch at the end of `block` that went by its else edge or not, and may be the only way
    /// out of a loop that is summarised. `left` is the event with which control left the block, where it is the walk
    /// that asks.
    pub(crate) fn branch_matters(
        &mut self,
        frame: FrameId,
        block: BlockId,
        by_else: bool,
        is_only_exit: bool,
        left: Option<usize>,
    ) -> bool {
        let (statics, func) = (self.statics, self.state(frame).func);
        let control = statics.control.function(func);
        let terminator = &statics.program.functions[func].blocks[block].terminator;
        let (Some(taken), Some(other)) = (edge_taken(terminator, by_else), edge_taken(terminator, !by_else)) else {
            return false;
        };
        if taken == other {
            return false;
        }
        if control.stays_stuck(block, other.target) || self.is_left_never(frame, control, block) {
            // The other side goes round for ever, or this one does.
            return true;
        }
        let quiet = |b: BlockId| control.quiet_exit.contains(b.index());
        if quiet(other.target) && control.sticks_instead(other.target, taken.target) {
            return true;
        }
        if quiet(block) || quiet(other.target) && quiet(taken.target) {
            // Whichever way, nothing synchronises any more; but one way may lead to the error that is claimed.
            return self.keep_exits || self.fails_instead(control, other.target);
        }
        if quiet(other.target) || quiet(taken.target) {
            self.state(frame).avoids_exit = quiet(other.target);
            // How the process ends is told of the inputs for which it is so: who aborts does not exit.
            return quiet(taken.target) || self.keep_exits || self.fails_instead(control, other.target);
        }
        if is_only_exit {
            return !self.goes_round_in_vain(frame, block, by_else);
        }
        let state = &self.frames[frame];
        if let Some(head) = state.head.filter(|&head| !control.postdominators.dominates(head, other.target)) {
            tracing::trace!(%block, %head, "the other side need not come to the head of the slice");
            return true;
        }
        if self.corrections > 0 && corrects(statics, func, block) {
            self.corrections -= 1;
            return true;
        }
        let side = (func, block, !by_else);
        let region = self.regions.behind(statics.program, statics.control, statics.modref, side);
        // Both analyses are right, so what matters is what both say.
        let known = self.facts.side(frame, side, &region.blocks);
        let synchronises = region.synchronises && self.may_synchronise(known.as_deref());
        let assigns = state.assignable.iter().any(|assigned| self.assigns_other(frame, block, &region, assigned));
        if let Some(left) = left {
            self.read_again((frame, block), &region, left);
        }
        let defines = self.frames[frame].live.iter().any(|v| region.defines.contains(v.index()));
        let writes = || region.writes.iter().any(|write| self.hits_live(frame, write, known.as_deref()));
        // The error is to be found, and what it is an error to do has no effects that are known.
        let fails = known.as_ref().is_some_and(|k| k.fails);
        // How the process ends there is told apart, and what is claimed is claimed of those that get past it.
        let ends = self.keep_exits && region.may_end || self.is_behind_all && region.may_abort;
        let frees = region.frees && self.frees_matter();
        let matters = synchronises || region.sticks || frees || ends || defines || assigns || fails || writes();
        if matters {
            tracing::trace!(%block, synchronises, defines, assigns, fails, "the other side matters");
        }
        matters
    }

    /// Whether it makes a difference what is freed: it is what an error is about, or what is read behind one may be
    /// gone.
    fn frees_matter(&self) -> bool {
        let is_of_heap = |object| matches!(self.objects.class(object), ObjectClass::Other);
        self.frees || self.continues && self.memory.any_object(|object, _| is_of_heap(object))
    }

    /// Whether the process may abort behind the other side of a branch where the path has nothing more to
    /// synchronise: then the two are no prefixes of each other, but differ in how they end.
    fn fails_instead(&self, control: &FunctionControl, other: BlockId) -> bool {
        self.is_behind_all && control.may_abort.contains(other.index())
    }

    /// Whether points-to analysis leaves it open that code synchronises. It does not know of ends of the process.
    fn may_synchronise(&self, known: Option<&Known>) -> bool {
        self.statics.control.quiet_ends != QuietEnds::All || known.is_none_or(|k| k.synchronises)
    }

    /// Whether nothing is to be found on the other side of a branch that is the only way out of a summarised loop. It
    /// does not synchronise, but may come to what is not supported.
    pub(crate) fn goes_round_in_vain(&mut self, frame: FrameId, block: BlockId, by_else: bool) -> bool {
        let (statics, side) = (self.statics, (self.state(frame).func, block, !by_else));
        let region = self.regions.behind(statics.program, statics.control, statics.modref, side);
        let known = self.facts.side(frame, side, &region.blocks);
        let fails = known.as_ref().is_some_and(|k| k.fails);
        let synchronises = region.synchronises && self.may_synchronise(known.as_deref());
        !fails && !synchronises && !region.sticks
    }

    /// Whether a block tests whether to leave a loop of which the path's end says that it is never left.
    fn is_left_never(&self, frame: FrameId, control: &FunctionControl, block: BlockId) -> bool {
        let tests = |header| {
            let id = control.loops.headed_by(header);
            id.is_some_and(|id| control.loops.get(id).exits.iter().any(|&(from, _)| from == block))
        };
        self.never_left.iter().any(|&(of, header)| of == frame && tests(header))
    }

    /// Whether a write in terms of `frame`'s values may change a live byte, by code that does no more than is `known`
    /// of it.
    pub(crate) fn hits_live(&self, frame: FrameId, write: Write, known: Option<&Known>) -> bool {
        if write.range == Some(READS_INPUT) {
            return self.inputs.may_read(self.statics, self.trace, frame, write.base);
        }
        let modref = self.statics.modref;
        let func = self.trace.frames[&frame].func;
        let may_touch = |object, live: &Intervals| known.is_none_or(|k| self.facts.writes(k, object, live));
        let matching = |wanted: ObjectClass| {
            self.memory.any_object(|object, live| {
                let hit = self.objects.class(object) == wanted && touches(live, write.range) && may_touch(object, live);
                if hit {
                    tracing::trace!(?object, ?live, ?write, origin = ?self.objects.origin(object), "may be written");
                }
                hit
            })
        };
        match write.base {
            Base::Global(global) => matching(ObjectClass::Global(global)),
            Base::Alloca(value) => matching(ObjectClass::Local { func, value }),
            Base::Unknown if self.hits_unmet(known) => true,
            Base::Unknown => self.memory.any_object(|object, live| {
                let reachable = match self.objects.class(object) {
                    ObjectClass::Global(global) => modref.global_escapes(global),
                    ObjectClass::Local { func, value } => modref.alloca_escapes(func, value),
                    ObjectClass::Other => true,
                };
                let hit = reachable && may_touch(object, live);
                if hit {
                    tracing::trace!(?object, ?live, ?write, origin = ?self.objects.origin(object), "may be written");
                }
                hit
            }),
            Base::Param(number) => {
                let unknown = Write { base: Base::Unknown, range: None };
                let Some((caller, point)) = self.trace.frames[&frame].caller else {
                    return self.hits_live(frame, unknown, known);
                };
                let program = self.statics.program;
                let block = &program.functions[point.func].blocks[point.block];
                let arg = match block.insts.get(point.inst as usize).map(|i| &i.op) {
                    Some(Op::Call { args, .. }) => args.get(number as usize).copied(),
                    _ => None,
                };
                let Some(arg) = arg else { return self.hits_live(frame, unknown, known) };
                let origin = modref.provenance(point.func, arg);
                if origin.bases().is_empty() {
                    return self.hits_live(caller, unknown, known);
                }
                let range = origin.offset().zip(write.range).map(|(by, (start, len))| (start.wrapping_add(by), len));
                origin.bases().iter().any(|&base| self.hits_live(caller, Write { base, range }, known))
            }
        }
    }

    /// Whether code that does no more than is `known` of it may write what is live of objects that the path had not
    /// met.
    fn hits_unmet(&self, known: Option<&Known>) -> bool {
        let hit = self.unmet.iter().find(|piece| known.is_none_or(|k| self.facts.writes_piece(k, piece)));
        hit.inspect(|piece| tracing::trace!(?piece, "may be written, of objects that are not met")).is_some()
    }

    /// Whether an instruction reads an input of a name that counts.
    pub(crate) fn counts_input(&self, frame: FrameId, inst: u32) -> bool {
        let func = self.frames[frame].func;
        let op = self.inst(frame, inst).map(|i| &i.op);
        op.is_some_and(|op| self.inputs.counts(self.statics, self.trace, (frame, func), op))
    }

    /// A write that missed everything live, but at another address (or with another length) would not have, is there
    /// with its address alone: what it is computed from must stay as it was.
    pub(crate) fn keep_address(&mut self, frame: FrameId, inst: u32) {
        let Some(instruction) = self.inst(frame, inst) else { return };
        if !self.may_hit(frame, inst, instruction) {
            return;
        }
        let live = &mut self.state(frame).live;
        match &instruction.op {
            Op::Store { address, .. } => live.extend(address.value()),
            op => op.for_each_operand(|operand| live.extend(operand.value())),
        }
    }

    /// Whether an instruction may write live memory, at whatever addresses.
    pub(crate) fn may_hit(&mut self, frame: FrameId, inst: u32, instruction: &Inst) -> bool {
        self.could_write(frame, inst, instruction, |write| write.range != Some(READS_INPUT))
    }

    /// Whether any function that a call may reach synchronises or writes something live.
    pub(crate) fn could_matter(&mut self, caller: FrameId, inst: u32) -> bool {
        let Statics { program, control, .. } = *self.statics;
        let Some(call) = self.inst(caller, inst) else { return false };
        let at = self.point(caller, inst);
        let known = self.facts.instruction(caller, at);
        control.may_sync(program, at, call) && self.may_synchronise(known.as_deref())
            || known.is_some_and(|k| k.fails)
            || self.could_write(caller, inst, call, |_| true)
    }

    /// Whether an instruction, at whatever addresses, may write something live, by one of the `wanted` writes.
    fn could_write(&mut self, frame: FrameId, inst: u32, instruction: &Inst, wanted: impl Fn(&Write) -> bool) -> bool {
        let at = self.point(frame, inst);
        self.could_write_at(frame, at, instruction, wanted)
    }

    fn could_write_at(
        &mut self,
        frame: FrameId,
        at: ProgramPoint,
        instruction: &Inst,
        wanted: impl Fn(&Write) -> bool,
    ) -> bool {
        let Statics { program, control, modref, .. } = *self.statics;
        let mut writes = Writes::default();
        modref.add_writes(program, control, at, instruction, &mut writes);
        let hits = |this: &Self, known| writes.iter().any(|w| wanted(&w) && this.hits_live(frame, w, known));
        if !hits(self, None) {
            return false;
        }
        let known = self.facts.instruction(frame, at);
        known.is_none() || hits(self, known.as_deref())
    }

    /// Whether what is summarised, a loop or this call, may have written something live that the path had not met by
    /// then: such objects are forgotten where they are met.
    pub(crate) fn forgets_unmet(&mut self, frame: FrameId, block: BlockId, call: Option<u32>) -> bool {
        let objects = self.objects;
        let is_unmet = !self.unmet.is_empty() || self.memory.any_object(|object, _| objects.initial(object).is_some());
        is_unmet && self.could_forget(frame, block, call)
    }

    /// Whether what is summarised, a loop or this call, may write something live, as far as is known before the program
    /// runs.
    pub(crate) fn could_forget(&mut self, frame: FrameId, block: BlockId, call: Option<u32>) -> bool {
        let Statics { program, control, .. } = *self.statics;
        let func = self.trace.frames[&frame].func;
        let loops = &control.function(func).loops;
        let blocks: Vec<BlockId> = match call {
            Some(_) => vec![block],
            None => loops.headed_by(block).into_iter().flat_map(|l| loops.get(l).block_ids()).collect(),
        };
        blocks.into_iter().any(|block| {
            let insts = (0..).zip(&program.functions[func].blocks[block].insts);
            let mut replaced = insts.filter(|(at, _)| call.is_none_or(|call| call == *at));
            replaced.any(|(inst, instruction)| {
                let at = ProgramPoint { func, block, inst };
                self.could_write_at(frame, at, instruction, |write| write.range != Some(READS_INPUT))
            })
        })
    }

    fn point(&self, frame: FrameId, inst: u32) -> ProgramPoint {
        let state = &self.frames[frame];
        ProgramPoint { func: state.func, block: state.block, inst }
    }

    /// Whether a decision is a condition of the schedule.
    pub(crate) fn takes(&mut self, frame: FrameId, inst: u32, decision: &Decision) -> bool {
        let is_terminator = self.inst(frame, inst).is_none();
        match decision.kind {
            DecisionKind::Branch if is_terminator => std::mem::take(&mut self.state(frame).branch_included),
            DecisionKind::Assume => false,
            DecisionKind::Rounds => std::mem::take(&mut self.state(frame).counts_rounds),
            // It is asked only where the other side may come to what is not supported. What the arguments are makes
            // no difference.
            DecisionKind::PassesCall => {
                let at = self.state(frame).block;
                self.set_head(frame, at);
                true
            }
            DecisionKind::InBounds | DecisionKind::Alive | DecisionKind::Divisor if decision.taken => false,
            DecisionKind::Valid => self.validity_matters(frame, inst, decision),
            DecisionKind::Concretise if self.only_reads(frame, inst) => self.state(frame).included == Some(inst),
            DecisionKind::Branch
            | DecisionKind::InBounds
            | DecisionKind::Alive
            | DecisionKind::Divisor
            | DecisionKind::SyncAddress
            | DecisionKind::CallTarget
            | DecisionKind::Concretise
            | DecisionKind::Wake
            | DecisionKind::Other => {
                self.include(frame, inst);
                true
            }
        }
    }

    /// Whether it makes a difference that an access was no error, or that it was one: what it read is in the slice, or
    /// what it wrote. An error writes nothing, so where there was one another execution may write something live.
    fn validity_matters(&mut self, frame: FrameId, inst: u32, decision: &Decision) -> bool {
        if self.state(frame).included == Some(inst) {
            return true;
        }
        let Some(instruction) = self.inst(frame, inst).filter(|_| !decision.taken) else { return false };
        let matters = self.may_hit(frame, inst, instruction);
        if matters {
            self.include(frame, inst);
        }
        matters
    }

    /// Whether another value of a concretised operand could change nothing but the instruction's result.
    fn only_reads(&self, frame: FrameId, inst: u32) -> bool {
        match self.inst(frame, inst).map(|i| &i.op) {
            Some(Op::Load { .. }) => true,
            Some(Op::Call { callee: Callee::Intrinsic(i), .. }) => {
                !i.is_synchronisation() && i.written_argument().is_none()
            }
            Some(_) | None => false,
        }
    }
}

fn touches(live: &Intervals, range: Option<(i64, u64)>) -> bool {
    let Some((start, len)) = range else { return true };
    // A write that starts before the object is an error and cannot be judged; count it as touching.
    let Ok(start) = u64::try_from(start) else { return true };
    live.overlap(start, start.saturating_add(len))
}
