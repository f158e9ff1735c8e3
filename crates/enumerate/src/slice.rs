//! Precondition slicing: which decisions of a path affect what it synchronises (Bergan 3.3.2, figure 3.3; Costa et al.).
//!
//! One backward walk over the trace of all threads. Data dependence is shared between threads (live registers per
//! frame, live bytes of memory); control dependence is judged per thread, frame by frame. A branch is in the slice if
//!
//! 1. the head of the slice in its frame does not postdominate its other side (`Postdominates`),
//! 2. its other side may assign a live block parameter or write a live byte (`WritesLiveVarBetween`), or
//! 3. its other side may synchronise (`SyncOpBetween`).
//!
//! Deviations from the paper, each with its reason:
//!
//! - Test 1 asks whether the head postdominates the *other successor*, not the branch: a branch at the end of a
//!   one-block loop is postdominated by its own block and still decides whether the block runs again.
//! - Test 2 also asks whether the other side may define a live register again, which it does by going round a loop.
//! - A write is also asked what it would have hit at another address: the path's own address is in the slice then.
//! - Block parameters stand for the assignments that SSA form hides. A live one makes the block it was entered from the
//!   head of the slice, and marks its block as one that other ways may assign, up to its immediate dominator.
//! - Branches whose other side only ends the process are left out (prefix schedules, 3.4.1.1) and postdominators are
//!   computed as if such blocks were not there. If the path itself took the quiet side, the branch is in the slice.
//! - Decisions that exclude undefined behaviour (bounds, divisors) are not conditions of a schedule.

use std::rc::Rc;

use icsched_ir::{
    BlockId, Callee, EntityId, FuncId, Function, Inst, Intrinsic, Op, Operand, Program, ProgramPoint, Terminator,
    ValueId,
};
use icsched_smt::Term;
use icsched_symex::stop::DecisionKind;
use icsched_symex::thread::{FrameId, ThreadId};
use icsched_symex::trace::{Decision, Trace, TraceEvent};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::control::Control;
use crate::live::LiveMemory;
use crate::modref::{ModRef, Write, Writes};
use crate::objects::{ObjectClass, Objects};
use crate::provenance::Base;
use crate::region::Regions;

/// Static facts that slicing uses; computed once per program.
#[derive(Copy, Clone)]
pub struct Statics<'p> {
    /// The program.
    pub program: &'p Program,
    /// Its control structure.
    pub control: &'p Control,
    /// Its mod summaries.
    pub modref: &'p ModRef,
}

/// A decision in the slice.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct SliceDecision {
    /// Index of its [`TraceEvent::Decision`].
    pub event: usize,
    /// The frame that decided.
    pub frame: FrameId,
    /// Where.
    pub point: ProgramPoint,
    /// The condition as it held.
    pub condition: Term,
    /// How often the same question was asked before: reached by the same calls, in a recursive function by any. More than
    /// once means that some loop or recursion goes round.
    pub repeat: u32,
}

/// A precondition slice.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Slice {
    /// The conditions of the schedule, in execution order.
    pub decisions: Vec<SliceDecision>,
    /// Decisions against ending the process while no other thread was alive: inputs that satisfy the conditions before
    /// one, but not it, follow the schedule up to there and end (prefix schedules, 3.4.1.1).
    pub early_exits: Vec<SliceDecision>,
}

/// Computes the slice of a trace: the decisions in it, in execution order.
///
/// Linear in the length of the trace, times the number of live objects at each branch whose other side writes memory.
///
/// With `keep_exits`, branches that only avoid the end of the process are conditions like any other: what is claimed of
/// the path's end is claimed of inputs that get there.
///
/// `abnormal_end` is the instruction that the path did not get past (a memory error, something unmodelled): whether it is
/// reached decides whether anything behind it is.
pub fn precondition_slice(
    statics: &Statics<'_>,
    regions: &mut Regions,
    objects: &Objects,
    trace: &Trace,
    abnormal_end: Option<(FrameId, ProgramPoint)>,
    keep_exits: bool,
) -> Slice {
    let mut slicer = Slicer {
        statics,
        regions,
        objects,
        trace,
        frames: FxHashMap::default(),
        memory: LiveMemory::default(),
        slice: Slice::default(),
        keep_exits,
    };
    let blocks = blocks_of_events(trace);
    if let Some((frame, point)) = abnormal_end.filter(|(frame, _)| trace.frames.contains_key(frame)) {
        slicer.meet(frame, point.block, point.inst);
        slicer.include(frame, point.inst);
    }
    for (index, event) in trace.events.iter().enumerate().rev() {
        slicer.event(index, event, blocks[index]);
    }
    let mut slice = slicer.slice;
    slice.decisions.reverse();
    slice.early_exits.reverse();
    let alone = alone_at_events(trace);
    slice.early_exits.retain(|exit| alone[exit.event]);
    count_repeats(statics, trace, &blocks, slice.decisions.iter_mut().chain(&mut slice.early_exits));
    slice
}

