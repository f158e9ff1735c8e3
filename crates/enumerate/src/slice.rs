//! Precondition slicing: which decisions of a path affect what it synchronises (Bergan 3.3.2, figure 3.3; Costa et al.).
//!
//! One backward walk over the trace of all threads. Data dependence is shared between threads (live registers per
//! frame, live bytes of memory); control dependence is judged per thread, frame by frame. A branch is in the slice if
//!
//! 1. the head of the slice in its frame does not postdominate its other side (`Postdominates`),
//! 2. its other side may assign a live block parameter or write a live byte (`WritesLiveVarBetween`), or
//! 3. its other side may synchronise (`SyncOpBetween`), or certainly fails somewhere (a pointer that is null in every run).
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
//! - Inputs of one name are told apart by how many were read before, so reading one counts as writing (test 2).
//! - A replaced loop that has one way out, and may change what its test looks at, is left by it: that it was left in this iteration is no condition of a schedule, and whatever
//!   another iteration writes was forgotten.
//! - Decisions that exclude undefined behaviour (bounds, divisors) are not conditions of a schedule.

mod corrections;
mod dependence;
mod ends;
mod facts;
mod frames;
mod known;
mod outcome;
mod prepared;
mod reloads;
mod runs;

use std::collections::BTreeSet;

use icsched_ir::{
    BlockId, Callee, FuncId, Function, Inst, Intrinsic, Op, Operand, Program, ProgramPoint, Terminator, ValueId,
};
use icsched_pointsto::Piece;
use icsched_symex::abstraction::Passage;
use icsched_symex::machine::exit_function;
use icsched_symex::shape::Where;
use icsched_symex::stop::DecisionKind;
use icsched_symex::thread::FrameId;
use icsched_symex::trace::{Region, Repeatable, Trace, TraceEvent, Uses};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

pub use ends::{AbnormalEnd, EndKind};
pub use facts::{call_path, every_decision};
pub use outcome::{Slice, SliceDecision};
pub use prepared::Prepared;

use crate::aliases::Aliases;
use crate::carried::Criterion;
use crate::control::{Control, is_end};
use crate::engine::RunLimits;
use crate::live::LiveMemory;
use crate::modref::ModRef;
use crate::objects::Objects;
use crate::region::Regions;
use dependence::edge_taken;
pub(crate) use facts::alone_at_events;
use facts::count_repeats;
use frames::Frames;
use known::{Facts, KnownRegions};
use runs::{Defined, Runs};

/// Static facts that slicing uses; computed once per program.
#[derive(Copy, Clone)]
pub struct Statics<'p> {
    /// The program.
    pub program: &'p Program,
    /// Its control structure.
    pub control: &'p Control,
    /// Its mod summaries.
    pub modref: &'p ModRef,
    /// What points-to analysis knows, unless that is turned off.
    pub aliases: Option<&'p Aliases<'p>>,
    /// When to stop.
    pub limits: &'p RunLimits,
    /// Whether the ways of branches that [only correct a number](corrections) are paths of their own.
    pub corrections: bool,
}

/// Events of a trace after which it is looked whether there is time left.
const LOOK: usize = 1 << 12;

/// Events of a trace of which slices are computed twice where assertions are checked.
const MOST_COMPARED: usize = 1 << 14;

/// Answers that hold for every path, kept.
#[derive(Default)]
pub struct Caches {
    regions: Regions,
    known: KnownRegions,
    defined: Defined,
}

/// A trace of which slices are computed.
#[derive(Copy, Clone)]
pub struct Sliceable<'a> {
    /// What its objects are.
    pub objects: &'a Objects,
    /// The trace.
    pub trace: &'a Trace,
    /// What was computed of it before.
    pub prepared: &'a Prepared,
}

