//! The sums that a number was computed from, of which C leaves undefined what happens if they overflow.
//!
//! A result that overflows although it is said not to ([`icsched_ir::NoWrap`]) is no error by itself: compilers execute
//! additions whose results are not used. It is a value that the program may not depend on (LLVM's poison), and so is
//! what is computed from it. So what is said of a sum counts where its result is the number that is asked about, or
//! where that number was computed from it by operations that give poison for poison: one walk backwards over the trace
//! follows numbers through registers, memory, calls and returns. It gives up, and says nothing, where a number is
//! chosen (`select`), frozen, read or written in parts, or at an offset that is not known.

use std::sync::Arc;

use icsched_ir::{BinOp, BlockId, Callee, CastOp, EntityId as _, Function, Inst, NoWrap, Op, Operand, OverflowOp};
use icsched_ir::{Program, Terminator, ValueId};
use icsched_smt::Term;
use rustc_hash::FxHashMap;

use icsched_machine::Machine;
use icsched_machine::code::Code;
use icsched_machine::state::State;
use icsched_machine::state_place::StatePlace;
use icsched_machine::thread::FrameId;
use icsched_symbolic::symbolic::SymbolicDomain;
use icsched_symbolic::trace::{Region, Sum, Trace, TraceEvent};

/// Places that are followed at the same time.
pub const MAX_PLACES: usize = u64::BITS as usize;

/// Places among those that are asked about: a bit for each.
type Places = u64;

/// For each place at the end of a path, conditions that hold unless the program may not depend on what the place holds:
/// the sums that its number was computed from have not overflowed. Of places beyond [`MAX_PLACES`] nothing is said.
///
/// O(instructions of the trace).
pub fn sums_behind(
    machine: &mut Machine<SymbolicDomain>,
    state: &State<SymbolicDomain>,
    trace: &Trace,
    places: &[StatePlace],
) -> Vec<Vec<Term>> {
    let mut conditions = vec![Vec::new(); places.len()];
    if trace.sums.is_empty() || places.is_empty() {
        return conditions;
    }
    let program = Arc::clone(&machine.program);
    let mut walk = Walk::new(&program, trace, &machine.code, state);
    for (number, &place) in places.iter().take(MAX_PLACES).enumerate() {
        walk.ask(place, 1 << number);
    }
    walk.run();
    for Found { sum, op, no_wrap, width, places } in walk.found {
        for condition in fits(machine, &trace.sums[sum], op, no_wrap, width) {
            let of = conditions.iter_mut().take(MAX_PLACES).enumerate().filter(|(n, _)| places & 1 << n != 0);
            of.for_each(|(_, conditions)| conditions.push(condition));
        }
    }
    conditions
}

/// A sum has not overflowed: as signed numbers, as unsigned ones.
fn fits(machine: &mut Machine<SymbolicDomain>, sum: &Sum, op: BinOp, no_wrap: NoWrap, width: u32) -> Vec<Term> {
    let [a, b] = sum.operands.map(|operand| machine.domain.term(&operand, width));
    let (signed, unsigned) = match op {
        BinOp::Add => (OverflowOp::SAdd, OverflowOp::UAdd),
        _ => (OverflowOp::SSub, OverflowOp::USub),
    };
    let said = [(no_wrap.signed, signed), (no_wrap.unsigned, unsigned)];
    let mut conditions = Vec::new();
    for (_, overflow) in said.into_iter().filter(|(is_said, _)| *is_said) {
        let overflows = machine.domain.overflow_term(overflow, a, b);
        conditions.push(machine.domain.pool.not(overflows));
    }
    conditions.retain(|&condition| !machine.domain.pool.is_true(condition));
    conditions
}

/// A sum that numbers at some places were computed from.
struct Found {
    /// Which of the trace.
    sum: usize,
    op: BinOp,
    no_wrap: NoWrap,
    width: u32,
    places: Places,
}

/// How far an activation is undone.
#[derive(Copy, Clone)]
struct At {
    block: BlockId,
    /// The instruction that was undone last.
    next: u32,
    /// Number of events before what is undone.
    events: usize,
}