/// Fills in [`SliceDecision::repeat`].
fn count_repeats<'s>(
    statics: &Statics<'_>,
    trace: &Trace,
    blocks: &[BlockId],
    decisions: impl Iterator<Item = &'s mut SliceDecision>,
) {
    let mut wanted: FxHashMap<usize, &mut u32> = decisions.map(|d| (d.event, &mut d.repeat)).collect();
    let mut counts: FxHashMap<(Option<Rc<[ProgramPoint]>>, ThreadId, ProgramPoint), u32> = FxHashMap::default();
    let mut callers: FxHashMap<FrameId, Rc<[ProgramPoint]>> = FxHashMap::default();
    for (event, e) in trace.events.iter().enumerate() {
        let TraceEvent::Decision { frame, inst, .. } = e else { continue };
        let info = &trace.frames[frame];
        let point = ProgramPoint { func: info.func, block: blocks[event], inst: *inst };
        let path = if statics.control.calls.is_recursive(info.func) {
            None
        } else {
            Some(Rc::clone(callers.entry(*frame).or_insert_with(|| call_path(trace, *frame))))
        };
        let count = counts.entry((path, info.thread, point)).or_insert(0);
        if let Some(repeat) = wanted.get_mut(&event) {
            **repeat = *count;
        }
        *count += 1;
    }
}

/// The calls that lead to a frame, innermost first.
pub fn call_path(trace: &Trace, frame: FrameId) -> Rc<[ProgramPoint]> {
    let up = |frame: &FrameId| trace.frames[frame].caller.map(|(caller, _)| caller);
    std::iter::successors(Some(frame), up).filter_map(|f| Some(trace.frames[&f].caller?.1)).collect()
}

/// For each event, whether one thread was alive.
fn alone_at_events(trace: &Trace) -> Vec<bool> {
    let threads: FxHashSet<_> = trace.start.iter().map(|(frame, ..)| trace.frames[frame].thread).collect();
    let mut live = threads.len();
    let count = |event: &TraceEvent| {
        match event {
            TraceEvent::Intrinsic { intrinsic: Intrinsic::ThreadCreate, .. } => live += 1,
            TraceEvent::ThreadEnd { .. } => live -= 1,
            _ => {}
        }
        live == 1
    };
    trace.events.iter().map(count).collect()
}

/// Every decision between inputs, as if all of them mattered.
pub fn every_decision(statics: &Statics<'_>, trace: &Trace) -> Vec<SliceDecision> {
    let blocks = blocks_of_events(trace);
    let decision = |(event, e): (usize, &TraceEvent)| match e {
        TraceEvent::Decision { frame, inst, decision } if !decision.kind.false_is_error() || !decision.taken => {
            let func = trace.frames[frame].func;
            let point = ProgramPoint { func, block: blocks[event], inst: *inst };
            Some(SliceDecision { event, frame: *frame, point, condition: decision.condition, repeat: 0 })
        }
        _ => None,
    };
    let mut decisions: Vec<SliceDecision> = trace.events.iter().enumerate().filter_map(decision).collect();
    count_repeats(statics, trace, &blocks, decisions.iter_mut());
    decisions
}

/// What the walk knows of one frame. The walk has undone everything from `next` of `block` on.
struct FrameState {
    func: FuncId,
    block: BlockId,
    next: u32,
    live: FxHashSet<ValueId>,
    /// Block of the latest statement in the slice, in this frame or in what it called from there.
    head: Option<BlockId>,
    /// Blocks with a live parameter that another way may assign.
    assignable: SmallVec<[BlockId; 2]>,
    /// Whether the branch just undone is in the slice: its decision comes next.
    branch_included: bool,
    /// Whether its other side only ends the process.
    avoids_exit: bool,
    /// The latest instruction of `block` that was included.
    included: Option<u32>,
}

