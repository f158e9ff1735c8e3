//! The decisions of a trace, and what else is found by going through it once.

use std::rc::Rc;

use icsched_ir::{BlockId, Edge, EntityId, Intrinsic, LoopId, ProgramPoint, Terminator};
use icsched_machine::stop::DecisionKind;
use icsched_machine::thread::{FrameId, ThreadId};
use icsched_symbolic::trace::{Trace, TraceEvent};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::slice::SliceDecision;
use crate::statics::Statics;

/// The calls that lead to a decision (none in a recursive function), the thread and the place.
type Question = (Option<Rc<[ProgramPoint]>>, ThreadId, ProgramPoint);

/// Fills in [`SliceDecision::repeat`].
pub(crate) fn count_repeats<'s>(
    statics: &Statics<'_>,
    trace: &Trace,
    blocks: &[BlockId],
    decisions: impl Iterator<Item = &'s mut SliceDecision>,
) {
    let mut wanted: FxHashMap<usize, &mut u32> = decisions.map(|d| (d.event, &mut d.repeat)).collect();
    let mut counts: FxHashMap<Question, u32> = FxHashMap::default();
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
pub fn alone_at_events(trace: &Trace) -> Vec<bool> {
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

/// All events with which control came to another block, the last one first.
pub(crate) fn branches(trace: &Trace) -> Vec<usize> {
    let leaves = |event: &TraceEvent| matches!(event, TraceEvent::Block { via: Some(_), .. });
    trace.events.iter().enumerate().rev().filter(|(_, event)| leaves(event)).map(|(at, _)| at).collect()
}

/// The decisions that a slice may have which leaves out those that only end the process; `None` if these have more
/// different conditions than `most`.
pub(crate) fn possible(
    statics: &Statics<'_>,
    trace: &Trace,
    blocks: &[BlockId],
    most: usize,
) -> Option<Vec<SliceDecision>> {
    let (mut known, mut found) = (FxHashSet::default(), Vec::new());
    for (event, (e, &block)) in trace.events.iter().zip(blocks).enumerate() {
        let TraceEvent::Decision { frame, inst, decision } = e else { continue };
        let func = trace.frames[frame].func;
        let is_taken = match decision.kind {
            DecisionKind::Assume => false,
            DecisionKind::InBounds | DecisionKind::Alive | DecisionKind::Divisor => !decision.taken,
            DecisionKind::Branch => !avoids_exit(statics, trace, event, block),
            _ => true,
        };
        if is_taken && known.insert(decision.condition) {
            let point = ProgramPoint { func, block, inst: *inst };
            found.push(SliceDecision { event, frame: *frame, point, condition: decision.condition, repeat: 0 });
            if found.len() > most {
                return None;
            }
        }
    }
    Some(found)
}

/// The events with which loops are left that are replaced, and have one way out.
pub(crate) fn only_exits(statics: &Statics<'_>, trace: &Trace, blocks: &[BlockId]) -> FxHashSet<usize> {
    let (mut inside, mut found) = (FxHashMap::<FrameId, Vec<LoopId>>::default(), FxHashSet::default());
    for (at, (event, &block)) in trace.events.iter().zip(blocks).enumerate() {
        match event {
            TraceEvent::Forget { frame, call: None, .. } => {
                let loops = &statics.control.function(trace.frames[frame].func).loops;
                inside.entry(*frame).or_default().extend(loops.headed_by(block));
            }
            TraceEvent::Block { frame, block, via: Some((from, _)) } => {
                let Some(replaced) = inside.get_mut(frame) else { continue };
                let func = trace.frames[frame].func;
                let control = statics.control.function(func);
                while let Some(&innermost) = replaced.last() {
                    let l = control.loops.get(innermost);
                    if l.contains(*block) {
                        break;
                    }
                    replaced.pop();
                    let returns = |b: BlockId| {
                        let terminator = &statics.program.functions[func].blocks[b].terminator;
                        terminator.edges().next().is_none() && !control.quiet_exit.contains(b.index())
                    };
                    let mut ways = l.exits.iter().filter(|(_, to)| !control.quiet_exit.contains(to.index()));
                    let is_only = ways.next() == Some(&(*from, *block)) && ways.next().is_none();
                    let may_stay = control.stuck_tests.contains(from.index());
                    if is_only && !may_stay && !l.block_ids().any(returns) {
                        found.insert(at);
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether the branch that is decided by an event only avoids the end of the process, and not as a failure.
fn avoids_exit(statics: &Statics<'_>, trace: &Trace, event: usize, block: BlockId) -> bool {
    let Some(&TraceEvent::Block { frame, block: to, via: Some((from, _)) }) = trace.events.get(event + 1) else {
        return false;
    };
    let func = trace.frames[&frame].func;
    let control = statics.control.function(func);
    let (quiet, aborts) = (&control.quiet_exit, &control.may_abort);
    let mut sides = statics.program.functions[func].blocks[block].terminator.edges();
    // Behind the last synchronisation, who aborts is told apart from who exits.
    let ends = |block: BlockId| quiet.contains(block.index()) && !aborts.contains(block.index());
    from == block && !quiet.contains(to.index()) && sides.any(|edge| ends(edge.target))
}

/// The block each event happened in: of the event's frame for most, of the left frame for [`TraceEvent::Leave`].
pub(crate) fn blocks_of_events(trace: &Trace) -> Vec<BlockId> {
    let entry = BlockId::from_index(0);
    let mut current: FxHashMap<FrameId, BlockId> =
        trace.start.iter().map(|&(frame, block, _)| (frame, block)).collect();
    let mut blocks = Vec::with_capacity(trace.events.len());
    blocks.extend_from_slice(&trace.granted);
    // Most events are in the activation of the one before.
    let mut last: Option<(FrameId, BlockId)> = None;
    for event in &trace.events[trace.granted.len()..] {
        let mut of = |frame: FrameId| {
            if last.is_none_or(|(known, _)| known != frame) {
                last = Some((frame, current.get(&frame).copied().unwrap_or(entry)));
            }
            last.map_or(entry, |(_, block)| block)
        };
        let block = match event {
            TraceEvent::Block { frame, block, .. } => {
                current.insert(*frame, *block);
                last = Some((*frame, *block));
                *block
            }
            TraceEvent::Enter { caller, .. } => caller.map_or(entry, of),
            TraceEvent::Leave { frame }
            | TraceEvent::Load { frame, .. }
            | TraceEvent::Store { frame, .. }
            | TraceEvent::Decision { frame, .. }
            | TraceEvent::Intrinsic { frame, .. }
            | TraceEvent::Forget { frame, .. }
            | TraceEvent::Marker { frame, .. }
            | TraceEvent::PassMarker { frame, .. }
            | TraceEvent::Atomic { frame, .. } => of(*frame),
            TraceEvent::Switch { .. } | TraceEvent::ThreadEnd { .. } => entry,
        };
        blocks.push(block);
    }
    blocks
}

/// The edge by which control leaves a block: of a branch, its else edge or not; none of the end of a function.
pub(crate) fn edge_taken(terminator: &Terminator, by_else: bool) -> Option<&Edge> {
    match terminator {
        Terminator::Branch { then_edge, else_edge, .. } => Some(if by_else { else_edge } else { then_edge }),
        Terminator::Jump(edge) => Some(edge),
        Terminator::Return(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => None,
    }
}