/// The walk backwards.
struct Walk<'a> {
    program: &'a Program,
    trace: &'a Trace,
    frames: FxHashMap<FrameId, At>,
    /// The last blocks of activations.
    last: FxHashMap<FrameId, BlockId>,
    /// Registers that hold what places are computed from.
    registers: FxHashMap<(FrameId, ValueId), Places>,
    /// Memory that does.
    memory: Vec<(Region, Places)>,
    /// The trace's sums by instruction, ascending.
    sums: FxHashMap<(FrameId, u32), Vec<usize>>,
    found: Vec<Found>,
}

impl<'a> Walk<'a> {
    fn new(program: &'a Program, trace: &'a Trace, code: &Code, state: &State<SymbolicDomain>) -> Self {
        let mut frames = FxHashMap::default();
        for thread in state.live_threads() {
            for (frame, point) in thread.frames.iter().zip(state.stack(code, thread.id).0) {
                frames.insert(frame.id, At { block: point.block, next: point.inst, events: trace.events.len() });
            }
        }
        let mut last: FxHashMap<FrameId, BlockId> =
            trace.start.iter().map(|&(frame, block, _)| (frame, block)).collect();
        for event in &trace.events {
            if let TraceEvent::Block { frame, block, .. } = event {
                last.insert(*frame, *block);
            }
        }
        let mut sums: FxHashMap<(FrameId, u32), Vec<usize>> = FxHashMap::default();
        for (number, sum) in trace.sums.iter().enumerate() {
            sums.entry((sum.frame, sum.inst)).or_default().push(number);
        }
        let (registers, memory, found) = (FxHashMap::default(), Vec::new(), Vec::new());
        Self { program, trace, frames, last, registers, memory, sums, found }
    }

    fn ask(&mut self, place: StatePlace, places: Places) {
        match place {
            StatePlace::Memory(object, start, len) => {
                self.memory.push((Region { object, start, len, exact: true }, places))
            }
            StatePlace::Register(frame, value) => self.follow(frame, Operand::Value(value), places),
        }
    }

    fn run(&mut self) {
        for (index, event) in self.trace.events.iter().enumerate().skip(self.trace.granted.len()).rev() {
            if self.registers.is_empty() && self.memory.is_empty() {
                return;
            }
            self.event(index, event);
        }
        // Recording may have begun with a sum, in front of all events.
        let first = self.trace.granted.len();
        for &(frame, _, inst) in &self.trace.start {
            self.undo_since(first, frame, inst);
        }
    }

    fn event(&mut self, index: usize, event: &TraceEvent) {
        match event {
            TraceEvent::Enter { frame, caller, inst } => self.enter(index, *frame, *caller, *inst),
            TraceEvent::Leave { frame } => self.leave(index, *frame),
            TraceEvent::Block { frame, block, via } => self.block(index, *frame, *block, *via),
            TraceEvent::Load { frame, inst, regions } => {
                let places = self.results(index, *frame, *inst);
                let is_load = self.inst(*frame, *inst).is_some_and(|inst| matches!(inst.op, Op::Load { .. }));
                if let [region @ Region { exact: true, .. }] = regions[..]
                    && is_load
                    && places != 0
                {
                    self.memory.push((region, places));
                }
            }
            TraceEvent::Store { frame, inst, regions } => {
                self.undo(index, *frame, inst + 1);
                let stored = match self.inst(*frame, *inst).map(|inst| &inst.op) {
                    Some(Op::Store { value, .. }) => Some(*value),
                    _ => None,
                };
                let places = self.written(regions);
                if let Some(value) = stored {
                    self.follow(*frame, value, places);
                }
            }
            TraceEvent::Intrinsic { frame, inst, .. } | TraceEvent::Atomic { frame, inst } => {
                self.results(index, *frame, *inst);
            }
            // Both come before the instruction.
            TraceEvent::Decision { frame, inst, .. }
            | TraceEvent::Marker { frame, inst }
            | TraceEvent::PassMarker { frame, inst } => self.undo(index, *frame, *inst),
            TraceEvent::Forget { frame, call: Some(inst), regions, .. } => {
                self.results(index, *frame, *inst);
                self.written(regions);
            }
            TraceEvent::Forget { frame, call: None, regions, .. } => {
                self.undo(index, *frame, 0);
                let block = self.at(*frame, 0).block;
                for param in &self.function(*frame).blocks[block].params {
                    self.registers.remove(&(*frame, *param));
                }
                self.written(regions);
            }
            TraceEvent::Switch { .. } | TraceEvent::ThreadEnd { .. } => {}
        }
    }