impl Sliceable<'_> {
    /// The decisions that slices without [`keep_exits`](Self::slice) may have; with as many different conditions as `most`, or `None`.
    /// Linear in the length of the trace.
    pub fn possible(&self, statics: &Statics<'_>, most: usize) -> Option<Vec<SliceDecision>> {
        facts::possible(statics, self.trace, &self.prepared.blocks, most)
    }

    /// Computes a slice of the trace: the decisions in it, in execution order.
    ///
    /// Linear in the length of the trace, times the number of live objects at each branch whose other side writes memory.
    ///
    /// With `keep_exits`, branches that only avoid the end of the process are conditions like any other: what is claimed of
    /// the path's end is claimed of inputs that get there.
    ///
    /// When the time of the run is over, all decisions are in the slice, which always is right.
    ///
    /// `abnormal_ends` are the instructions that the path did not get past (a memory error, something unmodelled, loops without end): whether
    /// they are reached decides whether anything behind them is.
    pub fn slice(
        &self,
        statics: &Statics<'_>,
        caches: &mut Caches,
        abnormal_ends: &[AbnormalEnd],
        keep_exits: bool,
    ) -> Slice {
        // Why a loop is never left may be anything that the path has decided.
        let is_open = |end: &AbnormalEnd| !statics.control.always_stays(end.point.func, end.point.block);
        if abnormal_ends.iter().any(|end| end.what == EndKind::Endless && is_open(end)) {
            let branches = facts::branches(self.trace);
            return Slice { decisions: every_decision(statics, self.trace), branches, ..Slice::default() };
        }
        let begin = |slicer: &mut Slicer<'_, '_>| {
            let known = abnormal_ends.iter().filter(|end| self.trace.frames.contains_key(&end.frame));
            for &AbnormalEnd { frame, point, what } in known {
                slicer.frees |= what == EndKind::OfFreed;
                slicer.keeps_status |= what == EndKind::Exit;
                slicer.never_left.extend((what == EndKind::Endless).then_some((frame, point.block)));
                slicer.meet(frame, point.block, point.inst);
                slicer.include(frame, point.inst);
            }
        };
        let is_of_freed = self.prepared.frees || abnormal_ends.iter().any(|end| end.what == EndKind::OfFreed);
        debug_assert!(is_of_freed || self.is_same_without_runs(statics, caches, keep_exits, begin));
        let mut slicer = self.slicer(statics, caches, keep_exits);
        begin(&mut slicer);
        // Loops that are passed over may free.
        let none = Runs::default();
        let runs = if slicer.frees { &none } else { &self.prepared.runs };
        if !slicer.walk(&self.prepared.blocks, runs, |_| false) {
            return Slice { decisions: every_decision(statics, self.trace), ..Slice::default() };
        }
        let mut slice = slicer.slice;
        slice.decisions.reverse();
        slice.early_exits.reverse();
        slice.exits = slice.early_exits.iter().map(|exit| exit.event).collect();
        if !slice.early_exits.is_empty() {
            let alone = alone_at_events(self.trace);
            slice.early_exits.retain(|exit| alone[exit.event]);
        }
        let decisions = slice.decisions.iter_mut().chain(&mut slice.early_exits);
        count_repeats(statics, self.trace, &self.prepared.blocks, decisions);
        slice
    }

    /// A decision of the slice that is also for what places hold at the end of the trace, if there is one that `is_other`; the last
    /// one. As much work as [`slice`](Self::slice), less what comes before it. `None` if the time of the run is over.
    pub fn depends(
        &self,
        statics: &Statics<'_>,
        caches: &mut Caches,
        criterion: &Criterion,
        mut is_other: impl FnMut(&SliceDecision) -> bool,
    ) -> Option<Option<SliceDecision>> {
        debug_assert!(
            self.prepared.frees || self.is_same_without_runs(statics, caches, false, |slicer| slicer.add(criterion))
        );
        let mut slicer = self.slicer(statics, caches, false);
        slicer.add(criterion);
        let mut found = None;
        let none = Runs::default();
        let runs = if slicer.frees { &none } else { &self.prepared.runs };
        let is_done = slicer.walk(&self.prepared.blocks, runs, |decision| {
            found = is_other(decision).then_some(*decision);
            found.is_some()
        });
        is_done.then_some(found)
    }

    /// The decisions by which replaced loops were left, as events, where there is one way out and nothing inside that is to be found: they hold
    /// in all executions that come to them. Linear in the number of replaced loops that were left.
    pub fn ways_out(&self, statics: &Statics<'_>, caches: &mut Caches) -> FxHashSet<usize> {
        let mut slicer = self.slicer(statics, caches, false);
        let decided = |&exit: &usize| {
            let decision = exit.checked_sub(1)?;
            match (&self.trace.events[decision], &self.trace.events[exit]) {
                (
                    TraceEvent::Decision { frame: decides, decision: taken, .. },
                    TraceEvent::Block { frame, via: Some((from, by_else)), .. },
                ) if decides == frame && taken.kind == DecisionKind::Branch => {
                    slicer.meet(*frame, *from, 0);
                    slicer.goes_round_in_vain(*frame, *from, *by_else).then_some(decision)
                }
                _ => None,
            }
        };
        self.prepared.exits.iter().collect::<BTreeSet<_>>().into_iter().filter_map(decided).collect()
    }

    /// Whether passing over loops makes no difference to a slice, as it should; of long traces nobody asks.
    fn is_same_without_runs(
        &self,
        statics: &Statics<'_>,
        caches: &mut Caches,
        keep_exits: bool,
        begin: impl Fn(&mut Slicer<'_, '_>),
    ) -> bool {
        if self.trace.events.len() > MOST_COMPARED {
            return true;
        }
        let none = Runs::default();
        let mut slice_with = |runs| {
            let mut slicer = self.slicer(statics, caches, keep_exits);
            begin(&mut slicer);
            slicer.walk(&self.prepared.blocks, runs, |_| false).then_some(slicer.slice)
        };
        let (passing, thorough) = (slice_with(&self.prepared.runs), slice_with(&none));
        passing.zip(thorough).is_none_or(|(passing, thorough)| passing == thorough)
    }

    fn slicer<'s, 'p>(&'s self, statics: &'s Statics<'p>, caches: &'s mut Caches, keep_exits: bool) -> Slicer<'s, 'p> {
        let Caches { regions, known, defined } = caches;
        Slicer {
            statics,
            regions,
            defined,
            facts: Facts::new(statics.aliases, known, &self.prepared.names, self.objects),
            objects: self.objects,
            trace: self.trace,
            exits: &self.prepared.exits,
            frames: Frames::of(self.trace),
            memory: LiveMemory::default(),
            inputs: FxHashSet::default(),
            slice: Slice::default(),
            keep_exits,
            passed: FxHashSet::default(),
            frees: self.prepared.frees,
            continues: self.prepared.continues,
            keeps_status: false,
            is_behind_all: true,
            never_left: Vec::new(),
            corrections: if statics.corrections { corrections::MAX_CORRECTIONS } else { 0 },
            repeated: FxHashSet::default(),
            unmet: BTreeSet::default(),
        }
    }
}

