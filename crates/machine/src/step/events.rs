//! Nodes of the schedule, as they are recorded. A path may have millions: what they have in common they share.

use std::sync::Arc;

use icsched_ir::CallStack;

use super::Machine;
use crate::domain::Domain;
use crate::state::State;
use crate::thread::ThreadId;
use crate::trace::{EventMode, EventObject, SyncEvent};

/// The object of a node, with its name if that is not the name of the byte at its address.
pub(super) type Named = (EventObject, Option<String>);

impl<D: Domain> Machine<D> {
    /// A node of the current thread, at the program's call of a model.
    pub(super) fn record_call(&mut self, state: &mut State<D>, object: Named, mode: EventMode) {
        let (function, stack) = state.program_call_of(&self.code, state.current);
        if let Some(frame) = state.library_call(&self.code, state.current) {
            state.thread_mut(state.current).opens(frame);
        }
        let stack = self.shared.stack(stack);
        let operation = match function {
            Some(function) => self.shared.operation(function, &state.program().functions[function].name),
            None => self.shared.text(""),
        };
        self.push(state, state.current, (operation, stack), object, mode);
    }

    /// A node of a thread at an instruction of the program.
    pub(super) fn record(
        &mut self,
        state: &mut State<D>,
        thread: ThreadId,
        (operation, stack): (&str, CallStack),
        object: Named,
        mode: EventMode,
    ) {
        let call = (self.shared.text(operation), self.shared.stack(stack));
        self.push(state, thread, call, object, mode);
    }

    fn push(
        &mut self,
        state: &mut State<D>,
        thread: ThreadId,
        (operation, stack): (Arc<str>, Arc<CallStack>),
        (object, name): Named,
        mode: EventMode,
    ) {
        let object_name = match (name, &object) {
            (Some(name), _) => self.shared.text(&name),
            (None, &EventObject::At(address)) => self.shared.name(&state.heap, address),
            (None, EventObject::AnyOf(_)) => self.shared.text(""),
        };
        state.thread_mut(thread).nodes += 1;
        state.events.push(SyncEvent::Node { thread, operation, stack, object, object_name, mode });
    }
}
