//! Threads that spin: that repeat themselves until another thread changes memory.
//!
//! A thread that has run for long without a scheduling point is watched for a few hundred instructions. If it comes
//! back to an instruction with the same registers and has neither written memory nor asked anything of the outside,
//! it does the same for ever: the processor goes to another thread. That is exact, so threads that only compute for
//! long are never interrupted by it, and the order of synchronisation stays independent of how long they do.

use super::Machine;
use crate::budgets::BUDGETS;
use crate::code::{CalleeCode, Instr};
use crate::domain::Domain;
use crate::observe::Observer;
use crate::scheduler::SchedulingPoint;
use crate::spin_watch::SpinWatch;
use crate::state::State;
use crate::stop::Stop;
use crate::thread::{FrameId, Thread};

/// Where a thread is, as far as it decides what it does next.
struct Position<V> {
    frames: usize,
    frame: FrameId,
    pc: u32,
    registers: Vec<V>,
}

impl<V: Clone + PartialEq> Position<V> {
    fn of<D: Domain<Value = V>>(thread: &Thread<D>) -> Option<Self> {
        let top = thread.top()?;
        let registers = thread.registers.clone();
        Some(Self { frames: thread.frames.len(), frame: top.id, pc: top.pc, registers })
    }

    fn is<D: Domain<Value = V>>(&self, thread: &Thread<D>) -> bool {
        let Some(top) = thread.top() else { return false };
        self.pc == top.pc
            && self.frame == top.id
            && self.frames == thread.frames.len()
            && self.registers == thread.registers
    }
}

impl<D: Domain> Machine<D> {
    /// Watches the current thread and, if it spins, lets another one run.
    pub(super) fn look_for_spinning<O: Observer<D>>(
        &mut self,
        state: &mut State<D>,
        observer: &mut O,
    ) -> Result<(), Stop<D>> {
        let watched = state.spin;
        let since = state.since_switch;
        state.spin = SpinWatch { next_look: BUDGETS.first_spin_look.max(since.saturating_mul(2)), in_a_row: 0 };
        if !self.repeats_itself(state, observer)? {
            return Ok(());
        }
        let in_a_row = if since == 0 { watched.in_a_row + 1 } else { 1 };
        let enabled = state.live_threads().filter(|t| t.is_enabled()).count();
        if in_a_row > enabled && !self.end_timed_wait(state) {
            return self.all_go_round_for_ever(state, observer);
        }
        self.reschedule(state, observer, SchedulingPoint::Fairness)?;
        state.spin = SpinWatch { next_look: 0, in_a_row };
        Ok(())
    }

    /// Runs the current thread for a while; true if it came back to where it was and wrote nothing.
    fn repeats_itself<O: Observer<D>>(&mut self, state: &mut State<D>, observer: &mut O) -> Result<bool, Stop<D>> {
        let Some(start) = Position::of(state.current_thread()) else { return Ok(false) };
        for _ in 0..BUDGETS.spin_cycle {
            if !self.next_is_private(state) {
                return Ok(false);
            }
            let mut left = 1;
            let result = self.cx(state, observer).execute(&mut left);
            state.instructions += 1 - left;
            state.since_switch += 1 - left;
            result?;
            if start.is(state.current_thread()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the next instruction changes nothing but the thread's registers and frames.
    fn next_is_private(&self, state: &State<D>) -> bool {
        let thread = state.current_thread();
        let Some(top) = thread.top() else { return false };
        let function = &self.code.functions[top.func];
        match function.instrs[top.pc as usize] {
            Instr::Binary { .. }
            | Instr::Unary { .. }
            | Instr::Cast { .. }
            | Instr::IntCompare { .. }
            | Instr::FloatCompare { .. }
            | Instr::Overflow { .. }
            | Instr::Select { .. }
            | Instr::FunnelShift { .. }
            | Instr::Offset { .. }
            | Instr::Index { .. }
            | Instr::Load { atomic: false, .. }
            | Instr::Jump { .. }
            | Instr::Branch { .. }
            | Instr::Undefined => true,
            Instr::Call { call } => matches!(function.calls[call as usize].callee, CalleeCode::Plain(_)),
            Instr::ReturnNone | Instr::ReturnOne { .. } | Instr::ReturnMany { .. } => !thread.returns_elsewhere(),
            Instr::Load { .. }
            | Instr::Store { .. }
            | Instr::Alloca { .. }
            | Instr::AtomicRmw { .. }
            | Instr::CompareExchange { .. }
            | Instr::Fence
            | Instr::MemCopy { .. }
            | Instr::MemSet { .. }
            | Instr::VaStart { .. }
            | Instr::VaCopy { .. }
            | Instr::Trap
            | Instr::Unreachable
            | Instr::GoesRound
            | Instr::Forget
            | Instr::Marker
            | Instr::Unsupported => false,
        }
    }
}
