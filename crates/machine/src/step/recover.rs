//! Going on behind errors ([`MemoryErrors::Continue`]).
//!
//! An instruction that fails has had no effect. So it is executed once more while the heap collects what is wrong with
//! it: then it does what is left of it ([`crate::memory`]). Where an instruction cannot go on - a call of what is no
//! function, an operation on an object of synchronisation that is not there - it fails again, and the path ends as it
//! does with [`MemoryErrors::Stop`].

use std::rc::Rc;

use icsched_externals::ArgEffect;
use icsched_ir::{Intrinsic, Origin};

use super::Machine;
use super::straight::Pause;
use crate::code::{CalleeCode, Instr, Slot};
use crate::domain::Domain;
use crate::memory::MemoryFault;
use crate::observation::{Observation, Observed};
use crate::observe::Observer;
use crate::state::State;
use crate::stop::{ErrorKind, MemoryErrors, ProgramError, Stop};
use crate::thread::Frame;

/// Bytes of the largest object of synchronisation, and more.
const SYNC_OBJECT: u64 = 128;

impl ErrorKind {
    /// Whether a path may go on behind such an error. Behind the others it is not known where.
    pub const fn is_recoverable(self) -> bool {
        match self {
            ErrorKind::OutOfBounds
            | ErrorKind::UseAfterFree
            | ErrorKind::UseAfterReturn
            | ErrorKind::DoubleFree
            | ErrorKind::InvalidFree
            | ErrorKind::NullPointer
            | ErrorKind::WildPointer
            | ErrorKind::WriteToConstant
            | ErrorKind::DivisionByZero
            | ErrorKind::Overlap
            | ErrorKind::Uninitialised => true,
            ErrorKind::Unreachable | ErrorKind::BadCall | ErrorKind::StackOverflow | ErrorKind::Model => false,
        }
    }
}

impl ErrorKind {
    /// Whether there is such an error only because something was freed before.
    pub const fn is_of_freed(self) -> bool {
        matches!(self, ErrorKind::UseAfterFree | ErrorKind::DoubleFree)
    }
}

impl<D: Domain> Machine<D> {
    /// Goes on behind an instruction that has failed, if that is wanted and possible; else that is why the path ends.
    pub(super) fn recover<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
        fault: MemoryFault,
    ) -> Result<(), Stop<D>> {
        let goes_on = self.options.memory_errors == MemoryErrors::Continue && fault.kind.is_recoverable();
        if !goes_on || self.is_in_sync_object(state, fault.kind) {
            return Err(fault.into());
        }
        let stack = state.stack(&self.code, state.current);
        let (thread, before) = (state.current, Rc::clone(&state.threads[state.current.index()]));
        let observation = self.observation(state, Observed::Value(D::constant(0)));
        state.heap.begin_recovery();
        let result = self.execute_once(state, observer);
        let (faults, read) = state.heap.end_recovery();
        match result {
            Ok(()) => {
                let error =
                    |MemoryFault { kind, message }| ProgramError { kind, message, thread, stack: stack.clone() };
                state.recover_from(faults.into_iter().map(error).collect());
                for value in read.into_iter().filter(|_| D::SYMBOLIC) {
                    state.observations.push(Observation { what: Observed::Value(value), ..observation.clone() });
                }
                Ok(())
            }
            Err(Stop::Fault { .. }) => Err(fault.into()),
            Err(stop) => {
                // It has found out something that is to be decided first.
                state.threads[thread.index()] = before;
                Err(stop)
            }
        }
    }

    /// Executes the instruction that the current thread is at.
    fn execute_once<O: Observer<D>>(&mut self, state: &mut State<D>, observer: &mut O) -> Result<(), Stop<D>> {
        let mut left = 1;
        let pause = self.cx(state, observer).execute(&mut left)?;
        if pause == Pause::Special && left > 0 {
            self.special(state, observer)?;
        }
        state.instructions += 1;
        state.since_switch += 1;
        Ok(())
    }

    /// Whether the current instruction accesses an object of synchronisation that a library function was given, and
    /// that is not there: nothing could be ordered by it. Or such a function depends on what is in no state at all.
    fn is_in_sync_object(&mut self, state: &State<D>, kind: ErrorKind) -> bool {
        let frames = &state.current_thread().frames;
        let is_model = |frame: &Frame| self.code.functions[frame.func].origin == Origin::Model;
        let models = frames.iter().rev().take_while(|frame| is_model(frame)).count();
        let Some(caller) = frames.len().checked_sub(models + 1).filter(|_| models > 0) else { return false };
        let (caller, called) = (&frames[caller], &frames[caller + 1]);
        let name = &state.program().functions[called.func].name;
        let Some(row) = icsched_externals::lookup(name).filter(|row| row.synchronises) else { return false };
        if kind == ErrorKind::Uninitialised {
            return true;
        }
        let register =
            |frame: &Frame, slot: Slot| state.current_thread().registers[frame.base as usize + slot as usize].clone();
        let Instr::Call { call } = self.code.functions[caller.func].instrs[caller.pc as usize] else { return false };
        let args = &self.code.functions[caller.func].calls[call as usize].args;
        let objects = args.iter().enumerate().filter(|(i, _)| row.argument(*i) == ArgEffect::ReadsWrites);
        let innermost = &frames[frames.len() - 1];
        let Some(slot) = self.accessed(innermost) else { return false };
        let at = register(innermost, slot);
        objects.map(|(_, &slot)| register(caller, slot)).any(|object| {
            match (D::as_constant(&object), D::as_constant(&at)) {
                (Some(object), Some(at)) => {
                    at.wrapping_sub(object) < SYNC_OBJECT && state.heap.inside(at, 1, false).is_none()
                }
                (object, at) => object.is_none() && at.is_none(),
            }
        })
    }

    /// The register with the address that the next instruction of an activation accesses.
    fn accessed(&self, frame: &Frame) -> Option<Slot> {
        let function = &self.code.functions[frame.func];
        match function.instrs[frame.pc as usize] {
            Instr::Load { address, .. }
            | Instr::Store { address, .. }
            | Instr::AtomicRmw { address, .. }
            | Instr::CompareExchange { address, .. } => Some(address),
            Instr::MemCopy { to, .. } | Instr::MemSet { to, .. } => Some(to),
            Instr::Call { call } => match &function.calls[call as usize] {
                call if matches!(call.callee, CalleeCode::Intrinsic(Intrinsic::Known)) => call.args.get(1).copied(),
                call if matches!(call.callee, CalleeCode::Intrinsic(_)) => call.args.first().copied(),
                _ => None,
            },
            _ => None,
        }
    }
}