    fn function(&self, frame: FrameId) -> &'a Function {
        &self.program.functions[self.trace.frames[&frame].func]
    }

    fn inst(&self, frame: FrameId, inst: u32) -> Option<&'a Inst> {
        self.function(frame).blocks[self.frames[&frame].block].insts.get(inst as usize)
    }

    /// How far an activation is undone: up to `next` of its last block, if it has ended.
    fn at(&mut self, frame: FrameId, next: u32) -> &mut At {
        let block = self.last.get(&frame).copied().unwrap_or_else(|| BlockId::from_index(0));
        let events = self.trace.events.len();
        self.frames.entry(frame).or_insert(At { block, next, events })
    }

    /// A place depends on what an operand is.
    fn follow(&mut self, frame: FrameId, operand: Operand, places: Places) {
        if let Operand::Value(value) = operand
            && places != 0
        {
            *self.registers.entry((frame, value)).or_default() |= places;
        }
    }

    fn take(&mut self, frame: FrameId, values: &[ValueId]) -> Places {
        values.iter().filter_map(|&value| self.registers.remove(&(frame, value))).fold(0, |all, of| all | of)
    }

    /// Undoes what is behind an instruction with events of its own, and it: the places that depend on its results.
    fn results(&mut self, index: usize, frame: FrameId, inst: u32) -> Places {
        self.undo(index, frame, inst + 1);
        let places = self.inst(frame, inst).map_or(0, |inst| self.take(frame, &inst.results));
        let at = self.at(frame, inst);
        at.next = at.next.min(inst);
        places
    }

    /// Undoes the instructions of an activation from `first` on, which were executed behind an event.
    fn undo(&mut self, index: usize, frame: FrameId, first: u32) {
        self.undo_since(index + 1, frame, first);
        let at = self.at(frame, first);
        *at = At { next: at.next.min(first), events: index, ..*at };
    }

    /// The same of those that were executed behind so many events.
    fn undo_since(&mut self, since: usize, frame: FrameId, first: u32) {
        let function = self.function(frame);
        let At { block, next, events } = *self.at(frame, first);
        for inst in (first..next).rev() {
            let Some(undone) = function.blocks[block].insts.get(inst as usize) else { continue };
            let places = self.take(frame, &undone.results);
            if places == 0 {
                continue;
            }
            match undone.op {
                Op::Binary { op, no_wrap, a, b } if gives_poison(op) => {
                    let sum = self.executed(frame, inst, since, events);
                    if let Some(sum) = sum.filter(|_| no_wrap.any()) {
                        let width = function.values[undone.results[0]].ty.bits();
                        self.found.push(Found { sum, op, no_wrap, width, places });
                    }
                    self.follow(frame, a, places);
                    self.follow(frame, b, places);
                }
                Op::Cast { op: CastOp::Trunc | CastOp::ZExt | CastOp::SExt, a } => self.follow(frame, a, places),
                _ => {}
            }
        }
    }

    /// The sum that an instruction computed behind so many events, and not behind more than `events`.
    fn executed(&self, frame: FrameId, inst: u32, since: usize, events: usize) -> Option<usize> {
        let all = self.sums.get(&(frame, inst))?;
        let before = all.partition_point(|&sum| self.trace.sums[sum].at <= events);
        let sum = all[before.checked_sub(1)?];
        (self.trace.sums[sum].at >= since).then_some(sum)
    }

    /// Forgets memory that a write may have hit: the places that depend on all of what it has written for certain.
    fn written(&mut self, regions: &[Region]) -> Places {
        let mut places = 0;
        self.memory.retain(|(live, of)| {
            let hit = |r: &&Region| {
                r.object == live.object && r.start < live.start + live.len && live.start < r.start.saturating_add(r.len)
            };
            if regions.len() == 1 && regions[0] == *live {
                places |= of;
            }
            !regions.iter().any(|r| hit(&r))
        });
        places
    }

    fn enter(&mut self, index: usize, frame: FrameId, caller: Option<FrameId>, inst: u32) {
        let info = &self.trace.frames[&frame];
        let Some((caller, _)) = caller.and(info.caller) else { return };
        self.undo(index, caller, inst + 1);
        let at = self.at(caller, inst);
        at.next = at.next.min(inst);
        let callee = &self.program.functions[info.func];
        let args = match self.inst(caller, inst).map(|inst| &inst.op) {
            Some(Op::Call { callee: Callee::Direct(_) | Callee::Indirect(_), args }) => &args[..],
            _ => &[],
        };
        for (position, &param) in callee.params.iter().enumerate() {
            let places = self.take(frame, &[param]);
            if let Some(&arg) = args.get(position) {
                self.follow(caller, arg, places);
            }
        }
    }

    fn leave(&mut self, index: usize, frame: FrameId) {
        let function = self.function(frame);
        let block = self.last.get(&frame).copied().unwrap_or_else(|| BlockId::from_index(0));
        let body = &function.blocks[block];
        self.frames.insert(frame, At { block, next: count(&body.insts), events: index });
        let Some((caller, point)) = self.trace.frames[&frame].caller else { return };
        self.undo(index, caller, point.inst + 1);
        let Some(call) = self.inst(caller, point.inst) else { return };
        let returned = match &body.terminator {
            Terminator::Return(values) => &values[..],
            _ => &[],
        };
        for (position, &result) in call.results.iter().enumerate() {
            let places = self.take(caller, &[result]);
            if let Some(&value) = returned.get(position) {
                self.follow(frame, value, places);
            }
        }
        let at = self.at(caller, point.inst);
        at.next = at.next.min(point.inst);
    }

    fn block(&mut self, index: usize, frame: FrameId, block: BlockId, via: Option<(BlockId, bool)>) {
        self.undo(index, frame, 0);
        let function = self.function(frame);
        let Some((from, by_else)) = via else {
            // At the entry, or behind a `longjmp`.
            self.registers.retain(|(of, value), _| *of != frame || function.params.contains(value));
            return;
        };
        let came = &function.blocks[from];
        let edge = match &came.terminator {
            Terminator::Branch { then_edge, else_edge, .. } => Some(if by_else { else_edge } else { then_edge }),
            Terminator::Jump(edge) => Some(edge),
            Terminator::Return(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => None,
        };
        // All parameters are assigned at once.
        let params = &function.blocks[block].params;
        let taken: Vec<Places> = params.iter().map(|&param| self.take(frame, &[param])).collect();
        for (&arg, &places) in edge.iter().flat_map(|edge| &edge.args).zip(&taken) {
            self.follow(frame, arg, places);
        }
        *self.at(frame, 0) = At { block: from, next: count(&came.insts), events: index };
    }
}

/// Whether the operation's result may not be depended on if that of an operand may not.
const fn gives_poison(op: BinOp) -> bool {
    matches!(
        op,
        BinOp::Add
            | BinOp::Sub
            | BinOp::Mul
            | BinOp::UDiv
            | BinOp::SDiv
            | BinOp::URem
            | BinOp::SRem
            | BinOp::Shl
            | BinOp::LShr
            | BinOp::AShr
    )
}

fn count(insts: &[Inst]) -> u32 {
    u32::try_from(insts.len()).expect("blocks have fewer than 2^32 instructions")
}
