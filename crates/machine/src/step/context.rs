//! What the execution of one thread's instructions borrows from machine and state.

use std::rc::Rc;

use icsched_ir::{ProgramPoint, Type};

use super::{Machine, Options};
use crate::code::{Code, FunctionCode, Slot};
use crate::domain::Domain;
use crate::memory::Heap;
use crate::observe::Observer;
use crate::state::State;
use crate::stop::{DecisionKind, Stop};
use crate::thread::{Frame, Thread};
use crate::trace::Regions;

/// Everything an instruction that stays within its thread may touch.
pub(super) struct Cx<'a, D: Domain, O: Observer<D>> {
    pub(super) code: &'a Code,
    pub(super) options: &'a Options,
    pub(super) domain: &'a mut D,
    pub(super) heap: &'a mut Heap<D>,
    pub(super) path: &'a D::Path,
    pub(super) thread: &'a mut Thread<D>,
    pub(super) next_frame: &'a mut u64,
    pub(super) observer: &'a mut O,
}

impl<D: Domain> Machine<D> {
    /// The current thread's context.
    pub(super) fn cx<'a, O: Observer<D>>(&'a mut self, state: &'a mut State<D>, observer: &'a mut O) -> Cx<'a, D, O> {
        Cx {
            code: &self.code,
            options: &self.options,
            domain: &mut self.domain,
            heap: &mut state.heap,
            path: &state.path,
            thread: Rc::make_mut(&mut state.threads[state.current.index()]),
            next_frame: &mut state.next_frame,
            observer,
        }
    }
}

impl<'a, D: Domain, O: Observer<D>> Cx<'a, D, O> {
    /// The innermost activation.
    pub(super) fn frame(&self) -> &Frame {
        self.thread.frames.last().expect("a thread that runs has a frame")
    }

    /// The decoded function of the innermost activation.
    pub(super) fn function(&self) -> &'a FunctionCode {
        &self.code.functions[self.frame().func]
    }

    /// The instruction that is being executed.
    pub(super) fn point(&self) -> ProgramPoint {
        self.code.point(self.frame().func, self.frame().pc)
    }

    /// A register of the innermost activation.
    pub(super) fn get(&self, slot: Slot) -> D::Value {
        self.thread.registers[self.frame().base as usize + slot as usize].clone()
    }

    /// Writes a register of the innermost activation.
    pub(super) fn set(&mut self, slot: Slot, value: D::Value) {
        let at = self.frame().base as usize + slot as usize;
        self.thread.registers[at] = value;
    }

    /// The current instruction is done: go on with the next one.
    pub(super) fn advance(&mut self) {
        self.thread.frames.last_mut().expect("a thread that runs has a frame").pc += 1;
    }

    /// A register that must be a constant.
    pub(super) fn constant(&mut self, slot: Slot, kind: DecisionKind) -> Result<u64, Stop<D>> {
        let value = self.get(slot);
        concrete(self.domain, self.path, &value, kind)
    }

    /// Tells the observer of a read by the current instruction.
    pub(super) fn loaded(&mut self, regions: Regions) {
        if O::ENABLED && !regions.is_empty() {
            let (frame, inst) = (self.frame().id, self.point().inst);
            self.observer.load(frame, inst, regions);
        }
    }

    /// Tells the observer of a write by the current instruction, be it one that is lost.
    pub(super) fn stored(&mut self, regions: Regions) {
        if O::ENABLED {
            let (frame, inst) = (self.frame().id, self.point().inst);
            self.observer.store(frame, inst, regions);
        }
    }
}

/// A value that must be a constant.
pub(super) fn concrete<D: Domain>(
    domain: &mut D,
    path: &D::Path,
    value: &D::Value,
    kind: DecisionKind,
) -> Result<u64, Stop<D>> {
    match D::as_constant(value) {
        Some(bits) => Ok(bits),
        None => domain.concretise(path, value, kind),
    }
}

/// Truth of an `i1`.
pub(crate) fn decide<D: Domain>(
    domain: &mut D,
    path: &D::Path,
    condition: &D::Value,
    kind: DecisionKind,
) -> Result<bool, Stop<D>> {
    match D::as_constant(condition) {
        Some(bits) => Ok(bits & 1 != 0),
        None => domain.decide(path, condition, kind),
    }
}

/// Converts between integer widths, as C does for a mismatched argument.
pub(super) fn resize<D: Domain>(domain: &mut D, value: &D::Value, from: Type, to: Type) -> Result<D::Value, Stop<D>> {
    use icsched_ir::CastOp;
    if let Some(bits) = D::as_constant(value) {
        return Ok(D::constant(bits & to.mask()));
    }
    match from.bits().cmp(&to.bits()) {
        std::cmp::Ordering::Less => domain.cast(CastOp::ZExt, from, to, value),
        std::cmp::Ordering::Equal => Ok(value.clone()),
        std::cmp::Ordering::Greater => domain.cast(CastOp::Trunc, from, to, value),
    }
}
