//! Precondition slicing: which decisions of a path affect what it synchronises (Bergan 3.3.2, figure 3.3; Costa et
//! al.).
//!
//! One backward walk over the trace of all threads. Data dependence is shared between threads (live registers per
//! frame, live bytes of memory); control dependence is judged per thread, frame by frame. A branch is in the slice if
//!
//! 1. the head of the slice in its frame does not postdominate its other side (`Postdominates`),
//! 2. its other side may assign a live block parameter or write a live byte (`WritesLiveVarBetween`), or
//! 3. its other side may synchronise (`SyncOpBetween`), or certainly fails somewhere (a pointer that is null in every
//!    run).
//!
//! Deviations from the paper, each with its reason:
//!
//! - Test 1 asks whether the head postdominates the *other successor*, not the branch: a branch at the end of a
//!   one-block loop is postdominated by its own block and still decides whether the block runs again.
//! - Test 2 also asks whether the other side may define a live register again, which it does by going round a loop.
//! - A write is also asked what it would have hit at another address: the path's own address is in the slice then.
//! - Block parameters stand for the assignments that SSA form hides. A live one makes the block it was entered from
//!   the head of the slice, and marks its block as one that other ways may assign, up to its immediate dominator.
//! - Branches whose other side only ends the process are left out (prefix schedules, 3.4.1.1) and postdominators are
//!   computed as if such blocks were not there. If the path itself took the quiet side, the branch is in the slice.
//! - Inputs of one name are told apart by how many were read before, so reading one counts as writing (test 2).
//! - A summarised loop that has one way out, and may change what its test looks at, is left by it: that it was left in
//!   this iteration is no condition of a schedule, and whatever another iteration writes was forgotten.
//! - Decisions that exclude undefined behaviour (bounds, divisors) are not conditions of a schedule.

use icsched_ir::{BlockId, Callee, Intrinsic, Op, Operand, ProgramPoint, Terminator, ValueId};
use icsched_machine::step::exit_function;
use icsched_machine::stop::DecisionKind;
use icsched_machine::thread::FrameId;
use icsched_symbolic::trace::{Region, Repeatable, TraceEvent, Uses};
use smallvec::SmallVec;

use crate::budgets::BUDGETS;
use crate::decisions::edge_taken;
use crate::frames::Assigned;
use crate::loop_runs::Runs;
use crate::provenance::returned;
use crate::slice::SliceDecision;
use crate::slicer::Slicer;

impl Slicer<'_, '_> {
    /// Walks the trace from its end to its beginning, or to the first decision of the slice that is the last one
    /// wanted; `false` if the time of the run is over.
    pub(crate) fn walk(
        &mut self,
        blocks: &[BlockId],
        runs: &Runs,
        mut is_last: impl FnMut(&SliceDecision) -> bool,
    ) -> bool {
        let (mut found, mut steps) = (0, 0_usize);
        let mut end = self.trace.events.len();
        while end > self.trace.granted.len() {
            let index = end - 1;
            steps += 1;
            if steps % BUDGETS.events_between_looks == 0 && self.statics.time.is_over() {
                return false;
            }
            // What is passed over may have loops of which later ones leave the same.
            if self.repeated.is_empty()
                && let Some(entered) = self.pass_over(runs, index)
            {
                end = entered + 1;
                continue;
            }
            end = index;
            self.event(index, &self.trace.events[index], blocks[index]);
            if self.slice.decisions.len() > found {
                found = self.slice.decisions.len();
                if self.slice.decisions.last().is_some_and(&mut is_last) {
                    break;
                }
            }
        }
        true
    }

