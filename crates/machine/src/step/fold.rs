//! Returns from activations below which others are folded ([`crate::folding`]).

use icsched_ir::{Callee, FuncId, IntPredicate, Op, ProgramPoint, Type};

use super::Machine;
use super::context::decide;
use crate::code::Code;
use crate::domain::Domain;
use crate::folding::FoldChoice;
use crate::observe::Observer;
use crate::state::State;
use crate::stop::{DecisionKind, Stop};
use crate::thread::{Frame, FrameId, Thread, ThreadId, ThreadStatus};

fn nowhere<D: Domain>() -> Stop<D> {
    Stop::Unsupported { what: "a return to nobody knows where".to_owned() }
}

impl<D: Domain> Machine<D> {
    /// An epoch ends: stacks are those of its name from now on.
    pub(crate) fn fold(&self, state: &mut State<D>) {
        let Some(folding) = &self.options.marks.folding else { return };
        let is_inside = |thread: &Thread<D>| thread.frames.iter().any(|f| folding.recursions.contains_key(&f.func));
        let threads: Vec<ThreadId> = state.live_threads().filter(|t| is_inside(t)).map(|t| t.id).collect();
        for thread in threads {
            folding.fold(state.thread_mut(thread));
        }
    }

    /// The innermost activation is about to return, and `left` others of its recursion are there without it: where they
    /// are folded, it does. Whether it did.
    pub(crate) fn leave<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        left: &D::Value,
    ) -> Result<bool, Stop<D>> {
        let Some(folding) = &self.options.marks.folding else { return Ok(false) };
        let recursion = |frame: &Frame| folding.recursions.get(&frame.func).copied();
        let Some((frame, below)) = state.current_thread().frames.split_last() else { return Ok(false) };
        let own = recursion(frame).filter(|number| folding.counted.contains(number));
        // What a library model has called back in between is told apart, but counted.
        if !frame.is_folded || own.is_none() || below.iter().any(|frame| recursion(frame) == own) {
            return Ok(false);
        }
        self.folded_return(state, observer, Some(left)).map(|()| true)
    }

    /// The innermost activation returns to where others are folded, of which there are `left`, if that is counted.
    pub(crate) fn folded_return<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        left: Option<&D::Value>,
    ) -> Result<(), Stop<D>> {
        let folding = self.options.marks.folding.clone().unwrap_or_default();
        let thread = state.current_thread();
        let depth = thread.frames.len() - 1;
        let func = thread.frames[depth].func;
        let below = depth.checked_sub(1).map(|d| self.code.point(thread.frames[d].func, thread.frames[d].pc));
        let below = below.ok_or_else(nowhere)?;
        let asked = |question| FoldChoice {
            thread: thread.id,
            depth: u32::try_from(depth).expect("stacks are short"),
            question,
        };
        let calls = folding.calls.get(&func).map_or(&[][..], Vec::as_slice);
        let (&last, others) = calls.split_last().ok_or_else(nowhere)?;
        let mut call = last;
        for &other in others {
            let name = format!("{} returns to {}", self.program.functions[func].name, self.describe_call(other));
            if self.is_chosen(state, asked((other, false)), &name)? {
                call = other;
                break;
            }
        }
        let may_be_last = self.may_call(below, call.func);
        let may_not = folding.calls.contains_key(&call.func);
        let is_last = if let (true, true, Some(left)) = (may_be_last, may_not, left) {
            let one = D::constant(1);
            let condition = self.domain.int_compare(IntPredicate::Eq, Type::Int(32), left, &one);
            decide(&mut self.domain, &state.path, &condition, DecisionKind::Other)?
        } else if may_be_last && may_not {
            let name = &self.program.functions[call.func].name;
            let name = format!("{name} of {} was called from {}", self.describe_call(call), self.describe_call(below));
            self.is_chosen(state, asked((call, true)), &name)?
        } else {
            may_be_last
        };
        self.return_to_folded(state, observer, call, is_last)
    }

    fn is_chosen(&mut self, state: &State<D>, choice: FoldChoice, name: &str) -> Result<bool, Stop<D>> {
        let condition = self.domain.choice(choice, name).ok_or_else(nowhere)?;
        decide(&mut self.domain, &state.path, &condition, DecisionKind::Other)
    }

    /// The epoch of the current thread ends behind a call of an activation that was folded.
    fn return_to_folded<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        call: ProgramPoint,
        is_last: bool,
    ) -> Result<(), Stop<D>> {
        let behind = ProgramPoint { inst: call.inst + 1, ..call };
        let Some(pc) = self.code.pc(behind) else {
            return Err(nowhere());
        };
        if O::ENABLED {
            let frame = state.current_frame();
            let inst = state.point(&self.code).map(|p| p.inst);
            if let (Some(frame), Some(inst)) = (frame, inst) {
                observer.marker(frame, inst);
            }
        }
        let id = FrameId(state.next_frame);
        state.next_frame += 1;
        let function = &self.code.functions[call.func];
        let folding = self.options.marks.folding.clone().unwrap_or_default();
        let thread = state.thread_mut(state.current);
        let left = thread.frames.pop().ok_or_else(nowhere)?;
        let register = |of: &Frame, value| of.base as usize + Code::slot(value) as usize;
        let shared =
            folding.shared(&self.program, left.func).map(|value| thread.registers[register(&left, value)].clone());
        let shared: Vec<D::Value> = shared.collect();
        let base = thread.registers.len();
        thread.registers.resize(base + function.registers as usize, D::constant(0));
        thread.registers.extend(function.constants.iter().map(|&bits| D::constant(bits)));
        let first_object = u32::try_from(thread.stack_objects.len()).expect("stack objects are few");
        let base = u32::try_from(base).expect("registers are few");
        let is_folded = !is_last;
        let frame = Frame {
            id,
            func: call.func,
            base,
            pc,
            first_object,
            varargs: None,
            is_folded,
            is_any: false,
            is_unknown: true,
        };
        for (value, held) in folding.shared(&self.program, call.func).zip(shared) {
            thread.registers[register(&frame, value)] = held;
        }
        thread.frames.push(frame);
        thread.status = ThreadStatus::AtMarker;
        self.stops_at_marker(state, observer)
    }

    /// Whether the call at a point may run a function.
    fn may_call(&self, at: ProgramPoint, func: FuncId) -> bool {
        let block = &self.program.functions[at.func].blocks[at.block];
        match block.insts.get(at.inst as usize).map(|i| &i.op) {
            Some(Op::Call { callee: Callee::Direct(callee), .. }) => *callee == func,
            Some(Op::Call { callee: Callee::Indirect(_), .. }) => true,
            _ => false,
        }
    }

    fn describe_call(&self, at: ProgramPoint) -> String {
        match at.loc(&self.program).filter(|&loc| self.program.locs[loc].line > 0) {
            Some(loc) => self.program.describe_loc(loc),
            None => format!("{} {}:{}", self.program.functions[at.func].name, at.block, at.inst),
        }
    }
}
