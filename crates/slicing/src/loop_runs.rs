//! Executions of loops that a walk passes over as a whole.
//!
//! Programs that compute spend almost all of their instructions in loops that have nothing to do with what a slice is
//! about. Going through one of their executions, the walk would find at each event that nothing of it is in the
//! slice; and as long as that is so, nothing that the walk knows changes. So it is enough to ask once of each
//! instruction and branch that was executed at all, and once of all the bytes that were written: if nothing is in the
//! slice, the walk goes on in front of the loop. What comes out is the same.

use icsched_ir::{BlockId, Callee, EntityId, FuncId, LoopId, Op, ProgramPoint, Terminator};
use icsched_machine::memory::ObjectId;
use icsched_machine::stop::DecisionKind;
use icsched_machine::thread::FrameId;
use icsched_symbolic::trace::{Region, Trace, TraceEvent};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::budgets::BUDGETS;
use crate::decisions::edge_taken;
use crate::statics::Statics;

/// What is asked of an instruction or a branch.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Question {
    /// Whether the branch matters that went by its else edge, or not.
    Branch(bool),
    /// Whether the instruction may write what is live, or reads an input that counts.
    Write(u32),
    /// Whether the call through a pointer could have called something that matters.
    Call(u32),
}

/// A question about an activation's block. The same calls lead to activations of one `context`, which have the same
/// answers.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) context: u32,
    pub(crate) frame: FrameId,
    pub(crate) block: BlockId,
    pub(crate) question: Question,
}

/// One execution of a loop, from entering its header to leaving it, by one thread and without synchronisation.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) frame: FrameId,
    pub(crate) header: BlockId,
    pub(crate) in_loop: LoopId,
    /// The event with which the header was entered.
    pub(crate) start: usize,
    /// Blocks of the loop that were left.
    pub(crate) from: Vec<BlockId>,
    pub(crate) asked: Vec<Asked>,
    pub(crate) written: Vec<(ObjectId, u64, u64)>,
}

/// Those of a trace.
#[derive(Default, Debug)]
pub(crate) struct Runs {
    /// By the event with which the loop is left, outer before inner ones.
    pub(crate) ended: FxHashMap<usize, Vec<Run>>,
}

/// A run that has not ended.
struct Open {
    run: Run,
    known: FxHashSet<(u32, BlockId, Question)>,
}

impl Open {
    fn ask(&mut self, asked: Asked) {
        if self.known.insert((asked.context, asked.block, asked.question)) {
            self.run.asked.push(asked);
        }
    }

    fn write(&mut self, object: ObjectId, start: u64, end: u64) {
        let written = &mut self.run.written;
        for range in written.iter_mut().rev().take(4) {
            if range.0 == object && start <= range.2 && range.1 <= end {
                *range = (object, start.min(range.1), end.max(range.2));
                return;
            }
        }
        written.push((object, start, end));
        if written.len() > 2 * BUDGETS.run_ranges {
            merge(written);
        }
    }

    /// An activation has left a block.
    fn go_on(&mut self, frame: FrameId, from: BlockId) {
        if self.run.frame == frame && !self.run.from.contains(&from) {
            self.run.from.push(from);
        }
    }

    /// What an inner run does, the outer one does too.
    fn contain(&mut self, inner: &Open) {
        inner.run.from.iter().for_each(|&from| self.go_on(inner.run.frame, from));
        inner.run.asked.iter().for_each(|&asked| self.ask(asked));
        inner.run.written.iter().for_each(|&(object, start, end)| self.write(object, start, end));
    }
}

/// Joins ranges that overlap or touch; if that leaves too many, all those of an object.
fn merge(ranges: &mut Vec<(ObjectId, u64, u64)>) {
    ranges.sort_unstable();
    let join = |ranges: &mut Vec<(ObjectId, u64, u64)>, anyway: bool| {
        ranges.dedup_by(|next, before| {
            let joins = before.0 == next.0 && (anyway || next.1 <= before.2);
            if joins {
                before.2 = before.2.max(next.2);
            }
            joins
        });
    };
    join(ranges, false);
    if ranges.len() > BUDGETS.run_ranges {
        join(ranges, true);
    }
}

/// Finds the runs of a trace.
struct Finder<'a, 'p> {
    statics: &'a Statics<'p>,
    trace: &'a Trace,
    open: Vec<Open>,
    contexts: FxHashMap<FrameId, u32>,
    /// By the caller's context and the call.
    context_of: FxHashMap<(u32, ProgramPoint, FuncId), u32>,
    next: u32,
    found: Runs,
}

impl Runs {
    /// Linear in the length of the trace, times the depth of loops.
    pub(crate) fn of(statics: &Statics<'_>, trace: &Trace, blocks: &[BlockId]) -> Self {
        let mut finder = Finder {
            statics,
            trace,
            open: Vec::new(),
            contexts: FxHashMap::default(),
            context_of: FxHashMap::default(),
            next: 0,
            found: Self::default(),
        };
        for (at, (event, &block)) in trace.events.iter().zip(blocks).enumerate() {
            finder.event(at, event, block);
        }
        finder.found
    }
}