/// A parameter of a block that was live, by its number, and what it was assigned.
#[derive(Copy, Clone, PartialEq, Debug)]
struct Assigned {
    block: BlockId,
    position: usize,
    arg: Operand,
    /// Whether that is a constant, or has been live ever since: what it is computed from is not undone.
    is_kept: bool,
}

/// What the walk knows of one frame. The walk has undone everything from `next` of `block` on.
struct FrameState {
    func: FuncId,
    block: BlockId,
    next: u32,
    live: FxHashSet<ValueId>,
    /// Block of the latest statement in the slice, in this frame or in what it called from there.
    head: Option<BlockId>,
    /// Live parameters of blocks that another way may assign.
    assignable: SmallVec<[Assigned; 2]>,
    /// Whether the branch just undone is in the slice: its decision comes next.
    branch_included: bool,
    /// Whether its other side only ends the process.
    avoids_exit: bool,
    /// Whether it matters how often the replaced loop goes round that is behind.
    counts_rounds: bool,
    /// The latest instruction of `block` that was included.
    included: Option<u32>,
}

struct Slicer<'a, 'p> {
    statics: &'a Statics<'p>,
    regions: &'a mut Regions,
    defined: &'a mut Defined,
    facts: Facts<'a, 'p>,
    objects: &'a Objects,
    trace: &'a Trace,
    exits: &'a FxHashSet<usize>,
    frames: Frames,
    memory: LiveMemory,
    /// Names of inputs in the slice, as their bytes; `None` for one whose name is not known.
    inputs: FxHashSet<Option<&'p [u8]>>,
    slice: Slice,
    keep_exits: bool,
    /// Frames in which the marker that comes next was passed.
    passed: FxHashSet<FrameId>,
    /// Whether it matters what was freed.
    frees: bool,
    /// Whether paths go on behind memory errors.
    continues: bool,
    /// Whether what `main` returns matters.
    keeps_status: bool,
    /// Whether nothing is synchronised behind what comes next in the walk.
    is_behind_all: bool,
    /// How many more branches count that only correct a number.
    corrections: u32,
    /// Loops that are never left, by their headers.
    never_left: Vec<(FrameId, BlockId)>,
    /// Loops of which later ones in the slice leave the same.
    repeated: FxHashSet<Passage>,
    /// What these read of objects that the path had not met.
    unmet: BTreeSet<Piece>,
}

