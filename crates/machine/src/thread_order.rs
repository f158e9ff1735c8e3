//! The order of threads in the name of an epoch.

use icsched_ir::CallStack;

use crate::code::Code;
use crate::state::State;
use crate::thread::{Thread, ThreadId};
use crate::values::Values;

impl Code {
    /// The live threads in the order of the epoch that begins where they are: by stack, those with the same stack by
    /// slot; by slot alone where it belongs to the epoch which thread is where.
    pub fn threads_in_order<D: Values>(&self, state: &State<D>) -> Vec<ThreadId> {
        let stack = |t: &Thread<D>| match self.concrete_threads {
            true => (CallStack::default(), Vec::new()),
            false => (state.stack(self, t.id), t.folds()),
        };
        let mut threads: Vec<_> = state.live_threads().map(|t| (stack(t), t.slot, t.id)).collect();
        threads.sort_unstable();
        threads.into_iter().map(|(.., id)| id).collect()
    }
}
