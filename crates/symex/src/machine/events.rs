//! Nodes of the schedule, as they are recorded. A path may have millions: what they have in common they share.

use std::sync::Arc;

use icsched_ir::{CallStack, FuncId, LOCKED_MODEL};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Machine;
use crate::domain::Domain;
use crate::memory::{AddressClass, Heap, classify};
use crate::state::State;
use crate::thread::ThreadId;
use crate::trace::{EventMode, EventObject, SyncEvent};

/// Texts and calling contexts of events, each once.
#[derive(Default)]
pub(super) struct Shared {
    operations: FxHashMap<FuncId, Arc<str>>,
    texts: FxHashSet<Arc<str>>,
    stacks: FxHashSet<Arc<CallStack>>,
    /// Names of bytes of variables of the program, by address: those are at the same address on all paths.
    names: FxHashMap<u64, Arc<str>>,
}

impl Shared {
    fn text(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.texts.get(text) {
            return Arc::clone(known);
        }
        let text: Arc<str> = text.into();
        self.texts.insert(Arc::clone(&text));
        text
    }

    fn stack(&mut self, stack: CallStack) -> Arc<CallStack> {
        if let Some(known) = self.stacks.get(&stack) {
            return Arc::clone(known);
        }
        let stack = Arc::new(stack);
        self.stacks.insert(Arc::clone(&stack));
        stack
    }

    fn operation(&mut self, function: FuncId, name: &str) -> Arc<str> {
        let name = || name.strip_prefix(LOCKED_MODEL).unwrap_or(name).into();
        Arc::clone(self.operations.entry(function).or_insert_with(name))
    }

    fn name<D: Domain>(&mut self, heap: &Heap<D>, address: u64) -> Arc<str> {
        let is_variable = match classify(address) {
            AddressClass::Object(id, _) => (id.0 as usize) <= heap.program().globals.len(),
            AddressClass::Null | AddressClass::Function(_) | AddressClass::Other => false,
        };
        if !is_variable {
            return self.text(&heap.name_of(address));
        }
        Arc::clone(self.names.entry(address).or_insert_with(|| heap.name_of(address).into()))
    }
}

/// The object of a node, with its name if that is not the name of the byte at its address.
pub(super) type Named = (EventObject, Option<String>);

impl<D: Domain> Machine<D> {
    /// A node of the current thread, at the program's call of a model.
    pub(super) fn record_call(&mut self, state: &mut State<D>, object: Named, mode: EventMode) {
        let (function, stack) = state.program_call_of(&self.code, state.current);
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
        state.events.push(SyncEvent::Node { thread, operation, stack, object, object_name, mode });
    }
}