    fn event(&mut self, index: usize, event: &TraceEvent, block: BlockId) {
        match event {
            TraceEvent::Enter { frame, caller, inst } => self.enter(*frame, *caller, *inst),
            TraceEvent::Leave { frame } => self.leave(*frame, block),
            TraceEvent::Block { frame, block, via } => self.block(index, *frame, *block, *via),
            TraceEvent::Load { frame, inst, regions } => {
                self.undo_down_to(*frame, block, *inst);
                if self.uses_result(*frame, *inst) || self.feeds_store(*frame, *inst) {
                    self.include(*frame, *inst);
                    regions.iter().for_each(|r| self.memory.add(r));
                }
            }
            TraceEvent::Store { frame, inst, regions } => {
                self.undo_down_to(*frame, block, *inst);
                if regions.iter().any(|r| self.memory.overlaps(r)) || self.counts_input(*frame, *inst) {
                    self.include(*frame, *inst);
                    regions.iter().filter(|r| r.exact).for_each(|r| self.memory.remove(r));
                } else {
                    self.keep_address(*frame, *inst);
                }
            }
            TraceEvent::Decision { frame, inst, decision } => {
                self.undo_down_to(*frame, block, *inst);
                self.undo_pure(*frame, *inst);
                let func = self.state(*frame).func;
                let point = ProgramPoint { func, block, inst: *inst };
                let entry =
                    SliceDecision { event: index, frame: *frame, point, condition: decision.condition, repeat: 0 };
                let avoids_exit = std::mem::take(&mut self.state(*frame).avoids_exit);
                if self.takes(*frame, *inst, decision) {
                    self.slice.decisions.push(entry);
                } else if avoids_exit && decision.kind == DecisionKind::Branch {
                    self.slice.early_exits.push(entry);
                }
            }
            TraceEvent::Intrinsic { frame, inst, intrinsic } => {
                self.undo_down_to(*frame, block, *inst);
                let frees = self.frees && *intrinsic == Intrinsic::Free;
                self.is_behind_all &= !intrinsic.is_synchronisation();
                let matters = frees || intrinsic.is_synchronisation() || self.uses_result(*frame, *inst);
                if matters || self.counts_input(*frame, *inst) {
                    self.include(*frame, *inst);
                } else if self.statics.control.quiet_ends.leave_out(*intrinsic) {
                    self.meet(*frame, block, *inst);
                    self.set_head(*frame, block);
                }
            }
            TraceEvent::Atomic { frame, inst } => {
                self.is_behind_all = false;
                self.undo_down_to(*frame, block, *inst);
                self.include(*frame, *inst);
            }
            // What a summarised loop left behind is an input of its own, whatever it was before.
            TraceEvent::Forget { frame, call, regions, moved, uses } => {
                self.forget((*frame, block, *call), regions, moved, uses);
            }
            // Which marker a thread is at belongs to the schedule; what it would do there does not.
            TraceEvent::Marker { frame, inst } => {
                if !self.passed.remove(frame) {
                    self.meet(*frame, block, *inst);
                    self.set_head(*frame, block);
                }
            }
            TraceEvent::PassMarker { frame, inst } => {
                self.meet(*frame, block, *inst);
                self.undo_pure(*frame, *inst);
                self.set_head(*frame, block);
                self.passed.insert(*frame);
            }
            TraceEvent::ThreadEnd { .. } => self.is_behind_all = false,
            TraceEvent::Switch { .. } => {}
        }
    }
}

impl Slicer<'_, '_> {
    /// What was forgotten is an input; that it was forgotten there is part of the slice.
    fn forget(
        &mut self,
        (frame, block, call): (FrameId, BlockId, Option<u32>),
        regions: &[Region],
        moved: &[ValueId],
        uses: &Uses,
    ) {
        let body = &self.statics.program.functions[self.trace.frames[&frame].func].blocks[block];
        let values: &[ValueId] = match call {
            Some(inst) => {
                self.undo_down_to(frame, block, inst);
                &body.insts[inst as usize].results
            }
            None => {
                self.meet(frame, block, 0);
                self.undo_pure(frame, 0);
                &body.params
            }
        };
        let mut matters = regions.iter().any(|r| self.memory.overlaps(r)) || self.forgets_unmet(frame, block, call);
        let repeats = self.repeats(frame, values, uses);
        let state = self.state(frame);
        // What has moved still depends on where it was.
        let is_moved = moved.iter().any(|value| state.live.contains(value));
        matters |= is_moved;
        for value in values.iter().filter(|value| !moved.contains(value)) {
            matters |= state.live.remove(value);
        }
        let writes_live = regions.iter().any(|r| self.memory.overlaps(r));
        regions.iter().for_each(|r| self.memory.remove(r));
        // With other numbers it would have written elsewhere, or gone further.
        let is_used = !uses.regions.is_empty() || !uses.values.is_empty();
        let depends = is_used && (is_moved || writes_live || self.could_forget(frame, block, call));
        self.state(frame).counts_rounds = depends;
        if depends {
            matters = true;
            self.state(frame).live.extend(uses.values.iter().copied());
            uses.regions.iter().for_each(|r| self.memory.add(r));
        }
        if let Some(Repeatable { first, values, regions, unmet, .. }) = repeats {
            matters = true;
            self.state(frame).live.extend(values.iter().copied());
            regions.iter().for_each(|region| self.memory.add(region));
            self.unmet.extend(unmet.iter().copied());
            self.repeated.insert(*first);
        }
        if matters {
            self.set_head(frame, block);
        }
    }

