//! What has to end for schedules to be right: loops and recursions that are summarised, and those behind branches that
//! slices leave out.
//!
//! An execution that a schedule covers goes another way than the path that was executed only at branches that are not
//! in the path's slice, and comes back to it where all their ways meet. It does come back if what is on these ways
//! ends.

use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;
use icsched_dataflow::termination::{Rests, Termination, Unproved};
use icsched_epochs::Statics;
use icsched_ir::{BlockId, EntityId as _, FuncId, Origin, Program};
use icsched_machine::abstraction::{Passage, Replaced};
use icsched_machine::stop::DecisionKind;
use icsched_schedule::AssumedOfLoops;
use icsched_slicing::Slice;
use icsched_slicing::control::Control;
use icsched_symbolic::trace::{Trace, TraceEvent};
use rustc_hash::FxHashSet;

use crate::engine::Path;

/// What the schedules of an epoch rely on.
#[derive(Default)]
pub(super) struct Relied {
    /// Loops that were replaced on some path, by function and header.
    loops: BTreeSet<(FuncId, BlockId)>,
    /// Functions whose calls were replaced that call themselves.
    recursions: BTreeSet<FuncId>,
    /// Branches that are not in the slice of some path on which inputs decide one of those.
    branches: BTreeSet<(FuncId, BlockId)>,
}

impl Relied {
    /// Adds what one path relies on. O(events of its trace).
    pub(super) fn add(&mut self, statics: &Statics<'_>, path: &Path, slice: &Slice) {
        for &Passage { func, block, what, .. } in path.state.path.forgotten() {
            match what {
                Replaced::Loop => {
                    self.loops.insert((func, block));
                }
                Replaced::Call(_) | Replaced::Activation => {
                    self.recursions.insert(func);
                }
                Replaced::Question(_) => {}
            }
        }
        if !path.state.path.forgotten().is_empty() || leaves_some_open(&path.trace, slice) {
            self.branches.extend(left_out(statics.program, &path.trace, &slice.branches));
        }
    }

    /// Where loops and recursions are that have to end, and of which that is not proved, each once; and what the proofs
    /// of the others need.
    pub(super) fn assumed(&self, statics: &Statics<'_>, termination: Option<&Termination<'_, '_>>) -> AssumedOfLoops {
        let (program, control) = (statics.program, statics.control);
        let mut found = Rests::default();
        let blocks_of = |func, header| {
            let loops = &control.function(func).loops;
            loops.headed_by(header).map(|id| loops.get(id).block_ids().collect::<Vec<_>>()).unwrap_or_default()
        };
        let mut regions: Vec<(FuncId, Vec<BlockId>)> = Vec::new();
        regions.extend(self.loops.iter().map(|&(func, header)| (func, blocks_of(func, header))));
        regions.extend(self.branches.iter().map(|&(func, block)| (func, behind(control, func, block))));
        for (func, blocks) in regions {
            // Where there is no time left to look for a proof there is none.
            match termination.filter(|_| !statics.limits.is_over()) {
                Some(termination) => found.add(termination.blocks_rest_on(func, blocks)),
                None => found.unproved.extend(all_loops(program, control, func, &blocks)),
            }
        }
        for &func in &self.recursions {
            match termination {
                Some(termination) => found.add(termination.function_rests_on(func)),
                None => found.unproved.extend([Unproved::Recursion(func)]),
            }
        }
        // The tests of a summarised loop are in the slice where it may go round for ever. Those of a loop inside of it
        // need not be.
        let is_told_of = |unproved: &Unproved| match *unproved {
            Unproved::Loop(func, header) => self.loops.contains(&(func, header)) && control.is_told_of(func, header),
            Unproved::Recursion(_) => false,
        };
        found.unproved.retain(|unproved| !is_told_of(unproved));
        let places: BTreeSet<String> = found.unproved.into_iter().map(|unproved| unproved.describe(program)).collect();
        AssumedOfLoops { end: places.into_iter().collect(), no_overflow: found.needs_sums }
    }
}

/// Whether inputs that a slice covers may decide otherwise than a path did, and go on.
fn leaves_some_open(trace: &Trace, slice: &Slice) -> bool {
    let kept: FxHashSet<usize> = slice.decisions.iter().map(|decision| decision.event).collect();
    trace.events.iter().enumerate().any(|(at, event)| match event {
        TraceEvent::Decision { decision, .. } => {
            let has_other_side = !decision.kind.false_is_error() && decision.kind != DecisionKind::Assume;
            has_other_side && !kept.contains(&at)
        }
        _ => false,
    })
}

/// The branches of a trace that are not among those of some events.
fn left_out(program: &Program, trace: &Trace, kept: &[usize]) -> BTreeSet<(FuncId, BlockId)> {
    let mut is_kept = FixedBitSet::with_capacity(trace.events.len());
    is_kept.extend(kept.iter().copied());
    let mut found = BTreeSet::new();
    for (at, event) in trace.events.iter().enumerate() {
        if let TraceEvent::Block { frame, via: Some((from, _)), .. } = event
            && !is_kept.contains(at)
        {
            let func = trace.frames[frame].func;
            if program.functions[func].blocks[*from].terminator.edges().count() > 1 {
                found.insert((func, *from));
            }
        }
    }
    found
}

/// The blocks behind a branch in front of where all of its ways meet. O(blocks).
fn behind(control: &Control, func: FuncId, block: BlockId) -> Vec<BlockId> {
    let facts = control.function(func);
    let join = facts.postdominators.immediate(block);
    let mut found = FixedBitSet::with_capacity(facts.cfg.block_count());
    let mut work = facts.cfg.successors(block).to_vec();
    while let Some(next) = work.pop() {
        if Some(next) != join && !found.put(next.index()) {
            work.extend(facts.cfg.successors(next));
        }
    }
    found.ones().map(BlockId::from_index).collect()
}

/// All loops of the program among some blocks, and in what functions they may call, where nothing was analysed.
fn all_loops(program: &Program, control: &Control, func: FuncId, blocks: &[BlockId]) -> BTreeSet<Unproved> {
    let own = |func: FuncId| program.functions[func].origin == Origin::Program;
    let headers = |func: FuncId| control.function(func).loops.iter().map(|(_, l)| l.header).collect::<Vec<_>>();
    let mut found = BTreeSet::new();
    if own(func) {
        let inside = headers(func).into_iter().filter(|header| blocks.contains(header));
        found.extend(inside.map(|header| Unproved::Loop(func, header)));
    }
    let mut seen = BTreeSet::from([func]);
    let mut work = control.calls.callees(func).to_vec();
    while let Some(callee) = work.pop() {
        if !seen.insert(callee) || program.functions[callee].is_declaration() {
            continue;
        }
        if own(callee) {
            found.extend(headers(callee).into_iter().map(|header| Unproved::Loop(callee, header)));
            found.extend(control.calls.is_recursive(callee).then_some(Unproved::Recursion(callee)));
        }
        work.extend(control.calls.callees(callee));
    }
    found
}