impl Slicer<'_, '_> {
    /// Walks the trace from its end to its beginning, or to the first decision of the slice that is the last one wanted; `false` if
    /// the time of the run is over.
    fn walk(&mut self, blocks: &[BlockId], runs: &Runs, mut is_last: impl FnMut(&SliceDecision) -> bool) -> bool {
        let (mut found, mut steps) = (0, 0_usize);
        let mut end = self.trace.events.len();
        while end > self.trace.granted.len() {
            let index = end - 1;
            steps += 1;
            if steps % LOOK == 0 && self.statics.limits.is_over() {
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
                } else if self.statics.control.counts_ends && is_end(*intrinsic) {
                    self.meet(*frame, block, *inst);
                    self.set_head(*frame, block);
                }
            }
            TraceEvent::Atomic { frame, inst } => {
                self.is_behind_all = false;
                self.undo_down_to(*frame, block, *inst);
                self.include(*frame, *inst);
            }
            // What a replaced loop left behind is an input of its own, whatever it was before.
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

impl<'p> Slicer<'_, 'p> {
    /// Makes places live at the end of the trace.
    fn add(&mut self, criterion: &Criterion) {
        for place in &criterion.places {
            match *place {
                Where::Memory(object, start, len) => {
                    self.memory.add(&Region { object, start, len, exact: true });
                }
                Where::Register(frame, value) => {
                    let point = criterion.points.get(&frame).filter(|_| self.trace.frames.contains_key(&frame));
                    if let Some(point) = point {
                        self.meet(frame, point.block, point.inst);
                        self.state(frame).live.insert(value);
                    }
                }
            }
        }
    }

    fn function(&self, frame: FrameId) -> &'p Function {
        &self.statics.program.functions[self.frames[frame].func]
    }

    fn inst(&self, frame: FrameId, inst: u32) -> Option<&'p Inst> {
        self.function(frame).blocks[self.frames[frame].block].insts.get(inst as usize)
    }

    fn state(&mut self, frame: FrameId) -> &mut FrameState {
        self.frames.get_mut(frame).expect("frames are created when the walk first meets them")
    }

    /// Makes sure the frame is known; on first sight everything behind `next` of `block` is outside the trace.
    fn meet(&mut self, frame: FrameId, block: BlockId, next: u32) {
        let trace = self.trace;
        self.frames.meet(frame, || FrameState {
            func: trace.frames[&frame].func,
            block,
            next,
            live: FxHashSet::default(),
            head: None,
            assignable: SmallVec::new(),
            branch_included: false,
            avoids_exit: false,
            counts_rounds: false,
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
        let live = &self.frames[frame].live;
        self.inst(frame, inst).is_some_and(|i| i.results.iter().any(|r| live.contains(r)))
    }

    /// Whether what the instruction reads decides what it writes to live memory (its store was met just before).
    fn feeds_store(&self, frame: FrameId, inst: u32) -> bool {
        let included = self.frames[frame].included == Some(inst);
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
        self.add_inputs(frame, inst);
        let state = self.state(frame);
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

    /// What a loop leaves is what an earlier one has left because both began with the same: what that is has to be so, if this one's values
    /// are in the slice, or those of a later one that it is the first for.
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
        let returned = crate::provenance::returned(&self.function(frame).blocks[block].terminator);
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
