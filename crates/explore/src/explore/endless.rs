//! Whether a replaced loop ends: `while (n > 5) puts("wait");` does not for `n == 7`.
//!
//! A path that goes round a replaced loop has come to the state of the next iteration, which is one of those that were
//! forgotten. So one more iteration is executed from there, with everything forgotten once more that the loop may
//! write. If the solver leaves that iteration no choice but to go round again, so it is in each further one: for the
//! inputs of this path the loop never ends. This is a proof by induction over the iterations, with what the path
//! decided of everything that the loop does not write as the invariant.

use super::{Limits, PathRun};
use crate::budgets::BUDGETS;
use icsched_machine::step::Machine;
use icsched_machine::stop::{DecisionKind, PathEnd, Stop};
use icsched_symbolic::initial::InitialStates as _;
use icsched_symbolic::symbolic::SymbolicDomain;
use icsched_symbolic::trace::Trace;

impl PathRun {
    /// Whether the current thread, which has gone round a replaced loop, never leaves it. As much work as one
    /// iteration.
    pub(super) fn goes_round_for_ever(&self, machine: &mut Machine<SymbolicDomain>, limits: &Limits) -> bool {
        let Some(header) = self.state.current_thread().top() else { return false };
        if header.is_any || self.state.looks_into_call() {
            return false;
        }
        let (thread, frame, pc) = (self.state.current, header.id, header.pc);
        let mut probe = PathRun::untraced(self.state.clone());
        probe.state.record_events = false;
        machine.begin_iteration(&mut probe.state);
        let is_back = |probe: &PathRun| {
            let top = probe.state.current_thread().top();
            probe.state.current == thread && top.is_some_and(|top| top.id == frame && top.pc == pc)
        };
        let goes_round = loop {
            if probe.state.instructions - self.state.instructions > BUDGETS.iteration_instructions {
                break false;
            }
            let budget = if machine.domain.has_grants() { 1 } else { BUDGETS.iteration_instructions };
            match machine.run(&mut probe.state, &mut Trace::default(), budget) {
                Ok(()) => drop(machine.domain.retract_grants()),
                Err(Stop::Undecided { condition, kind, error }) => {
                    let asked = limits.errors && error.is_some() || !kind.is_of_error();
                    let is_free = probe.settle(machine, condition, kind, error, asked).is_some();
                    if is_free || kind == DecisionKind::Assume || !probe.errors.is_empty() {
                        break false;
                    }
                }
                Err(Stop::Suspect { condition, error }) => probe.suspect(machine, &condition, error, false),
                Err(Stop::Hidden { pointer }) => machine.expose(&mut probe.state, &pointer),
                Err(Stop::End(end)) => break *end == PathEnd::GoesRound && is_back(&probe),
                Err(Stop::Fault { .. } | Stop::Unsupported { .. } | Stop::Switch) => break false,
            }
        };
        machine.domain.retract_grants();
        machine.domain.take_gave_up();
        goes_round
    }
}
