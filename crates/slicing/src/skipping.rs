//! Passes over executions of loops of which nothing is in the slice; see [`crate::loop_runs`].

use icsched_ir::definitions::Definition;
use icsched_machine::thread::FrameId;
use icsched_symbolic::trace::TraceEvent;

use crate::definitions::definitions;
use crate::loop_runs::{Asked, Question, Run, Runs};
use crate::slicer::Slicer;

impl Slicer<'_, '_> {
    /// If this event ends loops of whose execution nothing is in the slice, undoes the outermost such one: the event
    /// with which its header was entered comes next.
    pub(crate) fn pass_over(&mut self, runs: &Runs, at: usize) -> Option<usize> {
        let ended = runs.ended.get(&at)?;
        let TraceEvent::Block { frame, block, .. } = self.trace.events[at] else { return None };
        self.meet(frame, block, 0);
        self.undo_pure(frame, 0);
        let params = &self.function(frame).blocks[block].params;
        if params.iter().any(|param| self.frames[frame].live.contains(param)) {
            return None;
        }
        let run = ended.iter().find(|run| !self.matters(run))?;
        let dominators = &self.statics.control.function(self.frames[frame].func).dominators;
        let state = self.state(frame);
        state.assignable.retain(|a| !dominators.immediate(a.block).is_some_and(|d| run.from.contains(&d)));
        state.block = run.header;
        state.next = 0;
        Some(run.start)
    }

    /// Whether anything of a run is in the slice.
    fn matters(&mut self, run: &Run) -> bool {
        let func = self.frames[run.frame].func;
        let body = self.statics.control.function(func).loops.get(run.in_loop);
        let defined = definitions(self.defined, self.statics.program, func);
        let is_inside = |definition| match definition {
            Definition::Parameter(block, _) | Definition::Inst(block, _) => body.contains(block),
            Definition::Argument(_) => false,
        };
        let mut live = self.frames[run.frame].live.iter();
        live.any(|&value| defined.of(value).is_some_and(is_inside))
            || run.written.iter().any(|&(object, start, end)| self.memory.overlaps_range(object, start, end))
            || run.asked.iter().any(|asked| self.answer(run.frame, *asked))
    }

    /// Whether a question is answered with yes, as the walk stands behind the run of a loop of `outer`.
    fn answer(&mut self, outer: FrameId, asked: Asked) -> bool {
        let Asked { frame, block, .. } = asked;
        // Nothing is known of activations that the loop has called, since nothing of them is in the slice.
        self.meet(frame, block, 0);
        let before = std::mem::replace(&mut self.state(frame).block, block);
        let yes = match asked.question {
            Question::Branch(by_else) => self.branch_matters(frame, block, by_else, false, None),
            Question::Write(inst) => {
                let instruction = self.inst(frame, inst).expect("it was executed");
                self.counts_input(frame, inst) || self.may_hit(frame, inst, instruction)
            }
            Question::Call(inst) => self.could_matter(frame, inst),
        };
        if frame == outer {
            let state = self.state(frame);
            state.block = before;
            state.avoids_exit = false;
        } else {
            self.frames.remove(frame);
        }
        yes
    }
}
