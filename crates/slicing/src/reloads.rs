//! What another way leaves the same though it assigns it: a parameter that gets the same value there, or what a
//! global holds whichever way control comes, and what is loaded again from where it was.
//!
//! Optimisers load what a loop's next round needs, or what is behind the loop, at the end of each round. Going round
//! once more defines all of these registers again; but if nothing is written where they were loaded from, they hold
//! the same. So where a branch is undone behind which they would be defined again, what is live are the bytes that
//! they were loaded from.

use icsched_ir::definitions::Definition;
use icsched_ir::{BlockId, Const, EntityId, Op, Operand, ProgramPoint, ValueId};
use icsched_machine::memory::global_object;
use icsched_machine::thread::FrameId;
use icsched_symbolic::trace::{Region as Bytes, TraceEvent};

use crate::budgets::BUDGETS;
use crate::frames::Assigned;
use crate::live_memory::LiveMemory;
use crate::region::Region;
use crate::slicer::Slicer;

impl Slicer<'_, '_> {
    /// Whether a region, or the edge to its join, may assign something else to a parameter. What is assigned is the
    /// same if it is a constant, or a value that is still live: the region has to leave it alone anyway.
    pub(crate) fn assigns_other(&self, frame: FrameId, branch: BlockId, region: &Region, assigned: &Assigned) -> bool {
        let &Assigned { block, position, arg, is_kept } = assigned;
        if !region.assigns.contains(block.index()) || !is_kept {
            return region.assigns.contains(block.index());
        }
        let function = self.function(frame);
        let predecessors = self.statics.control.function(self.frames[frame].func).cfg.predecessors(block);
        let ways = predecessors.iter().filter(|&&from| from == branch || region.blocks.contains(from.index()));
        let mut edges = ways.flat_map(|&from| function.blocks[from].terminator.edges());
        edges.any(|edge| edge.target == block && edge.args[position] != arg)
    }

    /// Live values that a region defines again and the block before the branch has loaded, behind which it has
    /// written nothing: the bytes that they were loaded from are live in their stead. The block was left with the
    /// event `left`.
    pub(crate) fn read_again(&mut self, (frame, block): (FrameId, BlockId), region: &Region, left: usize) {
        let insts = &self.function(frame).blocks[block].insts;
        for (at, inst) in (0..insts.len()).zip(insts).rev() {
            let address = match &inst.op {
                Op::Load { address, access } if !access.volatile && access.atomic.is_none() => *address,
                op if op.is_computation() => continue,
                _ => return,
            };
            let is_defined = |value: ValueId| region.defines.contains(value.index());
            let loaded = inst.results[0];
            let live = &self.frames[frame].live;
            if !live.contains(&loaded) || !is_defined(loaded) || address.value().is_some_and(is_defined) {
                continue;
            }
            let at = u32::try_from(at).expect("fewer than 2^32 instructions");
            let is_load = |event: &&TraceEvent| matches!(event, TraceEvent::Load { frame: f, inst, .. } if (*f, *inst) == (frame, at));
            let is_earlier = |event: &&TraceEvent| matches!(event, TraceEvent::Block { frame: f, .. } if *f == frame);
            let mut before = self.trace.events[..left]
                .iter()
                .rev()
                .take(BUDGETS.reload_events)
                .take_while(|event| !is_earlier(event));
            let Some(TraceEvent::Load { regions, .. }) = before.find(is_load) else { continue };
            regions.iter().for_each(|region| self.memory.add(region));
            let live = &mut self.state(frame).live;
            live.remove(&loaded);
            live.extend(address.value());
        }
    }

    /// The bytes of a global that a parameter of a block holds, whichever way control comes: all predecessors have
    /// loaded it from there, and neither written there since nor synchronised.
    pub(crate) fn held_by_global(&mut self, frame: FrameId, block: BlockId, position: usize) -> Option<Bytes> {
        let func = self.frames[frame].func;
        let (program, control) = (self.statics.program, self.statics.control.function(func));
        let function = &program.functions[func];
        let mut place = None;
        for &from in control.cfg.predecessors(block) {
            let edges = function.blocks[from].terminator.edges();
            for edge in edges.filter(|edge| edge.target == block) {
                let value = edge.args[position].value()?;
                let Definition::Inst(within, inst) = self.definition(func, value)? else { return None };
                let Op::Load { address: Operand::Const(Const::Global { global, offset }), access } =
                    function.blocks[within].insts[inst].op
                else {
                    return None;
                };
                let start = u64::try_from(offset).ok()?;
                let len = u64::from(function.values[value].ty.bytes());
                let here = Bytes { object: global_object(global), start, len, exact: true };
                let is_plain = !access.volatile && access.atomic.is_none() && !program.globals[global].thread_local;
                if !is_plain || within != from || *place.get_or_insert(here) != here {
                    return None;
                }
                let mut live = LiveMemory::default();
                live.add(&here);
                let behind = (0..).zip(&function.blocks[from].insts).skip(inst + 1);
                for (at, _) in
                    behind.filter(|(_, inst)| !inst.op.is_computation() && !matches!(inst.op, Op::Load { .. }))
                {
                    let known = self.facts.instruction(frame, ProgramPoint { func, block: from, inst: at })?;
                    if known.synchronises || live.any_object(|object, live| self.facts.writes(&known, object, live)) {
                        return None;
                    }
                }
            }
        }
        place
    }
}
