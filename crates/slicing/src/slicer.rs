//! The walk from the end of a trace to its beginning: where it stands, and what is live there.

use std::collections::BTreeSet;

use icsched_ir::definitions::Definition;
use icsched_ir::{BlockId, FuncId, Function, Inst, Op, Operand, Terminator, ValueId};
use icsched_machine::abstraction::Passage;
use icsched_machine::state_place::StatePlace;
use icsched_machine::thread::FrameId;
use icsched_pointsto::Piece;
use icsched_symbolic::trace::{Region, Trace};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::alias_queries::Facts;
use crate::criterion::Criterion;
use crate::definitions::{Defined, definitions};
use crate::frames::{FrameState, Frames};
use crate::input_names::InputNames;
use crate::live_memory::LiveMemory;
use crate::objects::Objects;
use crate::region::Regions;
use crate::slice::Slice;
use crate::statics::Statics;

/// The walk, and what is live where it stands.
pub(crate) struct Slicer<'a, 'p> {
    pub(crate) statics: &'a Statics<'p>,
    pub(crate) regions: &'a mut Regions,
    pub(crate) defined: &'a mut Defined,
    pub(crate) facts: Facts<'a, 'p>,
    pub(crate) objects: &'a Objects,
    pub(crate) trace: &'a Trace,
    pub(crate) exits: &'a FxHashSet<usize>,
    pub(crate) frames: Frames,
    pub(crate) memory: LiveMemory,
    /// Names of inputs in the slice, as their bytes; `None` for one whose name is not known.
    pub(crate) inputs: InputNames<'p>,
    pub(crate) slice: Slice,
    pub(crate) keep_exits: bool,
    /// Frames in which the marker that comes next was passed.
    pub(crate) passed: FxHashSet<FrameId>,
    /// Whether it matters what was freed.
    pub(crate) frees: bool,
    /// Whether paths go on behind memory errors.
    pub(crate) continues: bool,
    /// Whether what `main` returns matters.
    pub(crate) keeps_status: bool,
    /// Whether nothing is synchronised behind what comes next in the walk.
    pub(crate) is_behind_all: bool,
    /// How many more branches count that only correct a number.
    pub(crate) corrections: u32,
    /// Loops that are never left, by their headers.
    pub(crate) never_left: Vec<(FrameId, BlockId)>,
    /// Loops of which later ones in the slice leave the same.
    pub(crate) repeated: FxHashSet<Passage>,
    /// What these read of objects that the path had not met.
    pub(crate) unmet: BTreeSet<Piece>,
}

impl<'p> Slicer<'_, 'p> {
    /// Makes places live at the end of the trace.
    pub(crate) fn add(&mut self, criterion: &Criterion) {
        for place in &criterion.places {
            match *place {
                StatePlace::Memory(object, start, len) => {
                    self.memory.add(&Region { object, start, len, exact: true });
                }
                StatePlace::Register(frame, value) => {
                    let point = criterion.points.get(&frame).filter(|_| self.trace.frames.contains_key(&frame));
                    if let Some(point) = point {
                        self.meet(frame, point.block, point.inst);
                        self.state(frame).live.insert(value);
                    }
                }
            }
        }
    }

    pub(crate) fn function(&self, frame: FrameId) -> &'p Function {
        &self.statics.program.functions[self.frames[frame].func]
    }

    pub(crate) fn inst(&self, frame: FrameId, inst: u32) -> Option<&'p Inst> {
        self.function(frame).blocks[self.frames[frame].block].insts.get(inst as usize)
    }

    pub(crate) fn state(&mut self, frame: FrameId) -> &mut FrameState {
        self.frames.get_mut(frame).expect("frames are created when the walk first meets them")
    }

    /// Makes sure the frame is known; on first sight everything behind `next` of `block` is outside the trace.
    pub(crate) fn meet(&mut self, frame: FrameId, block: BlockId, next: u32) {
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
    pub(crate) fn undo_down_to(&mut self, frame: FrameId, block: BlockId, inst: u32) {
        self.meet(frame, block, inst + 1);
        self.undo_pure(frame, inst + 1);
        let state = self.state(frame);
        debug_assert_eq!(state.block, block, "the walk follows the trace's blocks");
        if self.inst(frame, inst).is_some_and(has_events) {
            self.state(frame).next = inst;
        }
    }

    /// Undoes register instructions until `first` is the last one undone.
    pub(crate) fn undo_pure(&mut self, frame: FrameId, first: u32) {
        while self.state(frame).next > first {
            let state = self.state(frame);
            state.next -= 1;
            let inst = state.next;
            if self.uses_result(frame, inst) {
                self.include(frame, inst);
            }
        }
    }

    pub(crate) fn uses_result(&self, frame: FrameId, inst: u32) -> bool {
        let live = &self.frames[frame].live;
        self.inst(frame, inst).is_some_and(|i| i.results.iter().any(|r| live.contains(r)))
    }

    /// Whether what the instruction reads decides what it writes to live memory (its store was met just before).
    pub(crate) fn feeds_store(&self, frame: FrameId, inst: u32) -> bool {
        let included = self.frames[frame].included == Some(inst);
        match self.inst(frame, inst).map(|i| &i.op) {
            // Whether it writes at all depends on what it reads.
            Some(Op::CompareExchange { .. }) => true,
            Some(Op::Load { .. }) | None => false,
            Some(_) => included,
        }
    }

    /// Puts a statement into the slice: its operands become live and it is the head.
    pub(crate) fn include(&mut self, frame: FrameId, inst: u32) {
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
        let func = self.frames[frame].func;
        if let Some(op) = self.inst(frame, inst).map(|i| &i.op) {
            self.inputs.add(self.statics, self.trace, (frame, func), op);
        }
        let state = self.state(frame);
        let at = state.block;
        tracing::trace!(?frame, function = function.name, block = %at, inst, "included");
        self.set_head(frame, at);
    }

    /// The latest statement of the slice in `frame` is in `block`; seen from its callers, it is in the call.
    pub(crate) fn set_head(&mut self, frame: FrameId, block: BlockId) {
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

    /// Where a value of a function is defined.
    pub(crate) fn definition(&mut self, func: FuncId, value: ValueId) -> Option<Definition> {
        definitions(self.defined, self.statics.program, func).of(value)
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