    /// What a loop leaves is what an earlier one has left because both began with the same: what that is has to be
    /// so, if this one's values are in the slice, or those of a later one that it is the first for.
    fn repeats<'u>(&mut self, frame: FrameId, values: &[ValueId], uses: &'u Uses) -> Option<&'u Repeatable> {
        let repeatable = uses.repeatable.as_ref()?;
        let is_repeated = self.repeated.contains(&repeatable.passage);
        let live = &self.state(frame).live;
        let repeats = repeatable.passage != repeatable.first && values.iter().any(|value| live.contains(value));
        (is_repeated || repeats).then_some(repeatable)
    }

    fn enter(&mut self, frame: FrameId, caller: Option<FrameId>, inst: u32) {
        let state = self.frames.remove(frame);
        let info = &self.trace.frames[&frame];
        let callee = &self.statics.program.functions[info.func];
        let Some((caller, point)) = caller.and(info.caller) else {
            // What main returns is the argument of `exit`.
            let is_exit = exit_function(self.statics.program) == Some(info.func);
            let live = state.as_ref().map(|state| &state.live);
            let is_live = live.is_some_and(|live| callee.params.iter().any(|param| live.contains(param)));
            self.keeps_status |= is_exit && is_live;
            return;
        };
        self.undo_down_to(caller, point.block, inst);
        let Some(Op::Call { callee: target, args }) = self.inst(caller, inst).map(|i| &i.op) else { return };
        let mut used: SmallVec<[Operand; 4]> = SmallVec::new();
        for (param, &arg) in callee.params.iter().zip(args) {
            if state.as_ref().is_some_and(|s| s.live.contains(param)) {
                used.push(arg);
            }
        }
        if let Some(object) = self.objects.variable_arguments(frame) {
            for (number, &arg) in (0..).zip(args.iter().skip(callee.params.len())) {
                if self.memory.overlaps_range(object, number * 8, number * 8 + 8) {
                    used.push(arg);
                }
            }
        }
        if let Callee::Indirect(target) = target {
            // Which function it was matters if this one did, or another one might have.
            if state.is_some_and(|s| s.head.is_some()) || self.could_matter(caller, inst) {
                used.push(*target);
            }
        }
        self.state(caller).live.extend(used.iter().filter_map(|u| u.value()));
    }

    fn leave(&mut self, frame: FrameId, block: BlockId) {
        let terminator =
            u32::try_from(self.statics.program.functions[self.trace.frames[&frame].func].blocks[block].insts.len())
                .expect("blocks have fewer than 2^32 instructions");
        self.meet(frame, block, terminator);
        let returned = returned(&self.function(frame).blocks[block].terminator);
        let Some((caller, point)) = self.trace.frames[&frame].caller else {
            if self.keeps_status && Some(self.trace.frames[&frame].func) == self.statics.program.main {
                self.state(frame).live.extend(returned.iter().filter_map(|value| value.value()));
                self.set_head(frame, block);
            }
            return;
        };
        self.undo_down_to(caller, point.block, point.inst);
        let Some(call) = self.inst(caller, point.inst) else { return };
        for (result, &value) in call.results.iter().zip(returned) {
            if self.state(caller).live.remove(result) {
                self.state(frame).live.extend(value.value());
                self.set_head(frame, block);
            }
        }
    }

    fn block(&mut self, event: usize, frame: FrameId, block: BlockId, via: Option<(BlockId, bool)>) {
        self.meet(frame, block, 0);
        self.undo_pure(frame, 0);
        let Some((from, by_else)) = via else { return };
        let state = self.state(frame);
        for assigned in &mut state.assignable {
            assigned.is_kept &= assigned.arg.value().is_none_or(|value| state.live.contains(&value));
        }
        self.undo_edge(frame, block, from, by_else);
        let function = self.function(frame);
        let state = self.state(frame);
        state.block = from;
        state.next = u32::try_from(function.blocks[from].insts.len()).expect("fewer than 2^32 instructions");
        state.included = None;
        state.branch_included = false;
        state.avoids_exit = false;
        let branches = matches!(function.blocks[from].terminator, Terminator::Branch { .. });
        let is_only_exit = self.exits.contains(&event);
        if branches && self.branch_matters(frame, from, by_else, is_only_exit, Some(event)) {
            let terminator = self.state(frame).next;
            self.include(frame, terminator);
            self.state(frame).branch_included = true;
            self.slice.branches.push(event);
        }
        let func = self.state(frame).func;
        let dominators = &self.statics.control.function(func).dominators;
        self.state(frame).assignable.retain(|a| dominators.immediate(a.block) != Some(from));
    }

    /// Undoes the assignment of block parameters on an edge.
    fn undo_edge(&mut self, frame: FrameId, block: BlockId, from: BlockId, by_else: bool) {
        let function = self.function(frame);
        let control = self.statics.control.function(self.state(frame).func);
        let params = &function.blocks[block].params;
        let Some(edge) = edge_taken(&function.blocks[from].terminator, by_else) else { return };
        for (position, param) in params.iter().enumerate() {
            if !self.state(frame).live.remove(param) {
                continue;
            }
            let arg = edge.args[position];
            let depends_on_way = control.cfg.predecessors(block).iter().any(|&p| {
                let edges = function.blocks[p].terminator.edges();
                edges.filter(|e| e.target == block).any(|e| e.args[position] != arg)
            });
            if depends_on_way && let Some(held) = self.held_by_global(frame, block, position) {
                self.memory.add(&held);
                continue;
            }
            let state = self.state(frame);
            state.live.extend(arg.value());
            if depends_on_way {
                let assigned = Assigned { block, position, arg, is_kept: true };
                if !state.assignable.contains(&assigned) {
                    state.assignable.push(assigned);
                }
                self.set_head(frame, from);
            }
        }
    }
}
