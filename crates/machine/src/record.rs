//! Records the trace of a path: the observer that fills a [`Trace`].

use icsched_ir::{BlockId, Intrinsic};

use crate::code::Code;
use crate::domain::Domain;
use crate::observe::Observer;
use crate::state::State;
use crate::thread::{FrameId, ThreadId};
use crate::trace::{BranchSide, Decision, FrameInfo, Moved, Regions, Sum, Trace, TraceEvent, Uses};

impl<V, C> Trace<V, C> {
    /// Starts recording with the next instruction, unless it has started already.
    pub fn activate<D: Domain>(&mut self, state: &State<D>, code: &Code) {
        if self.active {
            return;
        }
        self.active = true;
        self.name_frames(state, code);
        for thread in &state.threads {
            for frame in &thread.frames {
                let point = code.point(frame.func, frame.pc);
                self.start.push((frame.id, point.block, point.inst));
            }
        }
    }

    /// Keeps the activations that there are. What others were that have ended nobody asks: their locals are gone.
    fn name_frames<D: Domain>(&mut self, state: &State<D>, code: &Code) {
        for thread in &state.threads {
            let mut caller = None;
            for frame in &thread.frames {
                self.frames.insert(frame.id, FrameInfo { thread: thread.id, func: frame.func, caller });
                caller = Some((frame.id, code.point(frame.func, frame.pc)));
            }
        }
    }

    /// Records what is taken for granted at the instruction that the current thread executes next, without starting.
    pub fn grant<D: Domain>(&mut self, state: &State<D>, code: &Code, decision: Decision<C>) {
        if !self.active {
            self.name_frames(state, code);
        }
        if let (Some(frame), Some(point)) = (state.current_frame(), state.point(code)) {
            if !self.active {
                self.granted.push(point.block);
            }
            self.events.push(TraceEvent::Decision { frame, inst: point.inst, decision });
        }
    }

    /// Records a decision for the instruction that the current thread executes next.
    pub fn decision<D: Domain>(&mut self, state: &State<D>, code: &Code, decision: Decision<C>) {
        if let (Some(frame), Some(point)) = (state.current_frame(), state.point(code)) {
            self.push(TraceEvent::Decision { frame, inst: point.inst, decision });
        }
    }

    #[inline]
    fn push(&mut self, event: TraceEvent<C>) {
        if self.active {
            self.events.push(event);
        }
    }
}

impl<D: Domain, C> Observer<D> for Trace<D::Value, C> {
    fn is_active(&self) -> bool {
        self.active
    }

    fn waits(&self) -> bool {
        self.is_wanted && !self.active
    }

    fn begin(&mut self, state: &State<D>, code: &Code) {
        if self.is_wanted {
            self.activate(state, code);
        }
    }

    fn enter(&mut self, frame: FrameId, info: FrameInfo, by: Option<(FrameId, u32)>) {
        if self.active {
            self.frames.insert(frame, info);
            let (caller, inst) = by.map_or((None, 0), |(caller, inst)| (Some(caller), inst));
            self.events.push(TraceEvent::Enter { frame, caller, inst });
        }
    }

    fn branch(&mut self, side: BranchSide) {
        self.branches += 1;
        if let Some(sides) = &mut self.sides {
            sides.push(side);
        }
    }

    fn leave(&mut self, frame: FrameId) {
        self.push(TraceEvent::Leave { frame });
    }

    fn block(&mut self, frame: FrameId, block: BlockId, via: Option<(BlockId, bool)>) {
        self.push(TraceEvent::Block { frame, block, via });
    }

    fn sum(&mut self, frame: FrameId, inst: u32, operands: [D::Value; 2]) {
        if self.active {
            self.sums.push(Sum { at: self.events.len(), frame, inst, operands });
        }
    }

    fn load(&mut self, frame: FrameId, inst: u32, regions: Regions) {
        self.push(TraceEvent::Load { frame, inst, regions });
    }

    fn store(&mut self, frame: FrameId, inst: u32, regions: Regions) {
        self.push(TraceEvent::Store { frame, inst, regions });
    }

    fn intrinsic(&mut self, frame: FrameId, inst: u32, intrinsic: Intrinsic) {
        self.push(TraceEvent::Intrinsic { frame, inst, intrinsic });
    }

    fn atomic(&mut self, frame: FrameId, inst: u32) {
        self.push(TraceEvent::Atomic { frame, inst });
    }

    fn forget(&mut self, frame: FrameId, call: Option<u32>, regions: Regions, moved: Moved, uses: Uses) {
        self.push(TraceEvent::Forget { frame, call, regions, moved, uses: Box::new(uses) });
    }

    fn marker(&mut self, frame: FrameId, inst: u32) {
        self.push(TraceEvent::Marker { frame, inst });
    }

    fn pass_marker(&mut self, frame: FrameId, inst: u32) {
        self.push(TraceEvent::PassMarker { frame, inst });
    }

    fn switch(&mut self, to: ThreadId) {
        self.push(TraceEvent::Switch { to });
    }

    fn thread_end(&mut self, thread: ThreadId) {
        self.push(TraceEvent::ThreadEnd { thread });
    }
}
