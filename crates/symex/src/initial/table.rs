//! The models' table of threads in an initial state: which slots threads have.

use std::sync::Arc;

use icsched_dataflow::ThreadContext;
use icsched_ir::{FuncId, SourceType};
use icsched_pointsto::{ObjectKind as AbstractKind, Offsets};

use super::Builder;
use crate::domain::{MemoryByte, ThreadTable};
use crate::memory::{address, global_object};
use crate::names::{THREAD_MAIN, THREAD_TABLE};
use crate::symbolic::SymbolicDomain;
use crate::symbolic::origin::Places;
use crate::thread::{Thread, ThreadStatus};

/// `enum ics_thread_state` of the models.
const STATE_FREE: u8 = 0;
const STATE_RUNNING: u8 = 1;
const STATE_DONE: u8 = 2;

/// Slots for threads that have ended before the initial state, in the models' table.
const ENDED_SLOTS: u64 = 64;

impl Builder<'_, '_> {
    /// The thread's slot in the models' table.
    pub(super) fn slot(&self, index: usize) -> u32 {
        let runs_main = |t: &ThreadContext| t.stack.0.first().map(|p| p.func) == self.program.main;
        let threads = &self.start.context.threads;
        let main = threads.iter().position(runs_main);
        if main == Some(index) {
            return 0;
        }
        let others = (0..index).filter(|&i| main != Some(i)).count();
        u32::try_from(others + 1).expect("threads are few")
    }

    /// The entry of a slot in the models' table, if the function is the one that threads begin with: it is passed that. Without the thread
    /// of `main` in the context, one of those of which only inner frames are known may be it.
    pub(super) fn table_entry(&self, func: FuncId, slot: u32) -> Option<u64> {
        let has_main = (0..self.start.context.threads.len()).any(|index| self.slot(index) == 0);
        let is_first =
            self.program.functions[func].name == THREAD_MAIN && self.start.options.sync_invariants && has_main;
        let (id, table) = self.program.globals.iter().find(|(_, g)| is_first && g.name == THREAD_TABLE)?;
        let (_, SourceType::Array { element, .. }) = self.program.types.resolve(table.source_type?)? else {
            return None;
        };
        let stride = self.program.types.size((*element)?);
        Some(address(global_object(id), u64::from(slot) * stride))
    }

    /// The models' table of threads: those of the context run, and nobody has begun to join one unless a thread waits for it. Nobody can
    /// tell in which slots others are that have ended; they get the last ones.
    pub(super) fn thread_table(&mut self, threads: &[Thread<SymbolicDomain>]) {
        let program = Arc::clone(&self.program);
        let enabled = self.origins().invariants.enabled;
        let Some((id, table)) = program.globals.iter().find(|(_, g)| g.name == THREAD_TABLE) else { return };
        let (Some(&root), Some(ty), true) = (self.globals.get(&id), table.source_type, enabled) else { return };
        let Some((_, SourceType::Array { element: Some(element), .. })) = program.types.resolve(ty) else { return };
        let Some((_, SourceType::Struct { fields, .. })) = program.types.resolve(*element) else { return };
        let stride = program.types.size(*element);
        let offset = |name: &str| {
            fields.iter().find(|f| f.name == name).and_then(|f| Some((f.offset, program.types.size(f.ty?))))
        };
        let (Some(state), Some(joined), Some(detached)) = (offset("state"), offset("joined"), offset("detached"))
        else {
            return;
        };
        let objects = self.start.points_to.objects().iter();
        let of_table = objects.filter(|(_, o)| o.kind == AbstractKind::Global(id));
        let places: Places = of_table.map(|(object, _)| (object, Offsets::ANY)).collect();
        let waiting = threads.iter().filter(|t| matches!(t.status, ThreadStatus::Waiting { .. }));
        let nobody_joins = waiting.into_iter().all(|thread| {
            let queue = self.machine.domain.term(&thread.queue, 64);
            !self.machine.domain.may_be_at(&self.path, queue, &places)
        });
        // The last entry is for timers.
        let slots = (table.size / stride).saturating_sub(1);
        let live: Vec<u64> = (0..self.start.context.threads.len()).map(|index| u64::from(self.slot(index))).collect();
        for slot in 0..slots {
            let mut holds = |(offset, size): (u64, u64), byte: u8| {
                let bytes: Vec<_> = (0..size).map(|at| MemoryByte::Constant(if at == 0 { byte } else { 0 })).collect();
                self.origins().set_known(root, slot * stride + offset, &bytes);
            };
            if live.contains(&slot) {
                holds(state, STATE_RUNNING);
                if nobody_joins {
                    holds(joined, 0);
                }
            } else if slots - slot <= ENDED_SLOTS {
                holds(state, STATE_DONE);
                holds(joined, 0);
                holds(detached, 0);
            } else {
                holds(state, STATE_FREE);
            }
        }
        let state = address(global_object(id), state.0);
        self.origins().invariants.table = Some(ThreadTable { state, stride, slots, ended: ENDED_SLOTS });
    }
}
