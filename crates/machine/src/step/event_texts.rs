//! What nodes of the schedule have in common: texts and calling contexts, each kept once.

use std::sync::Arc;

use icsched_ir::{CallStack, FuncId, modelled_function, source_name};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::memory::{AddressClass, Heap, classify};
use crate::values::Values;

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
    pub(super) fn text(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.texts.get(text) {
            return Arc::clone(known);
        }
        let text: Arc<str> = text.into();
        self.texts.insert(Arc::clone(&text));
        text
    }

    pub(super) fn stack(&mut self, stack: CallStack) -> Arc<CallStack> {
        if let Some(known) = self.stacks.get(&stack) {
            return Arc::clone(known);
        }
        let stack = Arc::new(stack);
        self.stacks.insert(Arc::clone(&stack));
        stack
    }

    pub(super) fn operation(&mut self, function: FuncId, name: &str) -> Arc<str> {
        let name = || source_name(modelled_function(name)).into();
        Arc::clone(self.operations.entry(function).or_insert_with(name))
    }

    pub(super) fn name<D: Values>(&mut self, heap: &Heap<D>, address: u64) -> Arc<str> {
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
