//! Runs a state until its budget is used up, a decision is needed, or the path ends.

use super::Machine;
use super::straight::Pause;
use crate::budgets::BUDGETS;
use crate::domain::Domain;
use crate::memory::MemoryFault;
use crate::observe::Observer;
use crate::scheduler::SchedulingPoint;
use crate::state::State;
use crate::stop::{PathEnd, ProgramError, Stop};

impl<D: Domain> Machine<D> {
    /// Executes up to `budget` instructions. `Ok` when the budget is used up; [`Stop::Undecided`] when a condition
    /// must be assumed on [`State::path`] first, or one of the like; [`Stop::End`] when the path ends.
    pub fn run<O: Observer<D>>(&mut self, state: &mut State<D>, observer: &mut O, budget: u64) -> Result<(), Stop<D>> {
        let end = state.instructions.saturating_add(budget);
        while state.instructions < end {
            if let Some(limit) = self.options.stop.asked() {
                return Err(Stop::End(Box::new(PathEnd::Limit(limit))));
            }
            match self.slice(state, observer, end) {
                Ok(()) => {}
                Err(Stop::Fault { kind, message }) => {
                    let recovered = self.recover(state, observer, MemoryFault { kind, message });
                    recovered.map_err(|stop| self.with_stack(state, stop))?;
                }
                Err(stop) => return Err(self.with_stack(state, stop)),
            }
        }
        Ok(())
    }

    fn slice<O: Observer<D>>(&mut self, state: &mut State<D>, observer: &mut O, end: u64) -> Result<(), Stop<D>> {
        if state.switching {
            return Err(Stop::Switch);
        }
        if state.since_switch >= BUDGETS.fair_instructions {
            return self.reschedule(state, observer, SchedulingPoint::Fairness);
        }
        let interrupted = state.until_deadline() == 0 || state.current_thread().interrupt.is_some();
        if interrupted && self.is_in_program(state) {
            self.start_interrupt(state, observer)?;
            if self.end_due_waits(state) {
                return self.reschedule(state, observer, SchedulingPoint::Fairness);
            }
        }
        if state.spin.is_due(state.since_switch) {
            return self.look_for_spinning(state, observer);
        }
        let until_deadline = if interrupted {
            BUDGETS.uninterrupted_instructions
        } else {
            state.until_deadline().max(BUDGETS.uninterrupted_instructions)
        };
        let undisturbed = until_deadline.min(BUDGETS.fair_instructions - state.since_switch);
        let undisturbed = undisturbed.min(state.spin.until_next(state.since_switch));
        let budget = (end - state.instructions).min(undisturbed);
        let mut left = budget;
        let result = self.cx(state, observer).execute(&mut left);
        state.instructions += budget - left;
        state.since_switch += budget - left;
        state.thread_mut(state.current).instructions += budget - left;
        match result? {
            Pause::Special if left > 0 => {
                self.special(state, observer)?;
                state.instructions += 1;
                state.since_switch += 1;
            }
            Pause::Unrecorded => observer.begin(state, &self.code),
            Pause::Special | Pause::Budget => {}
        }
        Ok(())
    }

    /// Adds to a stop where it happened.
    fn with_stack(&self, state: &State<D>, stop: Stop<D>) -> Stop<D> {
        let stack = || state.stack(&self.code, state.current);
        let end = match stop {
            Stop::Fault { kind, message } => {
                PathEnd::Error(ProgramError { kind, message, thread: state.current, stack: stack() })
            }
            Stop::Unsupported { what } => PathEnd::Unsupported { what, stack: stack() },
            Stop::Undecided { .. } | Stop::Suspect { .. } | Stop::Hidden { .. } | Stop::Switch | Stop::End(_) => {
                return stop;
            }
        };
        Stop::End(Box::new(end))
    }
}