struct Slicer<'a, 'p> {
    statics: &'a Statics<'p>,
    regions: &'a mut Regions,
    objects: &'a Objects,
    trace: &'a Trace,
    frames: FxHashMap<FrameId, FrameState>,
    memory: LiveMemory,
    slice: Slice,
    keep_exits: bool,
}

/// The block each event happened in: of the event's frame for most, of the left frame for [`TraceEvent::Leave`].
fn blocks_of_events(trace: &Trace) -> Vec<BlockId> {
    let entry = BlockId::from_index(0);
    let mut current: FxHashMap<FrameId, BlockId> =
        trace.start.iter().map(|&(frame, block, _)| (frame, block)).collect();
    let mut blocks = Vec::with_capacity(trace.events.len());
    for event in &trace.events {
        let block = match event {
            TraceEvent::Block { frame, block, .. } => {
                current.insert(*frame, *block);
                *block
            }
            TraceEvent::Enter { caller, .. } => caller.and_then(|c| current.get(&c).copied()).unwrap_or(entry),
            TraceEvent::Leave { frame }
            | TraceEvent::Load { frame, .. }
            | TraceEvent::Store { frame, .. }
            | TraceEvent::Decision { frame, .. }
            | TraceEvent::Intrinsic { frame, .. }
            | TraceEvent::Atomic { frame, .. } => current.get(frame).copied().unwrap_or(entry),
            TraceEvent::Switch { .. } | TraceEvent::ThreadEnd { .. } => entry,
        };
        blocks.push(block);
    }
    blocks
}

