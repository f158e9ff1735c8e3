//! Notes inputs that become known while a path is executed.

use icsched_ir::Origin;

use super::Machine;
use crate::domain::Domain;
use crate::observation::{Observation, Observed};
use crate::state::State;
use crate::thread::Frame;

impl<D: Domain> Machine<D> {
    /// Notes an input that becomes known here. O(depth of the stack); without effect in the concrete domain.
    pub(crate) fn observe(&self, state: &mut State<D>, what: Observed<D>) {
        if D::SYMBOLIC {
            let observation = self.observation(state, what);
            state.observations.push(observation);
        }
    }

    /// What becomes known by the instruction that the current thread is at.
    pub(crate) fn observation(&self, state: &State<D>, what: Observed<D>) -> Observation<D> {
        let thread = state.current;
        let frames = &state.thread(thread).frames;
        let is_own = |f: &Frame| self.program.functions[f.func].origin == Origin::Program;
        let behind = frames.iter().rposition(is_own).map_or(0, |own| own + 1);
        let call = frames.get(behind).map(|f| f.id);
        let stack = state.stack(&self.code, thread);
        Observation { what, stack, thread, events: state.events.len(), call }
    }
}
