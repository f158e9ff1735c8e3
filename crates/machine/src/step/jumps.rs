//! `setjmp` and `longjmp`.
//!
//! A jump buffer holds the activation that called `setjmp` and the place of that call. Jumping ends the activations
//! inside it and lets the call return once more. Locals are registers here and keep what they last held, which C allows
//! for those that are not volatile; volatile ones are in memory.

use icsched_ir::Type;

use super::Machine;
use super::context::Cx;
use crate::code::{Instr, Slot};
use crate::domain::Domain;
use crate::observe::Observer;
use crate::state::State;
use crate::stop::{DecisionKind, ErrorKind, Stop};
use crate::thread::FrameId;

/// First word of a filled buffer.
const FILLED: u64 = 0x6a6d_7020_6275_6666;

/// Words of a buffer: [`FILLED`], the activation, the position of the call.
const WORDS: u64 = 3;

impl<D: Domain> Machine<D> {
    /// `__ics_restore_context`: refused in the symbolic domain, where what is executed has to follow the control-flow
    /// graph for slicing.
    pub(super) fn jump<O: Observer<D>>(&mut self, state: &mut State<D>, observer: &mut O) -> Result<(), Stop<D>> {
        if D::SYMBOLIC {
            return Err(Stop::Unsupported { what: "`longjmp`".to_owned() });
        }
        let mut cx = self.cx(state, observer);
        let args = &cx.current_call().args;
        let (buffer, value) = (args[0], cx.get(args[1]));
        let (frame, pc) = cx.saved_context(buffer)?;
        while cx.frame().id != frame {
            cx.pop_frame();
        }
        cx.thread.frames.last_mut().expect("the activation was found").pc = pc;
        cx.thread.forget_open();
        if O::ENABLED {
            let block = cx.point().block;
            cx.observer.block(frame, block, None);
        }
        cx.give_results(vec![(value, Type::Int(32))])
    }
}

impl<D: Domain, O: Observer<D>> Cx<'_, D, O> {
    /// `__ics_save_context`: remembers where the model that executes this was called.
    pub(super) fn save_context(&mut self, buffer: Slot) -> Result<(), Stop<D>> {
        let to = self.get(buffer);
        let caller = self.thread.frames.iter().rev().nth(1);
        let (frame, pc) = caller.map_or((u64::MAX, 0), |f| (f.id.0, u64::from(f.pc)));
        let mut regions = crate::trace::Regions::new();
        for (word, offset) in [FILLED, frame, pc].into_iter().zip((0..).step_by(8)) {
            let at = super::operations::add(self.domain, &to, &D::constant(offset))?;
            let word = D::constant(word);
            regions.extend(super::access::store(self.domain, self.heap, self.path, &at, &word, Type::Int(64))?);
        }
        self.stored(regions);
        Ok(())
    }

    /// The activation of this thread and the call in it that a jump buffer names.
    fn saved_context(&mut self, buffer: Slot) -> Result<(FrameId, u32), Stop<D>> {
        let from = self.get(buffer);
        let mut words = [0; WORDS as usize];
        for (word, offset) in words.iter_mut().zip((0..).step_by(8)) {
            let at = super::operations::add(self.domain, &from, &D::constant(offset))?;
            let (value, _) = super::access::load(self.domain, self.heap, self.path, &at, Type::Int(64))?;
            *word = super::context::concrete(self.domain, self.path, &value, DecisionKind::Concretise)?;
        }
        let bad = |message: &str| Err(Stop::Fault { kind: ErrorKind::BadCall, message: message.to_owned() });
        let [mark, frame, pc] = words;
        if mark != FILLED {
            return bad("longjmp with a buffer that setjmp has not filled");
        }
        let Some(found) = self.thread.frames.iter().find(|f| f.id.0 == frame) else {
            return bad("longjmp to a function that has returned, or of another thread");
        };
        let code = &self.code.functions[found.func];
        let call =
            u32::try_from(pc).ok().filter(|&pc| matches!(code.instrs.get(pc as usize), Some(Instr::Call { .. })));
        match call {
            Some(pc) => Ok((found.id, pc)),
            None => bad("longjmp with a damaged buffer"),
        }
    }
}