impl Finder<'_, '_> {
    fn event(&mut self, at: usize, event: &TraceEvent, block: BlockId) {
        match event {
            TraceEvent::Block { frame, block, via } => self.block(at, *frame, *block, *via),
            TraceEvent::Store { frame, inst, regions } => {
                self.ask(*frame, block, Question::Write(*inst));
                if let Some(open) = self.open.last_mut() {
                    for Region { object, start, len, .. } in regions {
                        open.write(*object, *start, start.saturating_add(*len));
                    }
                }
            }
            TraceEvent::Enter { frame, caller: Some(caller), inst } => {
                let call = self.instruction(*caller, block, *inst);
                if matches!(call, Some(Op::Call { callee: Callee::Indirect(_), .. })) {
                    self.ask(*caller, block, Question::Call(*inst));
                }
                self.contexts.remove(frame);
            }
            TraceEvent::Leave { frame } => {
                // A loop that is left by returning has no end of its own.
                while self.open.last().is_some_and(|open| open.run.frame == *frame) {
                    self.close();
                }
                self.contexts.remove(frame);
            }
            TraceEvent::Decision { frame, inst, decision } => {
                let is_harmless = match decision.kind {
                    DecisionKind::Branch => self.goes_on(*frame, block, *inst),
                    DecisionKind::Assume => true,
                    DecisionKind::InBounds | DecisionKind::Alive | DecisionKind::Divisor => decision.taken,
                    _ => false,
                };
                if !is_harmless {
                    self.open.clear();
                }
            }
            TraceEvent::Intrinsic { frame, inst, intrinsic } if !intrinsic.is_synchronisation() => {
                if intrinsic.input_name().is_some() {
                    self.ask(*frame, block, Question::Write(*inst));
                }
            }
            TraceEvent::Load { .. } => {}
            // In the slice, or not only about this thread.
            TraceEvent::Enter { caller: None, .. }
            | TraceEvent::Intrinsic { .. }
            | TraceEvent::Atomic { .. }
            | TraceEvent::Forget { .. }
            | TraceEvent::Marker { .. }
            | TraceEvent::PassMarker { .. }
            | TraceEvent::Switch { .. }
            | TraceEvent::ThreadEnd { .. } => self.open.clear(),
        }
    }

    fn block(&mut self, at: usize, frame: FrameId, block: BlockId, via: Option<(BlockId, bool)>) {
        let Some((from, by_else)) = via else { return };
        let func = self.trace.frames[&frame].func;
        let loops = &self.statics.control.function(func).loops;
        let terminator = &self.statics.program.functions[func].blocks[from].terminator;
        if matches!(terminator, Terminator::Branch { .. }) {
            self.ask(frame, from, Question::Branch(by_else));
        }
        if let Some(open) = self.open.last_mut() {
            open.go_on(frame, from);
        }
        let leaves = |open: &Open| open.run.frame == frame && !loops.get(open.run.in_loop).contains(block);
        let mut ended = Vec::new();
        while self.open.last().is_some_and(leaves) {
            let run = self.close();
            ended.extend(run.filter(|run| at - run.start >= BUDGETS.least_run_events));
        }
        if !ended.is_empty() {
            ended.reverse();
            self.found.ended.insert(at, ended);
        }
        let Some(entered) = loops.headed_by(block) else { return };
        if loops.get(entered).contains(from) || loops.get(entered).is_irreducible() {
            return;
        }
        let run = Run {
            frame,
            header: block,
            in_loop: entered,
            start: at,
            from: Vec::new(),
            asked: Vec::new(),
            written: Vec::new(),
        };
        self.open.push(Open { run, known: FxHashSet::default() });
    }

    /// Ends the innermost run; what it does is part of the one around it.
    fn close(&mut self) -> Option<Run> {
        let mut ended = self.open.pop()?;
        merge(&mut ended.run.written);
        if let Some(outer) = self.open.last_mut() {
            outer.contain(&ended);
        }
        Some(ended.run)
    }

    fn ask(&mut self, frame: FrameId, block: BlockId, question: Question) {
        if self.open.is_empty() {
            return;
        }
        let context = self.context(frame);
        self.open.last_mut().expect("there is one").ask(Asked { context, frame, block, question });
    }

    /// A number for the calls that lead to an activation.
    fn context(&mut self, frame: FrameId) -> u32 {
        if let Some(&known) = self.contexts.get(&frame) {
            return known;
        }
        let info = &self.trace.frames[&frame];
        let key = info.caller.map(|(caller, at)| (self.context(caller), at, info.func));
        let new = self.next;
        let context = key.map_or(new, |key| *self.context_of.entry(key).or_insert(new));
        if context == new {
            self.next += 1;
        }
        self.contexts.insert(frame, context);
        context
    }

    fn instruction(&self, frame: FrameId, block: BlockId, inst: u32) -> Option<&Op> {
        let func = self.trace.frames.get(&frame)?.func;
        self.statics.program.functions[func].blocks[block].insts.get(inst as usize).map(|i| &i.op)
    }

    /// Whether a decision is that of a branch, and neither side only ends the process or goes round for ever.
    fn goes_on(&self, frame: FrameId, block: BlockId, inst: u32) -> bool {
        let func = self.trace.frames[&frame].func;
        let control = self.statics.control.function(func);
        let quiet = &control.quiet_exit;
        let terminator = &self.statics.program.functions[func].blocks[block].terminator;
        self.instruction(frame, block, inst).is_none()
            && !control.stuck_tests.contains(block.index())
            && [false, true]
                .iter()
                .all(|&side| edge_taken(terminator, side).is_some_and(|edge| !quiet.contains(edge.target.index())))
    }
}