impl Slicer<'_, '_> {
    fn event(&mut self, index: usize, event: &TraceEvent, block: BlockId) {
        match event {
            TraceEvent::Enter { frame, caller, inst } => self.enter(*frame, *caller, *inst),
            TraceEvent::Leave { frame } => self.leave(*frame, block),
            TraceEvent::Block { frame, block, via } => self.block(*frame, *block, *via),
            TraceEvent::Load { frame, inst, regions } => {
                self.undo_down_to(*frame, block, *inst);
                if self.uses_result(*frame, *inst) || self.feeds_store(*frame, *inst) {
                    self.include(*frame, *inst);
                    regions.iter().for_each(|r| self.memory.add(r));
                }
            }
            TraceEvent::Store { frame, inst, regions } => {
                self.undo_down_to(*frame, block, *inst);
                if regions.iter().any(|r| self.memory.overlaps(r)) {
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
                if intrinsic.is_synchronisation() || self.uses_result(*frame, *inst) {
                    self.include(*frame, *inst);
                }
            }
            TraceEvent::Atomic { frame, inst } => {
                self.undo_down_to(*frame, block, *inst);
                self.include(*frame, *inst);
            }
            TraceEvent::Switch { .. } | TraceEvent::ThreadEnd { .. } => {}
        }
    }
}

impl<'p> Slicer<'_, 'p> {
    fn function(&self, frame: FrameId) -> &'p Function {
        &self.statics.program.functions[self.frames[&frame].func]
    }

    fn inst(&self, frame: FrameId, inst: u32) -> Option<&'p Inst> {
        self.function(frame).blocks[self.frames[&frame].block].insts.get(inst as usize)
    }

    fn state(&mut self, frame: FrameId) -> &mut FrameState {
        self.frames.get_mut(&frame).expect("frames are created when the walk first meets them")
    }

    /// A write that missed everything live, but at another address (or with another length) would not have, is there
    /// with its address alone: what it is computed from must stay as it was.
    fn keep_address(&mut self, frame: FrameId, inst: u32) {
        let Statics { program, control, modref } = *self.statics;
        let Some(instruction) = self.inst(frame, inst) else { return };
        let mut writes = Writes::default();
        modref.add_writes(program, control, self.frames[&frame].func, instruction, &mut writes);
        if !writes.iter().any(|write| self.hits_live(frame, *write)) {
            return;
        }
        let live = &mut self.state(frame).live;
        match &instruction.op {
            Op::Store { address, .. } => live.extend(address.value()),
            op => op.for_each_operand(|operand| live.extend(operand.value())),
        }
    }

    /// Makes sure the frame is known; on first sight everything behind `next` of `block` is outside the trace.
    fn meet(&mut self, frame: FrameId, block: BlockId, next: u32) {
        let func = self.trace.frames[&frame].func;
        self.frames.entry(frame).or_insert_with(|| FrameState {
            func,
            block,
            next,
            live: FxHashSet::default(),
            head: None,
            assignable: SmallVec::new(),
            branch_included: false,
            avoids_exit: false,
            included: None,
        });
    }

    /// Undoes the register instructions behind `inst`. The instruction itself is the caller's.
    fn undo_down_to(&mut self, frame: FrameId, block: BlockId, inst: u32) {
        self.meet(frame, block, inst + 1);
        self.undo_pure(frame, inst + 1);
        let state = self.state(frame);
        debug_assert_eq!(state.block, block, "the walk follows the trace's blocks");
        if self.inst(frame, inst).is_some_and(has_events) {
            self.state(frame).next = inst;
        }
    }

    /// Undoes register instructions until `first` is the last one undone.
    fn undo_pure(&mut self, frame: FrameId, first: u32) {
        while self.state(frame).next > first {
            let state = self.state(frame);
            state.next -= 1;
            let inst = state.next;
            if self.uses_result(frame, inst) {
                self.include(frame, inst);
            }
        }
    }

    fn uses_result(&self, frame: FrameId, inst: u32) -> bool {
        let live = &self.frames[&frame].live;
        self.inst(frame, inst).is_some_and(|i| i.results.iter().any(|r| live.contains(r)))
    }

    /// Whether what the instruction reads decides what it writes to live memory (its store was met just before).
    fn feeds_store(&self, frame: FrameId, inst: u32) -> bool {
        let included = self.frames[&frame].included == Some(inst);
        match self.inst(frame, inst).map(|i| &i.op) {
            // Whether it writes at all depends on what it reads.
            Some(Op::CompareExchange { .. }) => true,
            Some(Op::Load { .. }) | None => false,
            Some(_) => included,
        }
    }

    /// Puts a statement into the slice: its operands become live and it is the head.
    fn include(&mut self, frame: FrameId, inst: u32) {
        let function = self.function(frame);
        let state = self.state(frame);
        let block = &function.blocks[state.block];
        let mut use_operand = |operand: Operand| {
            if let Operand::Value(v) = operand {
                state.live.insert(v);
            }
        };
        match block.insts.get(inst as usize) {
            Some(i) => {
                let mut used = SmallVec::<[Operand; 4]>::new();
                i.op.for_each_operand(|o| used.push(o));
                for result in &i.results {
                    state.live.remove(result);
                }
                for operand in used {
                    if let Operand::Value(v) = operand {
                        state.live.insert(v);
                    }
                }
            }
            None => {
                if let Terminator::Branch { condition, .. } = &block.terminator {
                    use_operand(*condition);
                }
            }
        }
        state.included = Some(inst);
        let at = state.block;
        tracing::trace!(?frame, function = function.name, block = %at, inst, "included");
        self.set_head(frame, at);
    }

    /// The latest statement of the slice in `frame` is in `block`; seen from its callers, it is in the call.
    fn set_head(&mut self, frame: FrameId, block: BlockId) {
        self.state(frame).head = Some(block);
        let mut current = frame;
        while let Some((caller, point)) = self.trace.frames[&current].caller {
            self.meet(caller, point.block, point.inst + 1);
            let state = self.state(caller);
            if state.head == Some(point.block) {
                break;
            }
            state.head = Some(point.block);
            current = caller;
        }
    }

    fn enter(&mut self, frame: FrameId, caller: Option<FrameId>, inst: u32) {
        let state = self.frames.remove(&frame);
        let info = &self.trace.frames[&frame];
        let Some((caller, point)) = caller.and(info.caller) else { return };
        self.undo_down_to(caller, point.block, inst);
        let callee = &self.statics.program.functions[info.func];
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

    /// Whether any function that a call may reach synchronises or writes something live.
    fn could_matter(&self, caller: FrameId, inst: u32) -> bool {
        let Statics { program, control, modref } = *self.statics;
        let Some(call) = self.inst(caller, inst) else { return false };
        let mut writes = Writes::default();
        modref.add_writes(program, control, self.frames[&caller].func, call, &mut writes);
        control.may_sync(program, call) || writes.iter().any(|write| self.hits_live(caller, *write))
    }

    fn leave(&mut self, frame: FrameId, block: BlockId) {
        let terminator =
            u32::try_from(self.statics.program.functions[self.trace.frames[&frame].func].blocks[block].insts.len())
                .expect("blocks have fewer than 2^32 instructions");
        self.meet(frame, block, terminator);
        let Some((caller, point)) = self.trace.frames[&frame].caller else { return };
        self.undo_down_to(caller, point.block, point.inst);
        let Some(call) = self.inst(caller, point.inst) else { return };
        let returned = crate::provenance::returned(&self.function(frame).blocks[block].terminator);
        for (result, &value) in call.results.iter().zip(returned) {
            if self.state(caller).live.remove(result) {
                self.state(frame).live.extend(value.value());
                self.set_head(frame, block);
            }
        }
    }

    fn block(&mut self, frame: FrameId, block: BlockId, via: Option<(BlockId, bool)>) {
        self.meet(frame, block, 0);
        self.undo_pure(frame, 0);
        let Some((from, by_else)) = via else { return };
        self.undo_edge(frame, block, from, by_else);
        let function = self.function(frame);
        let state = self.state(frame);
        state.block = from;
        state.next = u32::try_from(function.blocks[from].insts.len()).expect("fewer than 2^32 instructions");
        state.included = None;
        state.branch_included = false;
        state.avoids_exit = false;
        if let Terminator::Branch { .. } = function.blocks[from].terminator {
            if self.branch_matters(frame, from, by_else) {
                let terminator = self.state(frame).next;
                self.include(frame, terminator);
                self.state(frame).branch_included = true;
            }
        }
        let func = self.state(frame).func;
        let dominators = &self.statics.control.function(func).dominators;
        self.state(frame).assignable.retain(|b| dominators.immediate(*b) != Some(from));
    }

    /// Undoes the assignment of block parameters on an edge.
    fn undo_edge(&mut self, frame: FrameId, block: BlockId, from: BlockId, by_else: bool) {
        let function = self.function(frame);
        let control = self.statics.control.function(self.state(frame).func);
        let params = &function.blocks[block].params;
        let Some(edge) = edge_taken(&function.blocks[from].terminator, by_else) else { return };
        let mut uses: SmallVec<[Operand; 4]> = SmallVec::new();
        let mut depends_on_way = false;
        for (position, param) in params.iter().enumerate() {
            if !self.state(frame).live.remove(param) {
                continue;
            }
            let arg = edge.args[position];
            uses.push(arg);
            depends_on_way |= control.cfg.predecessors(block).iter().any(|&p| {
                let edges = function.blocks[p].terminator.edges();
                edges.filter(|e| e.target == block).any(|e| e.args[position] != arg)
            });
        }
        let state = self.state(frame);
        state.live.extend(uses.iter().filter_map(|u| u.value()));
        if depends_on_way {
            if !state.assignable.contains(&block) {
                state.assignable.push(block);
            }
            self.set_head(frame, from);
        }
    }

    /// Figure 3.3, for the branch at the end of `block` that went by its else edge or not.
    fn branch_matters(&mut self, frame: FrameId, block: BlockId, by_else: bool) -> bool {
        let (statics, func) = (self.statics, self.state(frame).func);
        let control = statics.control.function(func);
        let terminator = &statics.program.functions[func].blocks[block].terminator;
        let (Some(taken), Some(other)) = (edge_taken(terminator, by_else), edge_taken(terminator, !by_else)) else {
            return false;
        };
        if taken == other || control.quiet_exit.contains(block.index()) {
            return false;
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
    fn hits_live(&self, frame: FrameId, write: Write) -> bool {
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
    fn takes(&mut self, frame: FrameId, inst: u32, decision: &Decision) -> bool {
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

fn edge_taken(terminator: &Terminator, by_else: bool) -> Option<&icsched_ir::Edge> {
    match terminator {
        Terminator::Branch { then_edge, else_edge, .. } => Some(if by_else { else_edge } else { then_edge }),
        Terminator::Jump(edge) => Some(edge),
        Terminator::Return(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => None,
    }
}

/// Whether the trace has events for the instruction itself, so that its registers are not undone with the pure ones.
fn has_events(inst: &Inst) -> bool {
    matches!(
        inst.op,
        Op::Load { .. }
            | Op::Store { .. }
            | Op::AtomicRmw { .. }
            | Op::CompareExchange { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::VaStart { .. }
            | Op::VaCopy { .. }
            | Op::Call { .. }
    )
}
